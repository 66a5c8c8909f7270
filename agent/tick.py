"""What a decision is made from and what it picks: a tick, its candidates, what was done before. Knows no model."""

from typing import Literal

from agent.values import TextSource
from browser.actions import BrowserAction
from browser.observation import Frozen, Observation

Operation = Literal[
    "CLICK", "TYPE", "SELECT", "PRESS", "SCROLL_DOWN", "SCROLL_UP", "SCROLL_LEFT", "SCROLL_RIGHT",
    "NAVIGATE", "GO_BACK", "WAIT", "DONE", "BLOCKED",
    "DRAG", "DRAG_BY", "HOVER", "DOUBLE_CLICK", "KEYS", "CLICK_AT", "SCROLL_IN",
]  # fmt: skip


class Candidate(Frozen):
    """One thing that can be done: an operation, on an element or none, with a value or none."""

    operation: Operation
    element_id: int | None = None
    value: str | None = None
    """The text of TYPE, the label of SELECT, the key of PRESS, the chord of KEYS, the way of SCROLL_IN, the address of
    NAVIGATE, the text of a row that DRAG_BY moves; None for a text that a writer is to give."""
    text_source: TextSource | None = None
    value_kind: str | None = None
    """How the value was found (quoted, date, number, computed, ...), or what a gesture is for; for features and
    ablations."""
    to_element_id: int | None = None
    """What DRAG drops its element on, or what the offset of DRAG_BY was worked out from."""
    at: tuple[int, int] | None = None
    """The place of CLICK_AT, or where DRAG_BY presses: pixels from the element's top left corner."""
    by: tuple[int, int] | None = None
    """The offset of DRAG_BY in pixels: to the right, and down."""


class PastStep(Frozen):
    """An action already taken, with what it did."""

    action: BrowserAction
    role: str = ""
    name: str = ""
    """Role and name of its element when it was acted on: ids die with their nodes."""
    page_changed: bool
    error: str | None = None
    url: str = ""
    page_key: str = ""
    """With the two above: of the page it led to."""
    from_url: str = ""
    from_key: str = ""
    """Of the page where it was done."""
    row: int | None = None
    """Which of that page's elements it was done to."""


class Tick(Frozen):
    """Everything a decision is made from; a stored one can be decided again by any model."""

    goal: str
    observation: Observation
    history: tuple[PastStep, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    note: str = ""
    """What a guard has to say about the past."""
    plan: str = ""
    """The plan of a recovery, on one line."""
    joint: bool | None = None
    """How it is asked: `Policy.joint`."""
