"""A goal, a past and a page as chat messages within a budget of tokens. The words are those of prompt.py.

What stays the same comes first, so that an endpoint which remembers beginnings reads little anew: the rules, the goal,
the growing past; then the page, fenced; then the question.
"""

import math
import re
from collections.abc import Sequence

from agent.agent import ObservationMode
from agent.history import numbered_line
from agent.prompt import (
    CHAT_ANSWER,
    CHAT_DONE,
    CHAT_EARLIER,
    CHAT_EXAMPLES,
    CHAT_FINISH_RULE,
    CHAT_GOAL,
    CHAT_NOTHING_DONE,
    CHAT_READING,
    CHAT_RULES,
)
from agent.tick import PastStep
from browser.actions import ActionName, action_prompt
from browser.observation import Observation
from browser.render import render
from llm import fence
from llm.chat import Message

# Past actions shown: at least this many and fewer than twice as many, dropped in blocks, so that the text before the
# page keeps its beginning from step to step.
HISTORY_LIMIT = 10
# Characters of a goal, and of the form of its answer; a task with an e-mail in it has a few hundred.
GOAL_CHARS = 4_000
# Set aside for the question, a plan of six steps included, so that all questions about a page show the same page.
QUESTION_TOKENS = 400
# A page is never squeezed below this, whatever the rest takes: it is what the decision is made from.
MIN_PAGE_TOKENS = 200
# Of rules, goal and past: the rules run 3.4 with SmolLM2's tokenizer. A page has its own figure, in render.py.
PROSE_CHARACTERS_PER_TOKEN = 3.0

_SITE = re.compile(r"https?://[^/?#]+(?=/)")


def system_message(offered: tuple[ActionName, ...], mode: ObservationMode) -> Message:
    """Return the rules, how to read the page, the answer's shape, the offered actions and examples of them."""
    rules = [CHAT_RULES, CHAT_FINISH_RULE] if "finish" in offered else [CHAT_RULES]
    examples = [text for action, text in CHAT_EXAMPLES if action in offered]
    parts = ["\n".join(rules), CHAT_READING[mode], f"{CHAT_ANSWER}\n{action_prompt(offered)}", *examples]
    return Message(role="system", content="\n\n".join(parts))


def messages(
    system: Message,
    observation: Observation,
    past: Sequence[PastStep],
    question: str,
    offered: tuple[ActionName, ...],
    max_tokens: int,
) -> tuple[Message, ...]:
    """Return the messages that put a question about a page, at most `max_tokens` by estimate where that is possible."""
    told = "\n\n".join(_cut(text) for text in (observation.goal, observation.answer_form) if text)
    before = f"{CHAT_GOAL.format(goal=harmless(told))}\n\n{_past(past)}\n\n"
    room = max_tokens - _tokens(system.content) - _tokens(before) - QUESTION_TOKENS
    page = harmless(render(_shown(observation, offered), max(room, MIN_PAGE_TOKENS)))
    return system, Message(role="user", content=f"{before}<page>\n{page}\n</page>\n\n{question}")


def _cut(text: str) -> str:
    return text if len(text) <= GOAL_CHARS else text[: GOAL_CHARS - 1] + "…"


def harmless(text: str) -> str:
    """Return a text that can neither open or close the fence around the page nor begin a turn of a chat.

    Half a surrogate pair, which a page can hold and no wire can carry, becomes a question mark.
    """
    return fence.harmless(text.encode("utf-8", "replace").decode(), "page")


def _past(past: Sequence[PastStep]) -> str:
    if not past:
        return CHAT_NOTHING_DONE
    dropped = max(0, len(past) // HISTORY_LIMIT - 1) * HISTORY_LIMIT
    lines = [CHAT_DONE] + ([CHAT_EARLIER.format(count=dropped)] if dropped else [])
    lines += [f"{n}. {harmless(numbered_line(step))}" for n, step in enumerate(past[dropped:], start=dropped + 1)]
    return "\n".join(lines)


def _shown(observation: Observation, offered: tuple[ActionName, ...]) -> Observation:
    """Return the page without what the past already tells, and without what no offered action could use.

    Where no address can be opened, those of the page's own site are shown as paths: a local server's port changes from
    run to run, and a recorded answer is found again only by the same words.
    """
    changed: dict[str, object] = {"last_action_error": None}
    site = _SITE.match(observation.url)
    if site and "navigate" not in offered:
        changed["url"] = observation.url.removeprefix(site[0])
        tabs = (tab.model_copy(update={"url": tab.url.removeprefix(site[0])}) for tab in observation.tabs)
        changed["tabs"] = tuple(tabs)
        changed["axtree"] = observation.axtree and observation.axtree.replace(f"'{site[0]}/", "'/")
    return observation.model_copy(update=changed)


def _tokens(text: str) -> int:
    return math.ceil(len(text) / PROSE_CHARACTERS_PER_TOKEN)
