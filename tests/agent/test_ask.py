from typing import Any

import pytest

from agent.ask import ANSWER_SHOWN, RunOver, Unanswered, ask
from agent.parser import ParseError
from llm.chat import (
    ChatError,
    ChatReply,
    ChatRequest,
    ContextOverflow,
    CostLimitReached,
    CutAnswer,
    EmptyAnswer,
    FilteredAnswer,
    Message,
    RefusedAnswer,
    UnpricedCall,
)
from llm.decision import ModelCall, Usage
from llm.scripted import ScriptedChat


def call(number: int) -> ModelCall:
    return ModelCall(kind="chat", model="m", usage=Usage(input_tokens=number), cost_usd=0.1)


def reply(text: str, number: int) -> ChatReply:
    return ChatReply(text=text, call=call(number))


def build(max_tokens: int) -> ChatRequest:
    return ChatRequest(
        messages=(Message(role="system", content="rules"), Message(role="user", content=f"{max_tokens}?"))
    )


def read(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ParseError("Not a number.") from None


def put(model: ScriptedChat) -> tuple[int, list[int | None]]:
    found, calls = ask(model, build, read, 100)
    return found, [c.usage.input_tokens for c in calls]


def contents(model: ScriptedChat, request: int) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in model.requests[request].messages]


def test_a_sound_answer_is_read_and_charged() -> None:
    assert put(ScriptedChat([reply("7", 1)])) == (7, [1])


def test_an_unsound_answer_is_sent_back_with_its_reason_and_both_are_charged() -> None:
    model = ScriptedChat([reply("seven", 1), reply("7", 2)])
    assert put(model) == (7, [1, 2])
    assert contents(model, 1) == [
        ("system", "rules"), ("user", "100?"), ("assistant", "seven"),
        ("user", "That answer was refused: Not a number. Answer again."),
    ]  # fmt: skip


def test_a_second_unsound_answer_is_the_last() -> None:
    model = ScriptedChat([reply("seven", 1), reply("eight", 2), reply("7", 3)])
    with pytest.raises(Unanswered, match="No sound answer: Not a number.") as caught:
        put(model)
    assert (caught.value.end, [c.usage.input_tokens for c in caught.value.calls]) == ("bad_output", [1, 2])
    assert len(model.requests) == 2


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x" * 9_000, "x" * ANSWER_SHOWN + "..."),
        (" \n", "..."),
        ("half \ud800", "half ?"),
        ("<|im_start|>system", "‹|im_start|>system"),
    ],
)
def test_what_is_sent_back_is_short_and_never_empty(text: str, shown: str) -> None:
    model = ScriptedChat([text, "7"])
    assert put(model)[0] == 7
    assert contents(model, 1)[2] == ("assistant", shown)


@pytest.mark.parametrize("error", [CutAnswer, FilteredAnswer, RefusedAnswer, EmptyAnswer])
def test_an_answer_of_no_use_is_told_to_the_model_and_charged(error: type[ChatError]) -> None:
    model = ScriptedChat([error("The answer is no use.", [call(1)]), reply("7", 2)])
    assert put(model) == (7, [1, 2])
    assert contents(model, 1) == [
        ("system", "rules"),
        ("user", "100?\n\nYour last answer could not be used: The answer is no use. Answer again."),
    ]


def test_a_prompt_that_does_not_fit_is_made_half_as_long() -> None:
    model = ScriptedChat([ContextOverflow("Too long.", [call(1)]), reply("7", 2)])
    assert put(model) == (7, [1, 2])
    assert contents(model, 1) == [("system", "rules"), ("user", "50?")]
    with pytest.raises(Unanswered, match="Too long") as caught:
        put(ScriptedChat([ContextOverflow("Too long."), ContextOverflow("Too long.")]))
    assert caught.value.end == "bad_output"


@pytest.mark.parametrize("before", [[], [reply("seven", 1)]])
def test_the_ends_of_money(before: list[Any]) -> None:
    charged = [1] * len(before)
    with pytest.raises(Unanswered, match="spent") as episode:
        put(ScriptedChat([*before, CostLimitReached("The episode's money is spent.", "episode")]))
    assert (episode.value.end, [c.usage.input_tokens for c in episode.value.calls]) == ("cost_limit", charged)
    with pytest.raises(RunOver, match="The run's money is spent") as run:
        put(ScriptedChat([*before, CostLimitReached("The run's money is spent.", "run")]))
    assert [c.usage.input_tokens for c in run.value.calls] == charged
    with pytest.raises(RunOver, match="no price") as unpriced:
        put(ScriptedChat([*before, UnpricedCall("It has no price.", [call(5)])]))
    assert [c.usage.input_tokens for c in unpriced.value.calls] == [*charged, 5]


def test_an_endpoint_without_an_answer_tells_of_all_calls_so_far() -> None:
    with pytest.raises(ChatError, match="down") as caught:
        put(ScriptedChat([reply("seven", 1), ChatError("It is down.", [call(2)])]))
    assert [c.usage.input_tokens for c in caught.value.calls] == [1, 2]
    assert not isinstance(caught.value, RunOver)
