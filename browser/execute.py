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
from browser.errors import ActionFailed, ElementLost, one_sentence
from browser.world import World

# A page that has not begun to answer by then is reported, not waited for.
NAVIGATE_MS = 15_000
# A drag passes over what lies between: pages that sort or draw follow the pointer.
DRAG_MOVES = 5
# How the probe may scroll to what it aims at: not at all, or as little as shows it.
STILL = "still"
NEAREST = "nearest"

Point = tuple[float, float]


def execute(world: World, action: Any) -> None:
    """Carry out one validated action. Finish and Wait do nothing here: they are the environment's to honour.

    Raises:
        ActionFailed: it did not land; the message is one sentence for the agent.
        playwright.sync_api.Error: the page or the browser is gone.
    """
    page = world.page
    match action:
        case Click():
            _click(world, action.element_id)
        case DoubleClick():
            page.mouse.dblclick(*_point(world, action.element_id)[1])
        case ClickAt():
            _click(world, action.element_id, {"x": action.x, "y": action.y})
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
            page.keyboard.press(action.key if isinstance(action, Press) else _chord(action.keys))
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
        raise ElementLost(answer["error"]) if answer.get("lost") else ActionFailed(answer["error"])
    return answer


def _chord(keys: str) -> str:
    """Return a chord as a keyboard sends it: Control+A is the A key, which says "a", and Shift+1 says "!"."""
    modifiers, plus, key = keys.rpartition("+")
    if plus and len(key) == 1 and key.isalnum():
        return f"{modifiers}+{'Digit' if key.isdigit() else 'Key'}{key.upper()}"
    return keys


def _point(world: World, element_id: int, at: dict[str, int] | None = None) -> tuple[Point, Point]:
    """Move the pointer onto an element; return where it was put, and where the element is now, in viewport pixels."""
    # A page may move or swap things under the pointer: aim, point, and aim again before pressing.
    put = _xy(_ask(world, "aim", element_id, at))
    world.page.mouse.move(*put)
    return put, _xy(_ask(world, "aim", element_id, at))


def _click(world: World, element_id: int, at: dict[str, int] | None = None) -> None:
    # Move and press go out together: a move alone waits for the browser's next frame. A press that would meet something
    # else, since the page moved or swapped what is under the pointer, is kept from the page and tried with more care.
    world.page.mouse.click(*_xy(_ask(world, "aimToPress", element_id, at)))
    if not world.act("missed", element_id).get("missed"):
        return
    put, now = _point(world, element_id, at)
    mouse = world.page.mouse
    if put != now:
        mouse.move(*now)
    mouse.down()
    mouse.up()


def _xy(answer: dict[str, Any]) -> Point:
    return answer["x"], answer["y"]


def _drag(world: World, action: Drag | DragBy) -> None:
    mouse = world.page.mouse
    start, end = _ends(world, action) if isinstance(action, Drag) else _offset(world, action)
    mouse.move(*start)
    try:
        mouse.down()
        if isinstance(action, Drag):
            # A page that answers the press may have moved the end, or laid something over everything to follow the
            # pointer on; only where the end is gone there is nothing to go to.
            now = world.act("aim", action.to_element_id, None, STILL)
            if "error" in now and "covered" not in now:
                raise ActionFailed(now["error"])
            end = end if "error" in now else _xy(now)
        mouse.move(*end, steps=DRAG_MOVES)
    finally:
        mouse.up()


def _offset(world: World, action: DragBy) -> tuple[Point, Point]:
    given = action.x is not None and action.y is not None
    _, (x, y) = _point(world, action.element_id, {"x": action.x or 0, "y": action.y or 0} if given else None)
    return (x, y), (x + action.dx, y + action.dy)


def _ends(world: World, action: Drag) -> tuple[Point, Point]:
    """Return where a drag begins and ends, scrolled so that both are in view: the page stands still while it lasts.

    Raises:
        ActionFailed: no scrolling shows both ends at once.
    """
    _, start = _point(world, action.element_id)
    end = world.act("aim", action.to_element_id, None, STILL)
    if "error" in end:
        # As little as shows the end: then the start stays in view if there is room for both.
        end = _ask(world, "aim", action.to_element_id, None, NEAREST)
        moved = world.act("aim", action.element_id, None, STILL)
        if "error" in moved:
            both = f"Elements {action.element_id} and {action.to_element_id}"
            raise ActionFailed(f"{both} cannot be in view together, which a drag needs.")
        start = _xy(moved)
    return start, _xy(end)


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
