"""What a candidate's operation and value are, as numbers: the kind of text, where the goal says it, which key."""

from typing import get_args

from agent.embedded.facts_of_element import share
from agent.embedded.goal import GENERIC_STEMS
from agent.embedded.page import PageView
from agent.embedded.progress import Progress
from agent.embedded.words import normal, stems
from agent.tick import Candidate, Operation

OPERATIONS: tuple[str, ...] = get_args(Operation)
KINDS = (
    "quoted", "labelled", "email", "url", "handle", "date", "time", "named", "number", "capitalised", "choice",
    "phrase", "token", "page_text", "page_value",
)  # fmt: skip
KEYS = ("Enter", "Escape", "ArrowRight", "ArrowLeft", "PageUp", "PageDown", "Home", "End")
VALUE_FACTS: tuple[str, ...] = (
    *(f"do_{operation}" for operation in OPERATIONS),
    *(f"text_{kind}" for kind in KINDS), "text_computed", "text_other",
    *(f"key_{key}" for key in KEYS), "key_other",
    "value_length", "value_words", "value_at", "value_turn", "value_typed", "value_held", "value_control",
    "value_digits", "value_said", "value_share", "value_quoted", "value_place",
    "to_share", "to_quoted", "to_number", "move_right", "move_down",
)  # fmt: skip

Facts = dict[str, float]
_LONG, _WORDS = 20, 5
# Pixels that are a long way on a page.
_FAR = 100


class ValueReader:
    """Describes the candidates of one tick by their operation and value."""

    def __init__(self, view: PageView, progress: Progress) -> None:
        self._view, self._progress = view, progress
        self._starts = {value.text: value.start for value in view.goal.values}
        self._turns = {text: n for n, text in enumerate(sorted(self._starts, key=self._starts.__getitem__))}
        self._held = frozenset(row.element.value for row in view.rows if row.element.value)
        self._names = frozenset(row.name for row in view.rows if not row.is_field)

    def facts(self, candidate: Candidate) -> Facts:
        """Return the facts of a candidate's operation and value by name; what is left out is 0."""
        facts = {f"do_{candidate.operation}": 1.0} | self._target(candidate)
        value = candidate.value
        if value is None:
            return facts
        if candidate.operation in ("PRESS", "KEYS"):
            return facts | {f"key_{value}" if value in KEYS else "key_other": 1.0}
        if candidate.operation == "TYPE":
            facts |= {_kind(candidate.value_kind or ""): 1.0} | self._turn(value)
        return facts | self._text(value) | self._place(candidate)

    def _target(self, candidate: Candidate) -> Facts:
        """Where a drag leads to."""
        facts = {}
        row = self._view.by_id.get(candidate.to_element_id or 0)
        if row is not None:
            goal = self._view.goal
            facts["to_share"] = share(row.name_stems, goal.all_stems | goal.quoted_stems)
            facts["to_quoted"] = float(row.name in goal.quoted)
            facts["to_number"] = float(row.name.isdecimal())
        if candidate.by is not None:
            right, down = candidate.by
            facts["move_right"], facts["move_down"] = (max(-1.0, min(1.0, d / _FAR)) for d in (right, down))
        return facts

    def _turn(self, value: str) -> Facts:
        start = self._starts.get(value, -1)
        if start < 0:
            return {}
        return {
            "value_at": start / max(1, len(self._view.goal.text)),
            "value_turn": self._turns[value] / max(1, len(self._turns)),
        }

    def _text(self, value: str) -> Facts:
        goal, name = self._view.goal, normal(value)
        words = frozenset(stems(value)) - GENERIC_STEMS
        return {
            "value_length": min(1.0, len(value) / _LONG),
            "value_words": min(1.0, len(words) / _WORDS),
            "value_typed": float(value in self._progress.typed_texts),
            "value_held": float(value in self._held),
            "value_control": float(name in self._names),
            "value_digits": float(value.isdecimal()),
            "value_said": float(goal.find(name) >= 0),
            "value_share": share(words, goal.all_stems),
            "value_quoted": float(name in goal.quoted),
        }

    def _place(self, candidate: Candidate) -> Facts:
        """Where an option stands in its list."""
        row = self._view.by_id.get(candidate.element_id or 0)
        labels = [option.label for option in row.element.options] if row is not None else []
        return {"value_place": labels.index(candidate.value) / len(labels)} if candidate.value in labels else {}


def _kind(kind: str) -> str:
    if kind.startswith("computed_"):
        return "text_computed"
    return f"text_{kind}" if kind in KINDS else "text_other"
