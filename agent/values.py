"""Where typed text comes from: spans of the goal, spans of the page, values computed from both. Knows no model.

A value says where it was found (`source`) and how (`kind`), so that a table can be made without some of them:
every kind that starts with "computed_" is worked out, not read.
"""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from dateutil import parser as dates

from browser.observation import Frozen, InteractiveElement, Observation

TextSource = Literal[
    "goal_value", "page_value", "writer", "writer_declined", "writer_error", "refused_credential", "no_writer"
]
"""Where the text of a TYPE came from, or why there is none."""

# A goal of two sentences has 5 to 15 spans worth typing; more only costs time and splits the probabilities.
MAX_GOAL_VALUES = 16
MAX_PAGE_VALUES = 8
# A page text longer than this is not something a goal asks to type.
PAGE_TEXT_LIMIT = 400


class TextValue(Frozen):
    """A text that could be typed."""

    text: str
    source: TextSource
    kind: str
    """quoted, labelled, date, number, page_text, computed_arithmetic, ..."""
    start: int = -1
    """Where it begins in the goal; -1 where it is not a span of the goal."""
    field_id: int | None = None
    """The only field it is meant for; None where any field will do."""


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set: a readable way to write one down."""
    return frozenset(text.split())


_DATE = (
    r"\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}"
    r"|(?:\d{1,2}\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4}"
    r"|\d{1,2}(?:st|nd|rd|th)?\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?,?\s+\d{4}"
)
_FIELD_WORD = (
    r"\b(?:user\s?name|user|login|password|passcode|pass|pin|code|named?|called|titled?|subject|email|phone|city)"
    r"\s+(?:is\s+|as\s+|to\s+|of\s+)?"
)
_NOUN_END = r"(?=\s+(?:from|in|with|as|on|and|for)\b|[,;.]|$)"
_SMALL_WORDS = word_set(
    "a an the and or of in on at to for from by with into onto as is are was be it its this that these those then "
    "there them their they he she his her you your i me my we us our any all each every both some no not nothing "
    "below above so if when where which who what how do does please hit click press enter type select choose pick "
    "find submit button field fields text textbox box input form page item items link done written sent received got "
    "that which who"
)

# Kinds that only could be a value: nothing marks them as one.
LOOSE_KINDS = frozenset({"capitalised", "choice", "phrase", "token"})

# Best first: what is marked as a value by quotes, a label or its form comes before what merely could be one.
_SPANS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("quoted", re.compile(r'"([^"]+)"|“([^”]+)”|(?<!\w)\'([^\']+)\'(?!\w)|`([^`]+)`')),
    (
        "labelled",
        re.compile(r"\b[A-Za-z][\w-]*(?: [\w-]+)?:\s+([^\s].*?)(?=,?\s+[A-Za-z]\w*:|\s+on\s+\d|[;\n]|\.(?:\s|$)|$)"),
    ),
    ("email", re.compile(r"([\w.+-]+@[\w-]+(?:\.[\w-]+)+)")),
    ("url", re.compile(r"(https?://[^\s\"'<>]+|\bwww\.[^\s\"'<>]+)")),
    ("handle", re.compile(r"(?<!\S)([@#]\w+)")),
    ("date", re.compile(rf"\b({_DATE})\b", re.IGNORECASE)),
    ("time", re.compile(r"\b(\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp]\.?[Mm]\b\.?)?|\d{1,2}\s?[AaPp][Mm]\b)")),
    ("named", re.compile(rf"{_FIELD_WORD}([^\s,;\"'“]+?)(?=[,;.]?(?:\s|$))", re.IGNORECASE)),
    ("number", re.compile(r"(?<![\w/:.-])(-?\d+(?:\.\d+)?)(?![\w/:]|\.\d)")),
    # "Send Ada Bob's mail" names two; "read Ada Lovelace's mail" one.
    (
        "capitalised",
        re.compile(r"\b(?i:send|give|forward|show|pass|hand|bring) (?:to )?([A-Z][\w-]*)(?= [A-Z][\w-]*['’]s\b)"),
    ),
    ("capitalised", re.compile(r"(?<=[a-z,] )([A-Z][\w-]*(?:'(?!s\b)\w+)?(?: [A-Z][\w-]*)*)")),
    ("capitalised", re.compile(r"^([A-Z][\w-]*)(?=\s+(?:wants|needs|is|has|would|should|must|asked|expects)\b)")),
    ("choice", re.compile(rf"\b(?:choose|pick|select)\s+(?:the |an? )?([^\",;.\n]+?){_NOUN_END}", re.IGNORECASE)),
    (
        "phrase",
        re.compile(
            r"\b(?:search for|look up|type|enter|write|reply with|saying|that says|message)\s+(?:the |an? )?"
            r"([^\",;.\n]+?)(?=\s+(?:and|into|in|as|on|then|to|using|with)\b|[,;.]|$)",
            re.IGNORECASE,
        ),
    ),
    ("token", re.compile(r"([^\s,;:!?\"“”()]+?)(?=[.,;:!?\"”)]*(?:\s|$))")),
)


# After these, a word with a capital is a name whatever else it means: "the mail by Page".
_OF_SOMEONE = re.compile(r"\b(?:by|from) $")


def goal_values(goal: str) -> tuple[TextValue, ...]:
    """Return spans of the goal that could be typed, best kind first, at most MAX_GOAL_VALUES.

    A span inside a longer one of a better kind is not offered: no "15" out of "9:15 AM".
    """
    found: list[TextValue] = []
    taken: list[tuple[int, int]] = []
    for kind, pattern in _SPANS:
        spans = [_span(match) for match in pattern.finditer(goal)]
        fresh = [span for span in spans if not any(a <= span[0] and span[1] <= b for a, b in taken)]
        for start, end in fresh:
            text = goal[start:end].strip()
            # The first word of a goal says what to do.
            named = kind == "capitalised" and _OF_SOMEONE.search(goal[:start]) is not None
            if (named or _is_worth_typing(text, kind)) and not (kind == "token" and start == 0):
                found.append(TextValue(text=text, source="goal_value", kind=kind, start=start))
        if kind not in LOOSE_KINDS:
            taken += fresh
    return each_once(found)[:MAX_GOAL_VALUES]


def _span(match: re.Match[str]) -> tuple[int, int]:
    return match.span(match.lastindex or 0)


def _is_worth_typing(text: str, kind: str) -> bool:
    if kind in LOOSE_KINDS or kind == "named":
        is_ordinal = re.fullmatch(r"\d+(st|nd|rd|th)", text) is not None
        return any(c.isalnum() for c in text) and text.lower() not in _SMALL_WORDS and not is_ordinal
    return bool(text)


_COPY = re.compile(
    r"\b(copy|paste|same as|value|values|corresponds?|text (?:below|above|from|in)|shown|displayed)\b", re.IGNORECASE
)


def page_values(goal: str, observation: Observation) -> tuple[TextValue, ...]:
    """Return spans of the page that could be typed, where the goal says that the text is on the page."""
    if not _COPY.search(goal):
        return ()
    found = [*_values_by_label(goal, observation), *_whole_texts(observation)]
    return each_once(found)[:MAX_PAGE_VALUES]


def _values_by_label(goal: str, observation: Observation) -> list[TextValue]:
    """Return what stands after a text of the page that is also a field's label, or that the goal names."""
    texts = [block.text.strip() for block in observation.texts]
    labels = {
        _bare(name): field.id
        for field in observation.elements
        if field.editable and not field.readonly
        for name in (field.before, field.name)
        if name
    }
    found = []
    for label, value in zip(texts, texts[1:], strict=False):
        bare = _bare(label)
        if len(bare) < 2 or len(value) > PAGE_TEXT_LIMIT:
            continue
        if bare in labels:
            # What follows may be another label.
            found += [_page_value(value, "page_value", labels[bare])] if _bare(value) not in labels else []
        elif re.search(rf"\b{re.escape(bare)}\b", goal, re.IGNORECASE):
            found.append(_page_value(value, "page_value"))
    return found


def _bare(label: str) -> str:
    return label.rstrip(": ").lower()


def _whole_texts(observation: Observation) -> list[TextValue]:
    """Return what fields hold, then the text blocks, longest first: a text to copy is rarely the shortest."""
    held = [e.value for e in observation.elements if e.value and not e.credential and e.editable]
    blocks = sorted((block.text for block in observation.texts), key=len, reverse=True)
    return [_page_value(text, "page_text") for text in (*held, *blocks) if 0 < len(text.strip()) <= PAGE_TEXT_LIMIT]


def _page_value(text: str, kind: str, field_id: int | None = None) -> TextValue:
    return TextValue(text=text, source="page_value", kind=kind, field_id=field_id)


def each_once(values: Iterable[TextValue]) -> tuple[TextValue, ...]:
    """Return the values without those whose text, for the same field, came before."""
    seen: dict[tuple[str, int | None], TextValue] = {}
    for value in values:
        seen.setdefault((value.text, value.field_id), value)
    return tuple(seen.values())


_DATE_PARTS = re.compile(r"y{2,4}|m{1,2}|d{1,2}", re.IGNORECASE)
_DATE_FORMAT = re.compile(r"^\W*(?:(?:y{2,4}|m{1,2}|d{1,2})\W*){3}$", re.IGNORECASE)
_NATIVE_FORMATS = {
    "date": "%Y-%m-%d", "time": "%H:%M", "datetime-local": "%Y-%m-%dT%H:%M", "month": "%Y-%m", "week": "%G-W%V",
}  # fmt: skip
_DATE_KINDS = {"date": ("date",), "time": ("time",), "datetime-local": ("date",), "month": ("date",), "week": ("date",)}


def field_text(value: TextValue, field: InteractiveElement) -> str | None:
    """Return the value as this field takes it: ISO for native date and time inputs, the format a placeholder shows.

    Returns None where the field cannot hold the value.
    """
    input_type = field.input_type or "text"
    if input_type in _NATIVE_FORMATS:
        if value.kind not in _DATE_KINDS[input_type]:
            return None
        return _formatted(value.text, _NATIVE_FORMATS[input_type])
    if input_type == "number":
        return value.text if re.fullmatch(r"-?\d+(\.\d+)?", value.text) else None
    if value.kind == "date" and field.placeholder and _DATE_FORMAT.match(field.placeholder):
        return _formatted(value.text, _DATE_PARTS.sub(_directive, field.placeholder))
    return value.text


def _formatted(text: str, pattern: str) -> str | None:
    moment = read_date(text)
    return moment.strftime(pattern) if moment else None


def _directive(part: re.Match[str]) -> str:
    letter = part.group()[0].lower()
    return {"y": "%Y" if len(part.group()) > 2 else "%y", "m": "%m", "d": "%d"}[letter]


def read_date(text: str) -> datetime | None:
    """Return the date or time of day a text states in full, month first where it is all digits; None for others."""
    try:
        return dates.parse(text, fuzzy=False)
    except (ValueError, OverflowError):
        return None
