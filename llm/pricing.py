"""What a call costs: the provider's word, else the user's file of prices, else a price that we are configured with,
else a bundled table, else unknown.

Asks no network, and never says 0 for a price it does not know.
"""

import json
import tomllib
from pathlib import Path

import genai_prices
from pydantic import Field, TypeAdapter, ValidationError

from llm.decision import CostSource, Frozen, LLMError, Usage

TOKENS_PER_PRICE = 1_000_000


class PriceFileError(LLMError):
    """A file of prices cannot be used."""


class Price(Frozen):
    """Dollars per million tokens."""

    input: float = Field(ge=0, allow_inf_nan=False)
    cached: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    """For the input that the provider had in its cache; None where that is no cheaper."""
    output: float = Field(ge=0, allow_inf_nan=False)


# Of TypeSafe's Jev, as third parties document it: the service itself publishes none. Output is free.
JEV_PRICE = Price(input=0.042, output=0.0)


class Prices(Frozen):
    """The user's own prices by model name; without any, the bundled table alone speaks."""

    own: dict[str, Price] = {}

    def cost(
        self, models: tuple[str, ...], usage: Usage, base_url: str, configured: Price | None = None
    ) -> tuple[float | None, CostSource | None]:
        """Return the dollars of a call and who says so; (None, None) where no price or no count is known.

        `models` are the names to look for, best first: the one that answered, then the one asked for. `configured` is
        the price of a service whose models the table does not know. Tokens that are not known to be cached are priced
        in full.
        """
        if usage.input_tokens is None or usage.output_tokens is None:
            return None, None
        for model in models:
            if price := self.own.get(model):
                return _by_price(price, usage), "price file"
        if configured is not None:
            return _by_price(configured, usage), "configuration"
        for model in models:
            cost = _by_table(model, usage, base_url)
            if cost is not None:
                return cost, "price table"
        return None, None


def load_prices(path: Path) -> Prices:
    """Return the prices in a TOML or JSON file: model name -> input, output and perhaps cached.

    Raises:
        PriceFileError
    """
    try:
        text = path.read_text(encoding="utf-8")
        raw = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        return Prices(own=TypeAdapter(dict[str, Price]).validate_python(raw, strict=True))
    except OSError as error:
        raise PriceFileError(f"The price file {path} cannot be read: {error.strerror}.") from None
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"]) or "the file"
        raise PriceFileError(
            f"The price file {path} is wrong at {where}: give each model input and output, and perhaps cached,"
            " in dollars per million tokens."
        ) from None
    except (ValueError, RecursionError):
        kind = "JSON" if path.suffix == ".json" else "TOML"
        raise PriceFileError(f"The price file {path} is no {kind}; end its name in .toml or .json.") from None


def _by_price(price: Price, usage: Usage) -> float:
    input_tokens, output_tokens = usage.input_tokens or 0, usage.output_tokens or 0
    cached_tokens = min(usage.cached_tokens or 0, input_tokens)
    cached = price.input if price.cached is None else price.cached
    dollars = (input_tokens - cached_tokens) * price.input + cached_tokens * cached + output_tokens * price.output
    return dollars / TOKENS_PER_PRICE


def _by_table(model: str, usage: Usage, base_url: str) -> float | None:
    try:
        counted = genai_prices.Usage(
            input_tokens=usage.input_tokens,
            cache_read_tokens=usage.cached_tokens,
            output_tokens=usage.output_tokens,
        )
        return float(genai_prices.calc_price(counted, model, provider_api_url=base_url).total_price)
    except (LookupError, ValueError):  # an address or model it does not know; counts that contradict each other
        return None
