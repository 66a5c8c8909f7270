"""Ticks of real pages: kept by one worker or two, through a kill, and made up again without a browser."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmark.decisions.replay import main as replay
from benchmark.miniwob.pages import URL_VARIABLE
from benchmark.records.rows import StepRecord
from benchmark.records.store import STEPS, read_rows
from benchmark.records.ticks import FOLDER, read_run, read_ticks
from benchmark.run_miniwob import main as run_miniwob

TASKS = "click-test-2,enter-text,login-user"
OPTIONS = ["--tasks", TASKS, "--max-steps", "5", "--keep-ticks", "--quiet"]


@pytest.fixture(autouse=True)
def _pages_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(URL_VARIABLE, raising=False)


@pytest.mark.parametrize("model", ["embedded", "sparrow"])
def test_a_run_is_equal_at_every_step_without_a_browser(
    tmp_path: Path, model: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """R1"""
    arguments = ["--agent", "jev", "--decision-model", model, "--seeds", "2", *OPTIONS]
    for name in ("one", "two"):
        assert run_miniwob([*arguments, "--out", str(tmp_path / name)]) == 0
    monkeypatch.setenv("BROWSER_EXECUTABLE", "/no/such/browser")
    capsys.readouterr()
    assert replay([str(tmp_path / "one")]) == 0
    steps = list(read_rows(tmp_path / "one" / STEPS, StepRecord))
    assert capsys.readouterr().out.endswith(f"{len(steps)} of {len(steps)} steps are equal.\n")
    assert {tick.seen.goal for tick in read_run(tmp_path / "one")} == {
        step.observation.goal for step in steps if step.observation
    }
    assert replay([str(tmp_path / "one"), "--against", str(tmp_path / "two")]) == 0


def test_two_workers_keep_the_ticks_of_all_episodes(tmp_path: Path) -> None:
    arguments = ["--agent", "jev", "--seeds", "2", "--workers", "2", *OPTIONS, "--out", str(tmp_path)]
    assert run_miniwob(arguments) == 0
    steps = list(read_rows(tmp_path / STEPS, StepRecord))
    assert {(t.episode_id, t.index) for t in read_run(tmp_path)} == {(s.episode_id, s.index) for s in steps}
    assert replay([str(tmp_path)]) == 0


def test_a_killed_run_has_the_ticks_of_every_step_that_it_recorded(tmp_path: Path) -> None:
    command = ["--agent", "jev", "--seeds", "50", *OPTIONS, "--out", str(tmp_path)]
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmark.run_miniwob", *command], start_new_session=True, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 60
    while len(list((tmp_path / FOLDER).glob("*"))) < 4:
        assert time.monotonic() < deadline, "no ticks within 60 s"
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    ticks = {(t.episode_id, t.index) for path in (tmp_path / FOLDER).iterdir() for t in read_ticks(path)}
    lines = (tmp_path / STEPS).read_bytes().splitlines(keepends=True)
    steps = [StepRecord.model_validate_json(line) for line in lines if line.endswith(b"\n")]
    assert {(s.episode_id, s.index) for s in steps} <= ticks
    assert replay([str(tmp_path)]) == 0
