"""What was decided on, step by step: `<run>/ticks/<episode_id>.jsonl.gz`. Knows no benchmark and no browser.

A file is one gzip member for each row, so that a row is appended by one write and `gzip -dc` reads them all.
"""

import gzip
import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import JsonValue, ValidationError, field_serializer

from agent.agent import AgentStep
from agent.decided import DecidedTick
from benchmark.errors import RecordDamaged, RecordNotWritten, UsageError
from benchmark.records.rows import Row
from browser.actions import first_fault
from browser.observation import Observation

FOLDER = "ticks"
SUFFIX = ".jsonl.gz"
# The rows of one page are much alike, but each is packed alone: higher levels than this save 2 % and cost double.
LEVEL = 6


class TickRecord(Row):
    """One step as it can be decided again."""

    index: int
    """That of the step's own row."""
    config: dict[str, JsonValue]
    """The agent's: with page, goal and past all that its candidates follow from."""
    decided: DecidedTick | None
    """None where the agent asks no decision model."""
    observation: Observation | None
    """Everything that perception returned, the goal with it; None where `decided` holds it."""

    @field_serializer("observation", when_used="json")
    def _page(self, value: Observation | None) -> dict[str, Any] | None:
        return None if value is None else _without_defaults(value)

    @field_serializer("decided", when_used="json")
    def _decision(self, value: DecidedTick | None) -> dict[str, Any] | None:
        if value is None:
            return None
        row = value.model_dump(mode="json")
        row["tick"]["observation"] = _without_defaults(value.tick.observation)
        return row

    @property
    def seen(self) -> Observation:
        """The page that was decided on."""
        seen = self.decided.tick.observation if self.decided else self.observation
        assert seen is not None, "a tick without its page"
        return seen


def _without_defaults(observation: Observation) -> dict[str, Any]:
    return observation.model_dump(mode="json", exclude_defaults=True)


def tick_record(
    row: dict[str, Any], index: int, config: dict[str, JsonValue], seen: Observation, step: AgentStep
) -> TickRecord:
    """Return the record of a step that was decided on this observation; `row` has the fields that all rows share."""
    observation = None if step.decided else seen
    return TickRecord(**row, index=index, config=config, decided=step.decided, observation=observation)


def ticks_path(run: Path, episode_id: str) -> Path:
    """Return where the ticks of an episode are, if they were kept."""
    return run / FOLDER / f"{episode_id}{SUFFIX}"


def append_tick(run: Path, row: TickRecord) -> None:
    """Add a row to its episode's file: a kill leaves all of it or nothing, but for one that falls into the write.

    Raises:
        RecordNotWritten: the disk did not take it.
    """
    path = ticks_path(run, row.episode_id)
    packed = gzip.compress(row.model_dump_json().encode() + b"\n", LEVEL, mtime=0)
    try:
        path.parent.mkdir(exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            written = os.write(descriptor, packed)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise RecordNotWritten(
            f"Cannot write to {path}: {error.strerror}; mend that and run the same command again."
        ) from None
    if written != len(packed):
        raise RecordNotWritten(f"Only part of a row went to {path}; free some space and run the same command again.")


def read_ticks(path: Path) -> tuple[TickRecord, ...]:
    """Return the rows of a file in their order; a last one that a kill cut off is left out.

    Raises:
        RecordDamaged: a row is no such record.
    """
    return tuple(_parse(path, number, line) for number, line in enumerate(_lines(path), start=1))


def _lines(path: Path) -> Iterator[bytes]:
    """Yield the unpacked lines of all whole members."""
    packed = path.read_bytes()
    while packed:
        member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        try:
            line = member.decompress(packed)
        except zlib.error:
            raise RecordDamaged(
                f"{path} is no gzip file, or one that was changed; its episode must run again."
            ) from None
        if not member.eof:
            return
        packed = member.unused_data
        yield line


def _parse(path: Path, number: int, line: bytes) -> TickRecord:
    try:
        return TickRecord.model_validate_json(line)
    except ValidationError as error:
        raise RecordDamaged(
            f"{path} row {number} is not a tick of this release ({first_fault(error).rstrip('.')}); read it with the "
            "release that wrote it, or run its episode again."
        ) from None


def read_run(run: Path, episodes: Sequence[str] = ()) -> list[TickRecord]:
    """Return the ticks of a run in order of task, seed, trial, attempt and step.

    Args:
        episodes: only these, each as TASK, TASK:SEED or an episode's id; all where none is named.

    Raises:
        UsageError: the run kept no ticks, or none of an episode that is named.
        RecordDamaged: a row is no such record.
    """
    ticks = [tick for path in sorted((run / FOLDER).glob(f"*{SUFFIX}")) for tick in read_ticks(path)]
    if not ticks:
        raise UsageError(f"{run} holds no ticks; run it with --keep-ticks.")
    for name in episodes:
        if not any(_is_of(tick, name) for tick in ticks):
            raise UsageError(f"{run} holds no ticks of {name!r}; name an episode as TASK, TASK:SEED or by its id.")
    chosen = [tick for tick in ticks if not episodes or any(_is_of(tick, name) for name in episodes)]
    return sorted(chosen, key=lambda t: (t.benchmark, t.task, t.seed, t.trial, t.agent, t.episode_id, t.index))


def _is_of(tick: TickRecord, name: str) -> bool:
    return name in (tick.task, f"{tick.task}:{tick.seed}", tick.episode_id)
