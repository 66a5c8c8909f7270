"""Carries out a BrowserAction on a page, through the marks the probe left. Knows neither models nor benchmarks."""

from typing import Any

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page

from browser.actions import Click, Finish, GoBack, Navigate, Press, Scroll, Select, Type, Wait
from browser.errors import ActionFailed, one_sentence

# A page that has not begun to answer by then is reported, not waited for.
NAVIGATE_MS = 15_000


def execute(page: Page, action: Any) -> None:
    """Carry out one validated action. Finish and Wait do nothing here: they are the environment's to honour.

    Raises:
        ActionFailed: it did not land; the message is one sentence for the agent.
        playwright.sync_api.Error: the page or the browser is gone.
    """
    match action:
        case Click():
            _click(page, action.element_id)
        case Type():
            _type(page, action)
        case Select():
            _ask(page, "choose", action.element_id, action.option)
        case Press():
            if action.element_id is not None:
                _ask(page, "focus", action.element_id)
            page.keyboard.press(action.key)
        case Scroll():
            if not page.evaluate("d => __elementTable.scroll(d)", action.direction):
                raise ActionFailed(f"Nothing scrolls {action.direction} here.")
        case Navigate():
            _navigate(page, action.url)
        case GoBack():
            if page.go_back(wait_until="domcontentloaded", timeout=NAVIGATE_MS) is None:
                raise ActionFailed("There is no earlier page to go back to.")
        case Finish() | Wait():
            pass
        case _:
            raise TypeError(f"not a BrowserAction: {type(action).__name__}")


def _ask(page: Page, function: str, *arguments: object) -> dict[str, Any]:
    answer: dict[str, Any] = page.evaluate(f"a => __elementTable.{function}(...a)", list(arguments))
    if "error" in answer:
        raise ActionFailed(answer["error"])
    return answer


def _click(page: Page, element_id: int) -> None:
    # A page may move or swap things under the pointer: aim, point, and aim again before pressing.
    point = _ask(page, "aim", element_id)
    page.mouse.move(point["x"], point["y"])
    point = _ask(page, "aim", element_id)
    page.mouse.click(point["x"], point["y"])


def _type(page: Page, action: Type) -> None:
    if _ask(page, "enter", action.element_id, action.text).get("done"):
        return
    if not action.text:
        page.keyboard.press("Delete")
        return
    page.keyboard.insert_text(action.text)
    # Inserted text fires no key events; pages that search as one types may wait for one. This key changes nothing.
    page.keyboard.press("End")


def _navigate(page: Page, url: str) -> None:
    try:
        page.goto(url, wait_until="domcontentloaded", timeout=NAVIGATE_MS)
    except PlaywrightError as error:
        if page.is_closed():
            raise
        raise ActionFailed(f"The address did not open: {one_sentence(error)}") from error
