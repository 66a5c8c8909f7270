"""E2: a run that stops says why, and what a person can do about it."""

from collections.abc import Callable

import pytest

from agent.decision import DecisionAgent
from agent.decision_model import WireModel
from agent.prompt import NEXT_BLOCKED, NEXT_CREDENTIAL, NEXT_NOTHING, NEXT_UNUSABLE
from browser.observation import Box, InteractiveElement, Observation
from llm.scripted import Script, ScriptedDecisions

MakePage = Callable[..., Observation]
BOX = Box(x=0, y=0, width=10, height=10)
GO = InteractiveElement(id=1, role="button", name="Go", box=BOX)
FIELD = InteractiveElement(id=2, role="textbox", name="Reply", editable=True, box=BOX)
SECRET = FIELD.model_copy(update={"credential": True})
BLOCKED: Script = {"operation": "BLOCKED"}


@pytest.mark.parametrize(
    ("elements", "answers", "reason", "next_action"),
    [
        ((GO,), [BLOCKED], "BLOCKED: the decision model finds nothing at http://127.0.0.1:8000/login", NEXT_BLOCKED),
        ((GO, SECRET), [BLOCKED], "BLOCKED", NEXT_CREDENTIAL),
        ((GO, FIELD), [BLOCKED], "BLOCKED", 'Say in the goal, in quotes, what goes into textbox "Reply"'),
        ((GO,), [{"operation": "NO"}, {"operation": "NO"}], "No usable decision", NEXT_UNUSABLE),
    ],
    ids=["nothing helps", "credential", "no text", "unusable"],
)
def test_a_blocked_run_says_why_and_what_to_do(
    page: MakePage, elements: tuple[InteractiveElement, ...], answers: list[Script], reason: str, next_action: str
) -> None:
    """E2"""
    step = DecisionAgent(WireModel(ScriptedDecisions(answers))).step(page(goal="Do it", elements=elements))
    assert (step.action, step.end) == (None, "blocked")
    assert reason in step.reason
    assert next_action in step.next_action


def test_a_page_with_nothing_on_it_is_blocked_with_what_to_do(page: MakePage) -> None:
    step = DecisionAgent(WireModel(ScriptedDecisions([])), ("click",)).step(page(elements=()))
    assert (step.end, step.next_action) == ("blocked", NEXT_NOTHING)


def test_the_last_error_is_part_of_the_reason(page: MakePage) -> None:
    step = DecisionAgent(WireModel(ScriptedDecisions([BLOCKED]))).step(page(last_action_error="It is\ncovered."))
    assert step.reason.endswith("The last action failed: It is covered.")
