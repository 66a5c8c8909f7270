"""A chat model behind any endpoint that speaks OpenAI's protocol. Knows nothing of pages; never repairs an answer."""

import time
from typing import Any, NoReturn

import anyio

from llm.chat import (
    ChatError,
    ChatReply,
    ChatRequest,
    ContextOverflow,
    CutAnswer,
    EmptyAnswer,
    FilteredAnswer,
    RefusedAnswer,
    UnusableAnswer,
)
from llm.connection import Failure, apart, connect, post
from llm.decision import ModelCall
from llm.endpoint import FIELDS, Access, Endpoint
from llm.pricing import Prices
from llm.wire import Answer, Api, Dialect, Ending, NotAnAnswer, Structured, body, read, simpler

PATHS: dict[Api, str] = {"chat": "/chat/completions", "responses": "/responses"}


class ChatClient:
    """Asks an endpoint, and says what each answer took; its latency is the whole call's, with retries and waits.

    It holds no connection, so that it needs no closing.
    """

    def __init__(self, endpoint: Endpoint, key: str | None = None, prices: Prices | None = None) -> None:
        """Without a key none is sent; nothing is read from the environment.

        Raises:
            ValueError: an address or a key that cannot be used; the message holds neither.
        """
        self.name = endpoint.model
        self.endpoint = endpoint
        self._access = Access(endpoint, key, prices)
        self._dialect = Dialect()

    @property
    def structured(self) -> Structured:
        """How the endpoint is asked for JSON: the strictest way that it was not found to refuse."""
        return self._dialect.structured

    def complete(self, request: ChatRequest) -> ChatReply:
        """Return the model's whole answer, as it was written.

        Raises:
            UnusableAnswer: cut, filtered, refused or empty, with its call; or a prompt that does not fit.
            ChatError: no answer from the endpoint after its retries.
        """
        started = time.perf_counter()
        got = apart(self._ask, request)
        if isinstance(got, Failure):
            self._fail(got)
        answer = self._read(got)
        if answer is None:
            self._fail(Failure(status=200))
        call = self._access.call("chat", answer, (time.perf_counter() - started) * 1000)
        ending = answer.ending
        if self.endpoint.api == "responses" and (answer.usage.output_tokens or 0) >= request.max_output_tokens:
            ending = "cut"  # llama.cpp calls such an answer completed
        if ending != "whole":
            self._refuse(ending, call, request.max_output_tokens)
        return ChatReply(text=answer.text, call=call)

    async def _ask(self, request: ChatRequest) -> dict[str, Any] | Failure:
        key = self._access.key
        # Cancelled at the deadline wherever it is: a timeout of the HTTP library starts again with every byte.
        with anyio.move_on_after(self.endpoint.deadline_s):
            async with connect(self.endpoint.base_url, key) as client:
                dialect: Dialect | None = self._dialect
                while dialect:
                    sent = body(
                        self.endpoint.api, request, dialect,
                        model=self.name, temperature=self.endpoint.temperature, seed=self.endpoint.seed,
                    )  # fmt: skip
                    got = await post(client, PATHS[self.endpoint.api], sent, key=key, attempts=self.endpoint.attempts)
                    if not isinstance(got, Failure):
                        self._dialect = dialect
                        return got
                    dialect = _other(dialect, got, request)
                return got
        return Failure(late=True)

    def _read(self, raw: dict[str, Any]) -> Answer | None:
        try:
            return read(self.endpoint.api, raw)
        except NotAnAnswer:
            return None

    def _refuse(self, ending: Ending, call: ModelCall, limit: int) -> NoReturn:
        calls = (call,)
        match ending:
            case "cut":
                raise CutAnswer(f"The answer was cut at its limit of {limit} tokens.", calls)
            case "filtered":
                raise FilteredAnswer("The provider's content filter held the answer back.", calls)
            case "refused":
                raise RefusedAnswer("The model refused to answer.", calls)
            case "empty":
                raise EmptyAnswer("The answer is empty.", calls)
            case "broken":
                raise UnusableAnswer("The answer holds half of a surrogate pair, which is not a character.", calls)
            case _:
                raise ChatError(f"{self._access.where} failed while it answered.", calls)

    def _fail(self, failure: Failure) -> NoReturn:
        if failure.overflow:
            raise ContextOverflow(f"The prompt does not fit the context of {self.name}; show it less.")
        if failure.filtered:
            raise FilteredAnswer("The provider's content filter held the prompt back.")
        raise ChatError(self._access.sentence(failure))


def _other(dialect: Dialect, failure: Failure, request: ChatRequest) -> Dialect | None:
    """Return what to try after a refusal that may be about the way we ask, not about what; None where it is not."""
    if failure.status not in (400, 422) or failure.overflow or failure.filtered:
        return None
    if failure.about == "max_tokens" and dialect.limit == "max_tokens":
        return dialect.model_copy(update={"limit": "max_completion_tokens"})
    # Endpoints that take no schema say so in a hundred ways; that the simpler request is taken is the proof.
    weaker = simpler(dialect.structured)
    if request.json_schema is None or weaker is None or failure.about in FIELDS:
        return None
    return dialect.model_copy(update={"structured": weaker})
