"""Episodes run into a folder of records, whatever the benchmark: what is done is left out, all of it is told."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmark.command import (
    ALL_SCORED,
    announce,
    check_spent,
    comparable,
    interruptible,
    make_room,
    progress_bar,
    report,
    verdict,
)
from benchmark.errors import UsageError
from benchmark.models.chat import reachable
from benchmark.models.chat_options import ChatOptions
from benchmark.models.decision import decidable
from benchmark.models.decision_options import DecisionOptions
from benchmark.records.rows import EpisodeRecord, JobKey
from benchmark.records.store import EPISODES, RecordStore, read_rows
from benchmark.running.actor import Recipe
from benchmark.running.parallel import episode_runner
from benchmark.running.runner import Setup, Worker, with_retries

Fresh = Annotated[
    bool, typer.Option("--fresh", help="Start over: rename the folder's records, of all agents, to *.old first.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would run, and run nothing.")]
RepairFirst = Annotated[
    bool, typer.Option("--repair", help="Set damaged record lines aside and run their episodes again.")
]
KeepTicks = Annotated[
    bool, typer.Option("--keep-ticks", help="Keep what each step was decided on, for replay and redecide.")
]
FinalPicture = Annotated[bool, typer.Option("--final-picture", help="Keep a PNG of the page as each episode left it.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress bar.")]
RetryErrors = Annotated[
    int, typer.Option(help="How often what infrastructure ended is tried again at the end of this run.")
]
RecordFolder = Annotated[Path, typer.Option(help="Folder of the records; what is done there is not run again.")]


@dataclass(frozen=True)
class Going:
    """How a command line wants its episodes run.

    Raises:
        UsageError: a number that is none of workers or of tries.
    """

    out: Path
    fresh: bool = False
    repair_first: bool = False
    dry_run: bool = False
    quiet: bool = False
    retry_errors: int = 1
    max_cost: float | None = None
    workers: int = 1
    ray_address: str | None = None

    def __post_init__(self) -> None:
        """Refuse what no run can keep."""
        if self.workers < 1:
            raise UsageError(f"--workers is {self.workers}; at least 1 runs episodes.")
        if self.retry_errors < 0:
            raise UsageError(f"--retry-errors is {self.retry_errors}; 0 leaves retries to the next run.")
        if self.workers == 1 and self.ray_address is not None:
            raise UsageError("--ray-address is for more than one worker; give --workers, or leave the address out.")


def run_jobs(
    jobs: Sequence[JobKey],
    make_setup: Callable[[ChatOptions | None, DecisionOptions | None], Setup],
    worker: Callable[..., AbstractContextManager[Worker]],
    models: tuple[ChatOptions | None, DecisionOptions | None],
    going: Going,
    *,
    where: str,
    title: str,
    notes: Sequence[str],
    begin: Callable[[], None] = lambda: None,
    prepare: Callable[[], Mapping[str, Any]] = dict,
) -> int:
    """Run what is not done yet, print and write the table of all, and return the exit code.

    Args:
        make_setup: called wherever episodes are run, with the models as they can be asked there.
        where: follows "N of M episodes to run" in the first line.
        begin: called once the folder is this run's.
        prepare: called once there is an episode to run; what it returns is given to each worker.

    Raises:
        UsageError: the folder cannot be used, or a model cannot be asked.
    """
    if going.dry_run:
        rows = () if going.fresh else read_rows(going.out / EPISODES, EpisodeRecord)
        done = {row.key for row in rows if row.scored}
        announce(jobs, [job for job in jobs if job not in done])
        return ALL_SCORED
    make_room(going.out, going.fresh, going.repair_first)
    with RecordStore(going.out) as store:
        begin()
        pending = [job for job in jobs if not store.done(job)]
        if pending:
            typer.echo(f"{len(pending)} of {len(jobs)} episodes to run{where}.")
            check_spent(going.max_cost, store)
            chat, decision = models
            prepared = partial(worker, **prepare())
            with (
                reachable(chat, going.workers, going.ray_address) as asked,
                decidable(decision, going.workers, going.ray_address) as decided,
                interruptible() as interrupted,
                episode_runner(
                    Recipe(partial(make_setup, asked, decided), prepared), going.workers, going.ray_address, interrupted
                ) as run_all,
                progress_bar(len(pending), going.quiet) as on_episode,
            ):
                with_retries(lambda left: run_all(left, store, on_episode), pending, store, going.retry_errors)
        else:
            typer.echo(f"All {len(jobs)} episodes are done.")
        report(comparable(store.episodes(), jobs), store, title, notes)
        return verdict(jobs, store)
