"""How a goal refers to elements: by name, kind, look, extreme, date, style, and as the modules beside tell."""

import re

from agent import colors
from agent.embedded.answers import by_answer, by_coordinate, by_progress, is_true_of_number
from agent.embedded.calendar import holds_date, is_date_field, leads_to
from agent.embedded.counters import beside, several
from agent.embedded.goal import GENERIC_STEMS, GoalView
from agent.embedded.groups import by_context, labelled
from agent.embedded.looks import described, is_graphic
from agent.embedded.marks import quoted_elsewhere
from agent.embedded.ordinals import ROLE_WORDS, by_ordinal
from agent.embedded.page import PageView, Row
from agent.embedded.progress import Progress
from agent.embedded.reference import Found, Reference, References
from agent.embedded.words import meanings, normal, quantity, stem, stems


def find_references(view: PageView, progress: Progress) -> References:
    """Return, by row index, how the goal refers to each row it refers to."""
    found: References = {}
    for source in (
        _by_name,
        _by_role,
        _by_affix,
        _by_look,
        _by_extreme,
        by_context,
        beside,
        labelled,
        by_coordinate,
        _openers,
        _styles,
        _color_icons,
        _by_date,
        by_answer,
    ):
        for row, reference in source(view):
            found.setdefault(row.index, []).append(reference)
    counted = list(by_ordinal(view, progress))
    for row, reference in (*counted, *by_progress(view, progress), *several(view, progress)):
        found.setdefault(row.index, []).append(reference)
    elsewhere = quoted_elsewhere(view, progress)
    if elsewhere:
        found = {i: [r for r in refs if r.kind != "quoted" or r.start not in elsewhere] for i, refs in found.items()}
        found = {i: refs for i, refs in found.items() if refs}
    return _without_typed(found, view, progress) if counted else found


def _without_typed(found: References, view: PageView, progress: Progress) -> References:
    """Return the references without names that were typed: of the results for "Ada" the counted one is meant."""
    typed = {normal(text) for text in progress.typed_texts}
    return {
        index: left
        for index, references in found.items()
        if (left := [r for r in references if r.kind != "quoted" or view.rows[index].name not in typed])
    }


# "K" is rather the element "K" than the element "k".
_OTHER_CASE = 0.8
# A thing of such a name is not meant by the goal's small words.
_NO_NAMES = frozenset({"", "a", "i"})


def _is_a_name(name: str) -> bool:
    return name not in _NO_NAMES and any(c.isalnum() for c in name)


def _by_name(view: PageView) -> Found:
    goal = view.goal
    for row in view.rows:
        if row.name in goal.quoted:
            exact = row.element.name in goal.quoted_exactly
            yield row, Reference("quoted", goal.quoted[row.name], 1.0 if exact else _OTHER_CASE)
        elif (
            row.name not in _NO_NAMES
            and any(c.isalnum() for c in row.name)
            and is_true_of_number(row, view) is not False
        ):
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
    if len(name) == 1 and name != goal.text[start]:
        return _OTHER_CASE
    in_its_own_case = name != name.lower() and name in goal.text
    return 1.0 if in_its_own_case or not row.name_stems <= GENERIC_STEMS else 0.3


def _by_role(view: PageView) -> Found:
    """Elements whose kind, or the synonym of whose name, the goal quotes where no name is quoted: "x", "checkbox"."""
    for text, start in view.goal.quoted.items():
        if any(row.name == text for row in view.rows):
            continue
        word, same = _meant_by_quote(text)
        test = ROLE_WORDS.get(word)
        for row in view.rows:
            if (test and test(row)) or stem(row.name.replace(" ", "")) in same:
                yield row, Reference("role", start)


def _meant_by_quote(text: str) -> tuple[str, frozenset[str]]:
    """Return the stem of a quoted word and what else may name it. A class such as "fa-icon-close" or "ui-seek-end" ends
    with the word or the two for what it shows."""
    parts = text.split("-")
    if len(parts) < 2 or not parts[0] or " " in text:
        word = stem(text)
        return word, meanings(word) - {word}
    word = stem(parts[-1])
    return word, meanings(word) | meanings(stem("".join(parts[-2:])))


def _by_affix(view: PageView) -> Found:
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


# Of several that have a colour, the one nearest to what its name says is rather meant.
_LESS_LIKE = 0.9


def _by_look(view: PageView) -> Found:
    rows, start = described(view)
    if view.goal.asks_count:
        answer = str(len(rows))
        rows_with_answer = [row for row in view.rows if row.name == answer and not is_graphic(row)]
        yield from ((row, Reference("answer", 0)) for row in rows_with_answer if start >= 0)
        return
    nearest = min((colors.distance(row.element.color or "", view.goal.colors) for row in rows), default=0.0)
    for row in rows:
        exact = colors.distance(row.element.color or "", view.goal.colors) <= nearest
        yield row, Reference("described", start, 1.0 if exact else _LESS_LIKE)


def _by_extreme(view: PageView) -> Found:
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
            wanted = ranked if goal.in_order else [m for m in ranked if m[0] == ranked[0][0]]
            yield from ((row, Reference("extreme", place)) for place, (_, row) in enumerate(wanted))


_MONEY = re.compile(r"[$€£]\s?\d")


def _amount(view: PageView, row: Row) -> float | None:
    lead = view.texts_before(row)
    if view.goal.has("cheap", "cheapest", "expensive", "price", "cost") and _MONEY.search(row.element.name):
        return quantity(row.element.name)
    if lead and view.goal.stems & frozenset(stems(lead)):
        return quantity(lead)
    return quantity(row.element.name)


def _openers(view: PageView) -> Found:
    """Collapsed parts, where the goal says to expand or open."""
    start = next((w.start for w in view.goal.words if w.text in ("expand", "open", "unfold", "show")), -1)
    if start >= 0:
        yield from ((row, Reference("opener", start)) for row in view.rows if row.is_opener and row.name)


_STYLES = frozenset(stem(word) for word in ("bold", "italic", "underline", "strike", "strikethrough"))
_STYLE_NAMES = _STYLES.union(*(meanings(s) for s in _STYLES))


def _styles(view: PageView) -> Found:
    """The icon of an editor that gives a text the style the goal says."""
    said = {word.stem: word.start for word in view.goal.words if word.stem in _STYLE_NAMES}
    for row in view.rows if said else ():
        if row.name or row.element.role not in ("button", "img", "generic"):
            continue
        start = next((said[s] for hint in row.hint_stems for s in meanings(hint) if s in said), -1)
        if start >= 0:
            yield row, Reference("style", start)


def _color_icons(view: PageView) -> Found:
    """What opens the colours of an editor: an icon that is only drawn, before nameless tools, while no colour shows."""
    goal = view.goal
    if not goal.colors or not goal.has("color", "colour") or not any(row.element.filled for row in view.fields):
        return
    if any(is_graphic(row) and colors.names(row.element.color or "") & goal.colors for row in view.rows):
        return
    tools = [row for row in view.rows if row.element.role == "button" and not row.name and row.hint_stems]
    for row in view.rows if len(tools) > 1 else ():
        if row.element.role == "graphic" and row.element.shape not in ("svg", "canvas") and not row.name:
            yield row, Reference("style", min(w.start for w in goal.words if w.text in goal.colors))


def _by_date(view: PageView) -> Found:
    """The date field to open, then what leads to the goal's date in its calendar."""
    date, shown = view.goal.date, view.month
    if date is None:
        return
    start = next((v.start for v in view.goal.values if v.kind == "date"), 0)
    for row in view.rows:
        if shown is None:
            if is_date_field(row) and not holds_date(row, date):
                yield row, Reference("date", start)
        elif leads_to(row, shown, date) > 0:
            yield row, Reference("date", 0)
