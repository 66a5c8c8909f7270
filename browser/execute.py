"""Carries out a BrowserAction on a page, through its probe and with real pointer and keys.

Knows neither models nor benchmarks.
"""

from typing import Any

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page

from browser.actions import (
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
from browser.errors import ActionFailed, one_sentence
from browser.world import World

# A page that has not begun to answer by then is reported, not waited for.
NAVIGATE_MS = 15_000
# A drag passes over what lies between: pages that sort or draw follow the pointer.
DRAG_MOVES = 5


def execute(world: World, action: Any) -> None:
    """Carry out one validated action. Finish and Wait do nothing here: they are the environment's to honour.

    Raises:
        ActionFailed: it did not land; the message is one sentence for the agent.
        playwright.sync_api.Error: the page or the browser is gone.
    """
    page = world.page
    match action:
        case Click():
            page.mouse.click(*_point(world, action.element_id))
        case DoubleClick():
            page.mouse.dblclick(*_point(world, action.element_id))
        case ClickAt():
            page.mouse.click(*_point(world, action.element_id, {"x": action.x, "y": action.y}))
        case Hover():
            _point(world, action.element_id)
        case Drag() | DragBy():
            _drag(world, action)
        case Type():
            _type(world, action)
        case Select():
            _ask(world, "choose", action.element_id, action.option)
        case Press() | Keys():
            if action.element_id is not None:
                _ask(world, "focus", action.element_id)
            page.keyboard.press(action.key if isinstance(action, Press) else action.keys)
        case Scroll():
            if not world.call("scroll", action.direction)["moved"]:
                raise ActionFailed(f"Nothing scrolls {action.direction} here.")
        case ScrollIn():
            _ask(world, "scrollIn", action.element_id, action.direction)
        case Navigate():
            _navigate(page, action.url)
        case GoBack():
            _go_back(world)
        case Finish() | Wait():
            pass
        case _:
            raise TypeError(f"not a BrowserAction: {type(action).__name__}")


def _ask(world: World, function: str, element_id: int, *arguments: object) -> dict[str, Any]:
    answer = world.act(function, element_id, *arguments)
    if "error" in answer:
        raise ActionFailed(answer["error"])
    return answer


def _point(world: World, element_id: int, at: dict[str, int] | None = None) -> tuple[float, float]:
    """Move the pointer onto an element and return where it is now, in pixels of the viewport."""
    # A page may move or swap things under the pointer: aim, point, and aim again before pressing.
    point = _ask(world, "aim", element_id, at)
    world.page.mouse.move(point["x"], point["y"])
    point = _ask(world, "aim", element_id, at)
    return point["x"], point["y"]


def _drag(world: World, action: Drag | DragBy) -> None:
    mouse = world.page.mouse
    at = None
    if isinstance(action, DragBy) and action.x is not None and action.y is not None:
        at = {"x": action.x, "y": action.y}
    x, y = _point(world, action.element_id, at)
    if isinstance(action, Drag):
        # Looked for before the button goes down; bringing it into view may move the start.
        _ask(world, "aim", action.to_element_id, None)
        x, y = _point(world, action.element_id)
    mouse.move(x, y)
    mouse.down()
    try:
        if isinstance(action, Drag):
            end = _ask(world, "aim", action.to_element_id, None)
            x, y = end["x"], end["y"]
        else:
            x, y = x + action.dx, y + action.dy
        mouse.move(x, y, steps=DRAG_MOVES)
    finally:
        mouse.up()


def _type(world: World, action: Type) -> None:
    if _ask(world, "enter", action.element_id, action.text).get("done"):
        return
    keyboard = world.page.keyboard
    if not action.text:
        keyboard.press("Delete")
        return
    keyboard.insert_text(action.text)
    # Inserted text fires no key events; pages that search as one types may wait for one. This key changes nothing.
    keyboard.press("End")


def _go_back(world: World) -> None:
    # Playwright answers None both where there is nothing to go back to and where the step was within one document.
    history = world.cdp.send("Page.getNavigationHistory")
    earlier = history["entries"][: history["currentIndex"]]
    # Every tab begins on an empty page, which is no place to return to.
    if all(entry["url"] == "about:blank" for entry in earlier):
        raise ActionFailed("There is no earlier page to go back to.")
    world.page.go_back(wait_until="domcontentloaded", timeout=NAVIGATE_MS)


def _navigate(page: Page, url: str) -> None:
    try:
        page.goto(url, wait_until="domcontentloaded", timeout=NAVIGATE_MS)
    except PlaywrightError as error:
        if page.is_closed():
            raise
        raise ActionFailed(f"The address did not open: {one_sentence(error)}") from error
