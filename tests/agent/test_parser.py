import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.agent import AgentDecision
from agent.parser import ANSWER_LIMIT, REASON_LIMIT, ParseError, decision_schema, parse_decision
from browser.actions import CORE_ACTIONS, TEXT_LIMIT, ActionName, Click, Type, action_schema
from browser.observation import Box, InteractiveElement, Observation, SelectOption

BOX = Box(x=0, y=0, width=10, height=10)
PAGE = Observation(
    goal="g",
    url="http://x/",
    title="t",
    elements=(
        InteractiveElement(id=1, role="button", name="Go", box=BOX),
        InteractiveElement(id=2, role="textbox", name="Name", editable=True, box=BOX),
        InteractiveElement(id=12, role="combobox", name="Colour", options=(SelectOption(label="Red"),), box=BOX),
    ),
)
CLICK = '{"reason": "r", "action": {"type": "click", "element_id": 1}}'


def parse(text: str, offered: tuple[ActionName, ...] = CORE_ACTIONS) -> AgentDecision:
    return parse_decision(text, PAGE, offered)


def fault(text: str, offered: tuple[ActionName, ...] = CORE_ACTIONS) -> str:
    with pytest.raises(ParseError) as caught:
        parse(text, offered)
    return str(caught.value)


def test_an_exact_answer_is_a_decision() -> None:
    assert parse(CLICK) == AgentDecision(reason="r", action=Click(element_id=1))


def test_json_white_space_around_and_inside_and_any_key_order_are_json() -> None:
    assert parse('\n {"action":\t{"element_id": 1, "type": "click"},\r\n "reason": "r"} \n') == parse(CLICK)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("\x00", "Not JSON"),
        ("click 1", "Not JSON"),
        ("null", "not an object"),
        ("true", "not an object"),
        ("3", "not an object"),
        ('"click"', "not an object"),
        (f"[{CLICK}]", "not an object"),
        ("{}", '"reason" is missing'),
        ('{"reason": "r"}', '"action" is missing'),
        ('{"action": {"type": "wait"}}', '"reason" is missing'),
        (CLICK + " I hope this helps", "text after the JSON object"),
        (CLICK + CLICK, "text after the JSON object"),
        (CLICK + "}", "text after the JSON object"),
        ("Sure! " + CLICK, "Not JSON"),
        (f"```json\n{CLICK}\n```", "code fence"),
        (f"\n```\n{CLICK}\n```", "code fence"),
        ("\ufeff" + CLICK, "byte order mark"),
        ("\u00a0" + CLICK, "Not JSON"),
        (CLICK[:-1], "Not JSON"),
        (CLICK.replace('"', "'"), "Not JSON"),
        (CLICK.replace("}}", ",}}"), "Not JSON"),
        (CLICK.replace('"r"', '"a\nb"'), "Not JSON"),
        (CLICK.replace('"r"', "/* why */ 1"), "Not JSON"),
        ('{"reason": "r", "action": {"type": "wait"}, "thought": "t"}', "'thought' does not belong"),
        ('{"Reason": "r", "action": {"type": "wait"}}', "'Reason' does not belong"),
        ('{"reason": "r", "reason": "s", "action": {"type": "wait"}}', "'reason' is there twice"),
        ('{"reason": "r", "action": {"type": "wait"}, "action": {"type": "wait"}}', "'action' is there twice"),
        ('{"reason": "r", "action": {"type": "wait", "type": "wait"}}', "'type' is there twice"),
        ('{"reason": "r", "action": {"type": "wait", "x": [{"a": 1, "a": 1}]}}', "'a' is there twice"),
        ('{"reason": "r", "action": {"type": "wait", "t\\u0079pe": "wait"}}', "'type' is there twice"),
        ('{"reason": NaN, "action": {"type": "wait"}}', "NaN is not JSON"),
        ('{"reason": "r", "action": {"type": "click", "element_id": Infinity}}', "Infinity is not JSON"),
        ('{"reason": "r", "action": {"type": "click", "element_id": -Infinity}}', "-Infinity is not JSON"),
        ('{"reason": "r", "action": {"type": "click", "element_id": 1e999}}', "element_id"),
        ('{"reason": 5, "action": {"type": "wait"}}', '"reason" must be a string'),
        ('{"reason": null, "action": {"type": "wait"}}', '"reason" must be a string'),
        ('{"reason": ["r"], "action": {"type": "wait"}}', '"reason" must be a string'),
        ('{"reason": "r", "action": "wait"}', '"action" must be an object'),
        ('{"reason": "r", "action": null}', '"action" must be an object'),
        ('{"reason": "r", "action": [{"type": "wait"}]}', '"action" must be an object'),
        ('{"reason": "r", "action": {}}', "action.type must be one of"),
        ('{"reason": "r", "action": {"type": "hover", "element_id": 1}}', "action.type must be one of"),
        ('{"reason": "r", "action": {"type": "click", "element_id": true}}', "element_id"),
        ('{"reason": "r", "action": {"type": "click", "element_id": 12.0}}', "element_id"),
        ('{"reason": "r", "action": {"type": "click", "element_id": "12"}}', "element_id"),
        ('{"reason": "r", "action": {"type": "click", "element_id": [12]}}', "element_id"),
        ('{"reason": "r", "action": {"type": "click", "element_id": 1, "x": 0}}', "x: Extra"),
        (
            '{"reason": "r", "action": {"type": "click", "element_id": 3}}',
            "No element 3 on this page; ids are 1, 2, 12",
        ),
        ('{"reason": "r", "action": {"type": "type", "element_id": 1, "text": "a"}}', "takes no text"),
        ('{"reason": "r", "action": {"type": "select", "element_id": 12, "option": "Blue"}}', "options are 'Red'"),
        ('{"reason": "r", "action": {"type": "navigate", "url": "javascript:1"}}', "absolute http"),
        ('{"reason": "\\ud800", "action": {"type": "wait"}}', "surrogate"),
        ('{"reason": "r", "action": {"type": "type", "element_id": 2, "text": "\\udfff"}}', "surrogate"),
        ('{"reason": "r", "action": {"type": "wait"}, "\\ud800": 1}', "surrogate"),
        ('{"reason": "\ud800", "action": {"type": "wait"}}', "surrogate"),
        ('{"reason": "r", "action": {"type": "click", "element_id": ' + "1" * 5_000 + "}}", "too many digits"),
        ('{"reason": "r", "action": {"type": "click", "element_id": ' + "1" * 4_000 + "}}", "element_id"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 20_000, "nested too deeply"),
        ('{"reason": "r", "action": {"type": ' + "[" * 400 + "]" * 400 + "}}", "type list"),
    ],
    ids=lambda value: repr(value)[:70],
)
def test_anything_else_is_refused_with_its_fault(text: str, part: str) -> None:
    assert part in fault(text)


def test_an_action_that_is_not_offered_is_refused() -> None:
    assert "one of type, finish; got 'click'" in fault(CLICK, ("type", "finish"))


def test_limits_hold_at_the_character() -> None:
    longest = json.dumps({"reason": "\U0001f600" * REASON_LIMIT, "action": {"type": "wait"}})
    assert len(parse(longest).reason) == REASON_LIMIT
    assert "longer than" in fault(json.dumps({"reason": "x" * (REASON_LIMIT + 1), "action": {"type": "wait"}}))
    assert "longer than" in fault(CLICK + " " * (ANSWER_LIMIT + 1 - len(CLICK)))
    assert parse(CLICK + " " * (ANSWER_LIMIT - len(CLICK))) == parse(CLICK)


def test_the_longest_decision_fits_however_it_is_escaped() -> None:
    decision = AgentDecision(
        reason="\U0001f600" * REASON_LIMIT, action=Type(element_id=2, text="\U0001f600" * TEXT_LIMIT)
    )
    assert parse(json.dumps(decision.model_dump(), ensure_ascii=True, indent=8)) == decision


TEXT = st.text(st.characters(codec="utf-8"), max_size=50)
ACTIONS_ON_PAGE: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from(
        [
            {"type": "click", "element_id": 1},
            {"type": "select", "element_id": 12, "option": "Red"},
            {"type": "press", "element_id": None, "key": "Enter"},
            {"type": "scroll", "direction": "up"},
            {"type": "navigate", "url": "https://example.org/"},
            {"type": "go_back"},
            {"type": "wait"},
        ]
    ),
    st.builds(lambda text: {"type": "type", "element_id": 2, "text": text}, TEXT),
    st.builds(lambda text: {"type": "finish", "message": text}, TEXT),
)


@given(TEXT, ACTIONS_ON_PAGE, st.booleans(), st.sampled_from([None, 2]))
def test_a_valid_decision_survives_being_written_and_read(
    reason: str, action: dict[str, Any], ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps({"reason": reason, "action": action}, ensure_ascii=ascii_only, indent=indent)
    decision = parse(text)
    assert decision.reason == reason
    assert {key: decision.action.model_dump()[key] for key in action} == action
    assert parse(decision.model_dump_json()) == decision


def decision_or_fault(text: str) -> None:
    """Parse, and fail on any other outcome than a decision or a short reason that can be sent."""
    try:
        outcome: AgentDecision | str = parse(text)
    except ParseError as error:
        outcome = str(error)
    assert isinstance(outcome, AgentDecision) or 0 < len(outcome.encode("utf-8")) < 700


@given(st.text(st.characters(codec=None)))
def test_any_text_is_a_decision_or_a_parse_error(text: str) -> None:
    decision_or_fault(text)


@given(st.binary(), st.sampled_from(["utf-8", "latin-1", "utf-16-le"]), st.sampled_from(["surrogateescape", "replace"]))
def test_any_bytes_read_as_text_are_a_decision_or_a_parse_error(data: bytes, encoding: str, errors: str) -> None:
    if encoding == "utf-16-le" and errors == "surrogateescape":
        errors = "surrogatepass"
        data = data[: len(data) // 2 * 2]
    decision_or_fault(data.decode(encoding, errors))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["reason", "action", "type", "element_id", "\ud800"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON, st.booleans())
def test_any_json_value_is_a_decision_or_a_parse_error(value: object, ascii_only: bool) -> None:
    decision_or_fault(json.dumps(value, ensure_ascii=ascii_only))


@given(st.integers(0, len(CLICK) - 1), st.text(st.characters(codec=None), max_size=2))
def test_a_damaged_answer_is_a_decision_or_a_parse_error(at: int, patch: str) -> None:
    decision_or_fault(CLICK[:at] + patch + CLICK[at + 1 :])


def test_the_schema_of_a_decision_holds_the_schema_of_its_action() -> None:
    schema = decision_schema(("click", "finish"), PAGE)
    assert schema["required"] == ["reason", "action"] == list(schema["properties"])
    assert schema["additionalProperties"] is False
    assert schema["properties"]["action"] == action_schema(("click", "finish"), PAGE)
    assert schema["properties"]["reason"]["maxLength"] == REASON_LIMIT


MIXED = PAGE.model_copy(
    update={
        "elements": (
            *PAGE.elements,
            InteractiveElement(id=20, role="button", disabled=True, box=BOX),
            InteractiveElement(id=21, role="textbox", editable=True, readonly=True, box=BOX),
            InteractiveElement(id=22, role="textbox", editable=True, disabled=True, box=BOX),
            InteractiveElement(id=23, role="combobox", options=(SelectOption(label="Red"),), disabled=True, box=BOX),
        )
    }
)


@pytest.mark.parametrize(
    ("name", "fields"),
    [("click", {}), ("type", {"text": "x"}), ("select", {"option": "Red"}), ("press", {"key": "Enter"})],
)
def test_the_schema_lists_exactly_the_ids_that_the_parser_takes(name: ActionName, fields: dict[str, str]) -> None:
    [variant] = decision_schema((name,), MIXED)["properties"]["action"]["anyOf"]
    listed = [id for id in variant["properties"]["element_id"]["enum"] if id is not None]
    taken = []
    for element in MIXED.elements:
        action = {"type": name, "element_id": element.id} | fields
        try:
            parse_decision(json.dumps({"reason": "r", "action": action}), MIXED, (name,))
            taken.append(element.id)
        except ParseError:
            pass
    assert listed == taken


def test_an_action_that_no_element_can_take_is_not_in_the_schema() -> None:
    bare = MIXED.model_copy(update={"elements": MIXED.elements[3:4]})
    variants = decision_schema(("click", "type", "select", "wait"), bare)["properties"]["action"]["anyOf"]
    assert [variant["properties"]["type"]["const"] for variant in variants] == ["wait"]
    assert decision_schema(("click",), bare)["properties"]["action"] == {"not": {}}
