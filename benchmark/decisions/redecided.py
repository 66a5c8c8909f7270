"""Other decision models on the same frozen ticks, and how their choices agree. No browser; knows no benchmark."""

import time
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from agent.carrying_out import to_action
from agent.decision_model import DecisionModel
from agent.questions import describe
from agent.tick import Candidate
from benchmark.records.rows import CREDENTIAL_TEXT
from benchmark.records.ticks import TickRecord
from browser.observation import Observation
from llm.decision import InvalidAnswer, LLMError

# What stands for the model that decided in the run.
STORED = "stored"


class Choice(NamedTuple):
    """One model's answer on one tick."""

    candidate: Candidate | None
    """None where it gave none; `fault` then says which kind of failure it was."""
    probability: float | None
    """Of the candidate among all of the tick: operation times target."""
    ms: float | None
    fault: str = ""


class Redecided(NamedTuple):
    """One tick, as its run decided it and as other models do."""

    record: TickRecord
    solved: bool
    """Whether the run's episode was a success."""
    stored: Candidate | None
    choices: dict[str, Choice]


def redecide(
    records: Sequence[TickRecord],
    models: dict[str, DecisionModel],
    solved: set[str],
    on_tick: Callable[[], object] = lambda: None,
) -> list[Redecided]:
    """Return each tick that has candidates with every model's answer to it; `solved` are episode ids.

    The models answer a tick one after another, so that what slows the machine for a while slows all of them.
    """
    rows = []
    for record in records:
        if record.decided is None or not record.decided.tick.candidates:
            continue
        choices = {name: _choice(record, model) for name, model in models.items()}
        rows.append(Redecided(record, record.episode_id in solved, record.decided.chosen, choices))
        on_tick()
    return rows


def _choice(record: TickRecord, model: DecisionModel) -> Choice:
    assert record.decided is not None
    started = time.perf_counter()
    try:
        decision = model.decide(record.decided.tick)
    except InvalidAnswer:
        return Choice(None, None, None, "unusable answer")
    except LLMError:
        return Choice(None, None, None, "no answer")
    ms = (time.perf_counter() - started) * 1000
    return Choice(decision.candidate, decision.operation_probability * decision.target_probability, ms)


def per_model(rows: Sequence[Redecided], names: Sequence[str]) -> pd.DataFrame:
    """Return a row for each model: how often it chose as the run did, on all ticks and on those of solved episodes."""
    return pd.DataFrame([_of_model(rows, name) for name in names])


def _of_model(rows: Sequence[Redecided], name: str) -> dict[str, Any]:
    choices = [row.choices[name] for row in rows]
    times = [choice.ms for choice in choices if choice.ms is not None]
    sure = [choice.probability for choice in choices if choice.probability is not None]
    pairs = [(row.stored, row.choices[name].candidate) for row in rows]
    solved = [(row.stored, row.choices[name].candidate) for row in rows if row.solved]
    return {
        "model": name,
        "ticks": len(rows),
        "answered": len(times),
        "same_choice": _share(pairs, do_the_same),
        "same_operation": _share(pairs, _same_operation),
        "solved_ticks": len(solved),
        "solved_same_choice": _share(solved, do_the_same),
        "solved_same_operation": _share(solved, _same_operation),
        "mean_probability": fmean(sure) if sure else None,
        "ms_p50": float(np.percentile(times, 50)) if times else None,
        "ms_p95": float(np.percentile(times, 95)) if times else None,
    }


def between_models(rows: Sequence[Redecided], names: Sequence[str]) -> pd.DataFrame:
    """Return a row for each pair of models: how often they chose the same, and which of the two the run agrees with."""
    return pd.DataFrame(
        [_of_pair(rows, one, other) for n, one in enumerate(names) for other in names[n + 1 :]]
    )  # fmt: skip


def _of_pair(rows: Sequence[Redecided], one: str, other: str) -> dict[str, Any]:
    pairs = [(row.choices[one].candidate, row.choices[other].candidate) for row in rows]
    on_stored = [
        (do_the_same(row.stored, row.choices[one].candidate), do_the_same(row.stored, row.choices[other].candidate))
        for row in rows
    ]
    return {
        "model": one,
        "other": other,
        "ticks": len(rows),
        "same_choice": _share(pairs, do_the_same),
        "same_operation": _share(pairs, _same_operation),
        "only_model_as_stored": sum(ours and not theirs for ours, theirs in on_stored),
        "only_other_as_stored": sum(theirs and not ours for ours, theirs in on_stored),
    }


def per_tick(rows: Sequence[Redecided]) -> pd.DataFrame:
    """Return a row for each tick and model, the stored decision among them, with the choice in words."""
    return pd.DataFrame([line for row in rows for line in _lines(row)])


def _lines(row: Redecided) -> list[dict[str, Any]]:
    record, page = row.record, row.record.seen
    place = {
        "task": record.task, "seed": record.seed, "trial": record.trial, "episode_id": record.episode_id,
        "index": record.index, "solved": row.solved,
    }  # fmt: skip
    choices = {STORED: Choice(row.stored, None, None, "" if row.stored else "unusable answer")} | row.choices
    return [
        place
        | {
            "model": name,
            "operation": choice.candidate.operation if choice.candidate else None,
            "choice": _in_words(choice.candidate, page) if choice.candidate else None,
            "probability": choice.probability,
            "ms": choice.ms,
            "fault": choice.fault,
            "as_stored": do_the_same(row.stored, choice.candidate),
        }
        for name, choice in choices.items()
    ]


def _in_words(candidate: Candidate, page: Observation) -> str:
    """Return a choice for a table, without a text that goes into a credential field."""
    element = page.element(candidate.element_id) if candidate.element_id is not None else None
    if element is not None and element.credential and candidate.value is not None:
        candidate = candidate.model_copy(update={"value": CREDENTIAL_TEXT})
    return describe(candidate, page)


def do_the_same(one: Candidate | None, other: Candidate | None) -> bool:
    """Tell whether two choices do the same thing, wherever their text came from."""
    if one is None or other is None:
        return False
    return one.operation == other.operation and to_action(one) == to_action(other)


def _same_operation(one: Candidate | None, other: Candidate | None) -> bool:
    return one is not None and other is not None and one.operation == other.operation


Pair = tuple[Candidate | None, Candidate | None]


def _share(pairs: Sequence[Pair], alike: Callable[[Candidate | None, Candidate | None], bool]) -> float | None:
    return sum(alike(*pair) for pair in pairs) / len(pairs) if pairs else None
