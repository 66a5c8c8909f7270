"""Stock BrowserGym on MiniWoB, for measurements beside ours: its environment as it comes, and our actions in its words."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import browsergym.miniwob.all as stock_tasks
from browsergym.core.action.highlevel import HighLevelActionSet
from browsergym.core.env import BrowserEnv
from playwright.sync_api import BrowserType, Page

from browser.actions import BrowserAction, Click, Press, Scroll, Select, Type, Wait
from browser.install import find_browser

# The address of a node by its place in the tree: the same in both environments, whatever ids each gives.
PATH_JS = """
id => {
  const steps = [];
  for (let n = document.querySelector(`[bid="${id}"]`); n && n.parentElement; n = n.parentElement) {
    steps.unshift(Array.prototype.indexOf.call(n.parentElement.children, n));
  }
  return steps;
}
"""
NODE_JS = """
steps => {
  let node = document.documentElement;
  for (const i of steps) node = node && node.children[i];
  if (!node) return null;
  const box = node.getBoundingClientRect();
  const picked = Array.from(node.selectedOptions || [], o => o.label.trim());
  return {bid: node.getAttribute('bid'), x: box.x + box.width / 2, y: box.y + box.height / 2, multiple: node.multiple,
    picked};
}
"""


@contextmanager
def same_browser() -> Iterator[None]:
    """Make BrowserGym, which looks for Playwright's own download, start the browser that ours starts."""
    launch, executable = BrowserType.launch, str(find_browser())
    with patch.object(BrowserType, "launch", lambda self, **options: launch(self, executable_path=executable, **options)):
        yield


def stock_environment(name: str, base_url: str, **options: Any) -> BrowserEnv:
    """Return BrowserGym's environment for a MiniWoB page; `options` are those of BrowserEnv."""
    task = next(t for t in vars(stock_tasks).values() if getattr(t, "subdomain", None) == name)
    to_code = HighLevelActionSet(["bid", "coord"]).to_python_code
    return BrowserEnv(task, {"base_url": base_url}, action_mapping=to_code, **options)


def path_of(page: Page, action: BrowserAction) -> list[int] | None:
    """Return the place in the tree of the element our action addresses, on our page."""
    element_id = getattr(action, "element_id", None)
    return None if element_id is None else page.evaluate(PATH_JS, element_id)


def in_stock_words(action: BrowserAction, path: list[int] | None, page: Page) -> str:
    """Return an action as BrowserGym's string on its own page.

    SVG children have no id there: those are clicked at their middle.

    Raises:
        LookupError: the node is not there.
    """
    node = page.evaluate(NODE_JS, path) if path is not None else {}
    if node is None:
        raise LookupError(f"{action.type}: its element is not on stock's page")
    bid = json.dumps(node.get("bid"))
    match action:
        case Click():
            return f"click({bid})" if node["bid"] else f"mouse_click({node['x']}, {node['y']})"
        case Type():
            return f"fill({bid}, {json.dumps(action.text)})"
        case Select():
            return f"select_option({bid}, {json.dumps(_options(action.option, node))})"
        case Press(element_id=None):
            return f"keyboard_press({json.dumps(action.key)})"
        case Press():
            return f"press({bid}, {json.dumps(action.key)})"
        case Scroll():
            return "scroll(0, 170)" if action.direction == "down" else "scroll(0, -170)"
        case Wait():
            return "noop(1000)"
    raise LookupError(f"{action.type} has no counterpart on MiniWoB")


def _options(option: str, node: dict[str, Any]) -> list[str]:
    """Stock replaces the choice of a multiple select; ours adds to it or takes away."""
    if not node["multiple"]:
        return [option]
    picked: list[str] = node["picked"]
    return [p for p in picked if p != option] if option in picked else [*picked, option]
