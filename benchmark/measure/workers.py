"""Episodes per second of several workers against one, in alternating rounds of one run: same jobs, agent and browser.

`make scaling` prints the table and writes results/bench/workers.json.
"""

import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from benchmark.command import run_command
from benchmark.errors import UsageError
from benchmark.measure.speed import PAUSE_S
from benchmark.miniwob.tasks import BENCHMARK, PACKAGES, select_tasks
from benchmark.miniwob.worker import miniwob_setup, miniwob_worker
from benchmark.records.provenance import package_version, provenance, write_figures
from benchmark.records.rows import EpisodeRecord, JobKey
from benchmark.records.store import RecordStore
from benchmark.running.actor import Recipe
from benchmark.running.parallel import episode_runner
from benchmark.running.runner import plan

MAX_STEPS = 10

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def timed_round(recipe: Recipe, jobs: tuple[JobKey, ...], workers: int) -> dict[str, Any]:
    """Run the jobs with records in a folder of their own, and return seconds of start-up and of the run."""
    records: list[EpisodeRecord] = []
    with tempfile.TemporaryDirectory() as folder, RecordStore(Path(folder)) as store:
        started = time.perf_counter()
        with episode_runner(recipe, workers, None, lambda: False) as run_all:
            opened = time.perf_counter()
            whole = run_all(jobs, store, records.append)
            ended = time.perf_counter()
    if not whole:
        raise UsageError(f"The episodes do not end by themselves: {records[-1].error}; mend that first.")
    return {
        "workers": workers,
        "episodes": len(records),
        "unscored": sum(not record.scored for record in records),
        "steps": sum(record.steps for record in records),
        "successes": sum(record.reward > 0 for record in records),
        "start_s": round(opened - started, 2),
        "run_s": round(ended - opened, 2),
        "episodes_per_s": round(len(records) / (ended - opened), 3),
    }


@app.command()
def run(
    workers: Annotated[int, typer.Option(help="How many are compared with one.")] = 2,
    rounds: Annotated[int, typer.Option(help="How often each is measured.")] = 3,
    tasks: Annotated[str, typer.Option(help="Names, globs and sets, by commas.")] = "webgum",
    agent: Annotated[str, typer.Option(help="Any agent that needs no server.")] = "jev",
    out: Annotated[Path, typer.Option(help="Where the figures go.")] = Path("results/bench/workers.json"),
) -> int:
    """Measure both and print the ratio of their medians."""
    if workers < 2:
        raise UsageError(f"--workers is {workers}; at least 2 are compared with one.")
    made = provenance(PACKAGES)
    recipe = Recipe(setup=partial(miniwob_setup, agent, MAX_STEPS, False, made), worker=partial(miniwob_worker, False))
    settings = recipe.setup().settings
    measured = []
    for seed in range(rounds):
        jobs = plan(BENCHMARK, select_tasks(tasks), [seed], agent=agent, model=None, settings=settings)
        for count in (1, workers):
            time.sleep(PAUSE_S)
            measured.append({"seed": seed} | timed_round(recipe, jobs, count))
    one, several = (median(m["episodes_per_s"] for m in measured if m["workers"] == n) for n in (1, workers))
    result = {
        "command": f"python -m benchmark.measure.workers --workers {workers} --rounds {rounds} --tasks {tasks} "
        f"--agent {agent}",
        "rounds": measured,
        "episodes_per_s": {"1": one, str(workers): several},
        "ratio": round(several / one, 2),
    }
    write_figures(out, result, made, ray=package_version("ray"))
    _print(measured, result["ratio"], workers)
    return 0


def _print(measured: list[dict[str, Any]], ratio: object, workers: int) -> None:
    table = Table(title=f"{workers} workers run {ratio} times the episodes per second of one (medians)")
    for column in measured[0]:
        table.add_column(column.replace("_", " "), justify="right")
    for row in measured:
        table.add_row(*map(str, row.values()))
    Console().print(table)


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, argv, "workers")


if __name__ == "__main__":
    raise SystemExit(main())
