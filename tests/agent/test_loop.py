import time
from typing import Any, get_args

import pytest

from agent.agent import AgentEnd, AgentStep
from agent.ask import RunOver
from agent.baselines import SubmitOnceAgent
from agent.decision import DecisionAgent
from agent.decision_model import WireModel
from agent.loop import INFRASTRUCTURE_ENDS, EndReason, EpisodeResult, Limits, run_episode
from browser.actions import Click, Finish
from browser.errors import BrowserCrashed, BrowserStartFailed, ObservationFailed, SiteSpoiled
from browser.observation import Box, InteractiveElement, Observation
from llm.chat import ChatError
from llm.decision import DecisionError, InvalidAnswer, ModelCall
from llm.scripted import ScriptedDecisions

BOX = Box(x=0, y=0, width=10, height=10)
ELEMENTS = tuple(InteractiveElement(id=n, role="button", name=f"B{n}", box=BOX) for n in (1, 2))
Outcome = tuple[float, bool, bool] | Exception
GO_ON: Outcome = (0.0, False, False)


class ListedEnvironment:
    """Gives the outcomes it is made with, one a step; writes down what is done to it."""

    def __init__(self, outcomes: list[Outcome], on_reset: Exception | None = None, step_s: float = 0.0) -> None:
        self.events: list[str] = []
        self._outcomes = outcomes
        self._on_reset = on_reset
        self._step_s = step_s

    def reset(self, *, seed: int | None = None) -> tuple[Observation, dict[str, Any]]:
        self.events.append(f"reset {seed}")
        if self._on_reset:
            raise self._on_reset
        return self._look(), {"at": 0}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        self.events.append(f"act {action.type}")
        time.sleep(self._step_s)
        done = sum(event.startswith("act") for event in self.events)
        outcome = self._outcomes[done - 1]
        if isinstance(outcome, Exception):
            raise outcome
        reward, terminated, truncated = outcome
        return self._look(), reward, terminated, truncated, {"at": done}

    def _look(self) -> Observation:
        return Observation(goal="g", url="u", title="t", elements=ELEMENTS, page_key=str(len(self.events)))


class ListedAgent:
    """Gives the steps it is made with, over and over."""

    name = "listed"

    def __init__(self, *steps: AgentStep) -> None:
        self._steps = steps
        self.events: list[str] = []

    def reset(self) -> None:
        self.events.append("reset")

    def step(self, observation: Observation) -> AgentStep:
        self.events.append(f"decide on {observation.page_key}")
        return self._steps[(len(self.events) - 2) % len(self._steps)]


CLICK = AgentStep(action=Click(element_id=1))
CALL = ModelCall(kind="chat", model="m", cost_usd=0.1)
FINISH = AgentStep(action=Finish(message="42"))


def play(agent: Any, env: ListedEnvironment, **limits: Any) -> EpisodeResult:
    return run_episode(agent, env, Limits(**limits), lambda *step: None, seed=3)


@pytest.mark.parametrize(
    ("step", "outcomes", "limits", "expected"),
    [
        (CLICK, [GO_ON, (1.0, True, False)], {}, ("success", 1.0, 2)),
        (CLICK, [(0.2, True, False)], {}, ("success", 0.2, 1)),
        (FINISH, [(1.0, True, False)], {}, ("success", 1.0, 1)),
        (CLICK, [(0.0, True, False)], {}, ("failed", 0.0, 1)),
        (CLICK, [(-1.0, True, False)], {}, ("failed", -1.0, 1)),
        (FINISH, [(0.0, True, False)], {}, ("wrong_finish", 0.0, 1)),
        (CLICK, [GO_ON, (0.0, False, True)], {}, ("max_steps", 0.0, 2)),
        (CLICK, [GO_ON] * 3, {"max_steps": 3}, ("max_steps", 0.0, 3)),
        (CLICK, [GO_ON, GO_ON, (1.0, True, False)], {"max_steps": 3}, ("success", 1.0, 3)),
        (CLICK, [(1.0, True, True)], {}, ("success", 1.0, 1)),
        (CLICK, [GO_ON] * 9, {"episode_s": 0.01}, ("agent_timeout", 0.0, 1)),
        (CLICK, [GO_ON, BrowserCrashed("gone")], {}, ("browser_crash", 0.0, 1)),
        (CLICK, [(0.5, False, False), ObservationFailed("late")], {}, ("environment_error", 0.0, 1)),
        (CLICK, [SiteSpoiled("ordered already")], {}, ("contaminated", 0.0, 0)),
    ],
)
def test_each_way_an_environment_ends_an_episode(
    step: AgentStep, outcomes: list[Outcome], limits: dict[str, Any], expected: tuple[str, float, int]
) -> None:
    result = play(ListedAgent(step), ListedEnvironment(outcomes, step_s=0.02 if "episode_s" in limits else 0), **limits)
    assert (result.end, result.reward, result.steps) == expected
    assert (result.error is not None) == (result.end in INFRASTRUCTURE_ENDS)


@pytest.mark.parametrize("end", get_args(AgentEnd))
def test_an_agent_may_end_an_episode_without_an_action(end: AgentEnd) -> None:
    env = ListedEnvironment([GO_ON])
    result = play(ListedAgent(CLICK, AgentStep(action=None, end=end)), env)
    assert result == EpisodeResult(end=end, reward=0.0, steps=1)
    assert env.events == ["reset 3", "act click"]


def test_a_scripted_decision_model_solves_an_episode() -> None:
    client = ScriptedDecisions([{"target_CLICK": "2"}, {"target_CLICK": "1"}])
    result = play(DecisionAgent(WireModel(client), ("click",)), ListedEnvironment([GO_ON, (1.0, True, False)]))
    assert (result.end, result.steps) == ("success", 2)
    assert "Done 1: CLICK button" in client.requests[1][0]


def test_a_model_that_gives_no_answer_is_no_failure_of_the_agent() -> None:
    agent = DecisionAgent(WireModel(ScriptedDecisions([{}])), ("click",))
    result = play(agent, ListedEnvironment([GO_ON, GO_ON]))
    assert (result.end, result.steps) == ("model_error", 1)
    assert result.error == "The script has 1 answers and was asked once more."


def test_a_model_that_answers_unusably_twice_blocks_the_agent() -> None:
    bad = {"target_CLICK": "9"}
    result = play(DecisionAgent(WireModel(ScriptedDecisions([bad, bad])), ("click",)), ListedEnvironment([]))
    assert result == EpisodeResult(end="blocked", reward=0.0, steps=0)


def test_one_press_that_ends_nothing_is_blocked_and_one_that_ends_it_counts() -> None:
    assert play(SubmitOnceAgent(), ListedEnvironment([GO_ON])).end == "blocked"
    assert play(SubmitOnceAgent(), ListedEnvironment([(1.0, True, False)])).end == "success"


@pytest.mark.parametrize(
    ("error", "end"),
    [(BrowserStartFailed("It did not start."), "environment_error"), (BrowserCrashed("Gone."), "browser_crash")],
)
def test_a_reset_that_fails_is_an_end_too(error: Exception, end: EndReason) -> None:
    """P9"""
    result = play(ListedAgent(CLICK), ListedEnvironment([], on_reset=error))
    assert result == EpisodeResult(end=end, reward=0.0, steps=0, error=str(error))


def test_each_step_is_told_before_the_next_is_decided() -> None:
    env = ListedEnvironment([(0.0, False, False), (0.5, True, False)])
    agent = ListedAgent(CLICK, FINISH)
    told: list[tuple[Any, ...]] = []

    def on_step(step: AgentStep, observation: Observation, reward: float, info: dict[str, Any]) -> None:
        told.append((step.action, observation.page_key, reward, info["at"], len(agent.events)))

    def on_reset(observation: Observation, info: dict[str, Any]) -> None:
        told.append((observation.page_key, info["at"], len(agent.events)))

    run_episode(agent, env, Limits(), on_step, seed=11, on_reset=on_reset)
    assert told == [("1", 0, 1), (CLICK.action, "2", 0.0, 1, 2), (FINISH.action, "3", 0.5, 2, 3)]
    assert agent.events == ["reset", "decide on 1", "decide on 2"]
    assert env.events == ["reset 11", "act click", "act finish"]


def test_what_was_told_survives_a_crash_after_it() -> None:
    told: list[AgentStep] = []
    env = ListedEnvironment([GO_ON, BrowserCrashed("gone")])
    run_episode(ListedAgent(CLICK), env, Limits(), lambda step, *rest: told.append(step), seed=0)
    assert told == [CLICK]


@pytest.mark.parametrize("error", [ZeroDivisionError("a bug"), KeyError("a bug"), AssertionError("a bug")])
def test_a_bug_is_not_an_end(error: Exception) -> None:
    with pytest.raises(type(error), match="a bug"):
        play(ListedAgent(CLICK), ListedEnvironment([GO_ON, error]))


def test_an_interrupt_is_not_swallowed() -> None:
    def interrupt(*step: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_episode(ListedAgent(CLICK), ListedEnvironment([GO_ON]), Limits(), interrupt, seed=0)


def test_a_disk_that_is_full_ends_the_run_and_not_the_episode() -> None:
    def full(*step: object) -> None:
        raise OSError("No space left on device")

    with pytest.raises(OSError, match="No space"):
        run_episode(ListedAgent(CLICK), ListedEnvironment([GO_ON]), Limits(), full, seed=0)


def test_every_end_of_an_agent_is_an_end_of_an_episode_and_none_is_the_infrastructures() -> None:
    assert set(get_args(AgentEnd)) <= set(get_args(EndReason))
    assert set(get_args(EndReason)) >= INFRASTRUCTURE_ENDS
    assert not set(get_args(AgentEnd)) & INFRASTRUCTURE_ENDS


def test_a_decision_to_stop_is_told_with_what_it_was_made_on_because_it_cost_calls_too() -> None:
    stop = AgentStep(action=None, end="blocked", calls=(ModelCall(kind="decision", model="m"),))
    told: list[tuple[Any, ...]] = []

    def on_step(step: AgentStep, observation: Observation, reward: float, info: dict[str, Any]) -> None:
        told.append((step, observation.page_key, reward, info["at"]))

    env = ListedEnvironment([(0.25, False, False)])
    result = run_episode(ListedAgent(CLICK, stop), env, Limits(), on_step, seed=0)
    assert told == [(CLICK, "2", 0.25, 1), (stop, "2", 0.25, 1)]
    assert (result.end, result.reward, result.steps) == ("blocked", 0.25, 1)


def test_an_agents_step_is_told_with_its_calls() -> None:
    call = ModelCall(kind="decision", model="m", cost_usd=0.5)
    told: list[AgentStep] = []
    step = CLICK.model_copy(update={"calls": (call,)})
    env = ListedEnvironment([(1.0, True, False)])
    run_episode(ListedAgent(step), env, Limits(), lambda step, *rest: told.append(step), seed=0)
    assert told[0].calls == (call,)


@pytest.mark.parametrize(
    ("error", "end"),
    [
        (ChatError("It is down.", [CALL]), "model_error"),
        (InvalidAnswer("It does not fit.", (CALL,)), "model_error"),
        (DecisionError("No connection.", (CALL,)), "model_error"),
        (RunOver("The money is spent.", [CALL]), "cancelled"),
    ],
)
def test_calls_of_a_step_that_came_to_no_decision_are_told(error: Exception, end: EndReason) -> None:
    class Failing(ListedAgent):
        def step(self, observation: Observation) -> AgentStep:
            if len(self.events) == 2:
                raise error
            return super().step(observation)

    result = play(Failing(CLICK), ListedEnvironment([GO_ON]))
    assert result == EpisodeResult(end=end, reward=0.0, steps=1, error=str(error), calls=(CALL,))
    assert end in INFRASTRUCTURE_ENDS
