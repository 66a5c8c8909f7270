"""Elements that are right: an answer that is asked for, a coordinate, a time of day."""

import re
from collections.abc import Callable

from agent.embedded.looks import SHAPES, is_graphic
from agent.embedded.page import PageView, Row
from agent.embedded.progress import Progress
from agent.embedded.reference import Found, Reference
from agent.embedded.slots import wanted_slots
from agent.embedded.words import quantity, stem


def by_answer(view: PageView) -> Found:
    """The control that is right: "even" beside an even number; the name of the shape drawn, where that is asked."""
    for row in view.rows:
        if is_true_of_number(row, view) is True:
            yield row, Reference("answer", 0)
    if not view.goal.has("describes", "identify", "figure"):
        return
    drawn = [row for row in view.rows if row.element.role == "graphic"]
    for row in view.rows:
        test = SHAPES.get(stem(row.name))
        if test and row not in drawn and any(test(other) for other in drawn):
            yield row, Reference("answer", 0)


_OF_NUMBERS: dict[str, Callable[[float], bool]] = {
    "even": lambda number: number % 2 == 0,
    "odd": lambda number: number % 2 == 1,
    "positive": lambda number: number > 0,
    "negative": lambda number: number < 0,
    "zero": lambda number: number == 0,
}


def is_true_of_number(row: Row, view: PageView) -> bool | None:
    """Tell whether a control that is named by what a number can be is right about that of its group: "odd", "negative".

    Returns None for other controls, and where the goal does not ask for it or the group has no number.
    """
    holds = _OF_NUMBERS.get(row.name)
    number = quantity(row.context) if holds and view.goal.has(row.name) else None
    return None if holds is None or number is None else holds(number)


_COORDINATE = re.compile(r"\(\s*(-?\d+)\s*,\s*(-?\d+)\s*\)")


def by_coordinate(view: PageView) -> Found:
    """The mark at a coordinate: the numbers along the axes count its columns from the left and its rows from below."""
    match = _COORDINATE.search(view.goal.text)
    marks = [row for row in view.rows if is_graphic(row) and row.element.shape in ("circle", "ellipse", "square")]
    if match is None or len(marks) < 2:
        return
    numbers = sorted({int(b.text) for b in view.observation.texts if re.fullmatch(r"-?\d+", b.text.strip())})
    columns = sorted({row.element.box.x for row in marks})
    lines = sorted({row.element.box.y for row in marks}, reverse=True)
    if not len(numbers) == len(columns) == len(lines):
        return
    wanted = tuple(int(number) for number in match.groups())
    for row in marks:
        place = numbers[columns.index(row.element.box.x)], numbers[lines.index(row.element.box.y)]
        if place == wanted:
            yield row, Reference("answer", match.start())


# Outweighs that it was clicked before.
_AGAIN = 2.5


def by_progress(view: PageView, progress: Progress) -> Found:
    """What is meant next by what was done before: the ends of an appointment in slots of time."""
    for place, row in enumerate(wanted_slots(view, progress)):
        again = row.element.id in progress.clicks
        yield row, Reference("slot", place, _AGAIN if again else 1.0)
