import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.embedded.goal import MANY, read_goal


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    read_goal(text)


@pytest.mark.parametrize(
    ("goal", "name", "start"),
    [
        ("Click on Tab #2.", "tab #2", 9),
        ("Select tea and cake", "tea", 7),
        ("Select teapot", "tea", -1),
        ("Go to 12/24/2016", "24", -1),
        ("Add 24 of them", "24", 4),
        ("Add 24 of them", "", -1),
    ],
)
def test_a_name_is_found_as_whole_words_only(goal: str, name: str, start: int) -> None:
    assert read_goal(goal).find(name) == start


@pytest.mark.parametrize(
    ("goal", "number", "holds"),
    [
        ("Pick a number greater than 4", 5, True),
        ("Pick a number greater than 4", 4, False),
        ("Buy when the price is less than $58.10", 58.0, True),
        ("Buy when the price is below 58.10", 60, False),
        ("Generate an even number", 3, False),
        ("Generate an odd number", -3, True),
    ],
)
def test_a_condition_on_a_number(goal: str, number: float, holds: bool) -> None:
    condition = read_goal(goal).condition
    assert condition is not None
    assert condition.holds(number) is holds


@pytest.mark.parametrize(
    ("goal", "limit"),
    [
        ("Click the share button", 1),
        ("Click share on 2 posts", 2),
        ("Click share on three posts", 3),
        ("Click share on all posts", MANY),
        ("Order one of each item", MANY),
    ],
)
def test_how_many_alike_elements_are_meant(goal: str, limit: int) -> None:
    assert read_goal(goal).limit == limit


def test_words_to_write_and_receivers_are_not_words_to_find() -> None:
    goal = read_goal('Forward the mail from Kare to Cherlyn with the text "deep water"')
    assert "kar" in goal.stems
    assert not {"cherlyn", "deep", "wat"} & goal.stems


def test_ordinals_carry_the_words_they_count() -> None:
    (second,) = read_goal("Focus into the 2nd input textbox.").ordinals
    assert (second.n, second.stems[0], second.start) == (2, "input", 15)


def test_extremes_colours_and_sizes() -> None:
    assert read_goal("the cheapest one").extreme == -1
    assert read_goal("the longest one").extreme == 1
    goal = read_goal("Click on a small aqua circle")
    assert (goal.colors, goal.size) == (frozenset({"aqua"}), -1)
