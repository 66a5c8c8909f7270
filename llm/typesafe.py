"""One request of the decision wire by TypeSafe's own client. Knows neither what is asked nor what an answer means.

The client checks no answer, quotes bodies in its errors, and logs them where that is asked for: none of it leaves here.
"""

import logging
from typing import Any

import httpx2
from pydantic import BaseModel
from typesafe_sdk import (
    AsyncTypeSafeClient,
    RetryPolicy,
    TypeSafeAPIConnectionError,
    TypeSafeAPIError,
    TypeSafeAPIResponseValidationError,
)

from llm.connection import Failure, TooMuch, http_client

# Seconds before the one retry where the server names no time.
RETRY_WAIT_S = 0.2


class _Body(BaseModel):
    """Any JSON object: what is in it is checked where it is read."""

    model: Any = None
    answers: Any = None
    usage: Any = None


async def post_typesafe(
    base_url: str, body: dict[str, Any], *, key: str | None, attempts: int, deadline_s: float
) -> dict[str, Any] | Failure:
    """Return the server's JSON object, or why there is none; the caller holds the deadline, and retries end before it.

    Connections that break, 429 and 5xx are tried again.
    """
    logging.getLogger("typesafe_sdk").addFilter(_no_bodies)
    tries = 0

    async def on_request(request: httpx2.Request) -> None:
        nonlocal tries
        tries += 1
        if key is None:
            request.headers.pop("Authorization", None)

    retry = RetryPolicy(max_retries=attempts - 1, backoff_initial=RETRY_WAIT_S, timeout=deadline_s)
    http = http_client(base_url)
    http.event_hooks["request"].append(on_request)
    # The client reads a key, an address and a model from the environment where it gets none.
    async with AsyncTypeSafeClient(
        api_key=key or "none", base_url=base_url, model=body["model"], retry=retry, http_client=http
    ) as client:
        try:
            got = await client.system_one(body["state"], body["questions"], response_model=_Body)
        except TypeSafeAPIConnectionError:
            return Failure(attempts=tries)
        except (TypeSafeAPIResponseValidationError, TooMuch):
            return Failure(status=200, attempts=tries)
        except TypeSafeAPIError as error:
            return Failure(status=error.status, attempts=tries)
    return {"model": got.model, "answers": got.answers, "usage": got.usage}


def _no_bodies(record: logging.LogRecord) -> bool:
    """Let no record pass that may hold what was sent or answered."""
    return record.levelno > logging.DEBUG
