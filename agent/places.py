"""Places that are worked out from what is drawn: midpoints, right angles, bisectors, lines.

Knows neither models nor benchmarks. All lengths are CSS pixels; a place is relative to its board's top left corner.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from browser.observation import Box, InteractiveElement, Observation

Point = tuple[int, int]
_Spot = tuple[float, float]

# A drawn mark is a dot: what is larger is a shape of its own.
MARK_PX = 14
# How near the end of a drawn line must come to the middle of a mark to begin there: the mark's own radius, about.
_TOUCH_PX = 5.0
# From a mark to both ends of a line through it: long enough to be a line, short enough for a small board.
_REACH_PX = 30
# A place nearer to the board's edge may be cut off by its border.
_MARGIN_PX = 3
# Sides of an angle: nearer than this, a pixel is a coarse step; and farther than any board is wide.
_NEAREST_PX, _FARTHEST_PX = 20, 400
# By how much a mark's own place may be off: it weighs less, the farther away one looks.
_BLUR_PX = 0.25
# Two sides that point opposite ways add up to about nothing.
_FLAT = 1e-6
# How far a page may draw the mark of a click from where it was, and how often it is tried to put that right.
_OFF_PX = 8.0
_TRIES = 3


class Stroke(NamedTuple):
    """Where on a board to press, and how far to move."""

    start: Point
    by: Point


def middle(box: Box) -> _Spot:
    """Return the middle of a box, in pixels of the viewport."""
    return box.x + box.width / 2, box.y + box.height / 2


def lies_in(inner: Box, outer: Box) -> bool:
    """Tell whether a smaller box has its middle in a larger one: its edges may stick out."""
    x, y = middle(inner)
    inside = outer.x <= x <= outer.x + outer.width and outer.y <= y <= outer.y + outer.height
    return inside and inner.width * inner.height < outer.width * outer.height


def boards(observation: Observation) -> list[InteractiveElement]:
    """Return what is drawn on: canvases and drawings, each with something inside or with nothing to tell."""
    return [e for e in observation.elements if e.shape in ("svg", "canvas") and not e.disabled and e.covered_by is None]


def marks_on(board: InteractiveElement, observation: Observation) -> list[InteractiveElement]:
    """Return the dots drawn on a board, in document order."""
    return [
        e
        for e in observation.elements
        if e.shape in ("circle", "ellipse") and max(e.box.width, e.box.height) <= MARK_PX and lies_in(e.box, board.box)
    ]


def circles_on(board: InteractiveElement, observation: Observation) -> list[InteractiveElement]:
    """Return the circles drawn on a board that are larger than a dot."""
    return [
        e
        for e in observation.elements
        if e.shape == "circle" and max(e.box.width, e.box.height) > MARK_PX and lies_in(e.box, board.box)
    ]


_ASKED = {
    "midpoint": re.compile(r"\b(mid-?point|middle point|halfway|middle between)\b", re.IGNORECASE),
    "right_angle": re.compile(r"\bright[ -]angle\b", re.IGNORECASE),
    "bisector": re.compile(r"\bbisect\w*\b", re.IGNORECASE),
    "center": re.compile(r"\b(cent(er|re)|middle) of (the |a )?circle\b", re.IGNORECASE),
}
"""What can be worked out on a board, by how a goal asks for it."""


def asked_places(goal: str) -> tuple[str, ...]:
    """Return which of the PLACES the goal asks to work out."""
    return tuple(name for name, asks in _ASKED.items() if asks.search(goal))


def computed_places(
    goal: str, observation: Observation, pressed: Mapping[int, Sequence[Point]]
) -> list[tuple[InteractiveElement, Point, str]]:
    """Return where to click on which board for the places that the goal asks to work out, each with its name.

    A page may draw the mark of a click some pixels off. Where one shows, the next click is corrected by as much; where
    it is in place, or no try helped, there is nothing more to click.

    Args:
        pressed: the places clicked so far, by the id of their board.
    """
    found: list[tuple[InteractiveElement, Point, str]] = []
    asked = asked_places(goal)
    for board in boards(observation) if asked else ():
        marks = marks_on(board, observation)
        clicks = pressed.get(board.id, ())
        answer = _mark_of(clicks[-1], board, marks) if clicks else None
        if clicks and (answer is None or len(clicks) >= _TRIES):
            continue
        marks = [mark for mark in marks if mark is not answer]
        area = _Area(board.box, tuple(_over(board, observation)))
        spots: list[tuple[_Spot | None, str]] = []
        if "midpoint" in asked and len(marks) >= 2:
            (ax, ay), (bx, by) = _dot(marks[0]), _dot(marks[1])
            spots.append((((ax + bx) / 2, (ay + by) / 2), "midpoint"))
        if "right_angle" in asked and len(marks) == 2:
            spots.append((_right_angle(area, *_corner_first(marks)), "right_angle"))
        if "bisector" in asked and len(marks) >= 3:
            spots.append((_on_bisector(area, marks, observation), "bisector"))
        if "center" in asked:
            spots += [(_dot(e), "center") for e in circles_on(board, observation)]
        for spot, kind in spots:
            place = None if spot is None else _on_board(spot, board.box)
            if place is not None and answer is not None:
                place = _corrected(place, clicks[-1], _on_board(_dot(answer), board.box))
            if place is not None:
                found.append((board, place, kind))
    return found


def _mark_of(click: Point, board: InteractiveElement, marks: list[InteractiveElement]) -> InteractiveElement | None:
    """Return the mark that a click made: the last drawn of those beside it."""
    near = [mark for mark in marks if math.dist(_on_board(_dot(mark), board.box), click) <= _OFF_PX]
    return near[-1] if near else None


def _corrected(wanted: Point, click: Point, mark: Point) -> Point | None:
    """Return where to click so that the mark comes to the wanted place; None where it is there."""
    if mark == wanted:
        return None
    return wanted[0] - mark[0] + click[0], wanted[1] - mark[1] + click[1]


def _dot(mark: InteractiveElement) -> _Spot:
    """Return the middle of a dot: of one that is odd pixels wide, the whole pixel in its middle."""
    return mark.box.x + mark.box.width // 2, mark.box.y + mark.box.height // 2


def _on_board(spot: _Spot, board: Box) -> Point:
    # Halves up, as pages round.
    return math.floor(spot[0] - board.x + 0.5), math.floor(spot[1] - board.y + 0.5)


class _Area(NamedTuple):
    """A board, and the boxes of what lies over parts of it."""

    box: Box
    over: tuple[Box, ...]

    def takes(self, spot: _Spot) -> bool:
        """Tell whether a click there falls on the board: not at its edge, and not on anything over it."""
        return _inside(self.box, spot, -_MARGIN_PX) and not any(_inside(box, spot, _MARGIN_PX) for box in self.over)


def _inside(box: Box, spot: _Spot, margin: int) -> bool:
    x, y = spot[0] - box.x, spot[1] - box.y
    return -margin <= x <= box.width + margin and -margin <= y <= box.height + margin


def _over(board: InteractiveElement, observation: Observation) -> list[Box]:
    """Return the boxes of controls that come after a board and are not drawn on it: they may lie over its edge."""
    later = observation.elements[observation.elements.index(board) + 1 :]
    return [e.box for e in later if e.role != "graphic"]


def _corner_first(marks: list[InteractiveElement]) -> tuple[_Spot, _Spot]:
    """Return the corner of the angle and its other end: the corner is marked by its colour, else the last drawn."""
    special = [m for m in marks if _is_colorful(m)]
    corner = special[0] if len(special) == 1 else marks[-1]
    other = next(m for m in marks if m is not corner)
    return _dot(corner), _dot(other)


def _is_colorful(mark: InteractiveElement) -> bool:
    """Tell whether a mark has a colour of its own and is not black, white or grey."""
    parts = re.findall(r"\d+", mark.color or "")[:3]
    return len(set(parts)) > 1


def _right_angle(board: _Area, corner: _Spot, other: _Spot) -> _Spot | None:
    """Return a place on the board that makes a right angle at the corner."""
    dx, dy = other[0] - corner[0], other[1] - corner[1]
    length = math.hypot(dx, dy)
    ways = [(-dy / length, dx / length), (dy / length, -dx / length)] if length else []
    return _straightest(board, corner, ways)


def _on_bisector(board: _Area, marks: list[InteractiveElement], observation: Observation) -> _Spot | None:
    """Return a place inside the angle that lies on its bisector: the corner is where two drawn lines meet."""
    lines = [e.box for e in observation.elements if e.shape == "line" and lies_in(e.box, board.box)]
    corner = max(marks[:3], key=lambda m: sum(_ends_at(line, _dot(m)) for line in lines))
    at = _dot(corner)
    units = [_unit(at, _dot(m)) for m in marks[:3] if m is not corner]
    x, y = units[0][0] + units[1][0], units[0][1] + units[1][1]
    size = math.hypot(x, y)
    return _straightest(board, at, [(x / size, y / size)]) if size > _FLAT else None


def _straightest(board: _Area, corner: _Spot, ways: list[_Spot]) -> _Spot | None:
    """Return the whole pixel on the board that lies nearest to one of these ways from a corner, as seen from there."""
    best: tuple[float, _Spot] | None = None
    for x, y in ways:
        for distance in range(_NEAREST_PX, _FARTHEST_PX):
            spot = round(corner[0] + x * distance), round(corner[1] + y * distance)
            if not board.takes(spot):
                break
            off = (abs((spot[0] - corner[0]) * y - (spot[1] - corner[1]) * x) + _BLUR_PX) / distance
            if best is None or off < best[0]:
                best = off, spot
    return None if best is None else best[1]


def _ends_at(line: Box, spot: _Spot) -> bool:
    corners = [(x, y) for x in (line.x, line.x + line.width) for y in (line.y, line.y + line.height)]
    return any(math.dist(corner, spot) <= _TOUCH_PX for corner in corners)


def _unit(start: _Spot, end: _Spot) -> _Spot:
    size = math.dist(start, end) or 1.0
    return (end[0] - start[0]) / size, (end[1] - start[1]) / size


def lines_through(board: InteractiveElement, mark: InteractiveElement) -> list[tuple[Stroke, str]]:
    """Return strokes across a board through a mark, each with its direction: "horizontal" or "vertical"."""
    x, y = _on_board(_dot(mark), board.box)
    left, right = _span(x, board.box.width)
    top, bottom = _span(y, board.box.height)
    return [
        (Stroke((left, y), (right - left, 0)), "horizontal"),
        (Stroke((x, top), (0, bottom - top)), "vertical"),
    ]


def _span(middle_at: int, size: int) -> tuple[int, int]:
    """Return the ends of a line around a place: where the board cuts one side short, the other is as much longer."""
    low, high = _MARGIN_PX, size - _MARGIN_PX
    start, end = middle_at - _REACH_PX, middle_at + _REACH_PX
    return max(low, start - max(0, end - high)), min(high, end + max(0, low - start))
