"""A candidate as the action that carries it out. Knows neither models nor benchmarks."""

from agent.candidates import SCROLLS, Candidate
from browser.actions import BrowserAction, Click, Finish, GoBack, Navigate, Press, Scroll, Select, Type, Wait


def to_action(candidate: Candidate) -> BrowserAction | None:
    """Return the BrowserAction that carries a candidate out; None for BLOCKED, which ends the run without one."""
    element_id, value = candidate.element_id, candidate.value
    match candidate.operation:
        case "CLICK":
            return Click(element_id=_required(element_id))
        case "TYPE":
            return Type(element_id=_required(element_id), text=value or "")
        case "SELECT":
            return Select(element_id=_required(element_id), option=value or "")
        case "PRESS":
            return Press.model_validate({"element_id": element_id, "key": value})
        case "SCROLL_DOWN" | "SCROLL_UP" | "SCROLL_LEFT" | "SCROLL_RIGHT":
            direction = next(d for d, operation in SCROLLS.items() if operation == candidate.operation)
            return Scroll(direction=direction)
        case "NAVIGATE":
            return Navigate(url=value or "")
        case "GO_BACK":
            return GoBack()
        case "WAIT":
            return Wait()
        case "DONE":
            return Finish(message=value or "")
        case "BLOCKED":
            return None


def _required(element_id: int | None) -> int:
    if element_id is None:
        raise ValueError("This candidate needs an element.")
    return element_id
