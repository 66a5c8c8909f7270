"""A tick as one request of typed choice questions, and answers back onto a candidate. Knows no model's wire.

Option ids are short: "16" is element 16; "16:2" its third option; "16=0" the first of the tick's texts typed into it;
"16=Enter" a key pressed on it; a bare key or text index where there is no element.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from agent.candidates import Candidate, Operation, PastStep, Tick, dead_targets
from agent.history import BLOCK_CHARS, NAME_CHARS, one_line, past_line, quoted
from agent.prompt import JOINT_RULE, LEGEND, OPERATION_MEANINGS, OPERATION_RULES, TARGET_RULE, TARGET_RULES
from browser.observation import InteractiveElement, Observation
from browser.render import render_element
from llm.decision import ChoiceQuestion

OPERATION_HEAD = "operation"
JOINT_HEAD = "action"

# The last actions a state tells of; older ones are seldom what the next step turns on.
HISTORY_LIMIT = 10
# Rows of a state, and characters of a row and of all page text: together under 12,000 tokens at 2.4 characters each,
# far below the 32,000 that the wire documents for a state with its longest question.
ROW_LIMIT = 120
ROW_CHARS = 160
TEXT_CHARS = 6_000
GOAL_CHARS = 2_000
# Six steps of 120 characters, with their numbers.
PLAN_CHARS = 800
IDLE_MARK = " click_did_nothing"

_LOCAL_SITE = re.compile(r"https?://(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?(?=/)")

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
        target_head(operation): _target_question(operation, offered, tick) for operation, offered in options.items()
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
    question = ChoiceQuestion(instructions=f"{OPERATION_RULES} {JOINT_RULE}", criteria=criteria)
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


def render_state(tick: Tick, offered: set[int | None]) -> str:
    """Return the state: goal, past actions, address, title, then rows and text in document order.

    Rows of `offered` elements come first where not all fit; what is left out is counted.
    """
    observation = tick.observation
    lines = [f"Goal: {one_line(tick.goal, GOAL_CHARS)}", LEGEND]
    lines += [f"Done {n}: {_elsewhere(past_line(step))}" for n, step in _last(tick.history)] or ["Done: nothing yet"]
    if tick.plan:
        lines.append(f"Plan: {one_line(tick.plan, PLAN_CHARS)}")
    if tick.note:
        lines.append(f"Note: {tick.note}")
    if observation.last_action_error:
        lines.append(f"The last action failed: {one_line(observation.last_action_error, BLOCK_CHARS)}")
    lines += [
        f"URL: {one_line(_elsewhere(observation.url), BLOCK_CHARS)}",
        f"Title: {one_line(observation.title, BLOCK_CHARS)}",
    ]
    return "\n".join([*lines, *_page(tick, offered)])


def _elsewhere(text: str) -> str:
    """Return a text without the site of a server on this machine, whose port is chance: a recorded answer is found
    again only by the same words."""
    return _LOCAL_SITE.sub("", text)


def _by_operation(tick: Tick) -> dict[Operation, Options]:
    """Return the candidates by operation and option id; two that would do the same thing are one."""
    texts: dict[str, int] = {}
    grouped: dict[Operation, Options] = {}
    for candidate in tick.candidates:
        key = _option_id(candidate, tick.observation, texts)
        grouped.setdefault(candidate.operation, {}).setdefault(key, candidate)
    return grouped


def _option_id(candidate: Candidate, observation: Observation, texts: dict[str, int]) -> str:
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


def _target_question(operation: Operation, options: Options, tick: Tick) -> ChoiceQuestion:
    return ChoiceQuestion(
        instructions=TARGET_RULES.get(operation) or TARGET_RULE.format(operation=operation),
        criteria={key: _words(candidate, tick.observation) or None for key, candidate in options.items()},
    )


def _best(options: Options, tick: Tick, limit: int) -> Options:
    """Return at most `limit` options: those that share most words with the goal, in their own order."""
    if len(options) <= limit:
        return options
    goal = _tokens(tick.goal)
    overlap = {key: len(goal & _tokens(_words(candidate, tick.observation))) for key, candidate in options.items()}
    kept = set(sorted(options, key=lambda key: -overlap[key])[:limit])
    return {key: candidate for key, candidate in options.items() if key in kept}


def _tokens(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _words(candidate: Candidate, observation: Observation, mark: str = "") -> str:
    """Return what an operation is done to, without the operation: `"ada" into textbox "Name"`."""
    value = "" if candidate.value is None else quoted(candidate.value)
    if candidate.operation == "TYPE" and candidate.value is None:
        value = "a text that is yet to be written"
    if candidate.element_id is None:
        return value
    element = mark + named(_element(candidate, observation))
    joint = {"TYPE": "into", "SELECT": "in", "PRESS": "on"}.get(candidate.operation, "on")
    return f"{value} {joint} {element}" if value else element


def _element(candidate: Candidate, observation: Observation) -> InteractiveElement:
    element = observation.element(candidate.element_id) if candidate.element_id is not None else None
    if element is None:
        raise ValueError(f"The candidate's element {candidate.element_id} is not in its observation.")
    return element


def named(element: InteractiveElement) -> str:
    """Return an element as a person would point at it, by the best name it has."""
    name = element.name or element.placeholder or element.hint or " ".join(filter(None, (element.color, element.shape)))
    scope = f" in {one_line(element.scope, NAME_CHARS)}" if element.scope else ""
    role = "clickable" if element.role == "generic" else element.role
    return f"{role} {quoted(name)}{scope}" if name else f"{role}{scope}"


def _last(history: tuple[PastStep, ...]) -> Iterable[tuple[int, PastStep]]:
    first = max(0, len(history) - HISTORY_LIMIT)
    return enumerate(history[first:], start=first + 1)


def _page(tick: Tick, offered: set[int | None]) -> list[str]:
    """Return rows and text blocks in document order, bounded, and a last line that counts what is left out."""
    observation = tick.observation
    rows = _rows(tick, offered)
    placed = [(position + 0.5, rows[e.id]) for position, e in enumerate(observation.elements) if e.id in rows]
    hidden = observation.omitted.elements + len(observation.elements) - len(rows)
    hidden_texts, left = observation.omitted.texts, TEXT_CHARS
    for block in observation.texts:
        text = one_line(block.text, BLOCK_CHARS)
        left -= len(text)
        if left < 0:
            hidden_texts += 1
        else:
            placed.append((block.position, f"text: {text}"))
    lines = [line for _, line in sorted(placed, key=lambda pair: pair[0])]
    if hidden or hidden_texts:
        lines.append(f"Left out: {hidden} controls, {hidden_texts} texts.")
    return lines


def _rows(tick: Tick, offered: set[int | None]) -> dict[int, str]:
    """Return the rows that fit by element id: first those on offer, then those that share most words with the goal."""
    elements = tick.observation.elements
    if len(elements) > ROW_LIMIT:
        goal = _tokens(tick.goal)
        rank = {e.id: (e.id not in offered, -len(goal & _tokens(named(e)))) for e in elements}
        elements = tuple(sorted(elements, key=lambda e: rank[e.id])[:ROW_LIMIT])
    marks = _withheld(tick)
    return {e.id: one_line(render_element(e), ROW_CHARS - len(IDLE_MARK)) + marks.get(e.id, "") for e in elements}


def _withheld(tick: Tick) -> dict[int, str]:
    """Return the mark of each element whose last click changed nothing and is not offered again (rule A3)."""
    offered = {candidate.element_id for candidate in tick.candidates if candidate.operation == "CLICK"}
    return dict.fromkeys(dead_targets(tick.history, 1) - offered, IDLE_MARK)
