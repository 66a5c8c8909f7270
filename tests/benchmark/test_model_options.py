"""An agent with a chat model beside its decision model: whose option is whose."""

from pathlib import Path
from typing import Any

import pytest

from benchmark.chat_options import ChatOptions
from benchmark.decision_options import DecisionOptions
from benchmark.errors import UsageError
from benchmark.miniwob_worker import miniwob_setup
from benchmark.model_options import model_options
from benchmark.provenance import provenance

DEFAULTS: dict[str, Any] = {
    "base_url": None, "api_key_env": None, "temperature": 0.0, "api": "chat", "max_prompt_tokens": 2_800,
    "llm_cache": "off", "llm_cache_dir": Path("results/llm-cache"), "max_cost": None, "max_cost_episode": None,
    "prices": None,
}  # fmt: skip
HERE: dict[str, Any] = DEFAULTS | {"base_url": "http://127.0.0.1:1/v1", "temperature": 0.5}
CHAT = ChatOptions(model="m", base_url="http://127.0.0.1:1/v1", temperature=0.5)


def test_an_agent_with_one_model_has_all_the_options() -> None:
    assert model_options("react", "m", None, None, None, HERE) == (CHAT, None)
    assert model_options("jev", None, None, "scripted", None, DEFAULTS) == (None, DecisionOptions(name="scripted"))
    assert model_options("random", None, None, None, None, DEFAULTS) == (None, None)


def test_an_endpoint_is_the_chat_models_and_recordings_are_both_models() -> None:
    recorded = HERE | {"llm_cache": "record", "llm_cache_dir": Path("there")}
    chat = CHAT.model_copy(update={"llm_cache": "record", "llm_cache_dir": Path("there")})
    decision = DecisionOptions(name="sparrow", llm_cache="record", llm_cache_dir=Path("there"))
    assert model_options("cascade", "m", None, "sparrow", None, recorded) == (chat, decision)
    assert model_options("jev", None, "m", "sparrow", None, recorded) == (chat, decision)
    embedded = model_options("cascade", "m", None, "embedded", None, recorded)
    assert embedded == (chat, DecisionOptions(name="embedded"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("cascade", None, None, None, None), "The agent cascade needs a chat model"),
        (("cascade", "m", None, "logprobs", None), "choose another"),
        (("cascade", "m", "w", None, None), "--writer is for jev"),
        (
            ("react", "m", None, "sparrow", None),
            "--decision-model is for agents that ask a decision model: jev, cascade",
        ),
        (("jev", "x", "m", "sparrow", None), "--model has no meaning for the decision model sparrow"),
    ],
)
def test_what_has_no_meaning_is_refused(arguments: tuple[Any, ...], words: str) -> None:
    with pytest.raises(UsageError) as caught:
        model_options(*arguments, DEFAULTS)
    assert words in str(caught.value)


@pytest.mark.parametrize("agent", ["cascade", "jev"])
def test_both_models_are_in_the_settings_of_a_run(agent: str) -> None:
    writer = "m" if agent == "jev" else None
    model = None if agent == "jev" else "m"
    chat, decision = model_options(agent, model, writer, "scripted", None, HERE)
    config = miniwob_setup(agent, None, 3, False, provenance([]), chat, decision).settings["agent"]
    assert isinstance(config, dict)
    decides, chats = (config, config["writer"]) if agent == "jev" else (config["decision"], config)
    assert decides["model"] == "scripted-first-option"
    assert chats["model"] == "m"
    assert chats["endpoint"]["temperature"] == 0.5
