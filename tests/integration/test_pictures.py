"""The last look at a page: kept however an episode ends, masked, and never in the way. Policy rule E3."""

import io
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import psutil
import pytest
from PIL import Image
from pytest_httpserver import HTTPServer
from werkzeug import Response

from agent.agent import AgentStep
from agent.loop import Limits
from benchmark.miniwob.pages import URL_VARIABLE
from benchmark.records.pictures import FOLDER, Picture, keep_picture, picture_path
from benchmark.records.provenance import Provenance
from benchmark.records.rows import EpisodeRecord, JobKey
from benchmark.records.store import EPISODES, RecordStore, read_rows
from benchmark.report.pages import write_report
from benchmark.run_miniwob import main
from benchmark.running.runner import Setup, Worker, run_one
from browser import make_environment
from browser.actions import Finish, Wait
from browser.environment import BrowserEnvironment
from browser.picture import MASK
from browser.process import kill_tree
from browser.session import BrowserSession, PageSettings

PAGE = """<!doctype html><title>t</title><body style="margin:0;background:rgb(0,200,0)">
<input type=password value=s3cret style="position:absolute;left:100px;top:100px;width:200px;height:40px">"""
GREEN = (0, 200, 0)


@pytest.fixture
def own_session() -> Iterator[BrowserSession]:
    with BrowserSession() as opened:
        yield opened


@pytest.fixture
def url(httpserver: HTTPServer) -> str:
    httpserver.expect_request("/").respond_with_data(PAGE, content_type="text/html")
    return httpserver.url_for("/")


def visit(session: BrowserSession, url: str) -> None:
    session.open_page(PageSettings(), "context").goto(url)


def kill_browser(session: BrowserSession) -> None:
    kill_tree({p for p in psutil.Process().children(recursive=True) if "--remote-debugging-pipe" in p.cmdline()})


def pixel(path: Path, x: int, y: int) -> Any:
    with Image.open(io.BytesIO(path.read_bytes())) as picture:
        return picture.convert("RGB").getpixel((x, y))


def test_it_shows_the_page_with_its_credential_fields_masked(
    own_session: BrowserSession, url: str, tmp_path: Path
) -> None:
    visit(own_session, url)
    assert keep_picture(own_session, tmp_path, "e1") == Picture(path="pictures/e1.png")
    assert pixel(tmp_path / "pictures/e1.png", 10, 10) == GREEN
    assert pixel(tmp_path / "pictures/e1.png", 150, 120) == MASK
    assert [path.name for path in (tmp_path / FOLDER).iterdir()] == ["e1.png"]


def test_an_older_picture_is_gone_before_a_new_one_fails(own_session: BrowserSession, url: str, tmp_path: Path) -> None:
    """E3"""
    visit(own_session, url)
    keep_picture(own_session, tmp_path, "e1")
    kill_browser(own_session)
    assert keep_picture(own_session, tmp_path, "e1") == Picture(error="BrowserCrashed")
    assert not picture_path(tmp_path, "e1").exists()
    visit(own_session, url)
    assert keep_picture(own_session, tmp_path, "e1").path


def test_a_page_that_hangs_costs_its_browser_and_no_more_time(
    own_session: BrowserSession, url: str, tmp_path: Path
) -> None:
    visit(own_session, url)
    own_session.page().evaluate("setTimeout(() => { for (;;); }, 0)")
    started = time.monotonic()
    assert keep_picture(own_session, tmp_path, "e1", limit_s=1.0) == Picture(error="BrowserCrashed")
    assert time.monotonic() - started < 4
    visit(own_session, url)
    assert keep_picture(own_session, tmp_path, "e2") == Picture(path="pictures/e2.png")


@pytest.mark.parametrize("late", ["<link rel=stylesheet href=/late>", "<img src=/late>"])
def test_a_page_that_is_still_loading_is_taken_as_it_stands(
    own_session: BrowserSession, httpserver: HTTPServer, tmp_path: Path, late: str
) -> None:
    arrived = Event()
    httpserver.expect_request("/late").respond_with_handler(lambda _: Response(str(arrived.wait(20))))
    httpserver.expect_request("/").respond_with_data(f"{late}{PAGE}", content_type="text/html")
    page = own_session.open_page(PageSettings(), "context")
    page.goto(httpserver.url_for("/"), wait_until="commit")
    page.wait_for_function("document.querySelector('input')", polling=20)  # frames do not come yet, a timer does
    kept = keep_picture(own_session, tmp_path, "e1")
    arrived.set()
    assert kept == Picture(path="pictures/e1.png")


def test_a_folder_that_cannot_be_written_is_named_by_the_exception_alone(
    own_session: BrowserSession, url: str, tmp_path: Path
) -> None:
    visit(own_session, url)
    (tmp_path / FOLDER).touch()
    assert keep_picture(own_session, tmp_path, "e1") == Picture(error="NotADirectoryError")


class Script:
    """Plays steps, or raises what is in their place."""

    name = "script"

    def __init__(self, *steps: AgentStep | BaseException | Callable[[], AgentStep]) -> None:
        self.steps = list(steps)

    def reset(self) -> None: ...

    def step(self, observation: Any) -> AgentStep:
        step = self.steps.pop(0)
        if isinstance(step, BaseException):
            raise step
        return step if isinstance(step, AgentStep) else step()


WAITS = AgentStep(action=Wait())
JOB = JobKey(benchmark="b", task="t", seed=0, agent="script", model=None, settings_hash="0")


@pytest.fixture
def run(own_session: BrowserSession, url: str, tmp_path: Path) -> Callable[..., EpisodeRecord]:
    def episode(*steps: Any, limits: Limits | None = None) -> EpisodeRecord:
        def environment(job: JobKey) -> BrowserEnvironment:
            return make_environment("openended", task_kwargs={"start_url": url, "goal": "g"}, session=own_session)

        setup = Setup(
            agent=Script(*steps),
            limits=limits or Limits(max_steps=2),
            settings={"agent": {}, "environment": {}},
            provenance=Provenance(git_commit=None, git_dirty=None, versions={}),
            raw_reward=lambda info: None,
        )
        worker = Worker(
            environment=environment,
            browser_version=lambda: own_session.browser_version,
            last_look=lambda episode_id: keep_picture(own_session, tmp_path, episode_id),
        )
        with RecordStore(tmp_path) as store:
            return run_one(JOB, setup, worker, store)

    return episode


@pytest.mark.parametrize(
    ("steps", "limits", "end"),
    [
        ([AgentStep(action=Finish(message="done"))], Limits(), "wrong_finish"),
        ([AgentStep(action=None, end="blocked")], Limits(), "blocked"),
        ([WAITS], Limits(max_steps=1), "max_steps"),
        ([WAITS], Limits(episode_s=0.0), "agent_timeout"),
    ],
)
def test_it_is_kept_however_the_episode_ends(
    run: Callable[..., EpisodeRecord], tmp_path: Path, steps: list[AgentStep], limits: Limits, end: str
) -> None:
    """E3"""
    record = run(*steps, limits=limits)
    assert (record.end, record.picture_error) == (end, None)
    assert record.picture == f"pictures/{record.episode_id}.png"
    assert pixel(tmp_path / record.picture, 10, 10) == GREEN
    assert list(read_rows(tmp_path / EPISODES, EpisodeRecord)) == [record]


def test_it_is_kept_of_an_episode_that_is_interrupted_or_meets_a_bug(
    run: Callable[..., EpisodeRecord], tmp_path: Path
) -> None:
    for error in (KeyboardInterrupt(), ZeroDivisionError()):
        with pytest.raises(type(error)):
            run(WAITS, error)
    assert len(list((tmp_path / FOLDER).iterdir())) == 2


def test_a_crash_keeps_its_verdict_and_says_why_there_is_no_picture(
    run: Callable[..., EpisodeRecord], own_session: BrowserSession, tmp_path: Path
) -> None:
    def crash() -> AgentStep:
        kill_browser(own_session)
        return WAITS

    record = run(crash)
    assert (record.end, record.picture, record.picture_error) == ("browser_crash", None, "BrowserCrashed")
    assert run(AgentStep(action=None, end="blocked")).picture


def test_miniwob_keeps_pictures_where_it_is_asked_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(URL_VARIABLE, raising=False)
    tasks = ["--agent", "submit-once", "--tasks", "click-test", "--seeds", "2", "--quiet"]
    assert main([*tasks, "--out", str(tmp_path / "with"), "--final-picture"]) == 0
    assert main([*tasks, "--out", str(tmp_path / "without")]) == 0
    rows = list(read_rows(tmp_path / "with" / EPISODES, EpisodeRecord))
    assert [row.picture for row in rows] == [f"pictures/{row.episode_id}.png" for row in rows]
    assert all((tmp_path / "with" / str(row.picture)).read_bytes().startswith(b"\x89PNG") for row in rows)
    plain = list(read_rows(tmp_path / "without" / EPISODES, EpisodeRecord))
    assert {(row.picture, row.picture_error) for row in plain} == {(None, None)}
    assert [(r.end, r.raw_reward, r.settings_hash) for r in rows] == [
        (r.end, r.raw_reward, r.settings_hash) for r in plain
    ]
    start = write_report(tmp_path / "with", tmp_path / "with" / "report").start
    [page, _] = (start.parent / "episodes").iterdir()
    assert f"../../pictures/{page.stem}.png" in page.read_text()
