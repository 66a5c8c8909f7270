"""Quoted names that the page shows almost: with another mark or case, as long as more of the page can be opened."""

from agent.embedded.page import PageView
from agent.embedded.progress import Progress
from agent.embedded.words import normal


def quoted_elsewhere(view: PageView, progress: Progress) -> frozenset[int]:
    """Return where in the goal names begin that the page shows only without their mark, while parts are unopened.

    Where the goal says to look in such parts, a name in another case is another one too.
    """
    found = set()
    for name in view.goal.quoted_exactly if view.goal.has("tab", "section", "expand", "switch") else view.goal.marked:
        like = [row.element.name.strip() for row in view.rows if row.name == normal(name)]
        if like and name not in like:
            found.add(view.goal.quoted.get(normal(name), 0))
    if not found or not any(row.is_opener and row.element.id not in progress.clicks for row in view.rows):
        return frozenset()
    return frozenset(found)
