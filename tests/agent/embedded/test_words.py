import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.embedded.words import meanings, mistyped, normal, ordinal, quantity, stem, tokens, year_and_month


@pytest.mark.parametrize(
    "alike",
    [
        ("directed", "director", "directing"),
        ("movie", "movies"),
        ("category", "categories"),
        ("display", "displays"),
        ("reply", "replies", "replied"),
        ("click", "clicking", "clicked"),
    ],
)
def test_forms_of_a_word_share_a_stem(alike: tuple[str, ...]) -> None:
    assert len({stem(word) for word in alike}) == 1


@pytest.mark.parametrize(("one", "other"), [("class", "clas"), ("string", "str"), ("user", "us"), ("boss", "bos")])
def test_short_or_different_words_stay_apart(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@given(st.text(max_size=50))
def test_tokens_are_lower_case_words_of_the_text(text: str) -> None:
    assert all(token and token == token.lower() for token in tokens(text))


def test_tokens_part_camel_case_and_drop_possessives() -> None:
    assert tokens("firstName of Kare's 2nd mail") == ["first", "name", "of", "kare", "2nd", "mail"]


def test_synonyms_go_both_ways() -> None:
    assert stem("trash") in meanings(stem("deleting"))
    assert stem("delete") in meanings(stem("trash"))
    assert meanings("xyzzy") == {"xyzzy"}


@pytest.mark.parametrize(
    ("text", "amount"),
    [("4h 41m", 281), ("2d 1h", 2940), ("Book for $1,178", 1178), ("-3.5", -3.5), ("30 mins", 30), ("none", None)],
)
def test_quantity_reads_numbers_and_time_spans(text: str, amount: float | None) -> None:
    assert quantity(text) == amount


@pytest.mark.parametrize(("word", "n"), [("2nd", 2), ("21st", 21), ("third", 3), ("last", -1), ("two", None)])
def test_ordinal(word: str, n: int | None) -> None:
    assert ordinal(word) == n


@pytest.mark.parametrize(
    ("text", "head"), [("December 2016", (2016, 12)), ("Jan2020", (2020, 1)), ("Room 2016", None), ("May", None)]
)
def test_a_calendars_heading(text: str, head: tuple[int, int] | None) -> None:
    assert year_and_month(text) == head


def test_normal_keeps_a_name_that_is_nothing_but_marks() -> None:
    assert (normal("  Log  In: "), normal("...")) == ("log in", "...")


@pytest.mark.parametrize(
    ("word", "right"),
    [
        ("foward", "forward"),
        ("imiportant", "important"),
        ("delette", "delete"),
        ("forwarded", None),
        ("delete", None),
        ("cancer", None),
        ("sarch", None),
        ("garden", None),
    ],
)
def test_a_command_that_was_mistyped(word: str, right: str | None) -> None:
    assert mistyped(word) == right
