import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.agent import AgentStep
from agent.plan import PLAN_SCHEMA, PROGRESS_SCHEMA
from agent.planner import PlannerAgent
from agent.react import ReActAgent
from browser.actions import CORE_ACTIONS, Click, check_action
from browser.observation import Box, InteractiveElement, Observation
from llm.chat import ChatError, ChatRequest, CostLimitReached
from llm.scripted import ScriptedChat

MakePage = Callable[..., Observation]
PLAN = json.dumps({"steps": ["Fill in the name", "Send it"]})
OTHER = json.dumps({"steps": ["Try the menu"]})


def click(element_id: int = 1) -> str:
    return json.dumps({"reason": "r", "action": {"type": "click", "element_id": element_id}})


def judged(word: str) -> str:
    return json.dumps({"current_step": word})


class Run:
    """A planner on a script, with what each of its steps came to."""

    def __init__(self, *answers: str | Exception) -> None:
        self.model = ScriptedChat(answers)
        self.agent = PlannerAgent(ReActAgent(self.model, name="planner"))
        self.agent.reset()

    def step(self, observation: Observation) -> AgentStep:
        step = self.agent.step(observation)
        self.kinds = [kind(request) for request in self.model.requests[-len(step.calls) :]] if step.calls else []
        return step

    def question(self, back: int = 1) -> str:
        return self.model.requests[-back].messages[1].content.split("</page>\n\n")[1]


def kind(request: ChatRequest) -> str:
    return {json.dumps(PLAN_SCHEMA): "plan", json.dumps(PROGRESS_SCHEMA): "progress"}.get(
        json.dumps(request.json_schema), "action"
    )


def test_the_first_step_plans_and_acts_with_the_plan_in_sight(page: MakePage) -> None:
    run = Run(PLAN, click())
    step = run.step(page())
    assert (step.action, run.kinds, len(step.calls)) == (Click(element_id=1), ["plan", "action"], 2)
    assert step.plan is not None
    assert [planned.text for planned in step.plan.steps] == ["Fill in the name", "Send it"]
    assert run.question() == (
        "Plan:\n1. Fill in the name\n2. Send it\nCompleted: none\nCurrent: 1. Fill in the name\n"
        "What is the next action?"
    )
    assert step.decide_ms > 0


def test_all_questions_about_a_page_differ_only_at_their_end(page: MakePage) -> None:
    run = Run(PLAN, click(), judged("open"), click())
    run.step(page("a"))
    run.step(page("b"))
    for first, second in ((0, 1), (2, 3)):
        before = [run.model.requests[n].messages[1].content.split("</page>")[0] for n in (first, second)]
        assert before[0] == before[1]
    assert len({request.messages[0] for request in run.model.requests}) == 1


@pytest.mark.parametrize(
    ("word", "completed", "current"), [("done", 1, "2. Send it"), ("open", 0, "1. Fill in the name")]
)
def test_a_change_of_the_page_asks_for_progress(page: MakePage, word: str, completed: int, current: str) -> None:
    run = Run(PLAN, click(), judged(word), click(2))
    run.step(page("a"))
    step = run.step(page("b"))
    assert run.kinds == ["progress", "action"]
    assert step.plan is not None
    assert step.plan.completed == completed
    assert f"Current: {current}" in run.question()


def test_no_change_asks_nothing_and_a_second_one_plans_anew(page: MakePage) -> None:
    run = Run(PLAN, click(), click(), OTHER, click(2), click(2))
    run.step(page("a"))
    run.step(page("a"))
    assert run.kinds == ["action"]
    step = run.step(page("a"))
    assert run.kinds == ["plan", "action"]
    assert "This plan does not work out: the last two actions changed nothing.\nPlan:\n1. Fill in" in run.question(2)
    assert step.plan is not None
    assert [planned.text for planned in step.plan.steps] == ["Try the menu"]
    run.step(page("a"))
    assert run.kinds == ["action"], "what was before the new plan does not speak against it"


def test_an_action_that_failed_plans_anew(page: MakePage) -> None:
    run = Run(PLAN, click(), OTHER, click())
    run.step(page("a"))
    run.step(page("b", last_action_error="It is covered."))
    assert run.kinds == ["plan", "action"]
    assert "does not work out: the last action failed." in run.question(2)


def test_an_impossible_step_plans_anew(page: MakePage) -> None:
    run = Run(PLAN, click(), judged("impossible"), OTHER, click())
    run.step(page("a"))
    run.step(page("b"))
    assert run.kinds == ["progress", "plan", "action"]
    assert "its current step is impossible" in run.question(2)


def test_a_plan_that_is_worked_off_is_not_judged_again(page: MakePage) -> None:
    run = Run(OTHER, click(), judged("done"), click(), click())
    run.step(page("a"))
    run.step(page("b"))
    run.step(page("c"))
    assert run.kinds == ["action"]
    assert "Current: none is left" in run.question()


def test_a_new_episode_has_a_new_plan(page: MakePage) -> None:
    run = Run(PLAN, click(), OTHER, click(), PLAN, click())
    run.step(page("a"))
    run.agent.reset()
    run.step(page("b"))
    assert run.kinds == ["plan", "action"]
    run.step(page("c", goal="Another goal"))
    assert run.kinds == ["plan", "action"]


def test_a_plan_that_cannot_be_had_ends_the_episode(page: MakePage) -> None:
    step = Run("no", "no").step(page())
    assert (step.action, step.end, step.plan, len(step.calls)) == (None, "bad_output", None, 2)
    assert step.reason.startswith("The plan: No sound answer: Not JSON")
    run = Run(PLAN, CostLimitReached("Spent.", "episode"))
    step = run.step(page())
    assert (step.end, len(step.calls)) == ("cost_limit", 1)
    assert step.plan is not None


def test_an_endpoint_that_fails_late_tells_of_the_calls_before(page: MakePage) -> None:
    run = Run(PLAN, "no", ChatError("It is down."))
    with pytest.raises(ChatError) as caught:
        run.step(page())
    assert len(caught.value.calls) == 2


def test_its_config_says_what_it_is() -> None:
    agent = PlannerAgent(ReActAgent(ScriptedChat([], name="m"), observation_mode="axtree"))
    assert (agent.name, agent.config["agent"], agent.config["model"]) == ("planner", "planner", "m")
    assert agent.observation_mode == "axtree"


BOX = Box(x=0, y=0, width=10, height=10)
PAGE = Observation(
    goal="g", url="u", title="t", elements=(InteractiveElement(id=1, role="button", name="Go", box=BOX),)
)
ANSWERS = st.sampled_from([PLAN, OTHER, click(), click(7), judged("done"), judged("impossible"), "", "{}"]) | st.text()


@given(
    answers=st.lists(ANSWERS, min_size=12, max_size=12), keys=st.lists(st.sampled_from("ab"), min_size=3, max_size=3)
)
def test_whatever_a_model_answers_only_a_valid_action_is_taken(answers: list[str], keys: list[str]) -> None:
    run = Run(*answers, *[""] * 12)
    for key in keys:
        step = run.step(PAGE.model_copy(update={"page_key": key}))
        if step.action is None:
            assert step.end == "bad_output"
            return
        check_action(step.action, PAGE, CORE_ACTIONS)
