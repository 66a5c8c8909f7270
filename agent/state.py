"""What a decision model reads: a tick as lines of text, the page among them marked as data. Knows no model's wire."""

import re
from collections.abc import Iterable

from agent.candidates import dead_targets
from agent.history import BLOCK_CHARS, NAME_CHARS, one_line, past_line, quoted
from agent.prompt import LEGEND
from agent.tick import PastStep, Tick
from browser.observation import InteractiveElement
from browser.render import render_element

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


def render_state(tick: Tick, offered: set[int | None]) -> str:
    """Return the state: goal, a recovery's plan and a guard's note where there are any, past actions, address, title,
    then rows and text in document order.

    Rows of `offered` elements come first where not all fit; what is left out is counted.
    """
    observation = tick.observation
    lines = [f"Goal: {one_line(tick.goal, GOAL_CHARS)}"]
    lines += [f"Plan: {one_line(tick.plan, PLAN_CHARS)}"] if tick.plan else []
    lines += [f"Note: {tick.note}"] if tick.note else []
    lines.append(LEGEND)
    lines += [f"Done {n}: {_elsewhere(past_line(step))}" for n, step in _last(tick.history)] or ["Done: nothing yet"]
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


def tokens(text: str) -> set[str]:
    """Return the words of a text, whatever their case."""
    return set(re.findall(r"\w+", text.lower()))


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
        goal = tokens(tick.goal)
        rank = {e.id: (e.id not in offered, -len(goal & tokens(named(e)))) for e in elements}
        elements = tuple(sorted(elements, key=lambda e: rank[e.id])[:ROW_LIMIT])
    marks = _withheld(tick)
    return {e.id: one_line(render_element(e), ROW_CHARS - len(IDLE_MARK)) + marks.get(e.id, "") for e in elements}


def _withheld(tick: Tick) -> dict[int, str]:
    """Return the mark of each element whose last click changed nothing and is not offered again (rule A3)."""
    offered = {candidate.element_id for candidate in tick.candidates if candidate.operation == "CLICK"}
    return dict.fromkeys(dead_targets(tick.history, 1) - offered, IDLE_MARK)
