"""Stock BrowserGym on MiniWoB, for measurements beside ours: its environment, and our actions in its words."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest.mock import patch

import browsergym.miniwob.all as stock_tasks
from browsergym.core.action.highlevel import HighLevelActionSet
from browsergym.core.env import BrowserEnv
from playwright.sync_api import Browser, BrowserType, Page

from benchmark.stock_words import Target, stock_words
from browser.actions import BrowserAction, Click, Finish, GoBack, Navigate, Scroll
from browser.install import find_browser
from browser.world import World

# The address of a node by its place in the tree, the same in both environments whatever ids each gives.
PLACE_JS = """
function () {
  const path = [];
  for (let n = this; n && n.parentElement; n = n.parentElement) {
    path.unshift(Array.prototype.indexOf.call(n.parentElement.children, n));
  }
  return {path, height: this.clientHeight};
}
"""
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


class Place(NamedTuple):
    """Where an element is: its place in the tree, where ours would click it, and its height in CSS pixels."""

    path: list[int]
    point: dict[str, Any]
    height: int


def place_of(world: World, action: BrowserAction) -> Place | None:
    """Return the place of the element our action addresses or scrolls, on our page; None where there is none."""
    element_id = getattr(action, "element_id", None)
    if element_id is None and action.type != "scroll":
        return None
    found = world.measure(element_id, PLACE_JS)
    if found is None:
        return Place([], {}, 0)
    point = {} if element_id is None else world.act("aim", element_id, None)
    return Place(found["path"], point, found["height"])


def in_stock_words(action: BrowserAction, place: Place | None, page: Page) -> str:
    """Return an action as BrowserGym's string on its own page.

    SVG children have no id there: those are clicked at the point where ours clicked.

    Raises:
        LookupError: the node is not there.
    """
    node = page.evaluate(NODE_JS, place.path) if place else {}
    if node is None:
        raise LookupError(f"{action.type}: its element is not on stock's page")
    target = Target(node["bid"], node["multiple"], tuple(node["picked"])) if node else None
    match action:
        case Click() if target and not target.bid:
            return _click_at(place, page)
        case Scroll(direction="up" | "down") if place:
            # Stock turns the wheel wherever the mouse is.
            distance = round(0.8 * place.height) * (1 if action.direction == "down" else -1)
            return (f'hover("{target.bid}")\n' if target and target.bid else "") + f"scroll(0, {distance})"
        case Scroll() | Navigate() | GoBack() | Finish():
            raise LookupError(f"{action.type} has no counterpart on MiniWoB")
    return stock_words(action, target)


def _click_at(place: Place | None, page: Page) -> str:
    if place is None or "x" not in place.point:
        raise LookupError("click: its element has no id on stock's page and no point on ours")
    # BrowserGym takes coordinates of its enlarged screenshot.
    scale = getattr(page, "_bgym_scale_factor", 1.0)
    return f"mouse_click({place.point['x'] * scale}, {place.point['y'] * scale})"
