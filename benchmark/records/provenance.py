"""Which code made a record: the commit and the versions. Knows no benchmark."""

import json
import platform
import subprocess
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import psutil

from benchmark.records.rows import EpisodeRecord
from browser.observation import Frozen

ROOT = Path(__file__).resolve().parents[2]
# git answers in milliseconds; a repository on a dead network disk must not hold a run up.
GIT_S = 10.0


class Provenance(Frozen):
    """The code and the packages a run was made with."""

    git_commit: str | None
    """None where the code does not run from a git checkout with a commit."""
    git_dirty: bool | None
    """Whether tracked files differ from the commit."""
    versions: dict[str, str]
    """Of Python and packages; "machine" says what it ran on."""


def provenance(packages: Iterable[str], root: Path = ROOT) -> Provenance:
    """Return the commit of the checkout at `root` and the installed versions of Python and the named packages."""
    commit = _git(root, "rev-parse", "HEAD") if _git(root, "rev-parse", "--show-toplevel") == str(root) else None
    # Untracked files are left out: results are written into the checkout.
    changes = _git(root, "status", "--porcelain", "--untracked-files=no") if commit else None
    return Provenance(
        git_commit=commit or None,
        git_dirty=None if changes is None else bool(changes),
        versions={"python": platform.python_version(), "machine": machine()}
        | {name: package_version(name) for name in packages},
    )


def write_figures(path: Path, figures: Mapping[str, Any], made: Provenance, **versions: str) -> None:
    """Write what was measured as JSON, with the code and the packages it was measured with, and more `versions`."""
    stamp = {"git_commit": made.git_commit, "git_dirty": made.git_dirty, "versions": {**made.versions, **versions}}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**figures, **stamp}, indent=2) + "\n", encoding="utf-8")


def machine() -> str:
    """Return what this machine is, as far as a time depends on it: system, processors, memory."""
    memory = round(psutil.virtual_memory().total / 2**30)
    return f"{platform.system()} {platform.machine()}, {psutil.cpu_count()} CPUs, {memory} GiB"


def made_with(records: Iterable[EpisodeRecord]) -> str:
    """Return one sentence on the commits, versions and machines that made these records."""
    records = list(records)
    commits = {f"{(r.git_commit or 'none')[:12]}{' with changes' if r.git_dirty else ''}" for r in records}
    parts = [f"commit {', '.join(sorted(commits))}"]
    for name in ("python", "browser", "browsergym-core", "miniwob", "machine"):
        values = {r.versions[name] for r in records if name in r.versions}
        parts += [f"{name} {', '.join(sorted(values))}"] if values else []
    return f"Made with {'; '.join(parts)}."


def package_version(name: str) -> str:
    """Return the installed version of a package, or "not installed"."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, timeout=GIT_S, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
