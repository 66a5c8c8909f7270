"""Quoted names that end with a mark: without it the word is another name, as long as more of the page can be opened."""

from agent.embedded.page import PageView
from agent.embedded.progress import Progress
from agent.embedded.words import normal


def quoted_elsewhere(view: PageView, progress: Progress) -> frozenset[int]:
    """Return where in the goal names begin that the page shows only without their mark, while parts are unopened."""
    found = set()
    for name in view.goal.marked:
        like = [row.element.name.strip() for row in view.rows if row.name == normal(name)]
        if like and name not in like:
            found.add(view.goal.quoted[normal(name)])
    if not found or not any(row.is_opener and row.element.id not in progress.clicks for row in view.rows):
        return frozenset()
    return frozenset(found)
