"""Where a model is asked, with which key and at what price: what all clients of a service share.

Knows neither questions nor answers.
"""

from urllib.parse import urlsplit

from pydantic import Field, JsonValue, SecretStr

from llm.connection import Failure
from llm.decision import Frozen, ModelCall
from llm.pricing import Price, Prices
from llm.wire import Api, Charged

# Names of our own that a message may repeat; any other word of an answer could be anything.
FIELDS = frozenset(
    {
        "model", "temperature", "seed", "messages", "input", "max_tokens", "max_completion_tokens", "max_output_tokens",
        "logprobs", "top_logprobs",
    }
)  # fmt: skip


class Address(Frozen):
    """Which model is asked where, and how long; everything of a client but its key."""

    model: str
    base_url: str
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
        return {"endpoint": place, "model": self.model}


class Endpoint(Address):
    """A chat model on OpenAI's protocol."""

    base_url: str = "https://api.openai.com/v1"
    temperature: float | None = 0.0
    """None leaves it to the endpoint; some models take no other."""
    seed: int | None = None
    """Not sent to the Responses API, which knows none."""
    api: Api = "chat"

    @property
    def identity(self) -> dict[str, JsonValue]:
        """What decides an answer beside the request."""
        return super().identity | {"api": self.api, "temperature": self.temperature, "seed": self.seed}


class Access:
    """An address with the key for it and the prices of what it charges. Holds no connection."""

    def __init__(
        self,
        address: Address,
        key: str | None = None,
        prices: Prices | None = None,
        *,
        wanted: str = "chat completion",
        hint: str = "most end in /v1",
    ) -> None:
        """Without a key none is sent; nothing is read from the environment. `wanted` is what an answer is called in
        messages, and `hint` what its base URL looks like.

        Raises:
            ValueError: an address or a key that cannot be used; the message holds neither.
        """
        self.where = checked_address(address.base_url)
        self._address = address
        self._key = None if key is None else SecretStr(checked_key(key, address.key_variable))
        self._prices = prices or Prices()
        self._wanted = wanted
        self._hint = hint

    @property
    def key(self) -> str | None:
        """The key in the clear, to be handed to a connection and to nothing else."""
        return self._key.get_secret_value() if self._key else None

    def call(self, kind: str, answer: Charged, latency_ms: float, price: Price | None = None) -> ModelCall:
        """Return the call that an answer came from, with its price as far as it is known: the provider's word, the
        user's file, the `price` that this service is configured with, the bundled table."""
        model = answer.model or self._address.model
        call = ModelCall(kind=kind, model=model, usage=answer.usage, latency_ms=latency_ms)
        if self._address.local:
            return call.model_copy(update={"cost_usd": 0.0, "cost_source": "local server"})
        if answer.cost_usd is not None:
            return call.model_copy(update={"cost_usd": answer.cost_usd, "cost_source": "provider"})
        names = (model, self._address.model)
        cost_usd, source = self._prices.cost(names, answer.usage, self._address.base_url, price)
        return call.model_copy(update={"cost_usd": cost_usd, "cost_source": source})

    def sentence(self, failure: Failure) -> str:
        """Return what a user reads of a failure: what happened, and the way out."""
        where, variable, model = self.where, self._address.key_variable, self._address.model
        tried = f"{failure.attempts} attempts" if failure.attempts > 1 else "one attempt"
        if failure.late:
            return f"{where} gave no whole answer within {self._address.deadline_s:g} seconds; give it more time."
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
                return f"{where} knows no model {model}, or the base URL is wrong (404); {self._hint}."
            case 429:
                asked = f", and asks to wait {failure.wait_s:.0f} seconds" if failure.wait_s else ""
                return f"{where} still says that it is asked too often (429) after {tried}{asked}; use fewer workers."
            case status if status >= 500:
                return f"{where} failed ({status}) in {tried}; try again later."
            case status if status < 300:
                return f"{where} answered with no {self._wanted}; is the base URL right? {self._hint.capitalize()}."
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
