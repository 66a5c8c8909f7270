import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from agent.parser import decision_schema
from agent.policy import DEFAULT_POLICY, GUARDS
from agent.prompt import CHAT_VERSION
from agent.react import MAX_ANSWER_TOKENS, REASON_CHARS, SCHEMA_IDS, ReActAgent
from browser.actions import CORE_ACTIONS, ActionName, Click, Finish, Type, check_action
from browser.observation import Box, InteractiveElement, Observation
from llm.chat import ChatError, CostLimitReached, CutAnswer
from llm.client import ChatClient
from llm.endpoint import Endpoint
from llm.scripted import ScriptedChat

BOX = Box(x=0, y=0, width=10, height=10)
MakePage = Callable[..., Observation]
Answer = Callable[..., str]


def test_one_call_a_step_gives_a_reason_and_an_action(page: MakePage, answer: Answer) -> None:
    model = ScriptedChat([answer("click", element_id=1)])
    step = ReActAgent(model).step(page())
    assert (step.action, step.reason, step.end) == (Click(element_id=1), "because", None)
    assert [call.model for call in step.calls] == ["scripted-chat"]
    assert step.decide_ms > 0
    [request] = model.requests
    assert request.json_schema == decision_schema(CORE_ACTIONS, page(), REASON_CHARS)
    assert request.max_output_tokens == MAX_ANSWER_TOKENS
    assert request.messages[1].content.endswith("\n\nWhat is the next action?")


def test_the_past_tells_what_each_action_did(page: MakePage, answer: Answer) -> None:
    model = ScriptedChat([answer("type", element_id=2, text="Ada"), *[answer("click", element_id=1)] * 3])
    agent = ReActAgent(model)
    agent.step(page("a"))
    agent.step(page("b"))
    agent.step(page("b", last_action_error="It is covered."))
    assert (
        '1. type [2] textbox "Name" "Ada" -> the page changed\n2. click [1] button "Go" -> failed: It is covered.'
        in (model.requests[-1].messages[1].content)
    )
    agent.reset()
    agent.step(page("c"))
    assert "Your past actions: none yet" in model.requests[-1].messages[1].content


def test_after_an_action_of_no_use_another_is_asked_for(page: MakePage, answer: Answer) -> None:
    model = ScriptedChat([answer("click", element_id=1)] * 4)
    agent = ReActAgent(model)
    for key, error in (("a", None), ("b", None), ("b", None), ("c", "It is covered.")):
        agent.step(page(key, last_action_error=error))
    other = 'The last action, click [1] button "Go", was of no use. What other action is next?'
    questions = [request.messages[1].content.split("</page>\n\n")[1] for request in model.requests]
    assert questions == ["What is the next action?"] * 2 + [other] * 2


def test_after_an_end_the_past_is_forgotten(page: MakePage, answer: Answer) -> None:
    model = ScriptedChat([answer("finish", message="42"), answer("click", element_id=1), answer("click", element_id=1)])
    agent = ReActAgent(model)
    assert agent.step(page()).action == Finish(message="42")
    agent.step(page("b"))
    agent.step(page("c", goal="Another"))
    assert all("none yet" in request.messages[1].content for request in model.requests)


def test_after_giving_up_the_past_is_forgotten(page: MakePage, answer: Answer) -> None:
    model = ScriptedChat([answer("click", element_id=1), "", "", answer("click", element_id=1)])
    agent = ReActAgent(model)
    agent.step(page("a"))
    assert agent.step(page("b")).end == "bad_output"
    agent.step(page("a"))
    assert "none yet" in model.requests[-1].messages[1].content


def test_a_malformed_answer_is_sent_back_once(page: MakePage, answer: Answer) -> None:
    step = ReActAgent(ScriptedChat(["I click Go", answer("click", element_id=1)])).step(page())
    assert step.action == Click(element_id=1)
    assert len(step.calls) == 2
    model = ScriptedChat(["I click Go", answer("click", element_id=99), answer("click", element_id=1)])
    step = ReActAgent(model).step(page())
    assert (step.action, step.end, len(step.calls)) == (None, "bad_output", 2)
    assert step.reason == "No sound answer: No element 99 on this page; ids run 1 to 3."
    assert "Not JSON" in model.requests[1].messages[-1].content


def test_answers_of_no_use_and_spent_money_end_the_episode(page: MakePage) -> None:
    step = ReActAgent(ScriptedChat([CutAnswer("It was cut."), CutAnswer("It was cut.")])).step(page())
    assert (step.end, step.reason) == ("bad_output", "No sound answer: It was cut.")
    step = ReActAgent(ScriptedChat([CostLimitReached("Spent.", "episode")])).step(page())
    assert (step.action, step.end, step.reason) == (None, "cost_limit", "Spent.")


def test_an_endpoint_without_an_answer_is_not_the_agents_fault(page: MakePage) -> None:
    with pytest.raises(ChatError):
        ReActAgent(ScriptedChat([ChatError("It is down.")])).step(page())


@pytest.mark.parametrize(
    ("allowed", "text", "typed"), [(True, "x7y", True), (True, "guess", False), (False, "x7y", False)]
)
def test_a_credential_is_typed_only_as_the_goal_gives_it(
    page: MakePage, answer: Answer, allowed: bool, text: str, typed: bool
) -> None:
    model = ScriptedChat([answer("type", element_id=3, text=text)] * 2)
    step = ReActAgent(model, allow_goal_credentials=allowed).step(page())
    assert step.action == (Type(element_id=3, text=text) if typed else None)
    assert typed or "Element 3 asks for a credential" in step.reason
    name = ScriptedChat([answer("type", element_id=2, text="guess")])
    assert ReActAgent(name, allow_goal_credentials=allowed).step(page()).action == Type(element_id=2, text="guess")


def test_a_page_of_many_ids_is_not_listed_in_the_schema(page: MakePage, answer: Answer) -> None:
    many = tuple(InteractiveElement(id=n, role="link", name="x", box=BOX) for n in range(1, SCHEMA_IDS + 2))
    for count, listed in ((SCHEMA_IDS, True), (SCHEMA_IDS + 1, False)):
        model = ScriptedChat([answer("click", element_id=1)])
        assert ReActAgent(model).step(page(elements=many[:count])).action
        assert (str(count) in json.dumps(model.requests[0].json_schema)) is listed


def test_what_changes_its_answers_is_in_its_config() -> None:
    agent = ReActAgent(
        ScriptedChat([], name="m"), ("click",), "direct", observation_mode="axtree", allow_goal_credentials=True,
        max_prompt_tokens=900, endpoint={"temperature": 0.5},
    )  # fmt: skip
    assert agent.config == {
        "agent": "direct", "model": "m", "endpoint": {"temperature": 0.5}, "offered": ["click"],
        "allow_goal_credentials": True, "observation_mode": "axtree", "max_prompt_tokens": 900,
        "max_answer_tokens": MAX_ANSWER_TOKENS, "prompts": CHAT_VERSION,
        "policy": DEFAULT_POLICY.model_dump(include=set(GUARDS)),
    }  # fmt: skip


PAGE = Observation(
    goal="g", url="u", title="t", axtree="tree",
    elements=(
        InteractiveElement(id=1, role="button", name="Go", box=BOX),
        InteractiveElement(id=2, role="textbox", editable=True, box=BOX),
        InteractiveElement(id=3, role="textbox", editable=True, credential=True, box=BOX),
        InteractiveElement(id=4, role="button", disabled=True, box=BOX),
    ),
)  # fmt: skip
VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 5) | st.floats(allow_nan=True) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
NEARLY = st.fixed_dictionaries(
    {"reason": st.text(max_size=5) | VALUES},
    optional={
        "action": VALUES
        | st.fixed_dictionaries(
            {"type": st.sampled_from([*CORE_ACTIONS, "drag"]) | VALUES},
            optional={"element_id": st.integers(-1, 6) | VALUES, "text": st.text(max_size=5) | VALUES, "key": VALUES,
                      "message": st.text(max_size=3), "option": VALUES, "url": VALUES, "direction": VALUES},
        ),
        "more": VALUES,
    },
).map(json.dumps)  # fmt: skip
ANSWERS = st.binary(max_size=60).map(lambda data: data.decode("utf-8", "surrogateescape")) | NEARLY
OFFERED: tuple[ActionName, ...] = ("click", "type", "press", "wait", "finish")


@given(answers=st.tuples(ANSWERS, ANSWERS))
@example(answers=("", '{"reason": "", "action": {"type": "click", "element_id": 4}}'))
@example(answers=("\ud800", '{"reason": "", "action": {"type": "type", "element_id": 3, "text": "x"}}'))
@example(answers=("[" * 100_000, '{"reason": "", "action": {"type": "navigate", "url": "http://x/"}}'))
def test_whatever_a_model_answers_only_a_valid_action_is_taken(answers: tuple[str, str]) -> None:
    step = ReActAgent(ScriptedChat(answers), OFFERED).step(PAGE)
    if step.action is None:
        assert step.end == "bad_output"
        assert len(step.calls) == 2
    else:
        check_action(step.action, PAGE, OFFERED)
        assert not (isinstance(step.action, Type) and step.action.element_id == 3)


BODIES = st.binary(max_size=60) | ANSWERS.map(
    lambda text: json.dumps({"choices": [{"finish_reason": "stop", "message": {"content": text}}]}).encode()
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bodies=st.tuples(BODIES, BODIES))
def test_whatever_an_endpoint_sends_only_a_valid_action_is_taken(
    httpserver: HTTPServer, bodies: tuple[bytes, bytes]
) -> None:
    waiting = list(bodies)

    def respond(request: Request) -> Response:
        return Response(waiting.pop(0) if waiting else b"", content_type="application/json")

    httpserver.clear()
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(respond)
    client = ChatClient(Endpoint(model="m", base_url=httpserver.url_for("/v1"), attempts=1))
    try:
        step = ReActAgent(client, OFFERED).step(PAGE)
    except ChatError:
        return
    if step.action is None:
        assert step.end == "bad_output"
    else:
        check_action(step.action, PAGE, OFFERED)
