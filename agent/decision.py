"""The System-1 agent: one tick is observe, decide, act. Knows models only as `DecisionModel`, no benchmark.

A `DecisionModel` picks one of a tick's candidates: in process (agent/embedded) or over a wire (`WireModel`).
"""

import time
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from pydantic import Field

from agent.agent import AgentStep, Choice, DecisionDetail
from agent.candidates import Candidate, Tick, build_candidates, to_action
from agent.history import History
from agent.prompt import RULES_VERSION
from agent.questions import OPERATION_HEAD, Request, build_request, describe, target_head
from browser.actions import CORE_ACTIONS, ActionName
from browser.observation import Frozen, Observation
from llm.decision import Answer, DecisionClient, DecisionError, InvalidAnswer, ModelCall, NotADecision, Reply

# Alternatives kept in a record: enough to see a near miss, few enough to read.
RUNNERS_UP = 5


class Ranked(Frozen):
    """A candidate with its probability among all candidates of the tick."""

    candidate: Candidate
    probability: float = Field(ge=0, le=1)


class Decision(Frozen):
    """Which candidate a model chose, and how sure it was."""

    candidate: Candidate
    operation_probability: float = Field(ge=0, le=1)
    target_probability: float = Field(ge=0, le=1)
    """Given the operation; their product is the probability of the candidate."""
    runners_up: tuple[Ranked, ...] = ()
    """The other candidates, most probable first; as many as the model cares to tell."""
    call: ModelCall | None = None
    """The call that gave the answer; None where code filled in every head and no model was asked."""
    refused_calls: tuple[ModelCall, ...] = ()
    """Calls before it whose answers were unusable."""
    filled_in_by_code: tuple[str, ...] = ()
    """Heads that had a single candidate and were not asked."""
    left_out: int = Field(default=0, ge=0)
    """Candidates that were not offered because they exceed the model's options."""


class DecisionModel(Protocol):
    """Anything that picks one of a tick's candidates."""

    name: str

    def decide(self, tick: Tick) -> Decision:
        """Return the choice among the tick's candidates, of which there is at least one.

        Raises:
            InvalidAnswer: no usable answer, even when asked again.
            NotADecision: the server answered with something else than a decision.
            DecisionError: no answer at all.
        """
        ...


class WireModel:
    """A decision client as a DecisionModel: a tick is one request of an operation head and target heads."""

    def __init__(self, client: DecisionClient) -> None:
        self._client = client
        self.name = client.name

    def decide(self, tick: Tick) -> Decision:
        """Return the chosen operation's chosen candidate; see `DecisionModel`."""
        request = build_request(tick, self._client.max_options)
        if not request.questions:
            return _read(request, {})
        reply, refused = self._ask(request)
        return _read(request, reply.answers).model_copy(update={"call": reply.call, "refused_calls": refused})

    def _ask(self, request: Request) -> tuple[Reply, tuple[ModelCall, ...]]:
        """Return the reply and the calls refused before it; a second unusable answer is final."""
        started = time.perf_counter()
        try:
            return self._client.ask(request.state, request.questions), ()
        except InvalidAnswer as error:
            refused = self._charged(error, started)
        started = time.perf_counter()
        try:
            return self._client.ask(request.state, request.questions), refused
        except InvalidAnswer as error:
            raise InvalidAnswer(str(error), refused + self._charged(error, started)) from error
        except DecisionError as error:
            raise type(error)(str(error), refused + error.calls) from error

    def _charged(self, error: InvalidAnswer, started: float) -> tuple[ModelCall, ...]:
        """Return the calls an unusable answer took; where the client does not tell, one of unknown tokens and cost."""
        elapsed_ms = (time.perf_counter() - started) * 1000
        return error.calls or (ModelCall(kind="decision", model=self.name, latency_ms=elapsed_ms),)


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
    ) -> None:
        """The last two are options of `build_candidates`."""
        self.name = name
        self.config: dict[str, Any] = {
            "agent": name,
            "model": model.name,
            "offered": list(offered),
            "allow_goal_credentials": allow_goal_credentials,
            "computed_values": computed_values,
            "rules": RULES_VERSION,
        }
        self._model = model
        self._offered = offered
        self._allow_goal_credentials = allow_goal_credentials
        self._computed_values = computed_values
        self._history = History()

    def reset(self) -> None:
        """Forget the last episode."""
        self._history = History()

    def step(self, observation: Observation) -> AgentStep:
        """Return the next action; without one, end "blocked" and say why.

        Raises:
            DecisionError: the model gave no answer at all.
        """
        started = time.perf_counter()
        self._history.see(observation)
        step = self._decide(observation)
        self._history.decided(step.action, observation)
        return step.model_copy(update={"decide_ms": (time.perf_counter() - started) * 1000})

    def _decide(self, observation: Observation) -> AgentStep:
        history = tuple(self._history.steps)
        candidates = build_candidates(
            observation.goal,
            observation,
            history,
            self._offered,
            allow_goal_credentials=self._allow_goal_credentials,
            computed_values=self._computed_values,
        )
        if not candidates:
            return AgentStep(action=None, end="blocked", reason="Nothing on this page can be acted on.")
        tick = Tick(goal=observation.goal, observation=observation, history=history, candidates=candidates)
        try:
            decision = self._model.decide(tick)
        except (InvalidAnswer, NotADecision) as error:
            return AgentStep(action=None, end="blocked", reason=f"No usable decision: {error}", calls=error.calls)
        action = to_action(decision.candidate)
        return AgentStep(
            action=action,
            end="blocked" if action is None else None,
            reason=describe(decision.candidate, observation),
            calls=decision.refused_calls + ((decision.call,) if decision.call else ()),
            detail=_detail(decision, tick),
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


def _read(request: Request, answers: Mapping[str, Answer]) -> Decision:
    """Return the decision that validated answers mean."""
    operation = _answer(OPERATION_HEAD, request.options, answers)
    targets = {name: _answer(target_head(name), options, answers) for name, options in request.options.items()}
    shares = {
        (name, key): Ranked(candidate=c, probability=operation.probabilities[name] * targets[name].probabilities[key])
        for name, options in request.options.items()
        for key, c in options.items()
    }
    name = next(name for name in request.options if name == operation.choice)
    target = targets[name]
    chosen = shares.pop((name, target.choice))
    return Decision(
        candidate=chosen.candidate,
        operation_probability=operation.probabilities[name],
        target_probability=target.probabilities[target.choice],
        runners_up=tuple(sorted(shares.values(), key=lambda other: -other.probability)),
        filled_in_by_code=request.filled_in_by_code,
        left_out=request.left_out,
    )


def _answer(head: str, options: Iterable[str], answers: Mapping[str, Answer]) -> Answer:
    """Return a head's answer; one that was not asked has a single option, which is certain."""
    if head in answers:
        return answers[head]
    (only,) = options
    return Answer(choice=only, probabilities={only: 1.0})
