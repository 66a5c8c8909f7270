"""Finds a Chromium on this machine, or installs one. Knows neither pages, models nor benchmarks."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from browser.errors import BrowserNotFound, BrowserStartFailed

# A headless shell comes first: it starts in half the time of a full browser.
COMMANDS = (
    "chromium-headless-shell", "headless_shell", "chromium", "chromium-browser",
    "google-chrome", "google-chrome-stable",
)  # fmt: skip
MAC_BUNDLES = ("Google Chrome", "Chromium")
# Layouts of Playwright's downloads, old and new.
DOWNLOADS = (
    "chromium_headless_shell-*/*/headless_shell",
    "chromium_headless_shell-*/*/chrome-headless-shell",
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
)
# Printing a version takes 0.1 s; a cold disk or a first start on macOS takes a few seconds.
VERSION_S = 20
# 150 MB at 500 kB/s. A blocked network says so at once.
INSTALL_S = 300
# A snap's launcher is a short script; a real launcher script names no snap.
SNAP_MARK = b"/snap/bin/"
SCRIPT_BYTES = 8192
FAULT_CHARACTERS = 200
# Either tells a program where the screen is; Chromium's own message without them is a page long.
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")
NO_WINDOW = (
    "No browser here opens a window (a headless shell cannot): install Chromium or Google Chrome, or set "
    "BROWSER_EXECUTABLE to one."
)


class Way(NamedTuple):
    """One way to get a browser."""

    what: str
    command: tuple[str, ...]
    needs_root: bool


_PLAYWRIGHT = (sys.executable, "-m", "playwright")
_APT = ("apt-get", "install", "-y", "-q", "--no-install-recommends")
WAYS = (
    Way("Playwright's Chromium", (*_PLAYWRIGHT, "install", "chromium"), False),
    Way("the system's package list", ("apt-get", "update", "-q"), True),
    Way("the system's chromium-headless-shell", (*_APT, "chromium-headless-shell"), True),
    Way("the libraries of Playwright's Chromium", (*_PLAYWRIGHT, "install-deps", "chromium"), True),
    Way("the system's chromium", (*_APT, "chromium"), True),
)


def find_browser(*, window: bool = False) -> Path | None:
    """Return the first Chromium that is installed, or with `window` the first that can open one; None without any.

    Looks at BROWSER_EXECUTABLE, the path, macOS applications and Playwright's downloads, in this order. Starts nothing.

    Raises:
        BrowserNotFound: BROWSER_EXECUTABLE names something that cannot be run.
    """
    return next((path for path in _candidates() if not window or opens_windows(path)), None)


def opens_windows(path: Path) -> bool:
    """Tell whether this browser can show itself: a headless shell, which is told by its name, never does."""
    return "headless" not in path.resolve().name.lower()


def window_browser(named: Path | None = None) -> Path:
    """Return a Chromium that can open a window, here and now: the one that is named, or the first that is found.

    Raises:
        BrowserNotFound: there is none, or the one that is named, here or by BROWSER_EXECUTABLE, cannot.
        BrowserStartFailed: there is no screen to open it on.
    """
    path = named or find_browser(window=True)
    if path is None or not opens_windows(path):
        raise BrowserNotFound(NO_WINDOW)
    if sys.platform == "linux" and not any(os.environ.get(name) for name in SCREENS):
        raise BrowserStartFailed(
            "There is no screen to open a window on: set DISPLAY, run the same under xvfb-run, or run headless."
        )
    return path


def ensure_browser() -> Path:
    """Return the first Chromium that answers `--version`, installing one where none does.

    Raises:
        BrowserNotFound: none is there and no way to install one worked.
        BrowserStartFailed: the one that BROWSER_EXECUTABLE names does not answer.
    """
    path, faults = _working_browser()
    if path is not None:
        return path
    for way in WAYS:
        if way.needs_root and not _can_install_packages():
            continue
        print(f"No browser here that runs; installing {way.what} ...", file=sys.stderr, flush=True)
        fault = _run(way)
        path, broken = _working_browser()
        if path is not None:
            return path
        faults += [f"{way.what}: {fault}"] if fault else broken
    raise BrowserNotFound(
        "No Chromium that runs was found or could be installed: install Chromium or Google Chrome, or set "
        f"BROWSER_EXECUTABLE to one. Tried: {'; '.join(dict.fromkeys(faults))}."
    )


def browser_version(path: Path) -> str:
    """Return what the browser calls itself, such as "Chromium 156.0.8078.114".

    Raises:
        BrowserStartFailed: it does not answer `--version`.
    """
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, errors="replace", timeout=VERSION_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BrowserStartFailed(f"{path} does not answer --version: {_fault(str(error))}.") from None
    version = done.stdout.strip()
    if done.returncode != 0 or not version:
        raise BrowserStartFailed(f"{path} does not answer --version: {_fault(done.stderr)}.")
    return version.splitlines()[0].strip()


def main(argv: Sequence[str] = ()) -> int:
    """Print the path of a browser that runs on stdout and its version on stderr; return the exit code.

    With `--window` it is one that can open a window, and none is installed.
    """
    try:
        path = window_browser() if "--window" in argv else ensure_browser()
        version = browser_version(path)
    except (BrowserNotFound, BrowserStartFailed) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Browser: {version}", file=sys.stderr, flush=True)
    print(path)
    return 0


def _candidates() -> Iterator[Path]:
    named = os.environ.get("BROWSER_EXECUTABLE")
    if named:
        if not _runnable(Path(named)):
            raise BrowserNotFound(f"BROWSER_EXECUTABLE is {named}, which is not a program; correct or unset it.")
        yield Path(named)
        return
    for command in COMMANDS:
        found = shutil.which(command)
        if found and not _is_snap(Path(found)):
            yield Path(found)
    if sys.platform == "darwin":
        for folder in (Path("/Applications"), Path.home() / "Applications"):
            bundles = (folder / f"{name}.app/Contents/MacOS/{name}" for name in MAC_BUNDLES)
            yield from filter(_runnable, bundles)
    yield from _downloads()


def _downloads() -> Iterator[Path]:
    """Playwright's downloads, the newest of each kind first."""
    for folder in _download_folders():
        for pattern in DOWNLOADS:
            yield from filter(_runnable, sorted(folder.glob(pattern), key=_revision, reverse=True))


def _download_folders() -> tuple[Path, ...]:
    named = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    if named == "0":
        import playwright

        return (Path(playwright.__file__).parent / "driver" / "package" / ".local-browsers",)
    if named:
        return (Path(named),)
    if sys.platform == "darwin":
        return (Path.home() / "Library" / "Caches" / "ms-playwright",)
    return (Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ms-playwright",)


def _revision(path: Path) -> int:
    folder = next(part for part in path.parts if part.startswith(("chromium-", "chromium_headless_shell-")))
    digits = folder.rpartition("-")[2]
    return int(digits) if digits.isdigit() else 0


def _runnable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _is_snap(path: Path) -> bool:
    """A snap's browser sees neither the temporary profile nor, in a container, a daemon to start it."""
    if "snap" in path.parts or "snap" in path.resolve().parts or path.resolve().name == "snap":
        return True
    with path.open("rb") as file:
        head = file.read(SCRIPT_BYTES)
    return head.startswith(b"#!") and SNAP_MARK in head


def _working_browser() -> tuple[Path | None, list[str]]:
    """The first candidate that answers `--version`, and what is wrong with those before it.

    Raises:
        BrowserStartFailed: BROWSER_EXECUTABLE does not answer; what a user names is never replaced by another.
    """
    faults = []
    for path in _candidates():
        try:
            browser_version(path)
        except BrowserStartFailed as error:
            if os.environ.get("BROWSER_EXECUTABLE"):
                raise
            faults.append(str(error))
        else:
            return path, faults
    return None, faults


def _can_install_packages() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def _run(way: Way) -> str | None:
    """Carry out one way; return why it failed in one line, or None."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            way.command, capture_output=True, text=True, errors="replace", env=environment,
            stdin=subprocess.DEVNULL, timeout=INSTALL_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"not done after {INSTALL_S} s"
    except OSError as error:
        return _fault(str(error))
    return _fault(done.stderr or done.stdout) if done.returncode else None


def _fault(text: str) -> str:
    """The line of a program's output that says what went wrong: the first that calls itself an error, or the last."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("E: ", "Error")) or "error" in line.split(" ", 1)[0].lower()]
    chosen = (errors or lines[-1:] or ["it says nothing"])[0]
    return chosen[:FAULT_CHARACTERS].rstrip(" .,")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
