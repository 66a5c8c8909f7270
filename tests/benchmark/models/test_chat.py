"""A chat model from its options, before anything is asked of it."""

from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from benchmark.errors import UsageError
from benchmark.models.agent import opened_agent
from benchmark.models.chat import LOCAL_CONTEXT, OpenedChat, endpoint_of, reachable
from benchmark.models.chat_options import ChatOptions
from benchmark.records.rows import settings_hash
from llm.chat import ChatError, ChatRequest, Message
from llm.weights import weights_path

HERE = "http://127.0.0.1:1/v1"


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "LOCAL_MODEL"):
        monkeypatch.delenv(name, raising=False)


def config(**options: object) -> dict[str, object]:
    chat = ChatOptions.model_validate({"model": "m", "base_url": HERE} | options)
    agent, _ = opened_agent("react", chat, offered=("click",), allow_goal_credentials=True)
    return agent.config


def test_what_decides_answers_makes_another_experiment_and_nothing_else_does(tmp_path: Path) -> None:
    same = [
        config(), config(api_key_env="OTHER"), config(llm_cache="record", llm_cache_dir=tmp_path), config(max_cost=1.0)
    ]  # fmt: skip
    others = [
        config(model="n"), config(base_url="http://other/v1"), config(temperature=0.5), config(temperature=-1.0),
        config(api="responses"), config(max_prompt_tokens=900), config(max_cost_episode=1.0),
    ]  # fmt: skip
    assert len({settings_hash(each) for each in same}) == 1
    assert len({settings_hash(each) for each in (same[0], *others)}) == len(others) + 1


def test_a_local_model_that_is_not_served_is_nowhere() -> None:
    assert endpoint_of(ChatOptions(model="local")).base_url == "http://127.0.0.1:1/v1"


@pytest.mark.parametrize(
    ("named", "sent"), [(None, None), ("MY_KEY", "Bearer mine"), ("OPENAI_API_KEY", "Bearer openai")]
)
def test_a_key_for_openai_goes_to_no_other_address_unless_it_is_named(
    monkeypatch: pytest.MonkeyPatch, httpserver: HTTPServer, named: str | None, sent: str | None
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "openai")
    monkeypatch.setenv("MY_KEY", "mine")
    httpserver.expect_request("/v1/chat/completions").respond_with_data("", status=400)
    options = ChatOptions(model="m", base_url=httpserver.url_for("/v1"), api_key_env=named)
    with pytest.raises(ChatError):
        OpenedChat(options).model.complete(ChatRequest(messages=(Message(role="user", content="x"),)))
    assert {request.headers.get("Authorization") for request, _ in httpserver.log} == {sent}


def test_a_temperature_below_0_is_left_to_the_endpoint() -> None:
    assert endpoint_of(ChatOptions(model="m", temperature=-1.0)).temperature is None
    assert endpoint_of(ChatOptions(model="m")).temperature == 0.0


def test_a_local_model_is_the_same_wherever_it_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    local = ChatOptions(model="local")
    before, after = endpoint_of(local), endpoint_of(local.model_copy(update={"served_at": HERE}))
    assert (before.model, before.local, after.base_url) == (weights_path().stem, True, HERE)
    assert before.identity == after.identity
    monkeypatch.setenv("LOCAL_MODEL", "models/qwen.gguf")
    assert endpoint_of(local).model == "qwen"
    assert "models" not in str(endpoint_of(local).identity)


@pytest.mark.parametrize("options", [ChatOptions(model="local", llm_cache="replay"), None])
def test_nothing_is_served_where_nothing_is_asked(options: ChatOptions | None) -> None:
    with reachable(options) as ready:
        assert ready == options


def test_a_file_that_is_no_model_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(64))
    monkeypatch.setenv("LOCAL_MODEL", str(broken))
    with pytest.raises(UsageError) as caught, reachable(ChatOptions(model="local")):
        pass
    assert "broken.gguf" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_key_is_needed_only_where_one_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asks = ChatOptions(model="m")
    OpenedChat(asks)  # to know its settings
    with pytest.raises(UsageError, match="There is no key in OPENAI_API_KEY"), reachable(asks):
        pass
    for other in (ChatOptions(model="m", base_url=HERE), ChatOptions(model="m", llm_cache="replay")):
        with reachable(other) as ready:
            assert ready == other
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with reachable(asks) as ready:
        assert ready == asks


def test_a_model_of_our_own_is_shown_no_key(monkeypatch: pytest.MonkeyPatch, httpserver: HTTPServer) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    httpserver.expect_request("/v1/chat/completions").respond_with_json(
        {"choices": [{"finish_reason": "stop", "message": {"content": "yes"}}]}
    )
    local = ChatOptions(model="local", served_at=httpserver.url_for("/v1"))
    OpenedChat(local).model.complete(ChatRequest(messages=(Message(role="user", content="?"),)))
    assert "sk-planted" not in str(httpserver.log[-1][0].headers)


def test_a_key_that_is_none_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted\nsecond line")
    with pytest.raises(UsageError) as caught:
        OpenedChat(ChatOptions(model="m"))
    assert "OPENAI_API_KEY" in str(caught.value)
    assert "planted" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_the_local_servers_context_fits_the_default_prompt() -> None:
    from agent.react import MAX_ANSWER_TOKENS, MAX_PROMPT_TOKENS

    assert MAX_PROMPT_TOKENS + 2 * MAX_ANSWER_TOKENS < LOCAL_CONTEXT
