"""E1: DONE is a claim; what it is claimed on is kept, and a chat model writes the answer."""

import json
from collections.abc import Callable

import pytest

from agent.decision import DecisionAgent
from agent.decision_model import WireModel
from agent.finishing import EVIDENCE_CHARS, evidence, last_message, parse_message
from agent.parser import ParseError
from browser.actions import Finish
from browser.observation import Observation, TextBlock
from llm.chat import ChatError
from llm.scripted import ScriptedChat, ScriptedDecisions

MakePage = Callable[..., Observation]
TEXTS = (TextBlock(text="The total is 12 euros.", position=0), TextBlock(text="x" * 3_000, position=1))


def done(chat: ScriptedChat | None) -> DecisionAgent:
    return DecisionAgent(WireModel(ScriptedDecisions([{"operation": "DONE"}])), writer=chat)


def test_the_chat_model_answers_from_the_page_and_the_excerpt_is_kept(page: MakePage) -> None:
    """E1"""
    chat = ScriptedChat([json.dumps({"message": "It costs 12 euros."})])
    step = done(chat).step(page(texts=TEXTS))
    assert step.action == Finish(message="It costs 12 euros.")
    assert step.evidence.startswith("The total is 12 euros.\nxxx")
    assert len(step.evidence) == EVIDENCE_CHARS
    assert [call.kind for call in step.calls] == ["decision", "finish"]
    asked = chat.requests[0].messages[1].content
    assert "The total is 12 euros." in asked.split("</page>")[0]
    assert "x" * 2_000 in asked  # more than the excerpt: all that the observation holds


def test_without_a_chat_model_the_claim_has_no_answer_and_keeps_its_excerpt(page: MakePage) -> None:
    step = done(None).step(page(texts=TEXTS))
    assert step.action == Finish(message="")
    assert step.evidence == evidence(page(texts=TEXTS))


def test_answers_of_no_use_leave_the_message_empty_and_are_charged(page: MakePage) -> None:
    message, calls = last_message(ScriptedChat(["no", "no"]), page(), ())
    assert (message, [call.kind for call in calls]) == ("", ["finish", "finish"])


def test_a_dead_endpoint_is_charged_with_the_decision(page: MakePage) -> None:
    with pytest.raises(ChatError) as caught:
        done(ScriptedChat([])).step(page())
    assert [call.kind for call in caught.value.calls] == ["decision"]


@pytest.mark.parametrize("answer", ["", "[]", '{"message": ""}', '{"message": 3}', '{"message": "a", "b": 1}'])
def test_a_message_is_exactly_one_text(answer: str) -> None:
    with pytest.raises(ParseError):
        parse_message(answer)
