"""The embedded models by name: each differs from the whole in one part, and exploring follows from the episode."""

from collections.abc import Callable
from typing import Any

import pytest

from agent.decision_models import EMBEDDED_MODELS
from agent.embedded import RulesModel
from agent.embedded.blinded import Blinded, without_computed, without_hints
from agent.embedded.exploring import WAYS, Exploring
from agent.embedded.scorer import WeightsError
from agent.embedded.variants import make_embedded
from agent.tick import Candidate, Tick

Make = Callable[..., Any]


@pytest.fixture
def form(element: Make, page: Make, tick: Make) -> Tick:
    observation = page(
        "2 + 5 =", element("textbox", "Answer"), element("button", "Go"), element("generic", hint="trash")
    )
    made: Tick = tick("Solve the math problem, type the answer and press Go", observation)
    return made


def test_every_name_is_a_model_of_its_own(form: Tick) -> None:
    models = [make_embedded(name) for name in EMBEDDED_MODELS]
    assert len({model.name for model in models}) == len(EMBEDDED_MODELS)
    assert all(model.decide(form).candidate in form.candidates for model in models)
    with pytest.raises(KeyError):
        make_embedded("nothing")
    with pytest.raises(WeightsError, match="has no weights"):
        make_embedded("embedded-rules", "weights.npz")


def test_without_computed_texts_none_is_chosen_and_all_others_stay(form: Tick) -> None:
    computed = [i for i, c in enumerate(form.candidates) if (c.value_kind or "").startswith("computed_")]
    assert computed
    assert RulesModel().decide(form).candidate in [form.candidates[i] for i in computed]
    decision = Blinded(RulesModel(), without_computed, "blind").decide(form)
    assert decision.candidate not in [form.candidates[i] for i in computed]
    assert [decision.probabilities[i] for i in computed] == [0.0] * len(computed)
    assert sum(decision.probabilities) == pytest.approx(1.0)
    assert decision.call is not None
    assert decision.call.model == "blind"
    only = form.model_copy(update={"candidates": tuple(form.candidates[i] for i in computed)})
    assert without_computed(only) == only


def test_without_hints_an_icon_says_nothing(form: Tick) -> None:
    seen = without_hints(form)
    assert [e.hint for e in form.observation.elements] == ["", "", "trash"]
    assert [e.hint for e in seen.observation.elements] == ["", "", ""]
    assert seen.candidates == form.candidates


def drawn(key: str, tick: Tick, steps: int = 40) -> tuple[tuple[float, float], list[Candidate]]:
    model = Exploring(RulesModel(), "exploring")
    model.begin_episode(key)
    return (model.temperature, model.epsilon), [model.decide(tick).candidate for _ in range(steps)]


def test_an_episodes_draws_follow_from_its_key_alone(form: Tick) -> None:
    assert drawn("a/1", form) == drawn("a/1", form)
    ways = {drawn(f"task/{n}", form, 0)[0] for n in range(200)}
    assert ways == set(WAYS)
    model = Exploring(RulesModel(), "exploring")
    for n in range(50):
        model.begin_episode(f"task/{n}", again=True)
        assert model.temperature or model.epsilon


def test_straying_is_what_the_way_says_and_keeps_the_models_own_probabilities(form: Tick) -> None:
    own = RulesModel().decide(form)
    tried: dict[tuple[float, float], set[Candidate]] = {}
    for n in range(200):
        way, chosen = drawn(f"task/{n}", form)
        tried.setdefault(way, set()).update(chosen)
    assert tried[0.0, 0.0] == {own.candidate}
    assert {candidate.operation for candidate in tried[0.0, 0.2]} == {c.operation for c in form.candidates} - {"WAIT"}
    assert len(tried[1.0, 0.0]) > 1
    model = Exploring(RulesModel(), "exploring")
    model.temperature, model.epsilon = 1.0, 0.5
    for _ in range(20):
        decision = model.decide(form)
        assert decision.probabilities == own.probabilities
        told = decision.operation_probability * decision.target_probability
        assert told == pytest.approx(own.probabilities[form.candidates.index(decision.candidate)])


def test_exploring_neither_finishes_nor_gives_up(form: Tick) -> None:
    endings = tuple(Candidate(operation=operation) for operation in ("DONE", "BLOCKED"))
    ending = form.model_copy(update={"candidates": (*form.candidates, *endings)})
    model = Exploring(RulesModel(), "exploring")
    model.temperature, model.epsilon = 0.0, 1.0
    assert not {model.decide(ending).candidate for _ in range(200)} & set(endings)
    alone = form.model_copy(update={"candidates": endings[:1]})
    assert model.decide(alone).candidate == endings[0]
