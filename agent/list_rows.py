"""The rows of a list that the page shows as one element. Knows neither models nor benchmarks."""

from typing import NamedTuple

from agent.places import Point, lies_in
from browser.observation import InteractiveElement, Observation

# Rows of a list that are lower or higher than this are no single lines of text.
_ROW_PX = (12.0, 60.0)


class ListRow(NamedTuple):
    """One row of a list that the page shows as a single element."""

    text: str
    middle: Point


def list_rows(element: InteractiveElement, observation: Observation) -> list[ListRow]:
    """Return the rows of a list whose items are no elements of their own: its name is their words, one a row.

    Returns [] for a list with elements inside, and where the words do not fill it as single lines would.
    """
    words = element.name.split()
    if element.role not in ("list", "listbox") or len(words) < 2:
        return []
    if any(lies_in(e.box, element.box) for e in observation.elements if e is not element):
        return []
    height = element.box.height / len(words)
    if not _ROW_PX[0] <= height <= _ROW_PX[1]:
        return []
    x = element.box.width // 2
    return [ListRow(word, (x, round(height * (i + 0.5)))) for i, word in enumerate(words)]
