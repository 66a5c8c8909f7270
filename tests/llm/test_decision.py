import http.client
import json
import math
import threading
from contextlib import closing
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jevcompat.mock import FAULTS, MockConfig, make_server

from llm.decision import (
    PEAK_TOLERANCE,
    SUM_TOLERANCE,
    Answer,
    ChoiceQuestion,
    DecisionError,
    InvalidAnswer,
    LLMError,
    ModelCall,
    Usage,
    validate,
)

QUESTIONS = {
    "operation": ChoiceQuestion(instructions="What next?", criteria={"CLICK": "click", "TYPE": None, "DONE": None}),
    "target_CLICK": ChoiceQuestion(instructions="Where?", criteria={"1": "Café", "2": None}),
}
SOUND: dict[str, Any] = {
    "operation": {
        "type": "choice",
        "choice": "CLICK",
        "confidence": 0.4,
        "probabilities": {"CLICK": 0.6, "TYPE": 0.3, "DONE": 0.1},
    },
    "target_CLICK": {"choice": "2", "probabilities": {"1": 0.25, "2": 0.75}},
}


def with_operation(**changes: object) -> dict[str, Any]:
    return SOUND | {"operation": SOUND["operation"] | changes}


def test_sound_answers_keep_choice_and_probabilities() -> None:
    assert validate(SOUND, QUESTIONS) == {
        "operation": Answer(choice="CLICK", probabilities={"CLICK": 0.6, "TYPE": 0.3, "DONE": 0.1}),
        "target_CLICK": Answer(choice="2", probabilities={"1": 0.25, "2": 0.75}),
    }


@pytest.mark.parametrize(
    "raw",
    [
        with_operation(confidence=1.5),
        with_operation(confidence=math.nan),
        with_operation(confidence=None),
        with_operation(x_debug=[1]),
        {key: {k: v for k, v in answer.items() if k != "confidence"} for key, answer in SOUND.items()},
        MappingProxyType(SOUND),
        with_operation(probabilities={"CLICK": 1, "TYPE": 0, "DONE": 0}),
        with_operation(probabilities={"CLICK": 0.6, "TYPE": 0.3, "DONE": 0.1 + SUM_TOLERANCE * 0.99}),
        with_operation(probabilities={"CLICK": 0.6, "TYPE": 0.3, "DONE": 0.1 - SUM_TOLERANCE * 0.99}),
        with_operation(probabilities={"CLICK": 0.45, "TYPE": 0.45, "DONE": 0.1}),
        with_operation(probabilities={"CLICK": 0.45 - PEAK_TOLERANCE / 2, "TYPE": 0.45, "DONE": 0.1}),
    ],
    ids=lambda raw: repr(raw)[:90],
)
def test_what_does_not_touch_choice_or_distribution_is_let_pass(raw: object) -> None:
    assert validate(raw, QUESTIONS)["operation"].choice == "CLICK"


@pytest.mark.parametrize(
    ("raw", "part"),
    [
        (None, "not an object"),
        ([], "not an object"),
        ("CLICK", "not an object"),
        ({}, "left out the answer to 'operation'"),
        ({"operation": SOUND["operation"]}, "left out the answer to 'target_CLICK'"),
        (SOUND | {"goal_met": {"noul": 0.5}}, "was not asked"),
        (SOUND | {"operation": None}, "'operation' is not an object"),
        (SOUND | {"operation": "CLICK"}, "'operation' is not an object"),
        (SOUND | {"target_CLICK": {"type": "noul", "noul": 0.5}}, "'target_CLICK' is not one of its options"),
        (with_operation(choice="WAIT"), "not one of its options"),
        (with_operation(choice="click"), "not one of its options"),
        (with_operation(choice=""), "not one of its options"),
        (with_operation(choice=None), "not one of its options"),
        (with_operation(choice=0), "not one of its options"),
        (with_operation(choice=["CLICK"]), "not one of its options"),
        (with_operation(choice="TYPE"), "not its most probable"),
        (with_operation(choice="DONE"), "not its most probable"),
        (with_operation(probabilities=None), "exactly its options"),
        (with_operation(probabilities=[0.6, 0.3, 0.1]), "exactly its options"),
        (with_operation(probabilities={}), "exactly its options"),
        (with_operation(probabilities={"CLICK": 0.7, "TYPE": 0.3}), "exactly its options"),
        (with_operation(probabilities={"CLICK": 0.6, "TYPE": 0.3, "DONE": 0.1, "WAIT": 0.0}), "exactly its options"),
        (with_operation(probabilities={"click": 0.6, "TYPE": 0.3, "DONE": 0.1}), "exactly its options"),
        (with_operation(probabilities={0: 0.6, "TYPE": 0.3, "DONE": 0.1}), "exactly its options"),
        (with_operation(probabilities={"CLICK": 0.67, "TYPE": 0.36, "DONE": 0.17}), "do not sum to 1"),
        (with_operation(probabilities={"CLICK": 0.48, "TYPE": 0.24, "DONE": 0.08}), "do not sum to 1"),
        (with_operation(probabilities={"CLICK": 0.6, "TYPE": 0.3, "DONE": 0.1 + SUM_TOLERANCE * 1.01}), "sum to 1"),
        (with_operation(probabilities={"CLICK": 0.6, "TYPE": 0.3, "DONE": 0.1 - SUM_TOLERANCE * 1.01}), "sum to 1"),
        (with_operation(probabilities={"CLICK": 0.0, "TYPE": 0.0, "DONE": 0.0}), "sum to 1"),
        (with_operation(probabilities={"CLICK": math.nan, "TYPE": 0.3, "DONE": 0.1}), "not in [0, 1]"),
        (with_operation(probabilities={"CLICK": math.inf, "TYPE": 0.3, "DONE": 0.1}), "not in [0, 1]"),
        (with_operation(probabilities={"CLICK": 1.2, "TYPE": -0.3, "DONE": 0.1}), "not in [0, 1]"),
        (with_operation(probabilities={"CLICK": 10**400, "TYPE": 0.0, "DONE": 0.0}), "not in [0, 1]"),
        (with_operation(probabilities={"CLICK": True, "TYPE": False, "DONE": False}), "not a number"),
        (with_operation(probabilities={"CLICK": "0.6", "TYPE": 0.3, "DONE": 0.1}), "not a number"),
        (with_operation(probabilities={"CLICK": None, "TYPE": 0.3, "DONE": 0.1}), "not a number"),
        (with_operation(probabilities={"CLICK": [0.6], "TYPE": 0.3, "DONE": 0.1}), "not a number"),
        (with_operation(probabilities={"CLICK": 0.6 + 0j, "TYPE": 0.3, "DONE": 0.1}), "not a number"),
        (
            with_operation(
                choice="CLICK", probabilities={"CLICK": 0.45 - 3 * PEAK_TOLERANCE, "TYPE": 0.45, "DONE": 0.1}
            ),
            "not its most probable",
        ),
    ],
    ids=lambda value: repr(value)[:90],
)
def test_every_fault_is_refused(raw: object, part: str) -> None:
    with pytest.raises(InvalidAnswer) as caught:
        validate(raw, QUESTIONS)
    assert part in str(caught.value)


def test_a_head_that_was_not_chosen_is_checked_too() -> None:
    with pytest.raises(InvalidAnswer, match="'target_CLICK' do not sum to 1"):
        validate(
            with_operation(choice="DONE", probabilities={"CLICK": 0.1, "TYPE": 0.3, "DONE": 0.6})
            | {"target_CLICK": {"choice": "2", "probabilities": {"1": 0.5, "2": 0.9}}},
            QUESTIONS,
        )


def test_a_message_quotes_nothing_of_the_answer() -> None:
    with pytest.raises(InvalidAnswer) as caught:
        validate(with_operation(choice="secret-of-the-body"), QUESTIONS)
    assert "secret" not in str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["CLICK", "1", "x"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from([*QUESTIONS, "choice", "probabilities", "CLICK", "TYPE", "DONE", "1", "2"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=20,
)


@given(JSON)
def test_any_value_is_sound_or_an_invalid_answer(raw: object) -> None:
    try:
        answers = validate(raw, QUESTIONS)
    except InvalidAnswer:
        return
    prove_sound(answers, QUESTIONS)


@given(st.lists(st.floats(1e-3, 1), min_size=1, max_size=255))
def test_any_distribution_with_its_peak_is_accepted(weights: list[float]) -> None:
    shares = {str(n): weight / math.fsum(weights) for n, weight in enumerate(weights)}
    question = ChoiceQuestion(instructions="", criteria=dict.fromkeys(shares))
    peak = max(shares, key=lambda option: shares[option])
    answers = validate({"q": {"choice": peak, "probabilities": shares}}, {"q": question})
    assert answers["q"].probabilities == shares


def prove_sound(answers: dict[str, Answer], questions: dict[str, ChoiceQuestion]) -> None:
    assert set(answers) == set(questions)
    for key, answer in answers.items():
        shares = answer.probabilities
        assert set(shares) == set(questions[key].criteria)
        assert all(0 <= share <= 1 for share in shares.values())
        assert abs(sum(shares.values()) - 1) <= SUM_TOLERANCE + 1e-9
        assert shares[answer.choice] >= max(shares.values()) - PEAK_TOLERANCE


MUST_BE_REFUSED = {
    "first-question-only",
    "extra-answer",
    "nfd-keys",
    "choice-key-case",
    "choice-sum",
    "choice-second",
}
WIRE_QUESTIONS = {
    "operation": ChoiceQuestion(instructions="What next?", criteria={"CLICK": "click", "TYPE": "type", "DONE": "end"}),
    "target_CLICK": ChoiceQuestion(instructions="Where?", criteria={"Café": "a link", "Bar": "a button"}),
}


def ask_mock(fault: str | None) -> object:
    """Return the `answers` of a mock server with a fault; None where it answers with no JSON object of status 200."""
    questions = {key: {"type": "choice", **question.model_dump()} for key, question in WIRE_QUESTIONS.items()}
    body = json.dumps({"model": "jev-latest", "state": "a page", "questions": questions}).encode()
    with make_server(MockConfig(faults=frozenset({fault} if fault else ()))) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        with closing(http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=5)) as connection:
            connection.request("POST", "/v1/systemone", body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            text = response.read()
        thread.join()
    if response.status != 200:
        return None
    try:
        return json.loads(text)["answers"]
    except json.JSONDecodeError:
        return None


def test_the_clean_mock_is_accepted() -> None:
    prove_sound(validate(ask_mock(None), WIRE_QUESTIONS), WIRE_QUESTIONS)


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_of_a_served_answer_is_refused_or_leaves_it_sound(fault: str) -> None:
    raw = ask_mock(fault)
    if fault in MUST_BE_REFUSED:
        assert raw is not None
        with pytest.raises(InvalidAnswer):
            validate(raw, WIRE_QUESTIONS)
    elif raw is None:
        assert fault in {"wrong-route", "xssi-200", "reject-jev-latest"}
    else:
        prove_sound(validate(raw, WIRE_QUESTIONS), WIRE_QUESTIONS)


def test_one_except_clause_catches_all_that_clients_raise() -> None:
    assert issubclass(InvalidAnswer, DecisionError)
    assert issubclass(DecisionError, LLMError)


def test_what_a_call_does_not_know_is_none_and_never_zero() -> None:
    call = ModelCall(kind="decision", model="m")
    assert call.cost_usd is None
    assert call.usage == Usage(input_tokens=None, cached_tokens=None, output_tokens=None)


def test_an_invalid_answer_carries_the_calls_it_took() -> None:
    call = ModelCall(kind="decision", model="m")
    assert InvalidAnswer("no", (call,)).calls == (call,)
    assert InvalidAnswer("no").calls == ()
