"""Words as the embedded model compares them: tokens, stems, synonyms, ordinals, quantities. Plain English only."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from agent.values import word_set

STOP_WORDS = word_set(
    "a an the and or of in on at to for from by with into onto as is are was be it its this that these those then "
    "there their them they he she his her you your i my me we us our so if when where which who what how do does "
    "please below above up down out all each every both any some one not"
)
# Words by which a page asks to confirm: pressing such a control ends a piece of work.
SUBMIT_WORDS = word_set(
    "submit ok okay go send save done apply confirm search login log sign signin signup order buy book continue next "
    "finish create add update post publish checkout register agree reply forward"
)
# "Log out", "Sign off": such a word and this are a way out.
_OUT = frozenset({"out", "off"})
_MOST_WORDS = 3
# What cannot be taken back, or ends the visit.
_ENDING = word_set(
    "delete remove erase discard destroy suspend deactivate disable unsubscribe report block logout signout"
)


def undoes(words: Sequence[str]) -> str:
    """Return the word by which a control's name says that it takes something away for good or leads out; "" for none.

    A longer text that begins with such a word is content.
    """
    if not 0 < len(words) <= _MOST_WORDS:
        return ""
    return words[0] if words[0] in _ENDING or (words[0] in ("log", "sign") and _OUT & set(words)) else ""


def confirms(words: Sequence[str]) -> bool:
    """Tell whether a control's name begins with a word by which a page asks to confirm."""
    return bool(words) and words[0] in SUBMIT_WORDS and not _OUT & set(words)


# Page words and class names that stand for what a goal says in other words; by stem, both ways.
_SYNONYM_GROUPS = (
    "delete trash remove bin discard",
    "important star favorite favourite starred flag",
    "forward send sent fwd",
    "reply respond answer",
    "like heart love upvote",
    "retweet share repost",
    "close x dismiss cancel times",
    "search find magnifier lookup",
    "plus add increase more order buy",
    "minus less decrease subtract",
    "next forward right seekend",
    "previous prev back left seekstart",
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
    "date year day month released",
    "person name who",
    "zoom magnify",
    "save disk floppy",
)
# What is of a kind, as menus and shops sort it.
_KINDS = {
    "dairy": "milk cheese cream butter yogurt yoghurt",
    "meat": "beef pork chicken lamb turkey ham bacon sausage steak veal",
    "seafood": "fish salmon tuna shrimp crab lobster",
    "vegan": "tofu vegetable bean lentil fruit tempeh",
    "vegetarian": "tofu vegetable bean lentil fruit cheese egg",
    "fruit": "apple banana orange lemon mango berry grape pear peach",
    "drink": "water juice tea coffee soda beer wine",
}
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
_ROOT = 3
_VOWEL = re.compile(r"[aeiouyäöüéèáóíú]")
_SUFFIXES = ("ing", "ed", "or", "er", "ion", "ly", "es", "s", "e")


def tokens(text: str) -> list[str]:
    """Return the words of a text in lower case, without possessive endings; "firstName" is two words."""
    return [word.lower() for word in _WORD.findall(_CAMEL.sub(" ", text)) if word not in ("s",)]


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Return a word without its common English ending: "directed" and "director" meet at "direct"."""
    if len(word) > 3 and word.endswith("y"):
        return word[:-1] + "i"
    if len(word) > 4 and word.endswith("ies"):
        return word[:-2]
    if len(word) > 4 and word.endswith("ys"):
        return stem(word[:-1])
    for suffix in _SUFFIXES:
        root = word.removesuffix(suffix)
        if root != word and len(root) >= _ROOT and _VOWEL.search(root) and not word.endswith("ss"):
            return root[:-1] if len(root) > 4 and root[-1] == root[-2] and suffix in ("ing", "ed", "er", "or") else root
    return word


def stems(text: str) -> list[str]:
    """Return the stems of the words of a text that are no stop words."""
    return [stem(word) for word in tokens(text) if word not in STOP_WORDS]


_MEANINGS: dict[str, frozenset[str]] = {}
for _group in _SYNONYM_GROUPS:
    _members = frozenset(stem(word) for word in word_set(_group))
    for _member in _members:
        _MEANINGS[_member] = _MEANINGS.get(_member, frozenset()) | _members


def meanings(word_stem: str) -> frozenset[str]:
    """Return the stems that stand for the same thing, the given one among them."""
    return _MEANINGS.get(word_stem, frozenset((word_stem,)))


_OF_KIND = {stem(kind): frozenset(map(stem, members.split())) for kind, members in _KINDS.items()}


def kinds(word_stem: str) -> frozenset[str]:
    """Return the stems of what is of the kind that a word names: cheese for dairy; empty where none is known."""
    return _OF_KIND.get(word_stem, frozenset())


# What pages do on request, and people mistype.
_COMMANDS = word_set(
    "forward reply respond delete important search submit cancel favorite archive confirm remove download upload follow"
)
_COMMAND_STEMS = frozenset(map(stem, _COMMANDS))
# One letter too many, too few or wrong in a word of six or more; a shorter word is too often another one.
_NEARLY, _LEAST_LETTERS = 0.9, 6


def mistyped(word: str) -> str | None:
    """Return the command that a lower-case word was meant for: "foward" is "forward"; None for other words."""
    if len(word) < _LEAST_LETTERS or stem(word) in _COMMAND_STEMS:
        return None
    near = (c for c in sorted(_COMMANDS) if c[0] == word[0] and abs(len(c) - len(word)) <= 1)
    return next((c for c in near if SequenceMatcher(None, word, c).ratio() >= _NEARLY), None)


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


_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_MONTH_HEAD = re.compile(r"\b([A-Z][a-z]{2,8})\.?,?\s*(\d{4})\b")


def year_and_month(text: str) -> tuple[int, int] | None:
    """Return year and month of a text as calendars head their pages ("December 2016"); None for others."""
    match = _MONTH_HEAD.search(text)
    name = match.group(1).lower() if match else ""
    month = next((i for i, full in enumerate(_MONTHS, 1) if name and full.startswith(name)), None)
    return (int(match.group(2)), month) if match and month else None


def ordinal(word: str) -> int | None:
    """Return n for "2nd" or "second", -1 for "last"; None for other words."""
    match = re.fullmatch(r"(\d+)(?:st|nd|rd|th)", word)
    return int(match.group(1)) if match else ORDINAL_WORDS.get(word)


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def normal(text: str) -> str:
    """Return a text for comparing names whole: lower case, single spaces, no punctuation at its ends.

    Browsers name a control with spaces where its text has control characters.
    """
    bare = " ".join(_CONTROL.sub(" ", text.lower()).split())
    return bare.strip(" .,;:!?\"'") or bare


def holds(text: str, part: str) -> bool:
    """Tell whether a text holds another that is no piece of a longer word there."""
    at = text.find(part)
    while at >= 0:
        end = at + len(part)
        begins = not (part[:1].isalnum() and text[at - 1 : at].isalnum())
        if begins and not (part[-1:].isalnum() and text[end : end + 1].isalnum()):
            return True
        at = text.find(part, at + 1)
    return False
