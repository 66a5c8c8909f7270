"""What a worker process does, in this one: rows come out as they are made, and the browser stays in its thread."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from agent.agent import AgentStep
from benchmark.records.rows import EpisodeRecord, JobKey, StepRecord
from benchmark.records.ticks import TickRecord
from benchmark.running.actor import Actor, Recipe
from benchmark.running.runner import Setup, Worker
from browser.errors import BrowserCrashed

MakeRun = Callable[..., tuple[Setup, Worker]]
MakeJob = Callable[..., JobKey]

GOES_ON = (0.0, False, 0.0)
WON = (1.0, True, 1.0)


class Recorded:
    """A recipe around a scripted run that notes where its worker is opened, used and closed."""

    def __init__(self, setup: Setup, worker: Worker) -> None:
        self.setup, self.worker = setup, worker
        self.happened: list[tuple[str, int]] = []
        self.recipe = Recipe(setup=lambda: setup, worker=self._opened)

    @contextmanager
    def _opened(self) -> Iterator[Worker]:
        self._note("opened")
        yield Worker(self._environment, self.worker.browser_version, start=lambda: self._note("started"))
        self._note("closed")

    def _environment(self, job: JobKey) -> Any:
        self._note(job.task)
        return self.worker.environment(job)

    def _note(self, what: str) -> None:
        self.happened.append((what, threading.get_ident()))


def test_rows_come_in_order_and_the_episodes_own_last(make_run: MakeRun, make_job: MakeJob, click: AgentStep) -> None:
    actor = Actor(Recorded(*make_run([click, click], [GOES_ON, WON])).recipe)
    rows = list(actor.run(make_job()))
    actor.close()
    assert [type(row) for row in rows] == [StepRecord, StepRecord, EpisodeRecord]
    assert {row.episode_id for row in rows} == {rows[0].episode_id}
    assert rows[-1].end == "success"  # type: ignore[union-attr]


def test_what_a_step_was_decided_on_comes_before_the_step(
    make_run: MakeRun, make_job: MakeJob, click: AgentStep
) -> None:
    setup, worker = make_run([click], [WON])
    actor = Actor(Recorded(replace(setup, keep_ticks=True), worker).recipe)
    rows = list(actor.run(make_job()))
    actor.close()
    assert [type(row) for row in rows] == [TickRecord, StepRecord, EpisodeRecord]


def test_a_row_is_out_before_the_next_decision(make_run: MakeRun, make_job: MakeJob, click: AgentStep) -> None:
    go_on = threading.Event()

    class Waiting(list[Any]):
        def __getitem__(self, index: Any) -> Any:
            assert index == 0 or go_on.wait(10)
            return super().__getitem__(index)

    actor = Actor(Recorded(*make_run(Waiting([click, click]), [GOES_ON, WON])).recipe)
    rows = actor.run(make_job())
    first = next(rows)
    assert isinstance(first, StepRecord)
    go_on.set()
    assert len(list(rows)) == 2
    actor.close()


def test_the_browser_has_one_thread_all_its_life(make_run: MakeRun, make_job: MakeJob, click: AgentStep) -> None:
    recorded = Recorded(*make_run([click], [WON]))
    actor = Actor(recorded.recipe)
    actor.open()
    for task in ("one", "two"):
        list(actor.run(make_job(task=task)))
    actor.close()
    assert [what for what, _ in recorded.happened] == ["opened", "started", "one", "two", "closed"]
    (thread,) = {thread for _, thread in recorded.happened}
    assert thread != threading.get_ident()


def test_a_crash_is_a_row_and_a_bug_is_raised_after_the_rows_so_far(
    make_run: MakeRun, make_job: MakeJob, click: AgentStep
) -> None:
    crashed = Actor(Recorded(*make_run([click], [BrowserCrashed("Gone.")])).recipe)
    (row,) = crashed.run(make_job())
    assert row.end == "browser_crash"
    crashed.close()
    buggy = Actor(Recorded(*make_run([click, click], [GOES_ON, ZeroDivisionError()])).recipe)
    rows = buggy.run(make_job())
    assert isinstance(next(rows), StepRecord)
    with pytest.raises(ZeroDivisionError):
        next(rows)
    buggy.close()
