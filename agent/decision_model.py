"""What picks one of a tick's candidates: the protocol, and a decision client over a wire as one. Knows no benchmark."""

import math
import time
from collections.abc import Iterable, Mapping
from typing import Protocol

from pydantic import Field

from agent.decided import Exchange
from agent.questions import JOINT_HEAD, OPERATION_HEAD, Request, build_request, joint_id, target_head
from agent.tick import Candidate, Operation, Tick
from browser.observation import Frozen
from llm.decision import Answer, DecisionClient, DecisionError, InvalidAnswer, ModelCall, Reply

# An operation, and the id of one of its candidates.
_Place = tuple[Operation, str]


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
    probabilities: tuple[float, ...] = ()
    """Of each candidate, in the tick's order, from a model that scores them all at once."""
    exchange: Exchange | None = None
    """What was asked and answered, from a model behind a wire."""
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
            return self._told(request, {})
        reply, refused = self._ask(request)
        decision = self._told(request, reply.answers)
        return decision.model_copy(update={"call": reply.call, "refused_calls": refused})

    def _told(self, request: Request, answers: dict[str, Answer]) -> Decision:
        exchange = Exchange(
            state=request.state, questions=request.questions, answers=answers, max_options=self._client.max_options
        )
        return _read(request, answers).model_copy(update={"exchange": exchange})

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


def _read(request: Request, answers: Mapping[str, Answer]) -> Decision:
    """Return the decision that validated answers mean."""
    return _read_joint(request, answers) if request.joint else _read_heads(request, answers)


def _read_heads(request: Request, answers: Mapping[str, Answer]) -> Decision:
    operation = _answer(OPERATION_HEAD, request.options, answers)
    targets = {name: _answer(target_head(name), options, answers) for name, options in request.options.items()}
    shares = {
        (name, key): operation.probabilities[name] * targets[name].probabilities[key]
        for name, options in request.options.items()
        for key in options
    }
    name = next(name for name in request.options if name == operation.choice)
    target = targets[name]
    return _decision(
        request, shares, (name, target.choice), operation.probabilities[name], target.probabilities[target.choice]
    )


def _read_joint(request: Request, answers: Mapping[str, Answer]) -> Decision:
    """Return the chosen candidate; its operation's probability is the sum over that operation's."""
    ids = {joint_id(name, key): (name, key) for name, options in request.options.items() for key in options}
    answer = _answer(JOINT_HEAD, ids, answers)
    shares = {place: answer.probabilities[joint] for joint, place in ids.items()}
    chosen = ids[answer.choice]
    operation = min(1.0, math.fsum(share for (name, _), share in shares.items() if name == chosen[0]))
    return _decision(request, shares, chosen, operation, min(1.0, shares[chosen] / operation))


def _decision(
    request: Request, shares: dict[_Place, float], chosen: _Place, operation: float, target: float
) -> Decision:
    others = [
        Ranked(candidate=request.options[name][key], probability=min(1.0, share))
        for (name, key), share in shares.items()
        if (name, key) != chosen
    ]
    return Decision(
        candidate=request.options[chosen[0]][chosen[1]],
        operation_probability=operation,
        target_probability=target,
        runners_up=tuple(sorted(others, key=lambda other: -other.probability)),
        filled_in_by_code=request.filled_in_by_code,
        left_out=request.left_out,
    )


def _answer(head: str, options: Iterable[str], answers: Mapping[str, Answer]) -> Answer:
    """Return a head's answer; one that was not asked has a single option, which is certain."""
    if head in answers:
        return answers[head]
    (only,) = options
    return Answer(choice=only, probabilities={only: 1.0})
