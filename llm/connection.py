"""One JSON request to an endpoint, with the one retry policy and one deadline. Knows neither chats nor prices.

A failure is returned, not raised: the SDK's exceptions hold the key and the response, and one that is being handled
would hang on to whatever is raised meanwhile.
"""

import json
import random
import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from itertools import count
from typing import Any, TypeVar
from urllib.parse import urlsplit

import anyio
import httpx2
import openai
from anyio.from_thread import start_blocking_portal

# Seconds before the first retry where the endpoint names no time; doubled each time, up to the longest.
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 8.0
# Codes by which providers say that a prompt is too long, and words of those that have no code for it.
OVERFLOW_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"})
OVERFLOW_WORDS = re.compile(
    r"context (length|size|window)|(maximum|max) (number of )?(input |prompt )?tokens|prompt is too long", re.IGNORECASE
)
# An account without money answers 429 like one that is too fast, and waiting does not help it.
QUOTA_CODE = "insufficient_quota"
# Of an answer: a thousand times a chat's, ten times a decision's with 255 options in each of ten questions.
ANSWER_BYTES = 4 << 20
Got = TypeVar("Got")
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True)
class Failure:
    """Why there is no answer."""

    status: int | None = None
    """None where there was no answer to read at all."""
    about: str | None = None
    """The field of the request that the endpoint complains about, if it names one."""
    passing: bool = False
    """Whether it may pass by itself."""
    late: bool = False
    """The deadline came first."""
    overflow: bool = False
    filtered: bool = False
    quota: bool = False
    wait_s: float | None = None
    """How long the endpoint asks to wait."""
    attempts: int = 1


@asynccontextmanager
async def connect(base_url: str, key: str | None) -> AsyncIterator[openai.AsyncOpenAI]:
    """Open a client for one call; its own retries, timeouts and redirects are off.

    A client of its own for each call costs a handshake, and leaves nothing open between calls and nothing to close.
    """
    http = http_client(base_url)
    # The SDK reads a key from the environment where it gets none, and would send it to any address.
    async with openai.AsyncOpenAI(
        base_url=base_url, api_key=key or "none", max_retries=0, timeout=None, http_client=http
    ) as client:
        yield client


def http_client(base_url: str) -> httpx2.AsyncClient:
    """Return a client for one address, without timeouts, that follows no redirect and reads no answer without end."""
    # A proxy of the environment is for the world outside.
    outside = urlsplit(base_url).hostname not in LOOPBACK
    return httpx2.AsyncClient(
        verify=_certificates(),
        trust_env=outside,
        timeout=None,
        follow_redirects=False,
        # Not packed: a small packed body can be a large one.
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [_bound]},
    )


class TooMuch(Exception):
    """An answer is larger than any that is one, or packed against our asking."""


class _Bounded(httpx2.AsyncByteStream):
    """A body that breaks off once it is larger than any answer."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = ANSWER_BYTES
        async for chunk in self._stream:
            left -= len(chunk)
            if left < 0:
                raise TooMuch
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _bound(response: httpx2.Response) -> None:
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise TooMuch
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    response.stream = _Bounded(response.stream)


async def post(
    client: openai.AsyncOpenAI, path: str, body: Mapping[str, Any], *, key: str | None, attempts: int
) -> dict[str, Any] | Failure:
    """Return the endpoint's JSON object, or the last failure after as many attempts as may help before the deadline.

    429, 5xx and connections that break are tried again, after the time that the endpoint asks for or a doubling one.
    """
    for attempt in count(1):
        got = await _post_once(client, path, body, key)
        if not isinstance(got, Failure):
            return got
        wait_s = got.wait_s
        if wait_s is None:
            # Spread out, so that workers that were refused together do not come back together.
            wait_s = min(FIRST_WAIT_S * 2 ** (attempt - 1), LONGEST_WAIT_S) * random.SystemRandom().uniform(0.5, 1)
        left_s = anyio.current_effective_deadline() - anyio.current_time()
        if not got.passing or attempt >= attempts or wait_s >= left_s:
            return replace(got, attempts=attempt)
        await anyio.sleep(wait_s)
    raise AssertionError("counting never ends")


async def _post_once(
    client: openai.AsyncOpenAI, path: str, body: Mapping[str, Any], key: str | None
) -> dict[str, Any] | Failure:
    headers = {} if key else {"Authorization": openai.Omit()}
    try:
        response = await client.post(path, cast_to=httpx2.Response, body=body, options={"headers": headers})
        status, answer = response.status_code, response
    except openai.APIStatusError as error:
        status, answer = error.status_code, error.response
    except openai.APIConnectionError:
        return Failure(passing=True)
    except TooMuch:
        return Failure(status=200)
    parsed = _parsed(answer)
    complaint = _complaint(parsed)
    if status < 300 and parsed is not None and not complaint:
        return parsed
    return _failure(status, complaint, answer.headers)


def _failure(status: int, complaint: Mapping[str, Any], headers: Mapping[str, str]) -> Failure:
    # A router that fails after it began to answer says so in a body, under a status of 200.
    inner = complaint.get("code")
    if status < 300 and isinstance(inner, int):
        status = inner
    codes = {value for name in ("code", "type") if isinstance(value := complaint.get(name), str)}
    message = complaint.get("message")
    words = message if isinstance(message, str) else ""
    about = complaint.get("param")
    if not about and "max_completion_tokens" in words:
        about = "max_tokens"  # some routers pass OpenAI's words on, and not the field they are about
    too_long = bool(codes & OVERFLOW_CODES) or bool(OVERFLOW_WORDS.search(words))
    quota = QUOTA_CODE in codes
    return Failure(
        status=status,
        about=about if isinstance(about, str) else None,
        passing=(status == 429 or status >= 500) and not quota,
        overflow=status == 413 or (400 <= status < 500 and too_long and status != 429),
        filtered=status == 400 and "content_filter" in codes,
        quota=quota,
        wait_s=_wait_s(headers),
    )


def _parsed(response: httpx2.Response) -> dict[str, Any] | None:
    try:
        value = json.loads(response.content)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _complaint(parsed: dict[str, Any] | None) -> dict[str, Any]:
    """Return the error that a body tells of; most wrap it in "error", some do not."""
    if parsed is None or "choices" in parsed or "output" in parsed:
        return {}
    error = parsed.get("error")
    if isinstance(error, dict):
        return error
    if isinstance(error, str):
        return {"message": error}
    return parsed if parsed.get("object") == "error" else {}


def _wait_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a Retry-After header, which is a number or a date."""
    asked = headers.get("retry-after")
    if asked is None:
        return None
    try:
        seconds = float(asked)
    except ValueError:
        try:
            until = parsedate_to_datetime(asked)
        except ValueError:
            return None
        seconds = (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return max(seconds, 0.0) if seconds == seconds else None  # NaN is a number to float()


def apart(call: Callable[..., Awaitable[Got]], *given: Any) -> Got:
    """Return what an async function gives, run in a thread of its own: a browser's driver or a notebook may have an
    event loop running in this one."""
    with start_blocking_portal() as portal:
        return portal.call(call, *given)


@cache
def _certificates() -> ssl.SSLContext:
    # Reading the certificates takes 25 ms, which each call would pay.
    return httpx2.create_ssl_context()
