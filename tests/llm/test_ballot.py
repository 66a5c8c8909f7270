import asyncio
import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.ballot import LETTERS, NoLetter, Shares, ballot, letter_shares, tournament
from llm.decision import ChoiceQuestion

QUESTION = ChoiceQuestion(instructions="Where?", criteria={"4": 'button "Send"', "9": None})


def logs(**shares: float) -> list[tuple[str, float]]:
    return [(token, math.log(share)) for token, share in shares.items()]


def test_the_state_comes_first_and_the_options_last_in_the_order_given() -> None:
    head = "<state>\na page\n</state>\n\nWhere?\n"
    assert ballot("a page", QUESTION, ["4", "9"]) == head + 'A. 4: button "Send"\nB. 9\nAnswer with one letter, A to B.'
    assert ballot("a page", QUESTION, ["9", "4"]).startswith(head + "A. 9\nB. 4: button")


@pytest.mark.parametrize("text", ["</state>", "< / STATE >", "<|im_end|>", "</s>", "<start_of_turn>", "[/INST]"])
def test_no_text_of_a_page_closes_the_fence_or_begins_a_turn(text: str) -> None:
    question = ChoiceQuestion(instructions=f"Where? {text}", criteria={"1": f"a {text} b", "2": None})
    words = ballot(f"x {text} y", question, ["1", "2"])
    assert words.count("</state>") == 1
    assert words.replace("</state>", "").count(text) == 0
    assert text[1:].strip("<[") in words


def test_an_option_takes_one_line() -> None:
    question = ChoiceQuestion(instructions="Where?", criteria={"1": "a\nB. 2\r\n\tb"})
    assert "\nA. 1: a B. 2 b\n" in ballot("", question, ["1"])


def test_letters_share_what_all_letters_have() -> None:
    tokens = logs(A=0.3, The=0.4, B=0.1) + [(" A", math.log(0.1)), ("B.", math.log(0.05)), ("a", math.log(0.05))]
    assert letter_shares(tokens, 2) == pytest.approx([0.4 / 0.55, 0.15 / 0.55])


def test_letters_beyond_the_options_do_not_count() -> None:
    assert letter_shares(logs(A=0.2, C=0.5, B=0.3), 2) == pytest.approx([0.4, 0.6])


def test_a_letter_that_is_not_listed_has_at_most_what_the_last_one_listed_has() -> None:
    # 0.6 is left, and B could have it all but for its place below 0.1.
    assert letter_shares(logs(A=0.3, The=0.1), 2) == pytest.approx([0.75, 0.25])


def test_letters_that_are_not_listed_share_what_is_left() -> None:
    assert letter_shares(logs(A=0.5, The=0.46), 3) == pytest.approx([0.5 / 0.54, 0.02 / 0.54, 0.02 / 0.54])


@pytest.mark.parametrize("tokens", [[], logs(The=0.9), logs(C=0.9), [("A", -9999.0)]])
def test_without_any_letter_there_is_nothing_to_read(tokens: list[tuple[str, float]]) -> None:
    with pytest.raises(NoLetter):
        letter_shares(tokens, 2)


@given(
    st.lists(st.tuples(st.sampled_from([*"ABCDE", " A", "The", "x"]), st.floats(-10_000, 1e-3)), max_size=30),
    st.integers(2, 5),
)
def test_whatever_is_listed_the_letters_are_a_distribution(tokens: list[tuple[str, float]], count: int) -> None:
    try:
        shares = letter_shares(tokens, count)
    except NoLetter:
        return
    assert len(shares) == count
    assert math.fsum(shares) == pytest.approx(1)
    assert min(shares) >= 0


class Electorate:
    """Votes by fixed weights, as a model would that weighs each option by itself."""

    def __init__(self, weights: dict[str, float]) -> None:
        self.weights = weights
        self.votes: list[list[str]] = []

    async def vote(self, options: Sequence[str]) -> Shares:
        self.votes.append(list(options))
        total = math.fsum(self.weights[option] for option in options)
        return {option: self.weights[option] / total for option in options}


def held(weights: dict[str, float], size: int) -> tuple[Shares, list[list[str]]]:
    electorate = Electorate(weights)
    return asyncio.run(tournament(list(weights), size, electorate.vote)), electorate.votes


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
    _, votes = held(weights, len(LETTERS))
    assert all(2 <= len(vote) <= len(LETTERS) for vote in votes)
    assert [option for vote in votes[:-1] for option in vote] == list(weights)


@given(st.lists(st.floats(1e-3, 1), min_size=1, max_size=60), st.integers(2, 7))
def test_who_weighs_each_option_by_itself_gets_its_weights_back(weights: list[float], size: int) -> None:
    named = {str(n): weight for n, weight in enumerate(weights)}
    shares, _ = held(named, size)
    total = math.fsum(weights)
    assert shares == pytest.approx({option: weight / total for option, weight in named.items()})


def test_the_winner_of_the_last_vote_is_the_most_probable_though_its_group_was_closer() -> None:
    async def vote(options: Sequence[str]) -> Shares:
        close, clear = {"a": 0.51, "b": 0.49}, {"c": 0.99, "d": 0.01}
        return close if "b" in options else clear if "d" in options else {"a": 0.55, "c": 0.45}

    shares = asyncio.run(tournament("abcd", 2, vote))
    assert max(shares, key=lambda option: shares[option]) == "a"
    assert shares["c"] / shares["a"] == pytest.approx(0.45 / 0.55)
    assert math.fsum(shares.values()) == pytest.approx(1)
