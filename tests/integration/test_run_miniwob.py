"""The command for real: a run, the same run again, another agent beside it, and a run that is killed or interrupted."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from benchmark.miniwob.pages import URL_VARIABLE
from benchmark.records.rows import EpisodeRecord, StepRecord
from benchmark.records.store import EPISODES, STEPS, read_rows
from benchmark.run_miniwob import main

TASKS = "click-test,click-test-2,enter-text"
# Enough that a run is still going on when its first episode is seen on disk.
SEEDS, JOBS = "1000-1005", 18


@pytest.fixture(autouse=True)
def _pages_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(URL_VARIABLE, raising=False)


def command(out: Path, agent: str = "submit-once", seeds: str = SEEDS) -> list[str]:
    return ["--agent", agent, "--tasks", TASKS, "--seeds", seeds, "--max-steps", "2", "--out", str(out), "--quiet"]


def episodes(out: Path) -> list[EpisodeRecord]:
    return list(read_rows(out / EPISODES, EpisodeRecord))


def test_a_run_is_recorded_and_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = command(tmp_path, seeds="1000-1001")
    assert main(run) == 0
    first, table = episodes(tmp_path), (tmp_path / "summary.csv").read_text()
    jobs = [(task, seed) for task in TASKS.split(",") for seed in (1000, 1001)]
    assert [(row.task, row.seed) for row in first] == jobs
    assert all(row.scored and row.goal and row.raw_reward is not None and row.reset_ms > 0 for row in first)
    assert all(row.versions["browser"] for row in first)
    steps = list(read_rows(tmp_path / STEPS, StepRecord))
    assert len(steps) == sum(len(row.decisions_ms) for row in first)
    assert all(step.observation is not None and step.timings.total_ms > 0 for step in steps)

    monkeypatch.setenv("BROWSER_EXECUTABLE", "/no/such/browser")  # nothing to run, so that nothing is started
    assert main(run) == 0
    assert episodes(tmp_path) == first
    assert (tmp_path / "summary.csv").read_text() == table


def test_another_agent_in_the_folder_stands_beside_it(tmp_path: Path) -> None:
    for agent in ("jev", "submit-once"):
        assert main(command(tmp_path, agent, seeds="1000,")) == 0
    lines = (tmp_path / "summary.md").read_text().splitlines()
    assert [line.split(" | ")[0] for line in lines if line.startswith("| ")] == [
        "| agent", "| ---", "| jev", "| submit-once"
    ]  # fmt: skip


@pytest.fixture
def start() -> Iterator[Callable[[Path], "subprocess.Popen[str]"]]:
    """Start the command in a process group of its own and return once its first episode is on disk."""
    started: list[subprocess.Popen[str]] = []

    def run(out: Path) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmark.run_miniwob", *command(out)],
            start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        started.append(process)
        deadline = time.monotonic() + 60
        while not ((out / EPISODES).exists() and (out / EPISODES).stat().st_size):
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < deadline, "no episode within 60 s"
            time.sleep(0.02)
        return process

    yield run
    for process in started:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()


@pytest.mark.parametrize("reaches", ["the whole terminal", "the program alone"])
def test_an_interrupted_run_says_that_it_goes_on(
    tmp_path: Path, start: Callable[[Path], "subprocess.Popen[str]"], reaches: str
) -> None:
    process = start(tmp_path)
    browsers = psutil.Process(process.pid).children(recursive=True)
    assert browsers
    if reaches == "the whole terminal":
        os.killpg(process.pid, signal.SIGINT)
    else:
        os.kill(process.pid, signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert said == "Interrupted; the same command goes on where this one stopped.\n"
    assert process.returncode == 130
    assert 0 < len(episodes(tmp_path)) < JOBS
    assert all(row.scored for row in episodes(tmp_path))
    assert not psutil.wait_procs(browsers, timeout=10)[1]


def test_a_killed_run_goes_on_and_ends_as_an_unbroken_one(
    tmp_path: Path, start: Callable[[Path], "subprocess.Popen[str]"]
) -> None:
    process = start(tmp_path / "killed")
    process.kill()
    process.communicate()
    done = episodes(tmp_path / "killed")
    assert 0 < len(done) < JOBS
    for out in ("killed", "whole"):
        assert main([*command(tmp_path / out), "--repair"]) == 0
    killed, whole = episodes(tmp_path / "killed"), episodes(tmp_path / "whole")
    assert killed[: len(done)] == done
    verdicts = [[(row.task, row.seed, row.end, row.raw_reward, row.steps) for row in rows] for rows in (killed, whole)]
    assert verdicts[0] == verdicts[1]
