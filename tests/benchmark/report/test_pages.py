"""A report's files, read as text; tests/integration/test_report.py opens them in a browser."""

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from agent.agent import Choice, DecisionDetail, Plan, PlanStep
from benchmark.errors import RecordDamaged
from benchmark.records.rows import CREDENTIAL_TEXT, EpisodeRecord, StepRecord, without_credentials
from benchmark.records.store import EPISODES, STEPS
from benchmark.records.traces import trace_path
from benchmark.report.pages import main, write_report
from browser.actions import (
    BrowserAction,
    Click,
    Finish,
    GoBack,
    Navigate,
    Press,
    Scroll,
    Select,
    Type,
    Wait,
)  # fmt: skip
from browser.observation import Observation
from llm.decision import ModelCall, Usage

Make = Callable[..., Any]
EVIL = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


def write(run: Path, episodes: Iterable[EpisodeRecord], steps: Iterable[StepRecord] = ()) -> Path:
    run.mkdir(exist_ok=True)
    for name, rows in ((EPISODES, episodes), (STEPS, steps)):
        (run / name).write_text("".join(f"{row.model_dump_json()}\n" for row in rows), encoding="utf-8")
    return run


def page(run: Path, episode_id: str = "e1") -> str:
    return (run / "report" / "episodes" / f"{episode_id}.html").read_text(encoding="utf-8")


def words(html: str) -> str:
    """What a reader sees of a page's body, roughly: without tags, white space as single blanks."""
    body = html.split("<body>", 1)[1]
    return " ".join(re.sub(r"<[^>]*>", " ", body).replace("&#34;", '"').replace("&#39;", "'").split())


def listing(run: Path) -> dict[str, Any]:
    index = (run / "report" / "index.html").read_text(encoding="utf-8")
    [data] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', index)
    found: dict[str, Any] = json.loads(data)
    return found


def report(run: Path) -> int:
    return write_report(run, run / "report").pages


@pytest.fixture
def detail() -> DecisionDetail:
    others = (Choice(label="CLICK [3] textbox", probability=0.18), Choice(label="WAIT", probability=0.0001))
    return DecisionDetail(
        operation="CLICK", operation_probability=0.9, target_probability=0.8, runners_up=others, candidates=4,
        left_out=1,
    )  # fmt: skip


def test_a_page_tells_all_of_a_step(
    tmp_path: Path, make_episode: Make, make_step: Make, detail: DecisionDetail
) -> None:
    call = ModelCall(kind="decision", model="m-1", usage=Usage(input_tokens=1234, output_tokens=5), cost_usd=0.25)
    step = make_step(
        detail=detail, calls=(call,), page_changed=False, last_action_error="Covered by the dialog.", reward=0.5
    )
    run = write(tmp_path, [make_episode(end="failed", versions={"python": "3.11", "x": "9"})], [step])
    assert report(run) == 1
    text = words(page(run))
    for told in (
        "press seed 3", "failed", "Press Go.", "1 click [1] button \"Go\"", "url: http://127.0.0.1/",
        "[2] textbox \"Password\" empty", "it says Go 0.720", "CLICK [3] textbox 0.180", "WAIT &lt;0.001",
        "CLICK 0.900, its target 0.800, out of 4 candidates, 1 of them not offered",
        "m-1 (decision), 0.0 ms, 1,234 tokens in, 5 out, $0.2500", "Covered by the dialog.",
        "The page did not change; reward 0.50.", "act 1.5 ms", "reset 80 ms", "python 3.11, x 9", "e1",
    ):  # fmt: skip
        assert told in text, told
    assert '<span class="chosen">[1] button' in page(run)


def test_a_plan_shows_what_is_done_and_what_is_next(tmp_path: Path, make_episode: Make, make_step: Make) -> None:
    plan = Plan(steps=(PlanStep(text="Open <it>"), PlanStep(text="Fill it in"), PlanStep(text="Send it")), completed=1)
    call = ModelCall(kind="chat", model="m", usage=Usage(input_tokens=1234, cached_tokens=1000, output_tokens=5))
    report(write(tmp_path, [make_episode()], [make_step(plan=plan, calls=(call,))]))
    text = page(tmp_path)
    for kind, step in (("done", "Open &lt;it&gt;"), ("current", "Fill it in"), ("open", "Send it")):
        assert f'<li class="{kind}">{step}</li>' in text
    assert "1,234 tokens in (1,000 cached), 5 out, unpriced" in words(text)


@pytest.mark.parametrize(
    ("action", "told"),
    [
        (Click(element_id=1), '1 click [1] button "Go"'),
        (Click(element_id=99), "1 click [99]"),
        (Type(element_id=3, text="ada"), '1 type "ada" on [3] textbox "User"'),
        (Type(element_id=3, text=""), '1 type "" on [3] textbox "User"'),
        (Select(element_id=3, option="two"), '1 select "two" on [3]'),
        (Press(key="Enter"), '1 press "Enter" What'),
        (Press(element_id=1, key="Tab"), '1 press "Tab" on [1]'),
        (Scroll(direction="down"), '1 scroll "down"'),
        (Navigate(url="http://127.0.0.1/x"), '1 navigate "http://127.0.0.1/x"'),
        (GoBack(), "1 go_back What"),
        (Wait(), "1 wait What"),
        (Finish(message="42"), '1 finish "42"'),
    ],
)
def test_every_action_is_told(
    tmp_path: Path, make_episode: Make, make_step: Make, action: BrowserAction, told: str
) -> None:
    run = write(tmp_path, [make_episode()], [make_step(action=action)])
    report(run)
    assert told in words(page(run))


def test_a_step_without_action_tells_why(tmp_path: Path, make_episode: Make, make_step: Make) -> None:
    step = make_step(action=None, end="bad_output", reason="")
    report(write(tmp_path, [make_episode(end="bad_output", reward=0.0)], [step]))
    text = words(page(tmp_path))
    assert "1 stop: bad_output" in text
    assert "No reason given." in text
    assert "The agent ended the episode: bad output." in text


def test_what_is_unknown_is_said(tmp_path: Path, make_episode: Make, make_step: Make) -> None:
    row = make_episode(input_tokens=None, output_tokens=None, cost_usd=None, decisions_ms=(1.0, 1.0))
    call = ModelCall(kind="chat", model="m-1")
    report(write(tmp_path, [row], [make_step(observation=None, calls=(call,))]))
    text = words(page(tmp_path))
    assert "tokens unknown, unpriced" in text
    assert "m-1 (chat), 0.0 ms, tokens unknown, unpriced" in text
    assert "1 of 2 steps are not in the record." in text
    assert "3 elements at http://127.0.0.1/ ; this run kept no observations." in text
    assert "unknown: not run from a git checkout" in text


def test_an_episode_that_never_began(tmp_path: Path, make_episode: Make) -> None:
    row = make_episode(
        end="environment_error", error="No page.", goal=None, reward=0.0, raw_reward=None, decisions_ms=(), models=()
    )
    run = write(tmp_path, [row])
    (run / STEPS).unlink()
    report(run)
    text = words(page(run))
    assert "environment error" in text
    assert "The episode never began." in text
    assert "No page." in text
    assert "No decision was made." in text
    assert not (run / STEPS).exists()


def test_nothing_from_a_page_or_a_model_is_markup(
    tmp_path: Path, make_episode: Make, make_step: Make, make_observation: Make, detail: DecisionDetail
) -> None:
    first = make_observation().elements[0].model_copy(update={"name": EVIL})
    seen: Observation = make_observation(url=EVIL, title=EVIL, elements=(first,))
    call = ModelCall(kind="decision", model=EVIL)
    evil = detail.model_copy(update={"operation": EVIL, "runners_up": (Choice(label=EVIL, probability=0.1),)})
    steps = [
        make_step(observation=seen, detail=evil, reason=EVIL, last_action_error=EVIL, calls=(call,), url=EVIL),
        make_step(index=1, observation=None, reason=EVIL, action=Finish(message=EVIL), url=EVIL),
    ]
    row = make_episode(
        goal=EVIL, task=EVIL, agent=EVIL, error=EVIL, models=(EVIL,), settings={EVIL: EVIL}, versions={EVIL: EVIL}
    )
    run = write(tmp_path, [row], steps)
    report(run)
    index = (run / "report" / "index.html").read_text(encoding="utf-8")
    for html, scripts in ((page(run), 0), (index, 2)):
        assert "<img" not in html
        assert "<script>alert" not in html
        assert html.count("</script>") == scripts
    assert listing(run)["episodes"][0][12] == EVIL


def test_nothing_is_loaded_from_elsewhere(tmp_path: Path, make_episode: Make, make_step: Make) -> None:
    run = write(tmp_path, [make_episode()], [make_step()])
    report(run)
    links = [
        link
        for html in (run / "report").rglob("*.html")
        for link in re.findall(r'(?:src|href)="([^"]*)"|url\(|@import', html.read_text(encoding="utf-8"))
    ]
    assert set(links) == {"../index.html", "#step-1"}


def test_a_masked_text_stays_masked(tmp_path: Path, make_episode: Make, make_step: Make, click: Any) -> None:
    typed = click.model_copy(update={"action": Type(element_id=2, text="hunter2"), "reason": "TYPE hunter2"})
    row = make_step()
    kept = without_credentials(typed, row.observation)
    report(write(tmp_path, [make_episode()], [make_step(action=kept.action, reason=kept.reason)]))
    assert "hunter2" not in page(tmp_path)
    assert f'type "{CREDENTIAL_TEXT}" on [2] textbox "Password" empty' in words(page(tmp_path))


def test_rows_of_parallel_episodes_are_told_apart(tmp_path: Path, make_episode: Make, make_step: Make) -> None:
    episodes = [make_episode(episode_id=name, seed=seed) for seed, name in enumerate(("e1", "e2"))]
    steps = [
        make_step(episode_id=name, index=index, reason=f"{name} step {index}")
        for index in (1, 0) for name in ("e1", "e2", "unfinished")
    ]  # fmt: skip
    run = write(tmp_path, episodes, steps)
    with (run / STEPS).open("a") as file:
        file.write(steps[0].model_dump_json()[:400])  # a run that was killed, or is still going
    assert report(run) == 2
    for name in ("e1", "e2"):
        assert re.findall(r"e\d step \d", words(page(run, name))) == [f"{name} step 0", f"{name} step 1"]


def test_only_what_changed_is_written_again(tmp_path: Path, make_episode: Make, make_step: Make) -> None:
    episodes = [make_episode(episode_id=f"e{n}", seed=n) for n in range(3)]
    steps = [make_step(episode_id=f"e{n}") for n in range(3)]
    run = write(tmp_path, episodes, steps)
    assert [report(run), report(run)] == [3, 0]

    (run / "report" / "episodes" / "e0.html").unlink()
    assert [report(run), report(run)] == [1, 0]
    trace_path(run, "e1").parent.mkdir()
    trace_path(run, "e1").touch()
    assert [report(run), report(run)] == [1, 0]
    assert 'href="../../traces/e1.zip"' in page(run, "e1")
    write(run, episodes, [*steps[:2], make_step(episode_id="e2", reason="another")])
    assert [report(run), report(run)] == [1, 0]
    assert "another" in page(run, "e2")
    write(run, [*episodes, make_episode(episode_id="e3", seed=9)], steps)
    assert report(run) == 2


def test_the_last_attempt_at_a_job_is_listed(tmp_path: Path, make_episode: Make) -> None:
    report(write(tmp_path, [make_episode(end="browser_crash", reward=0.0), make_episode(episode_id="e2")]))
    assert [row[0] for row in listing(tmp_path)["episodes"]] == ["e2"]


def test_agents_that_differ_in_settings_alone_are_told_apart(tmp_path: Path, make_episode: Make) -> None:
    rows = [
        make_episode(episode_id=f"e{n}", agent=agent, model=model, settings_hash=settings)
        for n, (agent, model, settings) in enumerate(
            [("jev", None, "a" * 16), ("jev", None, "b" * 16), ("jev", "m", "c" * 16), ("random", None, "d" * 16)]
        )
    ]
    report(write(tmp_path, rows))
    assert [row[1] for row in listing(tmp_path)["episodes"]] == ["jev [aaaaaa]", "jev [bbbbbb]", "jev m", "random"]


def test_a_damaged_step_is_one_sentence(
    tmp_path: Path, make_episode: Make, make_step: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    run = write(tmp_path, [make_episode()], [make_step()])
    text = (run / STEPS).read_text()
    (run / STEPS).write_text(text.replace('"reward"', '"no_reward"'))
    assert main([str(run), "--quiet"]) == 1
    said = capsys.readouterr().err
    assert said == f"{STEPS} holds a row at byte 0 that is not a step; run the command that made it with --repair.\n"


def test_an_id_never_leaves_the_folder(tmp_path: Path, make_episode: Make) -> None:
    run = write(tmp_path / "run", [make_episode(episode_id="../../out")])
    with pytest.raises(RecordDamaged, match="cannot name a file"):
        report(run)
    assert not list(tmp_path.rglob("out.html"))


@pytest.mark.parametrize("there", ["nothing", "no episode", "a file in the way"])
def test_what_cannot_be_reported_is_one_sentence(
    tmp_path: Path, make_episode: Make, there: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    if there != "nothing":
        write(run, [make_episode()] if there == "a file in the way" else [])
        (run / "report").touch()
    assert main([str(run), "--quiet"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_command_says_where_to_look(tmp_path: Path, make_episode: Make, capsys: pytest.CaptureFixture[str]) -> None:
    run = write(tmp_path, [make_episode()])
    assert main([str(run), "--out", str(tmp_path / "pages"), "--quiet"]) == 0
    assert capsys.readouterr().out == f"1 episodes, 1 pages written: open {tmp_path / 'pages' / 'index.html'}\n"
