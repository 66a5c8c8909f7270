"""Times of day that can be chosen: which slot an appointment takes that the goal gives a time for, and a length.

A slot is named by its time, or stands without a name under the label of its hour. Knows no weights.
"""

import re
from typing import NamedTuple

from agent.candidates import CUT_OFF
from agent.embedded.page import PageView, Row
from agent.embedded.progress import Progress

_TIME = r"(\d{1,2}:\d{2}(?:\s*[ap]\.?m\b)?|\d{1,2}\s*[ap]\.?m\b)"
_LABEL = re.compile(rf"^{_TIME}\.?$", re.IGNORECASE)
_RANGE = re.compile(rf"\b(?:between|from|at|for)\s+{_TIME}(?:.{{1,5}}?{_TIME})?", re.IGNORECASE)
_LENGTH = re.compile(r"(\d+(?:\.\d+)?|\ban?|\bhalf an)\s*-?\s*(h|hours?|hrs?|m|mins?|minutes?)\b", re.IGNORECASE)
_AMOUNTS = {"a": 1.0, "an": 1.0, "half an": 0.5}
_HOUR = 60
# A day has more labels than this; fewer are single times.
_LEAST_LABELS = 3
_DAY = 24 * _HOUR


class Slot(NamedTuple):
    """A row that stands for a time of day."""

    minute: int
    """Of the day, at which it begins."""
    row: Row


def wanted_slots(view: PageView, progress: Progress) -> list[Row]:
    """Return the slots to click for what the goal gives a time for: the one, or the first and the last that it takes.

    Returns [] where the goal gives no time, the page has no slots, or all was clicked.
    """
    span = _RANGE.search(view.goal.text)
    slots = (named_slots(view) or day_slots(view)) if span else []
    if not span or not slots:
        return []
    clicked = [i for i, slot in enumerate(slots) if slot.row.element.id in progress.clicks]
    start = minute_of(span.group(1))
    length = _LENGTH.search(view.goal.text)
    if length is None:
        at = [slot.row for slot in slots if slot.minute == start]
        return [] if clicked else at[:1]
    if sum(progress.clicks[slots[i].row.element.id] for i in clicked) > 1:
        return []
    end = minute_of(span.group(2)) if span.group(2) else _DAY
    step = slots[1].minute - slots[0].minute
    count = max(1, round(_length(*length.groups()) / step)) if step > 0 else 1
    first = clicked[0] if clicked else _first_free(slots, start, end, count)
    if first is None or first + count > len(slots):
        return []
    if count == 1:
        # A grid without names is chosen from by marking a span, which begins and ends there: two clicks.
        return [] if clicked and slots[first].row.name else [slots[first].row]
    ends = [slots[first].row, slots[first + count - 1].row]
    return [row for row in ends if row.element.id not in progress.clicks]


def named_slots(view: PageView) -> list[Slot]:
    """Return the rows that are named by a time of day and are no fields, in the order of the page."""
    found = [Slot(minute_of(m.group(1)), row) for row in view.rows if row.name and (m := _LABEL.match(row.name))]
    return found if len(found) > 1 else []


def day_slots(view: PageView) -> list[Slot]:
    """Return the nameless rows under labels of hours."""
    labels = [
        (block.position, match) for block in view.observation.texts if (match := _LABEL.match(block.text.strip()))
    ]
    if len(labels) < _LEAST_LABELS:
        return []
    starts = [position for position, _ in labels]
    found: list[Slot] = []
    first = next((row for row in view.rows if row.index >= starts[0]), None)
    for (position, match), following in zip(labels, [*starts[1:], len(view.rows)], strict=True):
        under = [row for row in view.rows[position:following] if not row.name and first and row.kin == first.kin]
        hour = minute_of(match.group(1))
        found += [Slot(hour + _HOUR * i // len(under), row) for i, row in enumerate(under)]
    return found


def minute_of(time: str) -> int:
    """Return the minute of the day of a time such as "9am", "9:30 p.m." or "14:15"."""
    hour, minute = (int(number) for number in (*re.findall(r"\d+", time), "0")[:2])
    half = re.search(r"[ap]", time.lower())
    if half:
        hour = hour % 12 + (12 if half.group() == "p" else 0)
    return hour * _HOUR + minute


def _length(amount: str, unit: str) -> float:
    """Return a length in minutes."""
    number = _AMOUNTS.get(amount.lower()) or float(amount)
    return number * (_HOUR if unit.lower().startswith("h") else 1)


def _first_free(slots: list[Slot], start: int, end: int, count: int) -> int | None:
    """Return the first slot in a span from which so many are free: what lies over one is another event."""
    for i, slot in enumerate(slots):
        run = slots[i : i + count]
        if slot.minute >= start and len(run) == count and run[-1].minute < end and all(_is_free(s.row) for s in run):
            return i
    return None


def _is_free(row: Row) -> bool:
    return not row.element.disabled and row.element.covered_by in (None, CUT_OFF)
