"""What has been done so far, read from the history of one episode."""

from collections.abc import Container
from dataclasses import dataclass

from agent.embedded.page import Row
from agent.embedded.words import confirms, normal, stem, tokens
from agent.tick import PastStep
from browser.actions import Click, ClickAt, DoubleClick, Drag, DragBy, Hover, Press, Select, Type


@dataclass(frozen=True)
class Progress:
    """Counts over the history, by element id; and names, because ids die with their nodes."""

    clicks: dict[int, int]
    effective: frozenset[int]
    """Elements of which a click changed the page."""
    idle_clicks: dict[int, int]
    """Clicks since the last one on it that changed the page."""
    clicked_names: frozenset[tuple[str, str]]
    idle_names: dict[tuple[str, str], int]
    """Clicks on any of a name since the last that changed the page."""
    page_number: int
    """Of a paged list: 1, or where the last click on a pager led."""
    typed: dict[int, str]
    typed_texts: frozenset[str]
    selected: frozenset[int]
    pressed: dict[int, tuple[str, ...]]
    """Keys, in order."""
    hovered: frozenset[int]
    """Elements of which a hover changed the page."""
    gestured: frozenset[int]
    """Elements that were dragged, hovered over, double-clicked or clicked at a place."""
    sent: frozenset[str]
    """Texts that were typed before a press which changed the page, of Enter or of a button that confirms."""
    searched: frozenset[str]
    """The same of fields to search with: they may be searched for, and nothing is finished by it."""
    renewed: tuple[str, str] | None
    """Role and name of what was just clicked, where its node is gone: one that says the same is it again."""
    last: PastStep | None

    @property
    def last_was(self) -> str:
        return self.last.action.type if self.last else ""


_GESTURES = (Drag, DragBy, Hover, DoubleClick, ClickAt)


def read_history(history: tuple[PastStep, ...], present: Container[int] = ()) -> Progress:
    """Return the history, counted.

    Args:
        present: ids of the elements that are on the page now.
    """
    clicks: dict[int, int] = {}
    idle: dict[int, int] = {}
    typed: dict[int, str] = {}
    pressed: dict[int, tuple[str, ...]] = {}
    page_number = 1
    for step in history:
        action = step.action
        if isinstance(action, Click):
            clicks[action.element_id] = clicks.get(action.element_id, 0) + 1
            idle[action.element_id] = 0 if step.page_changed else idle.get(action.element_id, 0) + 1
            page_number = _page_number(step, page_number)
        elif isinstance(action, Type):
            typed[action.element_id] = action.text
        elif isinstance(action, Press) and action.element_id is not None:
            pressed[action.element_id] = (*pressed.get(action.element_id, ()), action.key)
    sent, searched = _sent(history)
    return Progress(
        clicks=clicks,
        effective=frozenset(s.action.element_id for s in history if isinstance(s.action, Click) and s.page_changed),
        idle_clicks=idle,
        clicked_names=frozenset((s.role, normal(s.name)) for s in history if isinstance(s.action, Click) and s.name),
        idle_names=_idle_names(history),
        page_number=page_number,
        typed=typed,
        typed_texts=frozenset(typed.values()),
        selected=frozenset(s.action.element_id for s in history if isinstance(s.action, Select)),
        pressed=pressed,
        hovered=frozenset(s.action.element_id for s in history if isinstance(s.action, Hover) and s.page_changed),
        gestured=frozenset(s.action.element_id for s in history if isinstance(s.action, _GESTURES) and s.error is None),
        sent=sent,
        searched=searched,
        renewed=_renewed(history[-1], present) if history else None,
        last=history[-1] if history else None,
    )


def _idle_names(history: tuple[PastStep, ...]) -> dict[tuple[str, str], int]:
    idle: dict[tuple[str, str], int] = {}
    for step in history:
        if isinstance(step.action, Click) and step.name:
            name = step.role, normal(step.name)
            idle[name] = 0 if step.page_changed else idle.get(name, 0) + 1
    return idle


def _sent(history: tuple[PastStep, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the texts that were sent off, and those that were searched for."""
    sent: tuple[set[str], set[str]] = (set(), set())
    waiting: list[tuple[str, bool]] = []
    for step in history:
        if isinstance(step.action, Type):
            waiting.append((step.action.text, step.role == "searchbox" or "search" in tokens(step.name)))
        elif step.page_changed and _sends(step):
            for text, searches in waiting:
                sent[searches].add(text)
            waiting.clear()
    return frozenset(sent[False]), frozenset(sent[True])


def _sends(step: PastStep) -> bool:
    if isinstance(step.action, Press):
        return step.action.key == "Enter"
    return isinstance(step.action, Click) and step.role == "button" and confirms(tokens(step.name))


def _renewed(step: PastStep, present: Container[int]) -> tuple[str, str] | None:
    gone = isinstance(step.action, Click) and step.action.element_id not in present
    return (step.role, normal(step.name)) if gone and step.name else None


def _page_number(step: PastStep, current: int) -> int:
    name = normal(step.name)
    if step.role == "link" and name.isdecimal():
        return int(name)
    return current + 1 if name in (">", "next", "»") and step.page_changed else current


# Pressing these again is to go on.
_GOING_ON = frozenset({"continue", "proceed", "ok"})


def is_renewed(row: Row, progress: Progress) -> bool:
    """Tell whether what was just clicked is there again, made anew: a link to this very page, or a form just sent."""
    same = progress.renewed == (row.element.role, row.name)
    return same and not (row.is_next or row.is_previous or row.name in _GOING_ON)


# Class words by which a page marks what is on.
_ON_HINTS = frozenset(stem(word) for word in ("active", "selected", "checked", "pressed"))


def is_done(row: Row, progress: Progress) -> bool:
    """Tell whether what the goal wants of a row has been done: it is on, or was clicked."""
    e = row.element
    if row.is_box and e.checked is not None:
        return e.checked is True
    if is_renewed(row, progress):
        return True
    if (
        e.id in progress.hovered
        or e.selected is True
        or e.pressed is True
        or e.expanded is True
        or (row.hint_stems & _ON_HINTS and not row.name)
    ):
        return True
    return e.id in (progress.effective if row.is_opener else progress.clicks)
