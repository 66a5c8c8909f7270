"""How a goal refers to elements: by name, ordinal, look, extreme, context, date, or by the answer they state."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from agent.embedded.calendar import holds_date, is_date_field, leads_to
from agent.embedded.goal import GENERIC_STEMS, GoalView, Ordinal
from agent.embedded.looks import SHAPES, described, is_graphic
from agent.embedded.page import PageView, Row
from agent.embedded.progress import Progress
from agent.embedded.slots import wanted_slots
from agent.embedded.three import best_cell
from agent.embedded.words import meanings, quantity, stem, stems

Kind = Literal[
    "quoted",
    "named",
    "role",
    "affix",
    "ordinal",
    "described",
    "extreme",
    "in_context",
    "beside",
    "labelled",
    "opener",
    "style",
    "date",
    "answer",
    "slot",
    "move",
]
COUNTED_KINDS = frozenset({"described", "extreme", "in_context", "beside"})
"""Kinds of which the goal means a number of elements: one, a count, or all."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One way in which the goal means an element."""

    kind: Kind
    start: int
    """Where in the goal; the first to be done stands first."""
    strength: float = 1.0


References = dict[int, list[Reference]]
"""By row index."""

_Found = Iterator[tuple[Row, Reference]]


def find_references(view: PageView, progress: Progress) -> References:
    """Return, by row index, how the goal refers to each row it refers to."""
    found: References = {}
    for source in (
        _by_name,
        _by_role,
        _by_affix,
        _by_look,
        _by_extreme,
        _by_context,
        _beside,
        _labelled,
        _by_coordinate,
        _openers,
        _styles,
        _by_date,
        _by_answer,
    ):
        for row, reference in source(view):
            found.setdefault(row.index, []).append(reference)
    for row, reference in (*_by_ordinal(view, progress), *_by_progress(view, progress)):
        found.setdefault(row.index, []).append(reference)
    return found


# "K" is rather the element "K" than the element "k".
_OTHER_CASE = 0.8


def _by_name(view: PageView) -> _Found:
    goal = view.goal
    for row in view.rows:
        if row.name in goal.quoted:
            exact = row.element.name in goal.quoted_exactly
            yield row, Reference("quoted", goal.quoted[row.name], 1.0 if exact else _OTHER_CASE)
        elif any(c.isalnum() for c in row.name) and is_true_parity(row, view) is not False:
            start = goal.find(row.name)
            if start >= 0:
                yield row, Reference("named", start, _name_strength(row, goal, start))


def _name_strength(row: Row, goal: GoalView, start: int) -> float:
    """Return how surely a name that stands in the goal is meant as one: a number or a small word often is not."""
    name = row.element.name.strip()
    if row.name.isdecimal():
        return 0.5
    if start == 0 and row.is_submit:
        return 0.3  # "Search for ..." says what it is all about
    in_its_own_case = name != name.lower() and name in goal.text
    return 1.0 if in_its_own_case or not row.name_stems <= GENERIC_STEMS else 0.3


def _by_role(view: PageView) -> _Found:
    """Elements whose kind, or the synonym of whose name, the goal quotes where no name is quoted: "x", "checkbox"."""
    for text, start in view.goal.quoted.items():
        if any(row.name == text for row in view.rows):
            continue
        # A class name such as "fa-icon-close" ends with what it shows.
        head, dash, tail = text.rpartition("-")
        word = stem(tail if head and dash and " " not in text else text)
        test = ROLE_WORDS.get(word)
        same = meanings(word) if dash else meanings(word) - {word}
        for row in view.rows:
            if (test and test(row)) or stem(row.name) in same:
                yield row, Reference("role", start)


def _by_affix(view: PageView) -> _Found:
    """Elements whose name starts, ends with or contains what the goal says."""
    if not view.goal.affixes:
        return
    for row in view.rows:
        if row.name and not row.is_field and fits_affixes(row.name, view.goal.affixes):
            yield row, Reference("affix", 0)


def fits_affixes(text: str, affixes: tuple[tuple[str, str], ...]) -> bool:
    """Tell whether a text starts, ends with and contains what is asked."""
    text = text.lower()
    tests = {"start": text.startswith, "begin": text.startswith, "end": text.endswith, "contain": text.__contains__}
    return all(tests[kind](part) for kind, part in affixes)


def _by_look(view: PageView) -> _Found:
    rows, start = described(view)
    if view.goal.asks_count:
        answer = str(len(rows))
        rows_with_answer = [row for row in view.rows if row.name == answer and not is_graphic(row)]
        yield from ((row, Reference("answer", 0)) for row in rows_with_answer if start >= 0)
    else:
        yield from ((row, Reference("described", start)) for row in rows)


def _by_extreme(view: PageView) -> _Found:
    """Elements whose quantity is the greatest or least among their like, where the goal asks for that."""
    goal = view.goal
    if not goal.extreme:
        return
    groups: dict[tuple[str, str, str], list[tuple[float, Row]]] = {}
    for row in view.rows:
        amount = None if row.is_field else _amount(view, row)
        if amount is not None:
            groups.setdefault(row.kin, []).append((amount * goal.extreme, row))
    for members in groups.values():
        if len(members) > 1:
            ranked = sorted(members, key=lambda member: -member[0])
            # Behind the first stand the others, for a goal that wants them in order.
            wanted = ranked if goal.has("order") else [m for m in ranked if m[0] == ranked[0][0]]
            yield from ((row, Reference("extreme", place)) for place, (_, row) in enumerate(wanted))


def _amount(view: PageView, row: Row) -> float | None:
    lead = view.texts_before(row)
    if lead and view.goal.stems & frozenset(stems(lead)):
        return quantity(lead)
    return quantity(row.element.name)


def _by_context(view: PageView) -> _Found:
    """Nameless or repeated controls of a row, post or group that the goal names: "Share" on a post by @jess."""
    entities = _entities(view)
    if not entities or view.contexts < 2:
        return
    says = _speaker(view)
    for row in view.rows:
        if row.name in entities or row.is_field or row.is_cancel or not says(row):
            continue
        start = next((start for text, start in entities.items() if _holds(row.context, text)), -1)
        if start >= 0:
            yield row, Reference("in_context", start)


def _entities(view: PageView) -> dict[str, int]:
    """Return the names a goal gives to rows or groups, lower case, with where they stand."""
    kinds = ("handle", "capitalised", "named", "quoted")
    return {v.text.lower(): v.start for v in view.goal.values if v.kind in kinds and len(v.text) > 1}


def _holds(context: str, text: str) -> bool:
    at = context.find(text)
    end = at + len(text)
    return at >= 0 and not context[at - 1 : at].isalnum() and not context[end : end + 1].isalnum()


def _speaker(view: PageView) -> Callable[[Row], bool]:
    """Return a test whether an element's own words, name or class, mean something the goal says.

    A synonym counts only where no element of the page says the word itself, and a class that half of the icons
    share says nothing.
    """
    goal = view.goal
    spoken = goal.stems | goal.quoted_stems
    hints = [row.hint_stems for row in view.rows if not row.name]
    common = frozenset(s for s in frozenset().union(*hints) if 2 * sum(s in h for h in hints) > len(hints) > 1)
    said = frozenset(s for h in hints for s in h - common if s in spoken)
    unsaid = spoken - said

    def says(row: Row) -> bool:
        if row.name:
            return row.name in goal.quoted or bool(row.name_stems) and row.name_stems <= goal.stems
        telling = row.hint_stems - common
        return bool(telling & spoken) or any(meanings(s) & unsaid for s in telling)

    return says


_PLUS = meanings("plus") | meanings("add")


def _beside(view: PageView) -> _Found:
    """The plus of a counter beside a text that the goal names."""
    for row in view.rows:
        is_plus = row.name == "+" or (not row.name and bool(row.hint_stems & _PLUS))
        text = row.element.before.lower().strip(" :")
        start = view.goal.find(text) if is_plus and len(text) > 2 else -1
        if start >= 0:
            yield row, Reference("beside", start)


def _labelled(view: PageView) -> _Found:
    """What stands after a label that the goal says: "their address" is what follows "Address:"."""
    for row in view.rows:
        before = view.texts_before(row).strip()
        words = frozenset(stems(before)) if before.endswith(":") and not row.is_field else frozenset()
        if row.name and words and words <= view.goal.stems:
            start = min(word.start for word in view.goal.words if word.stem in words)
            yield row, Reference("labelled", start)


_COORDINATE = re.compile(r"\(\s*(-?\d+)\s*,\s*(-?\d+)\s*\)")


def _by_coordinate(view: PageView) -> _Found:
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


def _openers(view: PageView) -> _Found:
    """Collapsed parts, where the goal says to expand or open."""
    start = next((w.start for w in view.goal.words if w.text in ("expand", "open", "unfold", "show")), -1)
    if start >= 0:
        yield from ((row, Reference("opener", start)) for row in view.rows if row.is_opener and row.name)


_STYLES = frozenset(stem(word) for word in ("bold", "italic", "underline", "strike", "strikethrough"))
_STYLE_NAMES = _STYLES.union(*(meanings(s) for s in _STYLES))


def _styles(view: PageView) -> _Found:
    """The icon of an editor that gives a text the style the goal says."""
    said = {word.stem: word.start for word in view.goal.words if word.stem in _STYLE_NAMES}
    for row in view.rows if said else ():
        if row.name or row.element.role not in ("button", "img", "generic"):
            continue
        start = next((said[s] for hint in row.hint_stems for s in meanings(hint) if s in said), -1)
        if start >= 0:
            yield row, Reference("style", start)


def _by_date(view: PageView) -> _Found:
    """The date field to open, then what leads to the goal's date in its calendar."""
    date, shown = view.goal.date, view.month
    if date is None:
        return
    for row in view.rows:
        if shown is None:
            if is_date_field(row) and not holds_date(row, date):
                yield row, Reference("date", 0)
        elif leads_to(row, shown, date) > 0:
            yield row, Reference("date", 0)


def _by_answer(view: PageView) -> _Found:
    """The control that is right: "even" beside an even number; the name of the shape drawn, where that is asked."""
    for row in view.rows:
        if is_true_parity(row, view) is True:
            yield row, Reference("answer", 0)
    if not view.goal.has("describes", "identify", "figure"):
        return
    drawn = [row for row in view.rows if row.element.role == "graphic"]
    for row in view.rows:
        test = SHAPES.get(stem(row.name))
        if test and row not in drawn and any(test(other) for other in drawn):
            yield row, Reference("answer", 0)


def is_true_parity(row: Row, view: PageView) -> bool | None:
    """Tell whether a control named odd or even is right about the number of its group; None for other controls."""
    if row.name not in ("odd", "even") or not view.goal.has(row.name):
        return None
    number = quantity(row.context)
    return None if number is None else (number % 2 == 0) == (row.name == "even")


def _by_progress(view: PageView, progress: Progress) -> _Found:
    """What is meant next by what was done before: the ends of an event in a day's slots, a move in a game."""
    for place, row in enumerate(wanted_slots(view, progress)):
        yield row, Reference("slot", place)
    cell = best_cell(view, progress)
    if cell is not None:
        yield cell, Reference("move", 0)


# ---- ordinals

_ROLE_WORDS: dict[str, Callable[[Row], bool]] = {
    "button": lambda row: row.element.role == "button",
    "link": lambda row: row.element.role == "link" or row.element.tag == "a",
    "checkbox": lambda row: row.element.role == "checkbox",
    "radio": lambda row: row.element.role == "radio",
    "textbox": lambda row: row.element.editable,
    "text": lambda row: row.element.editable and row.element.tag != "textarea",
    "input": lambda row: row.element.editable,
    "field": lambda row: row.element.editable,
    "textarea": lambda row: row.element.tag == "textarea",
    "slider": lambda row: row.is_slider,
    "tab": lambda row: row.element.role == "tab",
    "dropdown": lambda row: row.element.role in ("combobox", "listbox"),
    "icon": lambda row: not row.element.name and bool(row.element.hint),
    "image": lambda row: row.element.role == "img",
    "option": lambda row: row.element.role in ("option", "radio"),
    "result": lambda row: row.element.role == "link" and not _is_pager(row),
}
ROLE_WORDS = {stem(word): test for word, test in _ROLE_WORDS.items()}


def _is_pager(row: Row) -> bool:
    return row.is_next or row.is_previous or row.name.isdecimal()


def _by_ordinal(view: PageView, progress: Progress) -> _Found:
    for ordinal in view.goal.ordinals:
        pairs = [one + other for one, other in zip(ordinal.stems, ordinal.stems[1:], strict=False)]
        noun = next((s for s in (*pairs, *ordinal.stems) if s in ROLE_WORDS), None)
        if noun is None:
            continue
        alike = [row for row in view.rows if ROLE_WORDS[noun](row)]
        if noun == stem("result"):
            yield from _on_pages(view, progress, ordinal, alike)
            continue
        position = ordinal.n - 1 if ordinal.n > 0 else len(alike) - 1
        if 0 <= position < len(alike):
            yield alike[position], Reference("ordinal", ordinal.start)


def _on_pages(view: PageView, progress: Progress, ordinal: Ordinal, shown: list[Row]) -> _Found:
    """The n-th of a list that is shown in pages of equal length, or the control that leads to its page."""
    if not shown:
        return
    page, place = divmod(ordinal.n - 1, len(shown))
    if page + 1 == progress.page_number:
        yield shown[place], Reference("ordinal", ordinal.start)
        return
    pagers = [row for row in view.rows if row.name == str(page + 1) and row.element.role == "link"]
    pagers = pagers or [row for row in view.rows if row.is_next]
    yield from ((row, Reference("ordinal", ordinal.start)) for row in pagers[:1])
