"""What a run needs of WebArena's sites, looked at before anything starts; the sites are pages on this machine."""

import time

import pytest
from pytest_httpserver import HTTPServer

from benchmark.errors import UsageError
from benchmark.webarena.install import PYTHON_VARIABLE, evaluator_python
from benchmark.webarena.login import ADAPTERS, Account, account
from benchmark.webarena.model import SITES, WebArenaTask
from benchmark.webarena.reset import VARIABLE as RESET
from benchmark.webarena.sites import (
    VARIABLES,
    addresses,
    faults,
    placeholders,
    with_addresses,
    without_left_out,
)

# Closed: nothing of this machine listens there.
DEAD = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def _no_sites(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(RESET, raising=False)
    for site in SITES:
        monkeypatch.delenv(VARIABLES[site], raising=False)
        monkeypatch.delenv(f"WA_{site.upper()}_LOGIN", raising=False)


@pytest.fixture
def shop(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> HTTPServer:
    httpserver.expect_request("/customer/account/login/").respond_with_data('<input name="login[username]">')
    monkeypatch.setenv("WA_SHOPPING", httpserver.url_for("/"))
    return httpserver


def task(number: int, *sites: str) -> WebArenaTask:
    return WebArenaTask(
        id=number, sites=sites, template=1, type="mutate", intent="Do it.", start_urls=("__SHOPPING__",), revision=1,
        split="test", needs_judge=False,
    )  # fmt: skip


def test_all_that_is_missing_is_said_at_once_and_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PYTHON_VARIABLE, "/no/such/python")
    monkeypatch.setenv("WA_GITLAB", DEAD)
    monkeypatch.setenv("WA_MAP", "the map")
    monkeypatch.setenv("WA_REDDIT", "http://me:secret@127.0.0.1:9")
    monkeypatch.setenv("WA_REDDIT_LOGIN", "me")
    monkeypatch.setenv(RESET, DEAD)
    started = time.monotonic()
    found = faults(SITES)
    assert time.monotonic() - started < 5
    for fault, words in zip(
        found,
        (
            "webarena-verified is not installed for /no/such/python",
            "WA_SHOPPING, WA_SHOPPING_ADMIN, WA_WIKIPEDIA are not set",
            "WA_REDDIT_LOGIN is no account",
            f"The sites' reset at {DEAD}/status does not answer",
            "WA_REDDIT holds a user name or password",
            f"WA_GITLAB ({DEAD}) does not answer",
            "WA_MAP is no address",
        ),
        strict=True,
    ):
        assert words in fault
    assert "secret" not in " ".join(found)


def sites_faults(*sites: str) -> list[str]:
    """The faults of sites alone, whether or not the evaluator is installed."""
    return [fault for fault in faults(sites) if "webarena-verified" not in fault]


def test_the_right_software_passes(shop: HTTPServer) -> None:
    assert sites_faults("shopping") == []


def test_the_wrong_software_is_said(shop: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WA_GITLAB", shop.url_for("/"))
    shop.expect_request("/users/sign_in").respond_with_data("<h1>Some shop</h1>")
    [fault] = sites_faults("shopping", "gitlab")
    assert "WA_GITLAB" in fault
    assert "is not GitLab" in fault
    shop.clear()
    shop.expect_request("/users/sign_in").respond_with_data("gone", status=502)
    assert "answers 502" in sites_faults("gitlab")[0]


def test_every_site_has_an_adapter_whose_form_holds_its_mark() -> None:
    assert set(ADAPTERS) == set(SITES)
    for adapter in ADAPTERS.values():
        assert all(mark == mark.lower() for mark in adapter.marks)
        name = adapter.user_field.removeprefix("input[").removesuffix("]")
        assert not name or any(mark in name for mark in adapter.marks)


def test_a_site_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WA_MAP", "todo")
    monkeypatch.setenv("WA_SHOPPING", "http://shop.test/")
    tasks = (task(1, "shopping"), task(2, "map"), task(3, "map", "shopping_admin"))
    chosen = without_left_out(tasks)
    assert ([t.id for t in chosen.tasks], [t.id for t in chosen.left_out]) == ([1], [2, 3])
    assert chosen.sites == ("shopping",)
    with pytest.raises(UsageError, match="All 2 tasks need a site that is left out; give WA_MAP an address"):
        without_left_out(tasks[1:])


def test_addresses_take_the_place_of_placeholders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WA_SHOPPING", "http://shop.test/")
    monkeypatch.setenv("WA_SHOPPING_ADMIN", "http://shop.test/admin")
    found = addresses(SITES)
    assert placeholders(found) == {"__SHOPPING__": "http://shop.test", "__SHOPPING_ADMIN__": "http://shop.test/admin"}
    assert with_addresses("__SHOPPING_ADMIN__/a __SHOPPING__/b", found) == "http://shop.test/admin/a http://shop.test/b"


def test_an_account_can_be_named_and_hides_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    assert account("wikipedia") is None
    assert account("gitlab") == Account(user="byteblaze", password="hello1234")
    monkeypatch.setenv("WA_GITLAB_LOGIN", "root:a:b")
    named = account("gitlab")
    assert named == Account(user="root", password="a:b")
    assert "a:b" not in f"{named} {named!r}"


def test_another_version_of_the_evaluator_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        evaluator_python()
    except UsageError as missing:
        pytest.skip(str(missing))
    monkeypatch.setattr("benchmark.webarena.sites.TESTED_VERSION", "0.9")
    assert faults(()) == ["webarena-verified is 1.2.3, and only 0.9 was tested; install that one"]
