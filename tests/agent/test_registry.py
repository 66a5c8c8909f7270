import json
from typing import Any

import pytest

from agent.baselines import RandomAgent, SubmitOnceAgent
from agent.decision import DecisionAgent
from agent.decision_models import EMBEDDED_MODELS, AgentConfigError, make_decision_model
from agent.registry import AGENTS, CHAT_AGENTS, make_agent, observation_mode
from browser.actions import CORE_ACTIONS, Click
from browser.observation import Box, InteractiveElement, Observation
from llm.chat import ChatRequest
from llm.scripted import ScriptedChat

WIRES = "typesafe, openrouter, laya, logprobs, sparrow, scripted, replay"
MODELS = f"there are {', '.join(EMBEDDED_MODELS)}, {WIRES}, and auto."
LISTED = "there are jev, random, submit-once, direct, react, planner, cascade."
BOX = Box(x=0, y=0, width=10, height=10)
PAGE = Observation(
    goal="Click the Go button",
    url="http://a/",
    title="t",
    elements=(
        InteractiveElement(id=1, role="link", name="Home", tag="a", box=BOX),
        InteractiveElement(id=2, role="button", name="Go", tag="button", box=BOX),
    ),
)


def chat() -> ScriptedChat:
    """Plans where it is asked for a plan, and clicks the first thing."""

    def answer(request: ChatRequest) -> str:
        if "steps" in (request.json_schema or {})["properties"]:
            return '{"steps": ["Press Go"]}'
        return '{"reason": "r", "action": {"type": "click", "element_id": 1}}'

    return ScriptedChat(answer)


@pytest.mark.parametrize("name", AGENTS)
def test_every_listed_agent_acts_and_says_what_it_is(name: str) -> None:
    agent = make_agent(name, offered=("click",), chat=chat() if name in CHAT_AGENTS else None)
    agent.reset()
    step = agent.step(PAGE)
    assert step.action in (Click(element_id=1), Click(element_id=2))
    assert agent.name == agent.config["agent"] == name
    assert agent.config["offered"] == ["click"]
    assert json.loads(json.dumps(agent.config)) == agent.config


def test_agents_say_what_they_read_of_a_page() -> None:
    modes = {name: observation_mode(make_agent(name, chat=chat() if name in CHAT_AGENTS else None)) for name in AGENTS}
    assert modes == dict.fromkeys(AGENTS, "table") | {"direct": "axtree"}


def test_what_decides_a_chat_models_answers_is_in_the_config() -> None:
    agent = make_agent("planner", chat=chat(), max_prompt_tokens=900, endpoint={"temperature": 0.5})
    assert agent.config["endpoint"] == {"temperature": 0.5}
    assert (agent.config["model"], agent.config["max_prompt_tokens"]) == ("scripted-chat", 900)


def test_names_give_their_agents() -> None:
    assert isinstance(make_agent("jev"), DecisionAgent)
    assert isinstance(make_agent("random"), RandomAgent)
    assert isinstance(make_agent("submit-once"), SubmitOnceAgent)


@pytest.mark.parametrize("name", [None, "embedded", "scripted"])
def test_a_decision_model_is_named_or_embedded(name: str | None) -> None:
    agent = make_agent("jev", name, offered=("click",))
    assert agent.step(PAGE).action in (Click(element_id=1), Click(element_id=2))
    assert agent.config["model"] == make_decision_model(name or "embedded").name


def test_a_decision_model_may_be_given_with_what_decides_its_answers() -> None:
    model = make_decision_model("scripted")
    agent = make_agent("jev", decisions=model, decision_endpoint={"endpoint": "here"})
    assert (agent.config["model"], agent.config["endpoint"]) == ("scripted-first-option", {"endpoint": "here"})


def test_jev_decides_with_the_embedded_model_unless_told_otherwise() -> None:
    assert make_agent("jev").config == make_agent("jev", "embedded").config
    assert make_agent("jev", offered=("click",)).step(PAGE).action == Click(element_id=2)


def test_the_seed_reaches_the_random_agent_and_its_config() -> None:
    assert make_agent("random", seed=5).config["seed"] == 5


def test_goal_credentials_are_off_unless_asked_for() -> None:
    for name in ("jev", "random"):
        assert make_agent(name).config["allow_goal_credentials"] is False
        assert make_agent(name, allow_goal_credentials=True).config["allow_goal_credentials"] is True


def test_all_actions_are_offered_unless_told_otherwise() -> None:
    assert make_agent("jev").config["offered"] == list(CORE_ACTIONS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nobody",), "No agent 'nobody'; " + LISTED),
        (("Jev",), "No agent 'Jev'; " + LISTED),
        (("jev", "gpt"), "No decision model 'gpt'; " + MODELS),
        (("jev", ""), "No decision model ''; " + MODELS),
        (("random", "embedded"), "The agent random uses no model; leave out 'embedded'."),
        (("react",), "The agent react asks a chat model, and none is given; a command line names one with --model."),
        (("submit-once", "sparrow"), "The agent submit-once uses no model; leave out 'sparrow'."),
    ],
)
def test_what_there_is_not_is_refused_with_what_there_is(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(AgentConfigError) as caught:
        make_agent(*arguments)
    assert str(caught.value) == message
