"""The command before any browser starts: what is wrong is one sentence, the way out, and exit 2."""

from pathlib import Path

import pytest

from benchmark.page.worker import check_url
from benchmark.run_page import main

URL = "http://127.0.0.1:8000/"


@pytest.fixture(autouse=True)
def _no_browser_and_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROWSER_EXECUTABLE", "/no/such/browser")
    for variable in ("OPENAI_API_KEY", "OPENROUTER_API_KEY", "TYPESAFE_API_KEY", "TYPESAFE_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["", "--goal", "x"], "'' is no address of a page; write it whole, such as http://"),
        ([URL, "--goal", " "], "There is no goal; say what is to be done"),
        ([URL], "--goal"),
        (["--goal", "x"], "Missing argument 'url'"),
        ([URL, "--goal", "x", "--agent", "nobody"], "No agent 'nobody'; there are jev"),
        ([URL, "--goal", "x", "--model", "nothing"], "--model has no meaning for the decision model embedded"),
        ([URL, "--goal", "x", "--decision-model", "nothing"], "No decision model 'nothing'; there are embedded,"),
        ([URL, "--goal", "x", "--decision-model", "openrouter"], "There is no key in OPENROUTER_API_KEY; set it"),
        ([URL, "--goal", "x", "--agent", "react", "--model", "m", "--threshold", "1"], "--threshold is for the agent"),
        ([URL, "--goal", "x", "--policy", "nothing=on"], "The policy has no switch 'nothing' here"),
        ([URL, "--goal", "x", "--agent", "react"], "give --model NAME and set its key, or --model local to run one"),
        ([URL, "--goal", "x", "--agent", "react", "--model", "m"], "There is no key in OPENAI_API_KEY; set it"),
        ([URL, "--goal", "x", "--base-url", URL], "--base-url has no meaning for the decision model embedded"),
        ([URL, "--goal", "x", "--max-steps", "0"], "--max-steps"),
        ([URL, "--goal", "x", "--actions", "all"], "--actions"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_2(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--out", str(tmp_path / "run")]) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert (said.err.count("\n"), said.out) == (1, "")
    assert not (tmp_path / "run").exists()


def test_without_a_browser_nothing_is_written_and_the_variable_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([URL, "--goal", "x", "--out", str(tmp_path / "run")]) == 1
    assert "BROWSER_EXECUTABLE is /no/such/browser" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_a_headless_shell_cannot_be_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shell = tmp_path / "chromium-headless-shell"
    shell.write_text("#!/bin/sh\n")
    shell.chmod(0o755)
    monkeypatch.setenv("BROWSER_EXECUTABLE", str(shell))
    assert main([URL, "--goal", "x", "--headed", "--out", str(tmp_path / "run")]) == 1
    said = capsys.readouterr().err
    assert "No browser here opens a window (a headless shell cannot): install Chromium or Google Chrome" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("url", ["http://a/", "https://a.org/b?c=d#e", "file:///tmp/a.html", "about:blank"])
def test_an_address_of_a_page_is_taken(url: str) -> None:
    assert check_url(url) == url


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("localhost:8000", "is no address of a page"),
        ("example.org", "is no address of a page"),
        ("http://", "is no address of a page"),
        ("javascript:alert(1)", "is no address of a page"),
        ("http://a:b/", "is no address; write one such as"),
        ("http://me:secret@a/", "holds a user name or password"),
    ],
)
def test_what_is_no_address_is_refused_without_repeating_a_password(
    url: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([url, "--goal", "x"]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert "secret" not in said
