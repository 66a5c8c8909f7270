"""Elements known by what stands around them: the group that a goal names, a label or a text before them."""

from collections.abc import Callable

from agent.embedded.page import PageView, Row
from agent.embedded.reference import Found, Reference
from agent.embedded.words import holds, meanings, stems


def by_context(view: PageView) -> Found:
    """Nameless or repeated controls of a row, post or group that the goal names: "Share" on a post by @jess."""
    entities = _entities(view)
    if not entities or view.contexts < 2:
        return
    says = _speaker(view)
    for row in view.rows:
        if row.name in entities or row.is_field or row.is_cancel or not says(row):
            continue
        start = _named_group(row, entities)
        if start >= 0:
            yield row, Reference("in_context", start)


def is_in_named_group(row: Row, view: PageView) -> bool:
    """Tell whether a row stands in a row, post or group that the goal names."""
    return _named_group(row, _entities(view)) >= 0


def _named_group(row: Row, entities: dict[str, int]) -> int:
    """Return where in the goal the group of a row is named; -1 where it is not."""
    return next((start for text, start in entities.items() if holds(row.context, text)), -1)


def _entities(view: PageView) -> dict[str, int]:
    """Return the names a goal gives to rows or groups, lower case, with where they stand."""
    kinds = ("handle", "capitalised", "named", "quoted")
    return {v.text.lower(): v.start for v in view.goal.values if v.kind in kinds and len(v.text) > 1}


def _speaker(view: PageView) -> Callable[[Row], bool]:
    """Return a test whether an element's own words, name or class, mean something the goal says.

    A synonym counts only where no element of the page says the word itself, and a class that half of the icons
    share says nothing.
    """
    goal = view.goal
    spoken = goal.stems | goal.quoted_words
    hints = [row.hint_stems for row in view.rows if not row.name]
    common = frozenset(s for s in frozenset().union(*hints) if 2 * sum(s in h for h in hints) > len(hints) > 1)
    said = frozenset(s for h in hints for s in h - common if s in spoken)
    unsaid = spoken - said

    def says(row: Row) -> bool:
        if row.name:
            return row.name in goal.quoted or bool(row.name_stems) and row.name_stems <= goal.stems
        telling = row.hint_stems - common
        return bool(telling & spoken) or any(meanings(s) & unsaid for s in telling)

    return says


def labelled(view: PageView) -> Found:
    """What stands after a label that the goal says: "their address" is what follows "Address:"."""
    for row in view.rows:
        before = view.texts_before(row).strip()
        words = frozenset(stems(before)) if before.endswith(":") and not row.is_field else frozenset()
        if row.name and words and words <= view.goal.stems:
            start = min(word.start for word in view.goal.words if word.stem in words)
            yield row, Reference("labelled", start)
