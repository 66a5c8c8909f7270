import pickle

import pytest

from llm.budget import BudgetedChat
from llm.chat import ChatReply, ChatRequest, CostLimitReached, CutAnswer, Message, UnpricedCall
from llm.decision import ModelCall
from llm.scripted import ScriptedChat

REQUEST = ChatRequest(messages=(Message(role="user", content="Say hello."),))


def call(cost_usd: float | None) -> ModelCall:
    return ModelCall(kind="chat", model="m-1", cost_usd=cost_usd)


def costing(cost_usd: float | None) -> ScriptedChat:
    return ScriptedChat(lambda _: ChatReply(text="Hello.", call=call(cost_usd)))


def calls_until_stopped(model: BudgetedChat) -> CostLimitReached:
    for _ in range(100):
        try:
            model.complete(REQUEST)
        except CostLimitReached as error:
            return error
    raise AssertionError("it never stopped")


def test_an_episode_stops_at_its_limit_and_the_next_one_begins_anew() -> None:
    inner = costing(0.25)
    model = BudgetedChat(inner, episode_usd=1.0)
    for episode in (1, 2):
        model.begin_episode()
        error = calls_until_stopped(model)
        assert (error.scope, str(error)) == ("episode", "The episode has spent its limit of $1.")
        assert len(inner.requests) == 4 * episode
        assert model.spent_usd == 1.0


def test_a_run_stops_at_its_limit_which_counts_what_was_spent_before() -> None:
    inner = costing(0.25)
    model = BudgetedChat(inner, episode_usd=1.0, run_usd=2.0)
    model.begin_episode(run_spent_usd=1.5)
    assert calls_until_stopped(model).scope == "run"
    assert len(inner.requests) == 2
    model.begin_episode(run_spent_usd=2.0)
    assert calls_until_stopped(model).scope == "run"
    assert len(inner.requests) == 2


def test_a_limit_of_nothing_asks_nothing() -> None:
    inner = costing(0.0)
    assert calls_until_stopped(BudgetedChat(inner, run_usd=0.0)).scope == "run"
    assert inner.requests == []


def test_an_answer_of_no_use_is_charged_too() -> None:
    model = BudgetedChat(ScriptedChat(lambda _: CutAnswer("cut", (call(0.5),))), episode_usd=1.0)
    for _ in range(2):
        with pytest.raises(CutAnswer):
            model.complete(REQUEST)
    with pytest.raises(CostLimitReached):
        model.complete(REQUEST)


@pytest.mark.parametrize("limits", [{"episode_usd": 1.0}, {"run_usd": 1.0}])
def test_a_limit_with_an_unknown_price_stops_after_one_call(limits: dict[str, float]) -> None:
    inner = costing(None)
    model = BudgetedChat(inner, **limits)
    with pytest.raises(UnpricedCall, match="m-1 .* price file") as caught:
        model.complete(REQUEST)
    assert caught.value.calls == (call(None),)
    model.begin_episode()
    with pytest.raises(UnpricedCall) as again:
        model.complete(REQUEST)
    assert again.value.calls == ()
    assert len(inner.requests) == 1


def test_an_unknown_price_of_an_answer_of_no_use_stops_too() -> None:
    model = BudgetedChat(ScriptedChat([CutAnswer("cut", (call(None),))]), run_usd=1.0)
    with pytest.raises(UnpricedCall) as caught:
        model.complete(REQUEST)
    assert caught.value.calls == (call(None),)


def test_without_a_limit_an_unknown_price_is_no_matter() -> None:
    model = BudgetedChat(costing(None))
    assert [model.complete(REQUEST).text for _ in range(3)] == ["Hello."] * 3
    assert model.name == "scripted-chat"


@pytest.mark.parametrize(
    "error", [CostLimitReached("spent", "run"), CutAnswer("cut", (call(0.5),)), UnpricedCall("unknown", (call(None),))]
)
def test_an_error_keeps_what_it_carries_on_its_way_out_of_a_worker(error: Exception) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
