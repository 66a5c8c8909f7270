"""Values that are worked out from goal and page: a sum, a case change, the n-th word.

Every kind starts with "computed_": kept apart from what is merely read, so that a run can be made without them.
"""

import re
from collections.abc import Sequence

from agent import colors
from agent.values import TextSource, TextValue
from browser.observation import Observation

_MATH_HINT = re.compile(r"\b(solve|calculate|compute|math|equation|sum|answer|result)\b", re.IGNORECASE)
_WORD_HINT = re.compile(r"\b(?:(\d+)(?:st|nd|rd|th)|(first|last|second|third))\s+word\b", re.IGNORECASE)
_CASE_HINT = re.compile(r"\b(?:all\s+)?(lower|upper|capital)[\s-]?(?:case)?\b", re.IGNORECASE)
_TEXT_HINT = re.compile(
    r"\b(?:text|letters|characters|code)\b.{0,20}\b(?:below|above|shown|displayed)\b", re.IGNORECASE
)
_COUNT_WORDS = {"first": 1, "second": 2, "third": 3}
# A captcha of single letters is short; more blocks of one letter are a table or a keyboard.
_MAX_JOINED = 12


def computed_values(goal: str, observation: Observation, typed: Sequence[str] = ()) -> tuple[TextValue, ...]:
    """Return the texts that can be worked out where the goal asks for such work, none elsewhere.

    Args:
        typed: what was typed so far, in order.
    """
    texts = tuple(block.text.strip() for block in observation.texts)
    found = [
        *_solutions(goal, texts),
        *_words(goal, observation),
        *_cases(goal),
        *_joined(goal, texts),
        *_colors(goal, observation),
        *_guesses(goal, observation, texts, typed),
    ]
    return tuple(found)


def _value(text: str, kind: str, field_id: int | None = None) -> TextValue:
    source: TextSource = "goal_value" if kind in ("case", "color") else "page_value"
    return TextValue(text=text, source=source, kind=f"computed_{kind}", field_id=field_id)


def _solutions(goal: str, texts: tuple[str, ...]) -> list[TextValue]:
    if not _MATH_HINT.search(goal):
        return []
    answers = (solve(text) for text in (*texts, " ".join(texts)))
    return [_value(f"{answer:g}", "arithmetic") for answer in answers if answer is not None][:1]


def _words(goal: str, observation: Observation) -> list[TextValue]:
    """Return the n-th or last word of the longest text on the page, without the mark that ends it."""
    hint = _WORD_HINT.search(goal)
    held = [e.value for e in observation.elements if e.value and e.tag == "textarea"]
    text = max((*held, *(block.text for block in observation.texts)), key=len, default="")
    words = text.split()
    if not hint or not words:
        return []
    word = hint.group(2).lower() if hint.group(2) else ""
    index = -1 if word == "last" else (_COUNT_WORDS[word] if word else int(hint.group(1))) - 1
    return [_value(words[index].strip(".,;:!?"), "word")] if index < len(words) else []


def _cases(goal: str) -> list[TextValue]:
    """Return each quoted span of the goal in the case the goal asks for."""
    hint = _CASE_HINT.search(goal)
    if not hint:
        return []
    lower = hint.group(1).lower() == "lower"
    return [_value(quoted.lower() if lower else quoted.upper(), "case") for quoted in re.findall(r'"([^"]+)"', goal)]


def _joined(goal: str, texts: tuple[str, ...]) -> list[TextValue]:
    """Return single characters that stand side by side as one word, where the goal asks for the text shown."""
    letters = [text for text in texts if len(text) == 1]
    if not _TEXT_HINT.search(goal) or not 2 <= len(letters) <= _MAX_JOINED:
        return []
    return [_value("".join(letters), "joined")]


_GUESS = re.compile(r"\bguess\b.*?\b(\d+)\s*(?:-|–|to|and)\s*(\d+)", re.IGNORECASE)
_FEEDBACK = re.compile(r"\b(higher|greater|larger|bigger|lower|less|smaller) than (\d+)", re.IGNORECASE)
_HIGHER = frozenset({"higher", "greater", "larger", "bigger"})


def _guesses(goal: str, observation: Observation, texts: tuple[str, ...], typed: Sequence[str]) -> list[TextValue]:
    """Return the middle of what is left of the range that the goal wants a number guessed from.

    The page tells of the last guess only; which way the earlier ones were off, the next guess shows.
    """
    asked = _GUESS.search(goal)
    told = next((match for text in texts if (match := _FEEDBACK.search(text))), None)
    if asked is None:
        return []
    low, high = int(asked.group(1)), int(asked.group(2))
    past = [int(text) for text in typed if text.isdecimal()]
    for guess, following in zip(past, past[1:], strict=False):
        low, high = (max(low, guess + 1), high) if following > guess else (low, min(high, guess - 1))
    if told is not None:
        number = int(told.group(2))
        if past and past[-1] != number:
            return []  # the last guess is not judged yet
        low, high = (max(low, number + 1), high) if told.group(1).lower() in _HIGHER else (low, min(high, number - 1))
    elif past:
        return []
    return [_value(str((low + high) // 2), "guess")] if low <= high else []


_HEX = re.compile(r"#?[0-9a-f]{6}", re.IGNORECASE)


def _colors(goal: str, observation: Observation) -> list[TextValue]:
    """Return the goal's colour as a colour field writes it: with # or without, as what it holds."""
    fields = [e for e in observation.elements if e.editable and _HEX.fullmatch(e.value or "")]
    named = next((word for word in re.findall(r"[a-z]+", goal.lower()) if word in colors.NAMED), None)
    if named is None:
        return []
    digits = "{:02X}{:02X}{:02X}".format(*colors.NAMED[named])
    return [_value(f"#{digits.lower()}" if (e.value or "").startswith("#") else digits, "color", e.id) for e in fields]


_TERM = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|([a-z])(?![a-z])|([-+*/×÷x()]))", re.IGNORECASE)
_EQUATION = re.compile(
    r"(?<![\w.])([-\d(a-z][-\d\s+*/×÷().a-z]*)=\s*(-?(?:\d+(?:\.\d*)?|\.\d+)(?!\.?\d)|[a-z]\b)?", re.IGNORECASE
)
# Between numbers an x is no unknown.
_TIMES = re.compile(r"(?<=\d)\s*x\s*(?=\d)", re.IGNORECASE)
_Linear = tuple[float, float]


def solve(text: str) -> float | None:
    """Return what "4 + 7 =" or "4 - x = 73" comes to: the value of the left side, or of its one unknown.

    Returns None for a text that is no such equation, or has no single answer.
    """
    match = _EQUATION.search(_TIMES.sub("*", text))
    if not match:
        return None
    left = _linear(match.group(1))
    if left is None:
        return None
    slope, offset = left
    right = match.group(2)
    if slope == 0:
        has_operator = re.search(r"\d\s*[-+*/×÷]", match.group(1)) is not None
        return offset if has_operator and (right is None or right.isalpha()) else None
    if right is None or right.isalpha():
        return None
    return (float(right) - offset) / slope


def _linear(text: str) -> _Linear | None:
    """Return a and b of a*x + b for a sum of products; None where the text is anything else."""
    total: _Linear = (0.0, 0.0)
    factor: _Linear | None = None
    sign, operator, position = 1.0, "", 0
    text = text.strip()
    while position < len(text):
        match = _TERM.match(text, position)
        if not match or match.group(3) in ("(", ")"):
            return None
        position = match.end()
        number, letter, mark = match.groups()
        if number or letter:
            term = (0.0, float(number)) if number else (1.0, 0.0)
            factor = term if factor is None else _combined(factor, operator, term)
            if factor is None:
                return None
        elif mark in "+-":
            if factor is not None:
                total, factor = (total[0] + sign * factor[0], total[1] + sign * factor[1]), None
                sign = 1.0
            sign = -sign if mark == "-" else sign
        else:
            operator = mark
    return None if factor is None else (total[0] + sign * factor[0], total[1] + sign * factor[1])


def _combined(left: _Linear, operator: str, right: _Linear) -> _Linear | None:
    if operator in ("/", "÷"):
        return (left[0] / right[1], left[1] / right[1]) if right[0] == 0 and right[1] else None
    if left[0] and right[0]:
        return None
    return (left[0] * right[1] + right[0] * left[1], left[1] * right[1])
