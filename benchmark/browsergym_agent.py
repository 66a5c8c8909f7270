"""Our agents for BrowserGym's experiment loop and AgentLab: an Agent and its arguments. Needs the extra "agentlab".

They see stock's accessibility tree and act in stock's words. Importing this imports BrowserGym's experiments.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

from browsergym.core.action.highlevel import HighLevelActionSet
from browsergym.experiments.agent import Agent as BrowsergymAgent
from browsergym.experiments.agent import AgentInfo
from browsergym.experiments.loop import AbstractAgentArgs

from agent.agent import Agent, AgentStep
from agent.registry import make_agent
from benchmark.measure.stock_words import Target, stock_words
from benchmark.miniwob.tasks import ACTIONS, BENCHMARK
from benchmark.models.chat import OpenedChat
from benchmark.models.chat_options import ChatOptions
from browser.actions import CORE_ACTIONS, ActionName, Scroll
from browser.axtree import read_observation
from browser.observation import InteractiveElement, Observation
from browser.render import render
from llm.decision import ModelCall

# Everything our actions turn into: ids, points for a scroll, keys, addresses, messages, and giving up.
ACTION_SUBSETS = ("bid", "coord", "nav", "chat", "infeas")
# Most of a screen, as our own scroll.
SCROLL_SHARE = 0.8


@dataclasses.dataclass
class LabAgentArgs(AbstractAgentArgs):  # type: ignore[misc]  # BrowserGym ships no types
    """What BrowserGym's ExpArgs and AgentLab's studies take and pickle: one of our agents by name.

    The fields are those of `agent.registry.make_agent` and the options of a chat model; `agent_name` is what BrowserGym
    calls it.
    """

    agent_name: str | None = None
    agent: str = "jev"
    model: str | None = None
    seed: int = 0
    actions: tuple[ActionName, ...] = CORE_ACTIONS
    allow_goal_credentials: bool = False
    chat: ChatOptions | None = None
    """The model of an agent that asks one; its key stays in the environment."""

    def __post_init__(self) -> None:
        if self.agent_name is None:
            model = self.chat.model if self.chat else self.model
            self.agent_name = self.agent if model is None else f"{self.agent}-{model}"

    def set_benchmark(self, benchmark: Any, demo_mode: bool) -> None:
        """Offer on MiniWoB the actions that our own runner offers there; AgentLab calls this before a study."""
        if benchmark.name.startswith(BENCHMARK):
            self.actions = ACTIONS

    def set_reproducibility_mode(self) -> None:
        """Nothing to do: an agent draws only from its own seed."""

    def prepare(self) -> None:
        """Check the names before anything runs.

        Raises:
            AgentConfigError: no such agent or model, or its package is not installed.
            UsageError: the chat model cannot be made.
        """
        self._make()

    def make_agent(self) -> "LabAgent":
        """Return the agent for one episode."""
        return LabAgent(self._make())

    def _make(self) -> Agent:
        if self.chat is not None:
            return make_agent(
                self.agent,
                offered=self.actions,
                allow_goal_credentials=self.allow_goal_credentials,
                **OpenedChat(self.chat).given,
            )
        return make_agent(
            self.agent, self.model, self.seed, self.actions, allow_goal_credentials=self.allow_goal_credentials
        )


class LabAgent(BrowsergymAgent):  # type: ignore[misc]  # BrowserGym ships no types
    """One of our agents in BrowserGym's loop, for one episode."""

    def __init__(self, agent: Agent) -> None:
        self.action_set = HighLevelActionSet(list(ACTION_SUBSETS), multiaction=False)
        self._agent = agent
        agent.reset()

    def obs_preprocessor(self, obs: dict[str, Any]) -> dict[str, Any]:
        """Return what is decided on and kept: our observation as plain data, the picture, the goal.

        No text at its top level: BrowserGym would count its tokens with a table from the network.
        """
        seen = read_observation(obs).model_dump(mode="json", exclude_defaults=True)
        return {"observation": seen, "screenshot": obs["screenshot"], "goal_object": obs["goal_object"]}

    def get_action(self, obs: dict[str, Any]) -> tuple[str | None, AgentInfo]:
        """Return the next action in BrowserGym's words, None to end the episode, and what it took.

        Raises:
            LLMError: the model gave no answer; BrowserGym's loop records it as an error of the episode.
        """
        observation = Observation.model_validate(obs["observation"], strict=False)
        step = self._agent.step(observation)
        height, width = obs["screenshot"].shape[:2]
        return _words(step, observation, width, height), AgentInfo(
            think=step.reason,
            stats=call_stats(step.calls) | {"decide_ms": step.decide_ms},
            markdown_page=f"```\n{render(observation)}\n```",
            extra_info=step.model_dump(mode="json", include={"action", "end", "detail", "calls"}),
        )


def _words(step: AgentStep, observation: Observation, width: int, height: int) -> str | None:
    """Return a step as BrowserGym's string; a screen's width and height are in pixels of its screenshot."""
    action = step.action
    if action is None:
        # BrowserGym has a word for no other end; with None its loop stops the episode unrewarded.
        return f"report_infeasible({step.reason!r})" if step.end == "infeasible_reported" else None
    if isinstance(action, Scroll):
        across, down = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}[action.direction]
        x, y = round(SCROLL_SHARE * width * across), round(SCROLL_SHARE * height * down)
        return f"scroll_at({width // 2}, {height // 2}, {x}, {y})"
    element_id = getattr(action, "element_id", None)
    element = None if element_id is None else observation.element(element_id)
    return stock_words(action, None if element is None else _target(element))


def _target(element: InteractiveElement) -> Target:
    picked = tuple(option.label for option in element.options if option.selected)
    return Target(str(element.id), element.multiple, picked)


def call_stats(calls: Sequence[ModelCall]) -> dict[str, float]:
    """Return the numbers of a step that BrowserGym sums over an episode.

    It would sum an unknown number as 0, so that those are left out and counted: where `cum_unpriced_calls` or
    `cum_uncounted_calls` is above 0, the cost or the tokens are not known.
    """
    parts: dict[str, list[float | None]] = {
        "input_tokens": [call.usage.input_tokens for call in calls],
        "cached_tokens": [call.usage.cached_tokens for call in calls],
        "output_tokens": [call.usage.output_tokens for call in calls],
        "cost_usd": [call.cost_usd for call in calls],
    }
    sums = {
        name: float(sum(v for v in values if v is not None)) for name, values in parts.items() if None not in values
    }
    return sums | {
        "model_calls": float(len(calls)),
        "unpriced_calls": float(sum(call.cost_usd is None for call in calls)),
        "uncounted_calls": float(sum(None in (c.usage.input_tokens, c.usage.output_tokens) for c in calls)),
    }
