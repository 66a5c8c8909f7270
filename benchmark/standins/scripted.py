"""What scripts of the stand-in tasks are made of: finding things on a page by what a reader sees. Knows no task."""

import re
from collections.abc import Generator
from typing import Literal, NamedTuple

from pydantic import JsonValue

from browser.actions import BrowserAction, Click, Select, Type
from browser.observation import Observation


class Said(NamedTuple):
    """What a script ends with, whatever form an evaluator wants it in."""

    kind: Literal["RETRIEVE", "NAVIGATE", "MUTATE"]
    data: tuple[JsonValue, ...] = ()
    text: str = ""
    """The same as one text."""
    found: bool = True


Script = Generator[BrowserAction, Observation, Said]
Walk = Generator[BrowserAction, Observation, Observation]


def one(seen: Observation, name: str, role: str | None = None, nth: int = 0) -> int:
    """Return the id of the element with this name, which may end in "*" for "contains"; the nth where several have it.

    Raises:
        LookupError: there is none.
    """
    part = name.removesuffix("*")
    found = [
        e.id for e in seen.elements if role in (None, e.role) and (part in e.name if name != part else e.name == name)
    ]
    if nth >= len(found):
        raise LookupError(f"{name!r} is not on the page {seen.title!r}")
    return found[nth]


def click(seen: Observation, name: str, role: str | None = None, nth: int = 0) -> Walk:
    """Click an element and return what is seen then."""
    return (yield Click(element_id=one(seen, name, role, nth)))


def follow(seen: Observation, *names: str) -> Walk:
    """Click one element after another by name, links or buttons, and return what is seen then."""
    for name in names:
        seen = yield from click(seen, name)
    return seen


def fill(seen: Observation, fields: dict[str, str]) -> Walk:
    """Type a text into each field of these names and return what is seen then."""
    for name, text in fields.items():
        seen = yield Type(element_id=one(seen, name), text=text)
    return seen


def choose(seen: Observation, name: str, option: str, nth: int = 0) -> Walk:
    """Choose an option of a list and return what is seen then."""
    lists = [e.id for e in seen.elements if e.name == name and any(o.label == option for o in e.options)]
    if nth >= len(lists):
        raise LookupError(f"no list {name!r} offers {option!r} on the page {seen.title!r}")
    return (yield Select(element_id=lists[nth], option=option))


def texts(seen: Observation) -> list[str]:
    """Return the texts of the page in their order."""
    return [block.text for block in seen.texts]


def after(seen: Observation, words: str, pattern: str) -> str:
    """Return what the pattern's group matches in the first text after these words that it matches.

    Raises:
        LookupError: there is none.
    """
    listed = texts(seen)
    start = next((n for n, text in enumerate(listed) if words in text), None)
    if start is not None:
        for text in listed[start:]:
            if match := re.search(pattern, text):
                return match[1]
    raise LookupError(f"nothing like {pattern!r} follows {words!r} on the page {seen.title!r}")
