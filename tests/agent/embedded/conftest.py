"""Small pages made by hand, and a decision on them."""

from collections.abc import Callable
from typing import Any

import pytest

from agent.candidates import build_candidates
from agent.embedded import RulesModel
from agent.tick import Candidate, PastStep, Tick
from browser.actions import ActionName
from browser.observation import Box, InteractiveElement, Observation, TextBlock

OFFERED: tuple[ActionName, ...] = ("click", "type", "select", "scroll", "press", "wait")
Item = InteractiveElement | str


@pytest.fixture
def element() -> Callable[..., InteractiveElement]:
    """A function: role and name, then any other attributes; ids are given by `page`."""

    def make(role: str, name: str = "", **changes: Any) -> InteractiveElement:
        box = changes.pop("box", Box(x=0, y=0, width=20, height=10))
        facts: dict[str, Any] = {"tag": {"button": "button", "link": "a"}.get(role, "span")}
        if role in ("textbox", "searchbox", "spinbutton"):
            facts = {"tag": "input", "editable": True, "filled": bool(changes.get("value"))}
        if role in ("checkbox", "radio"):
            facts = {"tag": "input", "checked": False, "input_type": role}
        return InteractiveElement(**{"id": 1, "role": role, "name": name, "box": box, **facts, **changes})

    return make


@pytest.fixture
def page() -> Callable[..., Observation]:
    """A function: elements and texts in document order; ids count from 1, and each element gets its `before`."""

    def make(*items: Item, **changes: Any) -> Observation:
        elements: list[InteractiveElement] = []
        texts: list[TextBlock] = []
        for item in items:
            if isinstance(item, str):
                texts.append(TextBlock(text=item, position=len(elements)))
                continue
            before = texts[-1].text if texts else ""
            elements.append(item.model_copy(update={"id": len(elements) + 1, "before": item.before or before}))
        facts: dict[str, Any] = {"elements": tuple(elements), "texts": tuple(texts), **changes}
        return Observation(**{"goal": "", "url": "http://a/", "title": "", **facts})

    return make


@pytest.fixture
def tick() -> Callable[..., Tick]:
    def make(
        goal: str,
        observation: Observation,
        history: tuple[PastStep, ...] = (),
        offered: tuple[ActionName, ...] = OFFERED,
    ) -> Tick:
        candidates = build_candidates(goal, observation, history, offered, allow_goal_credentials=True)
        return Tick(goal=goal, observation=observation, history=history, candidates=candidates)

    return make


@pytest.fixture
def choose(tick: Callable[..., Tick]) -> Callable[..., tuple[str, int | None, str | None]]:
    """A function: what the rules do on a page for a goal, as (operation, element id, value)."""
    model = RulesModel()

    def decide(
        goal: str,
        observation: Observation,
        history: tuple[PastStep, ...] = (),
        offered: tuple[ActionName, ...] = OFFERED,
    ) -> tuple[str, int | None, str | None]:
        candidate: Candidate = model.decide(tick(goal, observation, history, offered)).candidate
        return candidate.operation, candidate.element_id, candidate.value

    return decide
