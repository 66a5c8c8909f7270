"""One question to a chat model: an unsound answer is sent back once, then it is given up. Knows no page."""

from collections.abc import Callable
from typing import TypeVar

from agent.agent import AgentEnd
from agent.messages import harmless
from agent.parser import ParseError
from agent.prompt import CHAT_CORRECTION, CHAT_NO_ANSWER
from llm.chat import (
    ChatError,
    ChatModel,
    ChatRequest,
    ContextOverflow,
    CostLimitReached,
    Message,
    UnpricedCall,
    UnusableAnswer,
)
from llm.decision import ModelCall

# Characters of a refused answer that are sent back: enough to see what it was, whatever its length.
ANSWER_SHOWN = 400

Found = TypeVar("Found")


class Unanswered(Exception):
    """The model gave no sound answer; `end` is how an episode ends on that, and `calls` are charged."""

    def __init__(self, reason: str, end: AgentEnd, calls: tuple[ModelCall, ...]) -> None:
        super().__init__(reason)
        self.end: AgentEnd = end
        self.calls = calls


class RunOver(ChatError):
    """No more calls in this run: its money is spent, or a call has no price to hold against it."""


def ask(
    model: ChatModel, build: Callable[[int], ChatRequest], read: Callable[[str], Found], prompt_tokens: int
) -> tuple[Found, tuple[ModelCall, ...]]:
    """Return what `read` makes of the model's answer, and the calls it took.

    Args:
        build: makes the request of at most so many tokens; asked for half where the first did not fit the model.
        read: raises ParseError for an unsound answer, whose reason is then sent back, once.

    Raises:
        Unanswered: the second answer is no better, or the episode's money is spent.
        RunOver: the run must stop.
        ChatError: no answer from the endpoint. Its `calls` are all that were made here.
    """
    request, refusal = build(prompt_tokens), ""
    calls: tuple[ModelCall, ...] = ()
    for _ in range(2):
        try:
            reply = model.complete(request)
        except ContextOverflow as error:
            calls, refusal, request = calls + error.calls, str(error), build(prompt_tokens // 2)
        except UnusableAnswer as error:
            calls, refusal, request = calls + error.calls, str(error), _told(request, str(error))
        except CostLimitReached as error:
            if error.scope == "run":
                raise RunOver(str(error), calls) from None
            raise Unanswered(str(error), "cost_limit", calls) from None
        except UnpricedCall as error:
            raise RunOver(str(error), calls + error.calls) from None
        except ChatError as error:
            error.calls = calls + error.calls
            raise
        else:
            calls += (reply.call,)
            try:
                return read(reply.text), calls
            except ParseError as error:
                refusal, request = str(error), _corrected(request, reply.text, str(error))
    raise Unanswered(f"No sound answer: {refusal}", "bad_output", calls)


def _corrected(request: ChatRequest, answer: str, reason: str) -> ChatRequest:
    """Return the request with the refused answer and what is wrong with it as two more turns."""
    shown = harmless(answer if len(answer) <= ANSWER_SHOWN else answer[:ANSWER_SHOWN] + "...")
    turns = (
        Message(role="assistant", content=shown.strip() or "..."),  # some endpoints refuse an empty turn
        Message(role="user", content=CHAT_CORRECTION.format(reason=reason)),
    )
    return request.model_copy(update={"messages": request.messages + turns})


def _told(request: ChatRequest, reason: str) -> ChatRequest:
    """Return the request with what went wrong at its end: there is no answer to show, and turns must alternate."""
    *before, last = request.messages
    note = CHAT_NO_ANSWER.format(reason=reason)
    told = last.model_copy(update={"content": f"{last.content}\n\n{note}"})
    return request.model_copy(update={"messages": (*before, told)})
