"""How a fit does on lessons that it did not see: other seeds, or tasks that are like none of its own."""

from collections.abc import Callable, Sequence
from statistics import fmean

import numpy as np

from agent.embedded.scorer import Scorer
from benchmark.report.calibration import Surety, auc
from benchmark.training.lessons import Lesson
from benchmark.training.network import FitSettings, fit
from browser.observation import Frozen

Key = Callable[[Lesson], int]


class Measured(Frozen):
    """How a model's choices agree with those that solved an episode; weighted as a fit weighs them."""

    decisions: int
    best: float
    """How often the choice was its best."""
    best_of_rules: float
    """The same of the rules alone."""
    loss: float
    """The mean negative log probability of the choice, whatever is left to none of them."""
    judged: float | None
    """How often a solved episode's decision was surer than a failed one's."""


def measured(scorer: Scorer, lessons: Sequence[Lesson]) -> Measured:
    """Return how a scorer does on these lessons, of which at least one is to be imitated."""
    hits, rules, losses, weights, sure = [], [], [], [], []
    for lesson in lessons:
        probabilities = scorer.probabilities(lesson.features.astype(np.float32), lesson.rules.astype(np.float64))
        if lesson.judge and probabilities.argmax() == lesson.chosen:
            sure.append(Surety(float(probabilities.max()), lesson.reached))
        if lesson.imitate:
            hits.append(probabilities.argmax() == lesson.chosen)
            rules.append(lesson.rules.argmax() == lesson.chosen)
            losses.append(-np.log(max(1e-9, probabilities[lesson.chosen] / probabilities.sum())))
            weights.append(lesson.imitate)
    return Measured(
        decisions=len(hits),
        best=float(np.average(hits, weights=weights)),
        best_of_rules=float(np.average(rules, weights=weights)),
        loss=float(np.average(losses, weights=weights)),
        judged=auc(sure),
    )


def folds(
    lessons: Sequence[Lesson], settings: FitSettings, key: Key, count: int, always: Sequence[Lesson] = ()
) -> list[Measured]:
    """Return how fits do, each without one part of the lessons, on that part.

    Args:
        key: lessons of one key are never on both sides: a seed, or a group of alike tasks.
        count: of parts.
        always: fitted to by each.
    """
    keys = sorted({key(lesson) for lesson in lessons})
    found = []
    for n in range(count):
        out = set(keys[n::count])
        test = [lesson for lesson in lessons if key(lesson) in out]
        fitted = fit([*(lesson for lesson in lessons if key(lesson) not in out), *always], settings)
        if any(lesson.imitate for lesson in test):
            found.append(measured(Scorer(fitted.arrays, fitted.names), test))
    return found


def mean(parts: Sequence[Measured]) -> Measured:
    """Return the mean of several parts."""
    judged = [part.judged for part in parts if part.judged is not None]
    return Measured(
        decisions=sum(part.decisions for part in parts),
        best=fmean(part.best for part in parts),
        best_of_rules=fmean(part.best_of_rules for part in parts),
        loss=fmean(part.loss for part in parts),
        judged=fmean(judged) if judged else None,
    )


def choose(
    lessons: Sequence[Lesson], candidates: Sequence[FitSettings], key: Key, count: int,
    on_candidate: Callable[[FitSettings, Measured], object] = lambda settings, result: None,
    always: Sequence[Lesson] = (),
) -> FitSettings:  # fmt: skip
    """Return the settings whose fits are most often right on what they did not see; of equals the first.

    Args: as of `folds`.
    """
    best: tuple[float, FitSettings] | None = None
    for settings in candidates:
        result = mean(folds(lessons, settings, key, count, always))
        on_candidate(settings, result)
        if best is None or result.best > best[0]:
            best = result.best, settings
    assert best is not None, "no settings to choose from"
    return best[1]
