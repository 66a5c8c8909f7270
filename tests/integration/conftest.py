"""A real browser for tests, and pages served to it from loopback."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from browsergym.core.task import OpenEndedTask
from pytest_httpserver import HTTPServer

from browser.environment import BrowserEnvironment
from browser.observation import Observation
from browser.session import BrowserSession


@pytest.fixture(scope="module")
def session() -> Iterator[BrowserSession]:
    with BrowserSession() as opened:
        yield opened


class OpenPage:
    """An environment on one page, with the observation at hand."""

    def __init__(self, env: BrowserEnvironment) -> None:
        self.env = env
        self.observation, self.info = env.reset(seed=0)

    def act(self, action: Any) -> Observation:
        self.observation, self.reward, self.terminated, _, self.info = self.env.step(action)
        return self.observation

    def id(self, name: str, role: str | None = None) -> int:
        found = [e.id for e in self.observation.elements if e.name == name and role in (None, e.role)]
        assert len(found) == 1, f"{name!r} is {len(found)} elements of {[e.name for e in self.observation.elements]}"
        return found[0]

    def js(self, script: str) -> Any:
        return self.env.page.evaluate(script)

    def texts(self) -> list[str]:
        return [block.text for block in self.observation.texts]


@pytest.fixture
def open_page(session: BrowserSession, httpserver: HTTPServer) -> Iterator[Callable[..., OpenPage]]:
    """Serve an HTML body and open it in the shared browser, in a context of its own."""
    opened: list[BrowserEnvironment] = []

    def make(body: str, *, path: str = "/page", goal: str = "", **kwargs: Any) -> OpenPage:
        page = f"<!doctype html><meta charset=utf-8><title>Fixture</title>{body}"
        httpserver.expect_request(path).respond_with_data(page, content_type="text/html")
        task = {"start_url": httpserver.url_for(path), "goal": goal}
        env = BrowserEnvironment(OpenEndedTask, task_kwargs=task, session=session, **kwargs)
        opened.append(env)
        return OpenPage(env)

    yield make
    for env in opened:
        env.close()


@pytest.fixture
def open_fixture(session: BrowserSession, pages_server: str) -> Iterator[Callable[..., OpenPage]]:
    """Open a page of tests/pages in the shared browser, in a context of its own."""
    opened: list[BrowserEnvironment] = []

    def make(name: str, **kwargs: Any) -> OpenPage:
        task = {"start_url": f"{pages_server}/{name}", "goal": ""}
        env = BrowserEnvironment(OpenEndedTask, task_kwargs=task, session=session, **kwargs)
        opened.append(env)
        return OpenPage(env)

    yield make
    for env in opened:
        env.close()
