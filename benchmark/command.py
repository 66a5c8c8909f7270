"""What the command lines share: exit codes, one-sentence errors, the progress bar, the tables. Knows no benchmark."""

import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from typer.exceptions import TyperException

from agent.decision_models import AgentConfigError
from benchmark.errors import BenchmarkError, UsageError
from benchmark.records.provenance import made_with
from benchmark.records.rows import EpisodeRecord, JobKey
from benchmark.records.store import RecordStore, repair, set_aside
from benchmark.report import metrics
from browser.errors import BrowserNotFound, BrowserStartFailed

ALL_SCORED = 0
NOT_ALL_SCORED = 1
WRONG_USAGE = 2
# What a shell reports for a program that Ctrl-C ended.
INTERRUPTED = 130

REPLAYED = "Answers were replayed from a recording: tokens are those of the recording, and nothing was charged."
GOES_ON = "Interrupted; the same command goes on where this one stopped."
# Narrower than this, a table of twelve columns breaks within its numbers.
TABLE_WIDTH = 170


def run_command(app: typer.Typer, arguments: Sequence[str] | None, name: str, interrupted: str = GOES_ON) -> int:
    """Run a command line that returns its exit code; what goes wrong on purpose becomes one sentence on stderr.

    `interrupted` is what is said where Ctrl-C ended it.
    """
    command = typer.main.get_command(app)
    try:
        code = int(command.main(args=arguments, prog_name=name, standalone_mode=False) or ALL_SCORED)
    except TyperException as error:
        return _fail(WRONG_USAGE, " ".join(error.format_message().split()))
    except (UsageError, AgentConfigError) as error:
        return _fail(WRONG_USAGE, str(error))
    except (BenchmarkError, BrowserNotFound, BrowserStartFailed) as error:
        return _fail(NOT_ALL_SCORED, str(error))
    # typer turns a KeyboardInterrupt into this code.
    return code if code != INTERRUPTED else _fail(code, interrupted)


def _fail(code: int, sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return code


@contextmanager
def interruptible(said: str = GOES_ON, stopping: str = "") -> Iterator[Callable[[], bool]]:
    """Yield a function that tells whether Ctrl-C was pressed; pressed again, it ends the program at once.

    `stopping` is said at the first, `said` at the second.

    Raised inside Playwright, a KeyboardInterrupt would kill its event loop, and closing the browser would wait for
    that loop for ever. So the first one only sets a flag, to be looked at between steps.
    """
    pressed = threading.Event()

    def on_signal(*_: object) -> None:
        if pressed.is_set():
            os.write(sys.stderr.fileno(), f"{said}\n".encode())
            os._exit(INTERRUPTED)
        pressed.set()
        if stopping:
            os.write(sys.stderr.fileno(), f"{stopping}\n".encode())

    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set  # only the main thread may set a signal's handler
        return
    before = signal.signal(signal.SIGINT, on_signal)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def progress_bar(jobs: int, quiet: bool) -> Iterator[Callable[[EpisodeRecord], None]]:
    """Yield a function that takes each new record and shows how far the run is and how it goes, on stderr."""
    ends: dict[JobKey, str] = {}
    columns = (
        BarColumn(bar_width=30), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), disable=quiet) as bar:
        line = bar.add_task("", total=jobs)

        def show(record: EpisodeRecord) -> None:
            ends[record.key] = record.end  # a second try takes the place of the first
            counts = Counter(ends.values()).most_common()
            bar.update(line, completed=len(ends), description=", ".join(f"{end} {n}" for end, n in counts))

        yield show


def comparable(records: Iterable[EpisodeRecord], jobs: Sequence[JobKey]) -> list[EpisodeRecord]:
    """Return the records of these jobs, and those of other agents on the same episodes in the same environment."""
    records = list(records)
    asked, own = {job.episode for job in jobs}, set(jobs)
    environments = [record.settings["environment"] for record in records if record.key in own]
    return [r for r in records if r.episode in asked and r.settings["environment"] in environments]


def report(records: Sequence[EpisodeRecord], store: RecordStore, title: str, notes: Sequence[str]) -> None:
    """Print the table of these records, and write it to the store's folder with the same table per task.

    Raises:
        UsageError: a file cannot be written.
    """
    summary = metrics.summarize(records)
    if any("replayed" in record.cost_sources for record in records):
        notes = [*notes, REPLAYED]
    notes = [*notes, made_with(records)]
    table = metrics.readable(summary)
    console = Console()
    console.width = max(console.width, TABLE_WIDTH)
    console.print(metrics.to_terminal(table, title))
    for note in notes:
        console.print(note, markup=False, highlight=False, soft_wrap=True)
    bullets = "\n".join(f"- {note}" for note in notes)
    _write(store, "summary.md", f"# {title}\n\n{metrics.to_markdown(table)}\n\n{bullets}\n")
    _write(store, "summary.csv", _csv(summary))
    _write(store, "per_task.csv", _csv(metrics.per_task(records)))


def _csv(frame: pd.DataFrame) -> str:
    return str(frame.to_csv(index=False))


def _write(store: RecordStore, name: str, text: str) -> None:
    path = store.folder / name
    new = path.with_name(name + ".new")
    try:
        new.write_text(text, encoding="utf-8")
        new.replace(path)
    except OSError as error:
        raise UsageError(f"Cannot write {path}: {error.strerror}; free it and run the same command again.") from None


def write_files(out: Path, files: Mapping[str, str]) -> None:
    """Write texts by name into a folder, and say so.

    Raises:
        UsageError: the folder cannot be written.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (out / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"Cannot write to {out}: {error.strerror}; give another folder with --out.") from None
    typer.echo(f"Written to {out}: {', '.join(files)}.")


def make_room(out: Path, fresh: bool, repair_first: bool) -> None:
    """Set aside what a run is not to go on from, and say what: all records, or the damaged ones.

    Raises:
        UsageError: the folder cannot be written, or another process writes to it.
    """
    if fresh:
        for path in set_aside(out):
            typer.echo(f"Renamed the earlier records to {path}.")
    if repair_first:
        repaired = repair(out)
        typer.echo(f"Set aside {repaired.lines} damaged lines and {repaired.episodes} episodes whose steps are lost.")


def check_spent(max_cost: float | None, store: RecordStore) -> None:
    """Raise UsageError where a limit is set and what the folder's episodes have cost is unknown."""
    if max_cost is not None and store.spent_usd is None:
        raise UsageError(
            f"What the episodes in {store.folder} have cost is unknown, so that --max-cost cannot be kept; "
            "give another --out."
        )


def announce(jobs: Sequence[JobKey], pending: Sequence[JobKey]) -> None:
    """Print what a run would do, a line for each task."""
    seeds: dict[str, list[str]] = {}
    for job in pending:
        seeds.setdefault(job.task, []).append(str(job.seed))
    typer.echo(f"{len(pending)} of {len(jobs)} episodes would run.")
    for task, of_task in seeds.items():
        typer.echo(f"{task}: seeds {', '.join(of_task)}")


def verdict(jobs: Iterable[JobKey], store: RecordStore) -> int:
    """Return the exit code of a run that came to its end, and say on stderr what is left to do."""
    jobs = list(jobs)
    latest = {record.key: record for record in store.episodes()}
    left = [latest.get(job) for job in jobs if not store.done(job)]
    if not left:
        return ALL_SCORED
    ends = Counter("not run" if record is None else record.end for record in left)
    first = next((record for record in left if record is not None and record.error), None)
    why = f" (the first: {first.task} seed {first.seed}: {first.error})" if first else ""
    counts = ", ".join(f"{end} {count}" for end, count in ends.most_common())
    sentence = f"{len(left)} of {len(jobs)} episodes are not scored: {counts}{why}; the same command tries them again."
    return _fail(NOT_ALL_SCORED, sentence)
