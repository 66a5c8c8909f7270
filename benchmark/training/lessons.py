"""What a training run learns from: the ticks of collected episodes as numbers, each with what its choice came to."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agent.carrying_out import to_action
from agent.decision import DecisionAgent
from agent.embedded.model import RulesModel, scored_features
from agent.tick import Candidate, Tick
from benchmark.errors import UsageError
from benchmark.records.rows import FULL_REWARD, EpisodeRecord
from benchmark.records.store import EPISODES, read_rows
from benchmark.records.ticks import TickRecord, read_ticks, ticks_path

# More successes than this of one task teach nothing new, and would drown the others.
CAP = 16
# A success that strayed from the model's own choices tells it something new.
STRAYED = 3.0
# Of a task's successes, those longer than this percentile, or than the shortest by more than SLACK, went astray.
PERCENTILE, SLACK = 60, 1


@dataclass(frozen=True)
class Lesson:
    """One decision, as numbers, and what is to be learned from it."""

    task: str
    seed: int
    features: NDArray[np.float16]
    """All FEATURES of each candidate."""
    rules: NDArray[np.float32]
    chosen: int
    imitate: float = 0.0
    """How much the choice is to be imitated."""
    judge: float = 0.0
    """How much this tells whether the model's own choices reach the goal."""
    reached: bool = False
    """Whether they did."""
    avoid: float = 0.0
    """How much the choice is to be avoided: it ended an episode without the reward."""


@dataclass(frozen=True)
class Played:
    """An episode with its ticks."""

    record: EpisodeRecord
    ticks: tuple[TickRecord, ...]

    @property
    def solved(self) -> bool:
        """The full reward, not a part of it: what is paid for a blind press must not be learned."""
        return self.record.reward > 0 and (self.record.raw_reward or 0.0) >= FULL_REWARD

    @property
    def is_greedy(self) -> bool:
        """Whether every choice was the model's best."""
        return all(_is_best(tick) for tick in self.ticks)


def _is_best(tick: TickRecord) -> bool:
    decided = tick.decided
    if decided is None or decided.chosen is None or not decided.probabilities:
        return False
    index = decided.tick.candidates.index(decided.chosen)
    return decided.probabilities[index] >= max(decided.probabilities)


def read_played(folders: Sequence[Path], tasks: Iterable[str] | None = None) -> list[Played]:
    """Return the scored episodes of these tasks, or of all, in these run folders, in order of task and seed.

    Raises:
        UsageError: there are none with ticks.
        RecordDamaged: a row cannot be read.
    """
    wanted, played = None if tasks is None else frozenset(tasks), []
    for folder in folders:
        latest = {record.key: record for record in read_rows(folder / EPISODES, EpisodeRecord)}
        for record in latest.values():
            path = ticks_path(folder, record.episode_id)
            if record.scored and (wanted is None or record.task in wanted) and path.exists():
                played.append(Played(record, read_ticks(path)))
    if not played:
        raise UsageError(f"No episodes with ticks are in {', '.join(map(str, folders))}; collect some first.")
    return sorted(played, key=lambda one: (one.record.task, one.record.seed, one.record.settings_hash))


def worth_imitating(played: Sequence[Played]) -> list[Played]:
    """Return the shortest success of each task and seed, without those that went astray."""
    shortest: dict[tuple[str, int], Played] = {}
    for one in played:
        key = one.record.task, one.record.seed
        if one.solved and (key not in shortest or len(one.ticks) < len(shortest[key].ticks)):
            shortest[key] = one
    by_task: dict[str, list[Played]] = defaultdict(list)
    for (task, _), one in shortest.items():
        by_task[task].append(one)
    kept = []
    for ones in by_task.values():
        lengths = [len(one.ticks) for one in ones]
        limit = max(np.percentile(lengths, PERCENTILE), min(lengths) + SLACK)
        kept += [one for one in ones if len(one.ticks) <= limit]
    return kept


def read_lessons(played: Sequence[Played], on_episode: Callable[[], object] = lambda: None) -> list[Lesson]:
    """Return the lessons of these episodes."""
    examples = worth_imitating(played)
    good = {one.record.episode_id for one in examples}
    counts = _counts(one.record.task for one in examples)
    judged = _counts(one.record.task for one in played if one.is_greedy for _ in one.ticks)
    lessons: list[Lesson] = []
    for one in played:
        task, greedy = one.record.task, one.is_greedy
        for tick, is_last, changed in _steps(one.ticks):
            imitate = judge = avoid = 0.0
            if one.record.episode_id in good and (changed or is_last):
                imitate = math.sqrt(min(CAP, counts[task])) / counts[task] / math.sqrt(len(one.ticks))
                imitate *= 1.0 if greedy else STRAYED
            if greedy:
                judge = 1 / judged[task]
            if greedy and is_last and not one.solved and one.record.end in ("failed", "success"):
                avoid = 1 / math.sqrt(judged[task])
            lesson = _lesson(tick) if imitate or judge or avoid else None
            if lesson is not None:
                lessons.append(replace(lesson, imitate=imitate, judge=judge, reached=one.solved, avoid=avoid))
        on_episode()
    return lessons


def _counts(names: Iterable[str]) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for name in names:
        counts[name] += 1
    return counts


def _steps(ticks: Sequence[TickRecord]) -> Iterator[tuple[TickRecord, bool, bool]]:
    """Yield each tick, whether it is the last, and whether what was done on it changed the page."""
    for i, tick in enumerate(ticks):
        following = ticks[i + 1] if i + 1 < len(ticks) else None
        past = following.decided.tick.history if following is not None and following.decided is not None else ()
        yield tick, following is None, bool(past) and past[-1].page_changed


def _lesson(record: TickRecord) -> Lesson | None:
    """Return a tick as today's code reads it; None where the choice made then is none of today's candidates."""
    if record.decided is None or record.decided.chosen is None:
        return None
    tick = tick_today(record)
    chosen = _place(tick, record.decided.chosen)
    if chosen is None or len(tick.candidates) < 2:
        return None
    features, rules = scored_features(tick)
    return Lesson(record.task, record.seed, features.astype(np.float16), rules.astype(np.float32), chosen)


def tick_today(record: TickRecord) -> Tick:
    """Return a stored tick with the candidates that today's code makes of the same page, goal and past."""
    assert record.decided is not None, "no tick in this record"
    stored = record.decided.tick
    agent = DecisionAgent.of_config(record.config, RulesModel())  # the model is not asked
    return agent.tick_after(record.decided.before, stored.observation, stored.history)


def _place(tick: Tick, chosen: Candidate) -> int | None:
    """Return where a choice is among a tick's candidates, however its text was found; None where it is not."""
    if chosen in tick.candidates:
        return tick.candidates.index(chosen)
    deed = to_action(chosen)
    return next((i for i, candidate in enumerate(tick.candidates) if to_action(candidate) == deed), None)
