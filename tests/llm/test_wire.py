import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm.chat import ChatReply
from llm.decision import ModelCall
from llm.wire import Answer, Api, NotAnAnswer, read, simpler

# Keys that are read somewhere, so that chance finds its way past the first look.
KEYS = st.sampled_from(
    [
        "choices", "message", "content", "finish_reason", "refusal", "usage", "prompt_tokens", "completion_tokens",
        "cost", "prompt_tokens_details", "cached_tokens", "model", "output", "type", "text", "status",
        "incomplete_details", "reason",
    ]
)  # fmt: skip
WORDS = st.sampled_from(["message", "output_text", "text", "length", "stop", "incomplete", "failed", "refusal"])
TEXTS = st.text() | st.just("half of a surrogate pair: \ud83d")
LEAVES = st.none() | st.booleans() | st.integers() | st.just(10**400) | st.floats() | TEXTS | WORDS
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner), max_leaves=20)
CONTENTS = st.fixed_dictionaries({"content": TEXTS | VALUES}) | st.dictionaries(KEYS, VALUES)
MESSAGES = st.fixed_dictionaries({"message": CONTENTS, "finish_reason": VALUES})
BODIES = VALUES | st.fixed_dictionaries({"choices": st.tuples(MESSAGES).map(list), "usage": VALUES, "model": VALUES})


@given(api=st.sampled_from(["chat", "responses"]), body=BODIES)
def test_whatever_comes_is_an_answer_that_can_be_kept_or_none(api: Api, body: object) -> None:
    try:
        answer = read(api, body)
    except NotAnAnswer:
        return
    answer.text.encode()
    reply = ChatReply(text=answer.text, call=ModelCall(kind="chat", model=answer.model or "m", usage=answer.usage))
    assert ChatReply.model_validate_json(reply.model_dump_json()) == reply
    assert answer.ending != "whole" or answer.text.strip()
    assert answer.cost_usd is None or json.dumps(answer.cost_usd, allow_nan=False)


def chat(usage: object, model: object = "m-1") -> Answer:
    return read("chat", {"choices": [{"message": {"content": "Hi."}}], "usage": usage, "model": model})


@pytest.mark.parametrize("count", ["9", 9.0, True, -1, None, [9], 10**400])
def test_a_count_of_another_type_is_unknown(count: object) -> None:
    assert chat({"prompt_tokens": count}).usage.input_tokens is None


@pytest.mark.parametrize("cost", ["0.1", True, -0.1, float("nan"), float("inf"), None, 10**400])
def test_a_cost_that_is_no_amount_is_unknown(cost: object) -> None:
    assert chat({"cost": cost}).cost_usd is None


@pytest.mark.parametrize("cost", [0, 0.25])
def test_the_providers_cost_is_taken(cost: float) -> None:
    assert chat({"cost": cost}).cost_usd == cost


def test_no_usage_is_unknown_and_not_nothing() -> None:
    assert set(chat(None).usage.model_dump().values()) == {None}


def test_a_models_name_is_bounded() -> None:
    assert (chat({}, "m" * 999).model, chat({}, 3).model, chat({}, "").model) == ("m" * 200, None, None)


def test_an_answer_in_parts_is_joined() -> None:
    parts = [
        {"type": "thinking", "text": "hm"},
        {"type": "text", "text": 3},
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b"},
    ]
    assert read("chat", {"choices": [{"message": {"content": parts}}]}).text == "ab"


def test_each_way_to_ask_has_a_simpler_one_down_to_the_plain() -> None:
    assert (simpler("json_schema"), simpler("json_object"), simpler("plain")) == ("json_object", "plain", None)
