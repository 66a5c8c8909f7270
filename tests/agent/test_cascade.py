"""A cascade acts as its decision agent at threshold 0, as its chat agent above 1, and in between by the probability."""

from collections.abc import Callable
from typing import Any

import pytest

from agent.agent import AgentStep
from agent.cascade import CascadeAgent
from agent.decision import DecisionAgent
from agent.decision_model import WireModel
from agent.react import ReActAgent
from browser.actions import Click, Wait
from browser.observation import Observation
from llm.chat import ChatError, ChatRequest
from llm.scripted import Script, ScriptedChat, ScriptedDecisions

MakePage = Callable[..., Observation]
Answer = Callable[..., str]
BAD: Script = {"operation": "NOTHING"}
# What the decision model answers on the pages of an episode; a WAIT has one target, a CLICK has three.
DECISIONS: list[Script] = [
    {"operation": "CLICK", "target_CLICK": "1"},
    {"operation": "WAIT"},
    BAD,
    BAD,
    {"operation": "DONE"},
]


def decider(answers: list[Script] | None = None, doubt: float = 0.1) -> DecisionAgent:
    return DecisionAgent(WireModel(ScriptedDecisions(DECISIONS if answers is None else answers, doubt=doubt)))


def talker(answer: Answer) -> tuple[ReActAgent, ScriptedChat]:
    """Clicks 1, types, clicks 2, by how much of the past it is told."""

    def reply(request: ChatRequest) -> str:
        told = request.messages[1].content.split("<page>")[0].count(" -> ")
        actions = [
            ("click", {"element_id": 1}),
            ("type", {"element_id": 2, "text": "Ada"}),
            ("click", {"element_id": 2}),
        ]
        name, fields = actions[told % len(actions)]
        return answer(name, **fields)

    model = ScriptedChat(reply)
    return ReActAgent(model), model


def played(agent: Any, pages: list[Observation]) -> list[dict[str, Any]]:
    """Return the steps on these pages without their times."""
    agent.reset()
    steps: list[AgentStep] = [agent.step(page) for page in pages]
    return [_timeless(step.model_dump()) for step in steps]


def _timeless(step: dict[str, Any]) -> dict[str, Any]:
    return step | {"calls": [call | {"latency_ms": 0} for call in step["calls"]], "decide_ms": 0}


@pytest.fixture
def pages(page: MakePage) -> list[Observation]:
    return [page("a"), page("b"), page("b", last_action_error="It is covered."), page("c", elements=())]


def test_at_0_every_step_is_the_decision_agents_one(pages: list[Observation], answer: Answer) -> None:
    chat, model = talker(answer)
    subject = CascadeAgent(decider(), chat, 0.0)
    assert played(subject, pages) == played(decider(), pages)
    assert model.requests == []


def test_above_1_every_step_is_the_chat_agents_one(pages: list[Observation], answer: Answer) -> None:
    chat, asked = talker(answer)
    alone, expected = talker(answer)
    unasked = ScriptedDecisions([])
    subject = CascadeAgent(DecisionAgent(WireModel(unasked)), chat, 1.01)
    assert played(subject, pages) == played(alone, pages)
    assert asked.requests == expected.requests
    assert unasked.requests == []


def test_between_the_probability_of_operation_and_target_says_who_acts(page: MakePage, answer: Answer) -> None:
    """Q5"""
    chat, asked = talker(answer)
    subject = CascadeAgent(decider(doubt=0.1), chat, 0.85)  # CLICK 0.9 * 0.9, WAIT 0.9
    first = subject.step(page("a"))
    assert (first.action, first.reason) == (Click(element_id=1), "because")
    assert first.detail is not None
    assert (first.detail.operation, first.detail.taken) == ("CLICK", False)
    assert [call.kind for call in first.calls] == ["decision", "chat"]
    second = subject.step(page("b"))
    assert second.action == Wait()
    assert second.detail is not None
    assert second.detail.taken
    assert [call.kind for call in second.calls] == ["decision"]
    assert len(asked.requests) == 1


def test_the_threshold_itself_is_sure_enough(page: MakePage, answer: Answer) -> None:
    waits: list[Script] = [{"operation": "WAIT"}]
    for threshold, taken in ((0.75, True), (0.7500001, False)):
        step = CascadeAgent(decider(waits, doubt=0.25), talker(answer)[0], threshold).step(page())
        assert step.detail is not None
        assert step.detail.taken is taken


def test_both_know_what_the_other_did(page: MakePage, answer: Answer) -> None:
    chat, asked = talker(answer)
    decisions = ScriptedDecisions([{"operation": "WAIT"}, {"operation": "CLICK", "target_CLICK": "1"}, {}])
    subject = CascadeAgent(DecisionAgent(WireModel(decisions)), chat, 0.85)
    for key in "abc":
        subject.step(page(key))
    assert "1. wait -> the page changed" in asked.requests[0].messages[1].content
    state = decisions.requests[2][0]
    assert "Done 1: WAIT -> the page changed" in state
    assert 'Done 2: TYPE "Ada" textbox "Name" -> the page changed' in state
    subject.reset()
    with pytest.raises(Exception, match="asked once more"):
        subject.step(page("d"))
    assert "Done: nothing yet" in decisions.requests[-1][0]


def test_where_there_is_no_usable_decision_the_chat_is_asked_and_both_are_charged(
    page: MakePage, answer: Answer
) -> None:
    step = CascadeAgent(decider([BAD, BAD]), talker(answer)[0], 0.1).step(page())
    assert (step.action, step.detail) == (Click(element_id=1), None)
    assert [call.kind for call in step.calls] == ["decision", "decision", "chat"]


def test_a_dead_chat_endpoint_is_charged_with_the_decision_before_it(page: MakePage) -> None:
    subject = CascadeAgent(decider(), ReActAgent(ScriptedChat([])), 0.99)
    with pytest.raises(ChatError) as caught:
        subject.step(page())
    assert [call.kind for call in caught.value.calls] == ["decision"]


@pytest.mark.parametrize("threshold", [-0.1, float("nan")])
def test_what_is_no_threshold_is_refused(threshold: float, answer: Answer) -> None:
    with pytest.raises(ValueError, match="The threshold is"):
        CascadeAgent(decider(), talker(answer)[0], threshold)


def test_the_config_says_all_that_decides(answer: Answer) -> None:
    config = CascadeAgent(decider(), talker(answer)[0], 0.25).config
    assert (config["agent"], config["model"], config["threshold"]) == ("cascade", "scripted-chat", 0.25)
    assert config["decision"]["model"] == "scripted"
