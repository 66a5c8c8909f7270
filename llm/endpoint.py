"""Where a model is asked, with which key and at what price: what all clients of OpenAI's protocol share.

Knows neither questions nor answers.
"""

from urllib.parse import urlsplit

from pydantic import Field, JsonValue, SecretStr

from llm.connection import Failure
from llm.decision import Frozen, ModelCall
from llm.pricing import Prices
from llm.wire import Answer, Api

# Names of our own that a message may repeat; any other word of an answer could be anything.
FIELDS = frozenset(
    {
        "model", "temperature", "seed", "messages", "input", "max_tokens", "max_completion_tokens", "max_output_tokens",
        "logprobs", "top_logprobs",
    }
)  # fmt: skip


class Endpoint(Frozen):
    """Which model is asked where and how; everything of a client but its key."""

    model: str
    base_url: str = "https://api.openai.com/v1"
    temperature: float | None = 0.0
    """None leaves it to the endpoint; some models take no other."""
    seed: int | None = None
    """Not sent to the Responses API, which knows none."""
    api: Api = "chat"
    deadline_s: float = Field(default=120.0, gt=0)
    """For a whole call, with its retries and waits."""
    attempts: int = Field(default=6, ge=1)
    """How often a call is tried at most: with doubling waits, six take some 12 seconds."""
    local: bool = False
    """Whether llm/serve.py serves it: nothing is charged then, and the address is chance."""
    key_variable: str = "OPENAI_API_KEY"
    """The environment variable that the key comes from; only to name it in messages."""

    @property
    def identity(self) -> dict[str, JsonValue]:
        """What decides an answer beside the request. A port is chance, and an address may hold a password."""
        address = urlsplit(self.base_url)
        place = "local" if self.local else f"{address.hostname}{address.path.rstrip('/')}"
        return {
            "endpoint": place, "model": self.model, "api": self.api,
            "temperature": self.temperature, "seed": self.seed,
        }  # fmt: skip


class Access:
    """An endpoint with the key for it and the prices of what it charges. Holds no connection."""

    def __init__(self, endpoint: Endpoint, key: str | None = None, prices: Prices | None = None) -> None:
        """Without a key none is sent; nothing is read from the environment.

        Raises:
            ValueError: an address or a key that cannot be used; the message holds neither.
        """
        self.endpoint = endpoint
        self.where = checked_address(endpoint.base_url)
        self._key = None if key is None else SecretStr(checked_key(key, endpoint.key_variable))
        self._prices = prices or Prices()

    @property
    def key(self) -> str | None:
        """The key in the clear, to be handed to a connection and to nothing else."""
        return self._key.get_secret_value() if self._key else None

    def call(self, kind: str, answer: Answer, latency_ms: float) -> ModelCall:
        """Return the call that an answer came from, with its price as far as it is known."""
        model = answer.model or self.endpoint.model
        call = ModelCall(kind=kind, model=model, usage=answer.usage, latency_ms=latency_ms)
        if self.endpoint.local:
            return call.model_copy(update={"cost_usd": 0.0, "cost_source": "local server"})
        if answer.cost_usd is not None:
            return call.model_copy(update={"cost_usd": answer.cost_usd, "cost_source": "provider"})
        names = (model, self.endpoint.model)
        cost_usd, source = self._prices.cost(names, answer.usage, self.endpoint.base_url)
        return call.model_copy(update={"cost_usd": cost_usd, "cost_source": source})

    def sentence(self, failure: Failure) -> str:
        """Return what a user reads of a failure: what happened, and the way out."""
        where, variable, model = self.where, self.endpoint.key_variable, self.endpoint.model
        tried = f"{failure.attempts} attempts" if failure.attempts > 1 else "one attempt"
        if failure.late:
            return f"{where} gave no whole answer within {self.endpoint.deadline_s:g} seconds; give it more time."
        if failure.quota or failure.status == 402:
            return f"{where} says that the account has no money left ({failure.status})."
        match failure.status:
            case None:
                return f"No connection to {where} held in {tried}; is it running, and is the base URL right?"
            case 401 | 403 if self.key is None:
                return f"{where} asks for a key ({failure.status}); set one in {variable}."
            case 401 | 403:
                return f"{where} refuses the key in {variable} ({failure.status}); set one that may use {model}."
            case 404:
                return f"{where} knows no model {model}, or the base URL is wrong (404); most end in /v1."
            case 429:
                asked = f", and asks to wait {failure.wait_s:.0f} seconds" if failure.wait_s else ""
                return f"{where} still says that it is asked too often (429) after {tried}{asked}; use fewer workers."
            case status if status >= 500:
                return f"{where} failed ({status}) in {tried}; try again later."
            case status if status < 300:
                return f"{where} answered with no chat completion; is the base URL right? Most end in /v1."
            case status:
                named = f" for its {failure.about!r}" if failure.about in FIELDS else ""
                return f"{where} refuses the request{named} ({status}); check the model, base URL and options."


def checked_key(key: str, variable: str) -> str:
    """Return a key that can be sent; an HTTP library would quote one that cannot.

    Raises:
        ValueError: naming the variable it came from, not the key.
    """
    if not (key.isascii() and key.isprintable() and key and " " not in key):
        raise ValueError(f"The key in {variable} holds a space, a line break or no key at all.")
    return key


def checked_address(base_url: str) -> str:
    """Return the host and port of an address, for messages.

    Raises:
        ValueError: it is none that can be used; the message does not hold it.
    """
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        usable = False
    if not usable:
        raise ValueError("The base URL is not an http or https address.")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("The base URL holds a user, a query or a fragment; keys belong in the environment.")
    return f"{parts.hostname}{port}"
