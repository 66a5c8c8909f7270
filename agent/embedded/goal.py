"""A goal read once: its words, quoted spans, ordinals, colours, extremes, conditions and dates. Knows no page."""

import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from agent import colors
from agent.embedded.condition import Condition, read_condition
from agent.embedded.words import NUMBER_WORDS, STOP_WORDS, mistyped, normal, ordinal, stem, stems
from agent.embedded.written import Word, is_to_write, owns, receivers, told
from agent.values import TextValue, goal_values, read_date, word_set

# Words that say what to do or to what kind of thing; they name no particular element.
GENERIC_STEMS = frozenset(
    stem(word)
    for word in word_set(
        "click press hit select choose pick find enter type put fill button link field text textbox input box "
        "checkbox radio item items list dropdown page form following use using then want need make go get give mark "
        "named name called labeled labelled titled word words number value icon tab menu option widget section area "
        "below nothing locate look navigate switch between expand open"
    )
)
STRONG_KINDS = frozenset({"quoted", "labelled", "named", "email", "url", "date", "time", "number", "capitalised"})
"""Kinds of values that the goal marks as such, by quotes, a label or their form."""

_EXTREMES = {
    "greatest": 1, "largest": 1, "highest": 1, "biggest": 1, "longest": 1, "most": 1, "maximum": 1, "max": 1,
    "latest": 1, "descending": 1, "decreasing": 1,
    "smallest": -1, "lowest": -1, "shortest": -1, "least": -1, "minimum": -1, "min": -1, "cheapest": -1,
    "earliest": -1, "fewest": -1, "ascending": -1, "increasing": -1,
}  # fmt: skip
_SIZES = {"small": -1, "tiny": -1, "little": -1, "large": 1, "big": 1, "huge": 1}
_EVERY = frozenset(
    stem(word) for word in ("all", "each", "every", "both", "everything", "shades", "ascending", "order")
)

_ORDER = stem("order")
_MARKS = frozenset(".,;:!?")

_WORD = re.compile(r"\d+(?:st|nd|rd|th)\b|[^\W_]+(?:['’](?!s\b)[^\W\d_]+)?")
_QUOTED = re.compile(r'"([^"]+)"|“([^”]+)”|(?<!\w)\'([^\']+)\'(?!\w)')
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")
_TYPING = re.compile(
    r"\b(enter|type|write|fill|search|paste|input|repl(?:y|ies|ied)|respond(?:s|ed)?|answer(?:s|ed)?|forward(?:s|ed)?|send|sent|"
    r"log ?in|sign|username|password|book|create|guess|comment|post|tell|say|set|put|select|choose)\b",
    re.IGNORECASE,
)
_AFFIX = re.compile(r"\b(start|begin|end|contain)s?(?:ing)?\s*(?:with|in)?\s+[\"“]([^\"”]+)[\"”]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ordinal:
    """An ordinal of the goal with the words it may count: "2nd input textbox"."""

    n: int
    """-1 for the last."""
    stems: tuple[str, ...]
    start: int


@dataclass(frozen=True, slots=True)
class GoalView:
    """A goal as the features read it."""

    text: str
    lower: str
    words: tuple[Word, ...]
    quoted: dict[str, int]
    """Normalised quoted spans, with where each begins."""
    quoted_exactly: frozenset[str]
    """The quoted spans in their own case."""
    quoted_to_find: tuple[str, ...]
    """Those of them that are not to be written."""
    marked: tuple[str, ...]
    """Those of them, in their own case, that end with a mark which is not the sentence's: ("et,".)"""
    quoted_stems: frozenset[str]
    quoted_words: frozenset[str]
    """Stems of the quoted spans that are a single word: of "Share by mail", sharing alone is not meant."""
    stems: frozenset[str]
    """Stems of the words outside quotes that name something to find, not what to write or whom to send it."""
    all_stems: frozenset[str]
    """Stems of all words outside quotes."""
    ordinals: tuple[Ordinal, ...]
    numbers: tuple[float, ...]
    colors: frozenset[str]
    size: int
    """1 large, -1 small, 0 unsaid."""
    extreme: int
    """1 for a maximum asked for, -1 for a minimum, 0 for none."""
    condition: Condition | None
    affixes: tuple[tuple[str, str], ...]
    """What a name must start, end or be: ("start", "hond")."""
    values: tuple[TextValue, ...]
    date: datetime | None
    limit: int
    """How many alike elements the goal means: 1, a count it gives, or many."""
    asks_typing: bool
    receivers: frozenset[int]
    """Where names begin of those who are to get what someone else wrote."""
    said: frozenset[int]
    """Where quoted texts begin that are to be said to someone."""

    def find(self, name: str) -> int:
        """Return where a lower-case name stands in the goal as whole words, -1 where it does not."""
        at = self.lower.find(name) if name else -1
        while at >= 0:
            if _is_whole(self.lower, at, at + len(name)):
                return at
            at = self.lower.find(name, at + 1)
        return -1

    def has(self, *words: str) -> bool:
        """Tell whether the goal holds one of these words outside quotes, whatever their endings."""
        return any(stem(word) in self.all_stems for word in words)

    @property
    def in_order(self) -> bool:
        return _ORDER in self.all_stems and any(word.stem == _ORDER and not _is_request(word) for word in self.words)

    @property
    def asks_count(self) -> bool:
        return self.has("how") and self.has("many")


# More than any page has elements.
MANY = 10_000


# Every tick of an episode has the same goal.
@lru_cache(maxsize=16)
def read_goal(text: str) -> GoalView:
    """Return the goal, read."""
    quotes = list(_QUOTED.finditer(text))
    words = tuple(_words(text))
    outside = [w for w in words if not any(m.start() < w.start < m.end() for m in quotes)]
    quoted = {normal(m.group(m.lastindex or 0)): m.start() for m in quotes}
    values = goal_values(text)
    handed = frozenset(start for start in receivers(text) if not any(m.start() < start < m.end() for m in quotes))
    answered = {name: said for name, said in told(text).items() if name not in handed}
    written = _written(text, words, values, handed) - {word.stem for word in words if word.start in answered}
    # In whatever words a message is to be handed on or answered, pages call it to forward or to reply.
    wishes = [*(["forward"] if handed else ()), *(["reply"] if answered else ())]
    wishes += [right for word in outside if (right := mistyped(word.text))]
    meant = frozenset(map(stem, wishes))
    return GoalView(
        text=text,
        lower=text.lower(),
        words=words,
        quoted=quoted,
        quoted_exactly=frozenset(m.group(m.lastindex or 0) for m in quotes),
        quoted_to_find=tuple(
            span for span, start in quoted.items() if start not in answered.values() and not is_to_write(words, start)
        ),
        marked=tuple(
            m.group(m.lastindex or 0)
            for m in quotes
            if m.group(m.lastindex or 0)[-1] in _MARKS and text[m.end() : m.end() + 1] in _MARKS
        ),
        quoted_words=frozenset(root for span in quoted if " " not in span for root in stems(span)),
        quoted_stems=frozenset(word.stem for word in words if word not in outside and word.text not in STOP_WORDS),
        stems=frozenset(word.stem for word in outside if not word.generic) - written | meant,
        all_stems=frozenset(word.stem for word in outside) | meant,
        ordinals=tuple(_ordinals(words)),
        numbers=tuple(float(number) for number in _NUMBER.findall(text)),
        colors=frozenset(word.text for word in words if word.text in colors.NAMED),
        size=next((_SIZES[word.text] for word in words if word.text in _SIZES), 0),
        extreme=next((_EXTREMES[word.text] for word in words if word.text in _EXTREMES), 0),
        condition=read_condition(text),
        affixes=tuple((m.group(1).lower(), m.group(2).lower()) for m in _AFFIX.finditer(text)),
        values=values,
        date=next((read_date(v.text) for v in values if v.kind == "date"), None),
        limit=_limit(words),
        asks_typing=_TYPING.search(" ".join((*wishes, text))) is not None,
        receivers=handed,
        said=frozenset(answered.values()),
    )


def _is_whole(text: str, start: int, end: int) -> bool:
    """Tell whether a span is no part of a longer word, number or date."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if text[start].isalnum() and before.isalnum() or text[end - 1].isalnum() and after.isalnum():
        return False
    in_number = before in ("/", "-", ".", ":") and text[start].isdecimal() and text[start - 2 : start - 1].isdecimal()
    return not in_number and not (
        after in ("/", ":") and text[end - 1].isdecimal() and text[end + 1 : end + 2].isdecimal()
    )


def _written(
    text: str, words: tuple[Word, ...], values: tuple[TextValue, ...], handed: frozenset[int]
) -> frozenset[str]:
    """Return the stems of names that are only to be written; where it is said who gets a message, those alone."""
    spans = [
        v
        for v in values
        if v.kind in ("capitalised", "named") and is_to_write(words, v.start) and not owns(text, v.start + len(v.text))
    ]
    starts = handed or {w.start for w in words for v in spans if v.start <= w.start < v.start + len(v.text)}
    return frozenset(w.stem for w in words if w.start in starts)


def _words(text: str) -> list[Word]:
    found: list[Word] = []
    for match in _WORD.finditer(text):
        word = match.group().lower()
        root = stem(word)
        is_name = match.group()[0].isupper() and found and found[-1].text in ("by", "from")
        generic = not is_name and (word in STOP_WORDS or root in GENERIC_STEMS)
        found.append(Word(word, root, match.start(), generic))
    return found


def _ordinals(words: tuple[Word, ...]) -> list[Ordinal]:
    counted = [(ordinal(word.text), i) for i, word in enumerate(words)]
    return [
        Ordinal(n, tuple(w.stem for w in words[i + 1 : i + 4]), words[i].start) for n, i in counted if n is not None
    ]


def _is_request(word: Word) -> bool:
    """Tell whether a word asks to order something, and does not say in which order."""
    return word.start == 0 and word.text == "order"


def _limit(words: tuple[Word, ...]) -> int:
    if any(word.stem in _EVERY and not _is_request(word) for word in words):
        return MANY
    for word, following in zip(words, words[1:], strict=False):
        plain = word.text.isdecimal() or (word.text in NUMBER_WORDS and word.text != "one")
        if plain and following.text.isalpha():
            return int(word.text) if word.text.isdecimal() else NUMBER_WORDS[word.text]
    return 1
