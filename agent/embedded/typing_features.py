"""Features of typing a text into a field: does the field want this text, and does the text want this field?"""

from agent.embedded.goal import STRONG_KINDS, GoalView
from agent.embedded.page import PageView, Row
from agent.embedded.plan import unused_values
from agent.embedded.progress import Progress, is_done
from agent.embedded.reference import References
from agent.embedded.references import fits_affixes
from agent.embedded.words import normal, stem, tokens
from agent.restyling import RESTYLED
from agent.tick import Candidate
from agent.values import TextValue

# How far before and after a value its label may stand, in words that are not articles.
_BEFORE, _AFTER = 4, 3
_AFTER_WEIGHT = 0.8
_DECAY = 0.4
_INTRODUCTION = 2
_ARTICLES = frozenset({"the", "a", "an", "as", "is", "of"})
_RECEIVER = stem("to")
_BREAKS = frozenset({"and", "then"})
_REPEAT_LABELS = ("verify", "confirm", "repeat", "again")
_EVERY_FIELD = ("both", "all", "each", "every")
_FITTING_KINDS = {"date": ("date",), "time": ("time",), "number": ("number", "quoted"), "email": ("email", "quoted")}
# Above this a label and a value belong together.
_LABELLED = 0.5


def typing_features(
    candidates: list[Candidate], view: PageView, progress: Progress, references: References
) -> list[dict[str, float]]:
    """Return the named features of each TYPE candidate."""
    values = {value.text: value for value in view.goal.values}
    pairs = [(view.by_id[c.element_id or 0], values.get(c.value or "") or _elsewhere(c)) for c in candidates]
    windows = {v.text: label_window(view.goal, v) if v.start >= 0 else [] for _, v in pairs}
    labels = [label_score(value, windows[value.text], row) for row, value in pairs]
    best: dict[str, float] = {}
    for (_, value), label in zip(pairs, labels, strict=True):
        best[value.text] = max(best.get(value.text, 0.0), label)
    form = _Form(view, progress, references)
    styled = _is_styled(view, progress, references)
    return [
        {"type": 1.0, "type_restyled": float(styled and row.element.id not in progress.typed)}
        if value.kind == RESTYLED
        else _label_features(row, value, label, best[value.text], view)
        | form.field_features(row, candidate)
        | form.value_features(row, value, candidate)
        for candidate, (row, value), label in zip(candidates, pairs, labels, strict=True)
    ]


def _is_styled(view: PageView, progress: Progress, references: References) -> bool:
    """Tell whether the style that the goal wants is chosen: something was clicked for it, and nothing is left."""
    kinds = ("style", "described")
    meant = [view.rows[i] for i, found in references.items() if any(r.kind in kinds for r in found)]
    return bool(progress.effective) and all(is_done(row, progress) for row in meant)


def _elsewhere(candidate: Candidate) -> TextValue:
    """Return a candidate's text as a value that stands nowhere in the goal."""
    source, kind = candidate.text_source or "page_value", candidate.value_kind or ""
    field_id = candidate.element_id if kind == "page_value" else None
    return TextValue(text=candidate.value or "", source=source, kind=kind, field_id=field_id)


def _label_features(row: Row, value: TextValue, label: float, best: float, view: PageView) -> dict[str, float]:
    out = {"type_label": label, "type_other_field": max(0.0, best - label)}
    if value.kind in ("token", "phrase"):
        out["type_token_shown"] = float(any(stem(word) in view.stems for word in tokens(value.text)))
    return out


class _Form:
    """The fields of a page and what is in them, found once for all TYPE candidates of a tick."""

    def __init__(self, view: PageView, progress: Progress, references: References) -> None:
        self.view, self.progress = view, progress
        self.unused = unused_values(view, progress)
        self.names = {row.name for row in view.rows if not row.is_field} | {n for _, n in progress.clicked_names}
        self.empty = [row for row in view.fields if not row.element.filled]
        self.ordinal = {i for i, found in references.items() if any(r.kind == "ordinal" for r in found)}
        self.holders = {row.element.value: row.index for row in view.rows if row.element.value}

    def field_features(self, row: Row, candidate: Candidate) -> dict[str, float]:
        e, typed = row.element, row.element.id in self.progress.typed
        kind = candidate.value_kind or ""
        fitting = _FITTING_KINDS.get(e.input_type or "", ())
        fits = kind in fitting or kind.startswith("computed_")
        out = {
            "type_filled": float(bool(e.filled) and not typed and e.tag == "input"),
            "type_filled_area": float(bool(e.filled) and not typed and e.tag != "input"),
            "type_again": float(bool(e.filled) and typed),
            "type_guess": float(kind == "computed_guess" and bool(e.filled) and typed),
            "type_retry": float(not e.filled and typed),
            "type_first_empty": float(bool(self.empty) and self.empty[0] is row),
            "type_last_empty": float(len(self.empty) == 1 and self.empty[0] is row and bool(self.progress.typed)),
            "type_form_fits": float(bool(fitting) and fits),
            "type_form_misfits": float(bool(fitting) and not fits),
        }
        others = {other.index for other in self.view.fields} & self.ordinal
        if kind != "page_text" and others:
            out["type_ordinal" if row.index in self.ordinal else "type_ordinal_other"] = 1.0
        return out

    def value_features(self, row: Row, value: TextValue, candidate: Candidate) -> dict[str, float]:
        goal, text = self.view.goal, candidate.value or ""
        out = {
            "type": 1.0,
            _kind_feature(value.kind): 1.0,
            "type_sent": float(text in self.progress.sent | self.progress.searched and text not in self.holders),
            "type_control_name": float(normal(value.text) in self.names),
            "type_first_value": float(bool(self.unused) and self.unused[0] == value.text),
            "type_no_request": float(not goal.asks_typing),
        }
        used = value.kind != "page_text" and text in self.holders
        out["type_used"] = float(used and not _repeats(goal, row))
        if value.kind == "page_text" and goal.ordinals:
            out["type_from_ordinal"] = float(self.holders.get(text, -1) in self.ordinal)
        return out


def _kind_feature(kind: str) -> str:
    if kind.startswith("computed_"):
        return "type_computed"
    return f"type_{kind}" if kind else "type_written"


def _repeats(goal: GoalView, row: Row) -> bool:
    """Tell whether one text belongs into several fields: the goal says both, or this field asks to repeat."""
    return goal.has(*_EVERY_FIELD) or any(word in row.label for word in _REPEAT_LABELS)


Window = list[tuple[str, float]]
"""Stems of the goal's words around a value, each with how much it counts as the value's label."""


def label_window(goal: GoalView, value: TextValue) -> Window:
    """Return the words that may be a value's label: 1 for the word before it, less the further away."""
    words = [word for word in goal.words if word.text not in _ARTICLES]
    end = value.start + len(value.text)
    before = [word for word in words if word.start < value.start][-_BEFORE:]
    window = [(word.stem, 1 / (1 + _DECAY * distance)) for distance, word in enumerate(reversed(before))]
    introductions = _introductions(goal, value)
    for distance, word in enumerate([word for word in words if word.start >= end][:_AFTER]):
        if word.text in _BREAKS or word.start in introductions or "," in goal.text[end : word.start]:
            break
        window.append((word.stem, _AFTER_WEIGHT / (1 + _DECAY * distance)))
    if not goal.receivers:
        return window
    # Who gets it is known; "the mail Ada sent to me" does not say that Ada does.
    return [(_RECEIVER, 1.0)] if value.start in goal.receivers else [part for part in window if part[0] != _RECEIVER]


def label_score(value: TextValue, window: Window, row: Row) -> float:
    """Return how near, in the goal, a value stands to a word of the field's label: 1 beside it, 0 far or never."""
    if value.field_id is not None:
        return 1.0
    return max((weight for word, weight in window if word in row.label_stems), default=0.0)


def _introductions(goal: GoalView, value: TextValue) -> frozenset[int]:
    """Return where the words stand that introduce another value: "directed by Potts" says nothing of a text before."""
    others = [v.start for v in goal.values if v.kind in STRONG_KINDS and v.start > value.start]
    found: set[int] = set()
    for start in others:
        found.update([word.start for word in goal.words if word.start < start][-_INTRODUCTION:])
    return frozenset(found)


def wanted_fields(
    candidates: list[Candidate], features: list[dict[str, float]], view: PageView, progress: Progress
) -> int:
    """Return how many fields the goal has a text for: those whose label it gives, else as many as it has texts."""
    goal = view.goal
    if any(c.value_kind == RESTYLED and c.element_id not in progress.typed for c in candidates):
        return 1
    if not goal.asks_typing:
        return 0
    if goal.affixes:
        held = [row.element.value or "" for row in view.fields]
        return int(bool(held) and not any(fits_affixes(text, goal.affixes) for text in held))
    empty = {row.element.id for row in view.fields if not row.element.filled}
    preset = {row.element.id for row in view.fields if row.element.tag == "input"} - empty - progress.typed.keys()
    open_fields = empty or preset
    pairs = [(c, f) for c, f in zip(candidates, features, strict=True) if c.element_id in open_fields]
    fresh = [(c, f) for c, f in pairs if not (f["type_used"] or f["type_sent"])]
    labelled = {c.element_id for c, f in fresh if f["type_label"] > _LABELLED}
    found_elsewhere = any((c.value_kind or "").startswith(("computed", "page")) for c, _ in pairs)
    repeated = goal.has(*_EVERY_FIELD) and bool(progress.typed)
    leftover = (
        len(empty) == 1 and len(view.fields) > len(empty) and any(f.get("type_token_shown") == 0 for _, f in pairs)
    )
    texts = len(unused_values(view, progress)) + found_elsewhere + repeated + leftover
    return max(len(labelled), min(len(open_fields), texts))
