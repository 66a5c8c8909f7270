"""What is remembered of an action, and what a chat model is told of it."""

from typing import Any

import pytest

from agent.history import History, action_words
from agent.tick import PastStep
from browser.actions import EXTENDED_ACTIONS, Click, DragBy, parse_action
from browser.observation import Box, InteractiveElement, Observation


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ({"type": "click", "element_id": 3}, 'click [3] button "Go"'),
        ({"type": "press", "element_id": None, "key": "Enter"}, 'press button "Go" "Enter"'),
        ({"type": "drag", "element_id": 3, "to_element_id": 5}, 'drag [3] button "Go" to [5]'),
        ({"type": "drag_by", "element_id": 3, "dx": 5, "dy": -7}, 'drag_by [3] button "Go" by 5,-7'),
        (
            {"type": "drag_by", "element_id": 3, "dx": 5, "dy": 0, "x": 0, "y": 1},
            'drag_by [3] button "Go" at 0,1 by 5,0',
        ),
        ({"type": "click_at", "element_id": 3, "x": 0, "y": 9}, 'click_at [3] button "Go" at 0,9'),
        ({"type": "keys", "element_id": 3, "keys": "Control+A"}, 'keys [3] button "Go" "Control+A"'),
        ({"type": "scroll_in", "element_id": 3, "direction": "up"}, 'scroll_in [3] button "Go" "up"'),
        ({"type": "hover", "element_id": 3}, 'hover [3] button "Go"'),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_action_is_told_with_all_that_it_was(action: dict[str, Any], words: str) -> None:
    step = PastStep(action=parse_action(action, EXTENDED_ACTIONS), role="button", name="Go", page_changed=True)
    assert action_words(step) == words


def test_a_drag_that_moves_what_it_holds_changed_the_page_though_its_key_did_not() -> None:
    def at(x: int) -> Observation:
        shape = InteractiveElement(id=1, role="graphic", box=Box(x=x, y=0, width=9, height=9))
        return Observation(goal="", url="http://a/", title="", elements=(shape,), page_key="k")

    for action, there, changed in (
        (DragBy(element_id=1, dx=9, dy=0), 9, True),
        (DragBy(element_id=1, dx=9, dy=0), 0, False),
        (Click(element_id=1), 9, False),
    ):
        history = History()
        history.see(at(0))
        history.decided(action, at(0))
        history.see(at(there))
        assert history.steps[0].page_changed is changed
