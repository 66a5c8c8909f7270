"""A day in slots: which of them an event takes that the goal gives a time and a length. Knows no weights."""

import re

from agent.candidates import CUT_OFF
from agent.embedded.page import PageView, Row
from agent.embedded.progress import Progress

_CLOCK = r"(\d{1,2})(?::(\d{2}))?\s*([ap])\.?m\b"
_LABEL = re.compile(rf"^{_CLOCK}\.?$", re.IGNORECASE)
_RANGE = re.compile(rf"\b(?:between|from|at)\s+{_CLOCK}(?:.{{1,5}}?{_CLOCK})?", re.IGNORECASE)
_LENGTH = re.compile(r"(\d+(?:\.\d+)?|\ban?|\bhalf an)\s*-?\s*(h|hours?|hrs?|m|mins?|minutes?)\b", re.IGNORECASE)
_AMOUNTS = {"a": 1.0, "an": 1.0, "half an": 0.5}
_HOUR = 60
# A day has more labels than this; fewer are single times.
_LEAST_LABELS = 3
_DAY = 24 * _HOUR


def wanted_slots(view: PageView, progress: Progress) -> list[Row]:
    """Return the slots to click for the event that the goal asks for: its first and its last, as far as not done.

    Returns [] where the goal asks for none, the page has no slots, or both ends were clicked.
    """
    span = _RANGE.search(view.goal.text)
    length = _LENGTH.search(view.goal.text)
    slots = day_slots(view) if span and length else []
    clicked = [i for i, (_, row) in enumerate(slots) if row.element.id in progress.clicks]
    clicks = sum(progress.clicks[slots[i][1].element.id] for i in clicked)
    if not span or not length or not slots or clicks > 1:
        return []
    start = _minutes(*span.group(1, 2, 3))
    end = _minutes(*span.group(4, 5, 6)) if span.group(4) else _DAY
    step = slots[1][0] - slots[0][0]
    count = max(1, round(_length(*length.groups()) / step)) if step > 0 else 1
    first = clicked[0] if clicked else _first_free(slots, start, end, count)
    if first is None or first + count > len(slots):
        return []
    if count == 1:
        return [slots[first][1]]  # it begins and ends there: two clicks
    ends = [slots[first][1], slots[first + count - 1][1]]
    return [row for row in ends if row.element.id not in progress.clicks]


def day_slots(view: PageView) -> list[tuple[int, Row]]:
    """Return the nameless rows under labels of hours, each with the minute of the day at which it begins."""
    labels = [
        (block.position, match) for block in view.observation.texts if (match := _LABEL.match(block.text.strip()))
    ]
    if len(labels) < _LEAST_LABELS:
        return []
    starts = [position for position, _ in labels]
    found: list[tuple[int, Row]] = []
    first = next((row for row in view.rows if row.index >= starts[0]), None)
    for (position, match), following in zip(labels, [*starts[1:], len(view.rows)], strict=True):
        under = [row for row in view.rows[position:following] if not row.name and first and row.kin == first.kin]
        hour = _minutes(*match.group(1, 2, 3))
        found += [(hour + _HOUR * i // len(under), row) for i, row in enumerate(under)]
    return found


def _length(amount: str, unit: str) -> float:
    """Return a length in minutes."""
    number = _AMOUNTS.get(amount.lower()) or float(amount)
    return number * (_HOUR if unit.lower().startswith("h") else 1)


def _first_free(slots: list[tuple[int, Row]], start: int, end: int, count: int) -> int | None:
    """Return the first slot in a span from which so many are free: what lies over one is another event."""
    for i, (minute, _) in enumerate(slots):
        run = slots[i : i + count]
        if minute >= start and len(run) == count and run[-1][0] < end and all(_is_free(row) for _, row in run):
            return i
    return None


def _is_free(row: Row) -> bool:
    return row.element.covered_by in (None, CUT_OFF)


def _minutes(hour: str, minute: str | None, half: str) -> int:
    return (int(hour) % 12 + (12 if half.lower() == "p" else 0)) * _HOUR + int(minute or 0)
