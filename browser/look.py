"""Looking at the active page: settle, probe, and turn what came back into an Observation.

Knows neither models, prompts nor benchmarks. BrowserGym's own way to look is in axtree.py; never use both on one page.
"""

from contextlib import suppress
from typing import Any, Literal, NamedTuple

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as PlaywrightTimeout
from pydantic import ConfigDict, ValidationError

from browser.errors import ObservationFailed
from browser.observation import (
    Frozen,
    InteractiveElement,
    Observation,
    Omitted,
    Scroll,
    Tab,
    TextBlock,
    page_key,
)
from browser.session import MAX_TABS, BrowserSession

# A tab that a page opened or closed is reported within tens of milliseconds; one that a blocker swallowed never is.
TAB_MS = 1_000
# Characters of an address; a page can make its own up to 2 million long.
URL_LIMIT = 1_000


class LookOptions(Frozen):
    """How long to wait for rest, and how much to describe."""

    quiet_ms: int = 20
    """Still for this long counts as settled, and so does a whole frame without a change, which mostly ends sooner."""
    cap_ms: int = 600
    """Longest wait for that."""
    max_elements: int = 400
    max_texts: int = 120


class Seen(Frozen):
    """The probe's own result, as JSON."""

    model_config = ConfigDict(extra="ignore")

    url: str
    title: str
    elements: tuple[InteractiveElement, ...]
    texts: tuple[TextBlock, ...]
    omitted: Omitted
    scroll: Scroll
    can_scroll: tuple[Literal["up", "down", "left", "right"], ...]
    can_go_back: bool
    opening: bool
    closing: bool
    settled: bool
    settle_ms: float
    waited_ms: float


class Look(NamedTuple):
    """An observation, and what was read beside it in the same round trip."""

    observation: Observation
    page_state: Any = None
    """The value of the task's own expression; None where it has none or the page does not know it."""
    browsergym: dict[str, Any] | None = None
    """BrowserGym's raw observation, in the "axtree" mode."""
    waited_ms: float = 0.0
    """Spent waiting for the page to change, as the request asked."""


class Request(NamedTuple):
    """What the environment wants to know with this look."""

    goal: str
    answer_form: str = ""
    last_action_error: str | None = None
    state_js: str | None = None
    wait_ms: int = 0
    """Give the page this long to change by itself first."""


def look_table(session: BrowserSession, options: LookOptions, request: Request) -> Look:
    """Settle and describe the active page as an element table, in one round trip.

    Raises:
        ObservationFailed: it kept navigating away, or its description does not fit the types.
        playwright.sync_api.Error: the page or the browser is gone.
    """
    seen, state = ask_probe(session, options, request)
    dialogs, more_dialogs, refused_tabs = session.told()
    return Look(
        Observation(
            goal=request.goal,
            answer_form=request.answer_form,
            url=seen.url[:URL_LIMIT],
            title=seen.title,
            elements=seen.elements,
            texts=seen.texts,
            tabs=tabs(session),
            scroll=seen.scroll,
            can_scroll=seen.can_scroll,
            can_go_back=seen.can_go_back,
            dialogs=dialogs,
            last_action_error=request.last_action_error,
            page_key=page_key(seen.url, seen.elements, seen.texts, seen.scroll),
            settled=seen.settled,
            settle_ms=round(seen.settle_ms, 2),
            omitted=seen.omitted.model_copy(update={"dialogs": more_dialogs, "tabs": refused_tabs}),
        ),
        state,
        waited_ms=seen.waited_ms,
    )


def ask_probe(
    session: BrowserSession, options: LookOptions, request: Request, *, marks: bool = False
) -> tuple[Seen, Any]:
    """Return the probe's result and the value of the task's expression; looks again where another tab took over.

    With `marks`, actions will name elements by the attribute that BrowserGym gives them.
    """
    arguments = {
        "quiet": options.quiet_ms,
        "cap": options.cap_ms,
        "wait": request.wait_ms,
        "maxElements": options.max_elements,
        "maxTexts": options.max_texts,
        "marks": marks,
    }
    for _ in range(MAX_TABS):
        page = session.page()
        try:
            seen = _parse(session.world().look(arguments))
        except PlaywrightError:
            if page.is_closed():
                continue
            raise
        if seen.opening and session.page() is page:
            with suppress(PlaywrightTimeout):
                page.context.wait_for_event("page", timeout=TAB_MS)
        if seen.closing and not page.is_closed():
            with suppress(PlaywrightTimeout):
                page.wait_for_event("close", timeout=TAB_MS)
        if session.page() is page:
            return seen, session.world().page_value(request.state_js) if request.state_js else None
    raise ObservationFailed(f"The active tab changed {MAX_TABS} times while it was looked at.")


def _parse(text: str) -> Seen:
    try:
        return Seen.model_validate_json(text)
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False)[0]
        raise ObservationFailed(f"The page's description is malformed at {fault['loc']}: {fault['msg']}.") from None


def tabs(session: BrowserSession) -> tuple[Tab, ...]:
    """Return the open tabs; none where there is only the one being looked at."""
    pages = session.pages()
    if len(pages) < 2:
        return ()
    active = session.page()
    return tuple(
        Tab(index=i, title=_title(session, page), url=page.url[:URL_LIMIT], active=page is active)
        for i, page in enumerate(pages)
    )


def _title(session: BrowserSession, page: Page) -> str:
    try:
        return session.world(page).title()
    except PlaywrightError:  # it is just being closed
        return ""
