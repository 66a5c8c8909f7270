"""Decision models by name: what each needs, and what is said where it is not there."""

import sys
from pathlib import Path
from typing import Any

import pytest
from jevcompat.mock import MockConfig, Running

from agent.candidates import build_candidates
from agent.decision_models import (
    CLIENTS,
    DECISION_MODELS,
    AgentConfigError,
    ModelOptions,
    make_decision_client,
    make_decision_model,
    missing_key,
    resolved,
)
from agent.tick import Tick
from browser.observation import Box, InteractiveElement, Observation
from llm.cache import CachedDecisions
from llm.decision import ChoiceQuestion
from llm.endpoint import Endpoint
from llm.scripted import ScriptedDecisions

BOX = Box(x=0, y=0, width=10, height=10)
ELEMENTS = tuple(InteractiveElement(id=n, role="button", name=f"Go {n}", tag="button", box=BOX) for n in (1, 2))
PAGE = Observation(goal="Click Go 2", url="http://a/", title="t", elements=ELEMENTS)
TICK = Tick(
    goal=PAGE.goal, observation=PAGE, history=(), candidates=build_candidates(PAGE.goal, PAGE, (), ("click", "scroll"))
)
QUESTIONS = {"q": ChoiceQuestion(instructions="Which?", criteria={"a": None, "b": None})}
KEYS = ("TYPESAFE_API_KEY", "TYPESAFE_BASE_URL", "OPENROUTER_API_KEY", "OPENAI_API_KEY")


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", ["embedded", "sparrow", "scripted"])
def test_what_needs_nothing_decides(name: str) -> None:
    if name == "sparrow":
        pytest.importorskip("sparrow_decider")
    assert make_decision_model(name).decide(TICK).candidate in TICK.candidates


def test_auto_is_typesafe_where_its_key_is_set_and_else_embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert resolved("auto") == "embedded"
    monkeypatch.setenv("TYPESAFE_API_KEY", "")
    assert resolved("auto") == "embedded"
    monkeypatch.setenv("TYPESAFE_API_KEY", "ts-1")
    assert resolved("auto") == "typesafe"
    assert make_decision_model("auto").name == "typesafe:jev-1.13.0"
    assert [resolved(name) for name in DECISION_MODELS] == list(DECISION_MODELS)


def test_the_scripted_model_says_so_and_takes_the_first_option() -> None:
    client = make_decision_client("scripted")
    assert client.name == "scripted-first-option"
    assert client.ask("a page", QUESTIONS).answers["q"].choice == "a"


def test_typesafe_is_asked_where_the_environment_says_and_pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    with Running(MockConfig(key="ts-1")) as server:
        monkeypatch.setenv("TYPESAFE_API_KEY", "ts-1")
        monkeypatch.setenv("TYPESAFE_BASE_URL", server.url)
        decision = make_decision_model("typesafe").decide(TICK)
    assert decision.call is not None
    assert decision.call.model == "jevcompat-mock-0.1"


@pytest.mark.parametrize(("variable", "sent"), [(None, None), ("MINE", "mine-1")])
def test_typesafes_key_goes_to_no_other_address_unless_it_is_named(
    monkeypatch: pytest.MonkeyPatch, variable: str | None, sent: str | None
) -> None:
    monkeypatch.setenv("TYPESAFE_API_KEY", "ts-1")
    monkeypatch.setenv("MINE", "mine-1")
    faults = frozenset() if sent else frozenset({"auth-rejects-header"})
    with Running(MockConfig(key=sent, faults=faults)) as server:
        options = ModelOptions(base_url=server.url, key_variable=variable, model="mock")
        client = make_decision_client("typesafe", options)
        assert client.ask("a page", QUESTIONS).call.model == "jevcompat-mock-0.1"
    assert client.name == "typesafe:mock"


@pytest.mark.parametrize(
    ("name", "options", "environment", "variable"),
    [
        ("typesafe", {}, {}, "TYPESAFE_API_KEY"),
        ("typesafe", {}, {"OPENROUTER_API_KEY": "or-1"}, "TYPESAFE_API_KEY"),
        ("typesafe", {}, {"TYPESAFE_API_KEY": "ts-1"}, None),
        ("typesafe", {"base_url": "http://127.0.0.1:1"}, {}, None),
        ("typesafe", {"base_url": "http://127.0.0.1:1", "key_variable": "MINE"}, {}, "MINE"),
        ("typesafe", {}, {"TYPESAFE_BASE_URL": "http://127.0.0.1:1"}, None),
        ("openrouter", {}, {"TYPESAFE_API_KEY": "ts-1"}, "OPENROUTER_API_KEY"),
        ("openrouter", {}, {"OPENROUTER_API_KEY": "or-1"}, None),
        ("embedded", {}, {}, None),
        ("logprobs", {}, {}, None),
    ],
)
def test_a_key_that_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, options: dict[str, Any], environment: dict[str, str],
    variable: str | None,
) -> None:  # fmt: skip
    for key, value in environment.items():
        monkeypatch.setenv(key, value)
    assert missing_key(name, ModelOptions(**options)) == variable


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("nothing", {}, "No decision model 'nothing' is asked over a wire; there are typesafe, openrouter"),
        ("embedded", {}, "'embedded' is asked over a wire"),
        ("laya", {}, "name their folder with --model"),
        ("laya", {"model": "/no/such/weights"}, "No folder of Laya's weights is at /no/such/weights"),
        ("logprobs", {}, "name it with --model"),
        ("logprobs", {"endpoint": Endpoint(model="m", api="responses")}, "not from its Responses API"),
        ("typesafe", {"base_url": "https://openrouter.ai/api"}, "choose the decision model openrouter"),
        ("typesafe", {"base_url": "nowhere"}, "not an http or https address"),
        ("replay", {}, "name it with --llm-cache-dir"),
        ("replay", {"recordings": Path("/no/such/folder")}, "are recorded answers of none"),
    ],
)
def test_what_cannot_be_made_is_one_sentence(name: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(AgentConfigError) as caught:
        make_decision_client(name, ModelOptions(**options))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_key_of_the_other_service_is_refused_and_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TYPESAFE_API_KEY", "sk-or-planted")
    with pytest.raises(AgentConfigError, match="one of OpenRouter's") as caught:
        make_decision_client("typesafe")
    assert "planted" not in str(caught.value)


def test_a_missing_package_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "llm.sparrow", raising=False)
    monkeypatch.setitem(sys.modules, "sparrow_decider", None)
    with pytest.raises(AgentConfigError, match="DECISION_MODEL=sparrow, or pip install sparrow-decider"):
        make_decision_model("sparrow")


def test_replay_answers_from_a_recording_and_says_so(tmp_path: Path) -> None:
    scripted = ScriptedDecisions([{"q": "b"}], name="jev-like", max_options=7)
    recorded = CachedDecisions(scripted, "record", tmp_path).ask("a page", QUESTIONS)
    client = make_decision_client("replay", ModelOptions(recordings=tmp_path))
    assert (client.name, client.max_options) == ("replay:jev-like", 7)
    reply = client.ask("a page", QUESTIONS)
    assert (reply.answers, reply.call.replayed) == (recorded.answers, True)


def test_where_two_models_are_recorded_one_must_be_named(tmp_path: Path) -> None:
    for name in ("one", "two"):
        CachedDecisions(ScriptedDecisions([{}], name=name), "record", tmp_path).ask("a page", QUESTIONS)
    with pytest.raises(AgentConfigError, match="answers of one, two; name one"):
        make_decision_client("replay", ModelOptions(recordings=tmp_path))
    assert make_decision_client("replay", ModelOptions(recordings=tmp_path, model="two")).name == "replay:two"


def test_every_wire_model_says_who_it_is_without_a_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in KEYS:
        monkeypatch.setenv(name, "https://127.0.0.1" if name.endswith("URL") else "planted-key")
    options = ModelOptions(endpoint=Endpoint(model="m"), key_variable="OPENAI_API_KEY")
    for name in set(CLIENTS) - {"laya", "replay", "sparrow"}:
        client = make_decision_client(name, options)
        assert {"endpoint", "model"} <= set(client.identity)
        assert "planted" not in repr((client.name, client.identity))
