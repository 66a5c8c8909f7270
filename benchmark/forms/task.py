"""A generated page as a BrowserGym task: judged by what its script told when something final was pressed."""

from collections.abc import Callable
from typing import Any, Literal

from browsergym.core.task import AbstractBrowserTask
from playwright.sync_api import Page

from benchmark.forms.layouts import TOLD_JS
from benchmark.forms.pages import MadePage, make_page


class FormTask(AbstractBrowserTask):  # type: ignore[misc]  # BrowserGym ships no types
    """One page of one seed."""

    isolation: Literal["page"] = "page"
    page_state_js = TOLD_JS
    page_state: dict[str, Any] | None = None

    def __init__(self, seed: int, task: str) -> None:
        super().__init__(seed)
        self.viewport = {"width": 800, "height": 600}
        self.timeout = 10_000
        self.made: MadePage = make_page(task, seed)

    def setup(self, page: Page) -> tuple[str, dict[str, Any]]:
        """Show the page and return its goal."""
        page.goto("about:blank")
        page.set_content(self.made.html)
        return self.made.goal, {}

    def validate(self, page: Page, chat_messages: list[Any]) -> tuple[float, bool, str, dict[str, Any]]:
        """Judge once something final was pressed; leaving the page ends the episode without a reward."""
        if page.url != "about:blank":
            return 0.0, True, "", {"raw_reward": 0.0}
        if self.page_state is None:
            return 0.0, False, "", {}
        reward = float(is_done(self.made, self.page_state))
        return reward, True, "", {"raw_reward": reward}

    def teardown(self) -> None:
        """Nothing is left behind: the next task loads a page of its own."""


def is_done(made: MadePage, told: dict[str, Any]) -> bool:
    """Tell whether the right thing was pressed and the controls hold what they should, and nothing else."""
    held = {key: value for key, value in told["values"].items() if value}
    return bool(told["pressed"] == made.pressed and held == dict(made.values))


def form_task(name: str) -> Callable[..., FormTask]:
    """Return what makes the task of this name for a seed."""
    return lambda seed: FormTask(seed, name)
