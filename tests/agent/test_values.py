from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.computed import computed_values, solve
from agent.values import MAX_GOAL_VALUES, TextValue, field_text, goal_values, page_values, read_date
from browser.observation import Box, InteractiveElement, Observation, TextBlock

BOX = Box(x=0, y=0, width=10, height=10)


def field(**changes: Any) -> InteractiveElement:
    return InteractiveElement(
        **{"id": 1, "role": "textbox", "tag": "input", "editable": True, "filled": False, "box": BOX, **changes}
    )


def page(*texts: str, elements: tuple[InteractiveElement, ...] = ()) -> Observation:
    blocks = tuple(TextBlock(text=text, position=0) for text in texts)
    return Observation(goal="", url="http://a/", title="", elements=elements, texts=blocks)


def value(text: str, kind: str) -> TextValue:
    return TextValue(text=text, source="goal_value", kind=kind, start=0)


@pytest.mark.parametrize(
    ("goal", "kind", "texts"),
    [
        ('Enter the username "ada" and the password "x1"', "quoted", ["ada", "x1"]),
        ("Book a flight from: Seattle, WA to: Reno, NV on 10/26/2016.", "labelled", ["Seattle, WA", "Reno, NV"]),
        ("Log in with user name ada and password s3cret.", "named", ["ada", "s3cret"]),
        ("Write to ada@example.org today", "email", ["ada@example.org"]),
        ("Open https://example.org/a?b=1 now", "url", ["https://example.org/a?b=1"]),
        ("Follow @ada and #chess", "handle", ["@ada", "#chess"]),
        ("Enter 01/21/2014 as the date", "date", ["01/21/2014"]),
        ("Pick March 3, 2024 please", "date", ["March 3, 2024"]),
        ("Enter 3:40 AM as the time", "time", ["3:40 AM"]),
        ("Select -2 with the spinner, then 7.5", "number", ["-2", "7.5"]),
        ("Forward Kare's mail to New York", "capitalised", ["Kare", "New York"]),
        ("Choose 5ft 11in from the list", "choice", ["5ft 11in"]),
        ("Search for blue suede shoes, then stop", "phrase", ["blue suede shoes"]),
    ],
)
def test_each_kind_of_span_is_found_where_it_stands(goal: str, kind: str, texts: list[str]) -> None:
    """T1"""
    found = [v for v in goal_values(goal) if v.kind == kind]
    assert [v.text for v in found] == texts
    assert all(goal[v.start : v.start + len(v.text)] == v.text for v in found)
    assert all(v.source == "goal_value" for v in found)


def test_what_quotes_mark_comes_before_what_merely_could_be_a_value() -> None:
    assert goal_values('Type "ada" into Name near London')[0].text == "ada"


def test_no_part_of_a_better_span_is_offered_on_its_own() -> None:
    texts = [v.text for v in goal_values('Enter 9:15 AM and "two words" on 10/24/2016')]
    assert not {"9", "15", "AM", "two", "words", "10", "24", "2016"} & set(texts)


@given(st.text(max_size=400))
def test_any_goal_gives_a_bounded_number_of_different_texts(goal: str) -> None:
    texts = [v.text for v in goal_values(goal)]
    assert len(texts) == len(set(texts)) <= MAX_GOAL_VALUES
    assert all(text in goal for text in texts)


def test_page_text_is_offered_only_where_the_goal_points_to_it() -> None:
    source = field(tag="textarea", value="to be copied ", filled=True)
    assert page_values("Click the button", page("some text", elements=(source,))) == ()
    copied = page_values("Copy the text and paste it", page("some text", elements=(source,)))
    assert [v.text for v in copied] == ["to be copied ", "some text"]
    assert {v.source for v in copied} == {"page_value"}


def test_the_text_of_a_credential_field_is_never_a_value() -> None:
    secret = field(credential=True, filled=True, value="hunter2")
    assert page_values("Copy the text", page(elements=(secret,))) == ()


def test_a_value_beside_a_label_belongs_to_the_field_of_that_label() -> None:
    fields = (field(id=1, before="Color:"), field(id=2, before="Year of Birth:"))
    table = page("Color", "navy", "Year of Birth", "1965", "Color:", "Year of Birth:", elements=fields)
    found = page_values("Enter the value that corresponds with each label", table)
    assert [(v.text, v.field_id) for v in found if v.kind == "page_value"] == [("navy", 1), ("1965", 2)]


def test_a_value_beside_a_label_that_the_goal_names_fits_any_field() -> None:
    found = page_values("Enter the value of Year of Birth", page("Color", "navy", "Year of Birth", "1965"))
    assert [(v.text, v.field_id) for v in found if v.kind == "page_value"] == [("1965", None)]


@pytest.mark.parametrize(
    ("changes", "text", "kind", "expected"),
    [
        ({"input_type": "date"}, "01/21/2014", "date", "2014-01-21"),
        ({"input_type": "date"}, "21 March 2014", "date", "2014-03-21"),
        ({"input_type": "date"}, "ada", "quoted", None),
        ({"input_type": "date"}, "99/99/2014", "date", None),
        ({"input_type": "time"}, "3:40 PM", "time", "15:40"),
        ({"input_type": "month"}, "01/21/2014", "date", "2014-01"),
        ({"input_type": "datetime-local"}, "01/21/2014", "date", "2014-01-21T00:00"),
        ({"input_type": "number"}, "-7.5", "number", "-7.5"),
        ({"input_type": "number"}, "seven", "token", None),
        ({"placeholder": "yyyy-mm-dd"}, "01/21/2014", "date", "2014-01-21"),
        ({"placeholder": "DD.MM.YY"}, "01/21/2014", "date", "21.01.14"),
        ({"placeholder": "Name"}, "01/21/2014", "date", "01/21/2014"),
    ],
)
def test_a_field_gets_a_value_in_the_form_it_takes(
    changes: dict[str, str], text: str, kind: str, expected: str | None
) -> None:
    """T1"""
    assert field_text(value(text, kind), field(**changes)) == expected


@given(st.text(max_size=30))
def test_reading_a_date_never_raises(text: str) -> None:
    read_date(text)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("4 + 7 =", 11),
        ("4 x 3 =", 12),
        ("0 x 3 =", 0),
        ("3x + 2 = 8", 2),
        ("5 - 8 = ?", -3),
        ("2 × 3 - 1 =", 5),
        ("8 / 4 =", 2),
        ("4 - x = 73", -69),
        ("3x = 9", 3),
        ("x + -3 = 9", 12),
        ("x = ", None),
        ("x * x = 9", None),
        ("1 / 0 =", None),
        ("no numbers here", None),
        ("a = b", None),
        ("x = .", None),
        ("x = 1.2.3", None),
        ("x + 1 = 4.", 3.0),
    ],
)
def test_solve_gives_the_value_or_the_one_unknown(text: str, answer: float | None) -> None:
    assert solve(text) == answer


@given(st.text(alphabet="0123456789x+-*/×÷()= .", max_size=20))
def test_solve_never_raises(text: str) -> None:
    solve(text)


@pytest.mark.parametrize(
    ("goal", "texts", "expected"),
    [
        ("Solve the math problem", ["4 + 7 ="], [("11", "computed_arithmetic", "page_value")]),
        ("Type the 3rd word", ["one two three, four"], [("three", "computed_word", "page_value")]),
        ("Type the last word", ["a", "one two three."], [("three", "computed_word", "page_value")]),
        ("Type the 9th word", ["one two"], []),
        ('Type "ADA" in all lower case', [], [("ada", "computed_case", "goal_value")]),
        ('Type "ada" in upper case', [], [("ADA", "computed_case", "goal_value")]),
        ("Type the text below", ["h", "0", "b"], [("h0b", "computed_joined", "page_value")]),
        ("Click the button", ["4 + 7 =", "h", "0"], []),
    ],
)
def test_values_are_worked_out_where_the_goal_asks(
    goal: str, texts: list[str], expected: list[tuple[str, str, str]]
) -> None:
    assert [(v.text, v.kind, v.source) for v in computed_values(goal, page(*texts))] == expected


def test_a_named_colour_is_written_as_the_colour_field_writes_it() -> None:
    fields = (field(id=1, value="AB2567", filled=True), field(id=2, value="#000000", filled=True), field(id=3))
    found = computed_values("Select maroon", page(elements=fields))
    assert [(v.text, v.field_id) for v in found] == [("800000", 1), ("#800000", 2)]
