"""The WebArena command line before any browser starts: what is missing is one message and exit code 2."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmark.errors import UsageError
from benchmark.run_webarena import main
from benchmark.webarena.install import PYTHON_VARIABLE, evaluator_python
from benchmark.webarena.model import SITES
from benchmark.webarena.reset import VARIABLE as RESET
from benchmark.webarena.sites import VARIABLES

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _no_sites_and_no_browser(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BROWSER_EXECUTABLE", "/no/such/browser")
    monkeypatch.delenv(RESET, raising=False)
    for site in SITES:
        monkeypatch.delenv(VARIABLES[site], raising=False)


@pytest.fixture
def _evaluator() -> None:
    try:
        evaluator_python()
    except UsageError as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("options", [[], ["--preflight"], ["--dry-run"], ["--tasks", "full"]])
def test_without_evaluator_and_sites_one_message_names_all(
    options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(PYTHON_VARIABLE, "/no/such/python")
    monkeypatch.setenv("WA_MAP", "todo")
    assert main(options) == 2
    said = capsys.readouterr()
    [message] = said.err.splitlines()
    assert "webarena-verified is not installed for /no/such/python" in message
    assert "WA_SHOPPING, WA_SHOPPING_ADMIN, WA_REDDIT, WA_GITLAB, WA_WIKIPEDIA are not set" in message
    assert said.out == ""
    assert list(Path.cwd().iterdir()) == []


@pytest.mark.usefixtures("_evaluator")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "WebArena cannot run: WA_SHOPPING, WA_SHOPPING_ADMIN, WA_REDDIT, WA_GITLAB are not set"),
        (["--tasks", "site:gitlab", "--preflight"], "WebArena cannot run: WA_GITLAB is not set"),
        (["--tasks", "everything"], "No set of WebArena's is called 'everything'"),
        (["--max-steps", "0"], "--max-steps"),
        (["--login", "magic"], "--login"),
        (["--rescore", "."], "holds no answers to score"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_2(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(options) == 2
    [message] = capsys.readouterr().err.splitlines()
    assert words in message
    assert list(Path.cwd().iterdir()) == []


@pytest.mark.usefixtures("_evaluator")
def test_the_original_needs_its_package_and_its_judge_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("benchmark.webarena.original.PACKAGE", "no-such-package")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert main(["--evaluator", "original", "--tasks", "ids:22"]) == 2
    [message] = capsys.readouterr().err.splitlines()
    for words in ("WA_SHOPPING is not set", "no-such-package is not installed", "OPENAI_API_KEY is not set"):
        assert words in message


@pytest.mark.usefixtures("_evaluator")
def test_a_site_that_is_left_out_takes_its_tasks_along(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for site in SITES:
        monkeypatch.setenv(VARIABLES[site], "todo")
    assert main(["--tasks", "tiny"]) == 2
    assert "All 6 tasks need a site that is left out" in capsys.readouterr().err


def test_it_runs_as_a_script() -> None:
    """With benchmark/ first on the path, where a module of ours could hide another."""
    command = [sys.executable, str(ROOT / "benchmark" / "run_webarena.py"), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "--preflight" in done.stdout
