"""The loop: observe, decide, act, until someone says stop. Knows neither Playwright, records nor benchmarks."""

import time
from collections.abc import Callable
from typing import Any, Literal, Protocol

from agent.agent import Agent, AgentStep
from agent.ask import RunOver
from browser.errors import BrowserCrashed, BrowserError, SiteSpoiled
from browser.observation import Frozen, Observation
from llm.chat import ChatError
from llm.decision import DecisionError, LLMError, ModelCall

EndReason = Literal[
    "success", "failed", "wrong_finish", "max_steps", "loop", "bad_output", "blocked", "infeasible_reported",
    "cost_limit", "agent_timeout", "browser_crash", "environment_error", "model_error", "infra_timeout", "cancelled",
    "finished", "contaminated",
]  # fmt: skip
"""A closed list. "finished" is for pages where no reward judges a finish: the loop itself never returns it.
"contaminated" is for a site that is not as its task begins."""
INFRASTRUCTURE_ENDS: frozenset[str] = frozenset(
    {"browser_crash", "environment_error", "model_error", "infra_timeout", "cancelled", "contaminated"}
)
"""Ends that say nothing about the agent: never scored, shown beside the rate, retried on the next run."""


class Environment(Protocol):
    """The part of gymnasium.Env that the loop uses."""

    def reset(self, *, seed: int | None = None) -> tuple[Observation, dict[str, Any]]: ...

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]: ...


class Limits(Frozen):
    """What one episode may take. The agent never sees these."""

    max_steps: int = 10
    episode_s: float = 300.0
    """Wall-clock seconds, looked at between steps; a step that hangs is the environment's to end."""


class EpisodeResult(Frozen):
    """How an episode ended; `error` is one sentence, only for infrastructure ends."""

    end: EndReason
    reward: float
    steps: int
    error: str | None = None
    calls: tuple[ModelCall, ...] = ()
    """Made for a step that came to no decision; those of the others are in their steps."""


OnStep = Callable[[AgentStep, Observation, float, dict[str, Any]], None]
OnReset = Callable[[Observation, dict[str, Any]], None]


def run_episode(
    agent: Agent, env: Environment, limits: Limits, on_step: OnStep, *, seed: int, on_reset: OnReset | None = None
) -> EpisodeResult:
    """Run one episode and return how it ended.

    `on_step` gets each step with the observation and reward it led to, before the next one is decided, so that a
    record written there survives whatever comes after; a decision to stop costs calls too and is told with the
    observation, reward and info it was made on. Failures of browser and model, and the end of a run's money, end the
    episode with an infrastructure reason; any other exception is a bug and propagates.
    """
    started, steps, reward = time.monotonic(), 0, 0.0
    try:
        agent.reset()
        observation, info = env.reset(seed=seed)
        if on_reset:
            on_reset(observation, info)
        while True:
            step = agent.step(observation)
            if step.action is None:
                on_step(step, observation, reward, info)
                return EpisodeResult(end=step.end or "blocked", reward=reward, steps=steps)
            observation, reward, terminated, truncated, info = env.step(step.action)
            steps += 1
            on_step(step, observation, reward, info)
            if terminated:
                return EpisodeResult(end=_verdict(reward, step), reward=reward, steps=steps)
            if truncated or steps >= limits.max_steps:
                return EpisodeResult(end="max_steps", reward=reward, steps=steps)
            if time.monotonic() - started > limits.episode_s:
                return EpisodeResult(end="agent_timeout", reward=reward, steps=steps)
    except BrowserCrashed as error:
        return EpisodeResult(end="browser_crash", reward=0.0, steps=steps, error=str(error))
    except SiteSpoiled as error:
        return EpisodeResult(end="contaminated", reward=0.0, steps=steps, error=str(error))
    except BrowserError as error:
        return EpisodeResult(end="environment_error", reward=0.0, steps=steps, error=str(error))
    except RunOver as error:
        return EpisodeResult(end="cancelled", reward=0.0, steps=steps, error=str(error), calls=error.calls)
    except LLMError as error:
        calls = error.calls if isinstance(error, ChatError | DecisionError) else ()
        return EpisodeResult(end="model_error", reward=0.0, steps=steps, error=str(error), calls=calls)


def _verdict(reward: float, step: AgentStep) -> EndReason:
    if reward > 0:
        return "success"
    return "wrong_finish" if step.action is not None and step.action.type == "finish" else "failed"
