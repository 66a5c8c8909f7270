"""Logins and the record of requests in a real browser, on forms with the fields of WebArena's sites."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from benchmark.webarena.login import ADAPTERS, LoginMode, account, webarena_logins
from benchmark.webarena.model import WebArenaTask
from benchmark.webarena.task import SiteTask
from browser.actions import Click, Type
from browser.environment import BrowserEnvironment
from browser.errors import ObservationFailed
from browser.session import BrowserSession

# The names of the two fields, as each software posts them.
FIELDS = {
    "shopping": ("login[username]", "login[password]"),
    "shopping_admin": ("login[username]", "login[password]"),
    "reddit": ("_username", "_password"),
    "gitlab": ("user[login]", "user[password]"),
}
INSIDE = "<h1>Hello {user}</h1><form method=post action=/note><input name=text aria-label=Note><button>Save</button>"


class Site:
    """A site that lets one account in, by its form or by its header, and remembers who it is by a cookie."""

    def __init__(self, server: HTTPServer, site: str) -> None:
        self.adapter, self.fields, self.who = ADAPTERS[site], FIELDS[site], account(site)
        self.address = server.url_for("/").rstrip("/")
        self.headers_seen: list[str] = []
        server.expect_request(self.adapter.path or "/", method="GET").respond_with_handler(self._form)
        server.expect_request(self.adapter.path or "/", method="POST").respond_with_handler(self._enter)
        server.expect_request("/start").respond_with_handler(self._inside)
        server.expect_request("/note").respond_with_data("<h1>Saved</h1>", content_type="text/html")

    def _form(self, request: Request) -> Response:
        assert self.who is not None
        if self.adapter.header and self.adapter.header in request.headers:
            self.headers_seen.append(request.headers[self.adapter.header])
            if self.headers_seen[-1] == f"{self.who.user}:{self.who.password}":
                return self._welcome()
        user, password = self.fields
        form = f'<form method=post><input name="{user}"><input name="{password}" type=password><button>In</button>'
        return Response(form, content_type="text/html")

    def _enter(self, request: Request) -> Response:
        assert self.who is not None
        right = [request.form[name] for name in self.fields] == [self.who.user, self.who.password]
        return self._welcome() if right else self._form(request)

    def _welcome(self) -> Response:
        response = Response("<h1>Welcome</h1>", content_type="text/html")
        response.set_cookie("session", "s1")
        return response

    def _inside(self, request: Request) -> Response:
        known = request.cookies.get("session") == "s1"
        return Response(INSIDE.format(user="member" if known else "stranger"), content_type="text/html")


OpenTask = Callable[[str, LoginMode], BrowserEnvironment]


@pytest.fixture
def open_task(session: BrowserSession, httpserver: HTTPServer, tmp_path: Path) -> OpenTask:
    def make(site: str, mode: LoginMode) -> BrowserEnvironment:
        task = WebArenaTask(
            id=1, sites=(site,), template=1, type="mutate", intent="Save a note.",
            start_urls=(f"__{site.upper()}__/start",), revision=1, split="test", needs_judge=False,
        )  # fmt: skip
        given: dict[str, Any] = {
            "task": task, "addresses": {site: httpserver.url_for("/").rstrip("/")}, "rules": "Answer in JSON.",
            "logins": webarena_logins([site]), "login": mode, "har": tmp_path / "network.har", "begin": lambda: "r1",
            "check": lambda page: None,
        }  # fmt: skip
        return BrowserEnvironment(SiteTask, task_kwargs=given, session=session)

    return make


@pytest.mark.parametrize("mode", ["ui", "header"])
@pytest.mark.parametrize("site", FIELDS)
def test_each_software_is_logged_in_to(httpserver: HTTPServer, open_task: OpenTask, site: str, mode: LoginMode) -> None:
    served = Site(httpserver, site)
    observation, _ = open_task(site, mode).reset(seed=0)
    assert "Hello member" in [text.text for text in observation.texts]
    assert (observation.goal, observation.answer_form) == ("Save a note.", "Answer in JSON.")
    # GitLab offers no header, and is logged in to by its form.
    assert bool(served.headers_seen) == (mode == "header" and site != "gitlab")


def test_a_refused_login_says_so_without_the_password(
    httpserver: HTTPServer, open_task: OpenTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    Site(httpserver, "reddit")
    monkeypatch.setenv("WA_REDDIT_LOGIN", "mallory:wrong-word")
    with pytest.raises(ObservationFailed, match="The login on Postmill was refused") as raised:
        open_task("reddit", "ui").reset(seed=0)
    assert "wrong-word" not in str(raised.value)


def test_a_page_without_the_form_is_said(
    httpserver: HTTPServer, open_task: OpenTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    httpserver.expect_request("/users/sign_in").respond_with_data("<h1>Soon</h1>", content_type="text/html")
    monkeypatch.setattr("benchmark.webarena.login.LOGIN_MS", 300.0)
    with pytest.raises(ObservationFailed, match="The login form of GitLab was not there"):
        open_task("gitlab", "ui").reset(seed=0)


def test_the_record_keeps_what_was_posted_and_no_password(
    httpserver: HTTPServer, open_task: OpenTask, session: BrowserSession, tmp_path: Path
) -> None:
    """What a trace leaves out, and `omit` too: a third of Verified's tasks are judged by it."""
    Site(httpserver, "gitlab")
    env = open_task("gitlab", "ui")
    observation, _ = env.reset(seed=0)
    ids = {element.name: element.id for element in observation.elements}
    env.step(Type(element_id=ids["Note"], text="two & three"))
    _, reward, terminated, _, info = env.step(Click(element_id=ids["Save"]))
    assert (reward, terminated, info["task_info"]) == (0.0, False, {})
    session.close_pages()
    har = (tmp_path / "network.har").read_text(encoding="utf-8")
    entries = json.loads(har)["log"]["entries"]
    [post] = [entry["request"] for entry in entries if entry["request"]["method"] == "POST"]
    assert post["url"].endswith("/note")
    assert post["postData"]["text"] == "text=two+%26+three"
    assert any("Hello member" in entry["response"]["content"].get("text", "") for entry in entries)
    who = account("gitlab")
    assert who is not None
    assert who.password not in har


def test_pages_can_be_closed_twice_and_opened_again(
    httpserver: HTTPServer, open_task: OpenTask, session: BrowserSession
) -> None:
    Site(httpserver, "gitlab")
    open_task("gitlab", "ui").reset(seed=0)
    session.close_pages()
    session.close_pages()
    assert session.pages() == []
    observation, _ = open_task("gitlab", "ui").reset(seed=0)
    assert observation.url.endswith("/start")
