"""One WebArena task as a BrowserGym task: logged in, on its first pages, and silent about how it goes."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from browsergym.core.task import AbstractBrowserTask
from playwright.sync_api import Page

from benchmark.webarena.login import Login, LoginMode, log_in
from benchmark.webarena.model import WebArenaTask
from benchmark.webarena.sites import with_addresses

# BrowserGym's own for WebArena.
VIEWPORT = {"width": 1280, "height": 720}
TIMEOUT_MS = 10_000
# A cold GitLab or Magento takes this long for its first page.
OPEN_MS = 50_000
# For up to two logins and three pages, should all be slow.
SETUP_S = 240.0


class SiteTask(AbstractBrowserTask):  # type: ignore[misc]  # BrowserGym ships no types
    """Sets the page up, records all requests, and never judges: the verdict comes after the agent has stopped.

    `begin` brings the sites to where the task begins and returns the id of that reset, or None; `check` looks at the
    first pages. Both may raise SiteSpoiled.
    """

    setup_s = SETUP_S

    def __init__(
        self,
        seed: int,
        task: WebArenaTask,
        addresses: Mapping[str, str],
        rules: str,
        logins: Mapping[str, Login],
        login: LoginMode,
        har: Path,
        begin: Callable[[], str | None],
        check: Callable[[Page], None],
    ) -> None:
        super().__init__(seed)
        self.viewport, self.timeout = VIEWPORT, TIMEOUT_MS
        self.task, self.addresses, self.answer_form, self.login = task, addresses, rules, login
        self.logins, self.har, self.begin, self.check = logins, str(har), begin, check

    def setup(self, page: Page) -> tuple[str, dict[str, Any]]:
        """Log in on each of the task's sites, open its first pages in a tab each, and return the goal.

        The dict holds which reset of the sites it begins after.
        """
        reset_id = self.begin()
        for site in self.task.sites:
            log_in(page.context, self.logins[site], self.addresses[site], self.login)
        for number, url in enumerate(self.task.start_urls):
            tab = page if number == 0 else page.context.new_page()
            tab.goto(with_addresses(url, self.addresses), timeout=OPEN_MS)
        self.check(page)
        return self.task.intent, {"reset_id": reset_id}

    def validate(self, page: Page, chat_messages: list[Any]) -> tuple[float, bool, str, dict[str, Any]]:
        """Say nothing: a verdict during the episode would tell the agent how it goes."""
        return 0.0, False, "", {}

    def teardown(self) -> None:
        """Do nothing: the context is the session's."""
