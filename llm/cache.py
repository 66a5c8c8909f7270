"""A chat model that records another's answers and replays them, so that a run can be run again without key or cost.

An answer's key is the whole request, the endpoint, the episode, and how often the same was asked in the episode
before. What is stored holds no key of an endpoint.
"""

import hashlib
import json
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from pydantic import JsonValue

from llm.chat import (
    ChatError,
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
from llm.decision import Frozen, ModelCall

CacheMode = Literal["off", "record", "replay"]
# Raise it when the key or a field of a recording changes its meaning.
FORMAT_VERSION: Literal[1] = 1
# Hexadecimal digits of a key: 128 bits.
KEY_DIGITS = 32
# What a model may answer without it being an answer: recorded by name, because the agent goes on with it.
UNUSABLE: dict[str, type[UnusableAnswer]] = {
    error.__name__: error
    for error in (UnusableAnswer, CutAnswer, FilteredAnswer, RefusedAnswer, EmptyAnswer, ContextOverflow)
}


class CacheMiss(ChatError):
    """There is no recording of a request, or none that can be read."""


class Recording(Frozen):
    """One call as it is stored: what was asked of whom, and the answer or the kind of failure."""

    format_version: Literal[1] = FORMAT_VERSION
    scope: str
    identity: dict[str, JsonValue]
    request: ChatRequest
    text: str = ""
    error: str | None = None
    """The name of the error class, where the answer was of no use."""
    message: str = ""
    calls: tuple[ModelCall, ...]


class CachedChat:
    """Records each call of the inner model, or replays it and never calls."""

    def __init__(
        self,
        inner: ChatModel,
        mode: Literal["record", "replay"],
        folder: Path,
        identity: Mapping[str, JsonValue],
    ) -> None:
        """`identity` is what decides an answer beside the request: `Endpoint.identity`."""
        self.name = inner.name
        self._inner = inner
        self._mode = mode
        self._folder = folder
        self._identity = dict(identity)
        self._scope = ""
        self._asked: Counter[str] = Counter()

    def begin_episode(self, scope: str) -> None:
        """Start an episode named by any text that is its own: the same question in two trials has two answers.

        The same episode recorded again replaces what it recorded before.
        """
        self._scope = scope
        self._asked.clear()

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
        key = self._key(request)
        path = self._folder / key[:2] / f"{key}-{self._asked[key]}.json"
        self._asked[key] += 1
        if self._mode == "record":
            return self._record(request, path)
        return self._replay(path, started)

    def _key(self, request: ChatRequest) -> str:
        whole = [FORMAT_VERSION, self._scope, self._identity, request.model_dump()]
        text = json.dumps(whole, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()[:KEY_DIGITS]

    def _record(self, request: ChatRequest, path: Path) -> ChatReply:
        asked: dict[str, Any] = {"scope": self._scope, "identity": self._identity, "request": request}
        try:
            reply = self._inner.complete(request)
        except UnusableAnswer as error:
            name = type(error).__name__
            _write(path, Recording(**asked, error=name, message=str(error), calls=error.calls))
            raise
        _write(path, Recording(**asked, text=reply.text, calls=(reply.call,)))
        return reply

    def _replay(self, path: Path, started: float) -> ChatReply:
        if not path.exists():
            raise CacheMiss(
                f"No answer is recorded under {path.stem} in {self._folder}; record this run first, with the same"
                " model, options and code."
            )
        recording = _recording(path)
        if recording is None:
            raise CacheMiss(f"The recording {path} cannot be read; record this run again.")
        latency_ms = (time.perf_counter() - started) * 1000
        changes = {"replayed": True, "cost_usd": 0.0, "cost_source": "replayed", "latency_ms": latency_ms}
        calls = tuple(call.model_copy(update=changes) for call in recording.calls)
        if recording.error is not None:
            raise UNUSABLE[recording.error](recording.message, calls)
        return ChatReply(text=recording.text, call=calls[0])


def _write(path: Path, recording: Recording) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Whole or not at all, also where two workers write.
    partial = path.with_name(f".{path.name}.{uuid4().hex}")
    # ASCII: a page can hold half of a surrogate pair, which JSON can escape and UTF-8 cannot write.
    partial.write_text(json.dumps(recording.model_dump(), indent=1), encoding="ascii")
    partial.replace(path)


def _recording(path: Path) -> Recording | None:
    """Return what a file holds, or None where it is no whole recording of this format."""
    try:
        # Not strict: JSON has no tuples.
        recording = Recording.model_validate(json.loads(path.read_text(encoding="ascii")), strict=False)
    except (OSError, ValueError, RecursionError):
        return None
    whole = recording.error in UNUSABLE or (recording.error is None and len(recording.calls) == 1)
    return recording if whole else None
