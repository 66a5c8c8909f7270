"""The client against llama.cpp's server with a small real model: the form of what it says, never its sense."""

import json
from pathlib import Path
from typing import Any

import pytest

from llm.cache import CachedChat
from llm.chat import ChatError, ChatRequest, ContextOverflow, CutAnswer, Message, UnusableAnswer
from llm.client import ChatClient
from llm.endpoint import Endpoint
from llm.weights import weights_path
from llm.wire import Api

SCHEMA = {
    "type": "object",
    "properties": {
        "reason": {"type": "string", "maxLength": 20},
        "action": {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {"type": {"const": "click"}, "element_id": {"enum": [3, 17, 42]}},
                    "required": ["type", "element_id"],
                    "additionalProperties": False,
                },
                {
                    "type": "object",
                    "properties": {"type": {"const": "go_back"}},
                    "required": ["type"],
                    "additionalProperties": False,
                },
            ]
        },
    },
    "required": ["reason", "action"],
    "additionalProperties": False,
}
RULES = "You choose one element of a page and answer in JSON. " * 8


def ask(text: str = "Say hello.", schema: dict[str, Any] | None = None, limit: int = 200) -> ChatRequest:
    messages = (Message(role="system", content=RULES), Message(role="user", content=text))
    return ChatRequest(messages=messages, json_schema=schema, max_output_tokens=limit)


@pytest.fixture
def model(local_llm: str, planted_key: str) -> ChatClient:
    endpoint = Endpoint(model=weights_path().stem, base_url=local_llm, local=True, seed=1, key_variable="LLM_SERVE_KEY")
    return ChatClient(endpoint, planted_key)


def with_key(model: ChatClient, key: str | None, **fields: Any) -> ChatClient:
    return ChatClient(model.endpoint.model_copy(update=fields), key)


@pytest.mark.parametrize("text", ["Press the button 17.", "Go back.", "¿Qué? 👍 \ud83d"])
def test_an_answer_is_forced_into_the_schema(model: ChatClient, text: str) -> None:
    answer = json.loads(model.complete(ask(text, SCHEMA)).text)
    assert list(answer) == ["reason", "action"]
    assert len(answer["reason"]) <= 20
    assert answer["action"]["type"] == "go_back" or answer["action"]["element_id"] in (3, 17, 42)
    assert model.structured == "json_schema"


def test_tokens_are_counted_and_the_same_beginning_comes_from_the_cache(model: ChatClient) -> None:
    model.complete(ask("Press One.", SCHEMA))
    call = model.complete(ask("Press Two.", SCHEMA)).call
    usage = call.usage
    assert usage.input_tokens is not None
    assert usage.output_tokens is not None
    assert usage.cached_tokens is not None
    assert 60 < usage.cached_tokens < usage.input_tokens < 200
    assert 10 < usage.output_tokens < 200
    assert (call.model, call.cost_usd, call.cost_source) == (weights_path().stem, 0.0, "local server")
    assert call.latency_ms > 0


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_an_answer_at_its_limit_is_cut(model: ChatClient, planted_key: str, api: Api) -> None:
    with pytest.raises(CutAnswer, match="5 tokens") as caught:
        with_key(model, planted_key, api=api).complete(ask("Tell a long story.", limit=5))
    assert [call.usage.output_tokens for call in caught.value.calls] == [5]


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_a_prompt_beyond_the_context_is_not_cut_in_silence(model: ChatClient, planted_key: str, api: Api) -> None:
    with pytest.raises(ContextOverflow):
        with_key(model, planted_key, api=api).complete(ask("word " * 1000, SCHEMA))


def test_the_responses_api_answers(model: ChatClient, planted_key: str) -> None:
    try:
        text = with_key(model, planted_key, api="responses").complete(ask("Say hi.", limit=100)).text
    except CutAnswer:
        return  # it may talk on
    assert text.strip()


@pytest.mark.parametrize(("key", "part"), [(None, "asks for a key"), ("sk-wrong-0451", "refuses the key")])
def test_a_missing_or_wrong_key_is_told(model: ChatClient, key: str | None, part: str) -> None:
    with pytest.raises(ChatError, match=rf"{part}.*LLM_SERVE_KEY") as caught:
        with_key(model, key).complete(ask())
    assert not isinstance(caught.value, UnusableAnswer)
    assert "0451" not in str(caught.value)


def test_a_schema_that_is_refused_leads_to_plain_json(model: ChatClient) -> None:
    """llama.cpp refuses a schema that it cannot make a grammar of, and takes a request for any JSON."""
    answer = model.complete(ask('Answer {"x": 1}', {"type": "nonsense"}, limit=100))
    assert json.loads(answer.text) is not None
    assert model.structured == "json_object"


def test_what_the_server_refuses_is_told_with_its_status(model: ChatClient, planted_key: str) -> None:
    with pytest.raises(ChatError, match="refuses the request .400."):
        with_key(model, planted_key, temperature="warm").complete(ask())


def test_a_recorded_answer_needs_no_server_and_no_key(model: ChatClient, tmp_path: Path) -> None:
    recorded = CachedChat(model, "record", tmp_path, model.endpoint.identity).complete(ask("Press 3.", SCHEMA))
    elsewhere = model.endpoint.model_copy(update={"base_url": "http://127.0.0.1:1/v1"})
    replayed = CachedChat(ChatClient(elsewhere), "replay", tmp_path, elsewhere.identity).complete(
        ask("Press 3.", SCHEMA)
    )
    assert replayed.text == recorded.text
    assert replayed.call.usage == recorded.call.usage
    assert replayed.call.replayed
