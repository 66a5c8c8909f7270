import pytest

from llm.decision import ChoiceQuestion, Usage

pytest.importorskip("sparrow_decider", reason="the sparrow extra is not installed")

from llm.sparrow import SparrowClient


@pytest.fixture(scope="module")
def client() -> SparrowClient:
    return SparrowClient()


def options(count: int) -> ChoiceQuestion:
    return ChoiceQuestion(instructions="Which?", criteria={str(n): f'button "Name {n}"' for n in range(count)})


def test_every_question_of_a_request_is_answered_soundly(client: SparrowClient) -> None:
    questions = {
        "a": options(2),
        "b": options(9),
        "c": ChoiceQuestion(instructions="", criteria={"x": None, "y": None}),
    }
    reply = client.ask("Goal: press Name 1", questions)
    assert set(reply.answers) == set(questions)
    assert all(len(reply.answers[key].probabilities) == len(questions[key].criteria) for key in questions)


def test_it_reads_the_state(client: SparrowClient) -> None:
    question = ChoiceQuestion(
        instructions="Primary intent?", criteria={"billing": "charges, invoices", "weather": "rain, sun, wind"}
    )
    choices = [
        client.ask(state, {"q": question}).answers["q"].choice
        for state in ("I was charged twice on my invoice", "Will it rain or will the sun shine?")
    ]
    assert choices == ["billing", "weather"]


def test_the_most_options_it_promises_still_sum_to_one(client: SparrowClient) -> None:
    assert len(client.ask("s", {"q": options(client.max_options)}).answers["q"].probabilities) == client.max_options


@pytest.mark.parametrize("state", ["", "x" * 100_000, "\x00\ud7ff\U0001f600", "battery: 6%\n" * 500])
def test_any_state_is_answered(client: SparrowClient, state: str) -> None:
    assert client.ask(state, {"q": options(3)}).answers["q"].choice in {"0", "1", "2"}


def test_a_call_names_the_model_and_costs_nothing_with_tokens_unknown(client: SparrowClient) -> None:
    call = client.ask("s", {"q": options(2)}).call
    assert client.name.startswith("sparrow-")
    assert (call.kind, call.model, call.cost_usd, call.usage) == ("decision", client.name, 0.0, Usage())
    assert call.latency_ms > 0
