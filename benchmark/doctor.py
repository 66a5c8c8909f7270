"""What a run on MiniWoB needs, what of it is here, and the way out where it is not. Runs no task."""

import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.table import Column, Table

from benchmark.miniwob.pages import pages_folder
from benchmark.miniwob.tasks import task_infos
from benchmark.models.chat import LOCAL_MODEL_VARIABLE, local_model
from benchmark.records.provenance import ROOT, package_version, provenance
from browser.errors import BrowserCrashed, BrowserNotFound, BrowserStartFailed
from browser.install import browser_version, find_browser
from browser.observation import Frozen
from browser.session import BrowserOptions, BrowserSession, PageSettings

DISTRIBUTION = "browser-agent-lab"
OLDEST_PYTHON, NEWEST_PYTHON = (3, 11), (3, 12)
# An episode with its steps takes about 100 kB; 625 of them, and some air.
FREE_BYTES = 200_000_000
# Optional: without any of them the embedded model decides.
KEYS = ("TYPESAFE_API_KEY", "OPENROUTER_API_KEY", "OPENAI_API_KEY")
REINSTALL = "Run make setup."


class Check(Frozen):
    """One thing looked at. "note" is worth knowing and stops nothing; "missing" stops a run."""

    what: str
    state: Literal["ok", "note", "missing"]
    found: str
    way_out: str = ""


def main() -> int:
    """Print the table; return 0 if a run on MiniWoB can start, else 1."""
    console = Console()
    table = Table("", "what", Column("found", overflow="fold"), "what to do", box=None, padding=(0, 2, 0, 0))
    marks = {"ok": "[green]ok[/]", "note": "[yellow]note[/]", "missing": "[red]missing[/]"}
    ready = True
    with console.status("Looking ..."):
        for check in checks():
            table.add_row(marks[check.state], check.what, check.found, check.way_out)
            ready = ready and check.state != "missing"
    console.print(table)
    console.print("Ready: make miniwob AGENT=jev" if ready else "Not ready: see what is marked as missing.")
    return 0 if ready else 1


def checks() -> Iterator[Check]:
    """Yield every check, each made when it is asked for."""
    yield check_python(sys.version_info[:2])
    yield from check_packages(ROOT / "constraints.txt")
    yield check_browser()
    yield check_pages()
    yield check_results(ROOT / "results")
    yield check_commit()
    yield from (check_key(name) for name in KEYS)
    yield check_local_model(local_model())


def check_python(version: tuple[int, int]) -> Check:
    """Say whether this interpreter is of a supported release."""
    found = f"{platform.python_version()} at {sys.executable}"
    if OLDEST_PYTHON <= version <= NEWEST_PYTHON:
        return Check(what="Python", state="ok", found=found)
    way_out = "Install Python 3.11 or 3.12, then: make setup PYTHON=/path/to/python3.12"
    return Check(what="Python", state="missing", found=found, way_out=way_out)


def check_packages(constraints: Path) -> Iterator[Check]:
    """Compare what is installed with the tested versions: a row for each direct dependency, and one for all others."""
    tested = _tested_versions(constraints)
    direct = _direct_dependencies()
    if not direct:
        yield Check(what=DISTRIBUTION, state="missing", found="not installed", way_out=REINSTALL)
    for name in direct:
        yield _check_package(name, tested.pop(name, None))
    others = {name: package_version(name) for name in tested}
    differ = [f"{name} {others[name]}" for name in others if others[name] not in (tested[name], "not installed")]
    count = sum(version != "not installed" for version in others.values())
    yield Check(
        what="other packages",
        state="note" if differ else "ok",
        found=", ".join(differ) if differ else f"{count}, all as tested",
        way_out=REINSTALL if differ else "",
    )


def _check_package(name: str, tested: str | None) -> Check:
    version = package_version(name)
    if version == "not installed":
        return Check(what=name, state="missing", found=version, way_out=REINSTALL)
    if tested is None or version == tested:
        return Check(what=name, state="ok", found=version)
    return Check(what=name, state="note", found=f"{version}, tested with {tested}", way_out=REINSTALL)


def check_browser() -> Check:
    """Say whether there is a browser, and start it as a run would."""
    try:
        path = find_browser()
        if path is None:
            raise BrowserNotFound("none")
        version = browser_version(path)
        with BrowserSession(BrowserOptions(executable=str(path))) as session:
            session.open_page(PageSettings(), "context").goto("about:blank")
    except (BrowserNotFound, BrowserStartFailed, BrowserCrashed) as error:
        way_out = "Run make setup, or set BROWSER_EXECUTABLE to a Chromium."
        return Check(what="browser", state="missing", found=str(error), way_out=way_out)
    return Check(what="browser", state="ok", found=f"{version} at {path}, starts")


def check_pages() -> Check:
    """Say whether every MiniWoB task has its page where the runner serves them from."""
    try:
        folder = pages_folder() / "miniwob"
        tasks = [info.name for info in task_infos()]
    except metadata.PackageNotFoundError as error:
        return Check(what="MiniWoB pages", state="missing", found=str(error), way_out=REINSTALL)
    absent = [name for name in tasks if not (folder / f"{name}.html").is_file()]
    if absent:
        found = f"{len(absent)} of {len(tasks)} tasks have no page in {folder}, {absent[0]} for one"
        return Check(what="MiniWoB pages", state="missing", found=found, way_out=REINSTALL)
    return Check(what="MiniWoB pages", state="ok", found=f"{len(tasks)} in {folder}")


def check_results(folder: Path) -> Check:
    """Say whether records can be written, by writing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
        free = shutil.disk_usage(folder).free
    except OSError as error:
        found = f"{folder}: {error.strerror}"
        return Check(what="results", state="missing", found=found, way_out="Give a folder of your own: OUT=folder")
    found = f"{folder}, {free // 10**6} MB free"
    if free < FREE_BYTES:
        return Check(what="results", state="note", found=found, way_out="Free some space.")
    return Check(what="results", state="ok", found=found)


def check_commit() -> Check:
    """Say which commit a run's records would name."""
    code = provenance(())
    if code.git_commit is None:
        way_out = "Records will name no commit; run from a git clone."
        return Check(what="git commit", state="note", found="none", way_out=way_out)
    if code.git_dirty:
        found, way_out = f"{code.git_commit[:12]} with changes", "Commit before a run that is to be repeated."
        return Check(what="git commit", state="note", found=found, way_out=way_out)
    return Check(what="git commit", state="ok", found=code.git_commit[:12])


def check_key(name: str) -> Check:
    """Say whether a key is set; never what it is."""
    return Check(what=name, state="ok", found="set" if os.environ.get(name) else "not set, not needed")


def check_local_model(path: Path) -> Check:
    """Say whether the file that MODEL=local serves is there."""
    if path.is_file():
        return Check(what="local model", state="ok", found=f"{path}, {path.stat().st_size // 10**6} MB")
    way_out = f"For MODEL=local: make local-llm, or set {LOCAL_MODEL_VARIABLE}=FILE.gguf"
    return Check(what="local model", state="ok", found=f"none at {path}, not needed", way_out=way_out)


def _direct_dependencies() -> list[str]:
    try:
        requirements = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return []
    return [_name(line) for line in requirements if "extra ==" not in line]


def _tested_versions(constraints: Path) -> dict[str, str]:
    lines = constraints.read_text(encoding="utf-8").splitlines()
    return {_name(line): line.partition("==")[2].strip() for line in lines if "==" in line and line[0] != "#"}


def _name(requirement: str) -> str:
    """The name at the start of a requirement, in the one spelling that names are compared in."""
    head = re.split(r"[^\w.-]", requirement.strip(), maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", head).lower()


if __name__ == "__main__":
    raise SystemExit(main())
