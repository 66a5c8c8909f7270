"""T1, T3, S1: where the decision agent's texts come from, and what is recorded where there is none."""

import json
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from agent.agent import WithoutText
from agent.decision import DecisionAgent
from agent.decision_model import WireModel
from agent.policy import Policy
from browser.actions import Click, Finish, Type
from browser.observation import Box, InteractiveElement, Observation
from llm.chat import ChatError, ChatRequest, CostLimitReached
from llm.scripted import Script, ScriptedChat, ScriptedDecisions

BOX = Box(x=0, y=0, width=10, height=10)
GO = InteractiveElement(id=1, role="button", name="Send", box=BOX)
REPLY = InteractiveElement(id=2, role="textbox", name="Reply", tag="textarea", editable=True, filled=False, box=BOX)
SECRET = REPLY.model_copy(update={"id": 3, "name": "Password", "credential": True})
NAME = REPLY.model_copy(update={"id": 4, "name": "Name", "tag": "input"})
OFFERED = ("click", "type", "finish")
TYPED: Script = {"operation": "TYPE", "target_TYPE": "2"}


def page(
    *elements: InteractiveElement, goal: str = "Thank Ada politely", key: str = "a", url: str = "http://a/"
) -> Observation:
    return Observation(goal=goal, url=url, title="", elements=(GO, *elements), page_key=key)


def jev(
    answers: list[Script], chat: ScriptedChat | None = None, **policy: Any
) -> tuple[DecisionAgent, ScriptedDecisions]:
    client = ScriptedDecisions(answers)
    return DecisionAgent(WireModel(client), OFFERED, policy=Policy(**policy), writer=chat), client


def says(*texts: str | None) -> ScriptedChat:
    return ScriptedChat([json.dumps({"text": text}) for text in texts])


def test_a_text_that_goal_and_page_lack_is_the_writers() -> None:
    agent, client = jev([TYPED], says("Thank you, Ada."), prefetch=False)
    step = agent.step(page(REPLY))
    assert step.action == Type(element_id=2, text="Thank you, Ada.")
    assert step.reason == 'TYPE "Thank you, Ada." into [2] textbox "Reply"'
    assert step.detail is not None
    assert (step.detail.text_source, step.detail.without_text) == ("writer", ())
    assert [call.kind for call in step.calls] == ["decision", "writer"]
    offered = client.requests[0][1]["target_TYPE"].criteria
    assert offered["2"] == 'a text that is yet to be written into textbox "Reply"'


@pytest.mark.parametrize(
    ("goal", "source"), [('Reply "yes" to Ada', "goal_value"), ("Copy the value of Code into Reply", "page_value")]
)
def test_a_text_that_goal_or_page_mark_is_theirs_and_the_writer_is_not_asked(goal: str, source: str) -> None:
    """T1"""
    code = InteractiveElement(
        id=7, role="textbox", name="Code", tag="input", editable=True, filled=True, value="x1", box=BOX
    )
    chat = says()
    agent, client = jev([], chat)
    observation = page(REPLY, code, goal=goal)
    tick = agent.tick(observation, ())
    sources = {c.text_source for c in tick.candidates if c.operation == "TYPE" and c.element_id == 2}
    assert source in sources
    assert "writer" not in sources
    assert (client.requests, chat.requests) == ([], [])


def test_where_the_writer_declines_the_model_decides_again_without_it() -> None:
    """T1"""
    answers: list[Script] = [TYPED, {"operation": "CLICK"}, {"operation": "CLICK"}]
    agent, client = jev(answers, says(None))
    step = agent.step(page(REPLY))
    assert step.action == Click(element_id=1)
    assert step.detail is not None
    assert step.detail.text_source == "writer_declined"
    assert step.detail.without_text == (WithoutText(element_id=2, why="writer_declined"),)
    assert sorted(call.kind for call in step.calls) == ["decision", "decision", "writer"]
    assert "2" not in client.requests[1][1].get("target_TYPE", client.requests[1][1]["operation"]).criteria
    agent.step(page(REPLY, key="b"))  # and is not asked again


def test_an_answer_of_no_use_is_a_writers_error() -> None:
    agent, _ = jev([TYPED, {"operation": "CLICK"}], ScriptedChat(["no", "no"]))
    detail = agent.step(page(REPLY)).detail
    assert detail is not None
    assert detail.text_source == "writer_error"


def test_a_credential_is_refused_before_the_writer_is_asked() -> None:
    """A6"""
    chat = says()
    agent, _ = jev([{"operation": "CLICK"}], chat)
    detail = agent.step(page(SECRET)).detail
    assert detail is not None
    assert detail.without_text == (WithoutText(element_id=3, why="refused_credential"),)
    assert detail.text_source == "refused_credential"
    assert chat.requests == []


def test_without_a_writer_a_field_without_a_text_is_told() -> None:
    agent, _ = jev([{"operation": "CLICK"}])
    detail = agent.step(page(REPLY, goal="Do it")).detail
    assert detail is not None
    assert detail.without_text == (WithoutText(element_id=2, why="no_writer"),)
    assert detail.text_source == "no_writer"


def test_a_field_that_is_filled_is_not_written_to() -> None:
    agent, _ = jev([], says())
    tick = agent.tick(page(REPLY.model_copy(update={"filled": True, "value": "Thanks"})), ())
    assert not [c for c in tick.candidates if c.text_source == "writer"]


def test_a_dead_writer_is_charged_with_the_decision_and_spent_money_ends_the_episode() -> None:
    agent, _ = jev([TYPED], ScriptedChat([ChatError("down")]))
    with pytest.raises(ChatError) as caught:
        agent.step(page(REPLY))
    assert [call.kind for call in caught.value.calls] == ["decision"]
    agent, _ = jev([TYPED], ScriptedChat([CostLimitReached("spent")]))
    step = agent.step(page(REPLY))
    assert (step.action, step.end) == (None, "cost_limit")


def until(holds: Callable[[], bool]) -> None:
    limit = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < limit, "it does not come to hold"
        time.sleep(0.005)


def test_the_text_is_begun_when_its_field_is_seen_and_its_call_is_charged_once() -> None:
    """T3"""
    chat = says("Thank you.")
    agent, _ = jev([{"operation": "CLICK"}, TYPED], chat)
    first = agent.step(page(REPLY))
    until(lambda: len(chat.requests) == 1)
    second = agent.step(page(REPLY, key="b"))
    assert second.action == Type(element_id=2, text="Thank you.")
    assert [call.kind for step in (first, second) for call in step.calls].count("writer") == 1
    assert len(chat.requests) == 1


class Slow:
    """A writer whose call is under way until it is let go."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.chat = ScriptedChat(self._answer)

    def _answer(self, request: ChatRequest) -> str:
        if "message" in (request.json_schema or {})["properties"]:
            return '{"message": "Done."}'
        assert self.go.wait(20)
        return '{"text": "late"}'


@pytest.mark.parametrize("ends", ["reset", "finish", "another goal"])
def test_a_run_that_ends_leaves_nothing_to_the_next(ends: str) -> None:
    """S1"""
    threads, slow = threading.active_count(), Slow()
    answers: list[Script] = [{"operation": "DONE" if ends == "finish" else "CLICK"}, {"operation": "CLICK"}]
    agent, _ = jev(answers, slow.chat)
    first = agent.step(page(REPLY))
    assert isinstance(first.action, Finish if ends == "finish" else Click)
    if ends == "reset":
        agent.reset()
    started = time.monotonic()
    goal = "Thank Bob politely" if ends == "another goal" else "Thank Ada politely"
    second = agent.step(page(goal=goal, key="b"))
    assert time.monotonic() - started < 5  # it waits for nobody
    slow.go.set()
    until(lambda: threading.active_count() <= threads)
    assert [call.kind for call in second.calls] == ["decision"]
    assert "Done: nothing yet" in agent_state(agent)


def agent_state(agent: DecisionAgent) -> str:
    client: ScriptedDecisions = agent._model._client  # type: ignore[attr-defined]
    return client.requests[-1][0]


def test_the_config_names_the_writer_and_an_agent_of_that_config_has_the_same_candidates() -> None:
    agent, client = jev([], says())
    assert agent.config["writer"]["model"] == "scripted-chat"
    again = DecisionAgent.of_config(agent.config, WireModel(client))
    assert again.tick(page(REPLY, NAME), ()) == agent.tick(page(REPLY, NAME), ())
    assert jev([])[0].config["writer"] is None
