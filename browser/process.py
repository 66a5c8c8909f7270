"""The operating system's side of a browser: the shared Playwright driver, and processes that must not outlive us."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import browsergym.core
import psutil
from playwright.sync_api import Playwright

# How many open sessions use the driver this module started. Playwright's sync API allows one driver per thread and
# BrowserGym keeps it in a global, so the count has to be global too.
_users = 0
_ours = False

KILL_WAIT_S = 3.0


def acquire_driver() -> Playwright:
    """Return the process-wide Playwright driver, started at the first call; pair it with `release_driver`."""
    global _users, _ours
    _ours = _ours or browsergym.core._PLAYWRIGHT is None
    _users += 1
    with _children_out_of_reach_of_ctrl_c():
        driver: Playwright = browsergym.core._get_global_playwright()
    return driver


@contextmanager
def _children_out_of_reach_of_ctrl_c() -> Iterator[None]:
    """Start asyncio's child processes in a session of their own.

    A terminal sends Ctrl-C to the whole process group. A driver that it ends leaves Playwright's next call waiting for
    ever; we close it ourselves, and where we are killed it ends with its input.
    """
    module: Any = asyncio
    spawn = module.create_subprocess_exec
    module.create_subprocess_exec = partial(spawn, start_new_session=True)
    try:
        yield
    finally:
        module.create_subprocess_exec = spawn


def release_driver() -> None:
    """Stop the driver when its last session lets go of it, unless someone else started it."""
    global _users, _ours
    _users -= 1
    if _users == 0 and _ours:
        driver = browsergym.core._PLAYWRIGHT
        browsergym.core._set_global_playwright(None)
        _ours = False
        if driver is not None:
            driver.stop()


def descendants() -> set[psutil.Process]:
    """Return all processes below this one."""
    return set(psutil.Process().children(recursive=True))


def kill_tree(roots: set[psutil.Process]) -> None:
    """Kill these processes and everything below them, and wait until they are gone."""
    doomed = set(roots)
    for root in roots:
        try:
            doomed.update(root.children(recursive=True))
        except psutil.NoSuchProcess:
            continue
    for process in doomed:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(list(doomed), timeout=KILL_WAIT_S)
