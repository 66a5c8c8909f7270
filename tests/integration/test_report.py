"""A report in a real browser, from its files alone: what it shows, and that 5,000 episodes stay quick."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Page

from agent.agent import Choice, DecisionDetail
from benchmark.records.rows import FORMAT_VERSION, EpisodeRecord, StepRecord
from benchmark.records.store import EPISODES, STEPS
from benchmark.report.pages import write_report
from browser.actions import Click
from browser.observation import Box, InteractiveElement, Observation, TextBlock, Timings
from browser.session import BrowserSession, PageSettings

MANY = 5_000
STEPS_EACH = 3
ELEMENTS = 20
EVIL = "</script><script>document.title = 'owned'</script><img src=x onerror=\"document.title='owned'\">"
KEY = {"benchmark": "toy", "trial": 0, "model": None, "settings_hash": "abc", "format_version": FORMAT_VERSION}


def episode(number: int) -> str:
    """An episode row: every third fails, every seventh by infrastructure, and each goal tries to break out."""
    end = "browser_crash" if number % 7 == 0 else "failed" if number % 3 == 0 else "success"
    return EpisodeRecord(
        **KEY, episode_id=f"e{number}", task=f"task-{number % 100}", seed=number // 100,
        agent="jev" if number % 2 else "random", started_at="2024-01-01T00:00:00.000+00:00",
        goal=f"Press button {number}. {EVIL}", end=end, error="It died." if end == "browser_crash" else None,
        reward=float(end == "success"), raw_reward=None, full_reward=None, steps=STEPS_EACH, models=("m-1",),
        input_tokens=10, cached_tokens=0, output_tokens=2, cost_usd=None, seconds=float(number), reset_ms=80.0,
        act_ms=10.0, settle_ms=20.0, probe_ms=5.0, validate_ms=1.0, decisions_ms=(1.0,) * STEPS_EACH, settings={},
        git_commit=None, git_dirty=None, versions={},
    ).model_dump_json()  # fmt: skip


def step() -> str:
    """A step row of about 4 kB whose episode is called EPISODE and whose index is 0."""
    elements = tuple(
        InteractiveElement(id=i, role="button", name=f"Button {i} {EVIL}", box=Box(x=0, y=i, width=9, height=9))
        for i in range(1, ELEMENTS + 1)
    )
    seen = Observation(
        goal="", url="http://127.0.0.1/", title=EVIL, elements=elements, texts=(TextBlock(text=EVIL, position=2),)
    )
    others = tuple(Choice(label=f"CLICK [{i}]", probability=0.05) for i in range(1, 6))
    return StepRecord(
        **KEY, episode_id="EPISODE", task="t", seed=0, agent="jev", index=0, url=seen.url, page_key="k",
        n_elements=ELEMENTS, observation=seen, action=Click(element_id=7), end=None, reason=f'CLICK [7] "{EVIL}"',
        detail=DecisionDetail(operation="CLICK", operation_probability=0.9, target_probability=0.8, runners_up=others),
        calls=(), decide_ms=1.0, reward=0.0, page_changed=True, settled=True, last_action_error=None,
        timings=Timings(act_ms=5, settle_ms=20, probe_ms=4, validate_ms=0.1, total_ms=29.1),
    ).model_dump_json()  # fmt: skip


def write_run(folder: Path, episodes: int) -> None:
    """Write a run of two workers: the rows of two episodes at a time lie between one another."""
    folder.mkdir()
    row = step()
    with (folder / EPISODES).open("w") as episode_file, (folder / STEPS).open("w") as step_file:
        for number in range(0, episodes, 2):
            for index in range(STEPS_EACH):
                for name in (f"e{number}", f"e{number + 1}"):
                    named = row.replace('"EPISODE"', f'"{name}"', 1)
                    step_file.write(named.replace('"index":0', f'"index":{index}', 1) + "\n")
            episode_file.write(f"{episode(number)}\n{episode(number + 1)}\n")


@pytest.fixture
def page(session: BrowserSession) -> Iterator[Page]:
    """A page that fails the test for a script error, and for any request but to a file."""
    opened = session.open_page(PageSettings(), "context")
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("request", lambda asked: None if asked.url.startswith("file:") else faults.append(asked.url))
    yield opened
    assert faults == []


def listed(page: Page) -> list[str]:
    found: list[str] = page.eval_on_selector_all(
        "#list tr", "rows => rows.map(row => row.querySelector('a').innerText)"
    )
    return found


@pytest.fixture
def report(tmp_path: Path) -> Path:
    write_run(tmp_path / "run", 300)
    return write_report(tmp_path / "run", tmp_path / "report").start


def test_the_index_lists_filters_and_sorts(page: Page, report: Path) -> None:
    page.goto(report.as_uri())
    assert page.inner_text("#count") == "300 of 300"
    assert 0 < len(listed(page)) < 300
    page.select_option("#end", "browser_crash")
    assert page.inner_text("#count") == "43 of 300"
    assert page.eval_on_selector_all("#list .end", "ends => [...new Set(ends.map(e => e.className))]") == [
        "end unscored"
    ]
    page.select_option("#agent", "random")
    assert page.inner_text("#count") == "22 of 300"
    page.select_option("#reward", "above 0")
    assert page.inner_text("#count") == "No episode matches."
    page.select_option("#end", "")
    page.fill("#q", "task-14 press")
    assert set(listed(page)) == {"task-14"}
    page.fill("#q", "")
    page.click("#heads button:text('seconds')")
    page.click("#heads button:text('seconds')")
    assert page.get_attribute("#heads [data-name=seconds]", "aria-sort") == "descending"
    assert listed(page)[0] == "task-98"

    # What was chosen is in the address: going to an episode and back finds the list as it was.
    page.click("#list a >> nth=0")
    assert page.inner_text("h1").startswith("task-98")
    page.go_back()
    assert (page.input_value("#reward"), listed(page)[0]) == ("above 0", "task-98")


def test_rows_come_as_they_are_scrolled_to(page: Page, report: Path) -> None:
    page.goto(report.as_uri())
    before = len(listed(page))
    for _ in range(10):
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        page.wait_for_timeout(50)
    assert before < len(listed(page)) == 300


def test_nothing_that_a_page_said_becomes_a_part_of_the_report(page: Page, report: Path) -> None:
    page.goto(report.as_uri())
    assert page.title() == "run: 300 episodes"
    assert page.inner_text("#list .goal >> nth=0") == f"Press button 0. {EVIL}"
    page.click("#list a >> nth=1")
    assert page.title() == "task-1 seed 0: success"
    assert page.locator("img, script").count() == 0
    assert EVIL in page.inner_text(".goal-text")
    seen = page.locator(".seen >> nth=0")
    assert seen.locator("span").count() == 2 + 1 + ELEMENTS
    assert seen.locator(".chosen").inner_text().startswith("[7] button")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_it_fits_the_screen(page: Page, report: Path, width: int, scheme: str) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    for path in (report, report.parent / "episodes" / "e1.html"):
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        red = page.evaluate("Number(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])")
        assert (red < 128) == (scheme == "dark")


@pytest.mark.timeout(300)
def test_five_thousand_episodes(page: Page, tmp_path: Path) -> None:
    write_run(tmp_path / "run", MANY)
    rows_mb = (tmp_path / "run" / STEPS).stat().st_size / 2**20
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmark.report", str(tmp_path / "run"), "--quiet"], stdout=subprocess.DEVNULL
    )
    watched, peak_mb = psutil.Process(process.pid), 0.0
    while process.poll() is None:
        peak_mb = max(peak_mb, _resident(watched) / 2**20)
        time.sleep(0.05)
    seconds = time.monotonic() - started
    assert process.returncode == 0
    assert len(list((tmp_path / "run" / "report" / "episodes").iterdir())) == MANY

    index = tmp_path / "run" / "report" / "index.html"
    started = time.monotonic()
    page.goto(index.as_uri())
    open_s = time.monotonic() - started
    filter_ms = page.evaluate(
        "() => { const t = performance.now(); const q = document.getElementById('q'); q.value = 'task-7'; "
        "q.oninput(); document.body.getBoundingClientRect(); return performance.now() - t; }"
    )
    assert page.inner_text("#count") == "550 of 5,000"
    figures = {
        "rows MB": rows_mb, "seconds": seconds, "peak MB": peak_mb, "open s": open_s, "filter ms": filter_ms,
    }  # fmt: skip
    print(json.dumps({name: round(value, 2) for name, value in figures.items()}))
    assert seconds < 120
    assert peak_mb < 1024
    assert open_s < 2
    assert filter_ms < 500


def _resident(process: psutil.Process) -> float:
    try:
        return float(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0.0
