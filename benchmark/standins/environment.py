"""Where the stand-in sites are installed and built: an environment of their own, and databases made once from the data.

The databases are the same to the byte in each build, so that a run on one machine can be compared with one on another.
"""

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal

from benchmark.errors import BenchmarkError, UsageError
from benchmark.records.provenance import ROOT
from benchmark.webarena.own_environment import make_environment

SiteName = Literal["shop", "forum"]
SITE_NAMES: tuple[SiteName, ...] = ("shop", "forum")
SOURCES = Path(__file__).with_name("sites")
FOLDER = ROOT / ".venv-standins"
VERSIONS = ROOT / "constraints-standins.txt"
CACHE = ROOT / ".cache" / "standins"
# Another environment that holds the packages, for those who have one.
PYTHON_VARIABLE = "STANDINS_PYTHON"
WAY_OUT = f"run python -m benchmark.standins build, or set {PYTHON_VARIABLE} to a Python that has them"
# Seconds on an idle machine; beyond this it hangs.
BUILD_S = 300.0


def sites_python() -> Path:
    """Return the interpreter that the sites' packages are installed for.

    Raises:
        UsageError: there is none.
    """
    named = os.environ.get(PYTHON_VARIABLE)
    python = Path(named) if named else FOLDER / "bin" / "python"
    # The interpreter of a virtual environment is a link, whose own place counts.
    if not any(python.absolute().parent.parent.glob("lib/python3.*/site-packages/oscar")):
        raise UsageError(f"The stand-in sites are not installed for {python}; {WAY_OUT}.")
    return python


def built_folder() -> Path:
    """Return where the databases and files of these sources and versions are, or will be."""
    digest = hashlib.sha256(VERSIONS.read_bytes())
    for path in sorted(path for path in SOURCES.rglob("*.*") if path.suffix in (".py", ".html")):
        digest.update(path.name.encode() + path.read_bytes())
    return CACHE / f"built-{digest.hexdigest()[:16]}"


def database(folder: Path, site: SiteName) -> Path:
    """Return where a site's database is in a folder."""
    return folder / f"{site}.sqlite3"


def install() -> bool:
    """Make the environment with the tested versions, unless another is named; return False where nothing was to do.

    Raises:
        BenchmarkError: it could not be made.
    """
    return not os.environ.get(PYTHON_VARIABLE) and make_environment(FOLDER, VERSIONS)


def build() -> Path:
    """Build the databases, files and search indexes, if they are not there, and return their folder.

    Raises:
        UsageError: the packages are not installed.
        BenchmarkError: it did not work.
    """
    built = built_folder()
    if built.is_dir():
        return built
    python = sites_python()
    CACHE.mkdir(parents=True, exist_ok=True)
    # Made aside and renamed: who comes at the same time finds all of it or nothing.
    new = Path(tempfile.mkdtemp(prefix="new-", dir=CACHE))
    try:
        for site in SITE_NAMES:
            build_site(python, site, new)
        with suppress(OSError):  # another process was quicker, and its build is the same
            new.rename(built)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    if not built.is_dir():
        raise BenchmarkError(f"The stand-in sites could not be put into {built}; free it and try again.")
    return built


def build_site(python: Path, site: SiteName, folder: Path) -> None:
    """Build one site's database, files and search index in a folder.

    Raises:
        BenchmarkError: it did not work.
    """
    command = [str(python), "-W", "ignore", str(SOURCES / "build.py"), site]
    variables = site_variables(database(folder, site), folder)
    try:
        done = subprocess.run(
            command, env=variables, capture_output=True, text=True, timeout=BUILD_S, check=False
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BenchmarkError(f"The {site} could not be built: {type(error).__name__}; try again.") from None
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise BenchmarkError(f"The {site} could not be built: {said[-1] if said else 'no reason given'}.")


def site_variables(data: Path, built: Path) -> Mapping[str, str]:
    """Return the environment that a site's process runs in; this project's packages are not on its path."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DJANGO"))}
    return kept | {"STANDIN_DATABASE": str(data), "STANDIN_BUILT": str(built), "PYTHONDONTWRITEBYTECODE": "1"}
