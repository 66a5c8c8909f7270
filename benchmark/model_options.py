"""Which of a command line's options are the chat model's and which the decision model's, where an agent has both."""

from collections.abc import Mapping
from typing import Any

from agent.decision_models import AUTO, resolved
from agent.registry import CASCADE
from benchmark.chat_options import ChatOptions, chat_options
from benchmark.decision_options import TAKES, DecisionOptions, decision_options
from benchmark.errors import UsageError

# What both may have: recordings in one folder, and prices by the name of a model.
SHARED = ("llm_cache", "llm_cache_dir", "prices")


def model_options(
    agent: str,
    model: str | None,
    writer: str | None,
    decision_model: str | None,
    decision_deadline: float | None,
    chosen: Mapping[str, Any],
) -> tuple[ChatOptions | None, DecisionOptions | None]:
    """Return the options of an agent's chat model and of its decision model; None for what it has not.

    Where it has both, an endpoint, its key and its limits are those of the chat model.

    Raises:
        UsageError: an option has no meaning for this agent or model, or an impossible value, or one is missing.
        AgentConfigError: no such decision model.
    """
    if agent != CASCADE and writer is None:
        decision = decision_options(agent, decision_model, model, decision_deadline=decision_deadline, **chosen)
        return (None if decision else chat_options(agent, model, **chosen)), decision
    chat = chat_options(agent, model, writer, **chosen)
    name = resolved(AUTO if decision_model is None else decision_model)
    if agent == CASCADE and name == "logprobs":
        raise UsageError("--model names the cascade's chat model, so that logprobs has none; choose another.")
    shared = {key: chosen[key] for key in SHARED if key in TAKES[name]}
    asked = None if agent == CASCADE else model
    return chat, decision_options(agent, decision_model, asked, decision_deadline=decision_deadline, **shared)
