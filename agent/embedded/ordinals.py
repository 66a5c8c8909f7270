"""Elements counted: "the 2nd checkbox", "the last link", the n-th entry of a list that is shown in pages."""

from collections.abc import Callable

from agent.embedded.goal import Ordinal
from agent.embedded.page import PageView, Row
from agent.embedded.progress import Progress
from agent.embedded.reference import Found, Reference
from agent.embedded.words import stem

_ROLE_WORDS: dict[str, Callable[[Row], bool]] = {
    "button": lambda row: row.element.role == "button",
    "link": lambda row: row.element.role == "link" or row.element.tag == "a",
    "checkbox": lambda row: row.element.role == "checkbox",
    "radio": lambda row: row.element.role == "radio",
    "textbox": lambda row: row.element.editable,
    "text": lambda row: row.element.editable and row.element.tag != "textarea",
    "input": lambda row: row.element.editable,
    "field": lambda row: row.element.editable,
    "textarea": lambda row: row.element.tag == "textarea",
    "slider": lambda row: row.is_slider,
    "tab": lambda row: row.element.role == "tab",
    "dropdown": lambda row: row.element.role in ("combobox", "listbox"),
    "icon": lambda row: not row.element.name and bool(row.element.hint),
    "image": lambda row: row.element.role == "img",
    "option": lambda row: row.element.role in ("option", "radio"),
    "result": lambda row: row.element.role == "link" and not _is_pager(row),
}
ROLE_WORDS = {stem(word): test for word, test in _ROLE_WORDS.items()}


def _is_pager(row: Row) -> bool:
    return row.is_next or row.is_previous or row.name.isdecimal()


def by_ordinal(view: PageView, progress: Progress) -> Found:
    for ordinal in view.goal.ordinals:
        pairs = [one + other for one, other in zip(ordinal.stems, ordinal.stems[1:], strict=False)]
        noun = next((s for s in (*pairs, *ordinal.stems) if s in ROLE_WORDS), None)
        if noun is None:
            continue
        alike = [row for row in view.rows if ROLE_WORDS[noun](row)]
        if noun == stem("result"):
            yield from _on_pages(view, progress, ordinal, alike)
            continue
        position = ordinal.n - 1 if ordinal.n > 0 else len(alike) - 1
        if 0 <= position < len(alike):
            yield alike[position], Reference("ordinal", ordinal.start)


def _on_pages(view: PageView, progress: Progress, ordinal: Ordinal, shown: list[Row]) -> Found:
    """The n-th of a list that is shown in pages of equal length, or the control that leads to its page."""
    if not shown:
        return
    page, place = divmod(ordinal.n - 1, len(shown))
    if page + 1 == progress.page_number:
        yield shown[place], Reference("ordinal", ordinal.start)
        return
    pagers = [row for row in view.rows if row.name == str(page + 1) and row.element.role == "link"]
    pagers = pagers or [row for row in view.rows if row.is_next]
    yield from ((row, Reference("ordinal", ordinal.start)) for row in pagers[:1])
