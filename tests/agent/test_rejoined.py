"""The past, told by the elements of the page as it is now."""

from typing import Any

import pytest

from agent.decision import DecisionAgent
from agent.embedded.model import EmbeddedModel
from agent.rejoined import rejoined
from agent.tick import PastStep
from browser.actions import Click, Wait
from browser.observation import Box, InteractiveElement, Observation

HOME = "http://a/"


def links(first: int, *names: str, url: str = HOME, goal: str = "", key: str = "k") -> Observation:
    box = Box(x=0, y=0, width=9, height=9)
    elements = (
        InteractiveElement(id=first + n, role="link", tag="a", name=name, box=box) for n, name in enumerate(names)
    )
    return Observation(goal=goal, url=url, title="", elements=tuple(elements), page_key=key)


def clicked(element_id: int, name: str = "News", **more: Any) -> PastStep:
    what = {"role": "link", "name": name, "page_changed": False, "from_url": HOME}
    return PastStep(action=Click(element_id=element_id), **(what | more))


@pytest.mark.parametrize(
    ("step", "page", "element_id"),
    [
        (clicked(1), links(5, "Home", "News"), 6),
        (clicked(1), links(1, "Other", "News"), 1),  # it is still there, by another name now
        (clicked(1), links(5, "News", "News"), 1),  # which of them it was cannot be told
        (clicked(1, ""), links(5, ""), 1),
        (clicked(1, from_key="k", row=1), links(5, "News", "News"), 6),  # the page is just as it was
        (clicked(1, "", from_key="k", row=0), links(5, "", ""), 5),
        (clicked(1, from_key="l", row=1), links(5, "News", "News"), 1),
        (clicked(1, page_changed=True), links(5, "Home", "News"), 1),  # the next page's is another
        (clicked(1), links(5, "News", url="http://a/other"), 1),  # the same words lead elsewhere there
    ],
)
def test_what_was_done_belongs_to_the_element_that_stands_there_now(
    step: PastStep, page: Observation, element_id: int
) -> None:
    (now,) = rejoined((step,), page)
    assert getattr(now.action, "element_id", None) == element_id
    assert rejoined((now,), page) == (now,)


def test_what_needs_no_element_stays_as_it_was() -> None:
    waited = PastStep(action=Wait(), page_changed=False, from_url=HOME)
    assert rejoined((waited,), links(1, "News")) == (waited,)


def test_a_link_to_its_own_page_dies_though_each_click_brings_new_elements() -> None:
    """A3"""
    agent = DecisionAgent(EmbeddedModel(), offered=("click",))
    clicks = [agent.step(links(n, "News", "Other", goal="Read the news")).action for n in (1, 5, 9)]
    assert clicks == [Click(element_id=1), Click(element_id=5), Click(element_id=10)]
