from pathlib import Path

import pytest

from llm.decision import Usage
from llm.pricing import Price, PriceFileError, Prices, load_prices

OPENAI = "https://api.openai.com/v1"
USED = Usage(input_tokens=1_000_000, cached_tokens=400_000, output_tokens=100_000)
OWN = Prices(own={"m": Price(input=2.0, cached=0.5, output=10.0), "flat": Price(input=2.0, output=10.0)})


def test_the_bundled_table_prices_a_model_at_its_address() -> None:
    cost, source = Prices().cost(("gpt-4o-mini-2024-07-18",), USED, OPENAI)
    # Dollars per million: 0.15 in, 0.075 cached, 0.60 out.
    assert cost == pytest.approx(0.6 * 0.15 + 0.4 * 0.075 + 0.1 * 0.60)
    assert source == "price table"


def test_an_unknown_count_of_cached_tokens_is_priced_in_full() -> None:
    used = Usage(input_tokens=1_000_000, output_tokens=0)
    assert Prices().cost(("gpt-4o-mini",), used, OPENAI)[0] == pytest.approx(0.15)
    assert OWN.cost(("m",), used, OPENAI)[0] == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("models", "usage", "base_url"),
    [
        (("no-such-model",), USED, OPENAI),
        (("gpt-4o-mini",), USED, "http://127.0.0.1:8080/v1"),
        (("gpt-4o-mini",), USED, "https://models.example.com/v1"),
        (("gpt-4o-mini",), Usage(output_tokens=1), OPENAI),
        (("gpt-4o-mini",), Usage(input_tokens=1), OPENAI),
        (("gpt-4o-mini",), Usage(input_tokens=1, cached_tokens=2, output_tokens=0), OPENAI),
        ((), USED, OPENAI),
    ],
    ids=["model", "local address", "address", "no input", "no output", "more cached than read", "no name"],
)
def test_what_is_unknown_has_no_price(models: tuple[str, ...], usage: Usage, base_url: str) -> None:
    assert Prices().cost(models, usage, base_url) == (None, None)


def test_the_users_price_comes_before_the_table_under_either_name() -> None:
    both = Prices(own={"gpt-4o-mini": Price(input=1.0, output=1.0)})
    assert both.cost(("gpt-4o-mini-2024-07-18", "gpt-4o-mini"), USED, OPENAI) == (pytest.approx(1.1), "price file")


def test_cached_tokens_have_their_own_price_where_it_is_given() -> None:
    assert OWN.cost(("m",), USED, OPENAI)[0] == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 0.1 * 10)
    assert OWN.cost(("flat",), USED, OPENAI)[0] == pytest.approx(2 + 0.1 * 10)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.toml", "[m]\ninput = 2\ncached = 0.5\noutput = 10\n\n[flat]\ninput = 2.0\noutput = 10.0\n"),
        ("p.json", '{"m": {"input": 2, "cached": 0.5, "output": 10}, "flat": {"input": 2.0, "output": 10.0}}'),
    ],
)
def test_a_file_of_prices_is_read(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert load_prices(tmp_path / name) == OWN


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("p.toml", "[m]\ninput = 2", "wrong at m.output: "),
        ("p.toml", "[m]\ninput = -2\noutput = 1", "wrong at m.input: "),
        ("p.toml", "[m]\ninput = inf\noutput = 1", "wrong at m.input: "),
        ("p.toml", '[m]\ninput = "2"\noutput = 1', "wrong at m.input: "),
        ("p.toml", "[m]\ninput = 2\noutput = 1\nprice = 3", "wrong at m.price: "),
        ("p.json", "[]", "wrong at the file: "),
        ("p.json", "{", "is no JSON"),
        ("p.json", "[" * 100_000, "is no JSON"),
        ("p.toml", "{}", "is no TOML"),
        ("none.toml", None, "cannot be read: No such file"),
    ],
)
def test_a_file_that_cannot_be_used_says_where(tmp_path: Path, name: str, text: str | None, part: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(PriceFileError, match=part) as caught:
        load_prices(tmp_path / name)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)
