"""What any control shows of itself, as numbers between -1 and 1: kind, state, words beside the goal's, look, place.

General on purpose: no rule follows from one of them alone. What is learned reads them; the rules have their own.
"""

from functools import lru_cache

from agent import colors
from agent.embedded.page import PageView, Row
from agent.embedded.words import meanings, stem, stems, tokens

ROLES = (
    "button", "link", "textbox", "checkbox", "radio", "combobox", "listbox", "option", "tab", "slider", "spinbutton",
    "menuitem", "img", "generic", "graphic", "listitem",
)  # fmt: skip
SHAPES = ("circle", "ellipse", "rectangle", "square", "triangle", "polygon", "line", "text", "svg", "canvas")
STATES = (
    "checked", "unchecked", "selected", "expanded", "collapsed", "popup", "pressed", "filled", "empty", "focused",
    "readonly", "area", "offscreen", "draggable", "submit", "cancel", "next", "previous", "opener",
)  # fmt: skip
WORDS = (
    "none", "count", "number", "symbol", "in_goal", "quoted", "case", "share", "of_goal", "rare", "at", "meaning",
    "prefix",
)  # fmt: skip
AROUND = (
    "hint", "hint_share", "hint_meaning", "hint_quoted", "scope_share", "before_share", "after_share", "scope_quoted",
    "before_quoted", "name_before", "name_after", "label_share", "label_quoted",
)  # fmt: skip
LOOK = ("color", "color_said", "color_family", "area", "small", "large")
PLACE = ("x", "y", "order", "order_alike", "first_alike", "last_alike", "alike", "same_name")

ELEMENT_FACTS: tuple[str, ...] = (
    *(f"role_{role}" for role in ROLES), "role_other",
    *(f"state_{name}" for name in STATES),
    *(f"name_{name}" for name in WORDS),
    *(f"near_{name}" for name in AROUND),
    *(f"shape_{name}" for name in SHAPES), *(f"look_{name}" for name in LOOK),
    *(f"place_{name}" for name in PLACE),
)  # fmt: skip

Facts = dict[str, float]
# A longer name, more alike controls or a longer page are all "many".
_MANY_WORDS, _MANY_ALIKE = 6, 10
# Words that share so many first letters may be forms of one another.
_PREFIX = 4


def element_facts(row: Row, view: PageView) -> Facts:
    """Return the facts of one control by name; what is left out is 0."""
    role = row.element.role
    facts = {f"role_{role}" if role in ROLES else "role_other": 1.0}
    facts |= {f"state_{name}": 1.0 for name in _states(row)}
    facts |= _words(row, view)
    facts |= _around(row, view)
    if row.element.shape or row.element.color:
        facts |= _look(row, view)
    return facts


def _states(row: Row) -> list[str]:
    e = row.element
    found = {
        "checked": e.checked is True, "unchecked": e.checked is False, "selected": e.selected is True,
        "expanded": e.expanded is True, "collapsed": e.expanded is False, "popup": e.has_popup,
        "pressed": e.pressed is True, "filled": bool(e.filled), "empty": e.editable and not e.filled,
        "focused": e.focused, "readonly": e.readonly, "area": e.tag == "textarea", "offscreen": not e.in_viewport,
        "draggable": e.draggable, "submit": row.is_submit, "cancel": row.is_cancel, "next": row.is_next,
        "previous": row.is_previous, "opener": row.is_opener,
    }  # fmt: skip
    return [name for name, holds in found.items() if holds]


def _words(row: Row, view: PageView) -> Facts:
    """How the words of its name meet those of the goal."""
    goal, name = view.goal, row.name
    if not name:
        return {"name_none": 1.0}
    spoken, sought = goal.all_stems | goal.quoted_stems, goal.stems | goal.quoted_stems
    shared = row.name_stems & spoken
    start = goal.find(name)
    facts = {
        "name_count": min(1.0, len(row.name_stems) / _MANY_WORDS),
        "name_number": float(name.replace(",", "").replace(".", "").lstrip("-$").isdecimal()),
        "name_symbol": float(not any(c.isalnum() for c in name)),
        "name_in_goal": float(start >= 0),
        "name_quoted": float(name in goal.quoted),
        "name_case": float(row.element.name.strip() in goal.text),
        "name_at": start / len(goal.text) if start > 0 else 0.0,
        "name_share": share(row.name_stems, spoken),
        "name_of_goal": share(sought, row.name_stems),
        "name_rare": max((1 / view.name_counts[s] for s in shared), default=0.0),
    }
    if not shared:
        facts["name_meaning"] = float(any(meanings(s) & goal.stems for s in row.name_stems))
        facts["name_prefix"] = float(bool(_prefixes(row.name_stems) & _prefixes(goal.stems)))
    return facts


def share(part: frozenset[str], whole: frozenset[str]) -> float:
    """Return how much of the one set is in the other; 0 for an empty one."""
    return len(part & whole) / len(part) if part else 0.0


def _prefixes(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word[:_PREFIX] for word in words if len(word) >= _PREFIX)


@lru_cache(maxsize=4096)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stems(text))


def _around(row: Row, view: PageView) -> Facts:
    """What its class words, its group, the texts and the controls beside it share with the goal."""
    goal, e = view.goal, row.element
    facts: Facts = {}
    if e.hint and not row.name:
        facts["near_hint"] = 1.0
        facts["near_hint_share"] = share(row.hint_stems, goal.all_stems)
        facts["near_hint_meaning"] = float(any(meanings(s) & goal.stems for s in row.hint_stems))
        facts["near_hint_quoted"] = float(any(meanings(s) & goal.quoted_stems for s in row.hint_stems))
    spoken = goal.stems | goal.quoted_stems
    for place, text in (("scope", e.scope or ""), ("before", e.before), ("after", e.after)):
        if text:
            facts[f"near_{place}_share"] = share(_stems(text), spoken)
    for place, text in (("scope", (e.scope or "").lower()), ("before", e.before.lower()), ("label", row.label)):
        facts[f"near_{place}_quoted"] = float(bool(text) and any(quoted in text for quoted in goal.quoted if quoted))
    for place, index in (("before", row.index - 1), ("after", row.index + 1)):
        if 0 <= index < len(view.rows):
            facts[f"near_name_{place}"] = share(view.rows[index].name_stems, spoken)
    facts["near_label_share"] = share(row.label_stems, goal.all_stems)
    return facts


def _look(row: Row, view: PageView) -> Facts:
    e, goal = row.element, view.goal
    css = e.color or ""
    said = [word for word in tokens(goal.text) if stem(word) == stem(e.shape or "-")]
    return {
        f"shape_{e.shape}" if e.shape in SHAPES else "look_color": 1.0,
        "look_color": float(bool(css)),
        "look_color_said": float(bool(css) and bool(colors.names(css) & goal.colors)),
        "look_color_family": float(bool(css) and colors.family(css) in goal.colors),
        "look_area": min(1.0, (e.box.width * e.box.height) / 10_000),
        "look_small": float(goal.size < 0 and bool(said)),
        "look_large": float(goal.size > 0 and bool(said)),
    }


def place_facts(view: PageView) -> list[Facts]:
    """Return where each control stands: on the page, in its order, among its like."""
    rows = view.rows
    right = max((r.element.box.x + r.element.box.width for r in rows), default=1) or 1
    bottom = max((r.element.box.y + r.element.box.height for r in rows), default=1) or 1
    groups: dict[tuple[str, str, str | None], list[int]] = {}
    names: dict[str, int] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row.index)
        names[row.name] = names.get(row.name, 0) + 1
    rank = {index: (n, len(group)) for group in groups.values() for n, index in enumerate(group)}
    found = []
    for row in rows:
        box, (n, alike) = row.element.box, rank[row.index]
        found.append(
            {
                "place_x": _unit((box.x + box.width / 2) / right),
                "place_y": _unit((box.y + box.height / 2) / bottom),
                "place_order": row.index / len(rows),
                "place_order_alike": n / alike,
                "place_first_alike": float(n == 0 and alike > 1),
                "place_last_alike": float(n == alike - 1 and alike > 1),
                "place_alike": min(1.0, alike / _MANY_ALIKE),
                "place_same_name": min(1.0, (names[row.name] - 1) / _MANY_ALIKE) if row.name else 0.0,
            }
        )
    return found


def _unit(value: float) -> float:
    return min(1.0, max(-1.0, value))
