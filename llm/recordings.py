"""A folder of recorded answers: written and found by the whole request. Knows neither chats nor decisions.

An answer's key is the whole request, who was asked, the episode, and how often the same was asked in the episode
before. What is stored holds no key of an endpoint.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Literal, Self, TypeVar
from uuid import uuid4

from pydantic import JsonValue, model_validator

from llm.chat import ChatError
from llm.decision import DecisionError, Frozen, ModelCall

# Raise it when the key or a field of a recording changes its meaning.
FORMAT_VERSION: Literal[1] = 1
# Hexadecimal digits of a key: 128 bits.
KEY_DIGITS = 32


class CacheMiss(ChatError, DecisionError):
    """There is no recording of a request, or none that can be read."""


class Recording(Frozen):
    """One call as it is stored: who was asked, and the kind of failure if there was one."""

    format_version: Literal[1] = FORMAT_VERSION
    scope: str
    identity: dict[str, JsonValue]
    error: str | None = None
    """The name of the error class, where the answer was of no use."""
    message: str = ""
    calls: tuple[ModelCall, ...]
    failures: ClassVar[frozenset[str]] = frozenset()
    """The names that `error` may have."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.error not in self.failures and (self.error is not None or len(self.calls) != 1):
            raise ValueError("neither an answer with its call nor a known failure")
        return self


Kind = TypeVar("Kind", bound=Recording)


class Recordings:
    """The recorded answers of one model in a folder that many may share."""

    def __init__(self, folder: Path, identity: Mapping[str, JsonValue]) -> None:
        """`identity` is what decides an answer beside the request."""
        self.identity = dict(identity)
        self.scope = ""
        self._folder = folder
        self._asked: Counter[str] = Counter()

    def begin_episode(self, scope: str) -> None:
        """Start an episode named by any text that is its own: the same question in two trials has two answers.

        The same episode recorded again replaces what it recorded before.
        """
        self.scope = scope
        self._asked.clear()

    def path(self, request: Frozen) -> Path:
        """Return where the next answer to this request is, or will be."""
        whole = [FORMAT_VERSION, self.scope, self.identity, request.model_dump()]
        text = json.dumps(whole, sort_keys=True, separators=(",", ":"), allow_nan=False)
        key = hashlib.sha256(text.encode()).hexdigest()[:KEY_DIGITS]
        path = self._folder / key[:2] / f"{key}-{self._asked[key]}.json"
        self._asked[key] += 1
        return path

    def found(self, path: Path, kind: type[Kind]) -> Kind:
        """Return the recording at a path.

        Raises:
            CacheMiss: there is none, or it cannot be read.
        """
        if not path.exists():
            raise CacheMiss(
                f"No answer is recorded under {path.stem} in {self._folder}; record this run first, with the same"
                " model, options and code."
            )
        recording = read_recording(path, kind)
        if recording is None:
            raise CacheMiss(f"The recording {path} cannot be read; record this run again.")
        return recording


def replayed(call: ModelCall, latency_ms: float) -> ModelCall:
    """Return a recorded call as it is charged now: its tokens and model stay, it cost nothing and took this long."""
    changes = {"replayed": True, "cost_usd": 0.0, "cost_source": "replayed", "latency_ms": latency_ms}
    return call.model_copy(update=changes)


def write_recording(path: Path, recording: Recording) -> None:
    """Write a recording whole or not at all, also where two workers write."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{uuid4().hex}")
    # ASCII: a page can hold half of a surrogate pair, which JSON can escape and UTF-8 cannot write.
    partial.write_text(json.dumps(recording.model_dump(), indent=1), encoding="ascii")
    partial.replace(path)


def read_recording(path: Path, kind: type[Kind]) -> Kind | None:
    """Return what a file holds, or None where it is no whole recording of this kind and format."""
    try:
        # Not strict: JSON has no tuples.
        return kind.model_validate(json.loads(path.read_text(encoding="ascii")), strict=False)
    except (OSError, ValueError, RecursionError):
        return None


def recorded(folder: Path, kind: type[Kind]) -> Iterator[Kind]:
    """Yield all recordings of a kind in a folder, in no order that means anything."""
    for path in sorted(folder.glob("*/*.json")):
        recording = read_recording(path, kind)
        if recording is not None:
            yield recording
