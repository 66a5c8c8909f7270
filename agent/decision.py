"""The System-1 agent: one tick is observe, decide, act. Knows models only as `DecisionModel`, no benchmark.

A `DecisionModel` picks one of a tick's candidates: in process (agent/embedded) or over a wire (`WireModel`).
"""

import time
from collections.abc import Mapping
from typing import Any

from agent.agent import AgentStep, Plan
from agent.ask import Unanswered
from agent.candidates import build_candidates
from agent.carrying_out import to_action
from agent.decided import Before, DecidedTick
from agent.decision_model import DecisionModel
from agent.detail import decision_detail
from agent.drafts import Drafts
from agent.endings import blocked, loop_end, nothing_to_do, unusable
from agent.finishing import evidence, last_message
from agent.guards import advise, still_offered
from agent.history import History
from agent.policy import DEFAULT_POLICY, Policy
from agent.prompt import RULES_VERSION, WRITER_VERSION
from agent.questions import describe
from agent.recovery import Recovery
from agent.rejoined import rejoined
from agent.run import Run
from agent.tick import Candidate, PastStep, Tick
from agent.writer import Writer
from browser.actions import CORE_ACTIONS, ActionName, Finish
from browser.observation import Observation
from llm.chat import ChatError, ChatModel
from llm.decision import DecisionError, InvalidAnswer, ModelCall, NotADecision


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
        endpoint: Mapping[str, Any] | None = None,
        writer: ChatModel | None = None,
        writer_endpoint: Mapping[str, Any] | None = None,
    ) -> None:
        """Make an agent; `allow_goal_credentials` and `computed_values` are options of `build_candidates`.

        Args:
            endpoint: all else that decides the model's answers; for `config`.
            writer: writes the texts that neither goal nor page hold.
            writer_endpoint: all else that decides its answers; for `config`.
        """
        self.name = name
        self.config: dict[str, Any] = {
            "agent": name,
            "model": model.name,
            **({"endpoint": dict(endpoint)} if endpoint else {}),
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
        self._chat = writer
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

    def tick(self, observation: Observation, history: tuple[PastStep, ...], plan: Plan | None = None) -> Tick:
        """Return what is decided on for this page and past, in the run that is under way."""
        return self.tick_after(self._before(observation, plan), observation, history)

    def tick_after(self, before: Before, observation: Observation, history: tuple[PastStep, ...]) -> Tick:
        """Return what is decided on for this page and past; the same for the same arguments and `config`."""
        history = rejoined(history, observation)
        advice = advise(history[before.since :], self._policy)
        candidates = build_candidates(
            observation.goal,
            observation,
            history,
            still_offered(self._offered, advice),
            allow_goal_credentials=self._allow_goal_credentials,
            computed_values=self._computed_values,
            policy=self._policy,
            unwritten=(frozenset(before.unwritten) if self._writes else None),
        )
        return Tick(
            goal=observation.goal,
            observation=observation,
            history=history,
            candidates=candidates,
            note=advice.note,
            plan=before.plan,
            joint=self._policy.joint,
        )

    def _before(self, observation: Observation, plan: Plan | None) -> Before:
        return Before(
            since=self._run.since,
            unwritten=tuple(sorted(self._run.unwritten(observation))),
            plan=" ".join(f"{n}. {step.text}" for n, step in enumerate(plan.steps, start=1)) if plan else "",
        )

    def propose(self, observation: Observation) -> AgentStep:
        """Return the next action on a page that the history has seen, without keeping it; see `step`."""
        self._begin_run()
        history = tuple(self.history.steps)
        advice = advise(history[self._run.since :], self._policy)
        recovered = self._run.recover(observation, history, advice)
        try:
            step = recovered.step or self._act(observation, history, recovered.plan)
        except (ChatError, DecisionError) as error:
            error.calls = recovered.calls + error.calls
            raise
        told = {"recovery": recovered.events, "plan": recovered.plan}
        return step.model_copy(update=told | {"calls": recovered.calls + step.calls + self._run.told()})

    def _begin_run(self) -> None:
        """Make what a run owns where the history has begun another."""
        if self._run.number == self.history.run:
            return
        self._run.cancel()
        drafts = Drafts(self._writer, ahead=self._policy.prefetch) if self._writer else None
        recovers = self._chat is not None and self._policy.recovery
        self._run = Run(
            self.history.run,
            drafts,
            Recovery(self._chat, self._policy, self._offered) if self._chat and recovers else None,
        )

    def _act(self, observation: Observation, history: tuple[PastStep, ...], plan: Plan | None) -> AgentStep:
        """Return the model's decision carried through: decided again where a chosen text is not to be had."""
        advice = advise(history[self._run.since :], self._policy)
        if advice.stop or (advice.finish_only and "finish" not in self._offered):
            return loop_end(advice)
        calls: tuple[ModelCall, ...] = ()
        while True:
            before = self._before(observation, plan)
            tick = self.tick_after(before, observation, history)
            self._run.write_ahead(tick)
            try:
                step = self._finished(tick, self._written(tick, self._decide(tick, before)))
            except Unanswered as error:
                return AgentStep(action=None, end=error.end, reason=str(error), calls=calls + error.calls)
            except (ChatError, DecisionError) as error:
                error.calls = calls + error.calls
                raise
            calls += step.calls
            if step.action is not None or step.end is not None:
                return step.model_copy(update={"calls": calls})

    def _decide(self, tick: Tick, before: Before) -> AgentStep:
        """Return the model's choice as a step; one to be written has neither action nor end yet."""
        unanswered = DecidedTick(tick=tick, before=before, chosen=None)
        if not tick.candidates:
            return nothing_to_do(unanswered)
        try:
            decision = self._model.decide(tick)
        except (InvalidAnswer, NotADecision) as error:
            return unusable(unanswered, error)
        chosen = decision.candidate
        step = AgentStep(
            action=None if _is_unwritten(chosen) else to_action(chosen),
            reason=describe(chosen, tick.observation),
            calls=decision.refused_calls + ((decision.call,) if decision.call else ()),
            detail=decision_detail(decision, tick, self._run.without_text(tick)),
            note=tick.note,
            decided=unanswered.model_copy(
                update={"chosen": chosen, "exchange": decision.exchange, "probabilities": decision.probabilities}
            ),
        )
        return blocked(step, tick) if chosen.operation == "BLOCKED" else step

    def _finished(self, tick: Tick, step: AgentStep) -> AgentStep:
        """Return a finish with what it is claimed on, and with a chat model's answer where there is one (rule E1)."""
        if not isinstance(step.action, Finish):
            return step
        step = step.model_copy(update={"evidence": evidence(tick.observation)})
        if self._chat is None:
            return step
        try:
            message, calls = last_message(self._chat, tick.observation, tick.history)
        except ChatError as error:
            error.calls = step.calls + error.calls
            raise
        return step.model_copy(update={"action": Finish(message=message), "calls": step.calls + calls})

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
