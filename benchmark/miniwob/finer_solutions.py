"""Hard-coded solutions by dragging, for parity: stock must reward the same drags. They are never an agent."""

from collections.abc import Callable, Iterator

from browser.actions import BrowserAction, Click, DragBy
from browser.observation import InteractiveElement, Observation

_STEPS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
# Far enough to count, near enough to stay in the task's area.
_FAR_PX = 40
# From the dot to both ends of a line through it.
_REACH_PX = 30


def _direction(observation: Observation) -> tuple[int, int]:
    return next(step for word, step in _STEPS.items() if f" {word} " in observation.goal)


def _submit(observation: Observation) -> Click:
    return Click(element_id=next(e.id for e in observation.elements if e.name == "Submit"))


def _drag_shape(observation: Observation) -> Iterator[BrowserAction]:
    dx, dy = _direction(observation)
    yield DragBy(element_id=observation.elements[0].id, dx=dx * _FAR_PX, dy=dy * _FAR_PX)
    yield _submit(observation)


def _drag_box(observation: Observation) -> Iterator[BrowserAction]:
    small, large = sorted(observation.elements[:2], key=lambda e: e.box.width)
    (x, y), (to_x, to_y) = _middle(small), _middle(large)
    yield DragBy(element_id=small.id, dx=to_x - x, dy=to_y - y)
    yield _submit(observation)


def _draw_line(observation: Observation) -> Iterator[BrowserAction]:
    board, dot = observation.elements[:2]
    dx, dy = (1, 0) if "horizontal" in observation.goal else (0, 1)
    x, y = _middle(dot)
    yield DragBy(
        element_id=board.id,
        x=x - board.box.x - dx * _REACH_PX,
        y=y - board.box.y - dy * _REACH_PX,
        dx=2 * dx * _REACH_PX,
        dy=2 * dy * _REACH_PX,
    )
    yield _submit(observation)


def _middle(element: InteractiveElement) -> tuple[int, int]:
    return element.box.x + element.box.width // 2, element.box.y + element.box.height // 2


FINER_SOLUTIONS: dict[str, Callable[[Observation], Iterator[BrowserAction]]] = {
    "drag-box": _drag_box,
    "drag-circle": _drag_shape,
    "drag-single-shape": _drag_shape,
    "draw-line": _draw_line,
}
