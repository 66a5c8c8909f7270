"""The System-1 agent: one tick is observe, decide, act. Knows models only as `DecisionModel`, no benchmark.

A `DecisionModel` picks one of a tick's candidates: in process (agent/embedded) or over a wire (`WireModel`).
"""

import time
from collections.abc import Mapping
from typing import Any

from agent.agent import AgentStep, Choice, DecisionDetail
from agent.candidates import PastStep, Tick, build_candidates, to_action
from agent.decided import DecidedTick
from agent.decision_model import Decision, DecisionModel, Ranked, WireModel
from agent.guards import advise, still_offered
from agent.history import History
from agent.policy import DEFAULT_POLICY, Policy
from agent.prompt import RULES_VERSION
from agent.questions import describe
from browser.actions import CORE_ACTIONS, ActionName
from browser.observation import Observation
from llm.decision import InvalidAnswer, NotADecision

__all__ = ["Decision", "DecisionAgent", "DecisionModel", "Ranked", "WireModel"]

# Alternatives kept in a record: enough to see a near miss, few enough to read.
RUNNERS_UP = 5


class DecisionAgent:
    """One tick a step: build the candidates, let the model decide, act on the chosen one."""

    def __init__(
        self,
        model: DecisionModel,
        offered: tuple[ActionName, ...] = CORE_ACTIONS,
        name: str = "jev",
        *,
        allow_goal_credentials: bool = False,
        computed_values: bool = True,
        policy: Policy = DEFAULT_POLICY,
    ) -> None:
        """`allow_goal_credentials` and `computed_values` are options of `build_candidates`."""
        self.name = name
        self.config: dict[str, Any] = {
            "agent": name,
            "model": model.name,
            "offered": list(offered),
            "allow_goal_credentials": allow_goal_credentials,
            "computed_values": computed_values,
            "rules": RULES_VERSION,
            "policy": policy.model_dump(mode="json"),
        }
        self._model = model
        self._offered = offered
        self._allow_goal_credentials = allow_goal_credentials
        self._computed_values = computed_values
        self._policy = policy
        self.history = History()
        """Of the episode under way; a cascade has its two agents share one."""

    @classmethod
    def of_config(cls, config: Mapping[str, Any], model: DecisionModel) -> "DecisionAgent":
        """Return the agent that this `config`, perhaps read from a record, was of, with a model of the caller's."""
        return cls(
            model,
            tuple(config["offered"]),
            config["agent"],
            allow_goal_credentials=config["allow_goal_credentials"],
            computed_values=config["computed_values"],
            policy=Policy.model_validate(config["policy"]),
        )

    def reset(self) -> None:
        """Forget the last episode."""
        self.history.clear()

    def step(self, observation: Observation) -> AgentStep:
        """Return the next action; without one, end "blocked" or "loop" and say why.

        Raises:
            DecisionError: the model gave no answer at all.
        """
        started = time.perf_counter()
        self.history.see(observation)
        step = self.propose(observation)
        self.history.decided(step.action, observation)
        return step.model_copy(update={"decide_ms": (time.perf_counter() - started) * 1000})

    def tick(self, observation: Observation, history: tuple[PastStep, ...]) -> Tick:
        """Return what is decided on for this page and past; the same for the same arguments and `config`."""
        advice = advise(history, self._policy)
        candidates = build_candidates(
            observation.goal,
            observation,
            history,
            still_offered(self._offered, advice),
            allow_goal_credentials=self._allow_goal_credentials,
            computed_values=self._computed_values,
            policy=self._policy,
        )
        return Tick(
            goal=observation.goal,
            observation=observation,
            history=history,
            candidates=candidates,
            note=advice.note,
            joint=self._policy.joint,
        )

    def propose(self, observation: Observation) -> AgentStep:
        """Return the next action on a page that the history has seen, without keeping it; see `step`."""
        history = tuple(self.history.steps)
        advice = advise(history, self._policy)
        if advice.stop or (advice.finish_only and "finish" not in self._offered):
            return AgentStep(action=None, end="loop", reason=advice.stop or advice.note)
        tick = self.tick(observation, history)
        unanswered = DecidedTick(tick=tick, chosen=None)
        if not tick.candidates:
            reason = "Nothing on this page can be acted on."
            return AgentStep(action=None, end="blocked", reason=reason, decided=unanswered)
        try:
            decision = self._model.decide(tick)
        except (InvalidAnswer, NotADecision) as error:
            reason = f"No usable decision: {error}"
            return AgentStep(action=None, end="blocked", reason=reason, calls=error.calls, decided=unanswered)
        action = to_action(decision.candidate)
        return AgentStep(
            action=action,
            end="blocked" if action is None else None,
            reason=describe(decision.candidate, observation),
            calls=decision.refused_calls + ((decision.call,) if decision.call else ()),
            detail=_detail(decision, tick),
            note=tick.note,
            decided=DecidedTick(
                tick=tick,
                chosen=decision.candidate,
                exchange=decision.exchange,
                probabilities=decision.probabilities,
            ),
        )


def _detail(decision: Decision, tick: Tick) -> DecisionDetail:
    return DecisionDetail(
        operation=decision.candidate.operation,
        operation_probability=decision.operation_probability,
        target_probability=decision.target_probability,
        text_source=decision.candidate.text_source,
        runners_up=tuple(
            Choice(label=describe(other.candidate, tick.observation), probability=other.probability)
            for other in decision.runners_up[:RUNNERS_UP]
        ),
        candidates=len(tick.candidates),
        left_out=decision.left_out,
    )
