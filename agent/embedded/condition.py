"""What a number must be before a goal lets one act: "less than 58.10", "an even number". Knows no page."""

import re
from dataclasses import dataclass

_CONDITION = re.compile(
    r"\b(greater|more|higher|larger|above|over|less|lower|smaller|fewer|below|under)\s+(?:than\s+)?(?:or equal to\s+)?"
    r"[$€£]?(-?\d+(?:\.\d+)?)",
    re.IGNORECASE,
)
_PARITY = re.compile(r"\b(even|odd)\s+number\b", re.IGNORECASE)
_UPWARD = frozenset({"greater", "more", "higher", "larger", "above", "over"})


@dataclass(frozen=True, slots=True)
class Condition:
    """What a number must be before the goal lets one act: "less than 58.10", "even"."""

    kind: str
    """"above", "below", "even" or "odd"."""
    bound: float = 0.0

    def holds(self, number: float) -> bool:
        if self.kind == "above":
            return number > self.bound
        if self.kind == "below":
            return number < self.bound
        return (number % 2 == 0) == (self.kind == "even")


def read_condition(text: str) -> Condition | None:
    """Return what a goal demands of a number; None for a goal that demands nothing."""
    match = _CONDITION.search(text)
    if match:
        return Condition("above" if match.group(1).lower() in _UPWARD else "below", float(match.group(2)))
    parity = _PARITY.search(text)
    return Condition(parity.group(1).lower()) if parity else None
