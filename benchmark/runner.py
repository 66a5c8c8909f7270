"""Jobs in, records out: runs what is not done yet, one episode after another. Knows no benchmark."""

import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from pydantic import JsonValue

from agent.agent import Agent, AgentStep
from agent.loop import Environment, EpisodeResult, Limits, run_episode
from benchmark.provenance import Provenance
from benchmark.records import (
    FORMAT_VERSION,
    EpisodeRecord,
    JobKey,
    StepRecord,
    full_reward,
    settings_hash,
    total,
    without_credentials,
)
from benchmark.store import RecordStore
from browser.observation import Observation, Timings

# Ten jobs in a row that infrastructure ended: the cause will not go away by itself, and each may cost a minute.
MAX_UNSCORED_IN_A_ROW = 10


class OpenEnvironment(Environment, Protocol):
    """An environment for one episode, to be closed after it."""

    def close(self) -> None: ...


@dataclass(frozen=True)
class Worker:
    """Where episodes run: what one process with one browser gives."""

    environment: Callable[[JobKey], OpenEnvironment]
    """Makes the environment of a job, not yet reset."""
    browser_version: Callable[[], str]
    interrupted: Callable[[], bool] = lambda: False
    """Whether the user asked to stop; looked at between steps."""


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


def plan(
    benchmark: str,
    tasks: Sequence[str],
    seeds: Sequence[int],
    *,
    agent: str,
    model: str | None,
    settings: dict[str, JsonValue],
) -> tuple[JobKey, ...]:
    """Return one job for each task and seed, all seeds of a task in a row."""
    digest = settings_hash(settings)
    return tuple(
        JobKey(benchmark=benchmark, task=task, seed=seed, agent=agent, model=model, settings_hash=digest)
        for task in tasks
        for seed in seeds
    )


def run_jobs(
    jobs: Iterable[JobKey],
    setup: Setup,
    worker: Worker,
    store: RecordStore,
    on_episode: Callable[[EpisodeRecord], None],
) -> None:
    """Run the jobs that are not done; stop early after ten in a row that infrastructure ended.

    Raises:
        RecordNotWritten: the disk is full or gone.
        KeyboardInterrupt: the user asked to stop; the episode under way has its steps so far and no row.
    """
    unscored = 0
    for job in jobs:
        if store.done(job):
            continue
        record = run_one(job, setup, worker, store)
        on_episode(record)
        unscored = 0 if record.scored else unscored + 1
        if unscored == MAX_UNSCORED_IN_A_ROW:
            return


def run_one(job: JobKey, setup: Setup, worker: Worker, store: RecordStore) -> EpisodeRecord:
    """Run one episode, write its steps as they happen and its own row last, and return that row.

    Raises:
        KeyboardInterrupt: the user asked to stop before the episode had its verdict.
    """
    recorder = _Recorder(job, setup, worker, store)
    recorder.stop_if_interrupted()
    with closing(worker.environment(job)) as environment:
        result = run_episode(
            setup.agent,
            environment,
            setup.limits,
            recorder.on_step,
            seed=job.seed,
            on_reset=recorder.on_reset,
        )
    record = recorder.episode(result)
    if not record.scored:
        recorder.stop_if_interrupted()  # a terminal's Ctrl-C reaches the browser too: that is no crash to record
    store.append_episode(record)
    return record


class _Recorder:
    """Turns what the loop reports about one episode into rows."""

    def __init__(self, job: JobKey, setup: Setup, worker: Worker, store: RecordStore) -> None:
        self.job, self.setup, self.worker, self.store = job, setup, worker, store
        self.episode_id = uuid.uuid4().hex[:16]
        self.started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self.started = time.monotonic()
        self.decided_on: Observation | None = None
        self.goal: str | None = None
        self.reset_ms = 0.0
        self.raw_reward: float | None = None
        self.steps: list[AgentStep] = []
        self.timings: list[Timings] = []

    def on_reset(self, observation: Observation, info: dict[str, Any]) -> None:
        self.decided_on, self.goal = observation, observation.goal
        self.reset_ms = info["timings"].total_ms
        self._look_for_raw_reward(info)
        self.stop_if_interrupted()

    def on_step(self, step: AgentStep, observation: Observation, reward: float, info: dict[str, Any]) -> None:
        before = self.decided_on
        assert before is not None, "a step before the reset"
        # A decision to stop takes no action, so that `info` still tells of the step before.
        timings = Timings() if step.action is None else info["timings"]
        written = without_credentials(step, before)
        self.store.append_step(
            StepRecord(
                **self._row(),
                index=len(self.steps),
                url=before.url,
                page_key=before.page_key,
                n_elements=len(before.elements),
                observation=before if self.setup.keep_observations else None,
                action=written.action,
                end=step.end,
                reason=written.reason,
                detail=written.detail,
                calls=step.calls,
                decide_ms=step.decide_ms,
                reward=reward,
                page_changed=observation.page_key != before.page_key,
                settled=observation.settled,
                last_action_error=observation.last_action_error,
                timings=timings,
            )
        )
        self.steps.append(step)
        self.timings.append(timings)
        self.decided_on = observation
        self._look_for_raw_reward(info)
        self.stop_if_interrupted()

    def episode(self, result: EpisodeResult) -> EpisodeRecord:
        calls = [call for step in self.steps for call in step.calls]
        return EpisodeRecord(
            **self._row(),
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
            seconds=time.monotonic() - self.started,
            reset_ms=self.reset_ms,
            act_ms=sum(t.act_ms for t in self.timings),
            settle_ms=sum(t.settle_ms for t in self.timings),
            probe_ms=sum(t.probe_ms for t in self.timings),
            validate_ms=sum(t.validate_ms for t in self.timings),
            decisions_ms=tuple(step.decide_ms for step in self.steps),
            settings=self.setup.settings,
            git_commit=self.setup.provenance.git_commit,
            git_dirty=self.setup.provenance.git_dirty,
            versions=self.setup.provenance.versions | {"browser": self.worker.browser_version()},
        )

    def stop_if_interrupted(self) -> None:
        """Raise KeyboardInterrupt here, outside the browser's driver, if the user asked to stop."""
        if self.worker.interrupted():
            raise KeyboardInterrupt

    def _row(self) -> dict[str, Any]:
        return self.job.model_dump() | {"format_version": FORMAT_VERSION, "episode_id": self.episode_id}

    def _look_for_raw_reward(self, info: dict[str, Any]) -> None:
        # Kept from the last look that had one: a page that is gone no longer says.
        raw = self.setup.raw_reward(info)
        if raw is not None:
            self.raw_reward = raw
