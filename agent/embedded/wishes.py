"""What a goal wants dragged, drawn, placed, resized or selected by pointer or keys, and what of it is left.

Knows what a tick offers by its candidates; knows no weights.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agent.embedded.drag_goals import drag_clauses, list_place, sizes_asked, sorted_order
from agent.embedded.page import PageView, Row
from agent.embedded.phrases import dragged_rows, target_row
from agent.embedded.selection import next_chord, selects_in
from agent.gestures import DIRECTIONS, SIZES
from agent.list_rows import list_rows
from agent.places import asked_places
from agent.tick import Candidate, PastStep
from browser.actions import ClickAt, Drag, DragBy

# A gesture that did not do it is tried once more; after that something else is wrong.
_TRIES = 2


@dataclass(frozen=True)
class Wishes:
    """The gestures that the goal wants and this tick offers."""

    wanted: dict[int, float]
    """Indexes of candidates that do what is left of it: 1 for the one to be done next, less for those after."""
    open: int
    """How much is left."""
    handled: frozenset[int]
    """Ids of elements that are dragged, drawn on or selected in, and not clicked."""
    opens: bool = False
    """A menu can be opened without choosing from it: by hovering, or by keys."""
    selecting: bool = False
    """A selection is under way: a click would lose it, unless it is on what the selection is for."""


@dataclass(frozen=True)
class _Wish:
    """One gesture to be done, as its candidate can be told; what is None may be anything."""

    element_id: int
    kind: str
    to_element_id: int | None = None
    value: str | None = None

    def fits(self, candidate: Candidate) -> bool:
        return (
            candidate.element_id == self.element_id
            and candidate.value_kind == self.kind
            and self.to_element_id in (None, candidate.to_element_id)
            and self.value in (None, candidate.value)
        )


def read_wishes(candidates: tuple[Candidate, ...], view: PageView, history: tuple[PastStep, ...]) -> Wishes:
    """Return what the goal wants of this tick's gestures; none where it offers none."""
    offered = [(i, c) for i, c in enumerate(candidates) if c.operation in GESTURES]
    keyed = any(c.operation == "PRESS" and c.value == "ArrowDown" for c in candidates)
    opens = keyed or any(c.operation == "HOVER" for _, c in offered)
    if not offered and not any(isinstance(step.action, ClickAt | Drag | DragBy) for step in history):
        return Wishes({}, 0, frozenset(), opens)
    wanted: dict[int, float] = {}
    handled: set[int] = set()
    left = 0
    selecting = False
    for source in (_ontos, _moves, _rows, _strokes, _resizes, _places, _selections):
        for done, wish in source(view, history):
            fitting = [i for i, c in offered if wish.fits(c)]
            if wish.kind == "chord" and not fitting:
                continue
            handled |= {wish.element_id, *((wish.to_element_id,) if wish.to_element_id else ())}
            if done or not fitting:
                continue
            selecting = selecting or wish.kind == "chord"
            left += 1
            for i in fitting:
                wanted.setdefault(i, 1 / left)
    return Wishes(wanted, left, frozenset(handled), opens, selecting)


GESTURES = frozenset({"DRAG", "DRAG_BY", "HOVER", "DOUBLE_CLICK", "KEYS", "CLICK_AT", "SCROLL_IN"})
_Wanted = Iterator[tuple[bool, _Wish]]
"""Each wish with whether it is done."""


def _tries(history: tuple[PastStep, ...], element_id: int, to_element_id: int | None = None) -> int:
    """Return how often an element was dragged, or dragged onto another, without an error."""
    return sum(
        step.error is None
        and isinstance(step.action, Drag | DragBy)
        and step.action.element_id == element_id
        and (to_element_id is None or getattr(step.action, "to_element_id", to_element_id) == to_element_id)
        for step in history
    )


def _ontos(view: PageView, history: tuple[PastStep, ...]) -> _Wanted:
    """Things to be dragged onto others, until they lie there."""
    taken: set[int] = set()
    clauses = drag_clauses(view.goal.lower)
    targets = {clause.target: target_row(view, clause.target) for clause in clauses}
    for clause in clauses:
        target = targets[clause.target]
        if target is None:
            continue
        kept_out = {row.index for row in targets.values() if row} | taken
        for row in dragged_rows(view, clause.source, kept_out, target):
            taken.add(row.index)
            e = row.element
            done = _is_on(row, target) or _tries(history, e.id, target.element.id) >= _TRIES
            yield done, _Wish(e.id, "onto", target.element.id)


def _is_on(row: Row, target: Row) -> bool:
    box, onto = row.element.box, target.element.box
    x_fits = onto.x <= box.x and box.x + box.width <= onto.x + onto.width
    y_fits = onto.y <= box.y and box.y + box.height <= onto.y + onto.height
    return x_fits and y_fits


def _moves(view: PageView, history: tuple[PastStep, ...]) -> _Wanted:
    """Things to be dragged to a side."""
    match = _SIDE.search(view.goal.lower)
    # "the right box" says onto what, not whereto.
    onto = any(target_row(view, clause.target) for clause in drag_clauses(view.goal.lower))
    if match is None or onto:
        return
    for row in dragged_rows(view, match.group(1), set(), None):
        yield _tries(history, row.element.id) > 0, _Wish(row.element.id, match.group(2))


_SIDE = re.compile(rf"\b(?:drag|move|slide|push)\s+(.+?)\s+(?:to the )?({'|'.join(DIRECTIONS)})(?:wards?)?\b")


def _rows(view: PageView, history: tuple[PastStep, ...]) -> _Wanted:
    """The row of a list that is to go to another place next."""
    for row in view.rows:
        texts = [listed.text for listed in list_rows(row.element, view.observation)]
        order = sorted_order(view.goal, texts) if texts else None
        if order is not None:
            # From the top, the first place that holds another row than it should.
            place = next((i for i, text in enumerate(order) if texts[i] != text), None)
            text = None if place is None else order[place]
            yield place is None, _Wish(row.element.id, f"row_{(place or 0) + 1}", value=text)
        elif texts:
            named, place = list_place(view.goal.lower, texts)
            if place is not None:
                done = _tries(history, row.element.id) > 0
                yield done, _Wish(row.element.id, f"row_{place + 1}", value=named)


def _strokes(view: PageView, history: tuple[PastStep, ...]) -> _Wanted:
    if not view.goal.has("line") or not view.goal.has("draw", "drag", "make", "create"):
        return
    way = next((w.text for w in view.goal.words if w.text in ("horizontal", "vertical")), None)
    for row in view.rows if way else ():
        if row.element.shape in ("svg", "canvas"):
            yield _tries(history, row.element.id) > 0, _Wish(row.element.id, way or "")


def _resizes(view: PageView, history: tuple[PastStep, ...]) -> _Wanted:
    asked = [size for size in sizes_asked(view.goal.lower) if size in SIZES]
    for row in view.rows if asked else ():
        if row.element.tag == "textarea" or "resizable" in row.element.hint:
            for size in asked:
                done = _tries(history, row.element.id) >= len(asked)
                yield done, _Wish(row.element.id, size)


def _places(view: PageView, history: tuple[PastStep, ...]) -> _Wanted:
    """Places to be worked out on a board."""
    asked = asked_places(view.goal.text)
    for row in view.rows if asked else ():
        if row.element.shape not in ("svg", "canvas"):
            continue
        # A place that is marked has no candidate any more.
        for kind in asked:
            yield False, _Wish(row.element.id, f"computed_{kind}")


def _selections(view: PageView, history: tuple[PastStep, ...]) -> _Wanted:
    """The next chord of a selection in a field of text."""
    for row in view.fields:
        wanted = selects_in(view.goal.text, row.element)
        if wanted is not None:
            chord = next_chord(wanted, row.element, history)
            yield chord is None, _Wish(row.element.id, "chord", value=chord)
