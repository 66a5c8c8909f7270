"""What was done before from a page that is just as it is now: to do it again leads round. Knows no weights."""

from collections import Counter
from typing import Any

from agent.embedded.page import PageView
from agent.embedded.words import normal
from agent.tick import Candidate, PastStep
from browser.actions import BrowserAction

# More rounds than this say nothing new.
_ENOUGH = 3
# To look on, or to let time pass, is not to act on the page.
_LOOKING = frozenset({"scroll", "wait", "WAIT", "SCROLL_DOWN", "SCROLL_UP", "SCROLL_LEFT", "SCROLL_RIGHT", "SCROLL_IN"})

Act = tuple[str, object, object]
"""An operation, its element by role and name (by id where it has no name), and its value."""


def read_rounds(history: tuple[PastStep, ...], page_key: str) -> Counter[Act]:
    """Return how often each act was done on a page with this key, and led on from it."""
    done = [step for step in history if step.from_key == page_key and step.page_changed]
    return Counter(_past_act(step.action, step.role, step.name) for step in done if page_key)


def times_round(candidate: Candidate, view: PageView, rounds: Counter[Act]) -> float:
    """Return how often a candidate led away from this very page before, at most 3."""
    if not rounds or candidate.operation in _LOOKING:
        return 0.0
    row = view.by_id.get(candidate.element_id) if candidate.element_id is not None else None
    what = _element(candidate.element_id, row.element.role if row else "", row.element.name if row else "")
    return float(min(rounds[candidate.operation.lower(), what, candidate.value], _ENOUGH))


def _past_act(action: BrowserAction, role: str, name: str) -> Act:
    said: Any = action
    value = next((getattr(said, field) for field in ("text", "option", "key", "keys") if hasattr(said, field)), None)
    return action.type, _element(getattr(said, "element_id", None), role, name), value


def _element(element_id: int | None, role: str, name: str) -> object:
    return (role, normal(name)) if name else element_id
