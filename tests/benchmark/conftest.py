"""Rows, a scripted page and a scripted agent for the tests of the benchmark layer."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from agent.agent import AgentStep
from agent.loop import Limits
from agent.registry import ConfiguredAgent
from benchmark.records.provenance import Provenance
from benchmark.records.rows import FORMAT_VERSION, EpisodeRecord, JobKey, StepRecord, full_reward
from benchmark.records.store import RecordStore
from benchmark.running.runner import Setup, Worker, run_one
from browser.actions import Click
from browser.observation import Box, InteractiveElement, Observation, Timings
from llm.decision import ModelCall

KEY: dict[str, Any] = {
    "benchmark": "toy", "task": "press", "seed": 3, "trial": 0, "agent": "jev", "model": None, "settings_hash": "abc",
}  # fmt: skip
BOX = Box(x=0, y=0, width=10, height=10)


def observation(**fields: Any) -> Observation:
    elements = (
        InteractiveElement(id=1, role="button", name="Go", box=BOX),
        InteractiveElement(id=2, role="textbox", name="Password", credential=True, editable=True, box=BOX),
        InteractiveElement(id=3, role="textbox", name="User", editable=True, box=BOX),
    )
    return Observation(**{"goal": "Press Go.", "url": "http://127.0.0.1/", "title": "", "elements": elements} | fields)


def episode(**fields: Any) -> EpisodeRecord:
    row: dict[str, Any] = KEY | {
        "format_version": FORMAT_VERSION, "episode_id": "e1", "started_at": "2024-01-01T00:00:00.000+00:00",
        "goal": "Press Go.", "end": "success", "error": None, "reward": 1.0, "raw_reward": 1.0, "steps": 2,
        "models": ("m-1",), "input_tokens": 10, "cached_tokens": 0, "output_tokens": 2, "cost_usd": 0.001,
        "seconds": 0.5, "reset_ms": 80.0, "act_ms": 10.0, "settle_ms": 20.0, "probe_ms": 5.0, "validate_ms": 1.0,
        "decisions_ms": (1.0, 3.0), "settings": {"agent": {}, "environment": {}}, "git_commit": None,
        "git_dirty": None, "versions": {"python": "3.11"},
    } | fields  # fmt: skip
    return EpisodeRecord(**{"full_reward": full_reward(row["reward"], row["raw_reward"])} | row)


def step(**fields: Any) -> StepRecord:
    seen = observation()
    row: dict[str, Any] = KEY | {
        "format_version": FORMAT_VERSION, "episode_id": "e1", "index": 0, "url": seen.url, "page_key": "k",
        "n_elements": 3, "observation": seen, "action": Click(element_id=1), "end": None, "reason": "it says Go",
        "detail": None, "calls": (), "decide_ms": 1.0, "reward": 1.0, "page_changed": True, "settled": True,
        "last_action_error": None, "timings": Timings(act_ms=1.5),
    }  # fmt: skip
    return StepRecord(**row | fields)


class ScriptedEnvironment:
    """Plays a list of (reward, terminated, raw reward) or exceptions, one a step; a page key that counts."""

    def __init__(self, outcomes: Sequence[Any], **page: Any) -> None:
        self.outcomes = list(outcomes)
        self.page = page
        self.count = 0
        self.closed = False

    def reset(self, *, seed: int | None = None) -> tuple[Observation, dict[str, Any]]:
        return self._look(), {"timings": Timings(act_ms=40.0, total_ms=50.0), "raw": None}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        outcome = self.outcomes[self.count]
        if isinstance(outcome, BaseException):
            raise outcome
        self.count += 1
        reward, terminated, raw = outcome
        return self._look(), reward, terminated, False, {"timings": Timings(act_ms=2.0, total_ms=3.0), "raw": raw}

    def close(self) -> None:
        self.closed = True

    def _look(self) -> Observation:
        return observation(page_key=f"page {self.count}", **self.page)


class ScriptedAgent:
    """Plays the same list of steps in each episode; an exception in it is raised."""

    name = "scripted"

    def __init__(self, steps: Sequence[AgentStep | BaseException]) -> None:
        self.steps = steps
        self.episodes = 0
        self._next = 0

    def reset(self) -> None:
        self.episodes += 1
        self._next = 0

    def step(self, observation: Observation) -> AgentStep:
        self._next += 1
        answer = self.steps[self._next - 1]
        if isinstance(answer, BaseException):
            raise answer
        return answer


@pytest.fixture
def make_episode() -> Callable[..., EpisodeRecord]:
    return episode


@pytest.fixture
def make_step() -> Callable[..., StepRecord]:
    return step


@pytest.fixture
def make_observation() -> Callable[..., Observation]:
    return observation


@pytest.fixture
def make_job() -> Callable[..., JobKey]:
    return lambda **fields: JobKey(**KEY | fields)


@pytest.fixture
def make_run() -> Callable[..., tuple[Setup, Worker]]:
    """Return a run of a scripted agent over environments that all play the same outcomes."""

    def make(steps: Sequence[Any], outcomes: Sequence[Any], **worker: Any) -> tuple[Setup, Worker]:
        setup = Setup(
            agent=ScriptedAgent(steps),
            limits=Limits(max_steps=3),
            settings={"agent": {}, "environment": {}},
            provenance=Provenance(git_commit="c0ffee", git_dirty=False, versions={"python": "3.11"}),
            raw_reward=lambda info: info["raw"],
        )
        return setup, Worker(
            environment=lambda job: ScriptedEnvironment(outcomes), browser_version=lambda: "1.2", **worker
        )

    return make


@pytest.fixture
def kept_run(tmp_path: Path, make_job: Callable[..., JobKey]) -> Callable[..., Path]:
    """Return a run folder with ticks: one episode for each job, of an agent on a page with three elements."""

    def make(agent: ConfiguredAgent, outcomes: Sequence[Any], *jobs: JobKey, folder: str = "run", **page: Any) -> Path:
        setup = Setup(
            agent=agent,
            limits=Limits(max_steps=len(outcomes)),
            settings={"agent": agent.config, "environment": {}},
            provenance=Provenance(git_commit="c0ffee", git_dirty=False, versions={"python": "3.11"}),
            raw_reward=lambda info: info["raw"],
            keep_ticks=True,
        )
        worker = Worker(environment=lambda job: ScriptedEnvironment(outcomes, **page), browser_version=lambda: "1.2")
        with RecordStore(tmp_path / folder) as store:
            for job in jobs or (make_job(),):
                run_one(job, setup, worker, store)
        return tmp_path / folder

    return make


@pytest.fixture
def click() -> AgentStep:
    call = ModelCall(kind="decision", model="m-1", cost_usd=0.5)
    return AgentStep(action=Click(element_id=1), reason="it says Go", calls=(call,), decide_ms=2.0)
