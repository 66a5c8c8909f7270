"""Two agents on the same episodes: which of them solves what, by how much, and how sure that is. Knows no files."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import binomtest

from benchmark.report.metrics import CONFIDENCE

# Between seeds, the bounds of 125 tasks with five episodes each move by 0.005 with this many.
RESAMPLES = 10_000
SEED = 0
# One task alone says nothing about how much tasks differ.
MIN_CLUSTERS = 2


class Outcome(NamedTuple):
    """One episode of both agents."""

    task: str
    first: bool
    second: bool


class Paired(NamedTuple):
    """What a paired comparison says; `difference` is the first agent's rate less the second's."""

    pairs: int
    first_only: int
    second_only: int
    difference: float
    """With its bounds: NaN where there are no pairs."""
    low: float
    """With `high`: a 95 % bootstrap interval that resamples whole tasks; NaN with fewer than two tasks."""
    high: float
    p_value: float
    """Exact McNemar, two-sided."""


def paired(outcomes: Iterable[Outcome]) -> Paired:
    """Compare two agents on the episodes that both have."""
    outcomes = list(outcomes)
    first_only = sum(o.first and not o.second for o in outcomes)
    second_only = sum(o.second and not o.first for o in outcomes)
    by_task: dict[str, list[int]] = {}
    for outcome in outcomes:
        by_task.setdefault(outcome.task, []).append(outcome.first - outcome.second)
    low, high = clustered_interval(by_task)
    return Paired(
        pairs=len(outcomes),
        first_only=first_only,
        second_only=second_only,
        difference=(first_only - second_only) / len(outcomes) if outcomes else math.nan,
        low=low,
        high=high,
        p_value=mcnemar(first_only, second_only),
    )


def mcnemar(first_only: int, second_only: int) -> float:
    """Return the exact two-sided p-value of McNemar's test from the pairs that only one of the two solves.

    Without such pairs nothing speaks against equality: 1.0.
    """
    discordant = first_only + second_only
    return float(binomtest(first_only, discordant, 0.5).pvalue) if discordant else 1.0


def clustered_interval(
    clusters: Mapping[str, Sequence[float]], *, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[float, float]:
    """Return the 95 % percentile bootstrap interval of the mean over all values, drawing whole clusters.

    The seeds of one task are alike, so that drawing single episodes would promise too narrow an interval. The result
    does not depend on the clusters' order; NaN twice with fewer than two clusters.
    """
    if len(clusters) < MIN_CLUSTERS:
        return math.nan, math.nan
    ordered = [clusters[name] for name in sorted(clusters)]
    sums = np.array([math.fsum(values) for values in ordered])
    sizes = np.array([len(values) for values in ordered])
    count = len(ordered)
    drawn = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=resamples)
    means = (drawn @ sums) / (drawn @ sizes)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(means, (tail, 1 - tail))
    return float(low), float(high)


def pass_at_k(trials: int, successes: int, k: int) -> float:
    """Return the chance that at least one of k trials drawn from these succeeds, 1 - C(n-c, k) / C(n, k).

    Raises:
        ValueError: k is not between 1 and the number of trials.
    """
    if not 1 <= k <= trials:
        raise ValueError(f"pass@{k} needs at least {k} trials, and k at least 1; there are {trials} trials.")
    return 1 - math.comb(trials - successes, k) / math.comb(trials, k)
