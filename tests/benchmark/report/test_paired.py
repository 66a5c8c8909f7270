"""Each statistic against numbers that others published, a formula, or all cases counted out."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from benchmark.report.paired import Outcome, clustered_interval, mcnemar, paired, pass_at_k


# The first six: statsmodels' own test_mcnemar_exact, computed there with VassarStats, to six digits; the table behind
# the first is the example of Wikipedia's article on McNemar's test. The seventh: mlxtend's test_exact. The others by
# hand: 2 (1 + 12) / 2^12 and 2 / 2^5.
@pytest.mark.parametrize(
    ("first_only", "second_only", "p_value", "tolerance"),
    [
        (121, 59, 0.000004, 5e-7),
        (70, 59, 0.378688, 5e-7),
        (80, 59, 0.089452, 5e-7),
        (30, 60, 0.00206, 5e-7),
        (10, 30, 0.002221, 5e-7),
        (10, 10, 1.0, 0.0),
        (121, 59, 4.4344492637555101e-06, 1e-15),
        (11, 1, 0.00634765625, 1e-15),
        (5, 0, 0.0625, 1e-15),
        (0, 0, 1.0, 0.0),
    ],
)
def test_mcnemar(first_only: int, second_only: int, p_value: float, tolerance: float) -> None:
    assert mcnemar(first_only, second_only) == pytest.approx(p_value, abs=tolerance, rel=0)
    assert mcnemar(second_only, first_only) == mcnemar(first_only, second_only)


@pytest.mark.parametrize("k", range(1, 7))
@pytest.mark.parametrize("successes", range(7))
def test_pass_at_k_is_the_share_of_draws_with_a_success(successes: int, k: int) -> None:
    trials = [True] * successes + [False] * (6 - successes)
    draws = [any(draw) for draw in itertools.combinations(trials, k)]
    assert pass_at_k(6, successes, k) == pytest.approx(sum(draws) / len(draws))


# Chen et al., Evaluating large language models trained on code (2021), figure 3: the same in a product.
@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_at_k_as_published(case: tuple[int, int, int]) -> None:
    n, c, k = case
    published = 1.0 if n - c < k else 1.0 - float(np.prod(1.0 - k / np.arange(n - c + 1, n + 1)))
    assert pass_at_k(n, c, k) == pytest.approx(published, abs=1e-9)


@pytest.mark.parametrize(("trials", "k"), [(2, 3), (2, 0), (0, 1)])
def test_pass_at_k_needs_k_trials(trials: int, k: int) -> None:
    with pytest.raises(ValueError, match=f"pass@{k} needs at least {k} trials"):
        pass_at_k(trials, 0, k)


@pytest.mark.parametrize("size", [1, 5])
def test_the_interval_of_tasks_that_are_all_or_nothing_is_a_binomial_one(size: int) -> None:
    """30 of 100 tasks differ, in all their episodes: the resampled number of them is binomial, whatever the size."""
    clusters = {f"t{number}": [float(number < 30)] * size for number in range(100)}
    low, high = clustered_interval(clusters)
    assert (low, high) == pytest.approx([binom.ppf(tail, 100, 0.3) / 100 for tail in (0.025, 0.975)])


def test_the_interval_of_tasks_of_unequal_size_is_that_of_all_resamples() -> None:
    clusters = {"a": [1.0], "b": [0.0, 0.0], "c": [1.0, -1.0, 1.0], "d": [-1.0, 0.0, 0.0, 0.0], "e": [1.0, 1.0]}
    means = []
    for drawn in itertools.product(clusters.values(), repeat=len(clusters)):
        values = [value for cluster in drawn for value in cluster]
        means.append(sum(values) / len(values))
    exact = np.quantile(means, (0.025, 0.975))
    assert clustered_interval(clusters, resamples=200_000) == pytest.approx(tuple(exact), abs=0.01)


def test_the_interval_of_many_tasks_is_that_of_the_clustered_standard_error() -> None:
    """Miller, Adding error bars to evals, arXiv 2411.00640, on clustering: residuals are summed within clusters."""
    rng = np.random.default_rng(7)
    clusters = {
        f"t{number:03}": list(np.sign(rng.normal(0.4, 1) + rng.normal(0, 0.4, size=rng.integers(1, 8))))
        for number in range(400)
    }
    values = np.concatenate(list(clusters.values()))
    mean = values.mean()
    error = math.sqrt(sum((np.array(each) - mean).sum() ** 2 for each in clusters.values())) / len(values)
    low, high = clustered_interval(clusters)
    assert (low, high) == pytest.approx((mean - 1.96 * error, mean + 1.96 * error), abs=0.05 * error * 1.96)
    naive = values.std() / math.sqrt(len(values))
    assert high - low > 1.5 * (2 * 1.96 * naive)


def test_the_interval_is_the_same_each_time_and_in_each_order() -> None:
    clusters = {"a": [1.0, 0.0], "b": [0.0], "c": [1.0], "d": [-1.0, 0.0, 1.0]}
    again = dict(reversed(clusters.items()))
    assert clustered_interval(clusters) == clustered_interval(clusters)
    assert clustered_interval(clusters, resamples=20) == clustered_interval(again, resamples=20)
    assert clustered_interval(clusters, seed=1, resamples=50) != clustered_interval(clusters, seed=2, resamples=50)


@pytest.mark.parametrize("clusters", [{}, {"a": [1.0, 0.0, 1.0]}])
def test_one_task_has_no_interval(clusters: dict[str, list[float]]) -> None:
    assert all(math.isnan(bound) for bound in clustered_interval(clusters))


def test_paired_counts_each_way() -> None:
    outcomes = (
        [Outcome("a", True, False)] * 3 + [Outcome("b", False, True)] + [Outcome("b", True, True)] * 4
        + [Outcome("c", False, False)] * 2
    )  # fmt: skip
    result = paired(outcomes)
    assert (result.pairs, result.first_only, result.second_only) == (10, 3, 1)
    assert result.difference == pytest.approx(0.2)
    assert result.p_value == mcnemar(3, 1) == pytest.approx(0.625)
    assert (result.low, result.high) == clustered_interval({"a": [1] * 3, "b": [-1] + [0] * 4, "c": [0, 0]})
    assert result.low < 0 < result.high


def test_no_pairs_have_no_difference() -> None:
    result = paired([])
    assert (result.pairs, result.first_only, result.second_only, result.p_value) == (0, 0, 0, 1.0)
    assert math.isnan(result.difference)
    assert math.isnan(result.low)
