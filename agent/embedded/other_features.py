"""Features of choosing an option, pressing a key, scrolling, waiting and finishing."""

from agent.embedded.goal import GENERIC_STEMS
from agent.embedded.menu import next_key
from agent.embedded.page import PageView, Row
from agent.embedded.plan import Plan, names_option, scroll_asked, sliders
from agent.embedded.progress import Progress
from agent.embedded.words import stems
from agent.tick import Candidate

_UP_KEYS = frozenset({"ArrowRight", "ArrowUp", "PageUp", "End"})
_PAGE_KEYS = frozenset({"PageUp", "PageDown"})
# How many pages a slider has from end to end, as far as can be told without trying.
_PAGES = 5
# From here a page key brings a slider nearer whatever its range, and back from the start is less than half the way.
_FAR, _VERY_FAR = 5, 10
_SEVERAL = 3


def select_features(candidate: Candidate, row: Row, view: PageView, progress: Progress) -> dict[str, float]:
    """Return the named features of choosing an option."""
    goal, label = view.goal, candidate.value or ""
    words = frozenset(stems(label)) - GENERIC_STEMS
    named = names_option(goal, label)
    return {
        "select": 1.0,
        "select_named": float(named),
        "select_words": len(words & goal.stems) / len(words) if words and not named else 0.0,
        "select_label": float(bool(row.label_stems & goal.stems)),
        "select_again": float(row.element.id in progress.selected and not row.element.multiple),
    }


def press_features(candidate: Candidate, row: Row, view: PageView, progress: Progress, plan: Plan) -> dict[str, float]:
    """Return the named features of pressing a key on an element."""
    out = {"press": 1.0}
    if row.element.role == "menuitem":
        return out | {"press_menu": float(next_key(view, progress) == candidate.value)}
    if row.is_slider:
        return out | _slider_features(candidate, row, view, progress)
    ours = row.element.id in progress.typed
    out["press_enter"] = float(ours and not view.submits and plan.is_ready)
    return out


_OPPOSITE = {"PageUp": "PageDown", "PageDown": "PageUp"}


def _slider_features(candidate: Candidate, row: Row, view: PageView, progress: Progress) -> dict[str, float]:
    asked = sliders(view)
    found = next(((current, wanted) for slider, current, wanted in asked if slider is row), None)
    if found is None:
        return {}
    current, wanted = found
    gap, key = wanted - current, candidate.value or ""
    if gap == 0 or (key in _UP_KEYS) != (gap > 0):
        return {"slider_away": 1.0}
    # The range is not told; it holds at least what is shown and asked for.
    largest = max(abs(number) for _, *numbers in asked for number in numbers)
    page = largest / _PAGES
    pressed = progress.pressed.get(row.element.id, ())
    if key == "Home":
        nearer = -gap >= _VERY_FAR and wanted >= 0 and 1 + _presses(wanted, page) < _presses(-gap, page)
        return {"slider_home": float(nearer and "Home" not in pressed)}
    if key == "End":
        # The largest of several numbers is near the end of a range that they share.
        nearer = gap >= _VERY_FAR and len(asked) >= _SEVERAL and wanted >= largest
        return {"slider_end": float(nearer and "End" not in pressed)}
    if key in _PAGE_KEYS:
        nearer = abs(gap) >= _FAR or 2 + abs(abs(gap) - page) <= abs(gap)
        return {"slider_page": float(nearer and _OPPOSITE[key] not in pressed)}
    return {"slider_step": float(key.startswith("Arrow"))}


def _presses(gap: float, page: float) -> float:
    """Return about how many presses a gap takes with pages and single steps."""
    pages, rest = divmod(gap, max(page, 1.0))
    return pages + min(rest, 1 + page - rest)


def page_features(candidate: Candidate, view: PageView, progress: Progress, plan: Plan) -> dict[str, float]:
    """Return the named features of what needs no element."""
    match candidate.operation:
        case "WAIT":
            again = progress.last_was == "wait" and plan.condition is not False
            return {"wait": 1.0, "wait_again": float(again), "wait_until": float(plan.condition is False)}
        case "GO_BACK":
            return {"go_back": 1.0}
        case "PRESS":
            return {"press": 1.0, "press_escape": 1.0}
        case "DONE":
            ready = plan.is_ready and not plan.missing and progress.last is not None
            open_names = {(view.rows[i].element.role, view.rows[i].name) for i in plan.open}
            sent = ready and open_names <= progress.clicked_names and bool(progress.sent)
            return {"done": 1.0, "done_ready": float(ready), "done_sent": float(sent)}
        case "BLOCKED":
            return {"blocked": 1.0}
    direction, asked = candidate.operation.removeprefix("SCROLL_").lower(), scroll_asked(view.goal)
    return {
        "scroll": 1.0,
        "scroll_asked": float(direction == asked),
        "scroll_away": float(bool(asked) and direction != asked),
        "scroll_missing": float(plan.missing and direction == "down"),
    }
