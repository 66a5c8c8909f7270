"""Features of clicking: how the goal means the element, what words they share, what is to be done first."""

from agent.embedded.answers import is_true_of_number
from agent.embedded.calendar import is_date_field, leads_to
from agent.embedded.groups import is_in_named_group
from agent.embedded.ordinals import ROLE_WORDS
from agent.embedded.page import PageView, Row
from agent.embedded.plan import Plan
from agent.embedded.progress import Progress, is_done, is_renewed
from agent.embedded.reference import REPEATED_KINDS, Reference, References
from agent.embedded.words import holds, meanings, stem, tokens, undoes
from browser.actions import Type

_SILENT = 0.3
_SUGGESTION_ROLES = frozenset({"option", "listitem", "menuitem", "generic", "link"})


def click_features(
    row: Row, view: PageView, progress: Progress, references: References, plan: Plan
) -> dict[str, float]:
    """Return the named features of a click on a row."""
    found = references.get(row.index, [])
    if row.is_field and not _wants_focus(view, found):
        return {"click_field": 1.0}
    out = {f"click_{reference.kind}": reference.strength for reference in found}
    out |= _word_features(row, view, is_named=any(r.kind in ("quoted", "named") for r in found))
    out |= _state_features(row, view, progress, found, plan)
    out |= _submit_features(row, progress, found, plan)
    out |= _dialog_features(row, view, progress)
    out["click_suggestion"] = _suggestion(row, progress)
    if is_date_field(row) and any(_suggestion(other, progress) for other in view.rows):
        out["click_before_work"] = 1.0  # a suggestion goes away with the field it is for
    out["click_false"] = float(is_true_of_number(row, view) is False)
    if view.goal.date is not None:
        out["click_date_away"] = float(view.month is not None and leads_to(row, view.month, view.goal.date) < 0)
    if plan.missing:
        out |= _search_features(row, view, progress, found)
    if any(ROLE_WORDS[s](row) for s in view.goal.all_stems if s in ROLE_WORDS):
        out["click_role_word"] = 1.0
    return out


def _wants_focus(view: PageView, found: list[Reference]) -> bool:
    """Tell whether the goal wants a field clicked rather than filled."""
    return view.goal.has("focus") or any(r.kind == "role" for r in found) or not view.goal.asks_typing


def _word_features(row: Row, view: PageView, *, is_named: bool) -> dict[str, float]:
    goal = view.goal
    out: dict[str, float] = {}
    shared = row.name_stems & goal.stems
    if is_named:
        pass  # single words add nothing to the whole name
    elif shared:
        out["click_words"] = min(1.0, sum(1 / view.name_counts[s] for s in shared))
        out["click_name_share"] = len(shared) / len(row.name_stems)
    elif any(meanings(s) & goal.stems for s in row.name_stems):
        out["click_synonym"] = 1.0
    if any(quoted != row.name and holds(row.name, quoted) for quoted in goal.quoted_to_find if len(quoted) > 1):
        out["click_holds_quoted"] = 1.0
    if not row.name:
        spoken = [(meanings(s), view.hint_counts[s]) for s in row.hint_stems - view.common_hints]
        out["click_hint"] = max((1 / count for m, count in spoken if m & goal.stems), default=0.0)
        out["click_hint_quoted"] = float(any(m & goal.quoted_words for m, _ in spoken))
    if view.contexts > 1:
        context = row.context_stems & goal.stems - row.name_stems
        weight = sum(1 / view.context_counts[s] for s in context if view.context_counts[s] < view.contexts)
        # An icon that says something else than the goal is not meant by standing beside what the goal says.
        silent = (
            not row.name and bool(row.hint_stems) and not out.get("click_hint") and not out.get("click_hint_quoted")
        )
        out["click_context"] = min(1.0, weight) * (_SILENT if silent else 1.0)
    return out


def _is_unasked(row: Row, view: PageView) -> bool:
    """Tell whether a control takes something away for good, or leads out, of which the goal says nothing."""
    word = undoes(tokens(row.name)) if row.element.role in ("button", "link", "menuitem") else ""
    return bool(word) and meanings(stem(word)).isdisjoint(view.goal.all_stems)


def _state_features(
    row: Row, view: PageView, progress: Progress, found: list[Reference], plan: Plan
) -> dict[str, float]:
    e = row.element
    retry = row.index not in plan.open and plan.condition is False and bool(found) and not row.is_submit
    is_open = row.index in plan.open
    return {
        "click_open": float(is_open),
        "click_first_open": float(is_open and min(r.start for r in found) <= plan.first),
        "click_before_work": float(_is_last_step(row, found, plan)),
        "click_retry": float(_is_to_retry(row, progress, found, plan)),
        "click_early": float(is_open and plan.missing and min(r.start for r in found) > plan.missing_at),
        "click_closed": float(bool(found) and not is_open and not row.is_submit and not row.is_field and not retry),
        "click_until": float(retry),
        "click_done": float(is_done(row, progress) and not retry and not _may_repeat(row, found)),
        "click_idle": float(bool(progress.idle_clicks.get(e.id))),
        "click_idle_name": 0.0 if e.id in progress.clicks else _idle_of_name(row, progress),
        "click_same_name": float(not found and bool(row.name) and (e.role, row.name) in progress.clicked_names),
        "click_box": float(row.is_box),
        "click_drawing": float(e.shape in ("svg", "canvas")),
        "click_cancel": float(row.is_cancel),
        "click_unasked": float(_is_unasked(row, view)),
    }


# More idle clicks than this say nothing new.
_ENOUGH = 3


def _idle_of_name(row: Row, progress: Progress) -> float:
    return float(min(progress.idle_names.get((row.element.role, row.name), 0), _ENOUGH))


def _is_last_step(row: Row, found: list[Reference], plan: Plan) -> bool:
    """Tell whether a button or a date field is one that the goal says after work that is still open."""
    is_button = row.element.role == "button" and not row.is_opener and not row.is_submit
    if not found or not (is_button or is_date_field(row)):
        return False
    return 0 <= plan.work_at < min(reference.start for reference in found)


def _is_to_retry(row: Row, progress: Progress, found: list[Reference], plan: Plan) -> bool:
    """Tell whether the one thing the goal means was clicked once without effect: the page may not have been ready."""
    named = any(reference.kind in ("quoted", "named") for reference in found)
    return named and progress.idle_clicks.get(row.element.id) == 1 and not plan.open and not row.is_submit


def _may_repeat(row: Row, found: list[Reference]) -> bool:
    """Tell whether clicking again goes on and does not repeat: pagers, what leads through a calendar, counters."""
    return row.is_next or any(reference.kind in REPEATED_KINDS for reference in found)


def _submit_features(row: Row, progress: Progress, found: list[Reference], plan: Plan) -> dict[str, float]:
    if not row.is_submit:
        return {}
    clicked = row.element.id in progress.clicks or is_renewed(row, progress)
    return {
        "submit": 1.0,
        "submit_named": float(bool(found)),
        "submit_ready": float(plan.is_ready and not plan.missing and not clicked),
        "submit_too_early": float(not plan.is_ready),
        "submit_missing": float(plan.is_ready and plan.missing),
        "submit_again": float(clicked and progress.last_was == "click"),
    }


# A suggestion that holds what was typed as a word of its own, in its case, is rather meant: "Springs (HOT)" for HOT.
_EXACTLY = 1.2


def _suggestion(row: Row, progress: Progress) -> float:
    """Return how surely a row offers to complete the text just typed; 0 where it does not."""
    action = progress.last.action if progress.last else None
    if not isinstance(action, Type) or row.element.role not in _SUGGESTION_ROLES or len(action.text) < 2:
        return 0.0
    if action.text.lower() not in row.element.name.lower():
        return 0.0
    return _EXACTLY if holds(row.element.name, action.text) else 1.0


def _dialog_features(row: Row, view: PageView, progress: Progress) -> dict[str, float]:
    """A dialog that lies over the field just typed into came by itself: it is to be left without agreeing to it."""
    action = progress.last.action if progress.last else None
    field = view.by_id.get(action.element_id) if isinstance(action, Type) else None
    if not view.has_dialog or field is None or field.element.covered_by is None:
        return {}
    return {"dialog_leave": float(row.is_cancel), "dialog_agree": float(row.is_submit)}


def _search_features(row: Row, view: PageView, progress: Progress, found: list[Reference]) -> dict[str, float]:
    """The page does not show what the goal names: uncover more of it, or go where it may be."""
    if row.is_next:
        return {"open_next": 1.0}
    said = row.name_stems & view.goal.stems
    if row.element.role == "link" and said and (row.element.role, row.name) not in progress.clicked_names:
        return {"open_link": len(said) / len(row.name_stems)}
    if not row.is_opener:
        return {"open_other": float(not found)}
    there = float(is_in_named_group(row, view))
    return {"open_again" if row.element.id in progress.clicks else "open_part": 1.0, "open_there": there}
