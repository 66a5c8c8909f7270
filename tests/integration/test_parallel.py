"""Two workers for real, by Ray: kills, a hang, Ctrl-C; nothing is lost, nothing is said by Ray, no process stays."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from benchmark.measure.kill_drill import Drill, is_worker, main
from benchmark.miniwob.pages import URL_VARIABLE
from benchmark.records.rows import EpisodeRecord
from benchmark.records.store import EPISODES, read_rows

TASKS = "click-test,click-test-2,enter-text,focus-text"


@pytest.fixture(autouse=True)
def _pages_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(URL_VARIABLE, raising=False)


def episodes(out: Path) -> list[EpisodeRecord]:
    return list(read_rows(out / EPISODES, EpisodeRecord))


def test_kills_of_a_worker_a_browser_and_the_runner_change_no_verdict(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "drill"
    assert main(["--out", str(out), "--tasks", TASKS, "--seeds", "5", "--agent", "submit-once"]) == 0
    said = capfd.readouterr()
    assert said.err == ""
    assert "killed a worker" in said.out
    assert "killed a browser" in said.out
    assert "All 20 episodes are there once, with the verdicts of the undisturbed run." in said.out
    lost = [row for row in episodes(out / "killed") if not row.scored]
    assert {row.end for row in lost} == {"browser_crash"}
    assert 1 <= len(lost) <= 2  # a browser that is killed between two episodes is replaced for the next
    assert all(row.error for row in lost)


HANGING = """
import os, signal, sys, threading
from functools import partial
from pathlib import Path
import psutil
from benchmark.running.actor import Recipe
from benchmark.measure.kill_drill import is_worker
from benchmark.miniwob.tasks import BENCHMARK
from benchmark.miniwob.worker import EPISODE_S, miniwob_setup, miniwob_worker
from benchmark.running.parallel import open_pool
from benchmark.records.provenance import provenance
from benchmark.running.runner import plan
from benchmark.records.store import RecordStore

recipe = Recipe(partial(miniwob_setup, "submit-once", 3, False, provenance([])), partial(miniwob_worker, False))
jobs = plan(BENCHMARK, ["click-test"], range(6), agent="submit-once", model=None, settings=recipe.setup().settings)
hung = []

def hang_one(record):
    if not hung:
        workers = [p for p in psutil.Process().children(recursive=True) if is_worker(p)]
        hung.append(workers[0])
        os.kill(workers[0].pid, signal.SIGSTOP)

with RecordStore(Path(sys.argv[1])) as store, open_pool(recipe, 2) as pool:
    assert pool.run(jobs, store, hang_one, grace_s=4 - EPISODE_S)
    psutil.wait_procs(hung, timeout=10)  # init may collect the dead only every few seconds
    assert not hung[0].is_running()
print(psutil.Process().children(recursive=True))
"""


def test_a_worker_that_hangs_is_killed_from_outside(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HANGING, str(tmp_path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stderr, done.stdout, done.returncode) == ("", "[]\n", 0)
    assert Counter(row.end for row in episodes(tmp_path)) == {"success": 5, "infra_timeout": 1}


def test_an_interrupted_run_leaves_valid_records_and_no_process(tmp_path: Path) -> None:
    command = [
        sys.executable, "-m", "benchmark.run_miniwob", "--agent", "submit-once", "--tasks", TASKS, "--seeds", "50",
        "--workers", "2", "--quiet", "--out", str(tmp_path),
    ]  # fmt: skip
    run = Drill(command, tmp_path, start_new_session=True, stderr=subprocess.PIPE)
    run.wait_for(3)
    below = psutil.Process(run.process.pid).children(recursive=True)
    assert sum(map(is_worker, below)) == 2
    os.killpg(run.process.pid, signal.SIGINT)  # as a terminal does: it reaches every process of the run
    started = time.monotonic()
    said = run.process.communicate(timeout=60)[1]
    assert said == b"Interrupted; the same command goes on where this one stopped.\n"
    assert run.process.returncode == 130
    assert time.monotonic() - started < 10
    assert not psutil.wait_procs(below, timeout=5)[1]
    assert {row.end for row in episodes(tmp_path)} <= {"success", "failed", "max_steps", "blocked"}
