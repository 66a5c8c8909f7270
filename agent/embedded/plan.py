"""What the goal still wants of this page, and whether what it names is here at all."""

from dataclasses import dataclass

from agent.embedded.calendar import holds_date, is_date_field
from agent.embedded.goal import STRONG_KINDS, GoalView
from agent.embedded.marks import quoted_elsewhere
from agent.embedded.page import PageView, Row
from agent.embedded.progress import Progress, is_done
from agent.embedded.reference import COUNTED_KINDS, References
from agent.embedded.words import normal, quantity
from agent.embedded.written import is_a_text


@dataclass(frozen=True)
class Plan:
    """The open work of a tick."""

    open: frozenset[int]
    """Indexes of rows the goal refers to that are not done."""
    pending: int
    """How much of that stands before the confirming control in the goal."""
    fields: int
    """Fields to fill, options to choose, sliders to move."""
    first: int
    """Where in the goal the first open thing stands; -1 where there is none."""
    missing_at: int
    """Where in the goal something is named that is nowhere on the page; -1 for none."""
    work_at: int
    """Where in the goal stands what is still to be typed or scrolled to; -1 for nothing."""
    condition: bool | None
    """Whether the number shown is as the goal demands; None where it demands nothing or nothing is shown."""

    @property
    def missing(self) -> bool:
        return self.missing_at >= 0

    @property
    def is_ready(self) -> bool:
        return not self.pending and not self.fields and self.condition is not False


def make_plan(view: PageView, progress: Progress, references: References, fields: int) -> Plan:
    """Return what is open, given how many fields still want a text."""
    open_rows = _open_rows(view, progress, references)
    # A goal that begins with the word ("Order one of ...") says what it is about, not when to confirm.
    confirm = [r.start for row in view.submits for r in references.get(row.index, ()) if r.start > 0]
    limit = min(confirm, default=len(view.goal.text))
    starts = [min(r.start for r in references[index]) for index in open_rows]
    work = fields + _open_options(view) + _open_sliders(view) + _open_dates(view) + _open_scrolls(view)
    return Plan(
        open=open_rows,
        pending=sum(start < limit for start in starts),
        fields=work,
        first=min(starts, default=-1),
        missing_at=-1 if work else _missing_at(view, progress),
        work_at=_work_at(view, progress) if work else -1,
        condition=_condition(view),
    )


def _open_rows(view: PageView, progress: Progress, references: References) -> frozenset[int]:
    closed = _closed_kinds(view, progress, references)
    return frozenset(
        index
        for index, found in references.items()
        if any(r.kind not in closed for r in found)
        and _is_work(view.rows[index])
        and (not is_done(view.rows[index], progress) or any(r.kind == "several" for r in found))
    )


def _is_work(row: Row) -> bool:
    return not (row.is_submit or row.is_field or row.element.disabled or row.element.tag == "select" or row.is_slider)


def _closed_kinds(view: PageView, progress: Progress, references: References) -> frozenset[str]:
    """Return the kinds of references of which enough elements are done: one, as many as the goal says, or all."""
    done: dict[str, int] = {}
    for index, found in references.items():
        if is_done(view.rows[index], progress):
            for reference in found:
                done[reference.kind] = done.get(reference.kind, 0) + 1
    return frozenset(kind for kind, count in done.items() if kind in COUNTED_KINDS and count >= view.goal.limit)


def _open_options(view: PageView) -> int:
    """Return how many selects have an option that the goal names and that is not chosen."""
    found = 0
    for row in view.rows:
        named = [option.selected for option in row.element.options if names_option(view.goal, option.label)]
        # One choice is enough unless the list takes several.
        found += bool(named) and not (all(named) if row.element.multiple else any(named))
    return found


def names_option(goal: GoalView, label: str) -> bool:
    """Tell whether the goal names an option whole."""
    name = normal(label)
    return name in goal.quoted or (any(c.isalnum() for c in name) and goal.find(name) >= 0)


def sliders(view: PageView) -> list[tuple[Row, float, float]]:
    """Return each slider that the goal gives a number for, with where it stands and that number."""
    rows = [row for row in view.rows if row.is_slider]
    numbers = view.goal.numbers[: len(rows)] if len(view.goal.numbers) >= len(rows) else ()
    found = []
    for row, wanted in zip(rows, numbers, strict=False):
        current = quantity(row.element.value or row.element.after)
        if current is not None:
            found.append((row, current, wanted))
    return found


def _open_sliders(view: PageView) -> int:
    return sum(current != wanted for _, current, wanted in sliders(view))


def _open_dates(view: PageView) -> int:
    date = view.goal.date
    return sum(date is not None and is_date_field(row) and not holds_date(row, date) for row in view.rows)


def scroll_asked(goal: GoalView) -> str:
    """Return the direction in which the goal says to scroll, or an empty text."""
    if not goal.has("scroll"):
        return ""
    if goal.has("bottom", "down", "end"):
        return "down"
    return "up" if goal.has("top", "up") else ""


def _open_scrolls(view: PageView) -> int:
    return int(scroll_asked(view.goal) in view.observation.can_scroll)


def _work_at(view: PageView, progress: Progress) -> int:
    """Return where in the goal the first text stands that is still to be typed, or the word to scroll; -1 for none."""
    left = frozenset(unused_values(view, progress)) if view.goal.asks_typing else frozenset()
    starts = [v.start for v in view.goal.values if v.text in left]
    if _open_scrolls(view):
        starts += [word.start for word in view.goal.words if word.text == "scroll"]
    return min(starts, default=-1)


def _condition(view: PageView) -> bool | None:
    condition = view.goal.condition
    if condition is None:
        return None
    return view.shown_number is not None and condition.holds(view.shown_number)


def _missing_at(view: PageView, progress: Progress) -> int:
    """Return where in the goal something to find is named that is nowhere on the page and was not met; -1 for none."""
    goal = view.goal
    met = {normal(text) for text in progress.typed_texts} | {name for _, name in progress.clicked_names}
    kinds = ("capitalised", "choice") if goal.has("dropdown", "menu", "list") else ("capitalised",)
    sought = [(text, start) for text, start in goal.quoted.items() if not view.shows(text)] or [
        (v.text.lower(), v.start) for v in goal.values if v.kind in kinds
    ]
    unseen = [
        start
        for text, start in sought
        if not view.shows(text)
        and start not in goal.receivers | goal.said
        and not is_a_text(goal.text, goal.words, start)
        and not any(text in name for name in met)
    ]
    unseen += quoted_elsewhere(view, progress)
    return min(unseen, default=-1) if not goal.affixes else -1


def unused_values(view: PageView, progress: Progress) -> list[str]:
    """Return the strong values of the goal that no field holds, that were not typed and that name no control."""
    goal = view.goal
    emptied = {i for i in progress.typed if i in view.by_id and not view.by_id[i].element.filled}
    held = {e.value for e in view.observation.elements if e.value}
    held |= {text for i, text in progress.typed.items() if i not in emptied} | progress.sent
    names = {row.name for row in view.rows if not row.is_field} | {name for _, name in progress.clicked_names}
    ends = {part for kind, part in goal.affixes if kind != "start"}
    return [
        v.text
        for v in goal.values
        if v.kind in STRONG_KINDS and v.text not in held and normal(v.text) not in names and v.text.lower() not in ends
    ]
