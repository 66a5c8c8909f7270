"""Agents by name, as a command line gives them; decision_models.py has their decision models. Knows no benchmark.

To add an agent, write a class with `reset`, `step`, `name` and `config`, and add one line to `AGENTS`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from agent.agent import Agent, ObservationMode
from agent.baselines import RandomAgent, SubmitOnceAgent
from agent.cascade import THRESHOLD, CascadeAgent
from agent.decision import DecisionAgent
from agent.decision_model import DecisionModel
from agent.decision_models import EMBEDDED, AgentConfigError, make_decision_model
from agent.planner import PlannerAgent
from agent.policy import DEFAULT_POLICY, NEEDS_WRITER, SWITCHES, Policy
from agent.react import MAX_PROMPT_TOKENS, ReActAgent
from browser.actions import CORE_ACTIONS, ActionName
from llm.chat import ChatModel


class ConfiguredAgent(Agent, Protocol):
    """An agent that can say what it is."""

    config: dict[str, Any]
    """JSON-able: the agent's and the model's names, the offered actions, the version of its rules."""


@dataclass(frozen=True)
class AgentOptions:
    """What a user chose for an agent."""

    model: str | None
    seed: int
    offered: tuple[ActionName, ...]
    allow_goal_credentials: bool
    chat: ChatModel | None = None
    decisions: DecisionModel | None = None
    max_prompt_tokens: int = MAX_PROMPT_TOKENS
    endpoint: Mapping[str, Any] = field(default_factory=dict)
    decision_endpoint: Mapping[str, Any] = field(default_factory=dict)
    policy: Policy = DEFAULT_POLICY
    threshold: float = THRESHOLD


def make_agent(
    name: str,
    model: str | None = None,
    seed: int = 0,
    offered: tuple[ActionName, ...] = CORE_ACTIONS,
    *,
    allow_goal_credentials: bool = False,
    chat: ChatModel | None = None,
    decisions: DecisionModel | None = None,
    max_prompt_tokens: int = MAX_PROMPT_TOKENS,
    endpoint: Mapping[str, Any] | None = None,
    decision_endpoint: Mapping[str, Any] | None = None,
    policy: Policy = DEFAULT_POLICY,
    threshold: float = THRESHOLD,
) -> ConfiguredAgent:
    """Return the agent of this name.

    Args:
        model: the decision model of "jev" by name; None for its own, "embedded". An agent that chats has its model in
            `chat`.
        seed: of "random"; the others draw nothing.
        allow_goal_credentials: a credential field may take a value that the goal itself quotes.
        chat: the model of an agent in CHAT_AGENTS, or the writer of "jev"; the others have none.
        decisions: the model of an agent in DECISION_AGENTS, where a name does not say enough.
        max_prompt_tokens: what one of its prompts may take, by estimate.
        endpoint: all else that decides the answers of `chat`, such as the temperature; part of the agent's `config`.
        decision_endpoint: the same of `decisions`.
        policy: of the agents in POLICY_SWITCHES, which says what each may switch.
        threshold: of "cascade"; see `CascadeAgent`.

    Raises:
        AgentConfigError: unknown agent or model, a model for an agent without one, or a model that is not installed.
    """
    if name not in AGENTS:
        raise AgentConfigError(f"No agent {name!r}; there are {', '.join(AGENTS)}.")
    return AGENTS[name](
        AgentOptions(
            model,
            seed,
            offered,
            allow_goal_credentials,
            chat,
            decisions,
            max_prompt_tokens,
            endpoint or {},
            decision_endpoint or {},
            policy,
            threshold,
        )  # fmt: skip
    )


def observation_mode(agent: Agent) -> ObservationMode:
    """Return what an agent reads of a page: the element table, unless it says otherwise."""
    mode: ObservationMode = getattr(agent, "observation_mode", "table")
    return mode


def _jev(options: AgentOptions) -> DecisionAgent:
    if options.policy.recovery and options.chat is None:
        raise AgentConfigError("Recovery asks a chat model for a plan, and none is given; name one with --writer.")
    if options.policy.recovery and not options.policy.guards:
        raise AgentConfigError("Recovery is called by the guards; leave out guards=off, or recovery=on.")
    model = options.decisions or make_decision_model(EMBEDDED if options.model is None else options.model)
    return DecisionAgent(
        model,
        options.offered,
        allow_goal_credentials=options.allow_goal_credentials,
        policy=options.policy,
        endpoint=options.decision_endpoint,
        writer=options.chat,
        writer_endpoint=options.endpoint,
    )


def _random(options: AgentOptions) -> ConfiguredAgent:
    _refuse_model("random", options)
    return RandomAgent(options.seed, options.offered, allow_goal_credentials=options.allow_goal_credentials)


def _submit_once(options: AgentOptions) -> ConfiguredAgent:
    _refuse_model("submit-once", options)
    return SubmitOnceAgent(options.offered)


def _direct(options: AgentOptions) -> ConfiguredAgent:
    return _react_agent("direct", "axtree", options)


def _react(options: AgentOptions) -> ConfiguredAgent:
    return _react_agent("react", "table", options)


def _planner(options: AgentOptions) -> ConfiguredAgent:
    return PlannerAgent(_react_agent("planner", "table", options))


def _cascade(options: AgentOptions) -> ConfiguredAgent:
    chat = _react_agent("cascade", "table", options)
    return CascadeAgent(_jev(replace(options, model=None, chat=None)), chat, options.threshold)


def _react_agent(name: str, mode: ObservationMode, options: AgentOptions) -> ReActAgent:
    if options.chat is None:
        raise AgentConfigError(
            f"The agent {name} asks a chat model, and none is given; a command line names one with --model."
        )
    return ReActAgent(
        options.chat,
        options.offered,
        name,
        observation_mode=mode,
        allow_goal_credentials=options.allow_goal_credentials,
        max_prompt_tokens=options.max_prompt_tokens,
        endpoint=options.endpoint,
        policy=options.policy,
    )


def _refuse_model(name: str, options: AgentOptions) -> None:
    if options.model is not None:
        raise AgentConfigError(f"The agent {name} uses no model; leave out {options.model!r}.")


AGENTS: dict[str, Callable[[AgentOptions], ConfiguredAgent]] = {
    "jev": _jev,
    "random": _random,
    "submit-once": _submit_once,
    "direct": _direct,
    "react": _react,
    "planner": _planner,
    "cascade": _cascade,
}
CHAT_AGENTS = frozenset({"direct", "react", "planner", "cascade"})
"""Those that ask a chat model."""
DECISION_AGENTS = frozenset({"jev", "cascade"})
"""Those that ask a decision model."""
WRITER_AGENTS = frozenset({"jev"})
"""Those that may ask a chat model for a text."""
CASCADE = "cascade"
"""The one with a threshold."""
POLICY_SWITCHES: dict[str, tuple[str, ...]] = {
    "jev": SWITCHES,
    "cascade": tuple(name for name in SWITCHES if name not in NEEDS_WRITER),
    **dict.fromkeys(("direct", "react", "planner"), ("guards",)),
}
"""What of the policy each agent may switch; the others have none."""
