"""Selecting in a field of text by keys: which chords lead to the text that the goal names. Knows no weights."""

import re

from agent.gestures import ASKS_SELECTION, EXTEND_LETTER, EXTEND_WORD, NEXT_WORD, PREVIOUS_WORD, SELECT_ALL, TO_START
from agent.restyling import ASKS_ALL
from agent.tick import PastStep
from browser.actions import Keys
from browser.observation import InteractiveElement

_HEAD = r"\b(?:text|words?|phrase)\s+[\"“]?(.+?)[\"”]?"
# Up to what is to be done with it; where the goal says that before, up to the end of the clause. Looked for at every
# place: "the text editor" says no text.
_PARTS = (
    re.compile(rf"(?={_HEAD}\s+(?:the (?:style|colou?r|font)|bold|italics?|underlined?)\b)", re.IGNORECASE),
    re.compile(rf"(?={_HEAD}(?:\s+(?:in|to|as|and|with)\b|[.,;]|$))", re.IGNORECASE),
)
_WORD = re.compile(r"\w+(?:['’]\w+)*")


def selects_in(goal: str, field: InteractiveElement) -> str | None:
    """Return what the goal wants selected in a field: all of its text, or some of its words; None for nothing."""
    text = field.value or ""
    if not text or field.credential or not ASKS_SELECTION.search(goal):
        return None
    said = (match.group(1) for pattern in _PARTS for match in pattern.finditer(goal))
    part = next((part for part in said if _find(text, part) is not None), None)
    if part is not None:
        return part
    return text if ASKS_ALL.search(goal) else None


def _find(text: str, part: str) -> int | None:
    """Return how many words stand before a part of a text; None where the text has no such part."""
    end = r"(?!\w)" if part[-1:].isalnum() else ""
    match = re.search(rf"(?<!\w){re.escape(part)}{end}", text)
    return None if match is None else len(_WORD.findall(text[: match.start()]))


def chords(wanted: str, text: str) -> tuple[str, ...]:
    """Return the chords that select a part of a text.

    One word further and back again leads to a word's beginning wherever a platform's word jumps stop.
    """
    if wanted == text:
        return (SELECT_ALL,)
    before = _find(text, wanted) or 0
    go = (NEXT_WORD,) * (before + 1) + (PREVIOUS_WORD,)
    # Where word jumps stop at a mark, platforms differ.
    plain = re.fullmatch(r"[\w ]+", wanted) is not None
    extend = (EXTEND_WORD,) * len(wanted.split()) if plain else (EXTEND_LETTER,) * len(wanted)
    return (TO_START, *(go if before else ()), *extend)


def next_chord(wanted: str, field: InteractiveElement, history: tuple[PastStep, ...]) -> str | None:
    """Return the chord that comes next; None once the text was selected, whatever was done with it since."""
    sequence = chords(wanted, field.value or "")
    pressed: list[str] = []
    for step in history:
        action = step.action
        if isinstance(action, Keys) and action.element_id == field.id and step.error is None:
            pressed = [action.keys] if action.keys == sequence[0] else [*pressed, action.keys]
        elif len(pressed) < len(sequence):
            pressed = []  # a click in between has moved the caret
        if tuple(pressed) == sequence:
            return None
    done = len(pressed) if tuple(pressed) == sequence[: len(pressed)] else 0
    return sequence[done]
