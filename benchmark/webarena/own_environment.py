"""Makes a Python environment of its own for packages that cannot or need not live beside this project's."""

import hashlib
import subprocess
import sys
from pathlib import Path

from benchmark.errors import BenchmarkError

# Fifty small packages; a slow network may need minutes.
INSTALL_S = 900.0


def make_environment(folder: Path, versions: Path) -> bool:
    """Make an environment in a folder with the versions that a file lists; return False where it is there already.

    Raises:
        BenchmarkError: it could not be made.
    """
    stamp, state = folder / "installed", hashlib.sha256(versions.read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == state:
        return False
    _run(folder, [sys.executable, "-m", "venv", "--clear", str(folder)])
    python = str(folder / "bin" / "python")
    _run(folder, [python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "-r", str(versions)])
    stamp.write_text(state, encoding="utf-8")
    return True


def _run(folder: Path, command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BenchmarkError(f"{folder} could not be made: {type(error).__name__}; try again.") from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise BenchmarkError(f"{folder} could not be made: {said[-1] if said else 'no reason given'}; try again.")
