"""G3: a signal is met by another look, then by a plan that the decision model reads; it never acts, and it ends."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from agent.agent import AgentStep
from agent.decision import DecisionAgent
from agent.decision_model import WireModel
from agent.decision_models import AgentConfigError
from agent.policy import Policy
from agent.registry import make_agent
from browser.actions import CORE_ACTIONS, ActionName, Click, Wait
from browser.observation import Observation
from llm.chat import ChatError, ChatRequest, CostLimitReached, RefusedAnswer
from llm.decision import ModelCall
from llm.scripted import ChatAnswer, ScriptedChat, ScriptedDecisions

MakePage = Callable[..., Observation]
PLAN = '{"steps": ["Open the menu", "Choose Settings"]}'
NO_WAIT: tuple[ActionName, ...] = ("click", "finish")


def jev(
    chat: ScriptedChat, offered: tuple[ActionName, ...] = CORE_ACTIONS, **policy: Any
) -> tuple[DecisionAgent, ScriptedDecisions]:
    """Clicks one control after the other; nothing on its page ever changes."""
    turn = iter(range(1000))

    def decide(state: str, questions: Any) -> dict[str, object]:
        ids = list(questions["target_CLICK"].criteria)
        return {"operation": "CLICK", "target_CLICK": ids[next(turn) % len(ids)]}

    client = ScriptedDecisions(decide)
    rules = Policy(recovery=True, dead_targets=False, prefetch=False, **policy)
    return DecisionAgent(WireModel(client), offered, policy=rules, writer=chat), client


def run(agent: DecisionAgent, page: Observation, steps: int) -> list[AgentStep]:
    taken: list[AgentStep] = []
    while len(taken) < steps and (not taken or taken[-1].action is not None):
        taken.append(agent.step(page))
    return taken


def events(steps: list[AgentStep]) -> list[tuple[str, int]]:
    return [(event.kind, event.attempt) for step in steps for event in step.recovery]


def test_it_looks_again_then_plans_and_the_plan_rides_into_one_request(page: MakePage) -> None:
    """G3"""
    chat = ScriptedChat([PLAN])
    agent, client = jev(chat)
    steps = run(agent, page(), 7)
    assert [type(step.action) for step in steps] == [Click, Click, Click, Click, Wait, Click, Click]
    assert events(steps) == [("reprobe", 1), ("planned", 1)]
    assert steps[4].recovery[0].signal == "idle"
    assert steps[4].detail is None  # no model was asked for the look
    plans = ["Plan: 1. Open the menu 2. Choose Settings" in state for state, _ in client.requests]
    assert plans == [False] * 4 + [True, False]
    assert steps[5].plan is not None
    assert [call.kind for call in steps[5].calls] == ["planner", "decision"]
    asked = chat.requests[0].messages
    assert "You do not act" in asked[0].content
    assert "<page>" in asked[1].content


def test_a_page_that_moved_meanwhile_is_progress_and_nobody_plans(page: MakePage) -> None:
    chat = ScriptedChat([])
    agent, _ = jev(chat)
    steps = run(agent, page(), 5)
    steps.append(agent.step(page("b")))
    assert events(steps) == [("reprobe", 1), ("delayed_progress", 1)]
    assert chat.requests == []
    assert steps[-1].plan is None


def test_attempts_are_spent_and_the_run_ends_blocked_with_what_to_do(page: MakePage) -> None:
    """G3"""
    agent, _ = jev(ScriptedChat([PLAN, PLAN]), recovery_attempts=2)
    steps = run(agent, page(), 30)
    assert events(steps) == [("reprobe", 1), ("planned", 1), ("reprobe", 2), ("planned", 2), ("exhausted", 2)]
    last = steps[-1]
    assert (last.action, last.end) == (None, "blocked")
    assert "2 of 2 attempts" in last.reason
    assert last.next_action
    agent.reset()
    assert run(agent, page(), 1)[0].action is not None  # another run has a budget of its own


def test_seconds_are_spent_too_and_progress_gives_none_back(page: MakePage) -> None:
    def slow(request: ChatRequest) -> str:
        time.sleep(0.05)
        return PLAN

    agent, _ = jev(ScriptedChat(slow), recovery_s=0.06)
    steps = run(agent, page(), 6)
    agent.step(page("moved"))
    steps += run(agent, page("moved"), 30)
    assert [kind for kind, _ in events(steps)][-1] in ("exhausted", "failed")
    seconds = [event.seconds for step in steps for event in step.recovery]
    assert seconds == sorted(seconds)
    assert seconds[1] >= 0.05


@pytest.mark.parametrize(
    ("answers", "why", "calls"),
    [
        ([ChatError("down: body sk-1")], "the planner did not answer (ChatError)", 1),
        ([RefusedAnswer("no"), RefusedAnswer("no")], "the planner's answers were of no use", 1),
        (["no", "no"], "the planner's answers were of no use", 2),
    ],
)
def test_a_failed_planner_ends_the_run_and_its_calls_are_counted(
    page: MakePage, answers: list[ChatAnswer], why: str, calls: int
) -> None:
    """G3"""
    agent, _ = jev(ScriptedChat(answers))
    last = run(agent, page(), 30)[-1]
    assert (last.end, last.recovery[-1].kind, last.recovery[-1].why) == ("blocked", "failed", why)
    assert "sk-1" not in last.model_dump_json()
    assert [call.kind for call in last.calls] == ["planner"] * calls
    if isinstance(answers[0], Exception):
        assert last.calls == (ModelCall(kind="planner", model="scripted-chat"),)  # unknown, not free


def test_a_planner_that_hangs_is_given_up_at_the_budget(page: MakePage) -> None:
    threads, go = threading.active_count(), threading.Event()

    def hang(request: ChatRequest) -> str:
        assert go.wait(20)
        return PLAN

    agent, _ = jev(ScriptedChat(hang), recovery_s=0.2)
    started = time.monotonic()
    last = run(agent, page(), 30)[-1]
    assert time.monotonic() - started < 5
    assert (last.end, last.recovery[-1].why) == ("blocked", "the planner took too long")
    assert last.calls[-1].usage.input_tokens is None
    go.set()
    limit = time.monotonic() + 10
    while threading.active_count() > threads:
        assert time.monotonic() < limit
        time.sleep(0.01)


def test_a_look_that_waited_in_vain_is_a_look_and_the_plan_follows(page: MakePage) -> None:
    agent, _ = jev(ScriptedChat([PLAN]))
    steps = run(agent, page(), 5)
    steps.append(agent.step(page(last_action_error="The page did not change in 3 s of waiting.")))
    assert events(steps) == [("reprobe", 1), ("planned", 1)]
    assert isinstance(steps[-1].action, Click)


def test_where_waiting_is_not_offered_it_plans_at_once(page: MakePage) -> None:
    agent, _ = jev(ScriptedChat([PLAN]), NO_WAIT)
    steps = run(agent, page(), 5)
    assert events(steps) == [("planned", 1)]
    assert isinstance(steps[4].action, Click)


def test_the_end_of_the_runs_money_is_not_swallowed(page: MakePage) -> None:
    agent, _ = jev(ScriptedChat([CostLimitReached("spent", "run")]))
    with pytest.raises(ChatError, match="spent"):
        run(agent, page(), 30)


def test_it_is_off_unless_asked_for_and_refused_without_a_chat_model_or_guards(page: MakePage) -> None:
    assert Policy().recovery is False
    with pytest.raises(AgentConfigError, match="name one with --writer"):
        make_agent("jev", policy=Policy(recovery=True))
    with pytest.raises(AgentConfigError, match="leave out guards=off"):
        make_agent("jev", chat=ScriptedChat([]), policy=Policy(recovery=True, guards=False))
    chat = ScriptedChat([])
    agent, client = jev(chat)
    quiet = DecisionAgent(WireModel(client), policy=Policy(dead_targets=False), writer=chat)
    assert events(run(quiet, page(), 30)) == []
