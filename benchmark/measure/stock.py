"""Stock BrowserGym on MiniWoB, for measurements beside ours: its environment, and our actions in its words."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple
from unittest.mock import patch

import browsergym.miniwob.all as stock_tasks
from browsergym.core.action.highlevel import HighLevelActionSet
from browsergym.core.env import BrowserEnv
from playwright.sync_api import Browser, BrowserType, Page
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from benchmark.measure.stock_words import Target, stock_words
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
    Navigate,
    Scroll,
    ScrollIn,
)
from browser.execute import DRAG_MOVES
from browser.install import find_browser
from browser.world import World

# The address of a node by its place in the tree, the same in both environments whatever ids each gives; and the height
# of the area around it that scrolls down or up.
PLACE_JS = """
function () {
  const path = [];
  const scrolls = n => n.scrollHeight > n.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(n).overflowY);
  let area = this;
  while (area.parentElement && !scrolls(area)) area = area.parentElement;
  for (let n = this; n && n.parentElement; n = n.parentElement) {
    path.unshift(Array.prototype.indexOf.call(n.parentElement.children, n));
  }
  return {path, height: this.clientHeight, area: area.clientHeight};
}
"""
# As much of a screen or an area as our scrolling moves by.
SHARE = 0.8
# Tries of stock's set-up: a loaded machine can take longer to open a page than the task allows.
RESETS = 4
NODE_JS = """
steps => {
  let node = document.documentElement;
  for (const i of steps) node = node && node.children[i];
  if (!node) return null;
  const picked = Array.from(node.selectedOptions || [], o => o.label.trim());
  return {bid: node.getAttribute('bid'), multiple: node.multiple, picked};
}
"""


@contextmanager
def same_browser() -> Iterator[None]:
    """Make BrowserGym, which looks for Playwright's own download, start the browser that ours starts."""
    launch, executable = BrowserType.launch, str(find_browser())

    def launch_ours(self: BrowserType, **options: Any) -> Browser:
        return launch(self, **{"executable_path": executable} | options)

    with patch.object(BrowserType, "launch", launch_ours):
        yield


def stock_environment(name: str, base_url: str, **options: Any) -> BrowserEnv:
    """Return BrowserGym's environment for a MiniWoB page; `options` are those of BrowserEnv."""
    task = next(t for t in vars(stock_tasks).values() if getattr(t, "subdomain", None) == name)
    to_code = HighLevelActionSet(["bid", "coord"], multiaction=True).to_python_code
    return BrowserEnv(task, {"base_url": base_url}, action_mapping=to_code, **options)


def reset_stock(env: BrowserEnv, seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Reset stock's environment, again where its page did not open within the 5 s that the task allows.

    Raises:
        playwright.sync_api.TimeoutError: it never did.
    """
    for _ in range(RESETS - 1):
        with suppress(PlaywrightTimeout):
            observation, info = env.reset(seed=seed)
            return observation, info
    observation, info = env.reset(seed=seed)
    return observation, info


class Place(NamedTuple):
    """Where an element is: its place in the tree, where ours would point at it, and heights in CSS pixels."""

    path: list[int]
    point: dict[str, Any]
    height: int
    area: int = 0
    """Of the area around it that scrolls."""
    end: "Place | None" = None
    """Of a drag to another element."""


def place_of(world: World, action: BrowserAction) -> Place | None:
    """Return the place of the element our action addresses or scrolls, on our page; None where there is none."""
    element_id = getattr(action, "element_id", None)
    if element_id is None and action.type != "scroll":
        return None
    end = _place(world, action.to_element_id, None) if isinstance(action, Drag) else None
    inside = isinstance(action, ClickAt) or (isinstance(action, DragBy) and action.x is not None)
    at = {"x": getattr(action, "x", 0), "y": getattr(action, "y", 0)} if inside else None
    return _place(world, element_id, at)._replace(end=end)


def _place(world: World, element_id: int | None, at: dict[str, int] | None) -> Place:
    found = world.measure(element_id, PLACE_JS)
    if found is None:
        return Place([], {}, 0)
    point = {} if element_id is None else world.act("aim", element_id, at)
    return Place(found["path"], point, found["height"], found["area"])


def in_stock_words(action: BrowserAction, place: Place | None, page: Page) -> str:
    """Return an action as BrowserGym's string on its own page.

    SVG children have no id there: those are pointed at where ours pointed. So are places inside an element.

    Raises:
        LookupError: the node is not there, or BrowserGym has no such action.
    """
    target = _target(action, place, page)
    no_id = target is not None and not target.bid
    match action:
        case ClickAt():
            return _mouse("mouse_click", page, _point(action, place))
        case Click() | DoubleClick() | Hover() if no_id:
            names = {"click": "mouse_click", "double_click": "mouse_dblclick", "hover": "mouse_move"}
            return _mouse(names[action.type], page, _point(action, place))
        case DragBy():
            x, y = _point(action, place)
            return _way(page, (x, y), (x + action.dx, y + action.dy))
        case Drag() if place and place.end:
            end = _target(action, place.end, page)
            if target and target.bid and end and end.bid:
                return f'drag_and_drop("{target.bid}", "{end.bid}")'
            return _way(page, _point(action, place), _point(action, place.end))
        case ScrollIn(direction="up" | "down") if place:
            distance = round(SHARE * place.area) * (1 if action.direction == "down" else -1)
            return _mouse("scroll_at", page, _point(action, place), (0, distance))
        case Scroll(direction="up" | "down") if place:
            # Stock turns the wheel wherever the mouse is.
            distance = round(SHARE * place.height) * (1 if action.direction == "down" else -1)
            return (f'hover("{target.bid}")\n' if target and target.bid else "") + f"scroll(0, {distance})"
        case Scroll() | ScrollIn() | Navigate() | GoBack() | Finish():
            raise LookupError(f"{action.type} has no counterpart on MiniWoB")
    return stock_words(action, target)


def _target(action: BrowserAction, place: Place | None, page: Page) -> Target | None:
    node = page.evaluate(NODE_JS, place.path) if place else {}
    if node is None:
        raise LookupError(f"{action.type}: its element is not on stock's page")
    return Target(node["bid"], node["multiple"], tuple(node["picked"])) if node else None


def _point(action: BrowserAction, place: Place | None) -> tuple[float, float]:
    if place is None or "x" not in place.point:
        raise LookupError(f"{action.type}: its element has no point on ours")
    return place.point["x"], place.point["y"]


def _way(page: Page, start: tuple[float, float], end: tuple[float, float]) -> str:
    """Return a drag through as many points as ours: stock's own mouse_drag_and_drop jumps, which draws another line."""
    (x, y), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])
    points = [(x + dx * i / DRAG_MOVES, y + dy * i / DRAG_MOVES) for i in range(1, DRAG_MOVES)]
    moves = [_mouse("mouse_move", page, point) for point in points]
    return "\n".join([_mouse("mouse_down", page, start), *moves, _mouse("mouse_up", page, end)])


def _mouse(name: str, page: Page, *points: tuple[float, float]) -> str:
    # BrowserGym takes coordinates of its enlarged screenshot.
    scale = getattr(page, "_bgym_scale_factor", 1.0)
    return f"{name}({', '.join(str(n * scale) for point in points for n in point)})"
