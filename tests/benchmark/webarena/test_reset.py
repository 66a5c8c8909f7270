"""The client of WebArena's reset protocol, against a server that speaks it."""

import re

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from benchmark.errors import ResetFailed
from benchmark.webarena.reset import ALREADY, READY, reset_fault, reset_sites

# Closed: nothing of this machine listens there.
DEAD = "http://127.0.0.1:9"


@pytest.mark.parametrize("status", [200, ALREADY])
def test_it_asks_once_and_waits_until_the_sites_are_ready(httpserver: HTTPServer, status: int) -> None:
    said = ["Resetting", "Resetting", f"{READY}\n"]
    httpserver.expect_oneshot_request("/reset", method="GET").respond_with_data("", status=status)
    httpserver.expect_request("/status").respond_with_handler(lambda _: Response(said.pop(0)))
    first = reset_sites(httpserver.url_for("/"))
    assert said == []
    assert re.fullmatch("[0-9a-f]{16}", first)
    httpserver.check_assertions()


def test_each_reset_has_its_own_id(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/reset").respond_with_data("")
    httpserver.expect_request("/status").respond_with_data(READY)
    address = httpserver.url_for("").rstrip("/")
    assert reset_sites(address) != reset_sites(address)


def test_what_goes_wrong_is_one_sentence(httpserver: HTTPServer) -> None:
    httpserver.expect_oneshot_request("/reset").respond_with_data("secret", status=500)
    with pytest.raises(ResetFailed, match="answers 500") as raised:
        reset_sites(httpserver.url_for("/"))
    assert "secret" not in str(raised.value)
    httpserver.expect_request("/reset").respond_with_data("")
    httpserver.expect_request("/status").respond_with_data("Failed: disk full")
    with pytest.raises(ResetFailed, match=r"not done within 0\.05 s \('Failed: disk full'\)"):
        reset_sites(httpserver.url_for("/"), limit_s=0.05)
    with pytest.raises(ResetFailed, match="does not answer"):
        reset_sites(DEAD)


def test_whether_a_reset_can_be_asked_for_is_told_without_one(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/status").respond_with_data(READY)
    assert reset_fault(httpserver.url_for("/")) is None
    assert "does not answer" in (reset_fault(DEAD) or "")
    httpserver.clear()
    httpserver.expect_request("/status").respond_with_data("", status=404)
    assert "answers 404 at /status" in (reset_fault(httpserver.url_for("/")) or "")
