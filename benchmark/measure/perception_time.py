"""Times of one look: ours and BrowserGym's, by turns, each in a tab of its own with the same page."""

import gc
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from statistics import median
from typing import Any

from browsergym.core.observation import extract_screenshot
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page

from benchmark.measure.perception_pages import GeneratedPage
from browser.axtree import extract
from browser.errors import BrowserCrashed
from browser.look import LookOptions, Request, look_table
from browser.session import BrowserSession, PageSettings

# Looks of each kind before any counts: the first ones wait for the page's own scripts and styles to be compiled.
WARM_UP = 3
# However long they take.
LEAST_ROUNDS = 3
# Looks of a kind in one turn, unless they take this many milliseconds: a look that follows another tool's finds nothing
# of its own in the processor's caches, and is up to a third slower than the same look a moment later.
LOOKS = 5
BLOCK_MS = 2_000.0
# For all looks at one page. BrowserGym may need a minute for one at 20,000 controls on a busy machine.
DEADLINE_S = 900.0
# No waiting for rest, and everything that is on the page.
WHOLE = LookOptions(quiet_ms=0, cap_ms=0, max_elements=100_000, max_texts=100_000)
DEFAULT_LIMITS = LookOptions(quiet_ms=0, cap_ms=0)
REQUEST = Request(goal="")
KINDS = ("probe", "typed", "typed_default_limits", "browsergym", "browsergym_with_picture")
# In a new document the browser first has to build what names are read from.
FIRST = ("first_probe", "first_browsergym")


@contextmanager
def opened(session: BrowserSession, page: GeneratedPage) -> Iterator[Page]:
    """Show the page in the session's tab, and yield another tab of the same browser that shows it too.

    Two, because BrowserGym writes its marks into the page it observes. The other has a context of its own, as in
    BrowserGym's environment: nothing of ours runs in it.
    """
    settings = PageSettings()
    ours = session.open_page(settings, "context")
    assert ours.context.browser is not None
    context = ours.context.browser.new_context(viewport={"width": settings.width, "height": settings.height})
    try:
        other = context.new_page()
        for tab in (ours, other):
            tab.set_content(page.html, timeout=DEADLINE_S * 1000)
        yield other
    finally:
        with suppress(PlaywrightError):  # a look that took too long ends with the browser
            context.close()


def measured(session: BrowserSession, page: GeneratedPage, rounds: int, seconds: float) -> dict[str, Any]:
    """Return milliseconds of each kind of look at a page: in `rounds` turns, fewer where they take `seconds`.

    Where all together take longer than DEADLINE_S, what was measured until then is returned, and `gave_up` says why.
    """
    spent: dict[str, list[float]] = {kind: [] for kind in (*KINDS, *FIRST)}
    gave_up = None
    with opened(session, page) as other:
        try:
            with session.deadline(DEADLINE_S, f"the looks at page {page.name}"):
                _take_turns(session, other, rounds, seconds, spent)
        except BrowserCrashed as error:
            gave_up = str(error)
    times = {kind: summary(values) for kind, values in spent.items()}
    return {"controls": len(page.controls), **times, "gave_up": gave_up}


def _take_turns(
    session: BrowserSession, other: Page, rounds: int, seconds: float, spent: dict[str, list[float]]
) -> None:
    world = session.world()
    options = {"quiet": 0, "cap": 0, "wait": 0, "maxElements": WHOLE.max_elements, "maxTexts": WHOLE.max_texts}
    ours: list[Callable[[], object]] = [
        lambda: world.look(options),
        lambda: look_table(session, WHOLE, REQUEST),
        lambda: look_table(session, DEFAULT_LIMITS, REQUEST),
    ]
    spent["first_probe"].append(_timed(ours[0]))
    for _ in range(WARM_UP):
        for look in ours:
            look()
    spent["first_browsergym"].append(_timed(lambda: extract(other)))
    kinds: list[Callable[[], float]] = [partial(_timed, look) for look in ours]
    kinds.append(lambda: _timed(lambda: extract(other)))
    started = time.perf_counter()
    for done in range(rounds):
        if done >= LEAST_ROUNDS and time.perf_counter() - started > seconds:
            break
        for kind, look in zip(KINDS, kinds, strict=False):
            spent[kind] += _block(look)
        picture = _timed(lambda: extract_screenshot(other))
        spent["browsergym_with_picture"].append(spent["browsergym"][-1] + picture)


def _block(look: Callable[[], float]) -> list[float]:
    """Return the times of LOOKS in a row, fewer where they take BLOCK_MS; the same for each kind."""
    gc.collect()  # what another left in memory is not charged to whoever comes next
    times: list[float] = []
    while len(times) < LOOKS and sum(times) < BLOCK_MS:
        times.append(look())
    return times


def _timed(call: Callable[[], Any]) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


def summary(times: Sequence[float]) -> dict[str, Any] | None:
    """Return the median, the 95th percentile (the nearest rank: of a few, the largest) and the least, and how many.

    None where nothing was measured.
    """
    if not times:
        return None
    ranked = sorted(times)
    return {
        "median": round(median(ranked), 2),
        "p95": round(ranked[math.ceil(0.95 * len(ranked)) - 1], 2),
        "min": round(ranked[0], 2),
        "n": len(ranked),
    }


def ratios(row: dict[str, Any]) -> dict[str, float] | None:
    """Return how many times longer BrowserGym's observation takes, without its picture, by medians.

    None where it gave no observation in time.
    """
    if row["browsergym"] is None:
        return None
    return {kind: round(row["browsergym"]["median"] / row[kind]["median"], 1) for kind in ("probe", "typed")}


def growth(times: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Return how a probe's time grows from each size to the next, above what it takes on an empty page.

    An exponent of 1 is linear: each control costs the same on the larger page.
    """
    sizes = {
        row["controls"]: row["probe"]["median"] for name, row in times.items() if name.isdecimal() and row["probe"]
    }
    if 0 not in sizes:
        return []
    above = [(count, sizes[count] - sizes[0]) for count in sorted(sizes) if count]
    return [
        {
            "from": small,
            "to": large,
            "us_per_control": [round(before / small * 1000, 1), round(after / large * 1000, 1)],
            "exponent": round(math.log(after / before) / math.log(large / small), 3),
        }
        for (small, before), (large, after) in zip(above, above[1:], strict=False)
        if before > 0 and after > 0
    ]
