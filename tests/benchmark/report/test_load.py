"""Records as pandas sees them: through our loader, and straight from the files."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pandas as pd
import pytest

from benchmark.errors import RecordDamaged, UsageError
from benchmark.records.rows import EpisodeRecord, StepRecord
from benchmark.records.store import RecordStore
from benchmark.report.load import COLUMNS, load_runs, read_episodes

MakeEpisode = Callable[..., EpisodeRecord]


def write(folder: Path, records: Iterable[EpisodeRecord]) -> Path:
    with RecordStore(folder) as store:
        for record in records:
            store.append_episode(record)
    return folder


def test_one_row_per_episode_with_all_its_numbers(tmp_path: Path, make_episode: MakeEpisode) -> None:
    (row,) = load_runs([write(tmp_path / "one", [make_episode()])]).to_dict("records")
    assert row == {
        "benchmark": "toy", "task": "press", "seed": 3, "trial": 0, "agent": "jev", "model": "m-1", "run": "one",
        "end": "success", "scored": True, "reward": 1.0, "full_reward": 1.0, "steps": 2, "input_tokens": 10,
        "cached_tokens": 0, "output_tokens": 2, "cost_usd": 0.001, "seconds": 0.5, "reset_ms": 80.0, "act_ms": 10.0,
        "settle_ms": 20.0, "probe_ms": 5.0, "validate_ms": 1.0, "decide_ms": 4.0, "goal": "Press Go.", "error": None,
        "models": "m-1", "settings_hash": "abc", "started_at": "2024-01-01T00:00:00.000+00:00", "git_commit": None,
        "episode_id": "e1",
    }  # fmt: skip
    assert tuple(row) == COLUMNS


def test_the_latest_row_of_a_job_counts(tmp_path: Path, make_episode: MakeEpisode) -> None:
    crashed = make_episode(end="browser_crash", error="Gone.", reward=0.0, raw_reward=None, models=())
    frame = load_runs([write(tmp_path, [crashed, make_episode(seed=4), make_episode(episode_id="e2")])])
    assert list(zip(frame["seed"], frame["episode_id"], frame["scored"], strict=True)) == [
        (3, "e2", True), (4, "e1", True),
    ]  # fmt: skip


def test_what_is_unknown_is_missing_and_counts_stay_whole(tmp_path: Path, make_episode: MakeEpisode) -> None:
    records = [make_episode(), make_episode(seed=4, input_tokens=None, cost_usd=None, raw_reward=None)]
    frame = load_runs([write(tmp_path, records)])
    assert frame["input_tokens"].tolist() == [10, pd.NA]
    assert frame["cost_usd"].isna().tolist() == [False, True]
    assert frame["full_reward"].isna().tolist() == [False, True]
    assert str(frame["steps"].dtype) == "Int64"


def test_an_episode_without_an_answer_belongs_to_its_experiment(tmp_path: Path, make_episode: MakeEpisode) -> None:
    records = [
        make_episode(),
        make_episode(seed=4, models=(), end="model_error", error="No."),
        make_episode(agent="random", models=()),
    ]
    frame = load_runs([write(tmp_path, records)])
    assert list(zip(frame["agent"], frame["model"], strict=True)) == [
        ("jev", "m-1"),
        ("jev", "m-1"),
        ("random", "none"),
    ]


def test_runs_are_told_apart(tmp_path: Path, make_episode: MakeEpisode) -> None:
    folders = [write(tmp_path / name, [make_episode()]) for name in ("a", "x/same", "y/same")]
    assert load_runs(folders)["run"].tolist() == ["a", str(folders[1]), str(folders[2])]
    assert load_runs([str(folders[0])])["run"].tolist() == ["a"]


def test_the_empty_list_has_the_same_columns() -> None:
    frame = load_runs([])
    assert tuple(frame.columns) == COLUMNS
    assert frame.empty


def test_a_folder_without_episodes_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"holds no episodes.jsonl with episodes; give the --out folder of a run\."):
        read_episodes(tmp_path)


def test_a_damaged_line_is_named(tmp_path: Path, make_episode: MakeEpisode) -> None:
    path = write(tmp_path, [make_episode(), make_episode(seed=4)]) / "episodes.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(RecordDamaged, match=r"episodes.jsonl line 2 is cut off"):
        load_runs([tmp_path])


def test_pandas_reads_the_files_itself(
    tmp_path: Path, make_episode: MakeEpisode, make_step: Callable[..., StepRecord]
) -> None:
    records = [make_episode(), make_episode(seed=4, cost_usd=None, end="failed", reward=0.0, raw_reward=-1.0)]
    write(tmp_path, records)
    with RecordStore(tmp_path) as store:
        store.append_step(make_step())
        store.append_step(make_step(index=1))
    episodes = pd.read_json(tmp_path / "episodes.jsonl", lines=True)
    assert set(EpisodeRecord.model_fields) == set(episodes.columns)
    assert episodes["end"].tolist() == ["success", "failed"]
    assert episodes["reward"].mean() == 0.5
    assert episodes["cost_usd"].isna().tolist() == [False, True]
    steps = pd.read_json(tmp_path / "steps.jsonl", lines=True)
    assert set(StepRecord.model_fields) == set(steps.columns)
    assert steps["index"].tolist() == [0, 1]
    assert steps["action"][0]["type"] == "click"
