"""The element that took another's place: B1's rule of who it is."""

import pytest

from browser.observation import Box, InteractiveElement
from browser.refound import refound


def element(id_, role="button", name="Go", scope="", frame="", tag="button"):
    box = Box(x=0, y=0, width=1, height=1)
    return InteractiveElement(id=id_, role=role, name=name, scope=scope, frame=frame, tag=tag, box=box)


@pytest.mark.parametrize(
    ("lost", "now", "found"),
    [
        (element(1), [element(7)], 7),
        (element(1), [element(7), element(8, name="Stop")], 7),
        (element(1), [element(7, role="link")], None),
        (element(1), [element(7, frame="inner")], None),
        (element(1), [element(7, tag="div")], None),
        (element(1), [element(7), element(8)], None),
        (element(1, scope="Bob"), [element(7, scope="Ada"), element(8, scope="Bob")], 8),
        (element(1, scope="Bob"), [element(7, scope="Bob"), element(8, scope="Bob")], None),
        (element(1, name=""), [element(7, name="")], None),
        (element(1), [], None),
    ],
)
def test_b1_one_of_the_same_role_and_name_or_none(lost, now, found):
    again = refound(lost, now)
    assert (again.id if again else None) == found
