"""Jobs in, records out: runs what is not done yet, one episode after another. Knows no benchmark.

parallel.py runs the same `run_one` in several processes.
"""

import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol

from pydantic import JsonValue

from agent.agent import Agent, AgentStep
from agent.loop import INFRASTRUCTURE_ENDS, Environment, EpisodeResult, Limits, run_episode
from benchmark.records.pictures import NO_PICTURE, Picture, no_picture
from benchmark.records.provenance import Provenance
from benchmark.records.rows import (
    FORMAT_VERSION,
    EpisodeRecord,
    JobKey,
    StepRecord,
    full_reward,
    settings_hash,
    total,
    without_credentials,
)
from benchmark.records.store import RecordStore
from benchmark.records.ticks import TickRecord, tick_record
from browser.observation import Observation, Timings

# Ten jobs in a row that infrastructure ended: the cause will not go away by itself, and each may cost a minute.
MAX_UNSCORED_IN_A_ROW = 10


class OpenEnvironment(Environment, Protocol):
    """An environment for one episode, to be closed after it."""

    def close(self) -> None: ...


def judged_by_environment(job: JobKey, result: EpisodeResult, last: AgentStep | None) -> EpisodeResult:
    """Leave the verdict as the environment gave it."""
    return result


@dataclass(frozen=True)
class Worker:
    """Where episodes run: what one process with one browser gives."""

    environment: Callable[[JobKey], OpenEnvironment]
    """Makes the environment of a job, not yet reset."""
    browser_version: Callable[[], str]
    interrupted: Callable[[], bool] = lambda: False
    """Whether the user asked to stop; looked at between steps."""
    start: Callable[[], object] = lambda: None
    """Starts the browser and raises where there is none; without it the first episode starts it."""
    last_look: Callable[[str], Picture] = no_picture
    """Takes a picture while the page is still open, however the episode ended; raises nothing."""
    judge: Callable[[JobKey, EpisodeResult, AgentStep | None], EpisodeResult] = judged_by_environment
    """Gives the verdict where the environment gives none: told of the end and the agent's last step, after the last
    look, and only where infrastructure did not end the episode. It may close the page."""
    on_end: Callable[[EpisodeRecord], None] = lambda record: None
    """Told of each episode once its row is written, before the next one begins."""


class Rows(Protocol):
    """Where the rows of an episode go: a store, or the process that has it."""

    def append_tick(self, row: TickRecord) -> None: ...

    def append_step(self, row: StepRecord) -> None: ...

    def append_episode(self, row: EpisodeRecord) -> None: ...


def nothing_to_begin(job: JobKey, spent_usd: float) -> None:
    """Begin an episode of an agent that neither spends money nor keeps answers."""


@dataclass(frozen=True)
class Setup:
    """What all jobs of a run share."""

    agent: Agent
    limits: Limits
    settings: dict[str, JsonValue]
    """What the jobs' `settings_hash` was made from."""
    provenance: Provenance
    raw_reward: Callable[[dict[str, Any]], float | None]
    """Reads the benchmark's own reward from the `info` of a reset or step; None where it is not there."""
    keep_observations: bool = True
    judged: bool = True
    """Whether a reward says anything; without one a finish is neither right nor wrong, and ends as "finished"."""
    keep_ticks: bool = False
    """Whether what each step was decided on is kept whole, for replay and for other decision models."""
    begin: Callable[[JobKey, float], None] = nothing_to_begin
    """Told of each episode before it begins, with the dollars that the run's folder has cost so far."""


def plan(
    benchmark: str,
    tasks: Sequence[str],
    seeds: Sequence[int],
    *,
    agent: str,
    model: str | None,
    settings: dict[str, JsonValue],
    trials: int = 1,
) -> tuple[JobKey, ...]:
    """Return one job for each task, seed and trial, all seeds of a task in a row."""
    digest = settings_hash(settings)
    return tuple(
        JobKey(benchmark=benchmark, task=task, seed=seed, trial=trial, agent=agent, model=model, settings_hash=digest)
        for task in tasks
        for seed in seeds
        for trial in range(trials)
    )


def run_jobs(
    jobs: Iterable[JobKey],
    setup: Setup,
    worker: Worker,
    store: RecordStore,
    on_episode: Callable[[EpisodeRecord], None],
) -> bool:
    """Run the jobs that are not done; give up and return False after ten in a row that infrastructure ended, or as soon
    as one is cancelled because the run's money is spent.

    Raises:
        RecordNotWritten: the disk is full or gone.
        KeyboardInterrupt: the user asked to stop; the episode under way has its steps so far and no row.
    """
    unscored = 0
    for job in jobs:
        if store.done(job):
            continue
        record = run_one(job, setup, worker, store, store.spent_usd or 0.0)
        on_episode(record)
        unscored = 0 if record.scored else unscored + 1
        if unscored == MAX_UNSCORED_IN_A_ROW or record.end == "cancelled":
            return False
    return True


def with_retries(run: Callable[[list[JobKey]], bool], jobs: Sequence[JobKey], store: RecordStore, retries: int) -> None:
    """Run what is not done, then up to `retries` times more what infrastructure ended, unless a run gives up."""
    for _ in range(1 + retries):
        left = [job for job in jobs if not store.done(job)]
        if not left or not run(left):
            return


def run_one(job: JobKey, setup: Setup, worker: Worker, store: Rows, spent_usd: float = 0.0) -> EpisodeRecord:
    """Run one episode, write its steps as they happen and its own row last, and return that row.

    `spent_usd` is what the run has cost before it.

    Raises:
        KeyboardInterrupt: the user asked to stop before the episode had its verdict.
    """
    recorder = _Recorder(job, setup, worker, store)
    recorder.stop_if_interrupted()
    setup.begin(job, spent_usd)
    with closing(worker.environment(job)) as environment:
        try:
            result = run_episode(
                setup.agent,
                environment,
                setup.limits,
                recorder.on_step,
                seed=job.seed,
                on_reset=recorder.on_reset,
            )
        finally:
            picture = worker.last_look(recorder.attempt.episode_id)
        if result.end not in INFRASTRUCTURE_ENDS:
            result = worker.judge(job, result, recorder.last)
    if result.end == "wrong_finish" and not setup.judged:
        result = result.model_copy(update={"end": "finished"})
    record = recorder.attempt.episode(result, worker.browser_version(), picture)
    if not record.scored:
        recorder.stop_if_interrupted()  # a terminal's Ctrl-C reaches the browser too: that is no crash to record
    store.append_episode(record)
    worker.on_end(record)
    return record


@dataclass
class Attempt:
    """One attempt at a job, and what is known of it so far: enough for an episode row at any moment."""

    job: JobKey
    setup: Setup
    episode_id: str = field(default_factory=lambda: uuid.uuid4().hex[:16])
    started_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="milliseconds"))
    started: float = field(default_factory=time.monotonic)
    goal: str | None = None
    reset_ms: float = 0.0
    reset_id: str | None = None
    raw_reward: float | None = None
    steps: list[StepRecord] = field(default_factory=list)

    def row(self) -> dict[str, Any]:
        """Return the fields that step rows and episode rows share."""
        return self.job.model_dump() | {"format_version": FORMAT_VERSION, "episode_id": self.episode_id}

    def episode(self, result: EpisodeResult, browser_version: str, picture: Picture = NO_PICTURE) -> EpisodeRecord:
        """Return the episode row of an attempt that ended so."""
        calls = [*(call for step in self.steps for call in step.calls), *result.calls]
        timings = [step.timings for step in self.steps]
        return EpisodeRecord(
            **self.row(),
            started_at=self.started_at,
            goal=self.goal,
            end=result.end,
            error=result.error,
            reward=result.reward,
            raw_reward=self.raw_reward,
            full_reward=full_reward(result.reward, self.raw_reward),
            steps=result.steps,
            models=tuple(dict.fromkeys(call.model for call in calls)),
            input_tokens=total(call.usage.input_tokens for call in calls),
            cached_tokens=total(call.usage.cached_tokens for call in calls),
            output_tokens=total(call.usage.output_tokens for call in calls),
            cost_usd=total(call.cost_usd for call in calls),
            cost_sources=tuple(dict.fromkeys(call.cost_source for call in calls if call.cost_source)),
            seconds=time.monotonic() - self.started,
            reset_ms=self.reset_ms,
            act_ms=sum(t.act_ms for t in timings),
            settle_ms=sum(t.settle_ms for t in timings),
            probe_ms=sum(t.probe_ms for t in timings),
            validate_ms=sum(t.validate_ms for t in timings),
            decisions_ms=tuple(step.decide_ms for step in self.steps),
            settings=self.setup.settings,
            git_commit=self.setup.provenance.git_commit,
            git_dirty=self.setup.provenance.git_dirty,
            versions=self.setup.provenance.versions | {"browser": browser_version},
            picture=picture.path,
            picture_error=picture.error,
            reset_id=self.reset_id,
        )


class _Recorder:
    """Turns what the loop reports about one episode into rows."""

    def __init__(self, job: JobKey, setup: Setup, worker: Worker, store: Rows) -> None:
        self.attempt, self.worker, self.store = Attempt(job, setup), worker, store
        self.decided_on: Observation | None = None
        self.last: AgentStep | None = None

    def on_reset(self, observation: Observation, info: dict[str, Any]) -> None:
        self.decided_on, self.attempt.goal = observation, observation.goal
        self.attempt.reset_ms = info["timings"].total_ms
        self.attempt.reset_id = info.get("task_info", {}).get("reset_id")
        self._look_for_raw_reward(info)
        self.stop_if_interrupted()

    def on_step(self, step: AgentStep, observation: Observation, reward: float, info: dict[str, Any]) -> None:
        self.last, before = step, self.decided_on
        assert before is not None, "a step before the reset"
        index = len(self.attempt.steps)
        if self.attempt.setup.keep_ticks:
            config = self.attempt.setup.settings["agent"]
            assert isinstance(config, dict)
            self.store.append_tick(tick_record(self.attempt.row(), index, config, before, step))
        written = without_credentials(step, before)
        row = StepRecord(
            **self.attempt.row(),
            index=index,
            url=before.url,
            page_key=before.page_key,
            n_elements=len(before.elements),
            observation=before if self.attempt.setup.keep_observations else None,
            action=written.action,
            end=step.end,
            reason=written.reason,
            detail=written.detail,
            plan=written.plan,
            note=step.note,
            recovery=step.recovery,
            next_action=step.next_action,
            evidence=step.evidence,
            calls=step.calls,
            decide_ms=step.decide_ms,
            reward=reward,
            page_changed=observation.page_key != before.page_key,
            settled=observation.settled,
            last_action_error=observation.last_action_error,
            # A decision to stop takes no action, so that `info` still tells of the step before.
            timings=Timings() if step.action is None else info["timings"],
        )
        self.store.append_step(row)
        self.attempt.steps.append(row)
        self.decided_on = observation
        self._look_for_raw_reward(info)
        self.stop_if_interrupted()

    def stop_if_interrupted(self) -> None:
        """Raise KeyboardInterrupt here, outside the browser's driver, if the user asked to stop."""
        if self.worker.interrupted():
            raise KeyboardInterrupt

    def _look_for_raw_reward(self, info: dict[str, Any]) -> None:
        # Kept from the last look that had one: a page that is gone no longer says.
        raw = self.attempt.setup.raw_reward(info)
        if raw is not None:
            self.attempt.raw_reward = raw
