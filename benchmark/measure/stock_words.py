"""Our actions as stock BrowserGym's strings, for measurements beside it and for agents that run in it."""

import json
from typing import NamedTuple

from browser.actions import (
    BrowserAction,
    Click,
    DoubleClick,
    Finish,
    GoBack,
    Hover,
    Keys,
    Navigate,
    Press,
    Select,
    Type,
    Wait,
)

WAIT_MS = 1000


class Target(NamedTuple):
    """The element an action addresses, as BrowserGym knows it."""

    bid: str | None
    """None for a node that BrowserGym does not mark, such as a part of a graphic."""
    multiple: bool = False
    picked: tuple[str, ...] = ()
    """For a select: the labels chosen now."""


def stock_words(action: BrowserAction, target: Target | None) -> str:
    """Return an action, other than a scroll, as BrowserGym's string; `target` is None where it addresses no element.

    Raises:
        LookupError: BrowserGym has no words for it.
    """
    match action:
        case Press(element_id=None):
            return f"keyboard_press({_quoted(action.key)})"
        case Keys(element_id=None):
            return f"keyboard_press({_quoted(action.keys)})"
        case Navigate():
            return f"goto({_quoted(action.url)})"
        case GoBack():
            return "go_back()"
        case Wait():
            return f"noop({WAIT_MS})"
        case Finish():
            return f"send_msg_to_user({_quoted(action.message)})"
    if target is None or target.bid is None:
        raise LookupError(f"{action.type}: its element has no id in BrowserGym")
    bid = _quoted(target.bid)
    match action:
        case Click():
            return f"click({bid})"
        case Type():
            return f"fill({bid}, {_quoted(action.text)})"
        case Select():
            return f"select_option({bid}, {_quoted(_options(action.option, target))})"
        case Press():
            return f"press({bid}, {_quoted(action.key)})"
        case Keys():
            return f"press({bid}, {_quoted(action.keys)})"
        case Hover():
            return f"hover({bid})"
        case DoubleClick():
            return f"dblclick({bid})"
    raise LookupError(f"{action.type} has no counterpart in BrowserGym")


def _quoted(value: str | list[str]) -> str:
    # BrowserGym reads the words as Python, where JSON's pairs of escapes are no emoji.
    return json.dumps(value, ensure_ascii=False)


def _options(option: str, target: Target) -> list[str]:
    """BrowserGym replaces the choice of a multiple select; ours adds to it or takes away."""
    if not target.multiple:
        return [option]
    picked = list(target.picked)
    return [p for p in picked if p != option] if option in picked else [*picked, option]
