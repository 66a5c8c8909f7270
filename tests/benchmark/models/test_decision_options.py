"""Options of decision models on the command line: what is wrong is one sentence, before anything runs."""

from pathlib import Path
from typing import Any

import pytest
from jevcompat.mock import MockConfig, Running

from agent.decision_models import DECISION_MODELS
from benchmark.errors import UsageError
from benchmark.models.chat_options import ChatOptions
from benchmark.models.decision import OpenedDecisions, decidable
from benchmark.models.decision_options import TAKES, DecisionOptions, decision_options
from benchmark.run_miniwob import main

KEYS = ("TYPESAFE_API_KEY", "TYPESAFE_BASE_URL", "OPENROUTER_API_KEY", "OPENAI_API_KEY", "MINE", "LOCAL_MODEL")


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BROWSER_EXECUTABLE", "/no/such/browser")
    monkeypatch.setenv("BROWSER_AGENT_LAB_MODELS", str(tmp_path / "models"))
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


def test_the_options_of_an_agent_that_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    assert decision_options("jev", None, None) == DecisionOptions(name="embedded")
    assert decision_options("react", None, "m", base_url="http://h/v1") is None
    assert decision_options("jev", "typesafe", "jev-latest", decision_deadline=9.0) == DecisionOptions(
        name="typesafe", model="jev-latest", decision_deadline=9.0
    )
    assert decision_options("jev", "embedded:a/w.npz", None) == DecisionOptions(name="embedded", model="a/w.npz")
    monkeypatch.setenv("TYPESAFE_API_KEY", "ts-1")
    assert decision_options("jev", "auto", None) == DecisionOptions(name="typesafe")


def test_the_chat_model_of_logprobs_is_told_as_any_chat_model() -> None:
    chosen: dict[str, Any] = {"base_url": "http://h/v1", "api_key_env": "MINE", "temperature": 0.0, "api": "chat"}
    options = decision_options("jev", "logprobs", "m", **chosen)
    assert options is not None
    assert options.chat == ChatOptions(model="m", base_url="http://h/v1", api_key_env="MINE")
    opened = OpenedDecisions(options)
    assert opened.model.name == "logprobs:m"
    assert opened.identity == {
        "endpoint": "h/v1", "model": "m", "api": "logprobs", "temperature": 0.0, "seed": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--agent", "random", "--decision-model", "sparrow"], "--decision-model is for agents that ask a decision"),
        (["--agent", "react", "--model", "m", "--decision-deadline", "3"], "--decision-deadline is for agents"),
        (["--decision-model", "gpt"], "No decision model 'gpt'; there are embedded, embedded-rules"),
        (["--decision-model", "embedded:none.npz"], "The weights in none.npz cannot be read"),
        (["--decision-model", "embedded-rules:none.npz"], "embedded-rules has no weights"),
        (["--decision-model", "sparrow:small"], "No decision model 'sparrow:small'"),
        (["--model", "sparrow"], "give --decision-model sparrow."),
        (["--model", "m"], "--model has no meaning for the decision model embedded; of the decision models it is for"),
        (["--max-cost", "1"], "--max-cost has no meaning for the decision model embedded; it is for agents that chat"),
        (["--llm-cache", "record"], "--llm-cache has no meaning for the decision model embedded"),
        (["--decision-model", "openrouter", "--base-url", "http://h"], "--base-url has no meaning for the decision"),
        (["--decision-model", "scripted", "--llm-cache", "replay"], "--llm-cache has no meaning"),
        (["--decision-model", "logprobs"], "give --model NAME, or --model local"),
        (["--decision-model", "logprobs", "--model", "m"], "There is no key in OPENAI_API_KEY"),
        (["--decision-model", "logprobs", "--model", "m", "--api", "responses"], "--api has no meaning"),
        (["--decision-model", "logprobs", "--model", "m", "--base-url", "nowhere"], "not an http or https address"),
        (["--decision-model", "logprobs", "--model", "local"], "make local-llm fetches a small one"),
        (["--decision-model", "typesafe"], "There is no key in TYPESAFE_API_KEY; set it, or choose another"),
        (["--decision-model", "openrouter"], "There is no key in OPENROUTER_API_KEY"),
        (["--decision-model", "typesafe", "--base-url", "https://me:secret@h"], "The base URL holds a user"),
        (["--decision-model", "typesafe", "--prices", "none.toml"], "none.toml"),
        (["--decision-model", "typesafe", "--decision-deadline", "0"], "--decision-deadline is 0"),
        (["--decision-model", "laya"], "name their folder with --model"),
        (["--decision-model", "replay", "--llm-cache-dir", "/no/such"], "are recorded answers of none"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_2(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = [] if "--agent" in arguments else ["--agent", "jev"]
    assert main([*agent, *arguments, "--tasks", "click-test", "--out", str(tmp_path / "run")]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert "secret" not in said


@pytest.mark.parametrize("name", ["typesafe", "openrouter"])
def test_neither_a_dry_run_nor_a_replay_needs_a_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    command = ["--agent", "jev", "--decision-model", name, "--tasks", "click-test", "--dry-run"]
    assert main([*command, "--out", str(tmp_path / "new")]) == 0
    assert capsys.readouterr().out == "1 of 1 episodes would run.\nclick-test: seeds 0\n"
    with decidable(DecisionOptions(name=name, llm_cache="replay")) as options:
        assert options is not None
    with pytest.raises(UsageError, match="no key"), decidable(DecisionOptions(name=name)):
        pass


def test_every_decision_model_says_which_options_it_takes_and_has_its_row_in_the_docs() -> None:
    assert set(TAKES) == set(DECISION_MODELS)
    page = (Path(__file__).parents[3] / "docs" / "decision-models.md").read_text(encoding="utf-8")
    rows = [line.split("`")[1] for line in page.split("| option |")[0].splitlines() if line.startswith("| `")]
    assert sorted(rows) == sorted(DECISION_MODELS)
    assert all(f"--{option.replace('_', '-')}" in page for options in TAKES.values() for option in options)


def test_a_service_that_gives_no_decision_is_refused_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE", "planted-key")
    with Running(MockConfig(key="another")) as server:
        arguments = ["--base-url", server.url, "--api-key-env", "MINE", "--out", str(tmp_path / "run")]
        assert main(["--agent", "jev", "--decision-model", "typesafe", "--tasks", "click-test", *arguments]) == 2
        assert not (tmp_path / "run" / "steps.jsonl").exists() or not (tmp_path / "run" / "steps.jsonl").read_text()
    said = capsys.readouterr().err
    assert "The decision model typesafe:jev-1.13.0 cannot be asked: 127.0.0.1:" in said
    assert "refuses the key in MINE (401)" in said
    assert "planted" not in said


def test_a_service_that_answers_badly_is_left_to_the_run() -> None:
    with Running(MockConfig(faults=frozenset({"choice-sum"}))) as server:
        options = DecisionOptions(name="typesafe", base_url=server.url)
        with decidable(options) as ready:
            assert ready == options
