import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.tournament import Shares, decide


class Electorate:
    """Votes by fixed weights, as a model would that weighs each option by itself."""

    def __init__(self, weights: dict[str, float]) -> None:
        self.weights = weights
        self.votes: list[list[str]] = []

    def vote(self, options: Sequence[str]) -> Shares:
        self.votes.append(list(options))
        total = math.fsum(self.weights[option] for option in options)
        return {option: self.weights[option] / total for option in options}


def held(weights: dict[str, float], size: int) -> tuple[Shares, list[list[str]]]:
    electorate = Electorate(weights)
    return decide(list(weights), size, electorate.vote), electorate.votes


def test_what_fits_one_vote_is_one_vote() -> None:
    shares, votes = held({"a": 1, "b": 3}, 2)
    assert votes == [["a", "b"]]
    assert shares == {"a": 0.25, "b": 0.75}


def test_more_vote_in_even_groups_and_their_winners_last() -> None:
    _, votes = held({option: n + 1 for n, option in enumerate("abcdefg")}, 3)
    assert [vote for vote in votes if len(vote) != 3] == [["a", "b"], ["c", "d"]]
    assert votes == [["a", "b"], ["c", "d"], ["e", "f", "g"], ["b", "d", "g"]]


def test_no_group_is_larger_than_the_letters_and_none_is_alone() -> None:
    weights = {str(n): 1.0 + n for n in range(255)}
    _, votes = held(weights, 26)
    assert all(2 <= len(vote) <= 26 for vote in votes)
    assert [option for vote in votes[:-1] for option in vote] == list(weights)


@given(st.lists(st.floats(1e-3, 1), min_size=1, max_size=60), st.integers(2, 7))
def test_who_weighs_each_option_by_itself_gets_its_weights_back(weights: list[float], size: int) -> None:
    """Q6"""
    named = {str(n): weight for n, weight in enumerate(weights)}
    shares, _ = held(named, size)
    total = math.fsum(weights)
    assert shares == pytest.approx({option: weight / total for option, weight in named.items()})


def test_the_winner_of_the_last_vote_is_the_most_probable_though_its_group_was_closer() -> None:
    def vote(options: Sequence[str]) -> Shares:
        close, clear = {"a": 0.51, "b": 0.49}, {"c": 0.99, "d": 0.01}
        return close if "b" in options else clear if "d" in options else {"a": 0.55, "c": 0.45}

    shares = decide("abcd", 2, vote)
    assert max(shares, key=lambda option: shares[option]) == "a"
    assert shares["c"] / shares["a"] == pytest.approx(0.45 / 0.55)
    assert math.fsum(shares.values()) == pytest.approx(1)
