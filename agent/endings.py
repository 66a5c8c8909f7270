"""How a decision agent stops without an action: why, and what a person can do about it (rule E2). Knows no model."""

from agent.agent import AgentStep, WithoutText
from agent.decided import DecidedTick
from agent.guards import Advice
from agent.history import BLOCK_CHARS, one_line
from agent.prompt import NEXT_BLOCKED, NEXT_CREDENTIAL, NEXT_LOOP, NEXT_NOTHING, NEXT_TEXT, NEXT_UNUSABLE
from agent.state import named
from agent.tick import Tick
from llm.decision import DecisionError


def loop_end(advice: Advice) -> AgentStep:
    """Return the end of a run that repeats itself."""
    return AgentStep(action=None, end="loop", reason=advice.stop or advice.note, next_action=NEXT_LOOP)


def nothing_to_do(undecided: DecidedTick) -> AgentStep:
    """Return the end on a page without candidates."""
    reason = "Nothing on this page can be acted on."
    return AgentStep(action=None, end="blocked", reason=reason, next_action=NEXT_NOTHING, decided=undecided)


def unusable(undecided: DecidedTick, error: DecisionError) -> AgentStep:
    """Return the end where a decision model's answers were of no use; its calls are charged."""
    reason = f"No usable decision: {error}"
    return AgentStep(
        action=None, end="blocked", reason=reason, next_action=NEXT_UNUSABLE, calls=error.calls, decided=undecided
    )


def blocked(step: AgentStep, tick: Tick) -> AgentStep:
    """Return a step whose decision was BLOCKED, with what the model saw and what to do next."""
    where = one_line(tick.observation.url, BLOCK_CHARS)
    reason = f"BLOCKED: the decision model finds nothing at {where} that brings the goal nearer."
    if tick.observation.last_action_error:
        reason += f" The last action failed: {one_line(tick.observation.last_action_error, BLOCK_CHARS)}"
    missing = step.detail.without_text if step.detail else ()
    return step.model_copy(update={"end": "blocked", "reason": reason, "next_action": _next(tick, missing)})


def _next(tick: Tick, missing: tuple[WithoutText, ...]) -> str:
    if any(field.why == "refused_credential" for field in missing):
        return NEXT_CREDENTIAL
    field = tick.observation.element(missing[0].element_id) if missing else None
    return NEXT_TEXT.format(field=named(field)) if field else NEXT_BLOCKED
