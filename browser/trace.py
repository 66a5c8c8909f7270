"""Playwright's own trace of an episode, for `playwright show-trace`. Knows neither tasks, models nor benchmarks."""

from pathlib import Path

from playwright.sync_api import BrowserContext
from playwright.sync_api import Error as PlaywrightError

from browser.errors import one_sentence


class Trace:
    """The trace of one context, cut into one piece an episode, so that a page can be used again between episodes."""

    def __init__(self, context: BrowserContext) -> None:
        self._context = context
        self._started = False
        self._fault: str | None = None

    def begin(self) -> None:
        """Begin an episode's piece; what fails here is told by `end`, for a trace never stops an episode."""
        self._fault = None
        try:
            if not self._started:
                self._context.tracing.start(screenshots=True, snapshots=True)
                self._started = True
            self._context.tracing.start_chunk()
        except PlaywrightError as error:
            self._fault = one_sentence(error)

    def end(self, path: Path | None) -> str | None:
        """End the piece and write it to `path`, or drop it; return why it could not be written, or None."""
        if self._fault is not None:
            return self._fault
        try:
            self._context.tracing.stop_chunk(path=path)
        except (PlaywrightError, OSError) as error:
            return one_sentence(error)
        return None
