"""Playwright's traces: one an episode on a page that is used again, kept where asked for, never in the way."""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from benchmark.miniwob.pages import URL_VARIABLE
from benchmark.records.rows import EpisodeRecord
from benchmark.records.store import EPISODES, read_rows
from benchmark.records.traces import trace_path
from benchmark.report.pages import write_report
from benchmark.run_miniwob import main
from browser.process import kill_tree
from browser.session import BrowserOptions, BrowserSession, PageSettings

SETTINGS = PageSettings()


@pytest.fixture
def session() -> Iterator[BrowserSession]:
    with BrowserSession(BrowserOptions(trace=True)) as opened:
        yield opened


def visit(session: BrowserSession, word: str) -> None:
    session.open_page(SETTINGS, "page").goto(f"data:text/html,<title>{word}</title><button>{word}</button>")
    session.page().click("button")


def told(path: Path) -> str:
    with zipfile.ZipFile(path) as archive:
        return archive.read("trace.trace").decode()


def went_to(path: Path) -> list[str]:
    """The titles of the pages that a trace navigates to; it begins in front of the page that was open before."""
    return re.findall(r'navigating to \\"data:text/html,<title>(\w+)', told(path))


def test_each_episode_has_its_own_trace(session: BrowserSession, tmp_path: Path) -> None:
    pages = set()
    for word in ("one", "dropped", "two"):
        visit(session, word)
        pages.add(session.page())
        assert session.stop_trace(None if word == "dropped" else tmp_path / "new" / f"{word}.zip") is None
    assert len(pages) == 1
    assert [went_to(tmp_path / "new" / f"{word}.zip") for word in ("one", "two")] == [["one"], ["two"]]
    assert "screencast-frame" in told(tmp_path / "new" / "two.zip")


def test_an_episode_that_was_not_ended_is_not_in_the_next_trace(session: BrowserSession, tmp_path: Path) -> None:
    visit(session, "one")
    visit(session, "two")
    assert session.stop_trace(tmp_path / "two.zip") is None
    assert went_to(tmp_path / "two.zip") == ["two"]


def test_a_trace_that_cannot_be_written_is_told(session: BrowserSession, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    visit(session, "one")
    fault = session.stop_trace(tmp_path / "file" / "one.zip")
    assert fault
    assert "\n" not in fault
    visit(session, "two")
    assert session.stop_trace(tmp_path / "two.zip") is None
    assert went_to(tmp_path / "two.zip") == ["two"]


def test_a_browser_that_died_has_no_trace_and_the_next_one_does(session: BrowserSession, tmp_path: Path) -> None:
    visit(session, "one")
    kill_tree({p for p in psutil.Process().children(recursive=True) if "--remote-debugging-pipe" in p.cmdline()})
    assert session.stop_trace(tmp_path / "one.zip")
    assert not (tmp_path / "one.zip").exists()
    visit(session, "two")
    assert session.stop_trace(tmp_path / "two.zip") is None
    assert went_to(tmp_path / "two.zip") == ["two"]


def test_a_session_that_was_not_told_to_trace_has_none(tmp_path: Path) -> None:
    with BrowserSession() as session:
        visit(session, "one")
        assert session.stop_trace(tmp_path / "one.zip") == "The session was not told to trace."
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("mode", ["off", "failures", "all"])
def test_a_run_keeps_the_traces_that_it_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.delenv(URL_VARIABLE, raising=False)
    tasks = ["--agent", "submit-once", "--tasks", "click-test,enter-text", "--seeds", "2", "--max-steps", "2"]
    assert main([*tasks, "--out", str(tmp_path), "--quiet", "--trace", mode]) == 0
    episodes = list(read_rows(tmp_path / EPISODES, EpisodeRecord))
    failed = {row.episode_id for row in episodes if row.reward <= 0}
    assert 0 < len(failed) < len(episodes)
    wanted = {"off": set(), "failures": failed, "all": {row.episode_id for row in episodes}}[mode]
    assert {row.episode_id for row in episodes if trace_path(tmp_path, row.episode_id).exists()} == wanted
    for row in episodes:
        if row.episode_id in wanted:
            assert f"/{row.task}.html" in told(trace_path(tmp_path, row.episode_id))

    start = write_report(tmp_path, tmp_path / "report").start
    linked = {path.stem for path in (start.parent / "episodes").iterdir() if ".zip" in path.read_text()}
    assert linked == wanted
