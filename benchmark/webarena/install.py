"""Where WebArena-Verified's evaluator is installed: an environment of its own. Knows no task.

It pins pydantic, beautifulsoup4 and python-dateutil to other versions than this project runs with, so that the two
cannot share one. `python -m benchmark.webarena.install` makes it: 90 MB, half a minute.
"""

import os
import sys
from importlib import metadata
from pathlib import Path

from benchmark.errors import BenchmarkError, UsageError
from benchmark.records.provenance import ROOT
from benchmark.webarena.own_environment import make_environment

PACKAGE = "webarena-verified"
FOLDER = ROOT / ".venv-webarena"
VERSIONS = ROOT / "constraints-webarena.txt"
# Another environment that holds the package, for those who have one.
PYTHON_VARIABLE = "WEBARENA_VERIFIED_PYTHON"
WAY_OUT = f"run python -m benchmark.webarena.install, or set {PYTHON_VARIABLE} to a Python that has it"


def evaluator_python() -> Path:
    """Return the interpreter that the evaluator is installed for.

    Raises:
        UsageError: there is none.
    """
    named = os.environ.get(PYTHON_VARIABLE)
    python = Path(named) if named else FOLDER / "bin" / "python"
    if not python.is_file() or installed_version(python) is None:
        raise UsageError(f"{PACKAGE} is not installed for {python}; {WAY_OUT}.")
    return python


def installed_version(python: Path) -> str | None:
    """Return the version of the evaluator beside this interpreter; None where there is none. Starts nothing."""
    folders = [str(folder) for folder in _package_folders(python)]
    found = [d.version for d in metadata.distributions(name=PACKAGE, path=folders)]
    return found[0] if found else None


def dataset_folder() -> Path:
    """Return the folder of the evaluator's own task files.

    Raises:
        UsageError: it is not installed.
    """
    python = evaluator_python()
    for folder in _package_folders(python):
        dataset = folder / "webarena_verified" / "assets" / "dataset"
        if dataset.is_dir():
            return dataset
    raise UsageError(f"{PACKAGE} for {python} holds no tasks; {WAY_OUT}.")


def _package_folders(python: Path) -> list[Path]:
    # The interpreter of a virtual environment is a link, whose own place counts.
    return sorted(python.absolute().parent.parent.glob("lib/python3.*/site-packages"))


def install() -> bool:
    """Make the environment with the tested versions; return False where it is there already.

    Raises:
        BenchmarkError: it could not be made.
    """
    return make_environment(FOLDER, VERSIONS)


def main() -> int:
    """Install the evaluator if it is not there, and say so; return 0, or 1 where it could not be."""
    if not FOLDER.exists():
        print(f"Installing {PACKAGE} into {FOLDER.name} ...")
    try:
        install()
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
