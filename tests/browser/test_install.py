"""Where a browser is looked for, in which order, and what is said where none works."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from browser import install
from browser.errors import BrowserNotFound, BrowserStartFailed
from browser.install import Way, browser_version, ensure_browser, find_browser, main, window_browser

Program = Callable[..., Path]
REPO = Path(__file__).resolve().parents[2]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Write executables into a machine that has no browser: an empty path and an empty home."""
    for variable in ("BROWSER_EXECUTABLE", "PLAYWRIGHT_BROWSERS_PATH", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    # The order is the same everywhere but for the applications of macOS, which a test cannot take away.
    monkeypatch.setattr(sys, "platform", "linux")

    def write(place: str, body: str = "echo Chromium 1.2.3") -> Path:
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return path

    return write


def test_nothing_is_found_on_an_empty_machine(program: Program) -> None:
    assert find_browser() is None


def test_the_order(program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cache = "home/.cache/ms-playwright"
    last_to_first = [
        program(f"{cache}/chromium-900/chrome-linux/chrome"),
        program(f"{cache}/chromium-1117/chrome-linux/chrome"),
        program(f"{cache}/chromium_headless_shell-1117/chrome-linux/headless_shell"),
    ]
    assert find_browser() == last_to_first[-1]
    for command in reversed(install.COMMANDS):
        last_to_first.append(program(f"bin/{command}"))
        assert find_browser() == last_to_first[-1]
    named = program("mine/my-browser")
    monkeypatch.setenv("BROWSER_EXECUTABLE", str(named))
    assert find_browser() == named


def test_the_newest_download_is_by_number_not_by_spelling(program: Program) -> None:
    program("home/.cache/ms-playwright/chromium-900/chrome-linux/chrome")
    newest = program("home/.cache/ms-playwright/chromium-1117/chrome-linux/chrome")
    assert find_browser() == newest


def test_downloads_are_looked_for_where_playwright_is_told_to_put_them(
    program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = program("elsewhere/chromium-1117/chrome-linux/chrome")
    assert find_browser() is None
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "elsewhere"))
    assert find_browser() == path


@pytest.mark.parametrize("kind", ["absent", "folder", "text"])
def test_a_named_browser_that_is_no_program_is_an_error(
    program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str
) -> None:
    program("bin/chromium")
    named = tmp_path / "named"
    if kind == "folder":
        named.mkdir()
    if kind == "text":
        named.write_text("no program")
    monkeypatch.setenv("BROWSER_EXECUTABLE", str(named))
    with pytest.raises(BrowserNotFound, match=f"BROWSER_EXECUTABLE is {named}, which is not a program"):
        find_browser()


def test_a_launcher_of_a_snap_is_passed_over(program: Program, tmp_path: Path) -> None:
    program("bin/chromium-browser", 'exec /snap/bin/chromium "$@"')
    assert find_browser() is None
    program("usr/bin/snap")
    (tmp_path / "bin" / "chromium").symlink_to(tmp_path / "usr" / "bin" / "snap")
    assert find_browser() is None
    real = program("bin/google-chrome")
    assert find_browser() == real


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("echo error while loading libnss3.so >&2; exit 127", "error while loading libnss3.so"),
        ("exit 0", "it says nothing"),
        ("sleep 60", "timed out"),
    ],
)
def test_a_browser_without_a_version_is_an_error(
    program: Program, monkeypatch: pytest.MonkeyPatch, body: str, said: str
) -> None:
    monkeypatch.setattr(install, "VERSION_S", 0.5)
    monkeypatch.setenv("PATH", os.defpath)
    with pytest.raises(BrowserStartFailed, match=f"does not answer --version: .*{said}"):
        browser_version(program("bin/chromium", body))


def test_a_broken_browser_gives_way_to_one_that_runs(program: Program) -> None:
    program("bin/chromium", "exit 1")
    runs = program("bin/google-chrome")
    assert ensure_browser() == runs
    assert browser_version(runs) == "Chromium 1.2.3"


def test_a_named_browser_is_never_replaced(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    program("bin/google-chrome")
    monkeypatch.setenv("BROWSER_EXECUTABLE", str(program("mine/broken", "exit 1")))
    with pytest.raises(BrowserStartFailed, match="broken does not answer"):
        ensure_browser()


def test_a_way_that_works_ends_the_search(
    program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = program("stored", "echo Chromium 9")
    place = tmp_path / "bin" / "chromium"
    place.parent.mkdir()
    ways = (
        Way("first thing", ("/bin/sh", "-c", "echo E: no such package >&2; exit 100"), False),
        Way("second thing", ("/bin/cp", str(stored), str(place)), False),
        Way("third thing", ("/bin/false",), False),
    )
    monkeypatch.setattr(install, "WAYS", ways)
    assert ensure_browser() == place
    assert capsys.readouterr().err.splitlines() == [
        "No browser here that runs; installing first thing ...",
        "No browser here that runs; installing second thing ...",
    ]


def test_where_no_way_works_one_line_names_each_and_what_to_do(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    program("bin/chromium", "echo libnss3.so is missing >&2; exit 127")
    ways = (
        Way("a download", ("/bin/sh", "-c", "echo Error: no network >&2; echo '  at x' >&2; exit 1"), False),
        Way("a package", ("/no/such/program",), False),
        Way("a slow thing", ("/bin/sleep", "60"), False),
        Way("a thing for root", ("/bin/false",), True),
    )
    monkeypatch.setattr(install, "WAYS", ways)
    monkeypatch.setattr(install, "INSTALL_S", 0.5)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(BrowserNotFound) as caught:
        ensure_browser()
    message = str(caught.value)
    assert "\n" not in message
    for part in ("install Chromium or Google Chrome", "BROWSER_EXECUTABLE", "libnss3.so is missing", "no network"):
        assert part in message
    assert "a package: " in message
    assert "a slow thing: not done after" in message
    assert "for root" not in message


@pytest.mark.parametrize(("exists", "code"), [(True, 0), (False, 1)])
def test_the_command_prints_the_path_alone_on_stdout(program: Program, exists: bool, code: int) -> None:
    path = program("mine/browser", "echo Chromium 7") if exists else Path("/no/such/browser")
    done = subprocess.run(
        [sys.executable, "-m", "browser.install"], env=os.environ | {"BROWSER_EXECUTABLE": str(path)},
        cwd=REPO, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == code
    assert done.stdout == (f"{path}\n" if exists else "")
    assert len(done.stderr.splitlines()) == 1
    assert ("Chromium 7" if exists else "/no/such/browser") in done.stderr


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":0")


def test_a_headless_shell_is_passed_over_where_a_window_is_wanted(program: Program, screen: None) -> None:
    program("bin/chromium-headless-shell")
    program("home/.cache/ms-playwright/chromium_headless_shell-9/chrome-linux/headless_shell")
    with pytest.raises(BrowserNotFound, match="a headless shell cannot"):
        window_browser()
    chromium = program("bin/chromium")
    assert window_browser() == find_browser(window=True) == chromium
    assert find_browser() != chromium


def test_a_link_does_not_hide_a_headless_shell(program: Program, screen: None) -> None:
    shell = program("elsewhere/headless_shell")
    program("bin/other").with_name("chromium").symlink_to(shell)
    with pytest.raises(BrowserNotFound, match="a headless shell cannot"):
        window_browser()


def test_a_browser_that_is_named_is_not_replaced_by_one_with_a_window(
    program: Program, screen: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    program("bin/chromium")
    shell = program("elsewhere/headless_shell")
    with pytest.raises(BrowserNotFound, match="set BROWSER_EXECUTABLE to one"):
        window_browser(shell)
    monkeypatch.setenv("BROWSER_EXECUTABLE", str(shell))
    with pytest.raises(BrowserNotFound, match="set BROWSER_EXECUTABLE to one"):
        window_browser()


def test_a_window_needs_a_screen(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    chromium = program("bin/chromium")
    with pytest.raises(BrowserStartFailed, match="There is no screen to open a window on: set DISPLAY"):
        window_browser()
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert window_browser() == chromium


def test_the_command_names_a_browser_with_a_window(
    program: Program, screen: None, capsys: pytest.CaptureFixture[str]
) -> None:
    program("bin/chromium-headless-shell")
    assert main(["--window"]) == 1
    assert "a headless shell cannot" in capsys.readouterr().err
    chromium = program("bin/chromium")
    assert main(["--window"]) == 0
    assert capsys.readouterr().out == f"{chromium}\n"
