"""A stored decision made up again from page, goal and past, and where the two differ. No browser, no model."""

from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import Any

from agent.decided import DecidedTick, Exchange
from agent.decision import DecisionAgent
from agent.decision_model import WireModel
from agent.questions import Request, build_request
from agent.tick import Candidate, Tick
from benchmark.records.ticks import TickRecord
from llm.decision import ChoiceQuestion
from llm.scripted import ScriptedDecisions

# Characters of a text that differs: enough to see what it is about.
SHOWN = 80


def difference(record: TickRecord) -> str | None:
    """Return what differs first between a stored decision and one made up again by this code; None for equal ones.

    Raises:
        ValueError: no decision model was asked.
    """
    if record.decided is None:
        raise ValueError("There is no tick in this record.")
    tick, before = record.decided.tick, record.decided.before
    try:
        # Nothing is asked: the model is there because an agent has one.
        agent = DecisionAgent.of_config(record.config, WireModel(ScriptedDecisions([])))
        rebuilt = agent.tick_after(before, tick.observation, tick.history)
    except (KeyError, ValueError) as error:
        return f"the agent's settings are of another release ({type(error).__name__})"
    return _tick(tick, rebuilt) or _chosen(record.decided) or _exchange(record.decided.exchange, rebuilt)


def _tick(stored: Tick, rebuilt: Tick) -> str | None:
    pairs = zip_longest(stored.candidates, rebuilt.candidates)
    for number, (was, now) in enumerate(pairs, start=1):
        if was != now:
            return f"candidate {number} was {_words(was)} and is {_words(now)}"
    fields = [name for name in Tick.model_fields if getattr(stored, name) != getattr(rebuilt, name)]
    return f"the tick's {fields[0]}" if fields else None


def _words(candidate: Candidate | None) -> str:
    if candidate is None:
        return "none"
    words = candidate.model_dump(exclude_none=True)
    return " ".join([words.pop("operation"), *(f"{name}={_short(value)}" for name, value in words.items())])


def _chosen(decided: DecidedTick) -> str | None:
    if decided.chosen is not None and decided.chosen not in decided.tick.candidates:
        return "the chosen candidate is none of the tick's"
    return None


def _exchange(stored: Exchange | None, tick: Tick) -> str | None:
    if stored is None or not tick.candidates:
        return None
    request = build_request(tick, stored.max_options)
    return _state(stored.state, request) or _questions(stored.questions, request.questions)


def _state(stored: str, request: Request) -> str | None:
    lines = zip_longest(stored.split("\n"), request.state.split("\n"), fillvalue="")
    for number, (was, now) in enumerate(lines, start=1):
        if was != now:
            return f"line {number} of the state was {_short(was)} and is {_short(now)}"
    return None


def _questions(stored: Mapping[str, ChoiceQuestion], rebuilt: Mapping[str, ChoiceQuestion]) -> str | None:
    if list(stored) != list(rebuilt):
        return f"the questions were {', '.join(stored) or 'none'} and are {', '.join(rebuilt) or 'none'}"
    for head, was in stored.items():
        now = rebuilt[head]
        if was.instructions != now.instructions:
            return f"the instructions of {head} were {_short(was.instructions)} and are {_short(now.instructions)}"
        if (option := _first_other(was.criteria.items(), now.criteria.items())) is not None:
            return f"option {option} of {head}"
    return None


def _first_other(was: Iterable[tuple[str, Any]], now: Iterable[tuple[str, Any]]) -> str | None:
    """Return the id of the first option that is not the same, in the same place, on both sides."""
    for one, other in zip_longest(was, now):
        if one != other:
            return str((one or other)[0])
    return None


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
