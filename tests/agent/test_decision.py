from collections.abc import Mapping
from typing import Any

import pytest

from agent.agent import AgentStep, Choice
from agent.decision import DecisionAgent
from agent.decision_model import Decision, Ranked, WireModel
from agent.policy import Policy
from agent.prompt import NEXT_BLOCKED
from agent.tick import Candidate, Tick
from browser.actions import ActionName, Click, Finish, Type
from browser.observation import Box, InteractiveElement, Observation
from llm.decision import ChoiceQuestion, DecisionError, InvalidAnswer, ModelCall, NotADecision, Reply, Usage
from llm.scripted import Script, ScriptedDecisions

BOX = Box(x=0, y=0, width=10, height=10)
FIELD = InteractiveElement(id=2, role="textbox", name="Name", tag="input", editable=True, filled=False, box=BOX)
PAGE = Observation(
    goal='Enter "ada" and press Go',
    url="http://a/",
    title="t",
    elements=(InteractiveElement(id=1, role="button", name="Go", box=BOX), FIELD),
    page_key="k1",
)
CANDIDATES = (
    Candidate(operation="CLICK", element_id=1),
    Candidate(operation="CLICK", element_id=2),
    Candidate(operation="TYPE", element_id=2, value="ada", text_source="goal_value"),
    Candidate(operation="DONE"),
)
TICK = Tick(goal=PAGE.goal, observation=PAGE, candidates=CANDIDATES)
BAD: Script = {"operation": "NOTHING"}


def page(key: str, **changes: Any) -> Observation:
    return PAGE.model_copy(update={"page_key": key, **changes})


def agent(answers: list[Script], offered: tuple[ActionName, ...] = ("click", "type", "finish")) -> DecisionAgent:
    return DecisionAgent(WireModel(ScriptedDecisions(answers)), offered)


# The wire model


def test_the_chosen_operations_head_gives_the_candidate() -> None:
    client = ScriptedDecisions([{"operation": "CLICK", "target_CLICK": "2"}], doubt=0.2)
    decision = WireModel(client).decide(TICK)
    assert len(client.requests) == 1
    assert decision.candidate == CANDIDATES[1]
    assert decision.operation_probability == pytest.approx(0.8)
    assert decision.target_probability == pytest.approx(0.8)
    assert decision.filled_in_by_code == ("target_TYPE", "target_DONE")
    assert decision.call is not None
    assert decision.call.model == "scripted"
    assert decision.refused_calls == ()


def test_the_other_candidates_come_with_their_joint_probability_most_probable_first() -> None:
    """Q5"""
    client = ScriptedDecisions([{"operation": "CLICK", "target_CLICK": "2"}], doubt=0.2)
    decision = WireModel(client).decide(TICK)
    assert [r.candidate for r in decision.runners_up] == [CANDIDATES[0], CANDIDATES[2], CANDIDATES[3]]
    assert [r.probability for r in decision.runners_up] == pytest.approx([0.16, 0.1, 0.1])
    chosen = decision.operation_probability * decision.target_probability
    assert chosen + sum(r.probability for r in decision.runners_up) == pytest.approx(1)


def test_a_single_candidate_of_the_chosen_operation_is_certain() -> None:
    decision = WireModel(ScriptedDecisions([{"operation": "TYPE"}])).decide(TICK)
    assert (decision.candidate, decision.target_probability) == (CANDIDATES[2], 1.0)


def test_a_single_candidate_of_the_tick_is_taken_without_a_call() -> None:
    """Q2"""
    client = ScriptedDecisions([])
    decision = WireModel(client).decide(TICK.model_copy(update={"candidates": CANDIDATES[:1]}))
    assert client.requests == []
    assert (decision.candidate, decision.call) == (CANDIDATES[0], None)
    assert (decision.operation_probability, decision.target_probability) == (1.0, 1.0)
    assert decision.filled_in_by_code == ("operation", "target_CLICK")


def test_an_unusable_answer_is_asked_again_once_with_the_same_request() -> None:
    client = ScriptedDecisions([BAD, {"operation": "TYPE"}])
    decision = WireModel(client).decide(TICK)
    assert client.requests[0] == client.requests[1]
    assert decision.candidate == CANDIDATES[2]
    assert [call.cost_usd for call in decision.refused_calls] == [None]


def test_the_second_unusable_answer_is_final_and_both_calls_are_charged() -> None:
    client = ScriptedDecisions([BAD, BAD, {}])
    with pytest.raises(InvalidAnswer) as caught:
        WireModel(client).decide(TICK)
    assert len(client.requests) == 2
    assert [(call.cost_usd, call.usage) for call in caught.value.calls] == [(None, Usage())] * 2


def test_a_client_that_knows_what_a_refused_answer_cost_is_believed() -> None:
    priced = ModelCall(kind="decision", model="m-2", cost_usd=0.01, usage=Usage(input_tokens=9))

    class Client:
        name, max_options = "m", 255

        def ask(self, state: str, questions: Mapping[str, ChoiceQuestion]) -> Reply:
            raise InvalidAnswer("no", (priced,))

    with pytest.raises(InvalidAnswer) as caught:
        WireModel(Client()).decide(TICK)
    assert caught.value.calls == (priced, priced)


def test_a_fault_in_a_head_that_was_not_chosen_is_a_fault() -> None:
    bad: Script = {"operation": "DONE", "target_CLICK": None}
    with pytest.raises(InvalidAnswer):
        WireModel(ScriptedDecisions([bad, bad])).decide(TICK)


def test_a_transport_error_is_not_asked_again() -> None:
    """Q4"""
    client = ScriptedDecisions([])
    with pytest.raises(DecisionError):
        WireModel(client).decide(TICK)
    assert len(client.requests) == 1


@pytest.mark.parametrize("error", [NotADecision, DecisionError])
def test_no_answer_the_second_time_charges_the_first(error: type[DecisionError]) -> None:
    def script(state: str, questions: Mapping[str, ChoiceQuestion]) -> Script:
        if len(client.requests) == 1:
            return BAD
        raise error("no")

    client = ScriptedDecisions(script)
    with pytest.raises(DecisionError) as caught:
        WireModel(client).decide(TICK)
    assert type(caught.value) is error
    assert len(caught.value.calls) == 1


def test_candidates_beyond_the_models_options_are_counted() -> None:
    elements = tuple(InteractiveElement(id=n, role="link", name=f"L{n}", box=BOX) for n in range(1, 31))
    wide = Tick(
        goal="Open L30",
        observation=PAGE.model_copy(update={"elements": elements}),
        candidates=tuple(Candidate(operation="CLICK", element_id=e.id) for e in elements),
    )
    decision = WireModel(ScriptedDecisions([{"target_CLICK": "30"}], max_options=20)).decide(wide)
    assert decision.candidate.element_id == 30
    assert decision.left_out == 10
    assert len(decision.runners_up) == 19


JOINT = TICK.model_copy(update={"joint": True})


def test_a_joint_question_is_one_choice_of_a_whole_action() -> None:
    client = ScriptedDecisions([{"action": "CLICK 2"}], doubt=0.3)
    decision = WireModel(client).decide(JOINT)
    ((_, questions),) = client.requests
    assert questions["action"].criteria == {
        "CLICK 1": 'click a control: button "Go"',
        "CLICK 2": 'click a control: textbox "Name"',
        "TYPE 2=0": 'replace what a field holds with a text: "ada" into textbox "Name"',
        "DONE": "everything the goal asks for has happened",
    }
    assert decision.candidate == CANDIDATES[1]
    assert decision.operation_probability == pytest.approx(0.8)  # both clicks
    assert decision.target_probability == pytest.approx(0.7 / 0.8)
    assert [r.candidate for r in decision.runners_up] == [CANDIDATES[0], CANDIDATES[2], CANDIDATES[3]]
    assert [r.probability for r in decision.runners_up] == pytest.approx([0.1, 0.1, 0.1])


def test_a_single_candidate_of_a_joint_tick_is_taken_without_a_call() -> None:
    decision = WireModel(ScriptedDecisions([])).decide(JOINT.model_copy(update={"candidates": CANDIDATES[:1]}))
    assert (decision.candidate, decision.call, decision.filled_in_by_code) == (CANDIDATES[0], None, ("action",))
    assert (decision.operation_probability, decision.target_probability) == (1.0, 1.0)


def test_a_joint_question_keeps_every_ending_and_the_targets_that_share_words_with_the_goal() -> None:
    elements = tuple(InteractiveElement(id=n, role="link", name=f"L{n}", box=BOX) for n in range(1, 31))
    endings = (Candidate(operation="WAIT"), Candidate(operation="DONE"), Candidate(operation="BLOCKED"))
    wide = Tick(
        goal="Open L30",
        observation=PAGE.model_copy(update={"elements": elements}),
        candidates=(*(Candidate(operation="CLICK", element_id=e.id) for e in elements), *endings),
        joint=True,
    )
    client = ScriptedDecisions([{"action": "CLICK 30"}], max_options=20)
    decision = WireModel(client).decide(wide)
    offered = list(client.requests[0][1]["action"].criteria)
    assert len(offered) == 20
    assert offered[-3:] == ["WAIT", "DONE", "BLOCKED"]
    assert (decision.candidate.element_id, decision.left_out) == (30, 13)


@pytest.mark.parametrize(("joint", "heads"), [(None, "operation"), (False, "operation"), (True, "action")])
def test_a_wire_model_is_asked_heads_unless_the_policy_says_otherwise(joint: bool | None, heads: str) -> None:
    client = ScriptedDecisions([{}])
    subject = DecisionAgent(WireModel(client), policy=Policy(joint=joint))
    subject.step(PAGE)
    assert next(iter(client.requests[0][1])) == heads
    assert subject.config["policy"]["joint"] is joint


# The agent


def test_a_step_is_an_action_with_its_detail_and_its_call() -> None:
    step = agent([{"operation": "TYPE"}]).step(PAGE)
    assert step.action == Type(element_id=2, text="ada")
    assert step.end is None
    assert step.reason == 'TYPE "ada" into [2] textbox "Name"'
    assert step.decide_ms > 0
    assert [call.model for call in step.calls] == ["scripted"]
    detail = step.detail
    assert detail is not None
    assert (detail.operation, detail.text_source) == ("TYPE", "goal_value")
    assert detail.operation_probability == pytest.approx(0.9)
    assert detail.candidates >= 4
    assert detail.left_out == 0
    assert 1 <= len(detail.runners_up) <= 5
    assert 'CLICK [1] button "Go"' in [other.label for other in detail.runners_up]


def test_done_is_a_finish_without_a_message_and_blocked_is_no_action() -> None:
    assert agent([{"operation": "DONE"}]).step(PAGE).action == Finish(message="")
    blocked = agent([{"operation": "BLOCKED"}]).step(PAGE)
    assert (blocked.action, blocked.end) == (None, "blocked")
    assert blocked.reason == "BLOCKED: the decision model finds nothing at http://a/ that brings the goal nearer."
    assert blocked.next_action == NEXT_BLOCKED
    assert blocked.detail is not None
    assert len(blocked.calls) == 1


def test_without_candidates_the_agent_is_blocked_and_asks_nobody() -> None:
    step = agent([], ("click",)).step(page("k", elements=()))
    assert (step.action, step.end, step.calls) == (None, "blocked", ())
    assert "Nothing on this page" in step.reason


def test_two_unusable_answers_are_blocked_with_the_reason_and_both_calls() -> None:
    """Q4"""
    step = agent([BAD, BAD]).step(PAGE)
    assert (step.action, step.end) == (None, "blocked")
    assert "'operation' is not one of its options" in step.reason
    assert len(step.calls) == 2


def test_a_refused_and_a_usable_answer_are_both_charged() -> None:
    assert len(agent([BAD, {"operation": "TYPE"}]).step(PAGE).calls) == 2


def test_a_server_that_answers_with_no_decision_ends_the_turn_blocked() -> None:
    def script(state: str, questions: Mapping[str, ChoiceQuestion]) -> Script:
        raise NotADecision("It refuses the request (400).", (ModelCall(kind="decision", model="m"),))

    client = ScriptedDecisions(script)
    step = DecisionAgent(WireModel(client)).step(PAGE)
    assert (step.action, step.end, len(step.calls)) == (None, "blocked", 1)
    assert "It refuses the request (400)." in step.reason
    assert len(client.requests) == 1


def test_a_dead_model_server_is_not_the_agents_failure() -> None:
    with pytest.raises(DecisionError):
        agent([]).step(PAGE)


def ticks_of(steps: list[tuple[Observation, Candidate]], resets: tuple[int, ...] = ()) -> list[Tick]:
    """Return the ticks a model sees when it answers these candidates on these observations."""
    seen: list[Tick] = []

    class Model:
        name = "listed"

        def decide(self, tick: Tick) -> Decision:
            seen.append(tick)
            candidate = steps[len(seen) - 1][1]
            return Decision(candidate=candidate, operation_probability=1, target_probability=1)

    subject = DecisionAgent(Model())
    for n, (observation, _) in enumerate(steps):
        if n in resets:
            subject.reset()
        subject.step(observation)
    return seen


def test_the_history_tells_what_each_action_did_to_the_page() -> None:
    ticks = ticks_of(
        [
            (page("k1"), CANDIDATES[0]),
            (page("k2", url="http://b/"), CANDIDATES[2]),
            (page("k2", last_action_error="It is covered."), CANDIDATES[0]),
            (page("k3", elements=()), CANDIDATES[3]),
        ]
    )
    assert [len(tick.history) for tick in ticks] == [0, 1, 2, 3]
    first, second, third = ticks[-1].history
    assert (first.action, first.role, first.name) == (Click(element_id=1), "button", "Go")
    assert (first.page_changed, first.error, first.url) == (True, None, "http://b/")
    assert (second.action, second.page_changed, second.error) == (
        Type(element_id=2, text="ada"),
        False,
        "It is covered.",
    )
    assert (third.name, third.page_changed) == ("Go", True)  # its element is gone from the page, its name is not


@pytest.mark.parametrize(
    ("steps", "resets"),
    [
        ([(page("k1"), CANDIDATES[0]), (page("k2"), CANDIDATES[0])], (1,)),
        ([(page("k1"), CANDIDATES[0]), (page("k2", goal="Another goal"), CANDIDATES[0])], ()),
        ([(page("k1"), CANDIDATES[3]), (page("k2"), CANDIDATES[0])], ()),
        ([(page("k1"), Candidate(operation="BLOCKED")), (page("k2"), CANDIDATES[0])], ()),
    ],
    ids=["reset", "new goal", "finished", "blocked"],
)
def test_a_new_run_starts_without_the_old_ones_history(
    steps: list[tuple[Observation, Candidate]], resets: tuple[int, ...]
) -> None:
    assert ticks_of(steps, resets)[-1].history == ()


def test_only_offered_actions_become_candidates() -> None:
    client = ScriptedDecisions([{}])
    DecisionAgent(WireModel(client), ("click",)).step(PAGE)
    assert list(client.requests[0][1]) == ["target_CLICK"]


def test_a_credential_field_gets_a_value_of_the_goal_only_where_that_is_allowed() -> None:
    secret = FIELD.model_copy(update={"name": "Password", "input_type": "password", "credential": True})
    observation = page("k", goal='Log in with the password "x7y"', elements=(secret,))

    def texts(allowed: bool) -> list[str | None]:
        client = ScriptedDecisions(lambda state, questions: {})
        subject = DecisionAgent(WireModel(client), allow_goal_credentials=allowed)
        step = subject.step(observation)
        assert isinstance(step, AgentStep)
        assert subject.config["allow_goal_credentials"] is allowed
        return [operation for operation in client.requests[0][1]["operation"].criteria if operation == "TYPE"]

    assert texts(False) == []
    assert texts(True) == ["TYPE"]


def test_the_record_keeps_five_of_many_runners_up_in_words() -> None:
    others = tuple(Ranked(candidate=CANDIDATES[0], probability=0.1) for _ in range(9))

    class Model:
        name = "listed"

        def decide(self, tick: Tick) -> Decision:
            return Decision(
                candidate=CANDIDATES[3], operation_probability=0.5, target_probability=1, runners_up=others, left_out=3
            )

    detail = DecisionAgent(Model()).step(PAGE).detail
    assert detail is not None
    assert detail.runners_up == (Choice(label='CLICK [1] button "Go"', probability=0.1),) * 5
    assert detail.left_out == 3
