"""How a goal refers to elements: by name, ordinal, look (colour, shape, size), extreme or count. No history."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from agent.embedded import colors
from agent.embedded.goal import GENERIC_STEMS, GoalView
from agent.embedded.page import PageView, Row
from agent.embedded.words import quantity, stem, stems

Kind = Literal["quoted", "named", "ordinal", "described", "extreme", "answer"]


@dataclass(frozen=True, slots=True)
class Reference:
    """One way in which the goal means an element."""

    kind: Kind
    start: int
    """Where in the goal; the first to be done stands first."""
    strength: float = 1.0


References = dict[int, list[Reference]]
"""By row index."""

_ROLE_WORDS: dict[str, Callable[[Row], bool]] = {
    "button": lambda row: row.element.role == "button",
    "link": lambda row: row.element.role == "link" or row.element.tag == "a",
    "checkbox": lambda row: row.element.role == "checkbox",
    "radio": lambda row: row.element.role == "radio",
    "textbox": lambda row: row.element.editable,
    "text": lambda row: row.element.editable,
    "input": lambda row: row.element.editable,
    "field": lambda row: row.element.editable,
    "textarea": lambda row: row.element.tag == "textarea",
    "slider": lambda row: row.is_slider,
    "tab": lambda row: row.element.role == "tab",
    "dropdown": lambda row: row.element.role in ("combobox", "listbox"),
    "icon": lambda row: not row.element.name and bool(row.element.hint),
    "image": lambda row: row.element.role == "img",
    "option": lambda row: row.element.role in ("option", "radio"),
    "result": lambda row: row.element.role == "link" or row.element.tag == "a",
}
ROLE_WORDS = {stem(word): test for word, test in _ROLE_WORDS.items()}


def find_references(view: PageView) -> References:
    """Return, by row index, how the goal refers to each row it refers to."""
    found: References = {}
    for row in view.rows:
        named = _by_name(view.goal, row)
        if named:
            found[row.index] = [named]
    for index, reference in (*_by_ordinal(view), *_by_look(view), *_by_extreme(view), *_by_answer(view)):
        found.setdefault(index, []).append(reference)
    return found


def _by_name(goal: GoalView, row: Row) -> Reference | None:
    if not row.name:
        return None
    if row.name in goal.quoted:
        return Reference("quoted", goal.quoted[row.name])
    start = goal.find(row.name)
    if start < 0 or not any(c.isalnum() for c in row.name):
        return None
    if row.name_stems <= GENERIC_STEMS:
        return Reference("named", start, 0.3)
    return Reference("named", start, 0.5 if row.name.isdigit() else 1.0)


def _by_ordinal(view: PageView) -> list[tuple[int, Reference]]:
    found = []
    for ordinal in view.goal.ordinals:
        test = next((ROLE_WORDS[s] for s in ordinal.stems if s in ROLE_WORDS), None)
        if test is None:
            continue
        alike = [row for row in view.rows if test(row)]
        position = ordinal.n - 1 if ordinal.n > 0 else len(alike) - 1
        if 0 <= position < len(alike):
            found.append((alike[position].index, Reference("ordinal", ordinal.start)))
    return found


# ---- look

_SHAPES: dict[str, Callable[[Row], bool]] = {
    "circle": lambda row: row.element.shape in ("circle", "ellipse"),
    "square": lambda row: row.element.shape == "square",
    "rectangle": lambda row: row.element.shape in ("rectangle", "square"),
    "triangle": lambda row: row.element.shape == "triangle",
    "polygon": lambda row: row.element.shape in ("polygon", "quadrilateral", "triangle"),
    "line": lambda row: row.element.shape in ("line", "polyline"),
    "letter": lambda row: row.element.shape == "text" and row.name.isalpha(),
    "digit": lambda row: row.element.shape == "text" and row.name.isdigit(),
    "number": lambda row: row.element.shape == "text" and row.name.isdigit(),
}
SHAPES = {stem(word): test for word, test in _SHAPES.items()}
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


def _by_look(view: PageView) -> list[tuple[int, Reference]]:
    goal = view.goal
    asked_shapes = [SHAPES[s] for s in goal.all_stems if s in SHAPES]
    if not (goal.colors or goal.size or asked_shapes):
        return []
    graphics = [row for row in view.rows if is_graphic(row)]
    if not graphics:
        return []
    start = min(word.start for word in goal.words if _describes(word.text, word.stem))
    fitting = [row for row in graphics if _fits(row, goal, asked_shapes, graphics)]
    if goal.has("how") and goal.has("many"):
        return [(row.index, Reference("answer", start)) for row in view.rows if row.name == str(len(fitting))]
    return [(row.index, Reference("described", start)) for row in fitting]


def _describes(word: str, word_stem: str) -> bool:
    return word in colors.NAMED or word_stem in SHAPES or word in ("small", "large", "big", "tiny", "little", "huge")


def _fits(row: Row, goal: GoalView, shapes: list[Callable[[Row], bool]], graphics: list[Row]) -> bool:
    if goal.colors and not _has_color(row, goal):
        return False
    if shapes and row.element.shape and not any(test(row) for test in shapes):
        return False
    return not goal.size or _size_class(row, graphics) in (goal.size, 0)


def _has_color(row: Row, goal: GoalView) -> bool:
    css = row.element.color or ""
    if goal.has("shade"):
        return colors.family(css) in goal.colors
    return bool(colors.names(css) & goal.colors)


def _extent(row: Row) -> float:
    box = row.element.box
    return box.height / _TEXT_HEIGHT if row.element.shape == "text" else float(max(box.width, box.height))


def _size_class(row: Row, graphics: list[Row]) -> int:
    """Return 1 for the larger half of the graphics' sizes, -1 for the smaller, 0 where all are alike."""
    extents = [_extent(other) for other in graphics]
    low, high = min(extents), max(extents)
    if high < low * _SIZE_RATIO:
        return 0
    return 1 if _extent(row) > (low + high) / 2 else -1


# ---- extremes and answers


def _by_extreme(view: PageView) -> list[tuple[int, Reference]]:
    """Return the elements whose quantity is the greatest or least among their like, where the goal asks for that."""
    goal = view.goal
    if not goal.extreme:
        return []
    start = min(word.start for word in goal.words)
    groups: dict[tuple[str, str, str | None], list[tuple[float, int]]] = {}
    for row in view.rows:
        amount = _amount(view, row)
        if amount is not None and not row.is_field:
            groups.setdefault(row.group, []).append((amount, row.index))
    found = []
    for members in groups.values():
        if len(members) > 1:
            best = max(amount * goal.extreme for amount, _ in members)
            found += [(index, Reference("extreme", start)) for amount, index in members if amount * goal.extreme == best]
    return found


def texts_before(view: PageView, row: Row) -> str:
    """Return the page text between the element before a row and the row."""
    return " ".join(block.text for block in view.observation.texts if block.position == row.index)


def _amount(view: PageView, row: Row) -> float | None:
    lead = texts_before(view, row)
    if lead and view.goal.stems & frozenset(stems(lead)):
        return quantity(lead)
    return quantity(row.element.name)


def _by_answer(view: PageView) -> list[tuple[int, Reference]]:
    """Return the control that names the shape drawn on the page, where the goal asks what it is."""
    if not view.goal.has("describes", "identify", "figure"):
        return []
    drawn = [row for row in view.rows if row.element.role == "graphic"]
    found = []
    for row in view.rows:
        test = SHAPES.get(stem(row.name))
        if test and row not in drawn and any(test(other) for other in drawn):
            found.append((row.index, Reference("answer", 0)))
    return found
