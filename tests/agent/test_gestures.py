"""What pointer and keys are offered to do, and that it is offered only where a run and a page allow it."""

from typing import Any

import pytest

from agent.candidates import build_candidates
from agent.carrying_out import to_action
from agent.gesture_words import gesture_id
from agent.gestures import MAX_OF_KIND
from agent.questions import build_request, describe
from agent.tick import Candidate, Tick
from browser.actions import (
    CORE_ACTIONS,
    EXTENDED_ACTIONS,
    ClickAt,
    DoubleClick,
    Drag,
    DragBy,
    Hover,
    Keys,
    ScrollIn,
    check_action,
)
from browser.observation import Box, InteractiveElement, Observation


def element(number: int, role: str = "generic", x: int = 0, y: int = 0, size: int = 20, **changes: Any) -> Any:
    box = changes.pop("box", Box(x=x, y=y, width=size, height=size))
    return InteractiveElement(**{"id": number, "role": role, "tag": "div", "box": box, **changes})


def page(*elements: InteractiveElement) -> Observation:
    return Observation(goal="", url="http://a/", title="", elements=elements)


def gestures(goal: str, observation: Observation, **options: Any) -> list[Candidate]:
    found = build_candidates(goal, observation, (), EXTENDED_ACTIONS, **options)
    core = build_candidates(goal, observation, (), CORE_ACTIONS, **options)
    return [candidate for candidate in found if candidate not in core]


CIRCLE = element(1, "graphic", tag="circle", shape="circle", x=20, y=20)
BOX = element(2, "graphic", tag="rect", shape="rectangle", x=80, y=80, size=60)
SUBMIT = element(3, "button", tag="button", name="Submit", y=150)
TEXT = element(4, "textbox", tag="div", editable=True, filled=True, value="one two three")


def test_what_is_drawn_is_dragged_onto_another_by_the_way_between_their_middles() -> None:
    found = gestures("Drag the circle into the box", page(CIRCLE, BOX, SUBMIT))
    onto = next(c for c in found if (c.element_id, c.to_element_id) == (1, 2))
    assert to_action(onto) == DragBy(element_id=1, dx=80, dy=80)
    assert 3 not in {id for c in found for id in (c.element_id, c.to_element_id)}  # nobody drags a button


def test_what_the_page_marks_as_draggable_is_dragged_whatever_the_goal_says() -> None:
    card, column = element(1, name="Milk", draggable=True), element(2, name="Done", x=100, size=80)
    found = gestures("Finish the milk", page(card, column))
    assert [to_action(c) for c in found] == [Drag(element_id=1, to_element_id=2)]


def test_a_side_that_the_goal_names_and_an_amount() -> None:
    near = gestures("Drag the circle to the left", page(CIRCLE))
    assert [to_action(c) for c in near] == [DragBy(element_id=1, dx=-40, dy=0)]
    far = gestures("Drag the circle down by 75 px", page(CIRCLE))
    assert [to_action(c) for c in far] == [DragBy(element_id=1, dx=0, dy=75)]


def test_the_rows_of_a_list_are_moved_to_each_others_places() -> None:
    rows = element(1, "list", tag="ul", name="Ada Bob Eve", box=Box(x=0, y=0, width=100, height=90))
    found = gestures("Move Eve to the top", page(rows))
    assert len([c for c in found if (c.value_kind or "").startswith("row_")]) == 6
    eve = next(c for c in found if (c.value, c.value_kind) == ("Eve", "row_1"))
    action = to_action(eve)
    assert isinstance(action, DragBy)
    assert (action.x, action.y, action.dx) == (50, 75, 0)
    assert action.dy < -60  # past the middle of the first row


def test_a_line_is_drawn_through_a_mark() -> None:
    board = element(1, "img", tag="svg", shape="svg", size=150)
    mark = element(2, "graphic", tag="circle", shape="circle", x=60, y=40, size=8)
    found = gestures("Draw a vertical line through the dot", page(board, mark))
    assert DragBy(element_id=1, x=64, y=14, dx=0, dy=60) in [to_action(c) for c in found]


def test_a_field_is_resized_by_its_corner() -> None:
    area = element(1, "textbox", tag="textarea", editable=True, size=60)
    found = gestures("Resize the textarea so that it is wider", page(area))
    assert DragBy(element_id=1, x=56, y=56, dx=30, dy=0) in [to_action(c) for c in found]


def test_worked_out_places_can_be_switched_off() -> None:
    board = element(1, "img", tag="svg", shape="svg", size=150)
    marks = [element(n, "graphic", tag="circle", shape="circle", x=30 * n, y=40, size=7) for n in (2, 3)]
    drawing = page(board, *marks)
    found = [c for c in gestures("Click the midpoint", drawing) if c.operation == "CLICK_AT"]
    assert [to_action(c) for c in found] == [ClickAt(element_id=1, x=78, y=43)]
    without = gestures("Click the midpoint", drawing, computed_values=False)
    assert not [c for c in without if c.operation == "CLICK_AT"]


def test_menus_are_hovered_over_and_lists_scrolled() -> None:
    menu, rows = element(1, "menuitem", name="File", has_popup=True), element(2, "listbox", name="Names")
    assert [to_action(c) for c in gestures("Open it", page(menu, rows))] == [
        Hover(element_id=1),
        ScrollIn(element_id=2, direction="down"),
        ScrollIn(element_id=2, direction="up"),
    ]


def test_a_double_click_is_offered_where_the_goal_asks_for_one() -> None:
    icon = page(element(1, name="Report"))
    assert [to_action(c) for c in gestures("Double-click Report", icon)] == [DoubleClick(element_id=1)]
    assert gestures("Click Report", icon) == []


@pytest.mark.parametrize(
    ("goal", "chord", "offered"),
    [
        ("Give everything the style bold", "Control+A", True),
        ("Copy the text", "Control+C", True),
        ("Read the text", "Control+A", False),
        ("Give everything the style bold", "Control+C", False),
    ],
)
def test_chords_are_offered_where_the_goal_gives_a_reason(goal: str, chord: str, offered: bool) -> None:
    found = [to_action(c) for c in gestures(goal, page(TEXT))]
    assert (Keys(element_id=4, keys=chord) in found) is offered


def test_no_chord_for_a_credential() -> None:
    secret = element(1, "textbox", tag="input", editable=True, filled=True, credential=True)
    assert not [c for c in gestures("Copy the password", page(secret)) if c.operation == "KEYS"]


def test_the_number_of_each_kind_is_bounded_and_a_container_is_still_a_target() -> None:
    """A7"""
    shapes = [element(n, "graphic", tag="circle", shape="circle", x=n, y=n) for n in range(1, 31)]
    box = element(99, "graphic", tag="rect", shape="rectangle", x=200, y=200, size=90)
    found = gestures("Drag all circles into the box", page(*shapes, box))
    assert len([c for c in found if c.operation == "DRAG_BY"]) <= MAX_OF_KIND
    assert {c.element_id for c in found if c.to_element_id == 99} == set(range(1, 31))


DRAWING = page(CIRCLE, BOX, TEXT, element(5, "menuitem", name="File", has_popup=True))
GOAL = "Drag the circle left and into the box, then copy all the text"


def test_every_gesture_can_be_carried_out_and_asked_for() -> None:
    """A7"""
    found = gestures(GOAL, DRAWING)
    assert {c.operation for c in found} == {"DRAG_BY", "KEYS", "HOVER"}
    for candidate in found:
        check_action(to_action(candidate), DRAWING, EXTENDED_ACTIONS)
        assert describe(candidate, DRAWING).startswith(f"{candidate.operation} [{candidate.element_id}] ")
    tick = Tick(goal=GOAL, observation=DRAWING, candidates=tuple(found))
    request = build_request(tick, 255)
    assert sum(len(options) for options in request.options.values()) == len(found)
    assert Tick.model_validate_json(tick.model_dump_json()) == tick


def test_option_ids_and_words_of_gestures() -> None:
    told = {gesture_id(c): describe(c, DRAWING) for c in gestures(GOAL, DRAWING)}
    assert told["1+-40,0"] == 'DRAG_BY [1] graphic "circle" to the left by -40,0'
    assert told["1+80,80>2"] == 'DRAG_BY [1] graphic "circle" onto graphic "rectangle" by 80,80'
    assert told["4=Control+C"] == 'KEYS [4] "Control+C" in textbox'
    assert told["5"] == 'HOVER [5] menuitem "File"'
