"""The decision wire's types and its one validator: choice questions in, probabilities out. Knows nothing of pages.

A decision client answers several choice questions about one state in one request, as `/v1/systemone` does. What
comes back is not trusted: `validate` is the only way from a raw answer to an `Answer`, for every client.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, JsonValue

# A served distribution is rounded to a few digits; more than this is another distribution.
SUM_TOLERANCE = 0.02
# Two options may tie up to rounding, and either is then the peak.
PEAK_TOLERANCE = 1e-6
# The wire's documented bound on one choice question.
MAX_OPTIONS = 255


CostSource = Literal["in process", "local server", "provider", "price file", "configuration", "price table", "replayed"]
"""Where a call's dollars come from. Nothing is charged in this process, by a server of our own, and for a recorded
answer; else the provider said so, the user's file of prices does, a price written down here, or the bundled table."""


class Frozen(BaseModel):
    """A value that crosses a folder's border: immutable, no unknown keys, no silent conversion."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class LLMError(Exception):
    """Root of what this package raises on purpose. Messages never hold a key or a response body."""


class DecisionError(LLMError):
    """A decision client gave no usable answer.

    `calls` are the calls that were made for it, where the one who raises knows them: a refused answer is charged too.
    """

    def __init__(self, message: str, calls: "tuple[ModelCall, ...]" = ()) -> None:
        super().__init__(message)
        self.calls = calls


class InvalidAnswer(DecisionError):
    """The answer does not fit the questions; asking once more may help."""


class NotADecision(DecisionError):
    """The server answered with something else: it refused the request, failed, or sent no decision. Asking again does
    not help, and the agent's turn ends here; where no server was reached at all, a plain DecisionError says so."""


class Usage(Frozen):
    """Tokens of one call; None where the provider does not say."""

    input_tokens: int | None = None
    cached_tokens: int | None = None
    """The part of the input that was charged as read from the provider's cache."""
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    """The part of the output that is not in the answer."""


class ModelCall(Frozen):
    """One call to a model, as it is charged and recorded."""

    kind: str
    """"decision", "chat" or "writer"."""
    model: str
    """The name the provider answered with, not the one asked for."""
    usage: Usage = Usage()
    cost_usd: float | None = None
    """Dollars; None where the price is unknown, never 0 for that."""
    cost_source: CostSource | None = None
    latency_ms: float = 0.0
    replayed: bool = False
    """Answered from a recording: the tokens are those of the recorded call, cost and latency are this one's own."""


class ChoiceQuestion(Frozen):
    """One question with 1 to 255 options: option id to description (None where the id says it all)."""

    instructions: str
    criteria: dict[str, str | None]

    def raw(self, *, nulls: bool = True) -> dict[str, Any]:
        """Return the question as the wire has it; without nulls, for who takes none, an id describes itself."""
        criteria = {key: key if text is None and not nulls else text for key, text in self.criteria.items()}
        return {"type": "choice", "instructions": self.instructions, "criteria": criteria}


class Answer(Frozen):
    """A validated answer: the choice, and a probability for exactly the offered ids."""

    choice: str
    probabilities: dict[str, float]


class Reply(Frozen):
    """All answers of one request, by question id, with the call that produced them."""

    answers: dict[str, Answer]
    call: ModelCall


class DecisionClient(Protocol):
    """Anything that answers choice questions about a state."""

    name: str
    max_options: int

    @property
    def identity(self) -> dict[str, JsonValue]:
        """What decides an answer beside the request; it holds no key."""
        ...

    def ask(self, state: str, questions: Mapping[str, ChoiceQuestion]) -> Reply:
        """Return validated answers to all questions.

        Raises:
            InvalidAnswer: an answer that `validate` refuses.
            NotADecision: the server answered with something else than a decision.
            DecisionError: no answer at all.
        """
        ...


def in_process(name: str) -> dict[str, JsonValue]:
    """Return the identity of a model that runs in this process."""
    return {"endpoint": "in process", "model": name}


def one_call(calls: Sequence[ModelCall], latency_ms: float) -> ModelCall:
    """Return several calls to one model as one: tokens and dollars are summed, and unknown as soon as one is."""

    def summed(parts: Sequence[Any]) -> Any:
        known = [part for part in parts if part is not None]
        return sum(known) if len(known) == len(parts) else None

    first = calls[0]
    usage = {name: summed([getattr(call.usage, name) for call in calls]) for name in Usage.model_fields}
    cost_usd = summed([call.cost_usd for call in calls])
    return first.model_copy(
        update={
            "usage": Usage.model_validate(usage),
            "cost_usd": cost_usd,
            "cost_source": None if cost_usd is None else first.cost_source,
            "latency_ms": latency_ms,
        }
    )


def validate(raw: object, questions: Mapping[str, ChoiceQuestion]) -> dict[str, Answer]:
    """Return typed answers if a raw `answers` object answers every question soundly.

    Sound is: every asked question is there and no other; the choice is among the offered ids; there is a probability
    for exactly those ids, each a finite number in [0, 1]; they sum to 1 within 0.02 and none exceeds the choice's.

    Raises:
        InvalidAnswer: the first thing that is wrong, quoting question ids only.
    """
    if not isinstance(raw, Mapping):
        raise InvalidAnswer("The decision model's answers are not an object.")
    missing = [key for key in questions if key not in raw]
    if missing:
        raise InvalidAnswer(f"The decision model left out the answer to {missing[0]!r}.")
    if len(raw) != len(questions):
        raise InvalidAnswer("The decision model answered a question that was not asked.")
    return {key: _validate_one(key, raw[key], question) for key, question in questions.items()}


def _validate_one(key: str, raw: object, question: ChoiceQuestion) -> Answer:
    if not isinstance(raw, Mapping):
        raise InvalidAnswer(f"The answer to {key!r} is not an object.")
    choice, probabilities = raw.get("choice"), raw.get("probabilities")
    if not isinstance(choice, str) or choice not in question.criteria:
        raise InvalidAnswer(f"The answer to {key!r} is not one of its options.")
    if not isinstance(probabilities, Mapping) or set(probabilities) != set(question.criteria):
        raise InvalidAnswer(f"The answer to {key!r} has no probability for exactly its options.")
    values = {option: _probability(key, value) for option, value in probabilities.items()}
    if abs(math.fsum(values.values()) - 1) > SUM_TOLERANCE:
        raise InvalidAnswer(f"The probabilities of {key!r} do not sum to 1.")
    if values[choice] < max(values.values()) - PEAK_TOLERANCE:
        raise InvalidAnswer(f"The answer to {key!r} is not its most probable option.")
    return Answer(choice=choice, probabilities=values)


def _probability(key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidAnswer(f"A probability of {key!r} is not a number.")
    if not 0 <= value <= 1:  # also false for NaN, and for integers too large to be a float
        raise InvalidAnswer(f"A probability of {key!r} is not in [0, 1].")
    return float(value)
