"""BrowserGym's raw observation as ours, without a browser."""

from typing import Any

import numpy as np
import pytest

from browser.axtree import goal_texts, read_observation


def node(node_id: str, role: str, name: str = "", bid: str | None = None, **more: Any) -> dict[str, Any]:
    properties = [{"name": key, "value": {"value": value}} for key, value in more.pop("facts", {}).items()]
    marked = {} if bid is None else {"browsergym_id": bid}
    value = {"role": {"value": role}, "name": {"value": name}, "properties": properties, "childIds": []}
    return {"nodeId": node_id} | value | marked | more


NODES = [
    node("1", "RootWebArea", "A page", childIds=["2", "3", "5"]),
    node("2", "button", "Go", "7"),
    node("3", "listbox", "Colours", "8", facts={"multiselectable": True}, childIds=["4"]),
    node("4", "option", "red", facts={"selected": True}),
    node("5", "link", "Inside", "a9"),
    node("6", "InlineTextBox", "Go"),
]


def raw(**fields: Any) -> dict[str, Any]:
    box = {"visibility": 1.0, "clickable": True, "set_of_marks": True}
    return {
        "goal_object": ({"type": "text", "text": "Press Go."},),
        "open_pages_titles": ("A page", "Another"),
        "open_pages_urls": ("http://127.0.0.1/a", "http://127.0.0.1/b"),
        "active_page_index": np.asarray([0]),
        "url": "http://127.0.0.1/a",
        "screenshot": np.zeros((200, 300, 3), np.uint8),
        "dom_object": {
            "documents": [{"scrollOffsetX": 0, "scrollOffsetY": 50, "contentWidth": 300, "contentHeight": 900}]
        },
        "axtree_object": {"nodes": NODES},
        "extra_element_properties": {
            "7": box | {"bbox": [10, 20, 30, 10]},
            "8": box | {"bbox": [10, 500, 30, 10]},
            "a9": box | {"bbox": [0, 0, 5, 5]},
        },
        "last_action_error": "",
    } | fields


def test_what_browsergym_tells_is_taken_over() -> None:
    seen = read_observation(raw())
    assert (seen.goal, seen.url, seen.title) == ("Press Go.", "http://127.0.0.1/a", "A page")
    assert [(e.id, e.role, e.name, e.in_viewport) for e in seen.elements] == [
        (7, "button", "Go", True), (8, "listbox", "Colours", False)
    ]  # fmt: skip
    colours = seen.elements[1]
    assert colours.multiple
    assert [(option.label, option.selected) for option in colours.options] == [("red", True)]
    assert [(tab.title, tab.active) for tab in seen.tabs] == [("A page", True), ("Another", False)]
    assert seen.last_action_error is None
    assert seen.axtree is not None
    assert "[7] button 'Go'" in seen.axtree
    assert "InlineTextBox" not in seen.axtree


def test_its_raw_observation_stays_as_it_was() -> None:
    given = raw()
    read_observation(given)
    assert given["axtree_object"]["nodes"] == NODES


def test_what_it_does_not_tell_is_not_claimed() -> None:
    seen = read_observation(raw())
    assert not seen.can_go_back
    assert seen.omitted.elements == 1  # the one in a frame, whose id is no number


@pytest.mark.parametrize(("x", "y", "directions"), [(0, 0, ()), (0, 50, ("up",)), (9, 50.4, ("up", "left"))])
def test_a_page_that_was_scrolled_can_go_back_up(x: float, y: float, directions: tuple[str, ...]) -> None:
    document = {"scrollOffsetX": x, "scrollOffsetY": y, "contentWidth": 300, "contentHeight": 900}
    seen = read_observation(raw(dom_object={"documents": [document]}))
    assert seen.can_scroll == directions


def test_one_page_is_no_choice_of_tabs() -> None:
    seen = read_observation(raw(open_pages_titles=("A page",), open_pages_urls=("http://127.0.0.1/a",)))
    assert seen.tabs == ()


def test_a_long_error_becomes_one_sentence() -> None:
    error = "TimeoutError: Locator.click: Timeout 500ms exceeded.\nCall log:\n" + "  - waiting for element\n" * 50
    seen = read_observation(raw(last_action_error=error))
    assert seen.last_action_error
    assert len(seen.last_action_error) < 400
    assert "\n" not in seen.last_action_error


@pytest.mark.parametrize(
    ("goal", "texts"),
    [
        ("Press Go.", ["Press Go."]),
        (None, []),
        ([], []),
        (
            [{"type": "text", "text": "Find this:"}, {"type": "image_url", "image_url": "data:"}],
            ["Find this:", "[an image, which this agent does not see]"],
        ),
    ],
)
def test_a_goal_is_text_whatever_its_form(goal: Any, texts: list[str]) -> None:
    assert goal_texts(goal) == texts
