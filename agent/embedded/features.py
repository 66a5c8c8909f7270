"""A tick as numbers: one row per candidate, one column per named feature.

First the features that the rules weigh, then general facts that only a learned scorer reads.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.embedded.click_features import click_features
from agent.embedded.facts_in_set import COMPARED, SET_FACTS, set_facts
from agent.embedded.facts_of_element import ELEMENT_FACTS, Facts, element_facts, place_facts
from agent.embedded.facts_of_past import (
    GOAL_FACTS,
    PAST_FACTS,
    STEP_FACTS,
    TICK_FACTS,
    number_facts,
    past_facts,
    step_facts,
    tick_facts,
)
from agent.embedded.facts_of_value import VALUE_FACTS, ValueReader
from agent.embedded.gesture_features import gesture_features, handled_features, without_handled
from agent.embedded.goal import read_goal
from agent.embedded.likeness import in_page_words
from agent.embedded.other_features import page_features, press_features, select_features
from agent.embedded.page import PageView, read_page
from agent.embedded.plan import Plan, make_plan
from agent.embedded.progress import Progress, read_history
from agent.embedded.reference import References
from agent.embedded.references import find_references
from agent.embedded.rounds import read_rounds, times_round
from agent.embedded.rules import WEIGHTS
from agent.embedded.typing_features import typing_features, wanted_fields
from agent.embedded.wishes import GESTURES, read_wishes
from agent.tick import Candidate, Tick

RULE_FEATURES: tuple[str, ...] = tuple(WEIGHTS)
"""What the rules weigh."""
OWN_FACTS: tuple[str, ...] = (*TICK_FACTS, *GOAL_FACTS, *ELEMENT_FACTS, *PAST_FACTS, *VALUE_FACTS, *STEP_FACTS)
"""What a candidate is by itself, whatever the others are."""
FEATURES: tuple[str, ...] = (*RULE_FEATURES, *OWN_FACTS, *SET_FACTS)
"""The columns of `tick_features`; a learned scorer names those that it reads."""
_RULE_COLUMN = {name: i for i, name in enumerate(RULE_FEATURES)}
_OWN_COLUMN = {name: i for i, name in enumerate(OWN_FACTS)}
_COMPARED = [_OWN_COLUMN[name] for name in COMPARED]

Matrix = NDArray[np.float32]


@dataclass(frozen=True)
class Reading:
    """A tick, read: goal and page, what was done, how the goal means elements, what is open."""

    view: PageView
    candidates: tuple[Candidate, ...]
    """Those of the tick, with what they type in the page's words."""
    progress: Progress
    references: References
    plan: Plan
    named: list[dict[str, float]]
    """The rules' features of each candidate by name; what is left out is 0."""


def tick_features(tick: Tick, scores: NDArray[np.float64], reading: Reading) -> Matrix:
    """Return the features of the tick's candidates, in their order: shape (candidates, FEATURES).

    Args:
        scores: the rules' score of each candidate.
    """
    facts = np.zeros((len(reading.candidates), len(OWN_FACTS)), dtype=np.float32)
    view, progress = reading.view, reading.progress
    facts[:] = _vector(tick_facts(tick, view, progress, reading.plan))
    places, numbers, values = place_facts(view), number_facts(view), ValueReader(view, progress)
    rows: dict[int, Matrix] = {}
    for i, candidate in enumerate(reading.candidates):
        element_id = candidate.element_id
        if element_id is not None:
            if element_id not in rows:
                row = view.by_id[element_id]
                past = past_facts(row, view, progress, reading.references, reading.plan)
                about = element_facts(row, view) | past | places[row.index] | numbers.get(row.index, {})
                rows[element_id] = _vector(about)
            facts[i] += rows[element_id]
        for name, value in (values.facts(candidate) | step_facts(candidate, tick.history)).items():
            facts[i, _OWN_COLUMN[name]] = value
    in_set = set_facts(scores, [candidate.operation for candidate in reading.candidates], facts[:, _COMPARED])
    return np.hstack([rule_features(reading).astype(np.float32), facts, in_set])


def _vector(facts: Facts) -> Matrix:
    vector = np.zeros(len(OWN_FACTS), dtype=np.float32)
    for name, value in facts.items():
        vector[_OWN_COLUMN[name]] = value
    return vector


def rule_features(reading: Reading) -> NDArray[np.float64]:
    """Return what the rules weigh of each candidate: shape (candidates, RULE_FEATURES)."""
    matrix = np.zeros((len(reading.named), len(RULE_FEATURES)))
    for i, row in enumerate(reading.named):
        for name, value in row.items():
            matrix[i, _RULE_COLUMN[name]] = value
    return matrix


def named_features(tick: Tick) -> list[dict[str, float]]:
    """Return the rules' features of each candidate by name; what is left out is 0."""
    return read_tick(tick).named


def read_tick(tick: Tick, *, literally: bool = False) -> Reading:
    """Return the tick, read once for all features, in the page's own words unless it is to be read literally."""
    tick = tick if literally else in_page_words(tick)
    view = read_page(tick.observation, read_goal(tick.goal))
    progress = read_history(tick.history, view.by_id)
    references = find_references(view, progress)
    typings = [candidate for candidate in tick.candidates if candidate.operation == "TYPE"]
    typed = typing_features(typings, view, progress, references)
    wishes = read_wishes(tick.candidates, view, tick.history)
    references = without_handled(references, view, wishes)
    plan = make_plan(view, progress, references, wanted_fields(typings, typed, view, progress) + wishes.open)
    rounds = read_rounds(tick.history, tick.observation.page_key)
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
        features["repeat_idle"] = float(_repeats_idle(candidate, progress))
        features["round"] = times_round(candidate, view, rounds)
        rows.append(features)
    return Reading(view, tick.candidates, progress, references, plan, rows)


def _repeats_idle(candidate: Candidate, progress: Progress) -> bool:
    """Tell whether the last action was this one and changed nothing. A scroll never counts: it only moves the view."""
    last = progress.last
    if last is None or last.page_changed or last.action.type == "scroll":
        return False
    action: Any = last.action
    value = next((getattr(action, name) for name in ("text", "option", "key") if hasattr(action, name)), None)
    target = getattr(action, "element_id", None)
    return (action.type.upper(), target, value) == (candidate.operation, candidate.element_id, candidate.value)
