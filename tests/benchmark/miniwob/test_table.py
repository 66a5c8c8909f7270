"""Rates over MiniWoB's sets of tasks and over groups of alike ones."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmark.miniwob.table import main, read_figures
from benchmark.miniwob.tasks import task_infos

Make = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path, make_episode: Make, make_step: Make) -> Path:
    """One episode of every task: only the tasks of groups with several of them are solved, half of these in full."""
    size = Counter(info.group for info in task_infos())
    rows = []
    for seed, info in enumerate(task_infos()):
        raw = (0.0 if size[info.group] == 1 else 1.0) * (0.5 if seed % 2 else 1.0)
        rows.append(
            make_episode(task=info.name, episode_id=f"e{seed}", seed=seed, raw_reward=raw, reward=float(raw > 0))
        )
    rows.append(make_episode(task="click-test", episode_id="lost", seed=999, end="browser_crash", raw_reward=None))
    (tmp_path / "episodes.jsonl").write_text("".join(f"{row.model_dump_json()}\n" for row in rows))
    return tmp_path


def test_alike_tasks_count_as_one_in_the_mean_over_groups(run: Path) -> None:
    [figures] = read_figures(run)
    size = Counter(info.group for info in task_infos())
    assert (figures["episodes"], figures["unscored"], figures["groups"]) == (125, 1, len(size))
    assert figures["success"] == sum(n for n in size.values() if n > 1) / 125
    assert figures["group_success"] == pytest.approx(sum(n > 1 for n in size.values()) / len(size))
    assert figures["full"] < figures["success"]


def test_sets_are_those_of_the_metadata(run: Path) -> None:
    [figures] = read_figures(run)
    size = Counter(info.group for info in task_infos())
    for name, inside in (("train", "train"), ("test", "test")):
        some = [info for info in task_infos() if info.split == inside]
        assert figures[f"{name}_success"] == sum(size[info.group] > 1 for info in some) / len(some)
    assert figures["p50_ms"] == 2.0


def test_the_command_prints_a_row_and_writes_it(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "figures.json"
    assert main([str(run), "--out", str(out)]) == 0
    assert json.loads(out.read_text()) == read_figures(run)
    assert "m-1" in capsys.readouterr().out
    assert main([str(tmp_path / "none")]) == 2
    assert "No episodes are in" in capsys.readouterr().err
