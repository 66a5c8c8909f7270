import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from browser.actions import (
    ACTIONS,
    CORE_ACTIONS,
    ID_LIMIT,
    TEXT_LIMIT,
    URL_LIMIT,
    ActionName,
    BrowserAction,
    Click,
    Navigate,
    Press,
    Select,
    Type,
    action_prompt,
    action_schema,
    check_action,
    check_permitted,
    first_fault,
    parse_action,
)
from browser.errors import ActionRejected
from browser.observation import Box, InteractiveElement, Observation, SelectOption

BOX = Box(x=0, y=0, width=10, height=10)
OPTIONS = (SelectOption(label="Red"), SelectOption(label="Blue", disabled=True), SelectOption(label="Green"))
PAGE = Observation(
    goal="g",
    url="http://x/",
    title="t",
    elements=(
        InteractiveElement(id=1, role="button", name="Go", box=BOX),
        InteractiveElement(id=2, role="textbox", name="Name", editable=True, box=BOX),
        InteractiveElement(id=3, role="textbox", name="Fixed", editable=True, readonly=True, box=BOX),
        InteractiveElement(id=4, role="combobox", name="Colour", tag="select", options=OPTIONS, box=BOX),
        InteractiveElement(id=7, role="button", name="Off", disabled=True, box=BOX),
    ),
)
EMPTY = Observation(goal="g", url="http://x/", title="t")

GOOD: list[dict[str, Any]] = [
    {"type": "click", "element_id": 1},
    {"type": "type", "element_id": 2, "text": ""},
    {"type": "type", "element_id": 2, "text": 'é\n"\U0001f600'},
    {"type": "type", "element_id": 2, "text": "x" * TEXT_LIMIT},
    {"type": "select", "element_id": 4, "option": "Green"},
    {"type": "scroll", "direction": "left"},
    {"type": "press", "key": "Enter"},
    {"type": "press", "element_id": None, "key": "Enter"},
    {"type": "press", "element_id": 2, "key": "ArrowLeft"},
    {"type": "navigate", "url": "https://example.org/a?b#c"},
    {"type": "go_back"},
    {"type": "wait"},
    {"type": "finish", "message": ""},
]


@pytest.mark.parametrize("value", GOOD, ids=repr)
def test_every_action_is_parsed_allowed_and_comes_back_as_it_was(value: dict[str, Any]) -> None:
    action = parse_action(value)
    check_action(action, PAGE)
    assert isinstance(action, ACTIONS[value["type"]])
    assert parse_action(action.model_dump()) == action
    assert {key: action.model_dump()[key] for key in value} == value


@pytest.mark.parametrize(
    ("value", "part"),
    [
        (None, "nothing"),
        ([], "nothing"),
        ("click", "nothing"),
        ({}, "nothing"),
        ({"element_id": 1}, "nothing"),
        ({"type": None}, "nothing"),
        ({"type": ["click"]}, "type list"),
        ({"type": "Click", "element_id": 1}, "'Click'"),
        ({"type": "hover", "element_id": 1}, "'hover'"),
        ({"type": "click"}, "element_id: Field required"),
        ({"type": "click", "element_id": 0}, "element_id"),
        ({"type": "click", "element_id": -1}, "element_id"),
        ({"type": "click", "element_id": True}, "element_id"),
        ({"type": "click", "element_id": 1.0}, "element_id"),
        ({"type": "click", "element_id": "1"}, "element_id"),
        ({"type": "click", "element_id": None}, "element_id"),
        ({"type": "click", "element_id": ID_LIMIT + 1}, "element_id"),
        ({"type": "click", "element_id": 10**4000}, "element_id"),
        ({"type": "click", "element_id": 1, "text": "a"}, "text: Extra"),
        ({"type": "click", "element_id": 1, "click": 2}, "click: Extra"),
        ({"type": "type", "element_id": 2}, "text: Field required"),
        ({"type": "type", "element_id": 2, "text": None}, "text"),
        ({"type": "type", "element_id": 2, "text": 5}, "text"),
        ({"type": "type", "element_id": 2, "text": "x" * (TEXT_LIMIT + 1)}, "text"),
        ({"type": "type", "element_id": 2, "text": "\ud800"}, "text"),
        ({"type": "select", "element_id": 4, "option": ["Red"]}, "option"),
        ({"type": "scroll", "direction": "Down"}, "direction"),
        ({"type": "scroll"}, "direction"),
        ({"type": "press", "element_id": False, "key": "Enter"}, "element_id"),
        ({"type": "press", "key": "Control+A"}, "key"),
        ({"type": "navigate", "url": "https://a/" + "x" * URL_LIMIT}, "url"),
        ({"type": "go_back", "url": ""}, "url"),
        ({"type": "wait", "ms": 100}, "ms"),
        ({"type": "finish"}, "message"),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_anything_but_exactly_an_action_is_rejected_with_its_fault(value: object, part: str) -> None:
    with pytest.raises(ActionRejected) as caught:
        parse_action(value)
    assert part in str(caught.value)


def test_an_action_that_is_not_offered_is_rejected_by_both_checks() -> None:
    with pytest.raises(ActionRejected, match=r"one of click, finish; got 'wait'"):
        parse_action({"type": "wait"}, ("click", "finish"))
    with pytest.raises(ActionRejected, match="navigate is not offered here; offered are click, finish"):
        check_action(Navigate(url="http://a/"), PAGE, ("click", "finish"))


@pytest.mark.parametrize(
    ("action", "part"),
    [
        (Click(element_id=5), "No element 5 on this page; ids are 1, 2, 3, 4, 7."),
        (Click(element_id=7), "Element 7 is disabled."),
        (Press(element_id=7, key="Enter"), "Element 7 is disabled."),
        (Press(element_id=9, key="Enter"), "No element 9"),
        (Type(element_id=1, text="a"), "Element 1 (button) takes no text."),
        (Type(element_id=3, text="a"), "Element 3 (textbox) takes no text."),
        (Select(element_id=1, option="Red"), "Element 1 (button) has no options; click it instead."),
        (Select(element_id=4, option="red"), "has no option 'red'; its options are 'Red', 'Blue', 'Green'."),
        (Select(element_id=4, option=""), "has no option ''"),
        (Select(element_id=4, option="Blue"), "Option 'Blue' of element 4 is disabled."),
        (Navigate(url="javascript:alert(1)"), "absolute http or https"),
        (Navigate(url="file:///etc/passwd"), "absolute http or https"),
        (Navigate(url="/relative"), "absolute http or https"),
        (Navigate(url="https://"), "absolute http or https"),
        (Navigate(url="http:///path"), "absolute http or https"),
        (Navigate(url="https://a b/"), "absolute http or https"),
        (Navigate(url="https://a/\nx"), "absolute http or https"),
        (Navigate(url=" https://a/"), "absolute http or https"),
    ],
    ids=repr,
)
def test_an_action_the_page_does_not_allow_says_what_would_be(action: Any, part: str) -> None:
    with pytest.raises(ActionRejected) as caught:
        check_action(action, PAGE)
    assert part in str(caught.value)


def test_the_addressed_element_is_returned() -> None:
    element = check_action(Click(element_id=2), PAGE)
    assert element is not None
    assert element.name == "Name"
    assert check_action(Press(key="Enter"), PAGE) is None


def test_of_two_options_with_one_label_an_enabled_one_is_enough() -> None:
    options = (SelectOption(label="A", disabled=True), SelectOption(label="A"))
    element = InteractiveElement(id=1, role="combobox", options=options, box=BOX)
    page = EMPTY.model_copy(update={"elements": (element,)})
    assert check_action(Select(element_id=1, option="A"), page) is element


def test_ids_are_told_as_a_range_a_list_or_none() -> None:
    def told(ids: list[int]) -> str:
        elements = tuple(InteractiveElement(id=i, role="button", box=BOX) for i in ids)
        with pytest.raises(ActionRejected) as caught:
            check_action(Click(element_id=999), EMPTY.model_copy(update={"elements": elements}))
        return str(caught.value).split("; ")[1]

    assert told([]) == "it has no elements."
    assert told([4, 5, 6]) == "ids run 4 to 6."
    assert told([6, 5, 4]) == "ids are 6, 5, 4."
    assert told(list(range(1, 100, 2))).endswith("79 and 10 more.")


def test_a_long_list_of_options_is_cut_and_says_so() -> None:
    options = tuple(SelectOption(label=f"{n} {'x' * 500}") for n in range(30))
    element = InteractiveElement(id=1, role="combobox", options=options, box=BOX)
    with pytest.raises(ActionRejected, match="and 10 more") as caught:
        check_action(Select(element_id=1, option="y"), EMPTY.model_copy(update={"elements": (element,)}))
    assert len(str(caught.value)) < 1_500


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)) | st.just(10**4299),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec=None)), inner, max_size=3),
    max_leaves=6,
)
FIELDS = ["element_id", "text", "option", "direction", "key", "url", "message", "click", "x" * 5_000]
NEAR = st.builds(
    lambda name, rest: {"type": name, **rest},
    st.sampled_from([*CORE_ACTIONS, "hover"]),
    st.dictionaries(st.sampled_from(FIELDS), JSON | st.sampled_from([1, 2, 4, "Red", "Enter", "up"]), max_size=3),
)


@given(JSON | NEAR)
def test_any_value_is_an_action_or_one_short_sendable_sentence(value: object) -> None:
    try:
        outcome: Any = parse_action(value)
        check_action(outcome, PAGE)
    except ActionRejected as error:
        outcome = str(error)
    if isinstance(outcome, str):
        assert len(outcome.encode("utf-8")) < 500
        assert "\n" not in outcome
    else:
        assert isinstance(outcome, get_args(get_args(BrowserAction)[0]))


def test_a_value_nested_deeper_than_it_can_be_printed_is_rejected() -> None:
    deep: Any = "click"
    for _ in range(100_000):
        deep = [deep]
    for value in (deep, {"type": deep}, {"type": "click", "element_id": deep}, {"type": "wait", "x": deep}):
        with pytest.raises(ActionRejected):
            parse_action(value)


def examples(schema: dict[str, Any]) -> list[Any]:
    """Return values that a property's schema allows, its extremes among them."""
    if "const" in schema:
        return [schema["const"]]
    if "enum" in schema:
        return list(schema["enum"])
    if "anyOf" in schema:
        return [value for part in schema["anyOf"] for value in examples(part)]
    if schema["type"] == "integer":
        return [schema["minimum"], schema["maximum"]]
    return {"string": ["", "x" * schema.get("maxLength", 9)], "null": [None]}[schema["type"]]


@pytest.mark.parametrize("page", [None, PAGE])
def test_what_the_schema_allows_is_what_the_parser_accepts(page: Observation | None) -> None:
    variants = {v["properties"]["type"]["const"]: v for v in action_schema(CORE_ACTIONS, page)["anyOf"]}
    assert list(variants) == list(CORE_ACTIONS)
    for name, variant in variants.items():
        assert variant["additionalProperties"] is False
        assert variant["required"] == list(variant["properties"]) == list(ACTIONS[name].model_fields)
        columns = [examples(schema) for schema in variant["properties"].values()]
        for row in range(max(map(len, columns))):
            keys = variant["properties"]
            parse_action({key: column[row % len(column)] for key, column in zip(keys, columns, strict=True)})


def test_the_schema_limits_ids_to_the_page() -> None:
    def ids(name: ActionName, page: Observation) -> list[int | None]:
        (variant,) = action_schema((name,), page)["anyOf"]
        allowed: list[int | None] = variant["properties"]["element_id"]["enum"]
        return allowed

    assert ids("click", PAGE) == [1, 2, 3, 4, 7]
    assert ids("press", PAGE) == [1, 2, 3, 4, 7, None]
    assert ids("press", EMPTY) == [None]


def test_on_a_page_without_elements_the_schema_offers_only_what_needs_none() -> None:
    names = [v["properties"]["type"]["const"] for v in action_schema(CORE_ACTIONS, EMPTY)["anyOf"]]
    assert names == ["scroll", "press", "navigate", "go_back", "wait", "finish"]
    assert action_schema(("click", "type"), EMPTY) == {"not": {}}


def test_the_schema_is_json_and_names_no_default() -> None:
    text = json.dumps(action_schema(CORE_ACTIONS, PAGE))
    assert '"default"' not in text
    assert '"$ref"' not in text


@pytest.mark.parametrize("name", CORE_ACTIONS)
def test_the_prompt_names_every_field_of_every_offered_action_on_one_line(name: ActionName) -> None:
    (line,) = action_prompt((name,)).splitlines()
    assert f'"type": "{name}"' in line
    assert all(f'"{field}"' in line for field in ACTIONS[name].model_fields)
    assert line.endswith(str(ACTIONS[name].__doc__))


def test_a_fault_is_named_by_its_field_with_or_without_the_union_around_it() -> None:
    with pytest.raises(ValidationError) as caught:
        Click.model_validate({"type": "click", "element_id": "1"})
    assert first_fault(caught.value) == "element_id: Input should be a valid integer."


def test_the_prompt_has_what_is_offered_and_nothing_else() -> None:
    prompt = action_prompt(("scroll", "finish"))
    assert "up|down|left|right" in prompt
    assert len(prompt.splitlines()) == 2
    assert "click" not in prompt.lower()


@pytest.mark.parametrize(
    "url",
    ["HTTP://a.org/", " http://a.org/", "http://a.org/\n", "ht\ntp://a.org", "http:/a.org", "http:\\\\a.org", "http:///x",
     "file:///etc/hosts", "JavaScript:alert(1)", "data:text/html,x", "about:blank", "view-source:http://a.org",
     "http://other.org\\@a.org/"],
)  # fmt: skip
def test_navigate_takes_plain_web_addresses_only(url):
    observation = Observation(goal="", url="about:blank", title="")
    with pytest.raises(ActionRejected, match="absolute http or https address"):
        check_action(Navigate(url=url), observation, ("navigate",))


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("http://a.org/x", True), ("http://A.org:81/", True), ("http://b.org:8000/", True), ("http://sub.c.org/", True),
        ("http://user:word@a.org/", True), ("http://a.org@other.org/", False), ("http://a.org:80@other.org/", False),
        ("http://other.org/#@a.org", False), ("http://other.org?@a.org/", False), ("http://a.org./", False),
        ("http://b.org/", False), ("http://b.org:80/", False), ("http://c.org/", False), ("http://xc.org/", False),
        ("http://a.org.other.org/", False), ("http://a.org:99999/", False), ("http://a%2eorg/", False),
    ],
)  # fmt: skip
def test_allowed_hosts_are_the_hosts_a_browser_would_ask(url, allowed):
    hosts = ("a.org", "b.org:8000", ".c.org")
    if allowed:
        check_permitted(Navigate(url=url), None, allow_credentials=False, allowed_hosts=hosts)
        return
    with pytest.raises(ActionRejected, match="opens only addresses on"):
        check_permitted(Navigate(url=url), None, allow_credentials=False, allowed_hosts=hosts)
