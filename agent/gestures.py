"""What pointer and keys can do here beyond clicking and typing: drags, places, hovers, chords. Knows no model.

Each is offered only where goal or page give a reason for it, and each kind in a bounded number (policy rule A1).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agent.list_rows import list_rows
from agent.places import Point, boards, computed_places, lines_through, marks_on, middle
from browser.actions import ActionName
from browser.observation import InteractiveElement, Observation

GestureName = Literal["DRAG", "DRAG_BY", "HOVER", "DOUBLE_CLICK", "KEYS", "CLICK_AT", "SCROLL_IN"]
ACTION_OF: dict[GestureName, ActionName] = {
    "DRAG": "drag", "DRAG_BY": "drag_by", "HOVER": "hover", "DOUBLE_CLICK": "double_click", "KEYS": "keys",
    "CLICK_AT": "click_at", "SCROLL_IN": "scroll_in",
}  # fmt: skip

# Of one kind; more would be the slowest part of a decision, and no question to a model takes more than 255 options.
MAX_OF_KIND = 60
# About as far as a thing must move to be somewhere else, and near enough to stay on a small page.
MOVE_PX = 40
RESIZE_PX = 30
# Where a field is taken hold of to resize it: inside its lower right corner.
_GRIP_PX = 4
# Beyond the middle of the row that is passed, so that lists which swap late do swap.
_PASS_PX = 4

DIRECTIONS: dict[str, Point] = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
SIZES: dict[str, Point] = {"wider": (1, 0), "narrower": (-1, 0), "taller": (0, 1), "shorter": (0, -1)}
"""What dragging the lower right corner of a field does to it, by the way it goes."""

ASKS_DRAG = re.compile(r"\b(drag\w*|drop|move|slide|reorder|rearrange|sort|put)\b", re.IGNORECASE)
_ASKS_LIST = re.compile(r"\b(drag\w*|drop|move|reorder|rearrange|sort)\b", re.IGNORECASE)
_ASKS_DRAWING = re.compile(r"\b(draw|line)\b", re.IGNORECASE)
_ASKS_SIZE = re.compile(r"\b(resize|enlarge|shrink|stretch|larger|smaller|wider|narrower|taller)\b", re.IGNORECASE)
_ASKS_TWICE = re.compile(r"\bdouble[ -]?click", re.IGNORECASE)
ASKS_SELECTION = re.compile(
    r"\b(select|highlight|copy|cut|mark|style|format|bold\w*|italic\w*|underlin\w*|colou?r)\b", re.IGNORECASE
)
_MOVABLE_HINT = re.compile(r"\b(drag\w*|sort\w*|movable|handle|grip)\b")
_POPUP_ROLES = frozenset({"menuitem", "treeitem"})
_SCROLLED_ROLES = frozenset({"listbox", "list", "grid", "tree", "table", "log", "feed"})

# What selects in a field of text: all of it, or a word after going to it.
SELECT_ALL = "Control+A"
TO_START = "Control+Home"
NEXT_WORD = "Control+ArrowRight"
PREVIOUS_WORD = "Control+ArrowLeft"
EXTEND_WORD = "Control+Shift+ArrowRight"
EXTEND_LETTER = "Shift+ArrowRight"
_CHORDS = (SELECT_ALL, TO_START, NEXT_WORD, PREVIOUS_WORD, EXTEND_WORD, EXTEND_LETTER)
_CLIPBOARD = {"copy": "Control+C", "cut": "Control+X", "paste": "Control+V", "undo": "Control+Z"}


@dataclass(frozen=True, slots=True)
class Gesture:
    """One thing that pointer or keys could do."""

    operation: GestureName
    element_id: int
    kind: str
    """What it is for: "onto", "left", "row", "computed_midpoint", ..."""
    to_element_id: int | None = None
    at: Point | None = None
    by: Point | None = None
    value: str | None = None


def gestures(
    goal: str,
    observation: Observation,
    live: list[InteractiveElement],
    offered: tuple[ActionName, ...],
    *,
    pressed: Mapping[int, Sequence[Point]] | None = None,
    computed: bool = True,
) -> list[Gesture]:
    """Return what this run offers and this page allows, at most MAX_OF_KIND of each operation.

    Args:
        live: the elements that can be reached.
        pressed: the places clicked so far, by the id of their element.
        computed: also places that are worked out (kinds "computed_...").
    """
    sources = (
        _drags(goal, live),
        _moves(goal, live),
        _row_moves(goal, observation, live),
        _strokes(goal, observation),
        _resizes(goal, live),
        _places(goal, observation, pressed or {}) if computed else iter(()),
        _hovers(live),
        _double_clicks(goal, live),
        _keys(goal, live),
        _scrolls(live),
    )
    found: dict[str, list[Gesture]] = {}
    for source in sources:
        for gesture in source:
            kept = found.setdefault(gesture.operation, [])
            if ACTION_OF[gesture.operation] in offered and len(kept) < MAX_OF_KIND:
                kept.append(gesture)
    return [gesture for kept in found.values() for gesture in kept]


def movable(live: list[InteractiveElement], goal: str) -> list[InteractiveElement]:
    """Return what could be dragged: what the page marks so and, where the goal asks to drag, what is drawn or named."""
    asked = ASKS_DRAG.search(goal) is not None
    text = goal.lower()
    return [e for e in live if e.draggable or (asked and _could_move(e, text))]


def _could_move(e: InteractiveElement, goal: str) -> bool:
    if e.editable or e.tag in ("button", "select", "input") or e.shape in ("svg", "canvas", "line", "text"):
        return False
    if e.role == "graphic" or _MOVABLE_HINT.search(e.hint):
        return True
    return len(e.name) > 1 and e.name.lower() in goal


def _drags(goal: str, live: list[InteractiveElement]) -> Iterator[Gesture]:
    """Yield drags of what is movable onto everything else; onto larger things alone where those were too many."""
    sources = movable(live, goal)
    targets = [e for e in live if not e.editable and e.tag not in ("button", "input", "select") and e.shape != "svg"]
    if len(sources) * (len(targets) - 1) > MAX_OF_KIND:
        least = min(_area(e) for e in sources)
        targets = [e for e in targets if _area(e) > 2 * least or (len(e.name) > 1 and e.name.lower() in goal.lower())]
    for e in sources:
        for other in targets:
            if other is e:
                continue
            if e.role == "graphic" or _meet(e, other):
                # What is drawn follows the pointer by as much as it moves; a place on its rim would leave it outside.
                (x, y), (to_x, to_y) = middle(e.box), middle(other.box)
                by = round(to_x - x), round(to_y - y)
                yield Gesture("DRAG_BY", e.id, "onto", to_element_id=other.id, by=by)
            else:
                yield Gesture("DRAG", e.id, "onto", to_element_id=other.id)


def _area(e: InteractiveElement) -> int:
    return e.box.width * e.box.height


def _meet(e: InteractiveElement, other: InteractiveElement) -> bool:
    a, b = e.box, other.box
    return a.x < b.x + b.width and b.x < a.x + a.width and a.y < b.y + b.height and b.y < a.y + a.height


_BY_PIXELS = re.compile(r"\bby (\d{1,4}) ?(?:px|pixels?)\b", re.IGNORECASE)


def _moves(goal: str, live: list[InteractiveElement]) -> Iterator[Gesture]:
    """Yield moves to the sides that the goal names, by as much as it says."""
    ways = [way for way in DIRECTIONS if re.search(rf"\b{way}(wards?)?\b", goal, re.IGNORECASE)]
    stated = _BY_PIXELS.search(goal)
    far = int(stated.group(1)) if stated else MOVE_PX
    for e in movable(live, goal) if ways else ():
        for way in ways:
            dx, dy = DIRECTIONS[way]
            yield Gesture("DRAG_BY", e.id, way, by=(dx * far, dy * far))


def _row_moves(goal: str, observation: Observation, live: list[InteractiveElement]) -> Iterator[Gesture]:
    """Yield moves of a list's row to the place of another."""
    if not _ASKS_LIST.search(goal):
        return
    for e in live:
        rows = list_rows(e, observation)
        for row in rows:
            for place, other in enumerate(rows):
                dy = other.middle[1] - row.middle[1]
                if other is not row:
                    by = (0, dy + (_PASS_PX if dy > 0 else -_PASS_PX))
                    yield Gesture("DRAG_BY", e.id, f"row_{place + 1}", at=row.middle, by=by, value=row.text)


def _strokes(goal: str, observation: Observation) -> Iterator[Gesture]:
    if not _ASKS_DRAWING.search(goal):
        return
    for board in boards(observation):
        for mark in marks_on(board, observation):
            for stroke, direction in lines_through(board, mark):
                yield Gesture("DRAG_BY", board.id, direction, mark.id, stroke.start, stroke.by)


def _resizes(goal: str, live: list[InteractiveElement]) -> Iterator[Gesture]:
    """Yield drags of the corner by which a field is resized."""
    if not _ASKS_SIZE.search(goal):
        return
    for e in live:
        if e.tag == "textarea" or "resizable" in e.hint:
            grip = max(0, e.box.width - _GRIP_PX), max(0, e.box.height - _GRIP_PX)
            for name, (dx, dy) in SIZES.items():
                yield Gesture("DRAG_BY", e.id, name, at=grip, by=(dx * RESIZE_PX, dy * RESIZE_PX))


def _places(goal: str, observation: Observation, pressed: Mapping[int, Sequence[Point]]) -> Iterator[Gesture]:
    for board, place, kind in computed_places(goal, observation, pressed):
        yield Gesture("CLICK_AT", board.id, f"computed_{kind}", at=place)


def _hovers(live: list[InteractiveElement]) -> Iterator[Gesture]:
    for e in live:
        if e.has_popup or (e.role in _POPUP_ROLES and e.expanded is not True):
            yield Gesture("HOVER", e.id, "popup")


def _double_clicks(goal: str, live: list[InteractiveElement]) -> Iterator[Gesture]:
    if _ASKS_TWICE.search(goal):
        yield from (Gesture("DOUBLE_CLICK", e.id, "asked") for e in live if e.tag != "select")


def _keys(goal: str, live: list[InteractiveElement]) -> Iterator[Gesture]:
    """Yield chords for fields that hold a text: to select in it, and what the goal says to do with it."""
    asked = [chord for word, chord in _CLIPBOARD.items() if re.search(rf"\b{word}\b", goal, re.IGNORECASE)]
    chords = [*(_CHORDS if ASKS_SELECTION.search(goal) else ()), *asked]
    for e in live:
        if e.editable and not e.credential and (e.filled or "Control+V" in chords):
            usable = chords if e.filled else ["Control+V"]
            yield from (Gesture("KEYS", e.id, "chord", value=chord) for chord in usable)


def _scrolls(live: list[InteractiveElement]) -> Iterator[Gesture]:
    """Yield scrolling of what may have an area of its own to scroll."""
    for e in live:
        if e.role in _SCROLLED_ROLES or e.tag == "textarea":
            yield from (Gesture("SCROLL_IN", e.id, way, value=way) for way in ("down", "up"))
