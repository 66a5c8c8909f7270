"""The System-1 agent: one tick is observe, decide, act. Knows models only as `DecisionModel`, no benchmark.

A `DecisionModel` picks one of a tick's candidates: in process (agent/embedded) or over a wire (`WireModel`).
"""

import time
from collections.abc import Mapping
from typing import Any

from agent.agent import AgentStep, Choice, DecisionDetail
from agent.ask import Unanswered
from agent.candidates import Candidate, PastStep, Tick, build_candidates, to_action
from agent.decided import DecidedTick
from agent.decision_model import Decision, DecisionModel, Ranked, WireModel
from agent.drafts import Drafts
from agent.guards import advise, still_offered
from agent.history import History
from agent.policy import DEFAULT_POLICY, Policy
from agent.prompt import RULES_VERSION, WRITER_VERSION
from agent.questions import describe
from agent.run import Run, with_texts_missing
from agent.writer import Writer
from browser.actions import CORE_ACTIONS, ActionName
from browser.observation import Observation
from llm.chat import ChatError, ChatModel
from llm.decision import DecisionError, InvalidAnswer, LLMError, ModelCall, NotADecision

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
        writer: ChatModel | None = None,
        writer_endpoint: Mapping[str, Any] | None = None,
    ) -> None:
        """Make an agent; `allow_goal_credentials` and `computed_values` are options of `build_candidates`.

        Args:
            writer: writes the texts that neither goal nor page hold.
            writer_endpoint: all else that decides its answers; for `config`.
        """
        self.name = name
        self.config: dict[str, Any] = {
            "agent": name,
            "model": model.name,
            "offered": list(offered),
            "allow_goal_credentials": allow_goal_credentials,
            "computed_values": computed_values,
            "rules": RULES_VERSION,
            "policy": policy.model_dump(mode="json"),
            "writer": writer and {"model": writer.name, "prompts": WRITER_VERSION, "endpoint": writer_endpoint or {}},
        }
        self._model = model
        self._offered = offered
        self._allow_goal_credentials = allow_goal_credentials
        self._computed_values = computed_values
        self._policy = policy
        self.history = History()
        """Of the episode under way; a cascade has its two agents share one."""
        self._writer = writer and Writer(writer)
        self._writes = writer is not None
        self._run = Run()

    @classmethod
    def of_config(cls, config: Mapping[str, Any], model: DecisionModel) -> "DecisionAgent":
        """Return the agent that this `config`, perhaps read from a record, was of, with a model of the caller's."""
        agent = cls(
            model,
            tuple(config["offered"]),
            config["agent"],
            allow_goal_credentials=config["allow_goal_credentials"],
            computed_values=config["computed_values"],
            policy=Policy.model_validate(config["policy"]),
        )
        agent._writes = config["writer"] is not None  # its candidates can be built again, its texts cannot
        return agent

    def reset(self) -> None:
        """Forget the last episode, and end its work in the background."""
        self.history.clear()
        self._run.cancel()

    def step(self, observation: Observation) -> AgentStep:
        """Return the next action; without one, end "blocked", "loop" or "cost_limit" and say why.

        Raises:
            DecisionError: the model gave no answer at all.
            ChatError: the writer's endpoint gave none for a text that is needed now.
        """
        started = time.perf_counter()
        self.history.see(observation)
        step = self.propose(observation)
        self.history.decided(step.action, observation)
        if step.action is None or step.action.type == "finish":
            self._run.cancel()
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
            unwritten=(self._run.unwritten(observation) if self._writes else None),
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
        self._begin_run()
        history = tuple(self.history.steps)
        advice = advise(history, self._policy)
        if advice.stop or (advice.finish_only and "finish" not in self._offered):
            return AgentStep(action=None, end="loop", reason=advice.stop or advice.note)
        calls: tuple[ModelCall, ...] = ()
        while True:
            tick = self.tick(observation, history)
            self._run.write_ahead(tick)
            try:
                step = self._written(tick, self._decide(tick))
            except Unanswered as error:
                return AgentStep(action=None, end=error.end, reason=str(error), calls=calls + error.calls)
            except LLMError as error:
                if isinstance(error, ChatError | DecisionError):
                    error.calls = calls + error.calls
                raise
            calls += step.calls
            if step.action is not None or step.end is not None:
                return step.model_copy(update={"calls": calls + self._run.told()})

    def _begin_run(self) -> None:
        if self._run.number != self.history.run:
            self._run.cancel()
            drafts = Drafts(self._writer, ahead=self._policy.prefetch) if self._writer else None
            self._run = Run(self.history.run, drafts)

    def _decide(self, tick: Tick) -> AgentStep:
        """Return the model's choice as a step; one to be written has neither action nor end yet."""
        unanswered = DecidedTick(tick=tick, chosen=None)
        if not tick.candidates:
            reason = "Nothing on this page can be acted on."
            return AgentStep(action=None, end="blocked", reason=reason, decided=unanswered)
        try:
            decision = self._model.decide(tick)
        except (InvalidAnswer, NotADecision) as error:
            reason = f"No usable decision: {error}"
            return AgentStep(action=None, end="blocked", reason=reason, calls=error.calls, decided=unanswered)
        chosen = decision.candidate
        return AgentStep(
            action=None if _is_unwritten(chosen) else to_action(chosen),
            end="blocked" if chosen.operation == "BLOCKED" else None,
            reason=describe(chosen, tick.observation),
            calls=decision.refused_calls + ((decision.call,) if decision.call else ()),
            detail=with_texts_missing(_detail(decision, tick), self._run.without_text(tick)),
            note=tick.note,
            decided=DecidedTick(
                tick=tick, chosen=chosen, exchange=decision.exchange, probabilities=decision.probabilities
            ),
        )

    def _written(self, tick: Tick, step: AgentStep) -> AgentStep:
        """Return the step with the writer's text where it waits for one; as it is where the writer gives none."""
        chosen = step.decided.chosen if step.decided else None
        if chosen is None or not _is_unwritten(chosen):
            return step
        try:
            text = self._run.text(tick, chosen)
        except (ChatError, Unanswered) as error:
            error.calls = step.calls + error.calls
            raise
        if text is None:
            return step
        filled = chosen.model_copy(update={"value": text})
        return step.model_copy(update={"action": to_action(filled), "reason": describe(filled, tick.observation)})


def _is_unwritten(candidate: Candidate) -> bool:
    return candidate.operation == "TYPE" and candidate.value is None


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
