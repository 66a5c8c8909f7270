"""What agents say, in the form that the evaluator takes, by rules that know no task."""

import json

import pytest
from pydantic import JsonValue

from agent.agent import AgentEnd, AgentStep
from benchmark.webarena.answer import UNDONE, answer_rules, says_impossible, verified_answer
from browser.actions import Click, Finish

GIVEN: JsonValue = {"task_type": "NAVIGATE", "status": "SUCCESS", "retrieved_data": None, "error_details": None}


def retrieved(status: str, data: JsonValue, why: str | None = None) -> JsonValue:
    return {"task_type": "RETRIEVE", "status": status, "retrieved_data": data, "error_details": why}


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        (json.dumps(GIVEN), GIVEN),
        (f"```json\n{json.dumps(GIVEN)}\n```", GIVEN),
        ('{"answer": 12}', {"answer": 12}),  # wrong, and the agent's own
        ("12 euros", retrieved("SUCCESS", ["12 euros"])),
        ("[12]", retrieved("SUCCESS", ["[12]"])),
        ("{12", retrieved("SUCCESS", ["{12"])),
        (" N/A ", retrieved("NOT_FOUND_ERROR", None, UNDONE)),
        ("", {"task_type": "MUTATE", "status": "SUCCESS", "retrieved_data": None, "error_details": None}),
    ],
)
def test_a_message_becomes_an_answer(message: str, answer: JsonValue) -> None:
    assert verified_answer(AgentStep(action=Finish(message=message))) == answer


@pytest.mark.parametrize(
    ("end", "answer"),
    [
        ("infeasible_reported", retrieved("NOT_FOUND_ERROR", None, "no such shop")),
        ("blocked", None),
        ("loop", None),
        ("bad_output", None),
    ],
)
def test_an_end_without_an_action_answers_only_where_it_says_so(end: AgentEnd, answer: JsonValue) -> None:
    assert verified_answer(AgentStep(action=None, end=end, reason="no such shop")) == answer


def test_an_episode_that_ran_out_has_no_answer() -> None:
    assert verified_answer(AgentStep(action=Click(element_id=1))) is None
    assert verified_answer(None) is None


@pytest.mark.parametrize(
    ("answer", "impossible"),
    [
        (retrieved("NOT_FOUND_ERROR", None), True),
        ({"status": "action_not_allowed_error"}, True),
        (retrieved("SUCCESS", ["NOT_FOUND_ERROR"]), False),
        (retrieved("UNKNOWN_ERROR", None), False),
        ({"answer": 12}, False),
        (None, False),
    ],
)
def test_an_answer_may_say_that_the_task_cannot_be_done(answer: JsonValue, impossible: bool) -> None:
    assert says_impossible(answer) is impossible


def test_the_rules_hold_the_schema_whole() -> None:
    schema: dict[str, JsonValue] = {"type": "object", "required": ["status"]}
    assert json.loads(answer_rules(schema).splitlines()[1]) == schema
