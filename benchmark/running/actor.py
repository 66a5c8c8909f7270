"""What a worker process does with its jobs: one browser, one episode at a time. Knows neither Ray nor files."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TypeAlias

from benchmark.records.rows import EpisodeRecord, JobKey, StepRecord
from benchmark.records.ticks import TickRecord
from benchmark.running.runner import Setup, Worker, run_one

Row: TypeAlias = TickRecord | StepRecord | EpisodeRecord


@dataclass(frozen=True)
class Recipe:
    """How a process gets what it runs episodes with. Both are pickled: functions of a module, or partials of them."""

    setup: Callable[[], Setup]
    worker: Callable[[], AbstractContextManager[Worker]]


class _Sender:
    """Takes rows like a store and hands them on."""

    def __init__(self, send: Callable[[Row], None]) -> None:
        self.append_tick = send
        self.append_step = send
        self.append_episode = send


class Actor:
    """One process with one browser. It is called from one thread; the browser lives in another, all its life."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._browser_thread = ThreadPoolExecutor(1)
        self._opened = ExitStack()
        self._made: tuple[Setup, Worker] | None = None

    def pid(self) -> int:
        """Return the number of this process on its machine."""
        return os.getpid()

    def open(self) -> None:
        """Start the browser; without it the first episode does.

        Raises:
            BrowserNotFound, BrowserStartFailed
        """
        self._browser_thread.submit(lambda: self._parts()[1].start()).result()

    def run(self, job: JobKey, spent_usd: float = 0.0) -> Iterator[Row]:
        """Run one episode and yield its rows as they come, its own last; what the agent's code raises is raised.

        `spent_usd` is what the run has cost before it.
        """
        rows: SimpleQueue[Row | None] = SimpleQueue()
        episode = self._browser_thread.submit(lambda: run_one(job, *self._parts(), _Sender(rows.put), spent_usd))
        episode.add_done_callback(lambda _: rows.put(None))
        while (row := rows.get()) is not None:
            yield row
        episode.result()

    def close(self) -> None:
        """Close the browser."""
        self._browser_thread.submit(self._opened.close).result()

    def _parts(self) -> tuple[Setup, Worker]:
        if self._made is None:
            self._made = self._recipe.setup(), self._opened.enter_context(self._recipe.worker())
        return self._made
