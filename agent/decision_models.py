"""Decision models by name, as a command line gives them. Knows no benchmark.

Keys come from the environment, each from its own variable and for its own service. To add a model, write a
`DecisionClient` in llm/ and add one line to `CLIENTS`.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import JsonValue

from agent.decision_model import DecisionModel, WireModel
from llm.cache import CachedDecisions, recorded_identities
from llm.decision import MAX_OPTIONS, ChoiceQuestion, DecisionClient, DecisionError, Reply
from llm.endpoint import Endpoint
from llm.pricing import Prices
from llm.scripted import ScriptedDecisions
from llm.systemone import (
    DEADLINE_S,
    OPENROUTER_KEY,
    OPENROUTER_MODEL,
    TYPESAFE_BASE_URL,
    TYPESAFE_KEY,
    TYPESAFE_MODEL,
    TYPESAFE_URL,
    SystemOneClient,
    openrouter,
    typesafe,
)

EMBEDDED = "embedded"
EMBEDDED_MODELS = (
    EMBEDDED,
    "embedded-rules",
    "embedded-learned",
    "embedded-hintless",
    "embedded-uncomputed",
    "embedded-exploring",
    "embedded-rules-literal",
    "embedded-rules-exploring",
)
"""The models of agent/embedded/variants.py: the default, its parts, and those that explore for training."""
REPLAY: Literal["replay"] = "replay"
# Jev where its key is set, else the embedded model.
AUTO = "auto"


class AgentConfigError(Exception):
    """No such agent or model, or not with these options; the message says what there is."""


@dataclass(frozen=True)
class ModelOptions:
    """What a user chose for a decision model; each has a meaning for some of them."""

    model: str | None = None
    """The name at its service; for laya a folder of weights, for an embedded model a file of them."""
    base_url: str | None = None
    """Of a server that speaks TypeSafe's protocol."""
    key_variable: str | None = None
    """The variable that holds the key for `base_url`; without it none is sent there."""
    deadline_s: float | None = None
    prices: Prices | None = None
    endpoint: Endpoint | None = None
    """The chat model that logprobs asks."""
    recordings: Path | None = None
    """The folder that replay answers from."""


def resolved(name: str) -> str:
    """Return which model a name stands for here and now.

    Raises:
        AgentConfigError: there is no such model.
    """
    if name == AUTO:
        return "typesafe" if os.environ.get(TYPESAFE_KEY) else EMBEDDED
    if name not in DECISION_MODELS:
        raise AgentConfigError(f"No decision model {name!r}; there are {', '.join(DECISION_MODELS)}, and {AUTO}.")
    return name


def make_decision_model(name: str, options: ModelOptions | None = None) -> DecisionModel:
    """Return the decision model of this name.

    Raises:
        AgentConfigError: unknown, not installed, or not with these options.
    """
    name = resolved(name)
    if name in EMBEDDED_MODELS:
        from agent.embedded.scorer import WeightsError
        from agent.embedded.variants import make_embedded  # weights are read only where they are used

        try:
            return make_embedded(name, options.model if options else None)
        except WeightsError as error:
            raise AgentConfigError(str(error)) from None
    return WireModel(make_decision_client(name, options))


def make_decision_client(name: str, options: ModelOptions | None = None) -> DecisionClient:
    """Return the client of a decision model that is asked over a wire, in this process or not.

    Raises:
        AgentConfigError: unknown, not installed, or not with these options.
    """
    if name not in CLIENTS:
        raise AgentConfigError(f"No decision model {name!r} is asked over a wire; there are {', '.join(CLIENTS)}.")
    try:
        return CLIENTS[name](options or ModelOptions())
    except (DecisionError, ValueError) as error:  # about an address, a key or weights, and holds none of them
        raise AgentConfigError(str(error)) from None


def missing_key(name: str, options: ModelOptions) -> str | None:
    """Return the variable that a key must be set in before this model can be asked; None where none is missing."""
    variable = {"typesafe": TYPESAFE_KEY, "openrouter": OPENROUTER_KEY}.get(name)
    if name == "typesafe" and (options.base_url or os.environ.get(TYPESAFE_BASE_URL)):
        variable = options.key_variable
    return variable if variable and not os.environ.get(variable) else None


def _typesafe(options: ModelOptions) -> DecisionClient:
    # The key for TypeSafe goes to another address only where it is named for it, or where the environment has both.
    own = options.base_url is None
    variable = options.key_variable or (TYPESAFE_KEY if own else None)
    address = typesafe(
        options.base_url or os.environ.get(TYPESAFE_BASE_URL) or TYPESAFE_URL,
        options.model or TYPESAFE_MODEL,
        key_variable=variable or "the variable that --api-key-env names",
        deadline_s=options.deadline_s or DEADLINE_S,
    )
    return SystemOneClient("typesafe", address, _key(variable), options.prices)


def _openrouter(options: ModelOptions) -> DecisionClient:
    address = openrouter(options.model or OPENROUTER_MODEL, deadline_s=options.deadline_s or DEADLINE_S)
    return SystemOneClient("openrouter", address, _key(OPENROUTER_KEY), options.prices)


def _laya(options: ModelOptions) -> DecisionClient:
    from llm.laya import load_laya

    if options.model is None:
        raise AgentConfigError("The model laya needs weights of your own: name their folder with --model.")
    return load_laya(Path(options.model))


def _logprobs(options: ModelOptions) -> DecisionClient:
    from llm.logprobs import LogprobsClient

    if options.endpoint is None:
        raise AgentConfigError("The model logprobs asks a chat model: name it with --model, or --model local.")
    endpoint = options.endpoint
    if options.deadline_s is not None:
        endpoint = endpoint.model_copy(update={"deadline_s": options.deadline_s})
    return LogprobsClient(endpoint, _key(options.key_variable), options.prices)


def _sparrow(options: ModelOptions) -> DecisionClient:
    try:
        from llm.sparrow import SparrowClient
    except ModuleNotFoundError as error:
        if error.name != "sparrow_decider":
            raise
        raise AgentConfigError(
            "The model sparrow needs its package: make ... DECISION_MODEL=sparrow, or pip install sparrow-decider."
        ) from None
    return SparrowClient()


def _scripted(options: ModelOptions) -> DecisionClient:
    return ScriptedDecisions(lambda state, questions: {}, name="scripted-first-option")


def _replay(options: ModelOptions) -> DecisionClient:
    folder = options.recordings
    if folder is None:
        raise AgentConfigError("The model replay answers from a folder: name it with --llm-cache-dir.")
    found = recorded_identities(folder)
    chosen = [one for one in found if options.model in (None, one.get("model"))]
    if len(chosen) != 1:
        names = ", ".join(sorted(str(one.get("model")) for one in found)) or "none"
        raise AgentConfigError(
            f"In {folder} are recorded answers of {names}; name one of them with --model, or record a run with"
            " --llm-cache record."
        )
    return CachedDecisions(_Silent(chosen[0]), REPLAY, folder, chosen[0])


class _Silent:
    """Stands for a model that answered once and is not asked any more."""

    def __init__(self, identity: dict[str, JsonValue]) -> None:
        self.name = f"{REPLAY}:{identity.get('model')}"
        self.identity = identity
        limit = identity.get("max_options")
        self.max_options = limit if isinstance(limit, int) else MAX_OPTIONS

    def ask(self, state: str, questions: Mapping[str, ChoiceQuestion]) -> Reply:
        raise DecisionError(f"{self.name} is never asked.")


def _key(variable: str | None) -> str | None:
    return os.environ.get(variable) or None if variable else None


CLIENTS: dict[str, Callable[[ModelOptions], DecisionClient]] = {
    "typesafe": _typesafe,
    "openrouter": _openrouter,
    "laya": _laya,
    "logprobs": _logprobs,
    "sparrow": _sparrow,
    "scripted": _scripted,
    REPLAY: _replay,
}
DECISION_MODELS = (*EMBEDDED_MODELS, *CLIENTS)
"""Every name but `AUTO`, which stands for one of them."""
