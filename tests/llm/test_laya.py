"""The client with an object of the shape of Laya 0.4.15's Agent: torch and weights are the user's own."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from llm.decision import ChoiceQuestion, DecisionError, InvalidAnswer, ModelCall, Usage
from llm.laya import OPTIONS_AT_ONCE, LayaClient, load_laya

QUESTIONS = {
    "operation": ChoiceQuestion(instructions="What next?", criteria={"CLICK": "press", "DONE": None}),
    "target_CLICK": ChoiceQuestion(instructions="Which?", criteria={str(n): f"link {n}" for n in range(50)}),
}


class Agent:
    """Prefers options of higher number, rounds to four digits and counts tokens, as Laya does."""

    def __init__(self, **changes: Any) -> None:
        self.asked: list[dict[str, Any]] = []
        self.changes = changes

    def predict(self, state: str, questions: Any) -> Any:
        assert state == "a page"
        self.asked.append(dict(questions))
        return {"model": "laya-rl-agent", "answers": {key: self._answer(q) for key, q in questions.items()},
                "usage": {"input_tokens": 100, "output_tokens": 0, "truncated": False}}  # fmt: skip

    def _answer(self, question: dict[str, Any]) -> dict[str, Any]:
        weights = {option: 1.0 + (int(option) if option.isdigit() else 0) for option in question["criteria"]}
        total = sum(weights.values())
        shares = {option: round(weight / total, 4) for option, weight in weights.items()}
        choice = max(shares, key=lambda option: shares[option])
        return {"type": "choice", "choice": choice, "probabilities": shares, "confidence": 0.5} | self.changes


def test_what_fits_is_asked_at_once_and_what_does_not_by_a_tournament() -> None:
    agent = Agent()
    reply = LayaClient(agent, "mine").ask("a page", QUESTIONS)
    assert [list(asked) for asked in agent.asked] == [["operation"]] + [["target_CLICK"]] * 4
    assert all(len(q["criteria"]) <= OPTIONS_AT_ONCE for asked in agent.asked for q in asked.values())
    assert agent.asked[0]["operation"] == {
        "type": "choice", "instructions": "What next?", "criteria": {"CLICK": "press", "DONE": "DONE"},
    }  # fmt: skip
    assert list(reply.answers) == list(QUESTIONS)
    target = reply.answers["target_CLICK"]
    assert target.choice == "49"
    assert target.probabilities["49"] == pytest.approx(50 / sum(range(1, 51)), rel=0.02)


def test_its_call_is_free_and_says_which_weights_answered() -> None:
    call = LayaClient(Agent(), "mine").ask("a page", QUESTIONS).call
    assert (call.kind, call.model, call.cost_usd, call.cost_source) == ("decision", "laya:mine", 0.0, "in process")
    assert call.usage == Usage(input_tokens=500, output_tokens=0)


@pytest.mark.parametrize("changes", [{"choice": "WAIT"}, {"probabilities": {}}, {"probabilities": None}])
def test_what_it_says_is_validated_like_any_answer(changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidAnswer) as caught:
        LayaClient(Agent(**changes), "mine").ask("a page", QUESTIONS)
    assert [type(call) for call in caught.value.calls] == [ModelCall]


def test_weights_that_are_not_there_are_not_looked_for_elsewhere(tmp_path: Path) -> None:
    with pytest.raises(DecisionError, match="No folder of Laya's weights is at .*typed-decisions"):
        load_laya(tmp_path / "typed-decisions")


def test_without_its_package_the_way_to_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "laya", None)
    with pytest.raises(DecisionError, match=r"pip install 'browser-agent-lab\[laya\]'"):
        load_laya(tmp_path)


def test_the_package_is_asked_for_the_folder_on_the_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = []

    def load(path: str, device: str) -> Agent:
        loaded.append((path, device))
        return Agent()

    package = ModuleType("laya")
    package.load = load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "laya", package)
    client = load_laya(tmp_path)
    assert loaded == [(str(tmp_path.resolve()), "cpu")]
    assert client.name == f"laya:{tmp_path.name}"
    assert client.ask("a page", QUESTIONS).answers["operation"].choice == "CLICK"
