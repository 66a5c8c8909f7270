"""Jobs in several processes at once, by Ray: one actor holds one browser. Knows no benchmark.

Only this process writes records. Actors send each row as soon as it exists, and this side holds the deadlines, so that
an actor that is killed or hangs costs one attempt at one episode.
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import psutil

from agent.loop import EndReason, EpisodeResult
from benchmark.errors import UsageError
from benchmark.records.rows import EpisodeRecord, JobKey, StepRecord
from benchmark.records.store import RecordStore
from benchmark.records.ticks import TickRecord
from benchmark.running.actor import Actor, Recipe, Row
from benchmark.running.ray_start import ray_at
from benchmark.running.runner import MAX_UNSCORED_IN_A_ROW, Attempt, Setup, run_jobs
from browser.process import kill_tree

# How soon Ctrl-C and a deadline are noticed.
POLL_S = 0.2
# Processes and browsers start in 5 s on a free machine; a cluster may have to make room first.
START_S = 120.0
# A healthy browser closes in 60 ms, and one that hangs is killed after 5 s; what is left then is killed from here.
CLOSE_S = 10.0
# The loop looks at its own limit between steps: a reset and a step, at their own longest, and a browser's start.
GRACE_S = 150.0


class _Slot:
    """The place of one actor at a time, and the attempt that it is busy with."""

    def __init__(self, ray: Any, recipe: Recipe, local: bool) -> None:
        self._ray, self._local = ray, local
        self._new_actor = partial(ray.remote(num_cpus=1, max_restarts=0)(Actor).remote, recipe)
        self._start()
        self.rows: Any = None
        self.attempt: Attempt | None = None

    def _start(self) -> None:
        self.actor = self._new_actor()
        self._pid = self.actor.pid.remote()

    def begin(self, job: JobKey, setup: Setup, spent_usd: float) -> None:
        self.attempt = Attempt(job, setup)
        self.rows = self.actor.run.options(num_returns="streaming").remote(job, spent_usd)

    def next_row(self) -> Row:
        """Return the row that has come; an episode's ends the attempt. Raises what the agent's code raised."""
        assert self.attempt is not None
        try:
            row: Row = self._ray.get(next(self.rows))
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except self._ray.exceptions.RayError:
            return self.lose("browser_crash", "The worker's process ended in the middle of the episode.")
        if isinstance(row, TickRecord):
            self.attempt.episode_id = row.episode_id
        elif isinstance(row, StepRecord):
            self.attempt.episode_id = row.episode_id
            self.attempt.goal = row.observation.goal if row.observation else None
            self.attempt.steps.append(row)
        else:
            self.attempt = None
        return row

    def lose(self, end: EndReason, error: str) -> EpisodeRecord:
        """Give the attempt up and return its row; the actor is killed, if it still lives, and another made."""
        assert self.attempt is not None
        steps = sum(step.action is not None for step in self.attempt.steps)
        lost = self.attempt.episode(EpisodeResult(end=end, reward=0.0, steps=steps, error=error), "unknown")
        self.attempt = None
        if end == "infra_timeout" and self._local and self._ray.wait([self._pid], timeout=0)[0]:
            # Ray asks first: a process that is stopped, or hangs in the kernel, would keep its place.
            kill_tree({psutil.Process(self._ray.get(self._pid))})
        self._ray.kill(self.actor)
        self._start()
        return lost


class Pool:
    """Actors that run jobs, made by `open_pool`."""

    def __init__(self, ray: Any, recipe: Recipe, workers: int, local: bool) -> None:
        self._ray = ray
        self._setup = recipe.setup()
        self._slots = [_Slot(ray, recipe, local) for _ in range(workers)]

    def open(self) -> None:
        """Start all browsers and wait for them.

        Raises:
            UsageError: the cluster has no room.
            BrowserNotFound, BrowserStartFailed
        """
        try:
            self._ray.get([slot.actor.open.remote() for slot in self._slots], timeout=START_S)
        except self._ray.exceptions.GetTimeoutError:
            raise UsageError(
                f"Not all of {len(self._slots)} workers started within {START_S:g} s; give fewer --workers, or a "
                "cluster with a CPU for each."
            ) from None
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from None

    def run(
        self,
        jobs: Sequence[JobKey],
        store: RecordStore,
        on_episode: Callable[[EpisodeRecord], None],
        interrupted: Callable[[], bool] = lambda: False,
        grace_s: float = GRACE_S,
    ) -> bool:
        """Run the jobs; give up and return False after ten in a row that infrastructure ended, or one cancelled.

        An actor is killed `grace_s` after its episode's own limit.

        Raises:
            RecordNotWritten: the disk is full or gone.
            KeyboardInterrupt: the user asked to stop; episodes under way have their steps so far and no row.
        """
        waiting, unscored, cancelled = deque(jobs), 0, False
        limit_s = self._setup.limits.episode_s + grace_s
        while True:
            for slot in self._slots:
                if slot.attempt is None and waiting and unscored < MAX_UNSCORED_IN_A_ROW and not cancelled:
                    slot.begin(waiting.popleft(), self._setup, store.spent_usd or 0.0)
            busy = [slot for slot in self._slots if slot.attempt is not None]
            if not busy:
                return unscored < MAX_UNSCORED_IN_A_ROW and not cancelled
            for row in self._rows(busy, limit_s):
                if interrupted():  # a Ctrl-C that reached an actor too is no crash to record
                    raise KeyboardInterrupt
                if isinstance(row, TickRecord):
                    store.append_tick(row)
                elif isinstance(row, StepRecord):
                    store.append_step(row)
                elif row is not None:
                    store.append_episode(row)
                    on_episode(row)
                    unscored = 0 if row.scored else unscored + 1
                    cancelled = cancelled or row.end == "cancelled"

    def _rows(self, busy: Sequence[_Slot], limit_s: float) -> Iterator[Row | None]:
        """Wait a moment and yield for each slot the row that came, or that of an attempt past the limit, or None."""
        ready, _ = self._ray.wait([slot.rows for slot in busy], timeout=POLL_S)
        for slot in busy:
            assert slot.attempt is not None
            if slot.rows in ready:
                yield slot.next_row()
            elif time.monotonic() - slot.attempt.started > limit_s:
                yield slot.lose("infra_timeout", f"No end within {limit_s:g} s; the worker was killed.")
            else:
                yield None

    def close(self) -> None:
        """Let the browsers close; what does not, Ray's end takes with it."""
        closing = [slot.actor.close.remote() for slot in self._slots if slot.attempt is None]
        self._ray.wait(closing, num_returns=len(closing), timeout=CLOSE_S)


@contextmanager
def open_pool(recipe: Recipe, workers: int, address: str | None = None) -> Iterator[Pool]:
    """Yield as many actors as workers, their browsers open; no process of a local run is left after the block.

    Args:
        address: of a running Ray cluster whose machines have this project installed; None starts Ray here.

    Raises:
        UsageError: Ray is not installed, does not answer, or has no room.
        BrowserNotFound, BrowserStartFailed
    """
    with ray_at(address, workers) as ray:
        pool = Pool(ray, recipe, workers, local=address is None)
        pool.open()
        yield pool
        pool.close()


RunAll: TypeAlias = Callable[[Sequence[JobKey], RecordStore, Callable[[EpisodeRecord], None]], bool]


@contextmanager
def episode_runner(
    recipe: Recipe, workers: int, address: str | None, interrupted: Callable[[], bool]
) -> Iterator[RunAll]:
    """Yield a function that runs jobs, its browsers open: `run_jobs` in this process for one worker, else a pool's.

    Raises:
        UsageError: see `open_pool`.
        BrowserNotFound, BrowserStartFailed
    """
    if workers > 1:
        with open_pool(recipe, workers, address) as pool:
            yield partial(pool.run, interrupted=interrupted)
        return
    setup = recipe.setup()
    with recipe.worker() as worker:
        worker.start()
        worker = replace(worker, interrupted=interrupted)
        yield lambda jobs, store, on_episode: run_jobs(jobs, setup, worker, store, on_episode)
