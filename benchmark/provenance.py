"""Which code made a record: the commit and the versions. Knows no benchmark."""

import platform
import subprocess
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from browser.observation import Frozen

ROOT = Path(__file__).resolve().parent.parent
# git answers in milliseconds; a repository on a dead network disk must not hold a run up.
GIT_S = 10.0


class Provenance(Frozen):
    """The code and the packages a run was made with."""

    git_commit: str | None
    """None where the code does not run from a git checkout with a commit."""
    git_dirty: bool | None
    """Whether tracked files differ from the commit."""
    versions: dict[str, str]


def provenance(packages: Iterable[str], root: Path = ROOT) -> Provenance:
    """Return the commit of the checkout at `root` and the installed versions of Python and the named packages."""
    commit = _git(root, "rev-parse", "HEAD") if _git(root, "rev-parse", "--show-toplevel") == str(root) else None
    # Untracked files are left out: results are written into the checkout.
    changes = _git(root, "status", "--porcelain", "--untracked-files=no") if commit else None
    return Provenance(
        git_commit=commit or None,
        git_dirty=None if changes is None else bool(changes),
        versions={"python": platform.python_version()} | {name: package_version(name) for name in packages},
    )


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
