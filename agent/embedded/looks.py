"""Elements known by their look: drawn shapes and coloured boxes, and what a goal says of colour, shape and size."""

import re
from collections.abc import Callable
from functools import partial

from agent import colors
from agent.embedded.goal import GoalView
from agent.embedded.page import PageView, Row
from agent.embedded.words import STOP_WORDS, stem
from agent.embedded.written import Word

_SHAPES: dict[str, Callable[[Row], bool]] = {
    "circle": lambda row: row.element.shape in ("circle", "ellipse"),
    "square": lambda row: row.element.shape == "square",
    "rectangle": lambda row: row.element.shape in ("rectangle", "square"),
    "triangle": lambda row: row.element.shape == "triangle",
    "shape": lambda row: row.element.role == "graphic" and row.element.shape != "text",
    "polygon": lambda row: row.element.shape in ("polygon", "quadrilateral", "triangle"),
    "line": lambda row: row.element.shape in ("line", "polyline"),
    "letter": lambda row: row.element.shape == "text" and row.name.isalpha(),
    "digit": lambda row: row.element.shape == "text" and row.name.isdecimal(),
    "number": lambda row: row.element.shape == "text" and row.name.isdecimal(),
}
# "letter" and "letters" have different stems.
SHAPES = {stem(form): test for word, test in _SHAPES.items() for form in (word, f"{word}s")}
_SIZE_WORDS = frozenset({"small", "tiny", "little", "large", "big", "huge"})
# Text is drawn a little higher than a shape of the same size.
_TEXT_HEIGHT = 1.1
# Sizes that differ by less than this look the same.
_SIZE_RATIO = 1.4


def is_graphic(row: Row) -> bool:
    """Tell whether a row is known by its look: a drawn shape, or a coloured box without words."""
    e = row.element
    if e.role == "graphic":
        return True
    return bool(e.color) and not e.name and e.role == "generic" and not row.is_slider


def described(view: PageView) -> tuple[list[Row], int]:
    """Return the graphics that fit the goal's colour, shape and size words, and where in the goal those begin.

    Returns ([], -1) where the goal describes no look.
    """
    goal = view.goal
    starts = [w.start for w in goal.words if w.text in colors.NAMED or w.stem in SHAPES or w.text in _SIZE_WORDS]
    starts += [0] if _letters(goal) else []
    graphics = [row for row in view.rows if is_graphic(row)]
    if not starts or not graphics:
        return [], -1
    tests = [SHAPES[s] for s in goal.all_stems if s in SHAPES] or _letters(goal)
    extents = [_extent(row) for row in graphics]
    return [row for row in graphics if _fits(row, goal, tests, extents)], min(starts)


_LETTERS = re.compile(r"^[a-z\d]s$")


def _letters(goal: GoalView) -> list[Callable[[Row], bool]]:
    """Return tests for the letters and digits that a goal says in plural: "how many red 4s"."""
    said = [goal.text[w.start] for w in goal.words if _may_be_plural(w, goal) and _LETTERS.match(w.text)]
    return [partial(_is_letter, letter=letter) for letter in said]


def _may_be_plural(word: Word, goal: GoalView) -> bool:
    """Tell whether a word is no other one: "Is" inside a sentence is more than one I."""
    return word.text not in STOP_WORDS or (word.start > 0 and goal.text[word.start].isupper())


def _is_letter(row: Row, letter: str) -> bool:
    return row.element.shape == "text" and row.element.name.strip() == letter


def _fits(row: Row, goal: GoalView, shapes: list[Callable[[Row], bool]], extents: list[float]) -> bool:
    if goal.colors and not _has_color(row, goal):
        return False
    if shapes and row.element.shape and not any(test(row) for test in shapes):
        return False
    return not goal.size or _size_class(row, extents) in (goal.size, 0)


def _has_color(row: Row, goal: GoalView) -> bool:
    css = row.element.color or ""
    if goal.has("shade"):
        return colors.family(css) in goal.colors
    return bool(colors.names(css) & goal.colors)


def _extent(row: Row) -> float:
    box = row.element.box
    return box.height / _TEXT_HEIGHT if row.element.shape == "text" else float(max(box.width, box.height))


def _size_class(row: Row, extents: list[float]) -> int:
    """Return 1 for the larger half of the graphics' sizes, -1 for the smaller, 0 where all are alike."""
    low, high = min(extents), max(extents)
    if high < low * _SIZE_RATIO:
        return 0
    return 1 if _extent(row) > (low + high) / 2 else -1
