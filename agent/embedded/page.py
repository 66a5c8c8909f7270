"""One page as the features read it: each element's words, its context, its kind. Tokenised once per tick."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from agent.candidates import is_slider
from agent.embedded.goal import GoalView
from agent.embedded.labels import label_of, label_stems
from agent.embedded.words import confirms, holds, normal, quantity, stem, stems, tokens, year_and_month
from agent.places import lies_in
from agent.values import word_set
from browser.observation import InteractiveElement, Observation

_BOXES = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})
_BUTTONS = frozenset({"button", "link", "generic", "img", "menuitem"})
# What only its class words describe.
_ICONS = frozenset({"generic", "img"})
# Icons of these classes send off what was written beside them.
_SUBMIT_HINTS = frozenset({"send", "submit"})
# A submit control is named by a word or two; a longer text that begins with such a word is content.
_SUBMIT_NAME_WORDS = 3
_CANCEL_WORDS = frozenset({"cancel", "close", "no", "dismiss", "x", "×", "later", "back", "exit"})
_NEXT_WORDS = frozenset({"next", ">", "»", "→", "›", "next page"})
_PREVIOUS_WORDS = frozenset({"prev", "previous", "<", "«", "←", "‹", "previous page"})
_OPENER_HINTS = frozenset(
    stem(word) for word in word_set("expand expandable hitarea more menu ellipsis dropdown toggle folder select")
)
_OPENER_NAMES = frozenset({"more", "menu", "show more", "expand", "▾", "▼", "+", "..."})
# Fewer nameless rows than this are no series.
_MANY_ROWS = 5


@dataclass(frozen=True)
class Row:
    """An element with its words."""

    element: InteractiveElement
    index: int
    name: str
    """Normalised for whole comparison."""
    name_stems: frozenset[str]
    hint_stems: frozenset[str]
    context: str
    """The text of its group, else the text before it; lower case."""
    context_stems: frozenset[str]
    label: str
    """For fields: name, placeholder or the text before."""
    label_stems: frozenset[str]

    @cached_property
    def is_field(self) -> bool:
        """Text can be typed into it now."""
        e = self.element
        return e.editable and not e.readonly and not e.disabled and e.covered_by is None

    @cached_property
    def is_box(self) -> bool:
        return self.element.role in _BOXES

    @cached_property
    def is_slider(self) -> bool:
        return is_slider(self.element)

    @cached_property
    def is_submit(self) -> bool:
        """A control that confirms: named by a submit word with little beside it, or an icon of such a class."""
        e = self.element
        if e.role not in _BUTTONS:
            return False
        words = tokens(e.name)
        if len(words) <= _SUBMIT_NAME_WORDS and confirms(words) and not self.is_cancel:
            return e.role == "button" or e.tag == "input" or words[0] in ("submit", "ok", "search", "send")
        return e.input_type == "submit" or (not e.name and bool(self.hint_stems & _SUBMIT_HINTS))

    @cached_property
    def is_cancel(self) -> bool:
        """A control that closes or declines."""
        if self.name:
            return self.name in _CANCEL_WORDS
        return bool(self.hint_stems & {"clos", "cancel", "dismiss"})

    @cached_property
    def is_next(self) -> bool:
        return self._leads(_NEXT_WORDS)

    @cached_property
    def is_previous(self) -> bool:
        return self._leads(_PREVIOUS_WORDS)

    def _leads(self, words: frozenset[str]) -> bool:
        # A player's menu has them too, and no pages.
        said = self.name in words or (not self.name and bool(self.hint_stems & words))
        return said and self.element.role != "menuitem"

    @cached_property
    def is_opener(self) -> bool:
        """A control that uncovers more of the page: a collapsed part, another tab, a menu, a folder."""
        e = self.element
        if e.role == "tab":
            return e.selected is not True and e.expanded is not True
        named_or_icon = self.name in _OPENER_NAMES or (e.role in _ICONS and bool(self.hint_stems & _OPENER_HINTS))
        return e.expanded is False or e.has_popup or named_or_icon

    @property
    def kin(self) -> tuple[str, str, str]:
        """What is the same for elements that are alike but for their words and state: state follows the first word of
        a class."""
        e = self.element
        return e.role, e.tag, (e.shape or "") if e.role == "graphic" else e.hint.partition(" ")[0]

    @property
    def group(self) -> tuple[str, str, str | None]:
        """Elements that are alike but for their words."""
        e = self.element
        return e.role, e.tag, e.shape if e.role == "graphic" else e.hint


@dataclass(frozen=True)
class PageView:
    """A goal and a page, tokenised, with counts that say how rare a word is on it."""

    goal: GoalView
    observation: Observation
    rows: tuple[Row, ...]
    name_counts: dict[str, int]
    """In how many names a stem stands."""
    hint_counts: dict[str, int]
    """In how many kinds of class words a stem stands."""
    context_counts: dict[str, int]
    """In how many different contexts a stem stands."""
    contexts: int
    text: str
    """All visible text and names, lower case."""

    @cached_property
    def common_hints(self) -> frozenset[str]:
        """Stems of class words that more than half of the many nameless rows share: they tell none from the others."""
        hints = [row.hint_stems for row in self.rows if not row.name]
        counts = _counts(hints)
        return frozenset(s for s, n in counts.items() if 2 * n > len(hints) >= _MANY_ROWS)

    @cached_property
    def by_id(self) -> dict[int, Row]:
        return {row.element.id: row for row in self.rows}

    @cached_property
    def fields(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.is_field)

    @cached_property
    def submits(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.is_submit and not row.element.disabled)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of all visible text and names."""
        return frozenset(stems(self.text))

    def shows(self, text: str) -> bool:
        """Tell whether a lower-case text stands on the page as a whole, or is the class word of an icon."""
        return holds(self.text, text) or any(stem(text) in row.hint_stems for row in self.rows if not row.name)

    @cached_property
    def shown_number(self) -> float | None:
        """The last number that stands in the page's text outside controls."""
        amounts = [quantity(block.text) for block in self.observation.texts]
        return next((amount for amount in reversed(amounts) if amount is not None), None)

    @cached_property
    def month(self) -> tuple[int, int] | None:
        """Year and month of the calendar on the page; None without one."""
        heads = (year_and_month(block.text) for block in self.observation.texts)
        return next((head for head in heads if head), None)

    @cached_property
    def has_dialog(self) -> bool:
        """Something lies over controls, and there is a way to close it."""
        covered = any(row.element.covered_by for row in self.rows)
        return covered and any(row.is_cancel and row.element.covered_by is None for row in self.rows)

    def texts_before(self, row: Row) -> str:
        """Return the page text between the element before a row and the row."""
        return " ".join(block.text for block in self.observation.texts if block.position == row.index)


def read_page(observation: Observation, goal: GoalView) -> PageView:
    """Return the page, tokenised."""
    elements = [_own(observation.elements, i) for i in range(len(observation.elements))]
    texts = frozenset(normal(block.text) for block in observation.texts)
    rows = tuple(_row(element, i, texts) for i, element in enumerate(elements))
    contexts = {row.context: row.context_stems for row in rows}
    parts = [block.text for block in observation.texts]
    parts += [e.name for e in observation.elements] + [o.label for e in observation.elements for o in e.options]
    return PageView(
        goal=goal,
        observation=observation,
        rows=rows,
        name_counts=_counts(row.name_stems for row in rows),
        hint_counts=_counts({row.element.hint: row.hint_stems for row in rows}.values()),
        context_counts=_counts(contexts.values()),
        contexts=len(contexts),
        text="\n".join(parts).lower(),
    )


def _own(elements: tuple[InteractiveElement, ...], index: int) -> InteractiveElement:
    """Return an element, without its name where that only repeats the controls inside it: those are what it names."""
    outer = elements[index]
    inside = takewhile(lambda inner: lies_in(inner.box, outer.box), elements[index + 1 :])
    repeated = normal(" ".join(inner.name for inner in inside))
    return outer.model_copy(update={"name": ""}) if repeated and repeated == normal(outer.name) else outer


def _row(element: InteractiveElement, index: int, texts: frozenset[str]) -> Row:
    context = element.scope or element.before
    label = label_of(element, texts) if element.editable or element.tag == "select" else ""
    return Row(
        element=element,
        index=index,
        name=normal(element.name),
        name_stems=frozenset(stems(element.name)),
        hint_stems=frozenset(stems(element.hint)),
        context=context.lower(),
        context_stems=frozenset(stems(context)),
        label=normal(label),
        label_stems=label_stems(label),
    )


def _counts(groups: Iterable[frozenset[str]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for group in groups:
        for word in group:
            counts[word] = counts.get(word, 0) + 1
    return counts
