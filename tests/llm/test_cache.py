from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from llm.cache import CachedChat, CachedDecisions, CacheMiss, recorded_identities
from llm.chat import ChatError, ChatReply, ChatRequest, CutAnswer, Message, UnusableAnswer
from llm.decision import ChoiceQuestion, DecisionError, InvalidAnswer, ModelCall, NotADecision, Usage
from llm.scripted import ChatAnswer, Script, ScriptedChat, ScriptedDecisions

IDENTITY = {"endpoint": "host/v1", "model": "m-1", "api": "chat", "temperature": 0.0, "seed": None}
SCHEMA = {"type": "object", "properties": {"x": {"enum": [1, 2]}}}
CALL = ModelCall(
    kind="chat", model="m-1-0451", usage=Usage(input_tokens=9, cached_tokens=3, output_tokens=2), cost_usd=0.5,
    cost_source="provider", latency_ms=4000.0,
)  # fmt: skip


def ask(text: str = "Say hello.", **fields: Any) -> ChatRequest:
    return ChatRequest(**{"messages": (Message(role="user", content=text),), "json_schema": SCHEMA} | fields)


def reply(text: str) -> ChatReply:
    return ChatReply(text=text, call=CALL)


def record(folder: Path, *answers: ChatAnswer, identity: dict[str, Any] = IDENTITY) -> CachedChat:
    return CachedChat(ScriptedChat(answers), "record", folder, identity)


@pytest.fixture
def replay(tmp_path: Path) -> Callable[..., CachedChat]:
    """A replaying model over a model that has no answer left."""

    def make(identity: dict[str, Any] = IDENTITY, scope: str = "") -> CachedChat:
        model = CachedChat(ScriptedChat([]), "replay", tmp_path, identity)
        model.begin_episode(scope)
        return model

    return make


def test_a_recorded_answer_is_replayed_with_its_tokens_and_at_no_cost(
    tmp_path: Path, replay: Callable[..., CachedChat]
) -> None:
    assert record(tmp_path, reply("Hello.")).complete(ask()) == reply("Hello.")
    again = replay().complete(ask())
    assert again.text == "Hello."
    assert again.call.latency_ms < 1000
    expected = {"cost_usd": 0.0, "cost_source": "replayed", "replayed": True, "latency_ms": again.call.latency_ms}
    assert again.call == CALL.model_copy(update=expected)


def test_the_same_request_in_an_episode_is_answered_in_the_order_recorded(
    tmp_path: Path, replay: Callable[..., CachedChat]
) -> None:
    model = record(tmp_path, reply("a"), reply("b"), reply("other"), reply("c"))
    for request in (ask(), ask(), ask("Other."), ask()):
        model.complete(request)
    model = replay()
    assert [model.complete(request).text for request in (ask(), ask("Other."), ask(), ask())] == [
        "a",
        "other",
        "b",
        "c",
    ]
    with pytest.raises(CacheMiss):
        model.complete(ask())


def test_each_episode_has_its_own_answers_in_any_order(tmp_path: Path, replay: Callable[..., CachedChat]) -> None:
    model = record(tmp_path, *(reply(f"trial {n}") for n in range(3)))
    for n in range(3):
        model.begin_episode(f"press/0/{n}")
        model.complete(ask())
    for n in (2, 0, 1):
        assert replay(scope=f"press/0/{n}").complete(ask()).text == f"trial {n}"


def test_an_episode_that_begins_again_is_answered_from_its_beginning(
    tmp_path: Path, replay: Callable[..., CachedChat]
) -> None:
    record(tmp_path, reply("Hello.")).complete(ask())
    model = replay()
    for _ in range(2):
        model.begin_episode("")
        assert model.complete(ask()).text == "Hello."


def test_an_episode_recorded_again_replaces_what_it_recorded(tmp_path: Path, replay: Callable[..., CachedChat]) -> None:
    record(tmp_path, reply("old")).complete(ask())
    record(tmp_path, reply("new")).complete(ask())
    assert replay().complete(ask()).text == "new"


def test_an_answer_of_no_use_is_replayed_as_it_was(tmp_path: Path, replay: Callable[..., CachedChat]) -> None:
    with pytest.raises(CutAnswer):
        record(tmp_path, CutAnswer("The answer was cut.", (CALL,))).complete(ask())
    with pytest.raises(CutAnswer, match="The answer was cut.") as caught:
        replay().complete(ask())
    assert [(call.replayed, call.cost_usd, call.usage) for call in caught.value.calls] == [(True, 0.0, CALL.usage)]


def test_a_failure_of_the_endpoint_is_not_recorded(tmp_path: Path) -> None:
    with pytest.raises(ChatError):
        record(tmp_path, ChatError("down")).complete(ask())
    assert list(tmp_path.rglob("*.json")) == []


@pytest.mark.parametrize(
    "request_",
    [
        ask("Say hello!"),
        ask(messages=(Message(role="system", content="Say hello."),)),
        ask(json_schema=None),
        ask(json_schema={"type": "object", "properties": {"x": {"enum": [2, 1]}}}),
        ask(max_output_tokens=501),
    ],
    ids=["text", "role", "no schema", "schema", "limit"],
)
def test_another_request_is_a_miss_and_not_a_call(
    tmp_path: Path, replay: Callable[..., CachedChat], request_: ChatRequest
) -> None:
    record(tmp_path, reply("Hello.")).complete(ask())
    with pytest.raises(CacheMiss, match=r"No answer is recorded under [0-9a-f]{32}-0 in .*; record this run") as caught:
        replay().complete(request_)
    assert not isinstance(caught.value, UnusableAnswer)
    assert caught.value.calls == ()


@pytest.mark.parametrize(
    "change", [{"endpoint": "h/v1"}, {"model": "m"}, {"api": "responses"}, {"temperature": 1.0}, {"seed": 1}]
)
def test_another_endpoint_is_a_miss(tmp_path: Path, replay: Callable[..., CachedChat], change: dict[str, Any]) -> None:
    record(tmp_path, reply("Hello.")).complete(ask())
    with pytest.raises(CacheMiss):
        replay(identity=IDENTITY | change).complete(ask())


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[:-20],
        lambda text: "",
        lambda text: "[" * 100_000,
        lambda text: text.replace('"format_version": 1', '"format_version": 2'),
        lambda text: text.replace('"error": null', '"error": "SystemExit"'),
        lambda text: text.replace('"calls"', '"called"'),
        lambda text: text + "\xfc",
    ],
    ids=["half", "nothing", "deep", "another version", "an error of no kind", "no calls", "no ascii"],
)
def test_a_recording_that_is_not_whole_is_a_miss(
    tmp_path: Path, replay: Callable[..., CachedChat], damage: Callable[[str], str]
) -> None:
    record(tmp_path, reply("Hello.")).complete(ask())
    (path,) = tmp_path.rglob("*.json")
    text = path.read_text()
    path.write_text(damage(text), encoding="utf-8")
    assert path.read_text() != text
    with pytest.raises(CacheMiss, match="cannot be read; record"):
        replay().complete(ask())


def test_half_a_surrogate_pair_of_a_page_is_recorded_and_found_again(
    tmp_path: Path, replay: Callable[..., CachedChat]
) -> None:
    request = ask("a\ud83db")
    record(tmp_path, reply("Hello.")).complete(request)
    assert replay().complete(request).text == "Hello."


def test_nothing_but_whole_recordings_is_left_in_the_folder(tmp_path: Path) -> None:
    record(tmp_path, reply("a"), reply("b")).complete(ask())
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path.suffix for path in files] == [".json"]


DECIDER = {"endpoint": "api.host", "model": "jev-1", "api": "typesafe"}
QUESTIONS = {"operation": ChoiceQuestion(instructions="What?", criteria={"CLICK": "press", "TYPE": None, "DONE": None})}
UNSOUND: Script = {"operation": "WAIT"}


def record_decisions(folder: Path, *script: Script) -> CachedDecisions:
    return CachedDecisions(ScriptedDecisions(script), "record", folder, DECIDER)


def replay_decisions(folder: Path, identity: dict[str, Any] = DECIDER, scope: str = "") -> CachedDecisions:
    model = CachedDecisions(ScriptedDecisions([]), "replay", folder, identity)
    model.begin_episode(scope)
    return model


def test_recorded_decisions_are_replayed_with_their_probabilities_in_their_order(tmp_path: Path) -> None:
    model = record_decisions(tmp_path, {"operation": "TYPE"}, {"operation": "DONE"})
    first, second = model.ask("a page", QUESTIONS), model.ask("a page", QUESTIONS)
    again = replay_decisions(tmp_path)
    assert (again.name, again.max_options) == (model.name, model.max_options)
    for recorded in (first, second):
        reply = again.ask("a page", QUESTIONS)
        assert reply.answers == recorded.answers
        assert (reply.call.replayed, reply.call.cost_usd, reply.call.model) == (True, 0.0, "scripted")
    with pytest.raises(DecisionError, match="No answer is recorded"):
        again.ask("a page", QUESTIONS)


@pytest.mark.parametrize(
    ("state", "questions", "identity", "scope"),
    [
        ("another page", QUESTIONS, DECIDER, ""),
        ("a page", {"operation": QUESTIONS["operation"].model_copy(update={"instructions": "?"})}, DECIDER, ""),
        ("a page", QUESTIONS, DECIDER | {"model": "jev-2"}, ""),
        ("a page", QUESTIONS, DECIDER, "press/0/0"),
    ],
    ids=["state", "question", "model", "episode"],
)
def test_another_decision_is_a_miss(
    tmp_path: Path, state: str, questions: Any, identity: dict[str, Any], scope: str
) -> None:
    record_decisions(tmp_path, {}).ask("a page", QUESTIONS)
    with pytest.raises(CacheMiss) as caught:
        replay_decisions(tmp_path, identity, scope).ask(state, questions)
    assert not isinstance(caught.value, InvalidAnswer | NotADecision)


def test_a_decision_of_no_use_is_replayed_as_it_was_and_a_dead_server_is_not_recorded(tmp_path: Path) -> None:
    model = record_decisions(tmp_path, UNSOUND)
    with pytest.raises(InvalidAnswer):
        model.ask("a page", QUESTIONS)
    with pytest.raises(DecisionError):
        model.ask("a page", QUESTIONS)
    assert len(list(tmp_path.rglob("*.json"))) == 1
    with pytest.raises(InvalidAnswer, match="'operation' is not one of its options"):
        replay_decisions(tmp_path).ask("a page", QUESTIONS)


def test_an_answer_that_is_no_decision_is_replayed_as_one(tmp_path: Path) -> None:
    def refuse(state: str, questions: Any) -> Script:
        raise NotADecision("It refuses the request (400).")

    with pytest.raises(NotADecision):
        CachedDecisions(ScriptedDecisions(refuse), "record", tmp_path, DECIDER).ask("a page", QUESTIONS)
    with pytest.raises(NotADecision, match="refuses the request .400."):
        replay_decisions(tmp_path).ask("a page", QUESTIONS)


def test_a_recorded_decision_that_was_changed_is_not_trusted(tmp_path: Path) -> None:
    record_decisions(tmp_path, {}).ask("a page", QUESTIONS)
    (path,) = tmp_path.rglob("*.json")
    path.write_text(path.read_text().replace('"choice": "CLICK"', '"choice": "TYPE"'))
    with pytest.raises(InvalidAnswer, match="not its most probable"):
        replay_decisions(tmp_path).ask("a page", QUESTIONS)


def test_a_folder_says_which_decision_models_it_holds(tmp_path: Path) -> None:
    record(tmp_path, reply("Hello.")).complete(ask())
    assert recorded_identities(tmp_path) == []
    assert recorded_identities(tmp_path / "nowhere") == []
    record_decisions(tmp_path, {}, {}).ask("a page", QUESTIONS)
    record_decisions(tmp_path, {}).ask("another", QUESTIONS)
    assert recorded_identities(tmp_path) == [DECIDER]
