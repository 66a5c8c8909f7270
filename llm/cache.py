"""Models that record another's answers and replay them, so that a run can be run again without key or cost.

One for chats and one for decisions; both keep their answers in recordings.py's folder.
"""

import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import JsonValue

from llm.chat import (
    ChatModel,
    ChatReply,
    ChatRequest,
    ContextOverflow,
    CutAnswer,
    EmptyAnswer,
    FilteredAnswer,
    RefusedAnswer,
    UnusableAnswer,
)
from llm.decision import (
    Answer,
    ChoiceQuestion,
    DecisionClient,
    DecisionError,
    Frozen,
    InvalidAnswer,
    ModelCall,
    NotADecision,
    Reply,
    validate,
)
from llm.recordings import CacheMiss, Recording, Recordings, recorded, replayed, write_recording

__all__ = ["CacheMiss", "CacheMode", "CachedChat", "CachedDecisions", "recorded_identities"]

CacheMode = Literal["off", "record", "replay"]
# What a model may answer without it being an answer: recorded by name, because the agent goes on or ends with it.
UNUSABLE: dict[str, type[UnusableAnswer]] = {
    error.__name__: error
    for error in (UnusableAnswer, CutAnswer, FilteredAnswer, RefusedAnswer, EmptyAnswer, ContextOverflow)
}
UNDECIDED: dict[str, type[DecisionError]] = {error.__name__: error for error in (InvalidAnswer, NotADecision)}


class ChatRecording(Recording):
    """One call of a chat."""

    failures = frozenset(UNUSABLE)
    request: ChatRequest
    text: str = ""


class DecisionRequest(Frozen):
    """Everything that decides the answers of a decision model, but for the model."""

    state: str
    questions: dict[str, ChoiceQuestion]


class DecisionRecording(Recording):
    """One call of a decision model."""

    failures = frozenset(UNDECIDED)
    request: DecisionRequest
    answers: dict[str, Answer] = {}


Got = TypeVar("Got", ChatReply, Reply)


class _Cached:
    """What both have: a folder, and whether it is written or read."""

    def __init__(
        self, name: str, mode: Literal["record", "replay"], folder: Path, identity: Mapping[str, JsonValue]
    ) -> None:
        self.name = name
        self._mode = mode
        self._recordings = Recordings(folder, identity)

    def begin_episode(self, scope: str) -> None:
        """Start an episode; see `Recordings.begin_episode`."""
        self._recordings.begin_episode(scope)

    @property
    def identity(self) -> dict[str, JsonValue]:
        """What decides an answer beside the request."""
        return self._recordings.identity

    @property
    def _asked_of(self) -> dict[str, Any]:
        return {"scope": self._recordings.scope, "identity": self._recordings.identity}

    def _tried(
        self,
        path: Path,
        made: Callable[..., Recording],
        refused: type[UnusableAnswer] | tuple[type[DecisionError], ...],
        call: Callable[[], Got],
    ) -> Got:
        """Return what a call gives; an answer of no use is recorded too."""
        try:
            return call()
        except refused as error:
            write_recording(path, made(error=type(error).__name__, message=str(error), calls=error.calls))
            raise


class CachedChat(_Cached):
    """Records each call of the inner chat model, or replays it and never calls."""

    def __init__(
        self, inner: ChatModel, mode: Literal["record", "replay"], folder: Path, identity: Mapping[str, JsonValue]
    ) -> None:
        """`identity` is what decides an answer beside the request: `Endpoint.identity`."""
        super().__init__(inner.name, mode, folder, identity)
        self._inner = inner

    def complete(self, request: ChatRequest) -> ChatReply:
        """Return the inner model's answer, recorded, or the recorded one.

        A replayed call keeps its tokens and model; it cost nothing and took what it took to read. A failure of the
        endpoint is not recorded: the episode is run again.

        Raises:
            CacheMiss: replaying, and there is no recording.
            UnusableAnswer: as recorded, or the inner model's.
            ChatError: the inner model's.
        """
        started = time.perf_counter()
        path = self._recordings.path(request)
        if self._mode == "record":
            made = partial(ChatRecording, **self._asked_of, request=request)
            reply = self._tried(path, made, UnusableAnswer, lambda: self._inner.complete(request))
            write_recording(path, made(text=reply.text, calls=(reply.call,)))
            return reply
        recording = self._recordings.found(path, ChatRecording)
        calls = _replayed(recording, started)
        if recording.error is not None:
            raise UNUSABLE[recording.error](recording.message, calls)
        return ChatReply(text=recording.text, call=calls[0])


class CachedDecisions(_Cached):
    """Records each call of the inner decision client, or replays it and never calls."""

    def __init__(
        self,
        inner: DecisionClient,
        mode: Literal["record", "replay"],
        folder: Path,
        identity: Mapping[str, JsonValue] | None = None,
    ) -> None:
        """Answers are kept under the client's own identity; `identity` is that of a client that is no more."""
        # How many options it takes decides what it is asked.
        own = inner.identity | {"max_options": inner.max_options}
        super().__init__(inner.name, mode, folder, own if identity is None else identity)
        self.max_options = inner.max_options
        self._inner = inner

    def ask(self, state: str, questions: Mapping[str, ChoiceQuestion]) -> Reply:
        """Return the inner client's answers, recorded, or the recorded ones; see `CachedChat.complete`.

        Raises:
            CacheMiss: replaying, and there is no recording.
            InvalidAnswer, NotADecision: as recorded, or the inner client's.
            DecisionError: the inner client's.
        """
        started = time.perf_counter()
        request = DecisionRequest(state=state, questions=dict(questions))
        path = self._recordings.path(request)
        if self._mode == "record":
            made = partial(DecisionRecording, **self._asked_of, request=request)
            refused = (InvalidAnswer, NotADecision)
            reply = self._tried(path, made, refused, lambda: self._inner.ask(state, questions))
            write_recording(path, made(answers=reply.answers, calls=(reply.call,)))
            return reply
        recording = self._recordings.found(path, DecisionRecording)
        calls = _replayed(recording, started)
        if recording.error is not None:
            raise UNDECIDED[recording.error](recording.message, calls)
        raw = {key: answer.model_dump() for key, answer in recording.answers.items()}
        # A recording is a file, and as little trusted as a server.
        return Reply(answers=validate(raw, questions), call=calls[0])


def recorded_identities(folder: Path) -> list[dict[str, JsonValue]]:
    """Return which decision models have answers in a folder."""
    found: list[dict[str, JsonValue]] = []
    for recording in recorded(folder, DecisionRecording):
        if recording.identity not in found:
            found.append(recording.identity)
    return found


def _replayed(recording: Recording, started: float) -> tuple[ModelCall, ...]:
    latency_ms = (time.perf_counter() - started) * 1000
    return tuple(replayed(call, latency_ms) for call in recording.calls)
