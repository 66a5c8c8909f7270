"""Options of chat models on the command line: what is wrong is one sentence, before anything runs."""

from pathlib import Path
from typing import Any

import pytest

from benchmark.errors import UsageError
from benchmark.models.chat_options import ChatOptions, chat_options
from benchmark.run_miniwob import main


def test_the_options_of_an_agent_that_chats() -> None:
    assert chat_options("react", "m", base_url="http://127.0.0.1:1/v1", max_cost=2.0) == ChatOptions(
        model="m", base_url="http://127.0.0.1:1/v1", max_cost=2.0
    )
    assert chat_options("random", None, base_url=None, llm_cache="off") is None
    assert chat_options("jev", None, "w", max_cost=2.0) == ChatOptions(model="w", max_cost=2.0)


@pytest.mark.parametrize(
    ("model", "base_url", "local"), [("local", None, True), ("local", "http://h/v1", False), ("m", None, False)]
)
def test_local_is_a_model_of_our_own_unless_an_address_is_given(model: str, base_url: str | None, local: bool) -> None:
    assert ChatOptions(model=model, base_url=base_url).is_local is local


@pytest.mark.parametrize(
    ("agent", "model", "chosen", "words"),
    [
        (
            "jev",
            None,
            {"max_cost": 1.0},
            "--max-cost is for agents that ask a chat model: cascade, direct,",
        ),
        ("random", None, {"base_url": "http://h/v1"}, "--base-url is for agents that ask a chat model"),
        ("react", "m", {"writer": "w"}, "--writer is for jev; leave it out for react."),
        ("random", None, {"writer": "w"}, "--writer is for jev; leave it out for random."),
        ("jev", None, {"writer": "w", "max_cost": -1.0}, "--max-cost is -1"),
        ("react", None, {}, "The agent react needs a chat model; give --model NAME"),
        ("react", "m", {"max_cost": 0.0}, "--max-cost is 0; give dollars above 0"),
        ("react", "m", {"max_cost_episode": -1.0}, "--max-cost-episode is -1"),
        ("react", "m", {"max_cost": float("nan")}, "--max-cost is nan"),
        ("react", "m", {"max_prompt_tokens": 0}, "--max-prompt-tokens is 0"),
    ],
)
def test_what_has_no_meaning_is_refused(agent: str, model: str | None, chosen: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as caught:
        chat_options(agent, model, chosen.pop("writer", None), **chosen)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--agent", "react"], "give --model NAME"),
        (["--agent", "random", "--max-cost", "1"], "--max-cost is for agents"),
        (["--agent", "react", "--model", "m"], "There is no key in OPENAI_API_KEY; set it"),
        (["--agent", "react", "--model", "m", "--api-key-env", "MINE"], "There is no key in MINE"),
        (["--agent", "react", "--model", "m", "--base-url", "nowhere"], "The base URL is not an http or https address"),
        (["--agent", "react", "--model", "m", "--base-url", "http://me:secret@h/v1"], "The base URL holds a user"),
        (["--agent", "react", "--model", "m", "--base-url", "http://h/v1", "--prices", "none.toml"], "none.toml"),
        (["--agent", "react", "--model", "m", "--llm-cache", "sometimes"], "--llm-cache"),
        (["--agent", "react", "--model", "local", "--workers", "2", "--ray-address", "auto"], "on this machine alone"),
        (
            ["--agent", "planner", "--model", "local"],
            "make local-llm fetches a small one, or set LOCAL_MODEL",
        ),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_2(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("BROWSER_EXECUTABLE", "/no/such/browser")
    monkeypatch.setenv("BROWSER_AGENT_LAB_MODELS", str(tmp_path / "models"))
    for name in ("OPENAI_API_KEY", "MINE", "LOCAL_MODEL"):
        monkeypatch.delenv(name, raising=False)
    assert main([*arguments, "--out", str(tmp_path / "run")]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert "secret" not in said


def test_a_dry_run_needs_no_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    command = ["--agent", "react", "--model", "m", "--tasks", "click-test", "--dry-run", "--out", str(tmp_path / "new")]
    assert main(command) == 0
    assert capsys.readouterr().out == "1 of 1 episodes would run.\nclick-test: seeds 0\n"
