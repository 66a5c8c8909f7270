"""An element found again by role and name where ids are new: policy rule R2."""

import pytest

from benchmark.decisions.fingerprints import NEAR_PX, Verdict, find_again
from browser.observation import Box, InteractiveElement, Observation


def button(id: int, name: str, x: int = 0) -> InteractiveElement:
    return InteractiveElement(id=id, role="button", name=name, box=Box(x=x, y=0, width=10, height=10))


def page(*elements: InteractiveElement) -> Observation:
    return Observation(goal="", url="", title="", elements=elements)


OWN = page(button(1, "Go"), button(2, "Stop", x=100))


@pytest.mark.parametrize(
    ("other", "verdict", "element_id"),
    [
        (page(button(7, "Go")), "ok", 7),
        (page(button(7, "Go", x=NEAR_PX)), "ok", 7),
        (page(button(7, "Go", x=NEAR_PX + 1)), "moved", 7),
        (page(button(1, "Went")), "changed", None),
        (page(), "changed", None),
        (page(button(7, "Go", x=50), button(8, "Go", x=90)), "ambiguous", None),
        (page(button(7, "Go"), button(8, "Go")), "ambiguous", None),
        (page(button(7, "Go", x=50), button(8, "Go")), "ok", 8),
        (None, "error", None),
    ],
)
def test_an_element_in_another_page(other: Observation | None, verdict: Verdict, element_id: int | None) -> None:
    """R2"""
    assert find_again(1, OWN, other) == (verdict, element_id)


def test_an_element_that_its_own_page_lacks_is_an_error() -> None:
    assert find_again(3, OWN, OWN).verdict == "error"


def test_another_role_is_another_element() -> None:
    link = InteractiveElement(id=1, role="link", name="Go", box=Box(x=0, y=0, width=10, height=10))
    assert find_again(1, OWN, page(link)).verdict == "changed"
