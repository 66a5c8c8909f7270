"""How a decision came about, for the record: its probabilities, its runners-up, and the fields without a text."""

from agent.agent import Choice, DecisionDetail, WithoutText
from agent.decision_model import Decision
from agent.questions import describe
from agent.tick import Tick

# Alternatives kept in a record: enough to see a near miss, few enough to read.
RUNNERS_UP = 5


def decision_detail(decision: Decision, tick: Tick, missing: tuple[WithoutText, ...]) -> DecisionDetail:
    """Return the detail of a decision; `missing` are the fields that had no text."""
    chosen = decision.candidate
    source = chosen.text_source
    if chosen.operation != "TYPE" and missing:
        source = missing[0].why
    return DecisionDetail(
        operation=chosen.operation,
        operation_probability=decision.operation_probability,
        target_probability=decision.target_probability,
        text_source=source,
        without_text=missing,
        runners_up=tuple(
            Choice(label=describe(other.candidate, tick.observation), probability=other.probability)
            for other in decision.runners_up[:RUNNERS_UP]
        ),
        candidates=len(tick.candidates),
        left_out=decision.left_out,
    )
