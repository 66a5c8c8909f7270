"""Three in a row: which cell of a board of nine to take. Knows the game, no page and no weights."""

from agent.embedded.page import PageView, Row
from agent.embedded.progress import Progress

_LINES = (
    (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6),
)  # fmt: skip
# What a line is worth to whom takes a free cell of it, by how many cells of it are ours and theirs: to win comes before
# to stop the other, and that before to prepare two lines at once.
_WORTH = {(2, 0): 1000, (0, 2): 100, (1, 0): 4, (0, 1): 2, (0, 0): 1}


def board_of_nine(view: PageView) -> list[Row]:
    """Return nine equal cells that stand in three rows and columns, row by row; [] where the page has none."""
    for row in view.rows:
        cells = [r for r in view.rows if r.element.tag == row.element.tag and _size(r) == _size(row)]
        columns, lines = {r.element.box.x for r in cells}, {r.element.box.y for r in cells}
        if len(cells) == 9 and len(columns) == len(lines) == 3:
            return sorted(cells, key=lambda r: (r.element.box.y, r.element.box.x))
    return []


def _size(row: Row) -> tuple[int, int]:
    return row.element.box.width, row.element.box.height


def best_cell(view: PageView, progress: Progress) -> Row | None:
    """Return the cell to take where the goal is to win a game on such a board; None elsewhere.

    What was clicked with effect is ours. A free cell says least of itself; what says more is theirs.
    """
    if not (view.goal.has("win") and view.goal.has("game", "play")):
        return None
    cells = board_of_nine(view)
    if not cells:
        return None
    least = min(_said(cell) for cell in cells)
    marks = [1 if c.element.id in progress.effective else -1 if _said(c) > least else 0 for c in cells]
    free = [i for i, mark in enumerate(marks) if not mark]
    if not free or (len(free) == len(cells) and progress.last is not None):
        return None
    return cells[max(free, key=lambda i: (_value(marks, i), -i))]


def _said(cell: Row) -> int:
    return len(cell.element.name) + len(cell.element.hint)


def _value(marks: list[int], cell: int) -> int:
    lines = [[marks[i] for i in line] for line in _LINES if cell in line]
    return sum(_WORTH.get((line.count(1), line.count(-1)), 0) for line in lines)
