"""Features of what pointer and keys do beyond clicking and typing: does the goal want this drag, place or chord?"""

from agent.embedded.page import PageView, Row
from agent.embedded.plan import Plan
from agent.embedded.progress import Progress
from agent.embedded.reference import References
from agent.embedded.wishes import Wishes
from agent.tick import Candidate

# Ways in which a goal means an element by what it says, and not by what shares a word with it.
_MEANT = frozenset({"quoted", "named", "ordinal", "described", "extreme", "in_context"})


def gesture_features(
    index: int,
    candidate: Candidate,
    row: Row,
    view: PageView,
    progress: Progress,
    references: References,
    plan: Plan,
    wishes: Wishes,
) -> dict[str, float]:
    """Return the named features of the tick's candidate of this index, a gesture on a row."""
    match candidate.operation:
        case "HOVER":
            return {
                "hover": 1.0,
                "hover_missing": float(plan.missing and not _was_hovered(row, progress)),
                "hover_path": float(_is_path_parent(row, view) and not _was_hovered(row, progress)),
            }
        case "DOUBLE_CLICK":
            meant = any(r.kind in _MEANT for r in references.get(row.index, ()))
            return {"double": 1.0, "double_meant": float(meant and row.element.id not in progress.gestured)}
        case "SCROLL_IN":
            asked = view.goal.has("scroll") and view.goal.has(
                candidate.value or "", *_SCROLL_WORDS[candidate.value or ""]
            )
            return {"scroll_in": 1.0, "scroll_in_asked": float(asked), "scroll_in_missing": float(plan.missing)}
    wanted = wishes.wanted.get(index, 0.0)
    return {
        "gesture": 1.0,
        "gesture_wanted": float(wanted > 0),
        "gesture_next": float(wanted == 1.0),
        "gesture_again": float(row.element.id in progress.gestured and wanted == 0),
    }


def _is_path_parent(row: Row, view: PageView) -> bool:
    """Tell whether the goal names this on the way to something inside it: "File > Open"."""
    start = view.goal.find(row.name) if row.name and (row.element.has_popup or row.is_opener) else -1
    return start >= 0 and view.goal.text[start + len(row.name) :].lstrip(" \"'").startswith((">", "›", "→"))


_SCROLL_WORDS = {"down": ("bottom", "end"), "up": ("top", "beginning"), "": ()}


def _was_hovered(row: Row, progress: Progress) -> bool:
    return row.element.id in progress.gestured or row.element.expanded is True


def without_handled(references: References, view: PageView, wishes: Wishes) -> References:
    """Return the references without those to what is dragged or drawn on: it is not to be clicked."""
    if not wishes.handled:
        return references
    held = [row for row in view.rows if row.element.id in wishes.handled]
    drawing = any(row.element.role == "graphic" or row.element.shape for row in held)
    kept = [row for row in view.rows if row not in held and not (drawing and row.element.role == "graphic")]
    return {row.index: references[row.index] for row in kept if row.index in references}


def handled_features(row: Row, view: PageView, progress: Progress, wishes: Wishes) -> dict[str, float]:
    """Return the named features of clicking a row where gestures are to be made."""
    return {
        "click_path": float(wishes.opens and _is_path_parent(row, view) and not _was_hovered(row, progress)),
        "click_handled": float(row.element.id in wishes.handled),
        "click_selecting": float(wishes.selecting),
    }
