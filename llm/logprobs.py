"""Any chat endpoint that tells the probabilities of tokens, as a decision client. Knows nothing of pages.

Each question is put twice, with its options in the given and in the reversed order, because models favour places; the
two are averaged.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import anyio
import openai
from pydantic import JsonValue

from llm.ballot import LETTERS, LOG_TOLERANCE, RULES, NoLetter, ballot, letter_shares
from llm.chat import ChatRequest, Message
from llm.connection import Failure, apart, connect, post
from llm.decision import (
    MAX_OPTIONS,
    ChoiceQuestion,
    DecisionError,
    InvalidAnswer,
    ModelCall,
    NotADecision,
    Reply,
    one_call,
    validate,
)
from llm.endpoint import FIELDS, Access, Endpoint
from llm.pricing import Prices
from llm.tournament import Shares, Votes, likeliest, tournament
from llm.wire import LARGEST, Dialect, NotAnAnswer, body, read

# How many tokens an endpoint is asked to list, from OpenAI's bound down to what the strictest known ones allow.
LISTED = (20, 8, 5)
# llama.cpp lists as many as it is asked for: enough for a letter that a small model finds unlikely.
LISTED_LOCALLY = 100
PATH = "/chat/completions"


class LogprobsClient:
    """Asks for one token and reads the probabilities of the letters among those it might have been."""

    # A tournament takes any number; more would be another wire's request.
    max_options = MAX_OPTIONS

    def __init__(
        self, endpoint: Endpoint, key: str | None = None, prices: Prices | None = None, *, listed: int | None = None
    ) -> None:
        """`listed` is how many tokens the endpoint is asked to list, and the most letters a vote has; fewer where it
        refuses so many.

        Raises:
            ValueError: an address or a key that cannot be used, another interface than chat, or fewer than 2 tokens.
        """
        if endpoint.api != "chat":
            raise ValueError("Tokens' probabilities are read from OpenAI's chat interface, not from its Responses API.")
        if listed is None:
            listed = LISTED_LOCALLY if endpoint.local else LISTED[0]
        if listed < 2:
            raise ValueError(f"{listed} listed tokens cannot tell two options apart; ask for at least 2.")
        self.name = f"logprobs:{endpoint.model}"
        self.endpoint = endpoint
        self._access = Access(endpoint, key, prices)
        self._dialect = Dialect(structured="plain")
        self._listed = listed

    @property
    def identity(self) -> dict[str, JsonValue]:
        """What decides an answer beside the request."""
        return self.endpoint.identity | {"api": "logprobs"}

    def ask(self, state: str, questions: Mapping[str, ChoiceQuestion]) -> Reply:
        """Return validated answers; their one call sums up all requests that they took.

        Raises:
            InvalidAnswer: the model was about to begin with none of the letters.
            NotADecision: the endpoint refuses, fails, or lists no probabilities.
            DecisionError: no connection, or no whole answer before the deadline.
        """
        started = time.perf_counter()
        asking = _Asking(state, questions)
        fault: DecisionError | None = None
        try:
            apart(self._ask, asking)
        except DecisionError as error:
            fault = error
        calls: tuple[ModelCall, ...] = (
            (one_call(asking.calls, (time.perf_counter() - started) * 1000),) if asking.calls else ()
        )
        if fault is not None:
            # What was asked before it is charged too.
            raise type(fault)(str(fault), calls)
        raw = {key: {"choice": likeliest(shares), "probabilities": shares} for key, shares in asking.shares.items()}
        return Reply(answers=validate(raw, questions), call=calls[0])

    async def _ask(self, asking: "_Asking") -> None:
        # Cancelled at the deadline wherever it is: a timeout of the HTTP library starts again with every byte.
        with anyio.move_on_after(self.endpoint.deadline_s):
            async with connect(self.endpoint.base_url, self._access.key) as client:
                while failure := await self._put(client, asking):
                    if asking.calls or not self._adapt(failure):
                        self._fail(failure)
                return
        self._fail(Failure(late=True))

    async def _put(self, client: openai.AsyncOpenAI, asking: "_Asking") -> Failure | None:
        """Put all questions, and return the endpoint's failure if there is one."""
        size = min(self._listed, len(LETTERS))
        try:
            for key, question in asking.questions.items():
                votes = tournament(list(question.criteria), size)
                asking.shares[key] = await self._hold(client, asking, question, votes)
        except _Failed as failed:
            return failed.failure
        return None

    async def _hold(
        self, client: openai.AsyncOpenAI, asking: "_Asking", question: ChoiceQuestion, votes: Votes
    ) -> Shares:
        """Return what all votes on a question come to, each held in two orders."""
        options = next(votes)
        while True:
            given = await self._vote(client, asking, question, options)
            reverse = await self._vote(client, asking, question, options[::-1])
            try:
                options = votes.send({option: (given[option] + reverse[option]) / 2 for option in options})
            except StopIteration as done:
                return dict(done.value)

    async def _vote(
        self, client: openai.AsyncOpenAI, asking: "_Asking", question: ChoiceQuestion, options: Sequence[str]
    ) -> Shares:
        words = Message(role="user", content=ballot(asking.state, question, options))
        request = ChatRequest(messages=(Message(role="system", content=RULES), words), max_output_tokens=1)
        temperature, seed = self.endpoint.temperature, self.endpoint.seed
        sent = body("chat", request, self._dialect, model=self.endpoint.model, temperature=temperature, seed=seed)
        sent |= {"logprobs": True, "top_logprobs": self._listed}
        started = time.perf_counter()
        got = await post(client, PATH, sent, key=self._access.key, attempts=self.endpoint.attempts)
        if isinstance(got, Failure):
            raise _Failed(got)
        try:
            answer = read("chat", got)
        except NotAnAnswer:
            raise _Failed(Failure(status=200)) from None
        asking.calls.append(self._access.call("decision", answer, (time.perf_counter() - started) * 1000))
        tokens = _first_tokens(got)
        if not tokens:
            raise NotADecision(
                f"{self._access.where} answered without the probabilities of tokens; use an endpoint and a model that"
                " tell logprobs."
            )
        try:
            return dict(zip(options, letter_shares(tokens, len(options)), strict=True))
        except NoLetter:
            raise InvalidAnswer(
                f"{self.endpoint.model} was about to begin with none of the options' letters."
            ) from None

    def _adapt(self, failure: Failure) -> bool:
        """Change the way we ask after a refusal that may be about it; False where nothing is left to change."""
        if failure.status not in (400, 422) or failure.overflow or failure.filtered:
            return False
        if failure.about == "max_tokens" and self._dialect.limit == "max_tokens":
            self._dialect = self._dialect.model_copy(update={"limit": "max_completion_tokens"})
            return True
        fewer = [count for count in LISTED if count < self._listed]
        # Endpoints that list fewer say so in many ways; that the smaller request is taken is the proof.
        if failure.about in FIELDS - {"top_logprobs"} or not fewer:
            return False
        self._listed = fewer[0]
        return True

    def _fail(self, failure: Failure) -> NoReturn:
        if failure.late or failure.status is None:
            raise DecisionError(self._access.sentence(failure))
        if failure.overflow:
            raise NotADecision(f"The state does not fit the context of {self.endpoint.model}; show it less.")
        if failure.filtered:
            raise NotADecision(f"The content filter of {self._access.where} held the state back.")
        raise NotADecision(self._access.sentence(failure))


@dataclass
class _Asking:
    """One `ask` under way: what it has so far, also where it fails."""

    state: str
    questions: Mapping[str, ChoiceQuestion]
    shares: dict[str, Shares] = field(default_factory=dict)
    calls: list[ModelCall] = field(default_factory=list)


class _Failed(Exception):
    """The endpoint gave no answer to a vote."""

    def __init__(self, failure: Failure) -> None:
        super().__init__()
        self.failure = failure


def _first_tokens(raw: Mapping[str, Any]) -> list[tuple[str, float]]:
    """Return the tokens listed for the first place with the logarithms of their probabilities; nothing is trusted."""
    try:
        listed = raw["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
        pairs = [(entry["token"], entry["logprob"]) for entry in listed]
    except (LookupError, TypeError):
        return []
    return [(token, float(logprob)) for token, logprob in pairs if isinstance(token, str) and _is_log(logprob)]


def _is_log(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return -LARGEST < value <= LOG_TOLERANCE  # false for NaN, and for integers too large to be a float
