"""A chat with a model, as this project sees one: messages in, one text out, with what it took. Knows nothing of pages.

client.py talks to an endpoint, scripted.py answers from a script, cache.py replays what was answered before,
budget.py stops before the money is spent.

    LLMError
      ChatError            no answer: the endpoint's fault
        UnpricedCall       a limit of cost cannot be checked
        UnusableAnswer     an answer of no use: the model's fault
          CutAnswer  FilteredAnswer  RefusedAnswer  EmptyAnswer  ContextOverflow
      CostLimitReached     nothing was asked
"""

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from llm.decision import Frozen, LLMError, ModelCall


class Message(Frozen):
    """One turn of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


class ChatRequest(Frozen):
    """Everything that decides an answer, but for the endpoint and the model."""

    messages: tuple[Message, ...]
    json_schema: dict[str, Any] | None = None
    """The answer must be JSON that fits it; None for free text."""
    max_output_tokens: int = 500


class ChatReply(Frozen):
    """A whole answer, and the call it came from."""

    text: str
    call: ModelCall


class ChatError(LLMError):
    """A chat call gave no answer. `calls` are the calls it took, as far as they are known to be charged."""

    def __init__(self, message: str, calls: Sequence[ModelCall] = ()) -> None:
        super().__init__(message)
        self.calls = tuple(calls)


class UnusableAnswer(ChatError):
    """The model answered, and the answer is no use: the agent's fault, not the endpoint's."""


class CutAnswer(UnusableAnswer):
    """The answer was cut at its limit of tokens."""


class FilteredAnswer(UnusableAnswer):
    """The provider's content filter held the answer back."""


class RefusedAnswer(UnusableAnswer):
    """The model refused."""


class EmptyAnswer(UnusableAnswer):
    """The answer is empty."""


class ContextOverflow(UnusableAnswer):
    """The prompt does not fit the model's context."""


class UnpricedCall(ChatError):
    """A call's price is unknown while a limit is set: a limit that cannot be checked must not look as if it held."""


class CostLimitReached(LLMError):
    """The next call is not made: the money set aside for the episode or the run is spent."""

    def __init__(self, message: str, scope: Literal["episode", "run"] = "episode") -> None:
        super().__init__(message)
        self.scope = scope


class ChatModel(Protocol):
    """Anything that answers a chat."""

    name: str
    """The model asked for; the one that answered is in the reply's call."""

    def complete(self, request: ChatRequest) -> ChatReply:
        """Return the model's whole answer, as it was written.

        Raises:
            UnusableAnswer: the model's fault; asking again with another prompt may help.
            CostLimitReached: nothing was asked.
            ChatError: no answer from the endpoint after its retries.
        """
        ...
