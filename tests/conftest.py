"""What every test can use: a server for tests/pages, and the rule that a skipped test is a failure in CI.

And in which order two workers take the files, so that both end at about the same time.
"""

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import BaseServer
from threading import Thread
from typing import Any

import pytest
from hypothesis import settings

# How long a draw takes says how busy the machine is, not whether the code is right.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")

# A server looks twice a second by default whether it is to end, and each test that ends one would wait for that.
BaseServer.serve_forever.__defaults__ = (0.02,)

PAGES = Path(__file__).parent / "pages"
INTEGRATION = Path(__file__).parent / "integration"
# The longest files, which begin first.
LONG = (
    "test_chat_agents", "test_standins", "test_hostile", "test_stock", "test_parallel", "test_random_pages",
    "test_run_miniwob", "test_processes", "test_replay", "test_train",
)  # fmt: skip


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def _serve_pages() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(PAGES))) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def pages_server() -> Iterator[str]:
    """The address that serves tests/pages on this machine, without a slash at its end."""
    with _serve_pages() as address:
        yield address


@pytest.fixture(scope="session")
def other_pages_server() -> Iterator[str]:
    """The same pages on another port, which makes them another origin."""
    with _serve_pages() as address:
        yield address


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = (
            False  # xdist would begin with the files of the most tests, which are the quickest
        )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where files are given to workers, begin with the long ones: a long one that is left to the end runs alone."""
    if hasattr(config, "workerinput"):
        items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    path = item.path
    if path.parent != INTEGRATION:
        return len(LONG) + 1
    return LONG.index(path.stem) if path.stem in LONG else len(LONG)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    return _no_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    return _no_skip((yield))


def _no_skip(report: Any) -> Any:
    """A CI machine is set up by us, so that what a test finds missing there is our fault; elsewhere it may skip."""
    if os.environ.get("CI") and report.outcome == "skipped" and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.longrepr = f"A test may not be skipped in CI: {reason}"
    return report
