"""A tick as one request of typed choice questions, and answers back onto a candidate. Knows no model's wire.

Option ids are short: "16" is element 16; "16:2" its third option; "16=0" the first of the tick's texts typed into it;
"16=Enter" a key pressed on it, "16=Control+A" a chord; "16>9" it is dragged onto element 9; "16@10,20" a place in it;
"16+40,0" and "16@10,20+40,0" it, or that place, is moved by so many pixels; a bare key or text index where there is no
element.
"""

from dataclasses import dataclass

from agent.gesture_words import gesture_id, gesture_words
from agent.gestures import ACTION_OF
from agent.history import quoted
from agent.prompt import (
    JOINT_RULE,
    LEFT_OUT_RULE,
    OPERATION_MEANINGS,
    OPERATION_RULES,
    TARGET_RULE,
    TARGET_RULES,
)
from agent.state import named, render_state, tokens
from agent.tick import Candidate, Operation, Tick
from browser.observation import InteractiveElement, Observation
from llm.decision import ChoiceQuestion

OPERATION_HEAD = "operation"
JOINT_HEAD = "action"

Options = dict[str, Candidate]


@dataclass(frozen=True)
class Request:
    """One request of a tick: what to ask, and which candidate each option id stands for."""

    state: str
    questions: dict[str, ChoiceQuestion]
    options: dict[Operation, Options]
    filled_in_by_code: tuple[str, ...]
    """Heads with a single candidate, which no model is asked."""
    left_out: int
    """Candidates that exceed the model's options."""
    joint: bool = False
    """One question over all candidates, by their `joint_id`, in place of the heads."""


def build_request(tick: Tick, max_options: int) -> Request:
    """Return the request of a tick that has candidates: an operation head, and a target head per operation.

    Every operation is always offered; `max_options` bounds the targets of each. A joint tick is one question over all
    candidates instead, of which `max_options` are kept.
    """
    by_operation = _by_operation(tick)
    if tick.joint:
        return _joint_request(tick, by_operation, max_options)
    options = {operation: _best(offered, tick, max_options) for operation, offered in by_operation.items()}
    questions = {OPERATION_HEAD: _operation_question(list(options))}
    questions |= {
        target_head(operation): _target_question(operation, offered, tick, len(by_operation[operation]) - len(offered))
        for operation, offered in options.items()
    }
    single = tuple(head for head, question in questions.items() if len(question.criteria) == 1)
    return Request(
        state=render_state(tick, {c.element_id for offered in options.values() for c in offered.values()}),
        questions={head: question for head, question in questions.items() if head not in single},
        options=options,
        filled_in_by_code=single,
        left_out=sum(len(by_operation[operation]) - len(offered) for operation, offered in options.items()),
    )


def _joint_request(tick: Tick, by_operation: dict[Operation, Options], max_options: int) -> Request:
    """Return one question over all candidates; where not all fit, those without an element are kept before others."""
    every = {joint_id(o, key): candidate for o, offered in by_operation.items() for key, candidate in offered.items()}
    free = _best({key: c for key, c in every.items() if c.element_id is None}, tick, max_options)
    bound = {key: c for key, c in every.items() if c.element_id is not None}
    kept = free | _best(bound, tick, max_options - len(free))
    options = {
        operation: {key: c for key, c in offered.items() if joint_id(operation, key) in kept}
        for operation, offered in by_operation.items()
    }
    criteria: dict[str, str | None] = {key: _whole_words(c, tick) for key, c in every.items() if key in kept}
    rules = [OPERATION_RULES, JOINT_RULE]
    rules += [LEFT_OUT_RULE.format(count=len(every) - len(kept))] if len(kept) < len(every) else []
    question = ChoiceQuestion(instructions=" ".join(rules), criteria=criteria)
    return Request(
        state=render_state(tick, {c.element_id for c in kept.values()}),
        questions={JOINT_HEAD: question} if len(kept) > 1 else {},
        options={operation: offered for operation, offered in options.items() if offered},
        filled_in_by_code=() if len(kept) > 1 else (JOINT_HEAD,),
        left_out=len(every) - len(kept),
        joint=True,
    )


def _whole_words(candidate: Candidate, tick: Tick) -> str:
    """Return what a candidate means with what it is done to: `click a control: button "Go"`."""
    words = _words(candidate, tick.observation)
    meaning = OPERATION_MEANINGS[candidate.operation]
    return f"{meaning}: {words}" if words else meaning


def joint_id(operation: Operation, key: str) -> str:
    """Return the id of a candidate in a joint question: its operation, and its id among that operation's."""
    return operation if key == operation else f"{operation} {key}"


def target_head(operation: Operation) -> str:
    """Return the question id of an operation's target head."""
    return f"target_{operation}"


def describe(candidate: Candidate, observation: Observation) -> str:
    """Return a candidate in words for a reader, with the id of its element: `TYPE "ada" into [4] textbox "Name"`."""
    mark = "" if candidate.element_id is None else f"[{candidate.element_id}] "
    words = _words(candidate, observation, mark)
    return f"{candidate.operation} {words}".rstrip()


def _by_operation(tick: Tick) -> dict[Operation, Options]:
    """Return the candidates by operation and option id; two that would do the same thing are one."""
    texts: dict[str, int] = {}
    grouped: dict[Operation, Options] = {}
    for candidate in tick.candidates:
        key = _option_id(candidate, tick.observation, texts)
        grouped.setdefault(candidate.operation, {}).setdefault(key, candidate)
    return grouped


def _option_id(candidate: Candidate, observation: Observation, texts: dict[str, int]) -> str:
    if candidate.operation in ACTION_OF:
        return gesture_id(candidate)
    value, element = candidate.value, "" if candidate.element_id is None else str(candidate.element_id)
    if value is None:
        return element or candidate.operation
    if candidate.operation == "SELECT":
        return f"{element}:{_option_index(candidate, observation)}"
    part = value if candidate.operation == "PRESS" else str(texts.setdefault(value, len(texts)))
    return f"{element}={part}" if element else part


def _option_index(candidate: Candidate, observation: Observation) -> int:
    options = _element(candidate, observation).options
    return next(n for n, option in enumerate(options) if option.label == candidate.value and not option.disabled)


def _operation_question(operations: list[Operation]) -> ChoiceQuestion:
    return ChoiceQuestion(
        instructions=OPERATION_RULES, criteria={operation: OPERATION_MEANINGS[operation] for operation in operations}
    )


def _target_question(operation: Operation, options: Options, tick: Tick, left_out: int) -> ChoiceQuestion:
    rule = TARGET_RULES.get(operation) or TARGET_RULE.format(operation=operation)
    return ChoiceQuestion(
        instructions=f"{rule} {LEFT_OUT_RULE.format(count=left_out)}" if left_out else rule,
        criteria={key: _words(candidate, tick.observation) or None for key, candidate in options.items()},
    )


def _best(options: Options, tick: Tick, limit: int) -> Options:
    """Return at most `limit` options: those that share most words with the goal, in their own order."""
    if len(options) <= limit:
        return options
    goal = tokens(tick.goal)
    overlap = {key: len(goal & tokens(_words(candidate, tick.observation))) for key, candidate in options.items()}
    kept = set(sorted(options, key=lambda key: -overlap[key])[:limit])
    return {key: candidate for key, candidate in options.items() if key in kept}


def _words(candidate: Candidate, observation: Observation, mark: str = "") -> str:
    """Return what an operation is done to, without the operation: `"ada" into textbox "Name"`."""
    if candidate.operation in ACTION_OF:
        return mark + gesture_words(candidate, lambda element_id: named(_by_id(element_id, observation)), quoted)
    value = "" if candidate.value is None else quoted(candidate.value)
    if candidate.operation == "TYPE" and candidate.value is None:
        value = "a text that is yet to be written"
    if candidate.element_id is None:
        return value
    element = mark + named(_element(candidate, observation))
    joint = {"TYPE": "into", "SELECT": "in", "PRESS": "on"}.get(candidate.operation, "on")
    return f"{value} {joint} {element}" if value else element


def _element(candidate: Candidate, observation: Observation) -> InteractiveElement:
    return _by_id(candidate.element_id, observation)


def _by_id(element_id: int | None, observation: Observation) -> InteractiveElement:
    element = observation.element(element_id) if element_id is not None else None
    if element is None:
        raise ValueError(f"The candidate's element {element_id} is not in its observation.")
    return element
