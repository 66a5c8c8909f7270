"""What could be done now: the executable action space of one tick. Knows neither models nor benchmarks.

Only what can be carried out is a candidate: no typing without an editable field and a text to type, no select
without options, no scroll where nothing scrolls (policy rules A1 to A7).
"""

import re
from collections.abc import Sequence

from agent.computed import computed_values as worked_out_values
from agent.gestures import Gesture, gestures
from agent.policy import DEFAULT_POLICY, Policy
from agent.restyling import RESTYLED, restyled
from agent.tick import Candidate, Operation, PastStep, Tick
from agent.values import LOOSE_KINDS, TextValue, each_once, field_text, goal_values, page_values
from browser.actions import ActionName, Click, ClickAt, Direction, Key, Press, Type
from browser.observation import InteractiveElement, Observation

__all__ = ["Candidate", "Operation", "PastStep", "Tick"]

# Fields times values would make a long form the slowest page; a field keeps at least its four best values.
MAX_TYPE_CANDIDATES = 72
MIN_VALUES_PER_FIELD = 4
_TOGGLE_ROLES = frozenset({"checkbox", "switch", "radio", "option", "menuitemcheckbox", "menuitemradio", "tab"})
_UNDO_WORDS = re.compile(r"\b(un(check|select|tick|mark|like|follow)\w*|deselect\w*|clear|remove|off|disable)\b", re.I)
SCROLLS: dict[Direction, Operation] = {
    "down": "SCROLL_DOWN", "up": "SCROLL_UP", "left": "SCROLL_LEFT", "right": "SCROLL_RIGHT",
}  # fmt: skip
_STEP_KEYS: tuple[Key, ...] = ("ArrowRight", "ArrowLeft", "PageUp", "PageDown", "Home", "End")


def build_candidates(
    goal: str,
    observation: Observation,
    history: tuple[PastStep, ...],
    offered: tuple[ActionName, ...],
    *,
    allow_goal_credentials: bool = False,
    computed_values: bool = True,
    policy: Policy = DEFAULT_POLICY,
    unwritten: frozenset[int] | None = None,
) -> tuple[Candidate, ...]:
    """Return everything that can be done on this page, in document order, then what needs no element.

    Args:
        offered: the actions this run allows.
        allow_goal_credentials: a credential field may take a value that the goal itself quotes.
        computed_values: also offer texts that are worked out (kinds "computed_...").
        policy: which of the rules A2 to A4 hold.
        unwritten: fields for which the writer has no text; None where there is no writer.
    """
    live = [e for e in observation.elements if is_reached(e, observation)]
    dead = dead_targets(history, policy.dead_after) if policy.dead_targets else frozenset()
    found: list[Candidate] = []
    if "click" in offered:
        found += [_on("CLICK", e) for e in live if e.id not in dead and _is_click_useful(e, goal, policy)]
    if "type" in offered:
        typed = [step.action.text for step in history if isinstance(step.action, Type)]
        values = text_values(goal, observation, typed, computed=computed_values)
        values += restyled(goal, observation) if "keys" not in offered else ()
        found += _typings(live, values, allow_goal_credentials, unwritten)
    if "select" in offered:
        found += _selections(live)
    if "press" in offered:
        deaf = dead_keys(history, policy.dead_after) if policy.dead_targets else frozenset()
        found += [c for c in _presses(live, observation, policy) if (c.element_id, c.value) not in deaf]
        found += _menu_presses(goal, live)
    finer = gestures(goal, observation, live, offered, pressed=_pressed(history), computed=computed_values)
    found += [_of_gesture(gesture) for gesture in finer]
    return (*found, *_page_candidates(observation, offered))


# How perception says that nothing lies over a control: the area it stands in cuts it off.
CUT_OFF = "what it stands in"


def is_reached(element: InteractiveElement, observation: Observation) -> bool:
    """Tell whether an action reaches an element: actions scroll, which brings out what is only cut off."""
    if element.disabled:
        return False
    return element.covered_by is None or (element.covered_by == CUT_OFF and bool(observation.can_scroll))


def dead_targets(history: tuple[PastStep, ...], after: int = DEFAULT_POLICY.dead_after) -> frozenset[int]:
    """Return ids of elements whose last clicks, `after` of them or more, changed nothing."""
    idle: dict[int, int] = {}
    for step in history:
        if isinstance(step.action, Click):
            element_id = step.action.element_id
            idle[element_id] = 0 if step.page_changed else idle.get(element_id, 0) + 1
    return frozenset(i for i, clicks in idle.items() if clicks >= after)


def dead_keys(
    history: tuple[PastStep, ...], after: int = DEFAULT_POLICY.dead_after
) -> frozenset[tuple[int | None, str]]:
    """Return elements with keys whose last presses there, `after` of them or more, changed nothing.

    A change of the page by whatever was done meanwhile gives a key another chance: Enter may submit what was filled in.
    """
    idle: dict[tuple[int | None, str], int] = {}
    for step in history:
        if step.page_changed:
            idle.clear()
        elif isinstance(step.action, Press):
            pressed = step.action.element_id, step.action.key
            idle[pressed] = idle.get(pressed, 0) + 1
    return frozenset(pressed for pressed, times in idle.items() if times >= after)


def _pressed(history: tuple[PastStep, ...]) -> dict[int, list[tuple[int, int]]]:
    """Return the places clicked so far by the id of their element."""
    places: dict[int, list[tuple[int, int]]] = {}
    for step in history:
        if isinstance(step.action, ClickAt) and step.error is None:
            places.setdefault(step.action.element_id, []).append((step.action.x, step.action.y))
    return places


def _of_gesture(gesture: Gesture) -> Candidate:
    return Candidate(
        operation=gesture.operation,
        element_id=gesture.element_id,
        value=gesture.value,
        value_kind=gesture.kind,
        to_element_id=gesture.to_element_id,
        at=gesture.at,
        by=gesture.by,
    )


def _on(operation: Operation, element: InteractiveElement, value: str | None = None) -> Candidate:
    return Candidate(operation=operation, element_id=element.id, value=value)


def _is_click_useful(element: InteractiveElement, goal: str, policy: Policy) -> bool:
    """Tell whether a click could help: not on a native select, and not to undo a state the goal asks for."""
    if element.tag == "select":
        return False
    is_on = element.checked is True or element.selected is True or element.pressed is True
    if not is_on or element.role not in _TOGGLE_ROLES or not policy.toggle_guard:
        return True
    if element.role in ("radio", "tab"):
        return False
    named = bool(element.name) and element.name.lower() in goal.lower()
    return not named or _UNDO_WORDS.search(goal) is not None


def _typings(
    live: list[InteractiveElement],
    values: tuple[TextValue, ...],
    allow_goal_credentials: bool,
    unwritten: frozenset[int] | None,
) -> list[Candidate]:
    fields = [e for e in live if takes_text(e)]
    share = max(MIN_VALUES_PER_FIELD, MAX_TYPE_CANDIDATES // max(1, len(fields)))
    found: list[Candidate] = []
    for field in fields:
        usable = [v for v in values if v.field_id in (None, field.id)]
        if field.credential:
            usable = [v for v in usable if allow_goal_credentials and v.kind in ("quoted", "named")]
        texts = {field_text(value, field): value for value in reversed(usable)}
        offers = [
            (text, v)
            for text, v in reversed(texts.items())
            if text is not None and (text != field.value or v.kind == RESTYLED)
        ]
        found += [_typing(field, text, value) for text, value in offers[:share]]
        if unwritten is not None and field.id not in unwritten and _wants_writer(field, [v for _, v in offers]):
            found.append(Candidate(operation="TYPE", element_id=field.id, text_source="writer"))
    return found


def takes_text(element: InteractiveElement) -> bool:
    """Tell whether a text can be typed into a control that is reached."""
    return element.editable and not element.readonly and element.input_type not in ("range", "file")


def _wants_writer(field: InteractiveElement, found: list[TextValue]) -> bool:
    """Tell whether a writer may be asked: for an empty field, no credential, and no text is marked as one to type."""
    return not field.credential and not field.filled and all(value.kind in LOOSE_KINDS for value in found)


def _typing(field: InteractiveElement, text: str, value: TextValue) -> Candidate:
    return Candidate(operation="TYPE", element_id=field.id, value=text, text_source=value.source, value_kind=value.kind)


def _selections(live: list[InteractiveElement]) -> list[Candidate]:
    return [
        _on("SELECT", e, option.label)
        for e in live
        for option in e.options
        if e.tag == "select" and not option.disabled and not option.selected
    ]


def _presses(live: list[InteractiveElement], observation: Observation, policy: Policy) -> list[Candidate]:
    found: list[Candidate] = []
    for e in live:
        if policy.press_enter and e.editable and e.filled and not e.readonly and e.tag != "textarea":
            found.append(_on("PRESS", e, "Enter"))
        if is_slider(e):
            found += [_on("PRESS", e, key) for key in _STEP_KEYS]
    if any(e.covered_by is not None for e in observation.elements):
        found.append(Candidate(operation="PRESS", value="Escape"))
    return found


_MENU_KEYS: tuple[Key, ...] = ("ArrowDown", "ArrowRight")
_PATH = re.compile(r"\w\s*[>›→]\s*\w")


def _menu_presses(goal: str, live: list[InteractiveElement]) -> list[Candidate]:
    """Return the keys that lead through a menu, on its first item, where the goal gives a path: they change nothing to
    be seen until one opens, so that no count of idle presses withholds them."""
    first = next((e for e in live if e.role == "menuitem"), None)
    return [_on("PRESS", first, key) for key in _MENU_KEYS] if first and _PATH.search(goal) else []


def is_slider(element: InteractiveElement) -> bool:
    """Tell whether arrow keys move this element's value: a slider, or a spin button that takes no text."""
    if element.role == "slider" or element.input_type == "range":
        return True
    return (element.role == "spinbutton" and not element.editable) or "slider" in element.hint.lower()


def _page_candidates(observation: Observation, offered: tuple[ActionName, ...]) -> list[Candidate]:
    operations: list[Operation] = []
    if "scroll" in offered:
        operations += [SCROLLS[direction] for direction in observation.can_scroll]
    if "go_back" in offered and observation.can_go_back:
        operations.append("GO_BACK")
    if "wait" in offered:
        operations.append("WAIT")
    if "finish" in offered:
        operations += ["DONE", "BLOCKED"]
    return [Candidate(operation=operation) for operation in operations]


def text_values(
    goal: str, observation: Observation, typed: Sequence[str] = (), *, computed: bool = True
) -> tuple[TextValue, ...]:
    """Return the texts worth typing on this page for this goal, each text once; worked-out ones first if wanted.

    Args:
        typed: what was typed so far, in order.
    """
    worked_out = worked_out_values(goal, observation, typed) if computed else ()
    return each_once((*worked_out, *goal_values(goal), *page_values(goal, observation)))
