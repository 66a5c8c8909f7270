from collections.abc import Mapping

import pytest

from llm.chat import ChatError, ChatReply, ChatRequest, CutAnswer, Message
from llm.decision import ChoiceQuestion, DecisionError, InvalidAnswer, ModelCall, Usage
from llm.scripted import Script, ScriptedChat, ScriptedDecisions

QUESTIONS = {
    "operation": ChoiceQuestion(instructions="", criteria={"CLICK": None, "TYPE": None, "DONE": None}),
    "target": ChoiceQuestion(instructions="", criteria={"1": None, "2": None}),
}


def test_choices_come_in_order_and_unnamed_questions_get_their_first_option() -> None:
    client = ScriptedDecisions([{"operation": "TYPE"}, {"target": "2"}])
    first, second = client.ask("s", QUESTIONS), client.ask("s", QUESTIONS)
    assert [(r.answers["operation"].choice, r.answers["target"].choice) for r in (first, second)] == [
        ("TYPE", "1"),
        ("CLICK", "2"),
    ]


def test_the_choice_gets_all_but_the_doubt() -> None:
    shares = (
        ScriptedDecisions([{"operation": "DONE"}], doubt=0.2).ask("s", QUESTIONS).answers["operation"].probabilities
    )
    assert shares == pytest.approx({"CLICK": 0.1, "TYPE": 0.1, "DONE": 0.8})


def test_a_single_option_is_certain() -> None:
    question = ChoiceQuestion(instructions="", criteria={"only": None})
    assert ScriptedDecisions([{}]).ask("s", {"q": question}).answers["q"].probabilities == {"only": 1.0}


def test_a_function_sees_the_request() -> None:
    def script(state: str, questions: Mapping[str, ChoiceQuestion]) -> Script:
        return {"operation": state, "target": list(questions["target"].criteria)[-1]}

    answers = ScriptedDecisions(script).ask("DONE", QUESTIONS).answers
    assert (answers["operation"].choice, answers["target"].choice) == ("DONE", "2")


def test_the_end_of_the_script_is_an_error_and_not_an_invalid_answer() -> None:
    client = ScriptedDecisions([{}])
    client.ask("s", QUESTIONS)
    with pytest.raises(DecisionError, match="1 answers") as caught:
        client.ask("s", QUESTIONS)
    assert not isinstance(caught.value, InvalidAnswer)


@pytest.mark.parametrize(
    ("script", "part"),
    [
        ({"operation": "WAIT"}, "not one of its options"),
        ({"operation": None}, "left out"),
        ({"operation": {"choice": "TYPE", "probabilities": {"CLICK": 0.6, "TYPE": 0.4, "DONE": 0.0}}}, "most probable"),
        ({"operation": 3}, "not an object"),
        ({"unasked": "1"}, "was not asked"),
    ],
)
def test_a_script_may_hold_faults_and_they_are_refused_like_any_models(script: Script, part: str) -> None:
    with pytest.raises(InvalidAnswer, match=part):
        ScriptedDecisions([script]).ask("s", QUESTIONS)


def test_requests_are_kept_and_the_call_is_free_of_charge_with_tokens_unknown() -> None:
    client = ScriptedDecisions([{}])
    call = client.ask("the state", QUESTIONS).call
    assert client.requests == [("the state", QUESTIONS)]
    assert (call.model, call.cost_usd, call.usage) == ("scripted", 0.0, Usage())


@pytest.mark.parametrize("doubt", [-0.1, 0.5, 1.0])
def test_a_doubt_that_would_move_the_peak_is_refused(doubt: float) -> None:
    with pytest.raises(ValueError, match="doubt"):
        ScriptedDecisions([], doubt=doubt)


def ask(text: str) -> ChatRequest:
    return ChatRequest(messages=(Message(role="user", content=text),))


def test_a_scripted_chat_says_its_texts_in_order_and_keeps_what_it_was_asked() -> None:
    model = ScriptedChat(["one", "two"])
    replies = [model.complete(ask("a")), model.complete(ask("b"))]
    assert [reply.text for reply in replies] == ["one", "two"]
    assert model.requests == [ask("a"), ask("b")]
    call = replies[0].call
    assert (call.kind, call.model, call.cost_usd, call.cost_source) == ("chat", "scripted-chat", 0.0, "in process")


def test_a_scripted_chat_raises_its_errors_and_gives_whole_replies_as_they_are() -> None:
    whole = ChatReply(text="one", call=ModelCall(kind="chat", model="m-2", cost_usd=0.5))
    model = ScriptedChat([CutAnswer("cut", (whole.call,)), whole])
    with pytest.raises(CutAnswer) as caught:
        model.complete(ask("a"))
    assert caught.value.calls == (whole.call,)
    assert model.complete(ask("b")) is whole


def test_a_scripted_chat_may_be_a_function_of_the_request() -> None:
    assert ScriptedChat(lambda request: request.messages[0].content.upper()).complete(ask("a")).text == "A"


def test_the_end_of_a_chats_script_is_an_error() -> None:
    with pytest.raises(ChatError, match="0 answers"):
        ScriptedChat([]).complete(ask("a"))
