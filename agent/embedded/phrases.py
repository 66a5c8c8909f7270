"""Which elements a phrase of a goal means: "all blue triangles", "the smaller box", "the left box", "Buy milk"."""

import re

from agent import colors
from agent.embedded.looks import SHAPES
from agent.embedded.page import PageView, Row
from agent.embedded.words import STOP_WORDS, stem, tokens
from agent.gestures import movable

_SMALL = frozenset({"small", "smaller", "smallest", "little", "tiny"})
_LARGE = frozenset({"large", "larger", "largest", "big", "bigger", "biggest"})
_SIDES = {"left": (0, 1), "right": (0, -1), "top": (1, 1), "upper": (1, 1), "bottom": (1, -1), "lower": (1, -1)}
"""By which coordinate a side is told, and whether the least (1) or the greatest (-1) of it is meant."""
_EVERYTHING = frozenset({"everything", "rest", "other", "others", "remaining"})
# What takes others in is at least so much larger than the smallest thing of its kind.
_LARGER = 2.0


def dragged_rows(view: PageView, phrase: str, kept_out: set[int], target: Row | None) -> list[Row]:
    """Return the rows that a phrase means to be dragged; `kept_out` are indexes of rows that are not."""
    live = [row.element for row in view.rows if row.element.covered_by is None and not row.element.disabled]
    ids = {e.id for e in movable(live, view.goal.text)}
    pool = [row for row in view.rows if row.index not in kept_out and row.element.id in ids]
    named = _named(pool, phrase)
    if named:
        return named
    words = tokens(phrase)
    pool = [row for row in pool if target is None or _area(row) < _area(target) or row.element.role != "graphic"]
    if _EVERYTHING & set(words):
        return pool
    fits = _by_look(pool, words)
    if _SMALL & set(words) and fits:
        return [min(fits, key=_area)]
    if _LARGE & set(words) and fits:
        return [max(fits, key=_area)]
    return fits


def target_row(view: PageView, phrase: str) -> Row | None:
    """Return the row that a phrase means to be dropped on; None where it means none."""
    pool = [row for row in view.rows if not row.is_field and not row.is_submit and row.element.shape not in _PARTS]
    named = _named(pool, phrase)
    if named:
        return named[0]
    words = tokens(phrase)
    looks = [w for w in words if w in colors.NAMED or stem(w) in SHAPES or w in _CONTAINERS or w in _SMALL | _LARGE]
    hinted = [row for row in pool if row.hint_stems & {stem(w) for w in words if w not in STOP_WORDS}]
    fits = _by_look(pool, words) if looks else hinted
    if not fits:
        return None
    if _SMALL & set(words):
        return min(fits, key=_area)
    largest = max(map(_area, fits))
    large = [row for row in fits if _area(row) * _LARGER > largest]
    side = next((_SIDES[word] for word in words if word in _SIDES), None)
    if side is not None:
        axis, sign = side
        return min(large, key=lambda row: sign * (row.element.box.y if axis else row.element.box.x))
    return max(large, key=_area)


_PARTS = frozenset({"svg", "canvas", "line", "text"})
_CONTAINERS = frozenset({"box", "container", "area", "zone", "basket", "bin", "square", "frame"})


def _named(pool: list[Row], phrase: str) -> list[Row]:
    return [row for row in pool if len(row.name) > 1 and re.search(rf"(?<!\w){re.escape(row.name)}(?!\w)", phrase)]


def _by_look(pool: list[Row], words: list[str]) -> list[Row]:
    """Return the rows that fit the colours and shapes among the words; what has no shape fits any."""
    wanted = {word for word in words if word in colors.NAMED}
    tests = [SHAPES[stem(word)] for word in words if stem(word) in SHAPES]
    return [
        row
        for row in pool
        if (not wanted or colors.names(row.element.color or "") & wanted)
        and (not tests or not row.element.shape or any(test(row) for test in tests))
    ]


def _area(row: Row) -> int:
    return row.element.box.width * row.element.box.height
