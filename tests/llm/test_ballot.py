import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.ballot import NoLetter, ballot, letter_shares
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
