"""Kills a worker, a browser and the runner in the middle of a run, runs it again, and compares with an undisturbed one.

`make drill` exits with 0 only if every episode is there once, verdicts are equal, and no process was left.
"""

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import psutil
import typer

from benchmark.command import run_command
from benchmark.errors import BenchmarkError, UsageError
from benchmark.miniwob.tasks import parse_seeds, select_tasks
from benchmark.records.rows import EpisodeRecord, StepRecord
from benchmark.records.store import EPISODES, STEPS, read_rows

# Ray's own processes look for their parent about once a second.
GONE_S = 15.0
# How often all is run again where an episode differs, to see whether it differs from itself.
REPEATS = 5
# Longer than a worker's start and an episode together, on a loaded machine.
PROGRESS_S = 120.0

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


class DrillFailed(BenchmarkError):
    """The drill could not be carried out, or what it holds does not hold."""


Verdicts: TypeAlias = dict[tuple[str, int], tuple[object, ...]]


def verdicts(out: Path) -> Verdicts:
    """Return of each scored episode what timing has no part in.

    Raises:
        DrillFailed: an episode is scored twice, or its steps are not all there.
    """
    rows = [row for row in read_rows(out / EPISODES, EpisodeRecord) if row.scored]
    twice = [key for key, count in Counter((row.task, row.seed) for row in rows).items() if count > 1]
    if twice:
        raise DrillFailed(f"{len(twice)} episodes are scored twice, the first {twice[0]}.")
    steps = Counter(row.episode_id for row in read_rows(out / STEPS, StepRecord))
    torn = [row.task for row in rows if steps[row.episode_id] != len(row.decisions_ms)]
    if torn:
        raise DrillFailed(f"{len(torn)} episodes lack steps, the first is one of {torn[0]}.")
    return {(r.task, r.seed): (r.end, r.reward, r.raw_reward, r.steps, r.models) for r in rows}


class Drill:
    """One run under way, and what happens to it."""

    def __init__(self, command: list[str], out: Path, **options: Any) -> None:
        self.out = out
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, **options)
        self.seen: set[psutil.Process] = set()

    def wait_for(self, episodes: int) -> None:
        """Return when so many are on disk."""
        limit = time.monotonic() + PROGRESS_S
        before = 0
        while (count := _lines(self.out / EPISODES)) < episodes:
            if count > before:
                before, limit = count, time.monotonic() + PROGRESS_S
            if self.process.poll() is not None:
                raise DrillFailed(f"The run ended with {self.process.returncode} before it was to be killed.")
            if time.monotonic() > limit:
                raise DrillFailed(f"No episode came within {PROGRESS_S:g} s after {count}.")
            time.sleep(0.02)

    def kill(self, what: str, is_one: Callable[[psutil.Process], bool]) -> None:
        """Kill -9 the first process of the run for which `is_one` holds."""
        below = psutil.Process(self.process.pid).children(recursive=True)
        self.seen.update(below)
        found = next((process for process in below if is_one(process)), None)
        if found is None:
            raise DrillFailed(f"The run has no {what} to kill.")
        found.kill()
        print(f"{_lines(self.out / EPISODES)} episodes: killed a {what} of {len(below)} processes.", flush=True)

    def kill_runner(self) -> None:
        """Kill -9 the run itself, and return when nothing of it is left."""
        self.seen.update(psutil.Process(self.process.pid).children(recursive=True))
        self.process.kill()
        self.process.wait()
        started = time.monotonic()
        _, left = psutil.wait_procs(list(self.seen), timeout=GONE_S)
        if left:
            names = ", ".join(sorted({process.name() for process in left}))
            raise DrillFailed(f"{len(left)} processes outlived the runner by {GONE_S:g} s: {names}.")
        print(f"{_lines(self.out / EPISODES)} episodes: killed the runner; nothing was left of its {len(self.seen)} "
              f"processes after {time.monotonic() - started:.1f} s.", flush=True)  # fmt: skip


def is_worker(process: psutil.Process) -> bool:
    """Tell a worker with a browser from Ray's other processes."""
    return process.name().startswith("ray::") and bool(process.children())


def is_browser(process: psutil.Process) -> bool:
    """Tell a Chromium's main process from its helpers."""
    command = _command(process)
    return "--remote-debugging-pipe" in command and not any(part.startswith("--type=") for part in command)


def _command(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.NoSuchProcess:
        return []


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


@app.command()
def run(
    out: Annotated[Path, typer.Option(help="A new folder for the records of both runs.")],
    tasks: Annotated[str, typer.Option(help="Names, globs and sets, by commas.")] = "webgum",
    seeds: Annotated[str, typer.Option(help="As for a run.")] = "2",
    agent: Annotated[str, typer.Option(help="One that decides the same each time.")] = "submit-once",
) -> int:
    """Run with two workers and three kills, run the same command again, and compare with one worker undisturbed."""
    if out.exists():
        raise UsageError(f"{out} is already there; give a new folder.")
    jobs = len(select_tasks(tasks)) * len(parse_seeds(seeds))

    def command(name: str, workers: int) -> list[str]:
        return [
            sys.executable, "-m", "benchmark.run_miniwob", "--agent", agent, "--tasks", tasks, "--seeds", seeds,
            "--workers", str(workers), "--quiet", "--out", str(out / name),
        ]  # fmt: skip

    def undisturbed(name: str) -> Verdicts:
        _finish(command(name, 1))
        return verdicts(out / name)

    drill = Drill(command("killed", 2), out / "killed")
    drill.wait_for(jobs // 5)
    drill.kill("worker", is_worker)
    drill.wait_for(2 * jobs // 5)
    drill.kill("browser", is_browser)
    drill.wait_for(3 * jobs // 5)
    drill.kill_runner()
    _finish(command("killed", 2))
    unscored = Counter(r.end for r in read_rows(out / "killed" / EPISODES, EpisodeRecord) if not r.scored)
    print(f"Attempts that infrastructure ended in the killed run: {dict(unscored)}.", flush=True)
    return _compare(verdicts(out / "killed"), undisturbed, jobs)


def _finish(command: list[str]) -> None:
    code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
    if code:
        raise DrillFailed(f"The run ended with {code}: {' '.join(command)}.")


def _compare(killed: Verdicts, undisturbed: Callable[[str], Verdicts], jobs: int) -> int:
    """Compare with an undisturbed run; what differs must differ among undisturbed runs too, and is named."""
    whole = undisturbed("whole")
    if len(killed) != jobs or len(whole) != jobs:
        raise DrillFailed(f"Of {jobs} episodes {len(killed)} and {len(whole)} are scored.")
    differ = [key for key in whole if killed[key] != whole[key]]
    left = differ
    for again in range(REPEATS):
        if left:
            repeated = undisturbed(f"again-{again}")
            left = [key for key in left if repeated[key] != killed[key]]
    if left:
        raise DrillFailed(f"{len(left)} verdicts are of no undisturbed run: {', '.join(map(str, left))}.")
    for key in differ:
        print(f"{key}: timing decides it, undisturbed too: {killed[key]} or {whole[key]}.")
    print(f"All {jobs} episodes are there once, with the verdicts of {'' if differ else 'the '}undisturbed "
          f"{'runs' if differ else 'run'}.")  # fmt: skip
    return 0


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, argv, "kill_drill")


if __name__ == "__main__":
    raise SystemExit(main())
