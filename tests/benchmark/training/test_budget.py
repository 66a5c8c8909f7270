"""Which training episodes are played: more of what fails, on seeds that nothing is measured on."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from benchmark.errors import UsageError
from benchmark.records.rows import EpisodeRecord
from benchmark.training.budget import AT_LEAST, FIRST_SEED, retry_jobs, shares, solved_share, training_jobs, unsolved

JOBS: dict[str, Any] = {"agent": "jev", "model": None, "settings": {}}


def test_what_is_seldom_solved_gets_more(make_episode: Callable[..., EpisodeRecord]) -> None:
    rows = [make_episode(task="easy", raw_reward=1.0)] * 4
    rows += [make_episode(task="lucky", raw_reward=0.2)] * 4
    rows += [make_episode(task="half", raw_reward=raw) for raw in (1.0, 0.0)]
    rows += [make_episode(task="easy", end="browser_crash", raw_reward=None, reward=0.0)]
    solved = solved_share(rows)
    assert solved == {"easy": 1.0, "lucky": 0.0, "half": 0.5}
    given = shares(["easy", "half", "lucky", "unknown"], 100, solved)
    assert sum(given.values()) == 100
    assert AT_LEAST < given["easy"] < given["half"] < given["lucky"] == given["unknown"]


@pytest.mark.parametrize("episodes", [8, 9, 97])
def test_every_episode_is_given_and_every_task_gets_some(episodes: int) -> None:
    given = shares(list("abcd"), episodes, {"a": 1.0, "b": 0.3})
    assert sum(given.values()) == episodes
    assert min(given.values()) >= AT_LEAST
    with pytest.raises(UsageError, match="take at least 8"):
        shares(list("abcd"), 7, {})


def test_a_part_of_a_round_is_balanced_too() -> None:
    jobs = training_jobs("toy", {"a": 4, "b": 2, "c": 4}, FIRST_SEED, **JOBS)
    assert len(jobs) == len(set(jobs)) == 10
    assert [job.task for job in jobs[:6]] == list("abcabc")
    assert Counter(job.task for job in jobs) == {"a": 4, "b": 2, "c": 4}


def test_what_no_episode_solved_is_tried_again(make_episode: Callable[..., EpisodeRecord]) -> None:
    rows = [make_episode(task="a", seed=seed, raw_reward=float(seed == 1001)) for seed in (1001, 1002, 1003)]
    rows += [make_episode(task="a", seed=1003, trial=1, raw_reward=1.0)]
    rows += [
        make_episode(task="never", seed=1001, raw_reward=0.2),
        make_episode(task="a", seed=1009, end="browser_crash"),
    ]
    tries = unsolved(rows, 6)
    assert tries == {("a", 1002): 6, ("never", 1001): 1}
    jobs = retry_jobs("toy", tries, **JOBS)
    assert [(job.task, job.seed, job.trial) for job in jobs[:3]] == [("a", 1002, 1), ("never", 1001, 1), ("a", 1002, 2)]
    assert len(set(jobs)) == 7


def test_no_training_on_test_or_development_seeds() -> None:
    assert min(job.seed for job in training_jobs("toy", {"a": 3}, FIRST_SEED, **JOBS)) >= 1000
    for seed in (0, 4, 100, 999):
        with pytest.raises(UsageError, match="training seeds begin at 1000"):
            training_jobs("toy", {"a": 1}, seed, **JOBS)
    with pytest.raises(UsageError, match="1000 seeds a task"):
        training_jobs("toy", {"a": 1001}, FIRST_SEED, **JOBS)
