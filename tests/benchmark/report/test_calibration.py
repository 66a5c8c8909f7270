"""How surety ranks episodes: by the least sure decision, against the full reward."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent.agent import DecisionDetail
from benchmark.records.rows import EpisodeRecord, StepRecord
from benchmark.report.calibration import Surety, auc, main, ranges, surety

Make = Callable[..., Any]


def detail(probability: float) -> DecisionDetail:
    return DecisionDetail(operation="CLICK", operation_probability=probability, target_probability=1.0)


def test_an_episode_is_as_sure_as_its_least_sure_decision(
    make_episode: Callable[..., EpisodeRecord], make_step: Callable[..., StepRecord]
) -> None:
    episodes = [
        make_episode(episode_id="a"), make_episode(episode_id="b", raw_reward=0.2), make_episode(episode_id="none"),
        make_episode(episode_id="lost", end="browser_crash"),
    ]  # fmt: skip
    steps = [make_step(episode_id=i, detail=detail(p)) for i, p in (("a", 0.9), ("a", 0.4), ("b", 0.7), ("lost", 0.1))]
    steps.append(make_step(episode_id="b", detail=None))
    assert surety(episodes, steps) == [Surety(0.4, True), Surety(0.7, False)]


@pytest.mark.parametrize(
    ("solved", "failed", "expected"),
    [([0.9, 0.8], [0.1, 0.2], 1.0), ([0.1], [0.9, 0.5], 0.0), ([0.5], [0.5], 0.5), ([0.6, 0.2], [0.4], 0.5)],
)
def test_auc_is_how_often_the_solved_one_was_surer(solved: list[float], failed: list[float], expected: float) -> None:
    pairs = [Surety(p, True) for p in solved] + [Surety(p, False) for p in failed]
    assert auc(pairs) == pytest.approx(expected)


def test_without_both_kinds_there_is_nothing_to_rank() -> None:
    assert auc([Surety(0.5, True)] * 3) is None
    assert auc([]) is None


def test_every_episode_falls_into_one_range() -> None:
    pairs = [Surety(p / 20, p > 10) for p in range(21)]
    rows = ranges(pairs)
    assert sum(count for _, count, _ in rows) == 21
    assert rows[0] == ("0-0.2", 4, 0.0)
    assert rows[-1] == ("0.9-1", 3, 1.0)


def test_a_run_is_told_by_its_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], make_episode: Make, make_step: Make
) -> None:
    rows = [("a", 1.0, 0.9), ("b", 0.0, 0.3)]
    episodes = [
        make_episode(episode_id=i, seed=n, raw_reward=raw, reward=raw) for n, (i, raw, _) in enumerate(rows)
    ]  # fmt: skip
    steps = [make_step(episode_id=i, seed=n, detail=detail(p)) for n, (i, _, p) in enumerate(rows)]
    for name, told in (("episodes", episodes), ("steps", steps)):
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{row.model_dump_json()}\n" for row in told))
    assert main([str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "jev, m-1: AUC 1.000 over 2 episodes" in said
    assert "0.9-1: 1.00 solved of 1" in said
    assert main([str(tmp_path / "none")]) == 2
