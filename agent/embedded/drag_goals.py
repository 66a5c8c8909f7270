"""A goal that asks to drag, read: what onto what, which row to which place, what order, what size. Knows no page."""

import re
from typing import NamedTuple

from agent.embedded.goal import GoalView
from agent.embedded.words import NUMBER_WORDS, ordinal, quantity

_VERB = r"(?:drag|move|put|drop|place)"
_SO_THAT = r"(?:so that (?:it is|they are)\s+)?(?:completely\s+|fully\s+)?"
_ONTO = rf"(?:{_SO_THAT}(?:into|inside|onto|on top of|within|over|in|on|to))"
_END = r"(?=[,.;]|\s+(?:and|then)\b|$)"
_CLAUSE = re.compile(rf"\b{_VERB}\s+(.+?)\s+{_ONTO}\s+(.+?){_END}")
_REST = re.compile(
    rf"\b(everything else|all (?:the )?others?|the (?:others?|rest|remaining \w+))\s+{_ONTO}\s+(.+?){_END}"
)


class DragClause(NamedTuple):
    """What is to be dragged onto what, in the goal's words."""

    source: str
    target: str


def drag_clauses(goal: str) -> list[DragClause]:
    """Return what the goal, in lower case, wants dragged onto what, in its order; "everything else" comes last."""
    found = [DragClause(*match.groups()) for match in _CLAUSE.finditer(goal)]
    rests = {match.group(1) for match in _REST.finditer(goal)}
    first = [clause for clause in found if clause.source not in rests]
    return first + [DragClause(*match.groups()) for match in _REST.finditer(goal)]


_BY = re.compile(
    r"\b(up|down|left|right)(?:wards?)?\s+(?:by\s+)?(\w+)?(?:\s+(?:position|place|spot|slot|row)s?)?", re.IGNORECASE
)
_TO = re.compile(r"\bto (?:the )?(\w+)(?: (?:position|place|spot|slot|row))?\b")
_ENDS = {"top": 0, "first": 0, "start": 0, "beginning": 0, "bottom": -1, "last": -1, "end": -1}


def list_place(goal: str, texts: list[str]) -> tuple[str, int | None]:
    """Return which row of a list the goal, in lower case, wants moved, and to which place, counted from 0.

    Returns ("", None) where it names no row, or no place in the list.
    """
    index = next((i for i, text in enumerate(texts) if re.search(rf"\b{re.escape(text.lower())}\b", goal)), None)
    if index is None:
        return "", None
    rest = goal[goal.index(texts[index].lower()) + len(texts[index]) :]
    place = _place(rest, index, len(texts))
    return (texts[index], place) if place is not None and 0 <= place < len(texts) and place != index else ("", None)


def _place(rest: str, index: int, rows: int) -> int | None:
    by = _BY.search(rest)
    if by and by.group(1) in ("up", "down"):
        count = _count(by.group(2) or "one")
        return index + (count if by.group(1) == "down" else -count)
    to = _TO.search(rest)
    if to is None:
        return None
    if to.group(1) in _ENDS:
        return _ENDS[to.group(1)] % rows
    n = ordinal(to.group(1))
    return None if n is None else n - 1


def _count(word: str) -> int:
    return int(word) if word.isdecimal() else NUMBER_WORDS.get(word, 1)


def sorted_order(goal: GoalView, texts: list[str]) -> list[str] | None:
    """Return the rows in the order that the goal asks for, None where it asks for none."""
    if not goal.has("sort", "arrange", "rearrange", "order", "reorder") or len(set(texts)) < len(texts):
        return None
    amounts = [quantity(text) for text in texts]
    if all(amount is not None for amount in amounts):
        ranked = [text for _, text in sorted(zip(amounts, texts, strict=True))]
    else:
        ranked = sorted(texts, key=str.lower)
    return ranked[::-1] if goal.extreme > 0 else ranked


_SIZE = re.compile(r"\b(width|height)\b[^.,;]*?\b(larger|greater|bigger|more|wider|taller|smaller|less|shorter)\b")
_PLAIN_SIZE = re.compile(r"\b(wider|narrower|taller|shorter)\b")


def sizes_asked(goal: str) -> list[str]:
    """Return how the goal, in lower case, wants a field's size to change: "wider", "narrower", "taller", "shorter"."""
    found = []
    for side, change in _SIZE.findall(goal):
        grows = change not in ("smaller", "less", "shorter")
        found.append({"width": ("narrower", "wider"), "height": ("shorter", "taller")}[side][grows])
    return found or (_PLAIN_SIZE.findall(goal) if "resize" in goal else [])
