"""Places that are worked out from what is drawn."""

import math
from typing import Any

import pytest

from agent.list_rows import list_rows
from agent.places import asked_places, computed_places, lines_through, marks_on
from browser.observation import Box, InteractiveElement, Observation

BOARD = InteractiveElement(id=1, role="img", tag="svg", shape="svg", box=Box(x=10, y=50, width=150, height=130))


def dot(number: int, x: int, y: int, color: str = "rgb(0, 0, 0)") -> InteractiveElement:
    """Return a dot of seven pixels whose middle is this far from the board's corner."""
    box = Box(x=10 + x - 3, y=50 + y - 3, width=7, height=7)
    return InteractiveElement(id=number, role="graphic", tag="circle", shape="circle", color=color, box=box)


def line(number: int, ax: int, ay: int, bx: int, by: int) -> InteractiveElement:
    box = Box(x=10 + min(ax, bx), y=50 + min(ay, by), width=abs(ax - bx), height=abs(ay - by))
    return InteractiveElement(id=number, role="graphic", tag="line", shape="line", box=box)


def page(*elements: InteractiveElement, **changes: Any) -> Observation:
    return Observation(**{"goal": "", "url": "http://a/", "title": "", "elements": (BOARD, *elements), **changes})


def only_place(goal: str, observation: Observation, *clicks: tuple[int, int]) -> tuple[int, int]:
    ((board, place, _),) = computed_places(goal, observation, {1: clicks} if clicks else {})
    assert board is BOARD
    return place


@pytest.mark.parametrize(
    ("goal", "asked"),
    [
        ("Click the mid-point between the points", ("midpoint",)),
        ("Add a point to create a right angle", ("right_angle",)),
        ("Draw a line that bisects the angle", ("bisector",)),
        ("Click the center of the circle", ("center",)),
        ("Click the right button", ()),
    ],
)
def test_a_goal_says_which_place_it_wants(goal: str, asked: tuple[str, ...]) -> None:
    assert asked_places(goal) == asked


def test_the_midpoint_lies_between_two_dots() -> None:
    assert only_place("Find the midpoint", page(dot(2, 20, 30), dot(3, 60, 90))) == (40, 60)


def test_a_goal_that_asks_for_no_place_gets_none() -> None:
    assert computed_places("Click the blue dot", page(dot(2, 20, 30), dot(3, 60, 90)), {}) == []


def test_a_right_angle_stands_at_the_corner_that_has_its_own_colour() -> None:
    corner = (40, 60)
    marked = page(dot(2, 90, 80), dot(3, *corner, color="rgb(0, 0, 255)"))
    x, y = only_place("Create a right angle", marked)
    turn = math.atan2(y - corner[1], x - corner[0]) - math.atan2(80 - corner[1], 90 - corner[0])
    assert math.degrees(abs(turn)) % 180 == pytest.approx(90, abs=1)
    assert 0 < x < 150
    assert 0 < y < 130


def test_a_place_is_not_looked_for_under_what_lies_over_the_board() -> None:
    corner = (90, 62)
    points = (dot(2, 5, 48), dot(3, *corner, color="rgb(0, 0, 255)"))
    free = only_place("Create a right angle", page(*points))
    box = Box(x=10 + free[0] - 40, y=50 + free[1] - 10, width=80, height=20)
    button = InteractiveElement(id=4, role="button", tag="button", box=box)
    x, y = only_place("Create a right angle", page(*points, button))
    assert not (box.x <= x + 10 <= box.x + box.width and box.y <= y + 50 <= box.y + box.height)


def test_a_bisector_starts_where_the_lines_meet() -> None:
    corner, ends = (30, 100), ((90, 100), (30, 20))
    angle = page(
        dot(2, *ends[0]), dot(3, *corner), dot(4, *ends[1]), line(5, *corner, *ends[0]), line(6, *corner, *ends[1])
    )
    x, y = only_place("Bisect the angle", angle)
    assert math.degrees(math.atan2(corner[1] - y, x - corner[0])) == pytest.approx(45, abs=0.5)


def test_a_click_whose_mark_is_off_is_corrected_and_one_in_place_is_not_repeated() -> None:
    goal, ends = "Find the midpoint", (dot(2, 20, 30), dot(3, 60, 90))
    off = page(*ends, dot(4, 42, 62))
    assert only_place(goal, off, (40, 60)) == (38, 58)
    in_place = page(*ends, dot(4, 40, 60))
    assert computed_places(goal, in_place, {1: ((40, 60), (38, 58))}) == []


def test_a_page_that_shows_no_mark_is_clicked_once() -> None:
    ends = page(dot(2, 20, 30), dot(3, 60, 90))
    assert computed_places("Find the midpoint", ends, {1: ((40, 60),)}) == []


def test_only_dots_on_the_board_are_marks() -> None:
    large = InteractiveElement(
        id=3, role="graphic", tag="circle", shape="circle", box=Box(x=30, y=60, width=60, height=60)
    )
    outside = dot(4, 300, 20)
    assert [e.id for e in marks_on(BOARD, page(dot(2, 20, 30), large, outside))] == [2]


def test_lines_through_a_dot_stay_on_the_board() -> None:
    strokes = {name: stroke for stroke, name in lines_through(BOARD, dot(2, 10, 60))}
    flat, upright = strokes["horizontal"], strokes["vertical"]
    assert flat.start[1] == 60
    assert flat.by[1] == 0
    assert 0 <= flat.start[0] < 10 < flat.start[0] + flat.by[0] <= 150
    assert (upright.start[0], upright.by[0]) == (10, 0)
    assert upright.start[1] < 60 < upright.start[1] + upright.by[1]


def words(text: str, height: int, **changes: Any) -> InteractiveElement:
    box = Box(x=0, y=0, width=100, height=height)
    return InteractiveElement(**{"id": 9, "role": "list", "tag": "ul", "name": text, "box": box, **changes})


def test_a_lists_words_are_its_rows() -> None:
    listed = words("Ada Bob Eve", 90)
    assert [(row.text, row.middle) for row in list_rows(listed, page(listed))] == [
        ("Ada", (50, 15)),
        ("Bob", (50, 45)),
        ("Eve", (50, 75)),
    ]


@pytest.mark.parametrize("listed", [words("Ada Bob Eve", 20), words("Ada", 30), words("Ada Bob", 60, role="link")])
def test_what_cannot_be_rows_is_none(listed: InteractiveElement) -> None:
    assert list_rows(listed, page(listed)) == []


def test_a_list_with_elements_inside_has_its_rows_there() -> None:
    inner = InteractiveElement(id=10, role="listitem", tag="li", box=Box(x=0, y=0, width=100, height=30))
    listed = words("Ada Bob Eve", 90)
    assert list_rows(listed, page(listed, inner)) == []
