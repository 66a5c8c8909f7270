"""Date pickers: which control leads from the month shown to the goal's date."""

from datetime import datetime

from agent.embedded.page import Row
from agent.values import read_date


def is_date_field(row: Row) -> bool:
    """Tell whether a row is a field that takes a date from a picker and not from the keyboard."""
    e = row.element
    return e.editable and e.readonly and ("date" in row.label or "date" in e.hint)


def holds_date(row: Row, date: datetime) -> bool:
    """Tell whether a field shows this date."""
    held = read_date(row.element.value or "") if row.element.value else None
    return held is not None and held.date() == date.date()


def leads_to(row: Row, shown: tuple[int, int], date: datetime) -> int:
    """Return 1 for a control that brings the shown month nearer to the date or picks its day, -1 for one that leads
    away or picks another day, 0 for others."""
    gap = (date.year - shown[0]) * 12 + date.month - shown[1]
    if row.is_next or row.is_previous:
        return 1 if gap and row.is_next == (gap > 0) else -1
    if row.name.isdecimal() and int(row.name) <= 31:
        return 1 if gap == 0 and int(row.name) == date.day else -1
    return 0
