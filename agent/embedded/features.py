"""A tick as numbers: one row per candidate, one column per named feature."""

import numpy as np
from numpy.typing import NDArray

from agent.candidates import Candidate, Tick
from agent.embedded.click_features import Plan, click_features
from agent.embedded.goal import GoalView, read_goal
from agent.embedded.other_features import page_features, press_features, select_features
from agent.embedded.page import PageView, read_page
from agent.embedded.progress import Progress, is_done, read_history
from agent.embedded.references import References, find_references
from agent.embedded.rules import WEIGHTS
from agent.embedded.typing_features import typing_features, wanted_fields
from agent.embedded.words import normal

FEATURES: tuple[str, ...] = tuple(WEIGHTS)
"""The columns; a learned model reads the same ones."""
_COLUMN = {name: i for i, name in enumerate(FEATURES)}


def tick_features(tick: Tick) -> NDArray[np.float64]:
    """Return the features of the tick's candidates, in their order: shape (candidates, FEATURES)."""
    matrix = np.zeros((len(tick.candidates), len(FEATURES)))
    for i, row in enumerate(named_features(tick)):
        for name, value in row.items():
            matrix[i, _COLUMN[name]] = value
    return matrix


def named_features(tick: Tick) -> list[dict[str, float]]:
    """Return, per candidate, the features that are not zero, by name."""
    goal = read_goal(tick.goal)
    view, progress = read_page(tick, goal), read_history(tick.history)
    references = find_references(view)
    typings = [c for c in tick.candidates if c.operation == "TYPE"]
    typed = typing_features(typings, view, progress, references)
    plan = _plan(view, progress, references, wanted_fields(typings, typed, view, progress))
    by_typing = dict(zip(map(id, typings), typed, strict=True))
    rows = []
    for candidate in tick.candidates:
        features = by_typing.get(id(candidate)) or _features(candidate, view, progress, references, plan)
        if _repeats_last(candidate, progress):
            features["repeat_idle"] = 1.0
        rows.append(features)
    return rows


def _features(
    candidate: Candidate, view: PageView, progress: Progress, references: References, plan: Plan
) -> dict[str, float]:
    if candidate.element_id is None:
        return page_features(candidate, view, progress, plan)
    row = view.by_id[candidate.element_id]
    if candidate.operation == "CLICK":
        return click_features(row, view, progress, references, plan)
    if candidate.operation == "SELECT":
        return select_features(candidate, row, view, progress)
    return press_features(candidate, row, view, progress, plan)


def _plan(view: PageView, progress: Progress, references: References, fields: int) -> Plan:
    confirm = [r.start for row in view.submits for r in references.get(row.index, ())]
    limit = min(confirm, default=len(view.goal.text))
    open_starts = [
        min(r.start for r in found)
        for index, found in references.items()
        if not view.rows[index].is_submit and not view.rows[index].is_field and not is_done(view.rows[index], progress)
    ]
    pending = [start for start in open_starts if start < limit]
    return Plan(
        pending=len(pending),
        fields=fields,
        first=min(open_starts, default=-1),
        missing=_is_missing(view, view.goal, progress, fields),
    )


def _is_missing(view: PageView, goal: GoalView, progress: Progress, fields: int) -> bool:
    """Tell whether the goal names something that is nowhere on the page and is not a text to type."""
    typed = {normal(text) for text in progress.typed_texts}
    clicked = {name for _, name in progress.clicked_names}
    wanted = list(goal.quoted) or [v.text.lower() for v in goal.values if v.kind in ("capitalised", "handle")]
    if fields:
        return False
    return any(text not in view.text and text not in typed and text not in clicked for text in wanted)


def _repeats_last(candidate: Candidate, progress: Progress) -> bool:
    last = progress.last
    if last is None or last.page_changed:
        return False
    action = last.action
    if getattr(action, "element_id", None) != candidate.element_id:
        return False
    same_kind = candidate.operation.lower().startswith(action.type)
    value = getattr(action, "text", None) or getattr(action, "option", None) or getattr(action, "key", None)
    return same_kind and (value is None or value == candidate.value)
