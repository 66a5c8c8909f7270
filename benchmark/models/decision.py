"""A decision model from its options: a client or a model of this process, and recorded answers. Knows no benchmark."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, runtime_checkable

from agent.decision_model import DecisionModel, WireModel
from agent.decision_models import CLIENTS, ModelOptions, make_decision_client, make_decision_model, missing_key
from benchmark.errors import UsageError
from benchmark.models.chat import endpoint_of, prices_of, reachable
from benchmark.models.decision_options import DecisionOptions
from benchmark.records.rows import JobKey
from llm.cache import CachedDecisions
from llm.decision import ChoiceQuestion, DecisionError, InvalidAnswer

# Those that are asked over a network, and can be told a wrong key or address.
SERVICES = frozenset({"typesafe", "openrouter", "logprobs"})
TEST_QUESTION = ChoiceQuestion(instructions="Choose the first.", criteria={"a": "the first", "b": "the second"})


@runtime_checkable
class Episodic(Protocol):
    """A model whose decisions depend on which episode it is in."""

    def begin_episode(self, key: str, again: bool = False) -> None: ...


class OpenedDecisions:
    """A decision model with its recorded answers; both are told where each episode begins."""

    def __init__(self, options: DecisionOptions) -> None:
        """Make the model; nothing is asked yet.

        Raises:
            AgentConfigError: it is not installed, or an address, a key, weights or a folder that is none.
            UsageError: a file of prices that is none.
        """
        self.identity: dict[str, Any] = {}
        self._cache: CachedDecisions | None = None
        if options.name not in CLIENTS:
            self.model: DecisionModel = make_decision_model(options.name, model_options(options))
            return
        client = make_decision_client(options.name, model_options(options))
        if options.llm_cache != "off":
            client = CachedDecisions(client, options.llm_cache, options.llm_cache_dir)
        if isinstance(client, CachedDecisions):
            self._cache = client
        self.model = WireModel(client)
        # A replay has the settings of what it replays, so that both are the same run.
        self.identity = {key: value for key, value in client.identity.items() if key != "max_options"}

    @property
    def given(self) -> dict[str, Any]:
        """What `make_agent` is told of this model."""
        return {"decisions": self.model, "decision_endpoint": self.identity}

    def begin_episode(self, job: JobKey, spent_usd: float) -> None:
        """Start the recorded answers of an episode's task, seed and trial."""
        key = "/".join(map(str, job.episode))
        if self._cache is not None:
            self._cache.begin_episode(key)
        if isinstance(self.model, Episodic):
            self.model.begin_episode(key, again=job.trial > 0)


def model_options(options: DecisionOptions) -> ModelOptions:
    """Return what the decision model is made from; a chat server of our own need not run yet.

    Raises:
        UsageError: a file of prices that is none.
    """
    return ModelOptions(
        model=options.model,
        base_url=options.base_url,
        key_variable=options.chat.key_variable if options.chat else options.api_key_env,
        deadline_s=options.decision_deadline,
        prices=prices_of(options.prices),
        endpoint=endpoint_of(options.chat) if options.chat else None,
        recordings=options.llm_cache_dir,
    )


@contextmanager
def decidable(
    options: DecisionOptions | None, workers: int = 1, ray_address: str | None = None
) -> Iterator[DecisionOptions | None]:
    """Yield the options of a model that can be asked while the block runs; a local one is served for as long.

    A service is asked one small question first: a wrong key, address or name would else end every episode as blocked,
    which counts as the agent's failure.

    Raises:
        UsageError: no key, no weights, a server that does not start, or a service that gives no decision.
    """
    if options is None or options.llm_cache == "replay":
        yield options
        return
    variable = missing_key(options.name, model_options(options))
    if variable is not None:
        raise UsageError(f"There is no key in {variable}; set it, or choose another --decision-model.")
    with reachable(options.chat, workers, ray_address) as chat:
        ready = options.model_copy(update={"chat": chat})
        if options.name in SERVICES:
            _try(ready)
        yield ready


def _try(options: DecisionOptions) -> None:
    client = make_decision_client(options.name, model_options(options))
    try:
        client.ask("This is a test.", {"test": TEST_QUESTION})
    except InvalidAnswer:
        pass  # it answers; how well is what the run will show
    except DecisionError as error:
        raise UsageError(f"The decision model {client.name} cannot be asked: {error}") from None
