"""How many training episodes each task gets: the more, the less often it is solved. Knows no agent."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from benchmark.errors import UsageError
from benchmark.records.rows import EpisodeRecord, JobKey
from benchmark.running.runner import plan

# Below this are the test seeds and the development seeds.
FIRST_SEED = 1000
# A round after another takes seeds of its own.
ROUND_SEEDS = 1000
# What a task that is always solved still counts: a new model may have unlearned it.
FLOOR = 0.1
# Of a task in a round, whatever its success.
AT_LEAST = 2


def solved_share(records: Iterable[EpisodeRecord]) -> dict[str, float]:
    """Return by task how many of the scored episodes had the full reward."""
    solved: dict[str, list[float]] = defaultdict(list)
    for record in records:
        if record.scored and record.full_reward is not None:
            solved[record.task].append(record.full_reward)
    return {task: sum(rewards) / len(rewards) for task, rewards in solved.items()}


def shares(tasks: Sequence[str], episodes: int, solved: Mapping[str, float]) -> dict[str, int]:
    """Return how many of these episodes each task gets; a task of which nothing is known counts as never solved.

    Raises:
        UsageError: fewer episodes than AT_LEAST for each task.
    """
    free = episodes - AT_LEAST * len(tasks)
    if free < 0:
        raise UsageError(f"--episodes is {episodes}; {len(tasks)} tasks take at least {AT_LEAST * len(tasks)}.")
    weights = {task: 1 - solved.get(task, 0.0) + FLOOR for task in tasks}
    exact = {task: free * weight / sum(weights.values()) for task, weight in weights.items()}
    given = {task: int(share) for task, share in exact.items()}
    # The largest remainders take what rounding left over.
    order = sorted(tasks, key=lambda task: given[task] - exact[task])
    for task in order[: free - sum(given.values())]:
        given[task] += 1
    return {task: AT_LEAST + n for task, n in given.items()}


def unsolved(records: Iterable[EpisodeRecord], tries: int) -> dict[tuple[str, int], int]:
    """Return the seeds of each task that no scored episode solved, with how often to try them again.

    Where a task was never solved, chance seldom will: a sixth of the tries goes there.
    """
    seen = [record for record in records if record.scored]
    won = {(record.task, record.seed) for record in seen if record.full_reward}
    known = {task for task, _ in won}
    lost = dict.fromkeys((record.task, record.seed) for record in seen)
    few = max(1, tries // 6)
    return {pair: tries if pair[0] in known else few for pair in lost if pair not in won}


def retry_jobs(
    benchmark: str,
    tries: Mapping[tuple[str, int], int],
    *,
    agent: str,
    model: str | None,
    settings: dict[str, JsonValue],
) -> tuple[JobKey, ...]:
    """Return the jobs that try episodes again, the first try of all before the second of any."""
    jobs = [
        job
        for (task, seed), count in tries.items()
        for job in plan(benchmark, [task], [seed], agent=agent, model=model, settings=settings, trials=count + 1)
        if job.trial > 0
    ]
    return tuple(sorted(jobs, key=lambda job: job.trial))


def training_jobs(
    benchmark: str, counts: Mapping[str, int], first_seed: int, *, agent: str, model: str | None,
    settings: dict[str, JsonValue],
) -> tuple[JobKey, ...]:  # fmt: skip
    """Return the jobs of a round, one seed of every task after another, so that a part of a round is balanced too.

    Raises:
        UsageError: seeds that are not for training, or more than a round has.
    """
    if first_seed < FIRST_SEED:
        raise UsageError(f"Seed {first_seed} is not for training; training seeds begin at {FIRST_SEED}.")
    if max(counts.values()) > ROUND_SEEDS:
        raise UsageError(f"A task would get {max(counts.values())} episodes; a round has {ROUND_SEEDS} seeds a task.")
    jobs = [
        job
        for task, count in counts.items()
        for job in plan(
            benchmark, [task], range(first_seed, first_seed + count), agent=agent, model=model, settings=settings
        )
    ]
    return tuple(sorted(jobs, key=lambda job: job.seed))
