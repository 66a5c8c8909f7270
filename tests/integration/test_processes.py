"""No process outlives us: after close, after an exception, after a kill of any part."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable

import psutil
import pytest

from browser.errors import BrowserNotFound, BrowserStartFailed
from browser.process import KILL_WAIT_S, descendants, kill_tree
from browser.session import BrowserOptions, BrowserSession, PageSettings

PROLOGUE = """
    import sys, time
    from browser.process import KILL_WAIT_S, descendants, kill_tree
    from browser.session import BrowserSession, PageSettings
    session = BrowserSession()
    session.open_page(PageSettings(), "page").goto("about:blank")
    print(*sorted(p.pid for p in descendants()), flush=True)
"""
GONE_S = 10.0


def start(body: str) -> tuple[subprocess.Popen[str], list[int]]:
    """Start a program that opens a browser, and return once it has, with its processes; it reads from a pipe."""
    script = textwrap.dedent(PROLOGUE) + textwrap.dedent(body)
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", script], stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    assert process.stdout is not None
    pids = [int(pid) for pid in process.stdout.readline().split()]
    assert len(pids) >= 3, "the driver, the browser and its renderer"
    return process, pids


def running(pids: list[int]) -> list[int]:
    return [pid for pid in pids if psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE]


def wait_until_gone(pids: list[int]) -> list[int]:
    limit = time.monotonic() + GONE_S
    while running(pids) and time.monotonic() < limit:
        time.sleep(0.05)
    return running(pids)


def chromium(pids: list[int]) -> psutil.Process:
    found = [psutil.Process(pid) for pid in pids]
    return next(p for p in found if "--remote-debugging-pipe" in p.cmdline() and "--type=" not in " ".join(p.cmdline()))


@pytest.mark.parametrize(
    "ending",
    ["session.close()", "session.close(); session.close()", "raise SystemExit(3)", "1 / 0", "import os; os._exit(1)"],
)
def test_nothing_is_left_however_the_program_ends(ending):
    process, pids = start(ending)
    process.communicate(timeout=60)
    assert wait_until_gone(pids) == []


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_when_we_are_killed(kill):
    process, pids = start("time.sleep(60)")
    os.kill(process.pid, kill)
    process.communicate(timeout=60)
    assert wait_until_gone(pids) == []


def kill_browser(pids: list[int]) -> None:
    chromium(pids).kill()


def stop_browser(pids: list[int]) -> None:
    """Freeze it: a browser that neither answers nor dies."""
    chromium(pids).send_signal(signal.SIGSTOP)


@pytest.mark.parametrize("harm", [kill_browser, stop_browser])
def test_close_ends_a_browser_that_is_dead_or_hangs(harm: Callable[[list[int]], None]):
    process, pids = start("input()\nsession.close()\nprint('closed', flush=True)")
    harm(pids)
    out, err = process.communicate("harmed\n", timeout=60)
    assert (out.strip(), process.returncode) == ("closed", 0), err
    assert wait_until_gone(pids) == []


@pytest.mark.parametrize("when_s", [0.0, 0.7], ids=["between calls", "during a call"])
def test_a_dead_driver_is_told_and_replaced(when_s: float):
    process, pids = start(
        f"""
        import threading
        from browser.errors import BrowserCrashed
        (driver,) = [p for p in descendants() if "run-driver" in p.cmdline()]
        page = session.page()
        threading.Timer({when_s}, driver.kill).start()
        time.sleep(0.2)
        try:
            with session.deadline(2, "a slow call"):
                page.evaluate("new Promise(done => setTimeout(done, 9000))")
        except BrowserCrashed as error:
            print(error, flush=True)
        print(session.open_page(PageSettings(), "page").evaluate("1 + 1"), flush=True)
        session.close()
        print(len(descendants()))
        """
    )
    out, err = process.communicate(timeout=60)
    assert len(out.splitlines()) == 3, err
    told, answer, left = out.splitlines()
    assert "a slow call" in told, err
    assert (answer, left) == ("2", "0"), err
    assert wait_until_gone(pids) == []


def test_the_dead_are_not_waited_for_until_somebody_collects_them():
    """As in a container whose first process collects nothing: a killed browser's processes stay as zombies."""
    idle = "import subprocess, time; print(subprocess.Popen(['sleep', '60']).pid, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", idle], stdout=subprocess.PIPE, text=True) as careless:
        assert careless.stdout is not None
        orphan = psutil.Process(int(careless.stdout.readline()))
        began = time.monotonic()
        kill_tree({orphan})
        assert time.monotonic() - began < KILL_WAIT_S / 2
        assert orphan.status() == psutil.STATUS_ZOMBIE
        kill_tree({psutil.Process(careless.pid)})
        assert not psutil.pid_exists(careless.pid), "our own child is collected"


def test_a_session_cleans_up_in_this_process_too():
    before = descendants()
    with BrowserSession() as first, BrowserSession() as second:
        for session in (first, second):
            session.open_page(PageSettings(), "context")
        first.close()
        assert second.page().evaluate("1 + 1") == 2
    assert {p for p in descendants() - before if p.is_running()} == set()


def test_all_disabled_features_are_in_one_switch():
    with BrowserSession() as session:
        session.open_page(PageSettings(), "page")
        command = chromium([p.pid for p in session._processes]).cmdline()
    (switch,) = [argument for argument in command if argument.startswith("--disable-features")]
    assert {"PaintHolding", "OverlayScrollbars", "RenderDocument", "Translate"} <= set(switch.split("=")[1].split(","))


def test_a_browser_that_cannot_start_says_so_and_leaves_nothing(tmp_path, monkeypatch):
    before = descendants()
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\necho no display >&2\nexit 3\n")
    broken.chmod(0o755)
    with pytest.raises(BrowserStartFailed, match=r"chromium did not start: .") as failure:
        BrowserSession(BrowserOptions(executable=str(broken))).open_page(PageSettings(), "page")
    assert "\n" not in str(failure.value)
    monkeypatch.setenv("BROWSER_EXECUTABLE", str(tmp_path / "nowhere"))
    with pytest.raises(BrowserNotFound, match="BROWSER_EXECUTABLE"):
        BrowserSession().open_page(PageSettings(), "page")
    assert {p for p in descendants() - before if p.is_running()} == set()
