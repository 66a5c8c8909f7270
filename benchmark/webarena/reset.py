"""Puts WebArena's sites back to how they were published: the client of the protocol that WA_FULL_RESET names.

GET /reset begins it, 418 says that it has begun already; GET /status answers "Ready for duty!" once it is done.
"""

import time
import uuid

import httpx2

from benchmark.errors import ResetFailed

VARIABLE = "WA_FULL_RESET"
READY = "Ready for duty!"
ALREADY = 418
# The real images take 200 to 500 s, as BrowserGym has it.
RESET_S = 600.0
# Asked soon at first, for stand-ins that take milliseconds, and then ever less often.
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.01, 20.0
ANSWER_S = 60.0
LOOPBACK = ("http://127.0.0.1:", "http://localhost:")


def reset_sites(address: str, limit_s: float = RESET_S) -> str:
    """Reset the sites behind an address and return a new id for the state they are in then.

    Raises:
        ResetFailed: it does not answer, refuses, or is not done in time.
    """
    address = address.rstrip("/")
    with _client(address) as client:
        return _reset(client, address, limit_s)


def _reset(client: httpx2.Client, address: str, limit_s: float) -> str:
    begun = _get(client, f"{address}/reset")
    if begun.status_code not in (200, ALREADY):
        raise ResetFailed(f"The sites' reset at {address} answers {begun.status_code}; look at its own log.")
    end, pause = time.monotonic() + limit_s, FIRST_PAUSE_S
    while (said := _get(client, f"{address}/status").text.strip()) != READY:
        if time.monotonic() > end:
            raise ResetFailed(f"The sites' reset at {address} was not done within {limit_s:g} s ({said[:80]!r}).")
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_S)
    return uuid.uuid4().hex[:16]


def reset_fault(address: str) -> str | None:
    """Return why no reset can be asked for at an address, with the way out; None where one can. Resets nothing."""
    try:
        with _client(address) as client:
            status = _get(client, f"{address.rstrip('/')}/status")
    except ResetFailed as error:
        return str(error).rstrip(".")
    if status.status_code != 200:
        return f"{VARIABLE} ({address}) answers {status.status_code} at /status; correct the address"
    return None


def _client(address: str) -> httpx2.Client:
    # As browsers have it, no proxy leads to this machine.
    proxied = not address.startswith(LOOPBACK)
    return httpx2.Client(timeout=httpx2.Timeout(ANSWER_S, connect=3.0), trust_env=proxied)


def _get(client: httpx2.Client, address: str) -> httpx2.Response:
    try:
        return client.get(address)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise ResetFailed(
            f"The sites' reset at {address} does not answer ({type(error).__name__}); start it or correct {VARIABLE}."
        ) from None
