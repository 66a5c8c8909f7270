"""What a command line says about a decision model, as plain values that can be sent to another process."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from agent.decision_models import AUTO, DECISION_MODELS, EMBEDDED_MODELS, REPLAY, resolved
from agent.registry import CHAT_AGENTS, DECISION_AGENTS
from benchmark.errors import UsageError
from benchmark.models.chat_options import CACHE_FOLDER, LOCAL, ChatOptions
from browser.actions import first_fault
from browser.observation import Frozen
from llm.cache import CacheMode

DecisionModelName = Annotated[
    str | None,
    typer.Option(
        help=f"What decides for jev: {', '.join(DECISION_MODELS)}; {AUTO}, unless named, is typesafe where "
        "TYPESAFE_API_KEY is set, else embedded. embedded:FILE takes other weights."
    ),
]
DecisionDeadline = Annotated[
    float | None, typer.Option(help="Seconds that one decision over a wire may take, with its retry.")
]

# Which options of a chat model have a meaning for a decision model too.
_CACHE = frozenset({"llm_cache", "llm_cache_dir"})
_SERVICE = _CACHE | {"model", "prices", "decision_deadline"}
TAKES: dict[str, frozenset[str]] = {
    **dict.fromkeys(EMBEDDED_MODELS, frozenset()),
    "typesafe": _SERVICE | {"base_url", "api_key_env"},
    "openrouter": _SERVICE,
    "logprobs": _SERVICE | {"base_url", "api_key_env", "temperature"},
    "laya": _CACHE | {"model"},
    "sparrow": _CACHE,
    "scripted": frozenset(),
    REPLAY: frozenset({"model", "llm_cache_dir"}),
}


class DecisionOptions(Frozen):
    """Everything a user chose for a decision model, but never its key."""

    name: str
    model: str | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    prices: Path | None = None
    decision_deadline: float | None = None
    llm_cache: CacheMode = "off"
    llm_cache_dir: Path = CACHE_FOLDER
    chat: ChatOptions | None = None
    """The chat model that logprobs asks."""


def decision_options(
    agent: str, decision_model: str | None, model: str | None, *, beside_chat: bool = False, **chosen: Any
) -> DecisionOptions | None:
    """Return the options of an agent that asks a decision model; None for the others.

    With `beside_chat` the options are a chat model's too, so that what this model does not take is no mistake.

    Raises:
        UsageError: an option has no meaning for this agent or model, or an impossible value, or one is missing.
        AgentConfigError: no such decision model.
    """
    deadline_s = chosen.get("decision_deadline")
    if agent not in DECISION_AGENTS:
        for option, value in (("--decision-model", decision_model), ("--decision-deadline", deadline_s)):
            if value is not None:
                raise UsageError(f"{option} is for agents that ask a decision model: {', '.join(DECISION_AGENTS)}.")
        return None
    name, weights = named_weights(AUTO if decision_model is None else decision_model)
    if not beside_chat:
        _refuse_idle(name, {"model": model} | chosen)
    elif agent in CHAT_AGENTS and name != "logprobs":
        model = None  # it is the chat model's name
    if deadline_s is not None and not deadline_s > 0:
        raise UsageError(f"--decision-deadline is {deadline_s:g}; give seconds above 0.")
    if name == "logprobs" and model is None:
        raise UsageError(f"The decision model logprobs asks a chat model: give --model NAME, or --model {LOCAL}.")
    try:
        return DecisionOptions(
            name=name,
            model=weights or model,
            chat=_asked_chat(model, chosen) if name == "logprobs" and model is not None else None,
            **{key: chosen[key] for key in DecisionOptions.model_fields if key in chosen and key in TAKES[name]},
        )
    except ValidationError as error:
        raise UsageError(f"An option of the decision model is wrong: {first_fault(error)}") from None


def named_weights(text: str) -> tuple[str, str | None]:
    """Return which model "embedded:FILE" names, and its file of weights; None for a name without one.

    Raises:
        AgentConfigError: there is no such model.
    """
    name, _, weights = text.partition(":")
    if name in EMBEDDED_MODELS:
        return name, weights or None
    return resolved(text), None


def _refuse_idle(name: str, chosen: Mapping[str, Any]) -> None:
    for key, value in chosen.items():
        field = DecisionOptions.model_fields.get(key) or ChatOptions.model_fields[key]
        plain = None if field.is_required() else field.default
        if value == plain or key in TAKES[name]:
            continue
        if key == "model" and value in DECISION_MODELS:
            raise UsageError(f"A decision model is named by --decision-model: give --decision-model {value}.")
        takers = ", ".join(other for other in TAKES if key in TAKES[other])
        for_whom = f"of the decision models it is for {takers}" if takers else "it is for agents that chat"
        raise UsageError(f"--{key.replace('_', '-')} has no meaning for the decision model {name}; {for_whom}.")


def _asked_chat(model: str, chosen: Mapping[str, Any]) -> ChatOptions:
    taken = {key: chosen[key] for key in ("base_url", "api_key_env", "temperature", "prices") if key in chosen}
    return ChatOptions(model=model, **taken)
