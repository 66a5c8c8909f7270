"""What a reference of a goal to an element is. Knows no page."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from agent.embedded.page import Row

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
    "several",
    "labelled",
    "opener",
    "style",
    "date",
    "answer",
    "slot",
]
COUNTED_KINDS = frozenset({"described", "extreme", "in_context", "beside"})
"""Kinds of which the goal means a number of elements: one, a count, or all."""
REPEATED_KINDS = frozenset({"date", "several"})
"""Kinds of which the same element may be meant once more after a click: a pager of a calendar, a counter."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One way in which the goal means an element."""

    kind: Kind
    start: int
    """Where in the goal; the first to be done stands first."""
    strength: float = 1.0


References = dict[int, list[Reference]]
"""By row index."""

Found = Iterator[tuple[Row, Reference]]
