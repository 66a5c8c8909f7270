import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from agent.decision_model import DecisionModel
from agent.embedded import EmbeddedModel, RulesModel
from agent.embedded.features import FEATURES, RULE_FEATURES, named_features
from agent.embedded.model import scored_features, softmax
from agent.embedded.rules import WEIGHTS
from agent.tick import Candidate, Tick

Make = Callable[..., Any]


@pytest.fixture
def rich(element: Make, page: Make, tick: Make) -> Tick:
    observation = page(
        "Name", element("textbox"), "Mail", element("textbox", value="a@b.c"), element("checkbox", "tea"),
        element("button", "Go"), element("button", "Cancel"), element("slider", value="3"), can_scroll=("down",),
    )  # fmt: skip
    made: Tick = tick('Enter "ada" as name, check tea, set 7 and press Go', observation)
    return made


@pytest.fixture(params=[RulesModel, EmbeddedModel], ids=["rules", "learned"])
def model(request: pytest.FixtureRequest) -> DecisionModel:
    made: DecisionModel = request.param()
    return made


def test_the_probabilities_of_a_decision_agree_with_each_other(rich: Tick, model: DecisionModel) -> None:
    decision = model.decide(rich)
    assert sum(decision.probabilities) <= 1 + 1e-9
    chosen = decision.operation_probability * decision.target_probability
    others = [r.probability for r in decision.runners_up]
    assert others == sorted(others, reverse=True)
    assert chosen >= others[0]
    assert chosen + sum(others) <= 1 + 1e-9
    same = [r.probability for r in decision.runners_up if r.candidate.operation == decision.candidate.operation]
    assert decision.operation_probability >= chosen + sum(same) - 1e-9


def test_a_decision_costs_nothing_and_says_which_model_made_it(rich: Tick, model: DecisionModel) -> None:
    call = model.decide(rich).call
    assert call is not None
    assert (call.model, call.cost_usd, call.usage.input_tokens, call.kind) == (model.name, 0.0, 0, "decision")
    assert call.latency_ms > 0


def test_a_single_candidate_is_certain(rich: Tick) -> None:
    alone = rich.model_copy(update={"candidates": (Candidate(operation="WAIT"),)})
    decision = RulesModel().decide(alone)
    assert (decision.operation_probability, decision.target_probability, decision.runners_up) == (1.0, 1.0, ())


def test_heads_take_the_most_probable_operation_first_and_joint_the_most_probable_candidate(
    element: Make, page: Make, tick: Make
) -> None:
    made = tick("B0 B1 B2", page(*(element("button", f"B{n}") for n in range(3)), can_scroll=("down",)))
    # Three clicks of e^1 are more together than one scroll of e^1.5, and each is less.
    model = RulesModel({"click_named": 1.0, "scroll": 1.5})
    scores = [1.0 if c.operation == "CLICK" else 1.5 if c.operation == "SCROLL_DOWN" else 0.0 for c in made.candidates]
    shares = dict(zip(made.candidates, softmax(np.array(scores)), strict=True))
    chosen = {joint: model.decide(made.model_copy(update={"joint": joint})) for joint in (None, True, False)}
    assert chosen[None].candidate.operation == chosen[True].candidate.operation == "SCROLL_DOWN"
    heads = chosen[False]
    assert heads.candidate.operation == "CLICK"
    assert heads.operation_probability == pytest.approx(sum(p for c, p in shares.items() if c.operation == "CLICK"))
    assert heads.target_probability == pytest.approx(1 / 3)
    assert heads.runners_up[0].candidate.operation == "SCROLL_DOWN"


def test_the_same_tick_gives_the_same_decision(rich: Tick, model: DecisionModel) -> None:
    first, second = model.decide(rich), type(model)().decide(rich)
    assert first.model_copy(update={"call": None}) == second.model_copy(update={"call": None})


def test_a_stored_tick_can_be_decided_again(rich: Tick, model: DecisionModel) -> None:
    stored = Tick.model_validate_json(rich.model_dump_json())
    assert model.decide(stored).candidate == model.decide(rich).candidate


def test_weights_are_data(rich: Tick) -> None:
    eager = RulesModel(WEIGHTS | {"wait": 100.0}, name="eager")
    assert eager.decide(rich).candidate.operation == "WAIT"
    assert eager.decide(rich).call.model == "eager"  # type: ignore[union-attr]


def test_features_are_one_named_vector_per_candidate(rich: Tick) -> None:
    (matrix, rules), named = scored_features(rich), named_features(rich)
    assert matrix.shape == (len(rich.candidates), len(FEATURES))
    assert np.isfinite(matrix).all()
    assert rules == pytest.approx([sum(WEIGHTS[n] * v for n, v in features.items()) for features in named])
    for row, features in zip(matrix, named, strict=True):
        assert features.keys() <= set(RULE_FEATURES)
        told = {name: value for name, value in zip(FEATURES, row, strict=True) if value and name in RULE_FEATURES}
        assert told == pytest.approx({name: value for name, value in features.items() if value})


def test_text_of_a_writer_is_scored_too(rich: Tick) -> None:
    written = Candidate(operation="TYPE", element_id=1, value="composed", text_source="writer")
    assert named_features(rich.model_copy(update={"candidates": (written,)}))[0]["type_written"] == 1.0


@given(arrays(float, st.integers(1, 50), elements=st.floats(-1e6, 1e6)))
def test_softmax_is_a_distribution_that_keeps_the_order(scores: np.ndarray) -> None:
    probabilities = softmax(scores)
    assert probabilities.sum() == pytest.approx(1)
    assert (probabilities >= 0).all()
    assert probabilities[scores.argmax()] == probabilities.max()


# A decision on a page of 300 elements takes about 15 ms on one slow core; ten times that is a fault.
LARGE_PAGE_S = 0.15


def test_a_large_page_is_decided_in_bounded_time(element: Make, page: Make, tick: Make, model: DecisionModel) -> None:
    rows = [element("generic", f"Row {i} by Ada", hint="mail star", scope=f"Row {i} of the list") for i in range(280)]
    fields = [element("textbox", f"Field {i}") for i in range(20)]
    large = tick('Enter "a", "b" and "c" into Field 3 and open row 7', page(*rows, *fields))
    durations = []
    for _ in range(5):
        started = time.perf_counter()
        model.decide(large)
        durations.append(time.perf_counter() - started)
    assert min(durations) < LARGE_PAGE_S
