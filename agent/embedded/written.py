"""Words of a goal that name what is to be written or who is to get it, and nothing to find. Knows no page."""

import re
from dataclasses import dataclass

from agent.values import word_set


@dataclass(frozen=True, slots=True)
class Word:
    """One word of the goal."""

    text: str
    stem: str
    start: int
    generic: bool
    """A stop word or an instruction word: it names nothing."""


# After these words of a goal stands a text to write, or the one it is sent to.
_WRITING = word_set("to text enter type write saying message into password username tell say reply respond answer")
# Who is answered wrote something, which is to be found first, as is what is by somebody.
_ANSWERING = word_set("reply respond answer react")
_LOOK_BACK = 2


def is_to_write(words: tuple[Word, ...], start: int) -> bool:
    """Tell whether what begins there in the goal is to be written or sent to, and not to be found."""
    before = [word.text for word in words if word.start < start][-_LOOK_BACK:]
    if before[-1:] in (["from"], ["by"]) or (before[:1] and before[0] in _ANSWERING and before[1:] == ["to"]):
        return False
    # "with the x icon" names a thing, "reply with x" does not.
    if any(word in _WRITING for word in before) or before[-1:] == ["with"]:
        return True
    after = [word.text for word in words if word.start > start][:1]
    return before[-1:] in (["send"], ["forward"], ["give"]) and after in (["the"], ["this"], ["an"], ["a"])


# What is written bears such a name, if a word before it says to make something: "add the note ...".
_TEXTS = word_set("comment note message reply answer text title subject caption description body code review")
_MAKING = word_set("write add enter type leave post put create begin start send reply submit publish make give set")


# "Reply to Ada's mail: ..." says what to write.
_WRITTEN_AFTER = re.compile(
    r"\b(reply|respond|write|type|enter|say|tell|answer|comment|post|send)\b[^.;]*:\s*[\"“]?$", re.I
)


def is_a_text(text: str, words: tuple[Word, ...], start: int) -> bool:
    """Tell whether what begins there in a goal's text is to be written, however the goal says so."""
    before = [word.text for word in words if word.start < start]
    of_something = bool(before) and before[-1] in _TEXTS and not _MAKING.isdisjoint(before)
    return of_something or is_to_write(words, start) or _WRITTEN_AFTER.search(text[:start]) is not None


def owns(text: str, end: int) -> bool:
    """Tell whether what ends there is named as an owner: "reply to Ada's mail" sends nothing to Ada by that word."""
    return text[end : end + 2].lower() in ("'s", "’s")


_NAME = r"([A-Z][\w-]*)(?!['’]s\b)"
_MESSAGE = (
    r"(?:(?:the|that|this|an?|your|my|[A-Z]\w*['’]s)\s+)?(?:\w+\s+){0,2}?"
    r"(?i:e-?mail|mail|message|letter|note|memo|news|information|info|details|report|document|file|invitation)s?\b"
    # What is yet to be written was not got from anyone.
    r"(?!\s*(?:saying|that says|with the (?:words|text)|:|,)?\s*[\"“])(?!\s+(?:saying|that says)\b)"
)
_GETS = r"(?:get|have|see|read|receive|recieve)s?"
_WANTS = (
    r"(?:wants|wanted|needs|requires|requests|expects|is (?:waiting|asking|looking) for|would like|"
    rf"asked(?: me| you)? (?:for|to {_GETS})|(?:should|has to|must) (?:{_GETS}|be (?:sent|given|shown|forwarded)))"
)
# No gap is longer than 80 characters, so that a long goal is read in time that grows with its length alone.
_HANDED = (
    re.compile(rf"\b{_NAME}\s+{_WANTS}\s+(?:to\s+(?:{_GETS}|be (?:sent|given|shown|forwarded))\s+)?{_MESSAGE}"),
    # "Forward Adas mail to Bob" has lost an apostrophe.
    re.compile(
        rf"\b(?i:give|show|pass|hand|send|forward|get|bring|e-?mail)\s+(?:to\s+)?{_NAME}\s+{_MESSAGE}(?![^.;]{{0,80}}\bto\s+[A-Z])"
    ),
    re.compile(rf"\b(?i:let|have|make sure|ensure|want|like)\s+(?:that\s+)?{_NAME}\s+(?:to\s+)?{_GETS}\s+{_MESSAGE}"),
    re.compile(rf"\b(?i:give|pass|hand|relay|share)\s+{_MESSAGE}[^.;]{{0,80}}?\s(?:to|with)\s+{_NAME}"),
    re.compile(
        rf"{_MESSAGE}.{{0,80}}?\b(?:give|pass|hand|relay|show)\s+(?:it|this|that|them)\s+(?:on\s+|over\s+)?to\s+{_NAME}"
    ),
    re.compile(
        r"\b(?i:put|place|copy|get|drop|send|forward)\b(?:(?!repl|answer|respon)[^.;]){0,80}?"
        r"\s(?:in|into|to)\s+([A-Z][\w-]*)['’]s\s+(?:in-?box|mailbox|e-?mail)\b"
    ),
)
_QUOTE = r"[\"“]{1,2}[^\"”]+[\"”]"
_ONE = rf"(?:him|her|them|{_NAME})"
_TOLD = (
    re.compile(
        rf"\b(?i:send|write|give|leave|e-?mail)\s+(?:to\s+)?(?P<name>{_ONE})\s+(?:an?|the|this|your)\s+(?:\w+\s+)?"
        rf"(?:e-?mail|mail|message|reply|answer|response|note)[^\"“]{{0,20}}(?P<text>{_QUOTE})"
    ),
    re.compile(rf"\b(?i:say|tell|write|text)\s+(?:back\s+)?(?:to\s+)?(?P<name>{_ONE})[^\"“]{{0,20}}(?P<text>{_QUOTE})"),
    re.compile(
        rf"\b(?i:say|write|send|e-?mail|mail|message|text)\s+(?P<text>{_QUOTE})\s+(?:back\s+)?to\s+(?P<name>{_ONE})"
    ),
    re.compile(
        rf"\b(?i:reply|respond|answer)\b[^.;\"“]{{0,40}}?\sto\s+(?P<name>{_NAME})[^\"“]{{0,20}}(?P<text>{_QUOTE})"
    ),
)


def receivers(goal: str) -> tuple[int, ...]:
    """Return where names begin of those who are to get a message that someone else wrote: "Ada wants Bob's mail"."""
    return tuple(sorted({match.start(1) for pattern in _HANDED for match in pattern.finditer(goal)}))


def told(goal: str) -> dict[int, int]:
    """Return where names begin of those to whom a quoted text is to be said, with where that begins: "Say to Ada ...".

    Who is told something has written before, as far as a page shows: the text is a reply.
    """
    return {m.start("name"): m.start("text") for pattern in _TOLD for m in pattern.finditer(goal)}
