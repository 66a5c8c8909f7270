import json
import re
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from browser.actions import (
    ACTIONS,
    CORE_ACTIONS,
    EXTENDED_ACTIONS,
    ID_LIMIT,
    PIXEL_LIMIT,
    TEXT_LIMIT,
    URL_LIMIT,
    ActionName,
    BrowserAction,
    Click,
    ClickAt,
    DoubleClick,
    Drag,
    DragBy,
    Hover,
    Keys,
    Navigate,
    Press,
    ScrollIn,
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
    {"type": "hover", "element_id": 1},
    {"type": "double_click", "element_id": 1},
    {"type": "click_at", "element_id": 1, "x": 0, "y": PIXEL_LIMIT},
    {"type": "drag", "element_id": 1, "to_element_id": 2},
    {"type": "drag_by", "element_id": 1, "dx": -PIXEL_LIMIT, "dy": 0},
    {"type": "drag_by", "element_id": 1, "dx": 5, "dy": 5, "x": None, "y": None},
    {"type": "drag_by", "element_id": 1, "dx": 5, "dy": 5, "x": 0, "y": 9},
    {"type": "keys", "keys": "Control+Shift+T"},
    {"type": "keys", "element_id": 2, "keys": "F2"},
    {"type": "scroll_in", "element_id": 1, "direction": "up"},
]


def test_the_good_ones_are_of_every_kind() -> None:
    assert {value["type"] for value in GOOD} == set(EXTENDED_ACTIONS) == set(ACTIONS)


@pytest.mark.parametrize("value", GOOD, ids=repr)
def test_every_action_is_parsed_allowed_and_comes_back_as_it_was(value: dict[str, Any]) -> None:
    action = parse_action(value, EXTENDED_ACTIONS)
    check_action(action, PAGE, EXTENDED_ACTIONS)
    assert isinstance(action, ACTIONS[value["type"]])
    assert parse_action(action.model_dump(), EXTENDED_ACTIONS) == action
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


DRAG_BY = {"type": "drag_by", "element_id": 1, "dx": 1, "dy": 1}


@pytest.mark.parametrize(
    ("value", "part"),
    [
        ({"type": "hover"}, "element_id: Field required"),
        ({"type": "hover", "element_id": 0}, "element_id"),
        ({"type": "hover", "element_id": 1, "x": 1}, "x: Extra"),
        ({"type": "double_click", "element_id": "1"}, "element_id"),
        ({"type": "double_click", "element_id": 1, "times": 2}, "times: Extra"),
        ({"type": "doubleclick", "element_id": 1}, "'doubleclick'"),
        ({"type": "click_at", "element_id": 1, "x": 1}, "y: Field required"),
        ({"type": "click_at", "element_id": 1, "x": -1, "y": 0}, "x"),
        ({"type": "click_at", "element_id": 1, "x": 0, "y": PIXEL_LIMIT + 1}, "y"),
        ({"type": "click_at", "element_id": 1, "x": 0.5, "y": 0}, "x"),
        ({"type": "click_at", "element_id": 1, "x": True, "y": 0}, "x"),
        ({"type": "click_at", "element_id": None, "x": 1, "y": 1}, "element_id"),
        ({"type": "drag", "element_id": 1}, "to_element_id: Field required"),
        ({"type": "drag", "element_id": 1, "to_element_id": None}, "to_element_id"),
        ({"type": "drag", "element_id": 1, "to_element_id": 0}, "to_element_id"),
        ({"type": "drag", "element_id": 1, "to_element_id": 2, "dx": 1}, "dx: Extra"),
        ({"type": "drag_by", "element_id": 1, "dx": 1}, "dy: Field required"),
        (DRAG_BY | {"dx": None}, "dx"),
        (DRAG_BY | {"dx": 1.0}, "dx"),
        (DRAG_BY | {"dy": PIXEL_LIMIT + 1}, "dy"),
        (DRAG_BY | {"dy": -PIXEL_LIMIT - 1}, "dy"),
        (DRAG_BY | {"x": -1, "y": 1}, "x"),
        (DRAG_BY | {"x": 1, "y": "1"}, "y"),
        (DRAG_BY | {"to_element_id": 2}, "to_element_id: Extra"),
        ({"type": "keys"}, "keys: Field required"),
        ({"type": "keys", "keys": None}, "keys"),
        ({"type": "keys", "keys": ["a"]}, "keys"),
        ({"type": "keys", "element_id": 0, "keys": "a"}, "element_id"),
        ({"type": "keys", "key": "Enter"}, "key"),
        ({"type": "scroll_in", "element_id": 1}, "direction: Field required"),
        ({"type": "scroll_in", "direction": "up"}, "element_id: Field required"),
        ({"type": "scroll_in", "element_id": 1, "direction": "Up"}, "direction"),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_the_finer_actions_are_taken_as_strictly(value: object, part: str) -> None:
    with pytest.raises(ActionRejected) as caught:
        parse_action(value, EXTENDED_ACTIONS)
    assert part in str(caught.value)


CHORDS = (
    "a", "A", "7", "+", "?", "/", "Tab", "Space", "Insert", "F1", "F12", "Control+A", "Control++", "Control+-",
    "Shift+Tab", "Control+Shift+ArrowLeft", "Alt+F4", "Control+Shift+Alt+Meta+x",
)  # fmt: skip
NO_CHORDS = (
    "", " ", "abc", "Control", "Control+", "Shift+", "++", "+a", "a+b", "Control+ab", "Ctrl+A", "control+a",
    "Control +A", "Control+A ", "Control+A\n", "F0", "F13", "Space+a", "Enter+Enter", "é", "\t", "Control+Control",
    "Up", "Esc", "x" * 500,
)  # fmt: skip


@pytest.mark.parametrize("keys", CHORDS)
def test_a_key_with_or_without_modifiers_is_a_chord(keys: str) -> None:
    assert parse_action({"type": "keys", "keys": keys}, EXTENDED_ACTIONS) == Keys(keys=keys)


@pytest.mark.parametrize("keys", NO_CHORDS, ids=lambda keys: repr(keys)[:40])
def test_anything_else_is_none_and_an_example_is_given(keys: str) -> None:
    with pytest.raises(ActionRejected) as caught:
        parse_action({"type": "keys", "keys": keys}, EXTENDED_ACTIONS)
    expected = "action keys: keys: Should be one key, after modifiers or alone, such as Control+A, Shift+Tab or F2."
    assert str(caught.value) == expected


def test_the_schema_of_a_chord_agrees_with_its_check() -> None:
    (variant,) = action_schema(("keys",))["anyOf"]
    pattern = variant["properties"]["keys"]["pattern"]
    assert all(re.search(pattern, keys) for keys in CHORDS)
    # Python's "$" also fits before a last newline, a JSON schema's does not.
    assert not [keys for keys in NO_CHORDS if re.search(pattern.replace("$", r"\Z"), keys)]


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


@pytest.mark.parametrize(
    ("action", "part"),
    [
        *((kind(element_id=5, **rest), "No element 5 on this page; ids are 1, 2, 3, 4, 7.") for kind, rest in (
            (Hover, {}), (DoubleClick, {}), (ClickAt, {"x": 1, "y": 1}), (Drag, {"to_element_id": 1}),
            (DragBy, {"dx": 1, "dy": 1}), (Keys, {"keys": "a"}), (ScrollIn, {"direction": "up"}),
        )),
        *((kind(element_id=7, **rest), "Element 7 is disabled.") for kind, rest in (
            (Hover, {}), (DoubleClick, {}), (ClickAt, {"x": 1, "y": 1}), (Drag, {"to_element_id": 1}),
            (DragBy, {"dx": 1, "dy": 1}), (Keys, {"keys": "a"}), (ScrollIn, {"direction": "up"}),
        )),
        (Drag(element_id=1, to_element_id=5), "No element 5 on this page"),
        (Drag(element_id=1, to_element_id=7), "Element 7 is disabled."),
        (Drag(element_id=1, to_element_id=1), "drag takes two elements; drag_by moves one by an offset."),
        (DragBy(element_id=1, dx=1, dy=1, x=1), "drag_by takes both x and y, or neither."),
        (DragBy(element_id=1, dx=1, dy=1, y=0), "drag_by takes both x and y, or neither."),
    ],
    ids=repr,
)  # fmt: skip
def test_a_finer_action_the_page_does_not_allow_says_so(action: Any, part: str) -> None:
    with pytest.raises(ActionRejected) as caught:
        check_action(action, PAGE, EXTENDED_ACTIONS)
    assert part in str(caught.value)


@pytest.mark.parametrize("name", sorted(set(EXTENDED_ACTIONS) - set(CORE_ACTIONS)))
def test_the_finer_actions_are_off_unless_asked_for(name: ActionName) -> None:
    action = parse_action(next(value for value in GOOD if value["type"] == name), EXTENDED_ACTIONS)
    with pytest.raises(ActionRejected, match=f"{name} is not offered here"):
        check_action(action, PAGE)
    with pytest.raises(ActionRejected, match=r"action\.type must be one of click, "):
        parse_action(action.model_dump())


SECRET = InteractiveElement(id=1, role="textbox", name="Password", editable=True, credential=True, box=BOX)
OPEN_FIELD = InteractiveElement(id=2, role="textbox", name="Name", editable=True, box=BOX)
PLAIN = InteractiveElement(id=3, role="generic", name="text", box=BOX)


def permitted(action: Any, *, focused: int | None = None, allow: bool = False) -> bool:
    elements = tuple(e.model_copy(update={"focused": e.id == focused}) for e in (SECRET, OPEN_FIELD, PLAIN))
    page = EMPTY.model_copy(update={"elements": elements})
    try:
        check_permitted(action, page, allow_credentials=allow, allowed_hosts=None)
    except ActionRejected:
        return False
    return True


def test_the_refusal_names_the_field() -> None:
    page = EMPTY.model_copy(update={"elements": (SECRET,)})
    with pytest.raises(ActionRejected, match="Element 1 asks for a password, a code or card data; this run puts"):
        check_permitted(Keys(element_id=1, keys="a"), page, allow_credentials=False, allowed_hosts=None)


@pytest.mark.parametrize("keys", ["a", "A", "7", "+", "Space", "Shift+a", "Control+V", "Control++", "Shift+Insert"])
def test_keys_that_write_paste_or_copy_need_leave_where_a_secret_would_get_them(keys: str) -> None:
    assert not permitted(Keys(element_id=1, keys=keys))
    assert not permitted(Keys(keys=keys), focused=1)
    assert not permitted(Keys(element_id=3, keys=keys), focused=1), "what takes no focus leaves it where it was"
    assert permitted(Keys(element_id=2, keys=keys), focused=1), "a field takes the focus"
    assert permitted(Keys(keys=keys), focused=2)
    assert permitted(Keys(keys=keys))
    assert permitted(Keys(element_id=1, keys=keys), allow=True)


@pytest.mark.parametrize(
    "keys", ["Tab", "Shift+Tab", "Enter", "Escape", "F2", "Control+Home", "Backspace", "ArrowLeft"]
)
def test_keys_that_write_nothing_need_no_leave(keys: str) -> None:
    assert permitted(Keys(element_id=1, keys=keys))
    assert permitted(Keys(keys=keys), focused=1)


@pytest.mark.parametrize(
    "action",
    [
        Type(element_id=1, text="x"),
        Press(element_id=1, key="Space"),
        Drag(element_id=2, to_element_id=1),
        Drag(element_id=1, to_element_id=2),
        DragBy(element_id=1, dx=5, dy=5),
    ],
    ids=repr,
)
def test_whatever_else_puts_text_into_a_secret_or_takes_it_out_needs_leave(action: Any) -> None:
    assert not permitted(action)
    assert permitted(action, allow=True)


def test_looking_at_a_secret_and_pointing_at_it_needs_no_leave() -> None:
    for action in (
        Click(element_id=1),
        Hover(element_id=1),
        Press(element_id=1, key="Enter"),
        DoubleClick(element_id=1),
    ):
        assert permitted(action)


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
FIELDS += ["to_element_id", "x", "y", "dx", "dy", "keys"]
NEAR = st.builds(
    lambda name, rest: {"type": name, **rest},
    st.sampled_from([*EXTENDED_ACTIONS, "other"]),
    st.dictionaries(
        st.sampled_from(FIELDS), JSON | st.sampled_from([1, 2, 4, "Red", "Enter", "up", "Control+A"]), max_size=5
    ),
)


@given(JSON | NEAR)
def test_any_value_is_an_action_or_one_short_sendable_sentence(value: object) -> None:
    try:
        outcome: Any = parse_action(value, EXTENDED_ACTIONS)
        check_action(outcome, PAGE, EXTENDED_ACTIONS)
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
    if "pattern" in schema:
        return [keys for keys in CHORDS if re.search(schema["pattern"], keys)]
    return {"string": ["", "x" * schema.get("maxLength", 9)], "null": [None]}[schema["type"]]


@pytest.mark.parametrize("page", [None, PAGE])
def test_what_the_schema_allows_is_what_the_parser_accepts(page: Observation | None) -> None:
    variants = {v["properties"]["type"]["const"]: v for v in action_schema(EXTENDED_ACTIONS, page)["anyOf"]}
    assert list(variants) == list(EXTENDED_ACTIONS)
    for name, variant in variants.items():
        assert variant["additionalProperties"] is False
        assert variant["required"] == list(variant["properties"]) == list(ACTIONS[name].model_fields)
        columns = [examples(schema) for schema in variant["properties"].values()]
        for row in range(max(map(len, columns))):
            keys = variant["properties"]
            value = {key: column[row % len(column)] for key, column in zip(keys, columns, strict=True)}
            parse_action(value, EXTENDED_ACTIONS)


def test_the_schema_limits_ids_to_the_page() -> None:
    def ids(name: ActionName, page: Observation) -> list[int | None]:
        (variant,) = action_schema((name,), page)["anyOf"]
        allowed: list[int | None] = variant["properties"]["element_id"]["enum"]
        return allowed

    assert ids("click", PAGE) == [1, 2, 3, 4, 7]
    assert ids("press", PAGE) == [1, 2, 3, 4, 7, None]
    assert ids("press", EMPTY) == [None]
    assert ids("keys", PAGE) == [1, 2, 3, 4, 7, None]
    (drag,) = action_schema(("drag",), PAGE)["anyOf"]
    assert drag["properties"]["to_element_id"] == {"enum": [1, 2, 3, 4, 7]}


def test_on_a_page_without_elements_the_schema_offers_only_what_needs_none() -> None:
    names = [v["properties"]["type"]["const"] for v in action_schema(CORE_ACTIONS, EMPTY)["anyOf"]]
    assert names == ["scroll", "press", "navigate", "go_back", "wait", "finish"]
    finer = [v["properties"]["type"]["const"] for v in action_schema(EXTENDED_ACTIONS, EMPTY)["anyOf"]]
    assert finer == [*names, "keys"]
    assert action_schema(("click", "type"), EMPTY) == {"not": {}}


def test_the_schema_is_json_and_names_no_default() -> None:
    text = json.dumps(action_schema(EXTENDED_ACTIONS, PAGE))
    assert '"default"' not in text
    assert '"$ref"' not in text


@pytest.mark.parametrize("name", EXTENDED_ACTIONS)
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
