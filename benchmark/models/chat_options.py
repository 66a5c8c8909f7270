"""What a command line says about a chat model, as plain values that can be sent to another process."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from pydantic import ValidationError

from agent.react import MAX_PROMPT_TOKENS
from agent.registry import CHAT_AGENTS, WRITER_AGENTS
from benchmark.errors import UsageError
from browser.actions import first_fault
from browser.observation import Frozen
from llm.cache import CacheMode

# The name that stands for a model which this program serves itself.
LOCAL = "local"
OPENAI_KEY = "OPENAI_API_KEY"
CACHE_FOLDER = Path("results/llm-cache")

BaseUrl = Annotated[
    str | None, typer.Option(help="Address of an OpenAI-compatible endpoint; without it, OpenAI's own.")
]
ApiKeyEnv = Annotated[
    str | None,
    typer.Option(help="Variable of the environment that holds the key; without it, OPENAI_API_KEY for OpenAI alone."),
]
Writer = Annotated[
    str | None,
    typer.Option(help="Of jev: a chat model for texts that goal and page do not hold."),
]
Temperature = Annotated[float, typer.Option(help="Of a chat model; below 0 leaves it to the endpoint.")]
Api = Annotated[Literal["chat", "responses"], typer.Option(help="Which of OpenAI's two interfaces is spoken.")]
MaxPromptTokens = Annotated[int, typer.Option(help="What one prompt may take, by estimate; pages are cut to fit.")]
Cache = Annotated[CacheMode, typer.Option(help="Record a chat model's answers, or replay them without any call.")]
CacheDir = Annotated[Path, typer.Option(help="Folder of the recorded answers.")]
MaxCost = Annotated[float | None, typer.Option(help="Dollars the folder's episodes may cost; then the run stops.")]
MaxCostEpisode = Annotated[float | None, typer.Option(help="Dollars one episode may cost; it ends as cost_limit.")]
PriceFile = Annotated[Path | None, typer.Option(help="TOML or JSON file of prices, before the bundled table.")]


class ChatOptions(Frozen):
    """Everything a user chose for a chat model, but never its key."""

    model: str
    base_url: str | None = None
    api_key_env: str | None = None
    temperature: float = 0.0
    api: Literal["chat", "responses"] = "chat"
    max_prompt_tokens: int = MAX_PROMPT_TOKENS
    llm_cache: CacheMode = "off"
    llm_cache_dir: Path = CACHE_FOLDER
    max_cost: float | None = None
    max_cost_episode: float | None = None
    prices: Path | None = None
    served_at: str | None = None
    """Where the local model answers, once it does."""

    @property
    def key_variable(self) -> str | None:
        """The variable that holds the key to send; a key for OpenAI goes to no other address unless it is named."""
        return self.api_key_env or (None if self.base_url is not None or self.is_local else OPENAI_KEY)

    @property
    def is_local(self) -> bool:
        """Whether this program serves the model itself."""
        return self.model == LOCAL and self.base_url is None


def chat_options(agent: str, model: str | None, writer: str | None = None, **chosen: Any) -> ChatOptions | None:
    """Return the options of an agent that asks a chat model, or of a decision agent's `writer`; None for the others.

    Raises:
        UsageError: an option has no meaning for this agent, or an impossible value, or no model is named.
    """
    if writer is not None and agent not in WRITER_AGENTS:
        raise UsageError(f"--writer is for {', '.join(sorted(WRITER_AGENTS))}; leave it out for {agent}.")
    if writer is not None:
        model = writer
    elif agent not in CHAT_AGENTS:
        idle = [name for name, value in chosen.items() if value != ChatOptions.model_fields[name].default]
        if idle:
            raise UsageError(
                f"{_option(idle[0])} is for agents that ask a chat model: {', '.join(sorted(CHAT_AGENTS))}."
            )
        return None
    if model is None:
        raise UsageError(
            f"The agent {agent} needs a chat model; give --model NAME and set its key, or --model {LOCAL} to run one."
        )
    _check(chosen)
    try:
        return ChatOptions(model=model, **chosen)
    except ValidationError as error:
        raise UsageError(f"An option of the chat model is wrong: {first_fault(error)}") from None


def _check(chosen: Mapping[str, Any]) -> None:
    for name in ("max_cost", "max_cost_episode"):
        if (dollars := chosen.get(name)) is not None and not dollars > 0:
            raise UsageError(f"{_option(name)} is {dollars:g}; give dollars above 0, or leave it out for no limit.")
    if (tokens := chosen.get("max_prompt_tokens", MAX_PROMPT_TOKENS)) < 1:
        raise UsageError(f"--max-prompt-tokens is {tokens}; the rules alone take several hundred.")


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")
