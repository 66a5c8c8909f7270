"""Words as the embedded model compares them: tokens, stems, synonyms, ordinals, quantities. Plain English only."""

import re

STOP_WORDS = frozenset(
    "a an the and or of in on at to for from by with into onto as is are was be it its this that these those then "
    "there their them they he she his her you your i my me we us our so if when where which who what how do does "
    "please below above up down out all each every both any some one not".split()
)
# Words by which a page asks to confirm: pressing such a control ends a piece of work.
SUBMIT_WORDS = frozenset(
    "submit ok okay go send save done apply confirm search login log sign signin signup order buy book continue next "
    "finish create add update post publish checkout register agree reply forward".split()
)
# Page words and class names that stand for what a goal says in other words; by stem, both ways.
_SYNONYM_GROUPS = (
    "delete trash remove bin discard",
    "important star favorite favourite starred flag",
    "forward send fwd",
    "reply respond answer",
    "like heart love upvote",
    "retweet share repost",
    "close x dismiss cancel times",
    "search find magnifier lookup",
    "plus add increase more",
    "minus less decrease subtract",
    "next forward right",
    "previous prev back left",
    "menu hamburger",
    "more ellipsis dots options",
    "italics italic em",
    "underlined underline",
    "bold strong bolded",
    "color colour",
    "picture image photo",
    "login signin log",
    "textbox text input textarea field",
    "recipient to receiver",
    "sender from by",
    "print printer",
    "zoom magnify",
)
ORDINAL_WORDS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "last": -1,
}  # fmt: skip
NUMBER_WORDS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10,
}  # fmt: skip

_WORD = re.compile(r"[^\W_]+(?:['’](?!s\b)[^\W\d_]+)?")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SUFFIXES = ("ing", "ed", "or", "er", "ion", "ly", "es", "s", "e")


def tokens(text: str) -> list[str]:
    """Return the words of a text in lower case, without possessive endings; "firstName" is two words."""
    return [word.lower() for word in _WORD.findall(_CAMEL.sub(" ", text)) if word not in ("s",)]


def stem(word: str) -> str:
    """Return a word without its common English ending: "directed" and "director" meet at "direct"."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith("ss"):
            root = word[: -len(suffix)]
            return root[:-1] if len(root) > 4 and root[-1] == root[-2] and suffix in ("ing", "ed", "er", "or") else root
    return word


def stems(text: str) -> list[str]:
    """Return the stems of the words of a text that are no stop words."""
    return [stem(word) for word in tokens(text) if word not in STOP_WORDS]


_MEANINGS: dict[str, frozenset[str]] = {}
for _group in _SYNONYM_GROUPS:
    _members = frozenset(stem(word) for word in _group.split())
    for _member in _members:
        _MEANINGS[_member] = _MEANINGS.get(_member, frozenset()) | _members


def meanings(word_stem: str) -> frozenset[str]:
    """Return the stems that stand for the same thing, the given one among them."""
    return _MEANINGS.get(word_stem, frozenset((word_stem,)))


_UNITS = {"d": 1440.0, "h": 60.0, "m": 1.0, "min": 1.0, "s": 1 / 60}
_DURATION = re.compile(r"(\d+)\s*(d|h|min|m|s)(?:ays?|ours?|rs?|inutes?|ins?|econds?)?\b", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


def quantity(text: str) -> float | None:
    """Return the first number of a text, or its time span in minutes ("4h 41m"); None where there is none."""
    spans = _DURATION.findall(text)
    if spans:
        return sum(int(amount) * _UNITS[unit.lower()] for amount, unit in spans)
    match = _NUMBER.search(text)
    return float(match.group().replace(",", "")) if match else None


def ordinal(word: str) -> int | None:
    """Return n for "2nd" or "second", -1 for "last"; None for other words."""
    match = re.fullmatch(r"(\d+)(?:st|nd|rd|th)", word)
    return int(match.group(1)) if match else ORDINAL_WORDS.get(word)


def normal(text: str) -> str:
    """Return a text for comparing names whole: lower case, single spaces, no punctuation at its ends."""
    bare = " ".join(text.lower().split())
    return bare.strip(" .,;:!?\"'") or bare
