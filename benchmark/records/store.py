"""The two record files of a run folder: append, read, repair. A row is never rewritten; the latest per key wins."""

import fcntl
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self, TypeVar

from pydantic import ValidationError

from benchmark.errors import RecordDamaged, RecordNotWritten, UsageError
from benchmark.records.rows import FORMAT_VERSION, EpisodeRecord, JobKey, Row, StepRecord, total
from benchmark.records.ticks import TickRecord, append_tick
from browser.actions import first_fault

EPISODES = "episodes.jsonl"
STEPS = "steps.jsonl"
# Locked by the process that writes to the folder; the kernel frees it however that process ends.
LOCK = ".lock"

AnyRow = TypeVar("AnyRow", bound=Row)


class Repaired(NamedTuple):
    """What a repair set aside."""

    lines: int
    """Damaged lines of both files."""
    episodes: int
    """Sound episode rows whose steps are lost, so that they run again."""


class RecordStore:
    """Episodes and steps of one folder. Rows on disk when it is opened are checked before anything is added."""

    def __init__(self, folder: Path) -> None:
        """Open the folder, making it if need be.

        Raises:
            UsageError: the folder cannot be written, or another process writes to it.
            RecordDamaged: a row on disk cannot be read.
        """
        self.folder = folder
        self._open: dict[str, int] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._open[LOCK] = _lock(folder)
            for name in (EPISODES, STEPS):
                self._open[name] = os.open(folder / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
            self._episodes: dict[JobKey, EpisodeRecord] = {}
            self._costs: dict[str, float | None] = {}
            for step in read_rows(folder / STEPS, StepRecord):
                self._charge_step(step)
            for episode in read_rows(folder / EPISODES, EpisodeRecord):
                self._charge_episode(episode)
        except OSError as error:
            self.close()
            reason = error.strerror or type(error).__name__
            raise UsageError(f"Cannot write records to {folder}: {reason}; give another folder.") from None
        except RecordDamaged:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close both files and let others write to the folder; may be called twice."""
        while self._open:
            os.close(self._open.popitem()[1])

    def append_tick(self, row: TickRecord) -> None:
        """Write what a step was decided on, before the step's own row.

        Raises:
            RecordNotWritten: the disk did not take it.
        """
        append_tick(self.folder, row)

    def append_step(self, row: StepRecord) -> None:
        """Write one step row.

        Raises:
            RecordNotWritten: the disk did not take it.
        """
        self._append(STEPS, row)
        self._charge_step(row)

    def append_episode(self, row: EpisodeRecord) -> None:
        """Write one episode row, which makes its job done if it is scored.

        Raises:
            RecordNotWritten: the disk did not take it.
        """
        self._append(EPISODES, row)
        self._charge_episode(row)

    def episodes(self) -> tuple[EpisodeRecord, ...]:
        """Return the latest row of each key, in order of their keys' first rows."""
        return tuple(self._episodes.values())

    def done(self, key: JobKey) -> bool:
        """Return whether the job has a scored episode; one that infrastructure ended is to be tried again."""
        row = self._episodes.get(key)
        return row is not None and row.scored

    @property
    def spent_usd(self) -> float | None:
        """What all attempts in the folder have cost, the unfinished ones too; None as soon as one part is unknown."""
        return total(self._costs.values())

    def _charge_step(self, row: StepRecord) -> None:
        self._costs[row.episode_id] = total([self._costs.get(row.episode_id, 0.0), *(c.cost_usd for c in row.calls)])

    def _charge_episode(self, row: EpisodeRecord) -> None:
        self._episodes[row.key] = row
        self._costs[row.episode_id] = row.cost_usd  # with the calls of a step that came to no decision

    def _append(self, name: str, row: Row) -> None:
        # One write of the whole line, unbuffered: a kill leaves all of it or nothing, but for the rare one that falls
        # into the write itself, where the kernel may stop between two pages. The next reading finds such a line.
        line = row.model_dump_json().encode() + b"\n"
        try:
            written = os.write(self._open[name], line)
        except OSError as error:
            raise RecordNotWritten(
                f"Cannot write to {self.folder / name}: {error.strerror}; mend that and run the same command again."
            ) from None
        if written != len(line):
            raise RecordNotWritten(
                f"Only part of a row went to {self.folder / name}; free some space and run again with --repair."
            )


def _lock(folder: Path) -> int:
    """Return the descriptor that holds the folder's lock until it is closed.

    Raises:
        UsageError: another process holds it.
    """
    descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise UsageError(f"Another run writes to {folder}; wait for its end or give another folder.") from None
    return descriptor


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other writers out of an existing folder while the block runs."""
    if not folder.exists():
        yield
        return
    descriptor = _lock(folder)
    try:
        yield
    finally:
        os.close(descriptor)


def set_aside(folder: Path) -> tuple[Path, ...]:
    """Rename both record files so that a run starts over, and return their new names; nothing is deleted.

    Raises:
        UsageError: the folder cannot be written, or another process writes to it.
    """
    moved = []
    try:
        with _locked(folder):
            for path in (folder / EPISODES, folder / STEPS):
                if path.exists():
                    old = (_sibling(path, f".old{n or ''}") for n in range(sys.maxsize))
                    moved.append(path.rename(next(name for name in old if not name.exists())))
    except OSError as error:
        raise UsageError(f"Cannot rename the records in {folder}: {error.strerror}; give another folder.") from None
    return tuple(moved)


def read_rows(path: Path, kind: type[AnyRow]) -> Iterator[AnyRow]:
    """Yield the rows of a record file in file order; none where there is no file.

    Raises:
        RecordDamaged: at the first line that is not such a row.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                yield _parse(line, kind)
            except ValueError as fault:
                raise RecordDamaged(
                    f"{path} line {number} {fault}; run the command that made it with --repair to set such lines aside "
                    "and run their episodes again."
                ) from None


def _parse(line: bytes, kind: type[AnyRow]) -> AnyRow:
    if not line.endswith(b"\n"):
        raise ValueError("is cut off")
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        raise ValueError(_fault(error)) from None


def _fault(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_context=False)
    if faults[0]["type"] == "json_invalid":
        return "is not JSON"
    for fault in faults:
        if fault["loc"] == ("format_version",):
            given = fault["input"]
            newer = isinstance(given, int) and given > FORMAT_VERSION
            return f"is not of format version {FORMAT_VERSION}" + (
                f" but of {given}, which a newer release wrote: run that one" if newer else ""
            )
    return f"is not a record ({first_fault(error).rstrip('.')})"


def repair(folder: Path) -> Repaired:
    """Move damaged lines to `<file>.damaged`, and with them the episodes whose step rows are not all there.

    Nothing is deleted, and a repair that is killed can be run again.

    Raises:
        UsageError: the folder cannot be written, or another process writes to it.
    """
    steps_seen: Counter[str] = Counter()
    incomplete: list[str] = []

    def count(row: StepRecord) -> bool:
        steps_seen[row.episode_id] += 1
        return True

    def has_its_steps(row: EpisodeRecord) -> bool:
        if steps_seen[row.episode_id] == len(row.decisions_ms):
            return True
        incomplete.append(row.episode_id)
        return False

    try:
        with _locked(folder):
            lines = _set_aside(folder / STEPS, StepRecord, count)
            lines += _set_aside(folder / EPISODES, EpisodeRecord, has_its_steps)
        return Repaired(lines=lines - len(incomplete), episodes=len(incomplete))
    except OSError as error:
        raise UsageError(f"Cannot repair the records in {folder}: {error.strerror}; give another folder.") from None


def _set_aside(path: Path, kind: type[AnyRow], keep: Callable[[AnyRow], bool]) -> int:
    """Move the lines that are not rows, and the rows not to keep, to `<path>.damaged`; return how many."""
    if not path.exists():
        return 0
    sound, damaged = _sibling(path, ".sound"), []
    with path.open("rb") as file, sound.open("wb") as target:
        for line in file:
            try:
                kept = keep(_parse(line, kind))
            except ValueError:
                kept = False
            if kept:
                target.write(line)
            else:
                damaged.append(line.rstrip(b"\n") + b"\n")
    if damaged:
        aside, new = _sibling(path, ".damaged"), _sibling(path, ".damaged.new")
        new.write_bytes((aside.read_bytes() if aside.exists() else b"") + b"".join(damaged))
        # The damaged lines first: killed in between, they are in both files, never in none.
        new.replace(aside)
        sound.replace(path)
    else:
        sound.unlink()
    return len(damaged)


def _sibling(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)
