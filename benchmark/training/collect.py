"""Play MiniWoB for training: `python -m benchmark.training.collect --out results/runs/train/round-1 --episodes 1500`.

An exploring model plays seeds that are neither test nor development; every step's tick is kept, of failures too. What
is done is not run again.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from agent.agent import ObservationMode
from benchmark.command import ALL_SCORED, run_command
from benchmark.miniwob.pages import pages_name
from benchmark.miniwob.tasks import BENCHMARK, PACKAGES, SETS, ActionSet, select_tasks
from benchmark.miniwob.worker import miniwob_setup, miniwob_worker
from benchmark.models.agent import job_model, model_options
from benchmark.models.agent_options import PolicyText, chosen_policy, patience_of
from benchmark.records.provenance import provenance
from benchmark.records.rows import EpisodeRecord
from benchmark.records.store import EPISODES, read_rows
from benchmark.running.jobs import DryRun, Going, Quiet, RecordFolder, run_jobs
from benchmark.training.budget import (
    FIRST_SEED,
    ROUND_SEEDS,
    retry_jobs,
    shares,
    solved_share,
    training_jobs,
    unsolved,
)

AGENT = "jev"
RULES_FIRST = "embedded-rules-exploring"
# The table is what the exploring models read.
OBSERVES: ObservationMode = "table"

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def run(
    out: RecordFolder,
    episodes: Annotated[int, typer.Option(help="Over all tasks; more for those that are seldom solved.")] = 1500,
    tasks: Annotated[str, typer.Option(help=f"Names, globs and the sets {', '.join(SETS)}, by commas.")] = "all",
    after: Annotated[
        list[Path] | None, typer.Option(help="The --out of an earlier round, whose success sets the shares; again.")
    ] = None,
    retry: Annotated[
        int, typer.Option(help="Instead of new seeds, so many tries at each that no episode of --after solved.", min=0)
    ] = 0,
    decision_model: Annotated[str, typer.Option(help="What explores, such as embedded-exploring:FILE.")] = RULES_FIRST,
    actions: Annotated[ActionSet, typer.Option(help="What is offered.")] = "core",
    max_steps: Annotated[int, typer.Option(help="Actions an episode may take.", min=1)] = 10,
    policy: PolicyText = "",
    workers: Annotated[int, typer.Option(help="Browsers at once, each in a process of its own; above 1 by Ray.")] = 1,
    dry_run: DryRun = False,
    quiet: Quiet = False,
) -> int:
    """Play a round of training episodes; a round that was interrupted goes on."""
    going = Going(out, dry_run=dry_run, quiet=quiet, workers=workers)
    _, decision = model_options(AGENT, None, decision_model, None, None)
    rules = chosen_policy(AGENT, policy)
    make_setup = partial(
        miniwob_setup, AGENT, max_steps, False, provenance(PACKAGES), actions=actions, policy=rules, keep_ticks=True
    )
    earlier, chosen = after or [], select_tasks(tasks)
    records = [record for record in _records(earlier) if record.task in chosen]
    what = partial(
        retry_jobs if retry else training_jobs,
        BENCHMARK,
        agent=AGENT,
        model=job_model(AGENT, None, decision),
        settings=make_setup(None, decision).settings,
    )
    if retry:
        jobs = what(unsolved(records, retry))
    else:
        jobs = what(shares(chosen, episodes, solved_share(records)), FIRST_SEED + ROUND_SEEDS * len(earlier))
    if not jobs:
        typer.echo("No episode is left to try again.")
        return ALL_SCORED
    return run_jobs(
        jobs,
        make_setup,
        partial(miniwob_worker, observe=OBSERVES, actions=actions, patience=patience_of(rules)),
        (None, decision),
        going,
        where=f"; pages: {pages_name()}",
        title=f"MiniWoB for training, {len(jobs)} episodes: tasks {tasks}, {decision_model}",
        notes=["These episodes explore: their rates are no measure of a model."],
    )


def _records(folders: Sequence[Path]) -> list[EpisodeRecord]:
    return [record for folder in folders for record in read_rows(folder / EPISODES, EpisodeRecord)]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 all scored, 1 not all, 2 wrong usage, 130 interrupted."""
    return run_command(app, argv, "collect")


if __name__ == "__main__":
    raise SystemExit(main())
