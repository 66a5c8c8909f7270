"""Whether the element that a step acted on is found again in another run's page, by role and name. Knows no browser.

Ids are given anew in each run; a role and an accessible name are what a person would look for.
"""

from typing import Literal, NamedTuple

from browser.observation import InteractiveElement, Observation

Verdict = Literal["ok", "moved", "changed", "ambiguous", "error"]
# Pixels: the same layout on another day, with a longer number in front of it, is not another place.
NEAR_PX = 8


class Found(NamedTuple):
    """What became of an element."""

    verdict: Verdict
    """ok: there, in its place; moved: there, elsewhere; changed: no element of this role and name; ambiguous: several,
    and none in its place alone; error: there is nothing to look in, or the step's own page lacks the element."""
    element_id: int | None = None
    """Its number in the other page, where it was found."""


def find_again(element_id: int, own: Observation, other: Observation | None) -> Found:
    """Return where the element of one page is in another, which is None where the other run has no such step."""
    element = own.element(element_id)
    if element is None or other is None:
        return Found("error")
    alike = [e for e in other.elements if _fingerprint(e) == _fingerprint(element)]
    in_place = [e for e in alike if _near(e, element)]
    if len(in_place) == 1:
        return Found("ok", in_place[0].id)
    if len(alike) > 1:
        return Found("ambiguous")
    return Found("moved", alike[0].id) if alike else Found("changed")


def _fingerprint(element: InteractiveElement) -> tuple[str, str]:
    return element.role, element.name


def _near(one: InteractiveElement, other: InteractiveElement) -> bool:
    return abs(one.box.x - other.box.x) <= NEAR_PX and abs(one.box.y - other.box.y) <= NEAR_PX
