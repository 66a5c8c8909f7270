"""Counters with a plus beside what they count: how many of what the goal wants. Knows no weights."""

from agent.embedded.goal import MANY
from agent.embedded.page import PageView, Row
from agent.embedded.progress import Progress
from agent.embedded.reference import Found, Reference
from agent.embedded.words import kinds, meanings, stem, stems, tokens

_PLUS = meanings("plus") | meanings("add")
# A shorter word that another begins with is seldom what that is about.
_PART = 4


def beside(view: PageView) -> Found:
    """The plus of a counter beside a text that the goal names."""
    for row, text in _counters(view):
        start = view.goal.find(text) if len(text) > 2 else -1
        if start >= 0:
            yield row, Reference("beside", start)


def several(view: PageView, progress: Progress) -> Found:
    """The plus to press next where the goal wants a number of things of a kind: "3 items that are vegan"."""
    if not 1 < view.goal.limit < MANY:
        return
    counters = _counters(view)
    pressed = sum(progress.clicks.get(row.element.id, 0) for row, _ in counters)
    if pressed >= view.goal.limit or any(view.goal.find(text) >= 0 for _, text in counters if len(text) > 2):
        return
    fits = [(_fits(text, view.goal.stems), row) for row, text in counters]
    best = max((fit for fit, _ in fits), default=0)
    # One of each first, then more of them.
    meant = [row for fit, row in fits if fit == best > 0]
    fewest = min((progress.clicks.get(row.element.id, 0) for row in meant), default=0)
    start = min((word.start for word in view.goal.words if word.stem in view.goal.stems), default=0)
    for row in meant:
        if progress.clicks.get(row.element.id, 0) == fewest:
            yield row, Reference("several", start)


def _counters(view: PageView) -> list[tuple[Row, str]]:
    """Return each plus with the last words before it, in lower case: a count may stand between."""
    found = []
    for row in view.rows:
        if row.name == "+" or (not row.name and row.hint_stems & _PLUS):
            before = (b.text for b in reversed(view.observation.texts) if b.position <= row.index)
            text = next((text for text in before if any(c.isalpha() for c in text)), row.element.before)
            found.append((row, text.lower().strip(" :")))
    return found


def _fits(text: str, wanted: frozenset[str]) -> int:
    """Return how many words of a text are, or are of the kind of, what is wanted, or begin with it."""
    roots = frozenset(stems(text))
    of_kind = roots & frozenset().union(*(kinds(s) | meanings(s) for s in wanted))
    longer = {word for word in tokens(text) for s in wanted if len(s) >= _PART and word.startswith(s)}
    return len(of_kind | {stem(word) for word in longer})
