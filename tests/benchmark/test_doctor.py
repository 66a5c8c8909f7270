"""The doctor's checks, each in a healthy and in a broken place, and the command as a user runs it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmark import doctor
from benchmark.doctor import check_browser, check_key, check_local_model, check_packages, check_python, check_results
from benchmark.records.provenance import ROOT


@pytest.mark.parametrize(
    ("version", "state"), [((3, 10), "missing"), ((3, 11), "ok"), ((3, 12), "ok"), ((3, 13), "missing")]
)
def test_python(version: tuple[int, int], state: str) -> None:
    check = check_python(version)
    assert check.state == state
    assert bool(check.way_out) == (state != "ok")


def test_packages_are_those_of_the_constraints() -> None:
    assert [check for check in check_packages(ROOT / "constraints.txt") if check.state != "ok"] == []


def test_a_package_of_another_version_is_told(tmp_path: Path) -> None:
    text = re.sub(r"(?m)^(pydantic|greenlet)==.*", r"\1==0.1", (ROOT / "constraints.txt").read_text())
    constraints = tmp_path / "constraints.txt"
    constraints.write_text(text)
    told = {check.what: check for check in check_packages(constraints) if check.state != "ok"}
    assert told.keys() == {"pydantic", "other packages"}
    assert told["pydantic"].state == "note"
    assert told["pydantic"].found.endswith("tested with 0.1")
    assert told["other packages"].found.startswith("greenlet ")


def test_a_project_that_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "DISTRIBUTION", "no-such-distribution")
    first = next(check_packages(ROOT / "constraints.txt"))
    assert (first.state, first.found, first.way_out) == ("missing", "not installed", "Run make setup.")


@pytest.mark.parametrize("named", ["/no/such/browser", "/bin/false"])
def test_a_browser_that_does_not_run(monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    monkeypatch.setenv("BROWSER_EXECUTABLE", named)
    check = check_browser()
    assert check.state == "missing"
    assert named in check.found
    assert "make setup" in check.way_out


def test_a_browser_that_answers_and_does_not_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "browser"
    path.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Chromium 7 && exit\nexit 1\n')
    path.chmod(0o755)
    monkeypatch.setenv("BROWSER_EXECUTABLE", str(path))
    check = check_browser()
    assert (check.state, "did not start" in check.found) == ("missing", True)


def test_results_are_checked_by_writing(tmp_path: Path) -> None:
    assert check_results(tmp_path / "new" / "folder").state == "ok"
    file = tmp_path / "file"
    file.write_text("in the way")
    check = check_results(file)
    assert check.state == "missing"
    assert "OUT=" in check.way_out
    assert file.read_text() == "in the way"
    assert [path.name for path in (tmp_path / "new" / "folder").iterdir()] == []


def test_a_key_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TYPESAFE_API_KEY", "secret-value")
    check = check_key("TYPESAFE_API_KEY")
    assert check.found == "set"
    assert "secret-value" not in check.model_dump_json()
    monkeypatch.delenv("TYPESAFE_API_KEY")
    assert check_key("TYPESAFE_API_KEY").found.startswith("not set")


def test_a_local_model_is_said_to_be_there_or_how_to_get_one(tmp_path: Path) -> None:
    path = tmp_path / "small.gguf"
    none = check_local_model(path)
    assert (none.state, none.found) == ("ok", f"none at {path}, not needed")
    assert "make local-llm" in none.way_out
    path.write_bytes(bytes(2_000_000))
    assert check_local_model(path).found == f"{path}, 2 MB"


@pytest.mark.parametrize(("browser", "code", "last"), [(None, 0, "Ready"), ("/no/such/browser", 1, "Not ready")])
def test_the_command(browser: str | None, code: int, last: str) -> None:
    environment = os.environ | ({"BROWSER_EXECUTABLE": browser} if browser else {}) | {"OPENAI_API_KEY": "secret-value"}
    done = subprocess.run(
        [sys.executable, "-m", "benchmark.doctor"], env=environment, cwd=ROOT,
        capture_output=True, text=True, timeout=90, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith(last)
    assert "secret-value" not in done.stdout + done.stderr
