"""Texts that a writer makes ahead of their need, in the background, for the fields of one document (rules T3, S1).

One object serves one run of an agent, and is cancelled with it: what arrives later is kept by nobody.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from urllib.parse import urlsplit

from agent.ask import Unanswered
from agent.tick import PastStep
from agent.writer import Writer, Written
from browser.observation import InteractiveElement, Observation
from llm.chat import ChatError
from llm.decision import ModelCall

# At once: a form's fields are few, and an endpoint counts requests by the minute.
THREADS = 4
# Fields of one document that are written ahead; a page with more is a table, of which few cells are filled.
AHEAD_LIMIT = 8

Document = tuple[str, str]
"""Host and path of an address: what follows does not change the page."""
_Key = tuple[Document, int, str]


class Drafts:
    """The texts of one run, by document, element and label."""

    def __init__(self, writer: Writer, *, ahead: bool = True) -> None:
        """Without `ahead` nothing is asked before a text is needed."""
        self._writer = writer
        self._ahead = ahead
        self._pool: ThreadPoolExecutor | None = None
        self._started: dict[_Key, Future[Written]] = {}
        self._untold: list[Future[Written]] = []

    def see(self, observation: Observation, past: Sequence[PastStep], fields: Iterable[InteractiveElement]) -> None:
        """Begin the texts of these fields, and drop those of other documents that are not under way."""
        here = document(observation.url)
        for key in [key for key in self._started if key[0] != here]:
            self._started.pop(key).cancel()
        if not self._ahead:
            return
        for field in list(fields)[:AHEAD_LIMIT]:
            if len(self._started) < AHEAD_LIMIT:
                self._begin(observation, past, field)

    def text(self, observation: Observation, past: Sequence[PastStep], field: InteractiveElement) -> Written:
        """Return what the writer gives for a field, waiting for it; the same for as long as its document stays.

        Raises:
            ChatError, Unanswered: as `Writer.write`; the next need asks anew.
        """
        future = self._begin(observation, past, field)
        try:
            return future.result()
        except (ChatError, Unanswered):
            self._started.pop(_key(observation, field), None)
            self._untold.remove(future)  # its calls are in the exception
            raise

    def refused(self, observation: Observation) -> frozenset[int]:
        """Return ids of fields for which the writer, by now, gave no text."""
        here = document(observation.url)
        return frozenset(
            key[1] for key, future in self._started.items() if key[0] == here and _settled(future) in _NO_TEXT
        )

    def why(self, observation: Observation, field: InteractiveElement) -> Written | None:
        """Return what the writer gave for a field; None where it has not been asked or has not answered."""
        future = self._started.get(_key(observation, field))
        return future.result() if future and _settled(future) else None

    def told(self) -> tuple[ModelCall, ...]:
        """Return the calls that ended since this was asked last, wanted or not: all of them were made."""
        ended = [future for future in self._untold if future.done()]
        self._untold = [future for future in self._untold if not future.done()]
        return tuple(call for future in ended for call in _calls(future))

    def cancel(self) -> None:
        """Drop everything: what waits is not asked, what is under way ends by itself and is kept nowhere."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = None
        self._started.clear()
        self._untold.clear()

    def _begin(self, observation: Observation, past: Sequence[PastStep], field: InteractiveElement) -> Future[Written]:
        key = _key(observation, field)
        if key not in self._started:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="writer")
            future = self._pool.submit(self._writer.write, observation, tuple(past), field)
            self._started[key] = future
            self._untold.append(future)
        return self._started[key]


_NO_TEXT = frozenset({"writer_declined", "writer_error"})


def document(url: str) -> Document:
    """Return the part of an address that names its document."""
    parts = urlsplit(url)
    return parts.netloc, parts.path


def _key(observation: Observation, field: InteractiveElement) -> _Key:
    return document(observation.url), field.id, field.name or field.before or field.placeholder or ""


def _settled(future: Future[Written]) -> str:
    """Return the source of a text that is there; "" where it is still written, was cancelled or failed."""
    if not future.done() or future.cancelled() or future.exception() is not None:
        return ""
    return future.result().source


def _calls(future: Future[Written]) -> tuple[ModelCall, ...]:
    if future.cancelled():
        return ()
    error = future.exception()
    if error is None:
        return future.result().calls
    return error.calls if isinstance(error, ChatError | Unanswered) else ()
