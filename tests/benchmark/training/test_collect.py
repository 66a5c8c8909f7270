"""The command that plays for training: which episodes it would play, and what it refuses."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark.records.rows import EpisodeRecord
from benchmark.training.collect import main

TASKS = ["--tasks", "click-test,click-test-2", "--dry-run"]


@pytest.fixture(autouse=True)
def _no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROWSER_EXECUTABLE", "/no/such/browser")


def test_a_first_round_shares_alike_and_a_second_by_what_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], make_episode: Callable[..., EpisodeRecord]
) -> None:
    assert main(["--out", str(tmp_path / "2"), "--episodes", "8", *TASKS]) == 0
    said = capsys.readouterr().out.splitlines()
    seeds = "1000, 1001, 1002, 1003"
    assert said == ["8 of 8 episodes would run.", f"click-test: seeds {seeds}", f"click-test-2: seeds {seeds}"]
    first = tmp_path / "1"
    first.mkdir()
    rows = [make_episode(task="click-test"), make_episode(task="click-test-2", raw_reward=0.0, reward=0.0)]
    (first / "episodes.jsonl").write_text("".join(f"{row.model_dump_json()}\n" for row in rows))
    assert main(["--out", str(tmp_path / "2"), "--episodes", "16", "--after", str(first), *TASKS]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[1] == "click-test: seeds 2000, 2001, 2002"
    assert said[2].startswith("click-test-2: seeds 2000, ")
    assert said[2].count(",") == 12


def test_what_failed_is_tried_again_and_what_nobody_solved_seldom(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], make_episode: Callable[..., EpisodeRecord]
) -> None:
    failed = {"raw_reward": 0.0, "reward": 0.0}
    rows = [
        make_episode(task="click-test", seed=3),
        make_episode(task="click-test", seed=4, **failed),
        make_episode(task="click-test-2", seed=3, **failed),
    ]
    (tmp_path / "episodes.jsonl").write_text("".join(f"{row.model_dump_json()}\n" for row in rows))
    assert main(["--out", str(tmp_path / "3"), "--retry", "6", "--after", str(tmp_path), *TASKS]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said == ["7 of 7 episodes would run.", "click-test: seeds 4, 4, 4, 4, 4, 4", "click-test-2: seeds 3"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--episodes", "3"], "2 tasks take at least 4"),
        (["--decision-model", "embedded-exploring:none.npz"], "The weights in none.npz cannot be read"),
        (["--policy", "nothing=off"], "no switch 'nothing'"),
        (["--workers", "0"], "--workers is 0"),
    ],
)
def test_wrong_usage_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert main(["--out", str(tmp_path / "out"), *TASKS, *arguments]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
