"""A menu worked by keys: which key leads on along a path such as "File > Recent". Knows no weights."""

import re

from agent.embedded.page import PageView, Row
from agent.embedded.progress import Progress
from agent.embedded.words import normal

_STEP = re.compile(r"\s*[>›→]\s*")
# Items of one menu stand below each other; the one in use may be drawn a little larger.
_COLUMN_PX = 4


def next_key(view: PageView, progress: Progress) -> str | None:
    """Return the key that leads to the next part of the goal's path; None where it has none, or its end is in sight.

    The first key down reaches the first item of a menu; opening one reaches the first item inside.
    """
    path = _STEP.split(view.goal.text)
    items = [row for row in view.rows if row.element.role == "menuitem"]
    if len(path) < 2 or not items:
        return None
    pressed = progress.pressed.get(items[0].element.id, ())
    level = pressed.count("ArrowRight")
    if level >= len(path) - 1:
        return None
    target = _item(items, path[level], first=level == 0)
    if target is None:
        return None
    column = [row for row in items if abs(row.element.box.x - target.element.box.x) <= _COLUMN_PX]
    above = sum(row.element.box.y < target.element.box.y for row in column)
    last = len(pressed) - pressed[::-1].index("ArrowRight") if level else 0
    downs = pressed[last:].count("ArrowDown")
    return "ArrowDown" if downs < above + (level == 0) else "ArrowRight"


def _item(items: list[Row], part: str, *, first: bool) -> Row | None:
    """Return the item that a part of the path names; before the first part stands what to do."""
    name = normal(part)
    return next((row for row in items if row.name == name or (first and name.endswith(f" {row.name}"))), None)
