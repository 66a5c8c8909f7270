"""What an agent tells of a decision is all that is needed to take it again: policy rule R1."""

from collections.abc import Mapping

import pytest

from agent.agent import AgentStep
from agent.decided import DecidedTick, Exchange
from agent.decision import DecisionAgent
from agent.decision_model import WireModel
from agent.embedded import EmbeddedModel
from agent.policy import Policy
from agent.questions import build_request
from browser.actions import ActionName, Click
from browser.observation import Box, InteractiveElement, Observation
from llm.decision import ChoiceQuestion
from llm.scripted import Script, ScriptedChat, ScriptedDecisions

BOX = Box(x=0, y=0, width=10, height=10)
PAGE = Observation(
    goal="Press Go",
    url="http://127.0.0.1/",
    title="t",
    elements=(
        InteractiveElement(id=1, role="button", name="Go", box=BOX),
        InteractiveElement(id=2, role="button", name="Stop", box=BOX),
    ),
    page_key="k1",
)
OFFERED: tuple[ActionName, ...] = ("click", "finish")


def decided(step: AgentStep) -> DecidedTick:
    assert step.decided is not None
    return step.decided


def exchange(step: AgentStep) -> Exchange:
    told = decided(step).exchange
    assert told is not None
    return told


def test_what_was_asked_and_answered_is_told_word_for_word() -> None:
    client = ScriptedDecisions([{"operation": "CLICK", "target_CLICK": "2"}], doubt=0.2, max_options=7)
    step = DecisionAgent(WireModel(client), OFFERED).step(PAGE)
    told = exchange(step)
    assert [(told.state, told.questions)] == client.requests
    assert told.max_options == 7
    assert {head: answer.choice for head, answer in told.answers.items()} == {"operation": "CLICK", "target_CLICK": "2"}
    assert told.answers["target_CLICK"].probabilities == {"1": 0.2, "2": 0.8}
    assert decided(step).chosen == decided(step).tick.candidates[1]


def test_the_request_follows_from_the_tick() -> None:
    agent = DecisionAgent(WireModel(ScriptedDecisions(lambda *_: {})), OFFERED)
    agent.step(PAGE)
    step = agent.step(PAGE.model_copy(update={"page_key": "k2"}))
    tick, told = decided(step).tick, exchange(step)
    assert [past.action for past in tick.history] == [Click(element_id=1)]
    assert agent.tick_after(decided(step).before, tick.observation, tick.history) == tick
    rebuilt = build_request(tick, told.max_options)
    assert (rebuilt.state, rebuilt.questions) == (told.state, told.questions)


@pytest.mark.parametrize("chat_says", ["plan", "nothing"])
def test_what_the_past_does_not_tell_is_told_beside_it(chat_says: str) -> None:
    """A writer that declines, and a recovery's plan: a fresh agent of the same config makes the same ticks."""
    field = InteractiveElement(id=3, role="textbox", name="Reply", tag="textarea", editable=True, filled=False, box=BOX)
    page = PAGE.model_copy(update={"goal": "Answer politely", "elements": (*PAGE.elements, field)})
    chat = ScriptedChat(
        lambda request: '{"steps": ["Go"]}' if "steps" in str(request.json_schema) else '{"text": null}'
    )
    turn = iter(range(100))

    def decide(state: str, questions: Mapping[str, ChoiceQuestion]) -> Script:
        typed = questions.get("target_TYPE")
        if chat_says == "nothing" and typed and "3" in typed.criteria:
            return {"operation": "TYPE", "target_TYPE": "3"}
        ids = list(questions["target_CLICK"].criteria)
        return {"operation": "CLICK", "target_CLICK": ids[next(turn) % len(ids)]}

    rules = Policy(recovery=True, dead_targets=False, prefetch=False)
    agent = DecisionAgent(WireModel(ScriptedDecisions(decide)), ("click", "type", "wait"), policy=rules, writer=chat)
    steps = [agent.step(page) for _ in range(7)]
    told = [step.decided for step in steps if step.decided]
    assert len(told) >= 5
    if chat_says == "plan":
        assert any(each.before.plan == "1. Go" for each in told)
        assert any(each.before.since for each in told)
    else:
        assert any(each.before.unwritten == (3,) for each in told)
    again = DecisionAgent.of_config(agent.config, WireModel(ScriptedDecisions([])))
    assert [again.tick_after(d.before, d.tick.observation, d.tick.history) for d in told] == [d.tick for d in told]


def test_a_model_in_process_tells_the_probability_of_each_candidate() -> None:
    step = DecisionAgent(EmbeddedModel(), OFFERED).step(PAGE)
    told = decided(step)
    assert told.exchange is None
    assert len(told.probabilities) == len(told.tick.candidates) == 4
    assert 0 < sum(told.probabilities) <= 1 + 1e-9  # what is left to 1 is that none of them helps
    assert told.tick.candidates[told.probabilities.index(max(told.probabilities))] == told.chosen


def test_the_tick_is_told_where_no_answer_is_usable_and_where_nothing_can_be_done() -> None:
    bad: Script = {"operation": "NOTHING"}
    step = DecisionAgent(WireModel(ScriptedDecisions([bad, bad])), OFFERED).step(PAGE)
    assert (decided(step).chosen, len(decided(step).tick.candidates)) == (None, 4)
    empty = DecisionAgent(WireModel(ScriptedDecisions([])), ("click",)).step(PAGE.model_copy(update={"elements": ()}))
    assert (decided(empty).chosen, decided(empty).tick.candidates) == (None, ())
