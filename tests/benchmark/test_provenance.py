"""A record names the commit it was made from, and only where that is true."""

import subprocess
from pathlib import Path

import pytest

from benchmark.provenance import package_version, provenance


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with one commit of one file."""
    root = tmp_path.resolve()
    (root / "file").write_text("one")
    author = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    for arguments in (["init", "-q"], ["add", "file"], [*author, "commit", "-q", "-m", "one"]):
        subprocess.run(["git", "-C", str(root), *arguments], check=True)
    return root


def test_a_clean_checkout(checkout: Path) -> None:
    found = provenance(["pydantic"], checkout)
    assert found.git_commit is not None
    assert len(found.git_commit) == 40
    assert found.git_dirty is False
    assert set(found.versions) == {"python", "pydantic"}


def test_results_do_not_make_a_checkout_dirty_and_edits_do(checkout: Path) -> None:
    (checkout / "results.jsonl").touch()
    assert provenance([], checkout).git_dirty is False
    (checkout / "file").write_text("two")
    assert provenance([], checkout).git_dirty is True


def test_a_folder_inside_someone_elses_checkout_has_no_commit(checkout: Path) -> None:
    installed = checkout / "site-packages"
    installed.mkdir()
    found = provenance([], installed)
    assert (found.git_commit, found.git_dirty) == (None, None)


def test_a_folder_outside_any_checkout_has_no_commit(tmp_path: Path) -> None:
    assert provenance([], tmp_path.resolve()).git_commit is None


def test_a_package_that_is_not_there_is_said_so() -> None:
    assert package_version("no-such-package-anywhere") == "not installed"
