"""The operating system's side of a browser: the shared Playwright driver, and processes that must not outlive us."""

import asyncio
import ctypes
import inspect
import logging
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any

import browsergym.core
import psutil
from playwright._impl import _connection, _sync_base
from playwright.sync_api import Playwright

from browser.errors import BrowserStartFailed

# How many open sessions use the driver this module started. Playwright's sync API allows one driver per thread and
# BrowserGym keeps it in a global, so the count has to be global too.
_users = 0
_ours = False
_driver: psutil.Process | None = None

KILL_WAIT_S = 3.0
# A dying process closes its pipes some milliseconds before it counts as dead; far more on a loaded machine.
DYING_S = 1.0
# A killed process is dead within some milliseconds.
LOOK_S = 0.005
# Long enough for an event loop's turn on a loaded machine.
UNWIND_S = 1.0

log = logging.getLogger(__name__)


def acquire_driver() -> Playwright:
    """Return the process-wide Playwright driver, started at the first call; pair it with `release_driver`.

    Raises:
        BrowserStartFailed: an event loop runs in this thread, as in a notebook.
    """
    global _users, _ours, _driver
    if _ours and not driver_alive():
        browsergym.core._set_global_playwright(None)
    if browsergym.core._PLAYWRIGHT is None:
        if _in_event_loop():
            raise BrowserStartFailed(
                "A browser cannot be driven inside a running event loop, such as a notebook's; "
                "use browser.worker.WorkerEnvironment, which runs it in a process of its own."
            )
        _read_stacks_without_sources()
        before = descendants()
        with _children_out_of_reach_of_ctrl_c():
            browsergym.core._get_global_playwright()
        _ours, _driver = True, next(iter(descendants() - before), None)
    _users += 1
    driver: Playwright = browsergym.core._get_global_playwright()
    return driver


def _stack() -> list[inspect.FrameInfo]:
    """The calling frames as `inspect.stack()` lists them, without their source lines."""
    frames, frame = [], sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        frames.append(inspect.FrameInfo(frame, code.co_filename, frame.f_lineno, code.co_name, None, None))
        frame = frame.f_back  # type: ignore[assignment]
    return frames


def _read_stacks_without_sources() -> None:
    """Make Playwright 1.44 note its callers by name only, as its later releases do.

    It calls `inspect.stack()` twice a call, to name the function in an error. Below `python -m` or in a worker process
    that looks through all loaded modules each time: it took 16 of a step's 51 ms.
    """
    cheap = SimpleNamespace(stack=_stack, FrameInfo=inspect.FrameInfo)
    for module in (_sync_base, _connection):
        if hasattr(module, "inspect"):
            vars(module)["inspect"] = cheap


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def driver_alive() -> bool:
    """Tell whether calls to Playwright can be answered: on a dead driver they would wait for ever."""
    return _driver is None or (_driver.is_running() and _lives(_driver))


def driver_died(closed: bool) -> bool:
    """Tell whether the driver is dead; where its pipe has `closed`, it is given the moment that dying takes."""
    end = time.monotonic() + (DYING_S if closed else 0.0)
    while driver_alive():
        if time.monotonic() >= end:
            return False
        time.sleep(LOOK_S)
    return True


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
    global _users, _ours, _driver
    _users -= 1
    if _users == 0 and _ours:
        driver, alive = browsergym.core._PLAYWRIGHT, driver_alive()
        browsergym.core._set_global_playwright(None)
        _ours, _driver = False, None
        if driver is not None and alive:
            driver.stop()
        elif driver is not None:
            _unwind(driver)


class _Unwound(BaseException):
    """Ends the call that gives a dead driver's event loop its last turn."""


def _unwind(driver: Playwright) -> None:
    """Let a dead driver's event loop end, so that a new one can be started in this thread.

    The loop notices the closed pipe once it gets a turn, which only a call gives it; that call itself never returns.
    """
    ending = threading.Timer(UNWIND_S, interrupt, [threading.get_ident(), _Unwound])
    ending.daemon = True
    ending.start()
    try:
        driver.stop()
        ending.join()
    except _Unwound:
        pass
    except Exception as error:
        ending.cancel()
        log.debug("the dead driver's loop ended with %s", type(error).__name__)


def interrupt(thread_id: int, error: type[BaseException]) -> None:
    """Raise an exception in another thread of this process, at its next Python instruction."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread_id), ctypes.py_object(error))


def descendants() -> set[psutil.Process]:
    """Return all processes below this one."""
    return set(psutil.Process().children(recursive=True))


def kill_tree(roots: set[psutil.Process]) -> None:
    """Kill these processes and everything below them, and wait until they are dead.

    A browser's dead are left to init, which in some containers collects them only every two seconds, or never: that is
    not waited for.
    """
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
    end = time.monotonic() + KILL_WAIT_S
    while any(map(_lives, doomed)) and time.monotonic() < end:
        time.sleep(LOOK_S)
    psutil.wait_procs(list(doomed), timeout=0)  # collects those that are our own children


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
