"""The element that took another's place: pages draw a list anew, and its buttons are new nodes with new ids.

Knows no page. Rule B1 of the policy.
"""

from collections.abc import Sequence

from browser.observation import InteractiveElement


def refound(lost: InteractiveElement, elements: Sequence[InteractiveElement]) -> InteractiveElement | None:
    """Return the one element that has the role, name, tag and frame of the lost one, and its scope where several have.

    None where there is none, or no way to tell which: what a person would have to guess is not guessed.
    """
    if not lost.name:
        return None
    alike = [e for e in elements if _looks(e) == _looks(lost)]
    if len(alike) > 1:
        alike = [e for e in alike if e.scope and e.scope == lost.scope]
    return alike[0] if len(alike) == 1 else None


def _looks(element: InteractiveElement) -> tuple[str, str, str, str]:
    return element.role, element.name, element.tag, element.frame
