import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.agent import Plan, PlanStep
from agent.parser import ParseError
from agent.plan import STEP_CHARS, STEPS_LIMIT, parse_plan, parse_progress, plan_text

PLAN = Plan(steps=(PlanStep(text="Open the list"), PlanStep(text="Choose Ada"), PlanStep(text="Submit")))


def test_a_plan_is_read_as_it_was_written() -> None:
    assert parse_plan('{"steps": ["Open  the\\nlist", "Choose Ada", "Submit"]}') == PLAN


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "empty"),
        ("Open the list", "Not JSON"),
        ('["Open"]', 'the one key "steps"'),
        ('{"steps": ["a"], "goal": "b"}', 'the one key "steps"'),
        ('{"steps": "a"}', "must be a list of strings"),
        ('{"steps": [1]}', "must be a list of strings"),
        ('{"steps": []}', f"1 to {STEPS_LIMIT} sentences"),
        ('{"steps": ["a", " "]}', "none of them empty"),
        (json.dumps({"steps": ["a"] * (STEPS_LIMIT + 1)}), f"1 to {STEPS_LIMIT}"),
        (json.dumps({"steps": ["a", "b" * (STEP_CHARS + 1)]}), "Step 2 is longer"),
        ('{"steps": ["\\ud800"]}', "half of a surrogate pair"),
        ('{"steps": ["a"], "steps": ["b"]}', "there twice"),
    ],
)
def test_anything_else_is_refused_with_a_reason(text: str, part: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_plan(text)
    assert part in str(caught.value)
    assert '"action"' not in str(caught.value), "the shape of another answer"


@pytest.mark.parametrize("word", ["done", "open", "impossible"])
def test_progress_is_one_of_three_words(word: str) -> None:
    assert parse_progress(json.dumps({"current_step": word})) == word


@pytest.mark.parametrize("text", ['{"current_step": "Done"}', '{"current_step": null}', '"done"', "{}", "done"])
def test_any_other_word_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match="current_step"):
        parse_progress(text)


def test_a_plan_shows_what_is_completed_and_what_is_current() -> None:
    steps = "Plan:\n1. Open the list\n2. Choose Ada\n3. Submit\n"
    assert plan_text(PLAN) == steps + "Completed: none\nCurrent: 1. Open the list"
    assert plan_text(PLAN.advanced().advanced()) == steps + "Completed: 1, 2\nCurrent: 3. Submit"
    done = PLAN.advanced().advanced().advanced()
    assert done.current is None
    assert done.advanced() == done
    assert plan_text(done) == steps + "Completed: 1, 2, 3\nCurrent: none is left; do what the goal still lacks"


@given(text=st.text() | st.dictionaries(st.just("steps"), st.lists(st.text())).map(json.dumps))
def test_whatever_a_model_writes_a_plan_is_bounded(text: str) -> None:
    try:
        plan = parse_plan(text)
    except ParseError:
        return
    assert 1 <= len(plan.steps) <= STEPS_LIMIT
    assert len(plan_text(plan).splitlines()) == len(plan.steps) + 3
    plan_text(plan).encode()
