"""What was done so far and what is still open, as numbers: of the whole tick, and of one control in it."""

from agent.carrying_out import to_action
from agent.embedded.goal import MANY
from agent.embedded.page import PageView, Row
from agent.embedded.plan import Plan
from agent.embedded.progress import Progress, is_done
from agent.embedded.reference import References
from agent.embedded.words import quantity, stem
from agent.tick import Candidate, PastStep, Tick

LAST = ("click", "type", "select", "press", "scroll", "wait")
# What a goal may ask for, by stem: general verbs of using a page, and of saying which thing on it.
VERBS = (
    "click", "press", "enter", "type", "select", "choose", "check", "find", "search", "open", "expand", "close",
    "scroll", "copy", "delete", "reply", "forward", "send", "like", "share", "sort", "count", "solve", "guess", "buy",
    "order", "book", "login", "between", "after", "until", "same", "similar", "color", "drag", "resize", "hover",
    "highlight",
)  # fmt: skip
TICK_FACTS: tuple[str, ...] = (
    *(f"tick_last_{name}" for name in LAST), "tick_last_other",
    "tick_steps", "tick_first", "tick_changed", "tick_error", "tick_pending", "tick_fields", "tick_missing",
    "tick_ready", "tick_condition_met", "tick_condition_unmet", "tick_submits", "tick_openers", "tick_inputs",
    "tick_asks_typing", "tick_quotes", "tick_extreme", "tick_ordinal", "tick_many", "tick_limit", "tick_note",
    "tick_scrolls", "tick_dialog", "tick_elements",
)  # fmt: skip
GOAL_FACTS: tuple[str, ...] = tuple(f"goal_{verb}" for verb in VERBS)
"""Apart, because they tell one kind of task from another more than they tell what to do."""
PAST_FACTS: tuple[str, ...] = (
    "past_clicks", "past_typed", "past_is_last", "past_distance", "past_next", "past_near", "past_newer",
    "past_same_name", "past_idle", "past_done", "past_name_typed",
    "number_any", "number_said", "number_wanted", "number_rank", "number_gap",
    "meant_any", "meant_at", "meant_ways", "meant_alone", "meant_open",
)  # fmt: skip
STEP_FACTS: tuple[str, ...] = ("step_before", "step_last", "step_failed")

Facts = dict[str, float]
# More of any of these is "many".
_STEPS, _FEW, _NEAR = 10, 3, 10
_ELEMENTS = 60
_VERB_STEMS = {stem(verb): f"goal_{verb}" for verb in VERBS}


def tick_facts(tick: Tick, view: PageView, progress: Progress, plan: Plan) -> Facts:
    """Return what holds for all candidates of a tick alike."""
    goal, last = view.goal, progress.last
    done = f"tick_last_{progress.last_was}"
    facts = {name: 1.0 for root, name in _VERB_STEMS.items() if root in goal.all_stems}
    if last is not None:
        facts[done if done in TICK_FACTS else "tick_last_other"] = 1.0
    return facts | {
        "tick_steps": min(1.0, len(tick.history) / _STEPS),
        "tick_first": float(last is None),
        "tick_changed": float(last is not None and last.page_changed),
        "tick_error": float(last is not None and last.error is not None),
        "tick_pending": min(1.0, plan.pending / _FEW),
        "tick_fields": min(1.0, plan.fields / _FEW),
        "tick_missing": float(plan.missing),
        "tick_ready": float(plan.is_ready),
        "tick_condition_met": float(plan.condition is True),
        "tick_condition_unmet": float(plan.condition is False),
        "tick_submits": min(1.0, len(view.submits) / _FEW),
        "tick_openers": min(1.0, sum(row.is_opener for row in view.rows) / _FEW),
        "tick_inputs": min(1.0, len(view.fields) / _FEW),
        "tick_asks_typing": float(goal.asks_typing),
        "tick_quotes": min(1.0, len(goal.quoted) / _FEW),
        "tick_extreme": float(goal.extreme),
        "tick_ordinal": float(bool(goal.ordinals)),
        "tick_many": float(goal.limit >= MANY),
        "tick_limit": min(1.0, goal.limit / _STEPS) if goal.limit < MANY else 1.0,
        "tick_note": float(bool(tick.note)),
        "tick_scrolls": float(bool(view.observation.can_scroll)),
        "tick_dialog": float(view.has_dialog),
        "tick_elements": min(1.0, len(view.rows) / _ELEMENTS),
    }


def past_facts(row: Row, view: PageView, progress: Progress, references: References, plan: Plan) -> Facts:
    """Return what was done to one control or its like, and how the goal means it."""
    e = row.element
    facts = {
        "past_clicks": min(1.0, progress.clicks.get(e.id, 0) / _FEW),
        "past_typed": float(e.id in progress.typed),
        "past_same_name": float(bool(row.name) and (e.role, row.name) in progress.clicked_names),
        "past_idle": min(1.0, progress.idle_clicks.get(e.id, 0) / _FEW),
        "past_done": float(is_done(row, progress)),
        "past_name_typed": float(bool(row.name) and any(row.name == text.lower() for text in progress.typed_texts)),
    }
    found = references.get(row.index, ())
    if found:
        alike = sum(any(r.kind == found[0].kind for r in others) for others in references.values())
        facts |= {
            "meant_any": 1.0,
            "meant_at": max(0, min(r.start for r in found)) / max(1, len(view.goal.text)),
            "meant_ways": min(1.0, len(found) / _FEW),
            "meant_alone": 1 / alike,
            "meant_open": float(row.index in plan.open),
        }
    return facts | _since_last(row, view, progress.last)


def _since_last(row: Row, view: PageView, last: PastStep | None) -> Facts:
    """How far a control is from the one that was acted on last."""
    element_id = getattr(last.action, "element_id", None) if last else None
    if element_id is None:
        return {}
    facts = {"past_newer": float(row.element.id > element_id), "past_is_last": float(row.element.id == element_id)}
    before = view.by_id.get(element_id)
    if before is None:
        return facts
    distance = row.index - before.index
    return facts | {
        "past_distance": min(1.0, max(-1.0, distance / _NEAR)),
        "past_next": float(distance == 1),
        "past_near": 1 / (1 + abs(distance)),
    }


def number_facts(view: PageView) -> dict[int, Facts]:
    """Return by row index how the number of a control's name stands to those of its like and of the goal."""
    groups: dict[tuple[str, str, str | None], list[tuple[float, int]]] = {}
    for row in view.rows:
        amount = quantity(row.element.name) if any(c.isdecimal() for c in row.name) else None
        if amount is not None:
            groups.setdefault(row.group, []).append((amount, row.index))
    said = view.goal.numbers
    facts: dict[int, Facts] = {}
    for members in groups.values():
        ranked = sorted(amount for amount, _ in members)
        spread = max(1e-9, ranked[-1] - ranked[0])
        for amount, index in members:
            rank = ranked.index(amount) / max(1, len(ranked) - 1)
            extreme = view.goal.extreme
            best = bool(extreme) and len(ranked) > 1 and amount == (ranked[-1] if extreme > 0 else ranked[0])
            nearest = min((abs(amount - number) for number in said), default=None)
            facts[index] = {
                "number_any": 1.0,
                "number_said": float(amount in said),
                "number_wanted": float(best),
                "number_rank": rank if extreme >= 0 else 1 - rank,
                "number_gap": 0.0 if nearest is None else 1 / (1 + nearest / spread * _NEAR),
            }
    return facts


def step_facts(candidate: Candidate, history: tuple[PastStep, ...]) -> Facts:
    """Return whether exactly this was done before."""
    deed = to_action(candidate) if history else None
    same = [step for step in history if step.action == deed]
    if not same:
        return {}
    return {
        "step_before": min(1.0, len(same) / _FEW),
        "step_last": float(same[-1] is history[-1]),
        "step_failed": float(not same[-1].page_changed),
    }
