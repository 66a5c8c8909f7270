"""An Observation as text within a token budget, saying truthfully what it leaves out. Knows no models.

One line per element, page text between them in document order:

    [3] textbox "Search" type=search placeholder="Find a book" empty
    text: 3 results for "gardens"
    [4] link "The Walled Garden" (row: The Walled Garden 1998 In stock)
    off screen:
    [5] link "Next page"
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from browser.observation import InteractiveElement, Observation, TextBlock

# Measured on 25 pages with the o200k tokenizer: a table runs 2.4 characters a token; rounding down keeps the promise.
CHARACTERS_PER_TOKEN = 2.4
OPTIONS_SHOWN = 20
# Control characters, and marks that turn the direction of text around: they would rewrite the line they stand in.
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
VALUE_SHOWN = 200


# Types of input that say nothing beside the role, and those that one role tells already.
_PLAIN_TYPES = frozenset({"text", "submit", "button", "checkbox", "radio", "reset"})
_SAID_BY_ROLE = {"searchbox": "search", "slider": "range", "spinbutton": "number", "date": "date", "time": "time"}
# Lines before the first element that is off screen, and before the first that is in view again: said once for a run of
# rows, they take a tenth of the tokens of a word on each.
OFF_SCREEN, IN_VIEW = "off screen:", "in view:"


def render_element(element: InteractiveElement) -> str:
    """Return an element alone on one line, whatever the page wrote: id, role, name, then what a reader needs."""
    return _row(element) + ("" if element.in_viewport else " off screen")


def _row(element: InteractiveElement) -> str:
    role = "clickable" if element.role == "generic" else element.role
    words = [f"[{element.id}]", role]
    if element.name:
        words.append(_quoted(element.name))
    words += [word for word in (*_appearance(element), *_field(element), *_states(element)) if word]
    if element.options:
        words.append(f"options: {_options(element)}")
    if scope := _around(element):
        words.append(f"(in: {scope})")
    if element.frame:
        words.append(f"(frame: {element.frame})")
    return _one_line(" ".join(words))


def _around(element: InteractiveElement) -> str:
    """Return the words of the group an element stands in, without its own name where they end with it."""
    scope = element.scope or ""
    return (scope.removesuffix(f" {element.name}") if element.name else scope).strip()


def _appearance(element: InteractiveElement) -> Iterator[str]:
    if element.shape or element.color:
        yield " ".join(word for word in (element.color, element.shape) if word)
    if element.hint and not element.name:
        yield f"<{element.hint}>"


def _field(element: InteractiveElement) -> Iterator[str]:
    if element.input_type and element.input_type not in _PLAIN_TYPES | {_SAID_BY_ROLE.get(element.role)}:
        yield f"type={element.input_type}"
    if element.placeholder and element.placeholder != element.name:
        yield f"placeholder={_quoted(element.placeholder)}"
    if element.minimum or element.maximum:
        yield f"range={element.minimum or ''}..{element.maximum or ''}"
    if element.credential:
        yield "filled" if element.filled else "empty"
    elif element.value and not any(option.selected for option in element.options[:OPTIONS_SHOWN]):
        yield f"value={_quoted(element.value[:VALUE_SHOWN])}" + ("..." if len(element.value) > VALUE_SHOWN else "")
    elif element.filled is False and element.editable:
        yield "empty"


def _states(element: InteractiveElement) -> Iterator[str]:
    if element.checked is not None:
        yield "half checked" if element.checked == "mixed" else "checked" if element.checked else "unchecked"
    if element.expanded is not None:
        yield "expanded" if element.expanded else "collapsed"
    elif element.has_popup:
        yield "opens a menu"
    flags = ("selected", "pressed", "focused", "disabled", "readonly", "required", "draggable", "multiple")
    yield from (flag for flag in flags if getattr(element, flag))
    if element.aria_hidden:
        yield "aria-hidden"
    if element.covered_by:
        yield f"covered by {element.covered_by}"


def _options(element: InteractiveElement) -> str:
    shown = [
        _quoted(o.label) + ("*" if o.selected else " disabled" if o.disabled else "")
        for o in element.options[:OPTIONS_SHOWN]
    ]
    left = len(element.options) - len(shown)
    return ", ".join(shown) + (f" and {left} more" if left else "")


def _quoted(text: str) -> str:
    return '"' + _one_line(text).replace('"', "'") + '"'


def _one_line(text: str) -> str:
    return " ".join(UNPRINTABLE.sub(" ", text).split())


class Line(NamedTuple):
    """A text block or the row of an element, which is None for a text."""

    text: str
    element: InteractiveElement | None


def rows(observation: Observation) -> list[str]:
    """Return the page as lines in document order: text blocks and element rows, and between them what is off screen."""
    return _placed(_lines(observation))


def _lines(observation: Observation) -> list[Line]:
    lines: list[Line] = []
    texts = list(observation.texts)
    for i, element in enumerate(observation.elements):
        while texts and texts[0].position <= i:
            lines.append(Line(_text_line(texts.pop(0)), None))
        lines.append(Line(_row(element), element))
    return lines + [Line(_text_line(block), None) for block in texts]


def _placed(lines: Sequence[Line]) -> list[str]:
    """Return the lines with one more wherever elements begin to be off screen, or in view again."""
    shown: list[str] = []
    in_view = True
    for text, element in lines:
        if element is not None and element.in_viewport != in_view:
            in_view = element.in_viewport
            shown.append(IN_VIEW if in_view else OFF_SCREEN)
        shown.append(text)
    return shown


def _text_line(block: TextBlock) -> str:
    return f"text: {_one_line(block.text)}" + (f" (frame: {_one_line(block.frame)})" if block.frame else "")


def render(observation: Observation, max_tokens: int = 4000) -> str:
    """Return the observation as text of at most `max_tokens` tokens (estimated from its characters).

    Where not everything fits, text goes before elements, elements off screen before those in view; the last line
    says how much is missing and what would show it.
    """
    budget = int(max_tokens * CHARACTERS_PER_TOKEN)
    head = _head(observation)
    room = budget - sum(len(line) + 1 for line in head) - RESERVED
    kept = [observation.axtree[: max(room, 0)]] if observation.axtree is not None else _fit(_lines(observation), room)
    return "\n".join([*head, *kept, *_missing(observation, kept)])[:budget]


# Room for the closing line that says what is missing.
RESERVED = 200


def _length(lines: list[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _head(observation: Observation) -> list[str]:
    lines = [f"url: {observation.url}", f"title: {observation.title}"]
    for tab in observation.tabs:
        lines.append(f"tab {tab.index}{' (active)' if tab.active else ''}: {tab.title} {tab.url}")
    if observation.can_scroll:
        lines.append(f"can scroll: {', '.join(observation.can_scroll)}")
    for dialog in observation.dialogs:
        lines.append(f"the page opened a {dialog.kind} {_quoted(dialog.message)}; answered {_quoted(dialog.answer)}")
    if observation.last_action_error:
        lines.append(f"last action failed: {observation.last_action_error}")
    return lines


def _fit(lines: Sequence[Line], room: int) -> list[str]:
    """Choose what to keep where not all fits: elements in view, then the others, then text, each in document order."""
    ranked = sorted(range(len(lines)), key=lambda i: (lines[i].element is None, _is_off_screen(lines[i]), i))
    shown = _placed(lines)
    while (over := _length(shown) - room) > 0 and shown:
        kept, left = set(), max(0, sum(len(lines[i].text) + 1 for i in ranked) - over)
        for i in ranked:
            if len(lines[i].text) + 1 <= left:
                kept.add(i)
                left -= len(lines[i].text) + 1
        ranked = [i for i in ranked if i in kept]
        shown = _placed([line for i, line in enumerate(lines) if i in kept])
    return shown


def _is_off_screen(line: Line) -> bool:
    return line.element is not None and not line.element.in_viewport


def _missing(observation: Observation, kept: list[str]) -> list[str]:
    if observation.axtree is not None:
        cut = len(kept[0]) < len(observation.axtree)
        return ["(the tree is cut here; scrolling does not show more of it)"] if cut else []
    texts = sum(line.startswith("text: ") for line in kept)
    elements = sum(line.startswith("[") for line in kept)
    parts = []
    if (total := len(observation.elements) + observation.omitted.elements) > elements:
        parts.append(f"{elements} of {total} elements")
    if (total := len(observation.texts) + observation.omitted.texts) > texts:
        parts.append(f"{texts} of {total} texts")
    notes = [f"showing {' and '.join(parts)}, the rest did not fit"] if parts else []
    if observation.omitted.frames:
        notes.append(f"the contents of {observation.omitted.frames} frames are not shown")
    if observation.omitted.dialogs:
        notes.append(f"{observation.omitted.dialogs} more dialogs were answered")
    if observation.omitted.tabs:
        notes.append(f"{observation.omitted.tabs} more tabs were opened and closed at once")
    return [f"({'; '.join(notes)})"] if notes else []
