"""A chat model behind any endpoint that speaks OpenAI's protocol. Knows nothing of pages; never repairs an answer."""

import time
from typing import Any, NoReturn
from urllib.parse import urlsplit

import anyio
from anyio.from_thread import start_blocking_portal
from pydantic import Field, JsonValue, SecretStr

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
from llm.connection import Failure, connect, post
from llm.decision import Frozen, ModelCall
from llm.pricing import Prices
from llm.wire import Answer, Api, Dialect, Ending, NotAnAnswer, Structured, body, read, simpler

PATHS: dict[Api, str] = {"chat": "/chat/completions", "responses": "/responses"}


class Endpoint(Frozen):
    """Which model is asked where and how; everything of a client but its key."""

    model: str
    base_url: str = "https://api.openai.com/v1"
    temperature: float | None = 0.0
    """None leaves it to the endpoint; some models take no other."""
    seed: int | None = None
    """Not sent to the Responses API, which knows none."""
    api: Api = "chat"
    deadline_s: float = Field(default=120.0, gt=0)
    """For a whole call, with its retries and waits."""
    attempts: int = Field(default=6, ge=1)
    """How often a call is tried at most: with doubling waits, six take some 12 seconds."""
    local: bool = False
    """Whether llm/serve.py serves it: nothing is charged then, and the address is chance."""
    key_variable: str = "OPENAI_API_KEY"
    """The environment variable that the key comes from; only to name it in messages."""

    @property
    def identity(self) -> dict[str, JsonValue]:
        """What decides an answer beside the request. A port is chance, and an address may hold a password."""
        address = urlsplit(self.base_url)
        place = "local" if self.local else f"{address.hostname}{address.path.rstrip('/')}"
        return {
            "endpoint": place, "model": self.model, "api": self.api,
            "temperature": self.temperature, "seed": self.seed,
        }  # fmt: skip


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
        self._where = _checked_address(endpoint.base_url)
        # An HTTP library would quote a key that it cannot send.
        if key is not None and not (key.isascii() and key.isprintable() and key and " " not in key):
            raise ValueError(f"The key in {endpoint.key_variable} holds a space, a line break or no key at all.")
        self._key = None if key is None else SecretStr(key)
        self._prices = prices or Prices()
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
        # In a thread of its own: a browser's driver or a notebook may have an event loop running in this one.
        with start_blocking_portal() as portal:
            got = portal.call(self._ask, request)
        if isinstance(got, Failure):
            self._fail(got)
        answer = self._read(got)
        if answer is None:
            self._fail(Failure(status=200))
        call = self._call(answer, (time.perf_counter() - started) * 1000)
        ending = answer.ending
        if self.endpoint.api == "responses" and (answer.usage.output_tokens or 0) >= request.max_output_tokens:
            ending = "cut"  # llama.cpp calls such an answer completed
        if ending != "whole":
            self._refuse(ending, call, request.max_output_tokens)
        return ChatReply(text=answer.text, call=call)

    async def _ask(self, request: ChatRequest) -> dict[str, Any] | Failure:
        key = self._key.get_secret_value() if self._key else None
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

    def _call(self, answer: Answer, latency_ms: float) -> ModelCall:
        model = answer.model or self.name
        call = ModelCall(kind="chat", model=model, usage=answer.usage, latency_ms=latency_ms)
        if self.endpoint.local:
            return call.model_copy(update={"cost_usd": 0.0, "cost_source": "local server"})
        if answer.cost_usd is not None:
            return call.model_copy(update={"cost_usd": answer.cost_usd, "cost_source": "provider"})
        cost_usd, source = self._prices.cost((model, self.name), answer.usage, self.endpoint.base_url)
        return call.model_copy(update={"cost_usd": cost_usd, "cost_source": source})

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
                raise ChatError(f"{self._where} failed while it answered.", calls)

    def _fail(self, failure: Failure) -> NoReturn:
        if failure.overflow:
            raise ContextOverflow(f"The prompt does not fit the context of {self.name}; show it less.")
        if failure.filtered:
            raise FilteredAnswer("The provider's content filter held the prompt back.")
        raise ChatError(self._sentence(failure))

    def _sentence(self, failure: Failure) -> str:
        where, variable = self._where, self.endpoint.key_variable
        tried = f"{failure.attempts} attempts" if failure.attempts > 1 else "one attempt"
        if failure.late:
            return f"{where} gave no whole answer within {self.endpoint.deadline_s:g} seconds; give it more time."
        if failure.quota or failure.status == 402:
            return f"{where} says that the account has no money left ({failure.status})."
        match failure.status:
            case None:
                return f"No connection to {where} held in {tried}; is it running, and is the base URL right?"
            case 401 | 403 if self._key is None:
                return f"{where} asks for a key ({failure.status}); set one in {variable}."
            case 401 | 403:
                return f"{where} refuses the key in {variable} ({failure.status}); set one that may use {self.name}."
            case 404:
                return f"{where} knows no model {self.name}, or the base URL is wrong (404); most end in /v1."
            case 429:
                asked = f", and asks to wait {failure.wait_s:.0f} seconds" if failure.wait_s else ""
                return f"{where} still says that it is asked too often (429) after {tried}{asked}; use fewer workers."
            case status if status >= 500:
                return f"{where} failed ({status}) in {tried}; try again later."
            case status if status < 300:
                return f"{where} answered with no chat completion; is the base URL right? Most end in /v1."
            case status:
                named = f" for its {failure.about!r}" if failure.about in _FIELDS else ""
                return f"{where} refuses the request{named} ({status}); check the model, base URL and options."


# Names of our own that a message may repeat; any other word of an answer could be anything.
_FIELDS = frozenset(
    {"model", "temperature", "seed", "messages", "input", "max_tokens", "max_completion_tokens", "max_output_tokens"}
)


def _other(dialect: Dialect, failure: Failure, request: ChatRequest) -> Dialect | None:
    """Return what to try after a refusal that may be about the way we ask, not about what; None where it is not."""
    if failure.status not in (400, 422) or failure.overflow or failure.filtered:
        return None
    if failure.about == "max_tokens" and dialect.limit == "max_tokens":
        return dialect.model_copy(update={"limit": "max_completion_tokens"})
    # Endpoints that take no schema say so in a hundred ways; that the simpler request is taken is the proof.
    weaker = simpler(dialect.structured)
    if request.json_schema is None or weaker is None or failure.about in _FIELDS:
        return None
    return dialect.model_copy(update={"structured": weaker})


def _checked_address(base_url: str) -> str:
    """Return the host and port of an address, for messages."""
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        usable = False
    if not usable:
        raise ValueError("The base URL is not an http or https address.")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("The base URL holds a user, a query or a fragment; keys belong in the environment.")
    return f"{parts.hostname}{port}"
