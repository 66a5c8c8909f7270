"""A tick as numbers: one row per candidate, one column per named feature."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.candidates import Candidate, Tick
from agent.embedded.click_features import click_features
from agent.embedded.gesture_features import gesture_features, handled_features, without_handled
from agent.embedded.goal import read_goal
from agent.embedded.other_features import page_features, press_features, select_features
from agent.embedded.page import read_page
from agent.embedded.plan import make_plan
from agent.embedded.progress import Progress, read_history
from agent.embedded.references import find_references
from agent.embedded.rules import WEIGHTS
from agent.embedded.typing_features import typing_features, wanted_fields
from agent.embedded.wishes import GESTURES, read_wishes

FEATURES: tuple[str, ...] = tuple(WEIGHTS)
"""The columns; whatever learns from a tick reads the same ones."""
_COLUMN = {name: i for i, name in enumerate(FEATURES)}


def tick_features(tick: Tick) -> NDArray[np.float64]:
    """Return the features of the tick's candidates, in their order: shape (candidates, FEATURES)."""
    matrix = np.zeros((len(tick.candidates), len(FEATURES)))
    for i, row in enumerate(named_features(tick)):
        for name, value in row.items():
            matrix[i, _COLUMN[name]] = value
    return matrix


def named_features(tick: Tick) -> list[dict[str, float]]:
    """Return the features of each candidate by name; what is left out is 0."""
    view = read_page(tick.observation, read_goal(tick.goal))
    progress = read_history(tick.history)
    references = find_references(view, progress)
    typings = [candidate for candidate in tick.candidates if candidate.operation == "TYPE"]
    typed = typing_features(typings, view, progress, references)
    wishes = read_wishes(tick.candidates, view, tick.history)
    references = without_handled(references, view, wishes)
    plan = make_plan(view, progress, references, wanted_fields(typings, typed, view, progress) + wishes.open)
    left = iter(typed)
    rows = []
    for i, candidate in enumerate(tick.candidates):
        match candidate.operation:
            case "TYPE":
                features = next(left)
            case "CLICK":
                row = view.by_id[candidate.element_id or 0]
                features = click_features(row, view, progress, references, plan) | handled_features(
                    row, view, progress, wishes
                )
            case "SELECT":
                features = select_features(candidate, view.by_id[candidate.element_id or 0], view, progress)
            case "PRESS" if candidate.element_id is not None:
                features = press_features(candidate, view.by_id[candidate.element_id], view, progress, plan)
            case operation if operation in GESTURES:
                row = view.by_id[candidate.element_id or 0]
                features = gesture_features(i, candidate, row, view, progress, references, plan, wishes)
            case _:
                features = page_features(candidate, view, progress, plan)
        rows.append(features | {"repeat_idle": float(_repeats_idle(candidate, progress))})
    return rows


def _repeats_idle(candidate: Candidate, progress: Progress) -> bool:
    """Tell whether the last action was this one and changed nothing. A scroll never counts: it only moves the view."""
    last = progress.last
    if last is None or last.page_changed or last.action.type == "scroll":
        return False
    action: Any = last.action
    value = next((getattr(action, name) for name in ("text", "option", "key") if hasattr(action, name)), None)
    target = getattr(action, "element_id", None)
    return (action.type.upper(), target, value) == (candidate.operation, candidate.element_id, candidate.value)
