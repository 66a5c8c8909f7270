"""Rows are appended whole and never rewritten; damage is found, named and set aside without losing a byte."""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmark.errors import RecordDamaged, RecordNotWritten, UsageError
from benchmark.records.rows import EpisodeRecord, StepRecord
from benchmark.records.store import EPISODES, STEPS, RecordStore, Repaired, read_rows, repair, set_aside
from llm.decision import ModelCall

MakeEpisode = Callable[..., EpisodeRecord]
MakeStep = Callable[..., StepRecord]

# The user that owns nothing, on Linux and macOS alike in this range.
NOBODY = 65534


@pytest.fixture
def run(tmp_path: Path, make_episode: MakeEpisode, make_step: MakeStep) -> Path:
    """A folder with three episodes of one step each."""
    with RecordStore(tmp_path) as store:
        for seed in range(3):
            store.append_step(make_step(seed=seed, episode_id=f"e{seed}"))
            store.append_episode(make_episode(seed=seed, episode_id=f"e{seed}", decisions_ms=(1.0,)))
    return tmp_path


def seeds_done(folder: Path) -> list[int]:
    with RecordStore(folder) as store:
        return [row.seed for row in store.episodes() if store.done(row.key)]


def test_rows_are_there_when_the_folder_is_opened_again(run: Path) -> None:
    assert seeds_done(run) == [0, 1, 2]
    assert [row.seed for row in read_rows(run / STEPS, StepRecord)] == [0, 1, 2]


def test_the_latest_row_of_a_key_wins_and_the_earlier_one_stays(run: Path, make_episode: MakeEpisode) -> None:
    with RecordStore(run) as store:
        store.append_episode(make_episode(seed=1, end="failed", reward=0.0))
        assert [row.end for row in store.episodes()] == ["success", "failed", "success"]
    with RecordStore(run) as store:
        assert [row.end for row in store.episodes()] == ["success", "failed", "success"]
    assert len((run / EPISODES).read_bytes().splitlines()) == 4


def test_an_episode_that_infrastructure_ended_is_not_done(tmp_path: Path, make_episode: MakeEpisode) -> None:
    with RecordStore(tmp_path) as store:
        crashed = make_episode(end="browser_crash", error="It is gone.")
        assert not store.done(crashed.key)
        store.append_episode(crashed)
        assert not store.done(crashed.key)
        store.append_episode(make_episode())
        assert store.done(crashed.key)


def cut_in_half(data: bytes) -> bytes:
    return data[: len(data) // 2]


def cut_last_line(data: bytes) -> bytes:
    return data[:-20]


def cut_line_end(data: bytes) -> bytes:
    return data[:-1]


def garble(data: bytes) -> bytes:
    first, rest = data.split(b"\n", 1)
    return first + b"\n" + b"\x00\xff" + rest


def renumber(data: bytes) -> bytes:
    return data.replace(b'"format_version":1', b'"format_version":7', 1)


def add_field(data: bytes) -> bytes:
    return data.replace(b'{"benchmark"', b'{"later":1,"benchmark"', 1)


DAMAGE = [
    (cut_in_half, 2, "is cut off"),
    (cut_last_line, 3, "is cut off"),
    (cut_line_end, 3, "is cut off"),
    (garble, 2, "is not JSON"),
    (renumber, 1, "is not of format version 1 but of 7, which a newer release wrote: run that one"),
    (add_field, 1, "is not a record (later: "),
]


@pytest.mark.parametrize("name", [EPISODES, STEPS])
@pytest.mark.parametrize(("damage", "line", "words"), DAMAGE)
def test_damage_is_told_in_one_sentence_with_the_way_out(
    run: Path, name: str, damage: Callable[[bytes], bytes], line: int, words: str
) -> None:
    before = damage((run / name).read_bytes())
    (run / name).write_bytes(before)
    with pytest.raises(RecordDamaged) as caught:
        RecordStore(run)
    message = str(caught.value)
    assert message.startswith(f"{run / name} line {line} {words}")
    assert "--repair" in message
    assert "\n" not in message
    assert (run / name).read_bytes() == before


@pytest.mark.parametrize("name", [EPISODES, STEPS])
@pytest.mark.parametrize("damage", [row[0] for row in DAMAGE])
def test_repair_sets_damaged_lines_aside_and_their_episodes_run_again(
    run: Path, name: str, damage: Callable[[bytes], bytes]
) -> None:
    damaged = damage((run / name).read_bytes())
    whole = {EPISODES: (run / EPISODES).read_bytes(), STEPS: (run / STEPS).read_bytes()} | {name: damaged}
    (run / name).write_bytes(damaged)
    repaired = repair(run)
    assert repaired.lines == 1
    for file, before in whole.items():
        aside = run / f"{file}.damaged"
        after = (run / file).read_bytes() + (aside.read_bytes() if aside.exists() else b"")
        assert sorted(after.splitlines()) == sorted(before.splitlines())
    missing = 3 - (damaged.count(b"\n") - (damage in (garble, renumber, add_field)))
    assert len(seeds_done(run)) == 3 - missing
    assert repair(run) == Repaired(lines=0, episodes=0)


def test_repair_adds_to_what_an_earlier_one_set_aside(run: Path) -> None:
    for _ in range(2):
        (run / EPISODES).write_bytes((run / EPISODES).read_bytes()[:-5])
        repair(run)
    assert len((run / f"{EPISODES}.damaged").read_bytes().splitlines()) == 2
    assert seeds_done(run) == [0]


def test_repair_of_a_sound_or_empty_folder_changes_nothing(run: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    assert repair(run) == Repaired(lines=0, episodes=0)
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before
    assert repair(tmp_path_factory.mktemp("empty")) == Repaired(lines=0, episodes=0)


def test_a_folder_that_cannot_be_written_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="Cannot write records to .*file/run: Not a directory; give another folder"):
        RecordStore(tmp_path / "file" / "run")


@contextmanager
def anybody() -> Iterator[None]:
    """Root writes where it likes; anyone else does already."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def test_a_read_only_folder_is_one_sentence_and_keeps_its_rows(make_episode: MakeEpisode) -> None:
    with tempfile.TemporaryDirectory() as name:  # pytest's own lies where nobody else may look
        run = Path(name)
        with RecordStore(run) as store:
            store.append_episode(make_episode())
        before = (run / EPISODES).read_bytes()
        run.chmod(0o555)
        for path in run.iterdir():
            path.chmod(0o444)
        for writes in (RecordStore, repair, set_aside):
            with (
                anybody(),
                pytest.raises(UsageError, match=f"Cannot .* (in|to) {run}: Permission denied; give another"),
            ):
                writes(run)
        run.chmod(0o755)
        assert (run / EPISODES).read_bytes() == before


HOLDER = """
import sys, time
from pathlib import Path
from benchmark.records.store import RecordStore
with RecordStore(Path(sys.argv[1])):
    print(flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("second", [RecordStore, repair, set_aside])
def test_two_writers_of_one_folder_are_one_too_many(run: Path, second: Callable[[Path], object]) -> None:
    before = (run / EPISODES).read_bytes()
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(run)], stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(UsageError, match=f"Another run writes to {run}; wait for its end or give another folder."):
            second(run)
        assert (run / EPISODES).read_bytes() == before
    finally:
        holder.kill()
        holder.communicate()
    assert seeds_done(run) == [0, 1, 2]  # a killed holder holds nothing


def test_starting_over_keeps_what_was_there_under_other_names(run: Path, make_episode: MakeEpisode) -> None:
    first = (run / EPISODES).read_bytes()
    assert set_aside(run) == (run / f"{EPISODES}.old", run / f"{STEPS}.old")
    assert seeds_done(run) == []
    with RecordStore(run) as store:
        store.append_episode(make_episode(seed=7))
    second = (run / EPISODES).read_bytes()
    set_aside(run)
    assert [(run / f"{EPISODES}{end}").read_bytes() for end in (".old", ".old1")] == [first, second]
    assert set_aside(run / "nowhere") == ()


@contextmanager
def file_size_limit(limit: int) -> Iterator[None]:
    """What a full disk does to a write: the kernel takes what fits, then nothing."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_stops_the_run(run: Path, make_episode: MakeEpisode) -> None:
    size = (run / EPISODES).stat().st_size
    with RecordStore(run) as store:
        with (
            file_size_limit(size),
            pytest.raises(RecordNotWritten, match=r"Cannot write to .*episodes\.jsonl: File too"),
        ):
            store.append_episode(make_episode(seed=9))
        with file_size_limit(size + 10), pytest.raises(RecordNotWritten, match="Only part of a row"):
            store.append_episode(make_episode(seed=9))
    repair(run)
    assert seeds_done(run) == [0, 1, 2]


WRITER = """
import sys
from pathlib import Path
from benchmark.records.rows import StepRecord
from benchmark.records.store import RecordStore
row = StepRecord.model_validate_json(Path(sys.argv[2]).read_bytes())
store = RecordStore(Path(sys.argv[1]))
while True:
    store.append_step(row)
    print(flush=True)
"""


def test_a_killed_writer_leaves_whole_lines_and_at_most_one_torn(tmp_path: Path, make_step: MakeStep) -> None:
    row = make_step(reason="x" * 20_000)
    (tmp_path / "row.json").write_text(row.model_dump_json())
    torn = 0
    for _ in range(3):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(tmp_path / "row.json")], stdout=subprocess.PIPE
        )
        assert writer.stdout is not None
        for _ in range(20):
            writer.stdout.readline()
        writer.kill()
        writer.communicate()
        # A kernel may end even a single write half-way for a kill.
        lines = repair(tmp_path).lines
        assert lines <= 1
        torn += lines
    rows = list(read_rows(tmp_path / STEPS, StepRecord))
    assert len(rows) >= 60 - torn
    assert all(one == row for one in rows)


def test_what_a_folder_has_cost_counts_every_attempt_once(
    tmp_path: Path, make_episode: Callable[..., EpisodeRecord], make_step: Callable[..., StepRecord]
) -> None:
    call = ModelCall(kind="chat", model="m", cost_usd=0.25)
    with RecordStore(tmp_path) as store:
        assert store.spent_usd == 0
        store.append_step(make_step(episode_id="e1", calls=(call, call)))
        assert store.spent_usd == 0.5
        store.append_episode(make_episode(episode_id="e1", cost_usd=0.75, end="model_error"))  # one call had no step
        assert store.spent_usd == 0.75
        store.append_step(make_step(episode_id="e2", calls=(call,)))
        store.append_episode(make_episode(episode_id="e2", cost_usd=0.25))
        store.append_step(make_step(episode_id="e3", calls=(call,)))  # interrupted
        assert store.spent_usd == 1.25
    with RecordStore(tmp_path) as store:
        assert store.spent_usd == 1.25
        store.append_episode(make_episode(episode_id="e4", cost_usd=None))
        assert store.spent_usd is None
    with RecordStore(tmp_path) as store:
        assert store.spent_usd is None
