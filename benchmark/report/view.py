"""What the pages of a report show, as plain values: from records to words, shares and widths. Knows no benchmark."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from agent.agent import DecisionDetail
from agent.loop import INFRASTRUCTURE_ENDS
from benchmark.records.rows import EpisodeRecord, StepRecord
from browser.observation import Observation
from browser.render import render, render_element

# In the order in which a step spends them.
PARTS = ("decide", "act", "settle", "probe", "validate")
MEANINGS: Mapping[str, str] = {
    "reset": "opening the task's page",
    "decide": "the agent and its models",
    "act": "carrying the action out",
    "settle": "waiting for the page to come to rest",
    "probe": "reading the page",
    "validate": "the task's verdict",
    "other": "all else: records, the loop, failed steps",
}


class Slice(NamedTuple):
    """One part of a timing bar."""

    part: str
    ms: float
    percent: float
    """Of the bar's full width."""


class Line(NamedTuple):
    """One line of the table that the agent saw."""

    text: str
    kind: str
    """"head", "text", "element", or "chosen" for the element acted on."""


class Option(NamedTuple):
    """One thing that a decision model could have chosen."""

    label: str
    probability: float
    chosen: bool


def outcome(record: EpisodeRecord) -> str:
    """Return "good", "bad" or "unscored", for the colour of an episode's end."""
    if record.end in INFRASTRUCTURE_ENDS or record.end == "finished":
        return "unscored"
    return "good" if record.reward > 0 else "bad"


def agent_labels(records: Iterable[EpisodeRecord]) -> dict[tuple[str, str | None, str], str]:
    """Return a name for each agent, model asked for and settings hash; settings are named where only they differ."""
    experiments = dict.fromkeys((record.agent, record.model, record.settings_hash) for record in records)
    names = [" ".join(filter(None, (agent, model))) for agent, model, _ in experiments]
    return {
        experiment: name if names.count(name) == 1 else f"{name} [{experiment[2][:6]}]"
        for experiment, name in zip(experiments, names, strict=True)
    }


def index_row(record: EpisodeRecord, label: str) -> list[Any]:
    """Return an episode as the index lists it; index.js reads the fields in this order."""
    return [
        record.episode_id, label, record.task, record.seed, record.trial, record.end, outcome(record), record.reward,
        record.raw_reward, record.full_reward, record.steps, round(record.seconds, 2), record.goal or "",
    ]  # fmt: skip


def episode_view(record: EpisodeRecord, steps: Sequence[StepRecord]) -> dict[str, Any]:
    """Return what the page of an episode shows. Bars of steps share one scale, so that their lengths compare."""
    step_parts = [_step_parts(step) for step in steps]
    longest_ms = max((sum(parts.values()) for parts in step_parts), default=0.0)
    spent: dict[str, float] = {part: getattr(record, f"{part}_ms") for part in ("reset", *PARTS)}
    spent["other"] = max(0.0, record.seconds * 1000 - sum(spent.values()))
    return {
        "record": record,
        "outcome": outcome(record),
        "episode_bar": slices(spent, sum(spent.values())),
        "meanings": MEANINGS,
        "steps": [step_view(step, slices(parts, longest_ms)) for step, parts in zip(steps, step_parts, strict=True)],
        "missing_steps": len(record.decisions_ms) - len(steps),
        "settings": json.dumps(record.settings, indent=2, ensure_ascii=False),
    }


def _step_parts(step: StepRecord) -> dict[str, float]:
    return {"decide": step.decide_ms} | {part: getattr(step.timings, f"{part}_ms") for part in PARTS[1:]}


def slices(parts: Mapping[str, float], full_ms: float) -> list[Slice]:
    """Return the parts of a bar whose full width stands for `full_ms`."""
    return [Slice(part, ms, 100 * ms / full_ms if full_ms > 0 else 0.0) for part, ms in parts.items()]


def step_view(step: StepRecord, bar: Sequence[Slice]) -> dict[str, Any]:
    """Return what the page shows of one step."""
    verb, value, element = _action_words(step)
    return {
        "record": step,
        "verb": verb,
        "value": value,
        "element": element,
        "lines": _lines(step.observation, getattr(step.action, "element_id", None)) if step.observation else [],
        "options": _options(step.detail, step.reason or verb) if step.detail else [],
        "bar": bar,
        "total_ms": sum(piece.ms for piece in bar),
    }


def _action_words(step: StepRecord) -> tuple[str, str | None, str | None]:
    """The action's name, what it types, chooses, presses or says, and the row of the element it goes to."""
    if step.action is None:
        return f"stop: {step.end}", None, None
    fields = step.action.model_dump()
    verb, element_id = fields.pop("type"), fields.pop("element_id", None)
    value = next(iter(fields.values()), None)
    if element_id is None:
        return verb, value, None
    element = step.observation.element(element_id) if step.observation else None
    return verb, value, f"[{element_id}]" if element is None else render_element(element)


def _lines(observation: Observation, chosen: int | None) -> list[Line]:
    lines = []
    for text in render(observation).split("\n"):
        if text.startswith(f"[{chosen}] "):
            lines.append(Line(text, "chosen"))
        elif text.startswith("["):
            lines.append(Line(text, "element"))
        else:
            lines.append(Line(text, "text" if text.startswith("text: ") else "head"))
    return lines


def _options(detail: DecisionDetail, chosen: str) -> list[Option]:
    """The choice and what it was chosen over; a probability is that of the operation times that of its target."""
    probability = detail.operation_probability * detail.target_probability
    others = [Option(other.label, other.probability, False) for other in detail.runners_up]
    return [Option(chosen, probability, True), *others]
