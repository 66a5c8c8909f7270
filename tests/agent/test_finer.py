from collections import Counter
from typing import Any

import numpy as np
import pytest

from agent.baselines import RandomAgent
from agent.finer import CHORDS, FINER_ACTIONS, draw, possible
from browser.actions import CORE_ACTIONS, EXTENDED_ACTIONS, Keys, check_action, parse_action
from browser.observation import Box, InteractiveElement, Observation


def element(id_: int, **fields: Any) -> InteractiveElement:
    return InteractiveElement(id=id_, role="button", box=Box(x=5, y=5, width=30, height=20), **fields)


def page(*elements: InteractiveElement) -> Observation:
    return Observation(goal="g", url="http://a/", title="t", elements=elements)


TWO = page(element(1), element(2), element(3, disabled=True), element(4, covered_by="a dialog"))
SECRET = element(5, credential=True, editable=True)


@pytest.mark.parametrize("name", FINER_ACTIONS)
def test_each_is_drawn_as_the_page_allows_it(name: Any) -> None:
    random = np.random.default_rng(0)
    drawn = [draw(name, TWO, random, credentials=False) for _ in range(200)]
    for action, targets in drawn:
        element = check_action(action, TWO, EXTENDED_ACTIONS)
        assert element is not None
        assert targets == 2
        if getattr(action, "x", None) is not None:
            assert action.x < element.box.width
            assert action.y < element.box.height
    if name not in ("hover", "double_click", "drag"):
        assert len({str(action) for action, _ in drawn}) > 4


def test_only_what_the_page_has_elements_for_is_possible() -> None:
    assert possible(CORE_ACTIONS, TWO, credentials=False) == ()
    assert possible(EXTENDED_ACTIONS, TWO, credentials=False) == FINER_ACTIONS
    assert set(FINER_ACTIONS) - set(possible(EXTENDED_ACTIONS, page(element(1)), credentials=False)) == {"drag"}
    assert possible(EXTENDED_ACTIONS, page(SECRET), credentials=False) == ()
    assert "keys" in possible(EXTENDED_ACTIONS, page(SECRET), credentials=True)


def test_the_chords_are_chords() -> None:
    for keys in CHORDS:
        assert parse_action({"type": "keys", "keys": keys}, EXTENDED_ACTIONS) == Keys(keys=keys)


def test_the_random_agent_draws_them_where_they_are_offered_as_evenly_as_the_others() -> None:
    offered = ("click", "wait", *FINER_ACTIONS)
    agent = RandomAgent(3, offered)
    agent.reset()
    steps = [agent.step(TWO) for _ in range(3_000)]
    kinds = Counter(step.action.type for step in steps if step.action)
    assert set(kinds) == set(offered)
    assert max(kinds.values()) < 1.35 * min(kinds.values())
    for step in steps:
        assert step.detail is not None
        assert step.detail.operation_probability == 1 / len(offered)
    drag = next(step for step in steps if step.action and step.action.type == "drag")
    assert drag.reason.startswith("DRAG element_id=")
