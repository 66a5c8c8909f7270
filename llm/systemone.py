"""The decision wire over HTTP: TypeSafe's `/v1/systemone`, any server that speaks it, and OpenRouter's decisions.

Knows nothing of pages. A key of the one service is never sent to the other.
"""

import time
from collections.abc import Mapping
from typing import Any, Literal, NoReturn
from urllib.parse import urlsplit

import anyio
from pydantic import JsonValue

from llm.connection import LOOPBACK, Failure, apart, connect, post
from llm.decision import (
    MAX_OPTIONS,
    ChoiceQuestion,
    DecisionError,
    InvalidAnswer,
    NotADecision,
    Reply,
    validate,
)
from llm.endpoint import Access, Address
from llm.pricing import JEV_PRICE, Prices
from llm.wire import read_charged, sendable

ServiceName = Literal["typesafe", "openrouter"]

TYPESAFE_URL = "https://api.typesafe.ai"
OPENROUTER_URL = "https://openrouter.ai/api/alpha"
# Pinned: `jev-latest` moves, and two runs that compare must have asked the same model.
TYPESAFE_MODEL = "jev-1.13.0"
OPENROUTER_MODEL = "typesafe/jev-1.13"
TYPESAFE_KEY = "TYPESAFE_API_KEY"
TYPESAFE_BASE_URL = "TYPESAFE_BASE_URL"
OPENROUTER_KEY = "OPENROUTER_API_KEY"
OPENROUTER_HOST = "openrouter.ai"
# What keys of OpenRouter begin with.
OPENROUTER_MARK = "sk-or-"
# Jev answers within 1.3 s; a connection that is dead must not hold a step up.
DEADLINE_S = 5.0
# The first and one retry, both before the deadline.
ATTEMPTS = 2


def typesafe(
    base_url: str = TYPESAFE_URL, model: str = TYPESAFE_MODEL, *, key_variable: str = TYPESAFE_KEY,
    deadline_s: float = DEADLINE_S,
) -> Address:  # fmt: skip
    """Return the address of TypeSafe, or of any server that speaks its protocol."""
    return Address(model=model, base_url=base_url, key_variable=key_variable, deadline_s=deadline_s, attempts=ATTEMPTS)


def openrouter(
    model: str = OPENROUTER_MODEL, *, base_url: str = OPENROUTER_URL, deadline_s: float = DEADLINE_S
) -> Address:
    """Return the address of OpenRouter's decisions; another base URL is for tests on this machine."""
    return Address(
        model=model, base_url=base_url, key_variable=OPENROUTER_KEY, deadline_s=deadline_s, attempts=ATTEMPTS
    )


class SystemOneClient:
    """Asks all questions about a state in one request; holds no connection, so that it needs no closing."""

    max_options = MAX_OPTIONS

    def __init__(
        self, service: ServiceName, address: Address, key: str | None = None, prices: Prices | None = None
    ) -> None:
        """Without a key none is sent; nothing is read from the environment.

        Raises:
            ValueError: an address or a key that cannot be used, or a key that belongs to the other service; the message
                holds neither.
        """
        self.name = f"{service}:{address.model}"
        self._service = service
        self._address = address
        self._access = Access(address, key, prices, wanted="decision", hint="it ends before /v1/systemone")
        host = urlsplit(address.base_url).hostname or ""
        self._price = JEV_PRICE if host == urlsplit(TYPESAFE_URL).hostname else None
        _check_key(service, host, key)

    @property
    def identity(self) -> dict[str, JsonValue]:
        """What decides an answer beside the request."""
        return self._address.identity | {"api": self._service}

    def ask(self, state: str, questions: Mapping[str, ChoiceQuestion]) -> Reply:
        """Return validated answers to all questions.

        Raises:
            InvalidAnswer: an answer that does not fit its question.
            NotADecision: the server refuses, fails, or sends no decision.
            DecisionError: no connection, or no whole answer before the deadline.
        """
        started = time.perf_counter()
        got = apart(self._send, self._body(state, questions))
        if isinstance(got, Failure):
            self._fail(got)
        elapsed_ms = (time.perf_counter() - started) * 1000
        call = self._access.call("decision", read_charged(got), elapsed_ms, self._price)
        if not isinstance(got.get("answers"), Mapping):
            raise NotADecision(self._access.sentence(Failure(status=200)), (call,))
        try:
            return Reply(answers=validate(got["answers"], questions), call=call)
        except InvalidAnswer as error:
            raise InvalidAnswer(str(error), (call,)) from None

    def _body(self, state: str, questions: Mapping[str, ChoiceQuestion]) -> dict[str, Any]:
        # OpenRouter takes no null as a description.
        nulls = self._service == "typesafe"
        asked = {key: _sendable(question).raw(nulls=nulls) for key, question in questions.items()}
        return {"model": self._address.model, "state": sendable(state), "questions": asked}

    async def _send(self, body: dict[str, Any]) -> dict[str, Any] | Failure:
        address, key = self._address, self._access.key
        # Cancelled at the deadline wherever it is: a timeout of the HTTP library starts again with every byte.
        with anyio.move_on_after(address.deadline_s):
            if self._service == "typesafe":
                from llm.typesafe import post_typesafe  # the package is imported only where it is used

                return await post_typesafe(
                    address.base_url, body, key=key, attempts=address.attempts, deadline_s=address.deadline_s
                )
            async with connect(address.base_url, key) as client:
                return await post(client, "/decisions", body, key=key, attempts=address.attempts)
        return Failure(late=True)

    def _fail(self, failure: Failure) -> NoReturn:
        sentence = self._access.sentence(failure)
        # Nobody answered: that says nothing about the model.
        raise DecisionError(sentence) if failure.late or failure.status is None else NotADecision(sentence)


def _sendable(question: ChoiceQuestion) -> ChoiceQuestion:
    criteria = {key: None if text is None else sendable(text) for key, text in question.criteria.items()}
    return ChoiceQuestion(instructions=sendable(question.instructions), criteria=criteria)


def _check_key(service: ServiceName, host: str, key: str | None) -> None:
    at_openrouter = host == OPENROUTER_HOST or host.endswith(f".{OPENROUTER_HOST}")
    if service == "openrouter" and not at_openrouter and host not in LOOPBACK:
        raise ValueError("The decision model openrouter is asked on openrouter.ai alone; for another server, typesafe.")
    if service == "typesafe" and at_openrouter:
        raise ValueError("OpenRouter is asked with a key of its own: choose the decision model openrouter.")
    if service == "typesafe" and (key or "").startswith(OPENROUTER_MARK):
        raise ValueError("The key for typesafe is one of OpenRouter's: choose the decision model openrouter for it.")
