"""An agent with the models it asks, from their options. Knows no benchmark."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.cascade import THRESHOLD
from agent.decision_models import EMBEDDED, EMBEDDED_MODELS
from agent.policy import DEFAULT_POLICY, Policy
from agent.registry import CHAT_AGENTS, DECISION_AGENTS, ConfiguredAgent, make_agent
from benchmark.errors import UsageError
from benchmark.models.chat import OpenedChat
from benchmark.models.chat_options import ChatOptions, chat_options
from benchmark.models.decision import OpenedDecisions
from benchmark.models.decision_options import DecisionOptions, decision_options
from benchmark.records.rows import JobKey
from browser.actions import ActionName

ModelName = Annotated[
    str | None, typer.Option(help="The chat model, or which one of a decision model's; local runs a small one.")
]
BeginEpisode = Callable[[JobKey, float], None]


def model_options(
    agent: str,
    model: str | None,
    decision_model: str | None,
    writer: str | None,
    decision_deadline: float | None,
    **chosen: Any,
) -> tuple[ChatOptions | None, DecisionOptions | None]:
    """Return the options of the models that an agent asks, of each kind or None.

    Where it asks both, `--base-url` and the like hold for either that takes them.

    Raises:
        UsageError: an option has no meaning for this agent or its models, or an impossible value, or one is missing.
        AgentConfigError: no such decision model.
    """
    chats = agent in CHAT_AGENTS or writer is not None
    decision = decision_options(
        agent, decision_model, model, beside_chat=chats, decision_deadline=decision_deadline, **chosen
    )
    if decision is not None and not chats:
        return None, decision
    if agent not in CHAT_AGENTS | DECISION_AGENTS and model is not None:
        raise UsageError(f"The agent {agent} uses no model; leave out {model!r}.")
    return chat_options(agent, model, writer, **chosen), decision


def job_model(agent: str, model: str | None, decision: DecisionOptions | None) -> str | None:
    """Return the name of a job's model; the embedded model is jev's own and has none, as a run without options."""
    if decision is None or agent in CHAT_AGENTS:
        return model
    if decision.name in EMBEDDED_MODELS and decision.model:
        return f"{decision.name}:{Path(decision.model).name}"  # where it lies does not matter; settings have its digest
    return None if decision.name == EMBEDDED else ":".join(filter(None, (decision.name, decision.model)))


def opened_agent(
    name: str,
    chat: ChatOptions | None = None,
    decision: DecisionOptions | None = None,
    *,
    offered: tuple[ActionName, ...],
    allow_goal_credentials: bool,
    policy: Policy = DEFAULT_POLICY,
    threshold: float = THRESHOLD,
) -> tuple[ConfiguredAgent, BeginEpisode]:
    """Return the agent of this name with its models, and what tells them where an episode begins.

    Its `config` says all that decides its answers. Nothing is asked yet.

    Raises:
        AgentConfigError: no such agent or model, or not installed.
        UsageError: an address, a key or a file of prices that is none.
    """
    talker = None if chat is None else OpenedChat(chat)
    decider = None if decision is None else OpenedDecisions(decision)
    agent = make_agent(
        name,
        offered=offered,
        allow_goal_credentials=allow_goal_credentials,
        policy=policy,
        threshold=threshold,
        **({} if talker is None else talker.given),
        **({} if decider is None else decider.given),
    )

    def begin(job: JobKey, spent_usd: float) -> None:
        for model in (talker, decider):
            if model is not None:
                model.begin_episode(job, spent_usd)

    return agent, begin
