"""PlannerAgent: a plan of a few steps above a ReActAgent, which alone chooses actions. Knows no benchmark.

The plan is made once, and made anew only on evidence: an action that failed, two that changed nothing, or a step that
the model judges impossible.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agent.agent import AgentStep, Plan
from agent.ask import Found, Unanswered
from agent.plan import PLAN_SCHEMA, PROGRESS_SCHEMA, STEPS_LIMIT, parse_plan, parse_progress, plan_text
from agent.prompt import (
    PLAN_FAILED,
    PLAN_IDLE,
    PLAN_IMPOSSIBLE,
    PLAN_QUESTION,
    PROGRESS_QUESTION,
    REPLAN_QUESTION,
)
from agent.react import ReActAgent
from agent.tick import PastStep
from browser.observation import Observation
from llm.chat import ChatError
from llm.decision import ModelCall

# Actions in a row without a change or an error, after which the plan counts as stuck.
IDLE_LIMIT = 2


class PlannerAgent:
    """Plans, judges the current step after each change of the page, and hands plan and progress to its actor.

    Every question is about the same page in the same words, so that only its end is new to the model.
    """

    def __init__(self, actor: ReActAgent, name: str = "planner") -> None:
        self.name = name
        self.observation_mode = actor.observation_mode
        self.config: dict[str, Any] = actor.config | {"agent": name, "steps_limit": STEPS_LIMIT}
        self._actor = actor
        self._plan: Plan | None = None
        self._planned_at = 0
        self._calls: tuple[ModelCall, ...] = ()

    def reset(self) -> None:
        """Forget the last episode; its plan goes with its past."""
        self._actor.reset()

    def step(self, observation: Observation) -> AgentStep:
        """Return the next action; without one, end "bad_output" or "cost_limit" and say why.

        Raises:
            ChatError: the endpoint gave no answer; its `calls` were made for this step.
        """
        started, self._calls = time.perf_counter(), ()
        past = self._actor.see(observation)
        try:
            self._plan = plan = self._planned(observation, past)
            step = self._actor.decide(observation, plan_text(plan))
        except Unanswered as error:
            plan = None
            step = AgentStep(action=None, end=error.end, reason=f"The plan: {error}", calls=error.calls)
        except ChatError as error:
            error.calls = self._calls + error.calls
            raise
        decide_ms = (time.perf_counter() - started) * 1000
        return step.model_copy(update={"calls": self._calls + step.calls, "plan": plan, "decide_ms": decide_ms})

    def _planned(self, observation: Observation, past: Sequence[PastStep]) -> Plan:
        """Return the plan as it stands after the last action."""
        plan = self._plan
        if plan is None or not past:
            return self._make(observation, past, PLAN_QUESTION.format(limit=STEPS_LIMIT))
        if why := _trouble(past[self._planned_at :]):
            return self._remake(observation, past, plan, why)
        if plan.current is None or not past[-1].page_changed:
            return plan
        progress = self._ask(
            observation, PROGRESS_QUESTION.format(plan=plan_text(plan)), PROGRESS_SCHEMA, parse_progress
        )
        if progress == "impossible":
            return self._remake(observation, past, plan, PLAN_IMPOSSIBLE)
        return plan.advanced() if progress == "done" else plan

    def _remake(self, observation: Observation, past: Sequence[PastStep], plan: Plan, why: str) -> Plan:
        question = REPLAN_QUESTION.format(why=why, plan=plan_text(plan), limit=STEPS_LIMIT)
        return self._make(observation, past, question)

    def _make(self, observation: Observation, past: Sequence[PastStep], question: str) -> Plan:
        self._planned_at = len(past)
        return self._ask(observation, question, PLAN_SCHEMA, parse_plan)

    def _ask(
        self, observation: Observation, question: str, schema: Mapping[str, Any], read: Callable[[str], Found]
    ) -> Found:
        found, calls = self._actor.ask(observation, question, schema, read)
        self._calls += calls
        return found


def _trouble(recent: Sequence[PastStep]) -> str | None:
    """Return what speaks against the plan in the actions taken since it was made."""
    if not recent:
        return None
    if recent[-1].error:
        return PLAN_FAILED
    idle = len(recent) >= IDLE_LIMIT and not any(step.page_changed for step in recent[-IDLE_LIMIT:])
    return PLAN_IDLE if idle else None
