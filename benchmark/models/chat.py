"""A chat model from its options: an endpoint or a server of our own, a cache, limits of cost. Knows no benchmark."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from agent.react import MAX_ANSWER_TOKENS
from benchmark.errors import UsageError
from benchmark.models.chat_options import ChatOptions
from benchmark.records.rows import JobKey
from llm.budget import BudgetedChat
from llm.cache import CachedChat
from llm.chat import ChatModel
from llm.client import ChatClient
from llm.decision import LLMError
from llm.endpoint import Endpoint
from llm.pricing import Prices, load_prices
from llm.serve import local_server
from llm.weights import weights_path

# Names a file to serve instead of the small model that `make local-llm` fetches.
LOCAL_MODEL_VARIABLE = "LOCAL_MODEL"
# Tokens; what a server has for a prompt, an answer, and the same answer sent back once.
LOCAL_CONTEXT = 4_096
# Seconds for a call: a full prompt and answer take two minutes with 1.5 billion parameters on a free core.
LOCAL_DEADLINE_S = 600.0
# Where a local model is before it is served: nothing answers there.
NOT_SERVED = "http://127.0.0.1:1/v1"


class OpenedChat:
    """A chat model with its cache and its caps, which are told where each episode begins."""

    def __init__(self, options: ChatOptions) -> None:
        """Make the client; nothing is asked yet.

        Raises:
            UsageError: an address, a key or a file of prices that is none.
        """
        self._options = options
        self.endpoint = endpoint_of(options)
        client: ChatModel = _client(self.endpoint, options)
        self._cache = None
        if options.llm_cache != "off":
            identity = self.endpoint.identity
            self._cache = CachedChat(client, options.llm_cache, options.llm_cache_dir, identity)
        self.model = BudgetedChat(self._cache or client, episode_usd=options.max_cost_episode, run_usd=options.max_cost)

    @property
    def given(self) -> dict[str, Any]:
        """What `make_agent` is told of this model."""
        limit = self._options.max_cost_episode
        return {
            "chat": self.model,
            "max_prompt_tokens": self._options.max_prompt_tokens,
            "endpoint": self.endpoint.identity | ({} if limit is None else {"max_cost_episode": limit}),
        }

    def begin_episode(self, job: JobKey, spent_usd: float) -> None:
        """Start the money of an episode, and the recorded answers of its task, seed and trial."""
        self.model.begin_episode(spent_usd)
        if self._cache is not None:
            self._cache.begin_episode("/".join(map(str, job.episode)))


def endpoint_of(options: ChatOptions) -> Endpoint:
    """Return where the model is and what else decides its answers; a server of our own need not run yet."""
    chosen: dict[str, Any] = {"model": options.model, "api": options.api}
    chosen["key_variable"] = options.key_variable or "the variable that --api-key-env names"
    chosen["temperature"] = options.temperature if options.temperature >= 0 else None
    if options.is_local:
        chosen |= {"model": local_model().stem, "local": True, "deadline_s": LOCAL_DEADLINE_S, "base_url": NOT_SERVED}
    if address := options.served_at or options.base_url:
        chosen["base_url"] = address
    return Endpoint(**chosen)


@contextmanager
def reachable(
    options: ChatOptions | None, workers: int = 1, ray_address: str | None = None
) -> Iterator[ChatOptions | None]:
    """Yield the options of a model that can be asked while the block runs; a local one is served for as long.

    Raises:
        UsageError: no key, no weights, a server that does not start, or one that other machines would have to reach.
    """
    if options is None or options.llm_cache == "replay":
        yield options
    elif not options.is_local:
        _check_key(options)
        yield options
    elif ray_address is not None:
        raise UsageError("--model local answers on this machine alone; give --base-url, or leave out --ray-address.")
    else:
        with ExitStack() as running:
            try:
                address = running.enter_context(local_server(_weights(), context=_context(options), slots=workers))
            except LLMError as error:
                raise UsageError(str(error)) from None
            yield options.model_copy(update={"served_at": address})


def _weights() -> Path:
    path = local_model()
    if not path.is_file():
        raise UsageError(
            f"No model is at {path}; make local-llm fetches a small one, or set {LOCAL_MODEL_VARIABLE}=FILE.gguf."
        )
    return path


def _context(options: ChatOptions) -> int:
    return max(LOCAL_CONTEXT, options.max_prompt_tokens + 3 * MAX_ANSWER_TOKENS)


def local_model() -> Path:
    """Return the file that `--model local` serves, whether it is there or not."""
    named = os.environ.get(LOCAL_MODEL_VARIABLE)
    return Path(named) if named else weights_path()


def _client(endpoint: Endpoint, options: ChatOptions) -> ChatClient:
    key, prices = _key(options), prices_of(options.prices)
    try:
        return ChatClient(endpoint, key, prices)
    except ValueError as error:  # about the address or the key, and holds neither
        raise UsageError(str(error)) from None


def _key(options: ChatOptions) -> str | None:
    return os.environ.get(options.key_variable) or None if options.key_variable and not options.is_local else None


def _check_key(options: ChatOptions) -> None:
    if options.base_url is None and _key(options) is None:
        raise UsageError(
            f"There is no key in {options.key_variable}; set it, name another variable with --api-key-env, another "
            "endpoint with --base-url, or run a small model here with --model local."
        )


def prices_of(path: Path | None) -> Prices:
    """Return the prices in the user's file, or none of their own.

    Raises:
        UsageError: it is none.
    """
    try:
        return load_prices(path) if path else Prices()
    except LLMError as error:
        raise UsageError(str(error)) from None
