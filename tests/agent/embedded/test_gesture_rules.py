"""Each rule for pointer and keys beyond clicking and typing, shown on a page made for it."""

from collections.abc import Callable
from typing import Any

import pytest

from agent.carrying_out import to_action
from agent.embedded import EmbeddedModel
from agent.embedded.drag_goals import DragClause, drag_clauses, list_place, sizes_asked
from agent.embedded.selection import chords, selects_in
from agent.tick import PastStep, Tick
from browser.actions import (
    CORE_ACTIONS,
    EXTENDED_ACTIONS,
    BrowserAction,
    Click,
    ClickAt,
    DoubleClick,
    Drag,
    DragBy,
    Hover,
    Keys,
)
from browser.observation import Box, InteractiveElement, Observation

Make = Callable[..., InteractiveElement]
Page = Callable[..., Observation]
Act = Callable[..., BrowserAction | None]
WORKING = tuple(name for name in EXTENDED_ACTIONS if name != "finish")


@pytest.fixture
def act(tick: Callable[..., Tick]) -> Act:
    """A function: the action that the model takes where all are offered."""
    model = EmbeddedModel()

    def decide(goal: str, observation: Observation, *history: PastStep, offered: Any = WORKING) -> BrowserAction | None:
        return to_action(model.decide(tick(goal, observation, history, offered)).candidate)

    return decide


def done(action: BrowserAction, *, changed: bool = True) -> PastStep:
    return PastStep(action=action, page_changed=changed)


def at(x: int, y: int, size: int = 20) -> Box:
    return Box(x=x, y=y, width=size, height=size)


def drawn(element: Make, shape: str, color: str, box: Box) -> InteractiveElement:
    return element("graphic", shape=shape, color=color, box=box, tag=shape)


RED, BLUE, BLACK = "rgb(255, 0, 0)", "rgb(0, 0, 255)", "rgb(0, 0, 0)"


# ---- dragging


def test_all_of_a_kind_go_into_the_box_and_then_it_is_submitted(element: Make, page: Page, act: Act) -> None:
    goal = "Drag all circles into the black box and press Submit."
    circle, square = drawn(element, "circle", RED, at(0, 0)), drawn(element, "square", BLACK, at(40, 0))
    box, submit = drawn(element, "rectangle", BLACK, at(100, 100, 60)), element("button", "Submit")
    assert act(goal, page(circle, square, circle, box, submit)) == DragBy(element_id=1, dx=120, dy=120)
    inside = circle.model_copy(update={"box": at(120, 120)})
    assert act(goal, page(inside, square, circle, box, submit)) == DragBy(element_id=3, dx=120, dy=120)
    assert act(goal, page(inside, square, inside, box, submit)) == Click(element_id=5)


def test_everything_else_goes_to_the_other_side(element: Make, page: Page, act: Act) -> None:
    goal = "Drag all circles into the left box, and everything else into the right box."
    inside, triangle = drawn(element, "circle", RED, at(20, 120)), drawn(element, "triangle", RED, at(40, 0))
    left, right = (drawn(element, "rectangle", BLACK, at(x, 100, 60)) for x in (0, 100))
    assert act(goal, page(inside, triangle, left, right, element("button", "Submit"))) == DragBy(
        element_id=2, dx=80, dy=120
    )


def test_the_smaller_goes_into_the_larger(element: Make, page: Page, act: Act) -> None:
    large = element("generic", "L", hint="draggable", box=at(0, 0, 60))
    small = element("generic", "s", hint="draggable", box=at(40, 80))
    goal = "Drag the smaller box so that it is completely inside the larger box."
    assert act(goal, page(large, small)) == Drag(element_id=2, to_element_id=1)


def test_a_card_is_dragged_to_the_column_that_the_goal_names(element: Make, page: Page, act: Act) -> None:
    cards = [element("listitem", name, draggable=True, box=at(0, 20 * n)) for n, name in enumerate(("Milk", "Bread"))]
    columns = [element("region", name, box=at(x, 0, 90)) for x, name in ((0, "To do"), (100, "Done"))]
    action = act("Move Bread to Done", page(columns[0], *cards, columns[1]))
    assert action == Drag(element_id=3, to_element_id=4)


def test_to_a_side_once_and_then_on(element: Make, page: Page, act: Act) -> None:
    goal = "Drag the circle right, then press Submit."
    drawing = page(drawn(element, "circle", BLACK, at(20, 20)), element("button", "Submit"))
    drag = DragBy(element_id=1, dx=40, dy=0)
    assert act(goal, drawing) == drag
    assert act(goal, drawing, done(drag)) == Click(element_id=2)


def test_without_the_finer_actions_nothing_waits_for_them(element: Make, page: Page, act: Act) -> None:
    drawing = page(drawn(element, "circle", BLACK, at(20, 20)), element("button", "Submit"))
    core = tuple(name for name in CORE_ACTIONS if name != "finish")
    clicked = done(Click(element_id=1))
    assert act("Drag the circle right, then press Submit.", drawing, clicked, offered=core) == Click(element_id=2)


@pytest.fixture
def rows(element: Make) -> Callable[[str], InteractiveElement]:
    return lambda text: element("list", text, tag="ul", box=Box(x=0, y=0, width=100, height=30 * len(text.split())))


def test_a_list_is_sorted_from_the_top(element: Make, page: Page, act: Act, rows: Any) -> None:
    goal = "Sort the numbers in increasing order, starting with the lowest number at the top."
    submit = element("button", "Submit", box=at(0, 200))
    action = act(goal, page(rows("19 47 -26 41"), submit))
    assert isinstance(action, DragBy)
    assert (action.x, action.y) == (50, 75)
    assert action.dy < -60
    assert act(goal, page(rows("-26 19 41 47"), submit)) == Click(element_id=2)


@pytest.mark.parametrize(
    ("goal", "row", "place"),
    [
        ("drag eve up by one position", "Eve", 1),
        ("drag ada down by two", "Ada", 2),
        ("move bob to the 4th position", "Bob", 3),
        ("move bob to the top", "Bob", 0),
        ("put ada last, to the end", "Ada", 3),
    ],
)
def test_where_a_row_goes(goal: str, row: str, place: int) -> None:
    assert list_place(goal, ["Ada", "Bob", "Eve", "Kim"]) == (row, place)


@pytest.mark.parametrize("goal", ["drag zoe up", "drag ada to her friends", "drag ada up by one"])
def test_a_row_that_is_not_there_or_cannot_go_there(goal: str) -> None:
    assert list_place(goal, ["Ada", "Bob", "Eve", "Kim"]) == ("", None)


def test_what_is_to_be_dragged_onto_what() -> None:
    assert drag_clauses("drag all cats into the left box, and everything else into the right box.") == [
        DragClause("all cats", "the left box"),
        DragClause("everything else", "the right box"),
    ]
    assert drag_clauses("drag the ball right then press submit") == []


@pytest.mark.parametrize(
    ("goal", "sizes"),
    [
        ("resize it so that the width is larger than before", ["wider"]),
        ("resize it so that the height is smaller", ["shorter"]),
        ("resize it to be taller", ["taller"]),
        ("write a shorter text", []),
    ],
)
def test_how_a_field_is_to_be_resized(goal: str, sizes: list[str]) -> None:
    assert sizes_asked(goal) == sizes


# ---- drawing and places


def test_a_line_through_the_dot(element: Make, page: Page, act: Act) -> None:
    goal = "Draw a horizontal line that runs through the dot, then press submit."
    board, dot = element("img", tag="svg", shape="svg", box=at(0, 0, 150)), drawn(element, "circle", RED, at(60, 40, 8))
    drawing = page(board, dot, element("button", "Submit"))
    stroke = DragBy(element_id=1, x=34, y=44, dx=60, dy=0)
    assert act(goal, drawing) == stroke
    assert act(goal, drawing, done(stroke)) == Click(element_id=3)


def test_a_place_that_is_worked_out_is_clicked_until_its_mark_is_there(element: Make, page: Page, act: Act) -> None:
    goal = "Find and click on the mid-point between the two points, then press submit."
    board, submit = element("img", tag="svg", shape="svg", box=at(0, 0, 150)), element("button", "Submit")
    ends = [drawn(element, "circle", BLACK, at(x, 40, 7)) for x in (20, 60)]
    first = ClickAt(element_id=1, x=43, y=43)
    assert act(goal, page(board, *ends, submit)) == first
    off = drawn(element, "circle", BLUE, at(42, 42, 7))
    second = ClickAt(element_id=1, x=41, y=41)
    assert act(goal, page(board, *ends, off, submit), done(first)) == second
    right = drawn(element, "circle", BLUE, at(40, 40, 7))
    assert act(goal, page(board, *ends, right, submit), done(first), done(second)) == Click(element_id=5)


# ---- selecting


@pytest.fixture
def editor(element: Make, page: Page) -> Observation:
    styles = [element("button", hint=f"tool {name}") for name in ("bold", "italic")]
    text = element("textbox", tag="div", value="one two three", filled=True, editable=True)
    return page(*styles, text, element("button", "Submit"))


def test_all_the_text_is_selected_before_it_gets_its_style(editor: Observation, act: Act) -> None:
    goal = "Give everything the style bold and press Submit."
    select = Keys(element_id=3, keys="Control+A")
    assert act(goal, editor) == select
    assert act(goal, editor, done(select, changed=False)) == Click(element_id=1)
    assert act(goal, editor, done(select, changed=False), done(Click(element_id=1))) == Click(element_id=4)


def test_a_word_is_selected_by_going_to_it(editor: Observation, act: Act) -> None:
    goal = "Give the text two the style italics and press Submit."
    steps: list[PastStep] = []
    for _ in range(5):
        steps.append(done(act(goal, editor, *steps) or Click(element_id=9), changed=False))
    keys = [step.action.keys for step in steps if isinstance(step.action, Keys)]
    assert keys == [
        "Control+Home", "Control+ArrowRight", "Control+ArrowRight", "Control+ArrowLeft", "Control+Shift+ArrowRight",
    ]  # fmt: skip
    assert act(goal, editor, *steps) == Click(element_id=2)


def test_a_word_with_its_mark_is_selected_by_letters(element: Make) -> None:
    text = element("textbox", value="one two.")
    assert selects_in("Give the text two. the style bold and press Submit.", text) == "two."
    assert chords("two.", "one two.")[-5:] == ("Control+ArrowLeft", *["Shift+ArrowRight"] * 4)


def test_the_colours_of_a_selected_text_are_opened(element: Make, page: Page, act: Act) -> None:
    goal = "Give everything the color green and press Submit."
    icon = element("graphic", shape="triangle", color="rgb(68, 68, 68)")
    tools = [element("button", hint=f"tool {name}") for name in ("bold", "italic")]
    text = element("textbox", tag="div", value="one two", filled=True, editable=True)
    colored = page(icon, *tools, text, element("button", "Submit"))
    select = Keys(element_id=4, keys="Control+A")
    assert act(goal, colored) == select
    assert act(goal, colored, done(select, changed=False)) == Click(element_id=1)


def test_a_click_in_between_begins_the_selection_anew(editor: Observation, act: Act) -> None:
    goal = "Give the text two the style italics and press Submit."
    begun = done(Keys(element_id=3, keys="Control+Home"), changed=False)
    assert act(goal, editor, begun, done(Click(element_id=3))) == Keys(element_id=3, keys="Control+Home")


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("one two three", ("Control+A",)),
        ("one", ("Control+Home", "Control+Shift+ArrowRight")),
        ("two three", ("Control+Home", *["Control+ArrowRight"] * 2, "Control+ArrowLeft",
                       *["Control+Shift+ArrowRight"] * 2)),
    ],
)  # fmt: skip
def test_the_chords_of_a_selection(wanted: str, expected: tuple[str, ...]) -> None:
    assert chords(wanted, "one two three") == expected


def test_nothing_is_selected_where_the_goal_asks_for_nothing(element: Make) -> None:
    text = element("textbox", value="one two three")
    assert selects_in("Read the text two", text) is None
    assert selects_in("Highlight the text four", text) is None
    assert selects_in("Highlight the text two", text) == "two"
    assert selects_in("Using the text editor, give the text two the style bold and press Submit.", text) == "two"


# ---- menus and double clicks


def test_a_menu_on_the_way_is_hovered_over_and_not_chosen(element: Make, page: Page, act: Act) -> None:
    goal = "Select File>Recent"
    closed = page(element("menuitem", "Edit"), element("menuitem", "File", has_popup=True))
    assert act(goal, closed) == Hover(element_id=2)
    opened = page(*closed.elements, element("menuitem", "Recent"))
    assert act(goal, opened, done(Hover(element_id=2))) == Click(element_id=3)


def test_a_menu_that_does_not_open_by_hovering_is_clicked(element: Make, page: Page, act: Act) -> None:
    closed = page(element("menuitem", "Edit"), element("menuitem", "File", has_popup=True))
    hovered = done(Hover(element_id=2), changed=False)
    assert act("Select File>Recent", closed, hovered) == Click(element_id=2)


def test_a_double_click_is_made_where_the_goal_says_so(element: Make, page: Page, act: Act) -> None:
    files = page(element("listitem", "Report"), element("listitem", "Letter"))
    assert act('Double-click "Letter"', files) == DoubleClick(element_id=2)
    assert act('Click "Letter"', files) == Click(element_id=2)
