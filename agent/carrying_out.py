"""A candidate as the action that carries it out. Knows neither models nor benchmarks."""

from agent.candidates import SCROLLS
from agent.tick import Candidate
from browser.actions import (
    BrowserAction,
    Click,
    ClickAt,
    DoubleClick,
    Drag,
    DragBy,
    Finish,
    GoBack,
    Hover,
    Keys,
    Navigate,
    Press,
    Scroll,
    ScrollIn,
    Select,
    Type,
    Wait,
)


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
        case "DRAG":
            return Drag(element_id=_required(element_id), to_element_id=_required(candidate.to_element_id))
        case "DRAG_BY":
            x, y = candidate.at or (None, None)
            dx, dy = candidate.by or (0, 0)
            return DragBy(element_id=_required(element_id), dx=dx, dy=dy, x=x, y=y)
        case "HOVER":
            return Hover(element_id=_required(element_id))
        case "DOUBLE_CLICK":
            return DoubleClick(element_id=_required(element_id))
        case "KEYS":
            return Keys(element_id=element_id, keys=value or "")
        case "CLICK_AT":
            x, y = candidate.at or (0, 0)
            return ClickAt(element_id=_required(element_id), x=x, y=y)
        case "SCROLL_IN":
            return ScrollIn.model_validate({"element_id": _required(element_id), "direction": value})
        case "BLOCKED":
            return None


def _required(element_id: int | None) -> int:
    if element_id is None:
        raise ValueError("This candidate needs an element.")
    return element_id
