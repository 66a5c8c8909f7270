"""The general facts a learned scorer reads: bounded, named, and about what they say they are about."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from agent.embedded.facts_in_set import SET_FACTS
from agent.embedded.features import FEATURES, OWN_FACTS
from agent.embedded.model import scored_features
from agent.tick import PastStep, Tick
from browser.actions import Click, Type
from browser.observation import SelectOption

Make = Callable[..., Any]
Facts = dict[tuple[str, int | None, str | None], dict[str, float]]


@pytest.fixture
def facts(tick: Make) -> Callable[..., Facts]:
    """A function: what holds of each candidate on a page for a goal, without the rules' features and zeros."""

    def read(goal: str, observation: Any, history: tuple[PastStep, ...] = ()) -> Facts:
        made: Tick = tick(goal, observation, history)
        matrix, _ = scored_features(made)
        found = {}
        for candidate, row in zip(made.candidates, matrix, strict=True):
            named = dict(zip(FEATURES, map(float, row), strict=True))
            told = {name: value for name, value in named.items() if value and name in {*OWN_FACTS, *SET_FACTS}}
            found[candidate.operation, candidate.element_id, candidate.value] = told
        return found

    return read


def test_no_two_features_share_a_name_and_all_are_bounded(element: Make, page: Make, tick: Make) -> None:
    assert len(set(FEATURES)) == len(FEATURES)
    everything = page(
        "Total: $12.50", element("textbox", "Name"), element("textbox", "Mail", value="a@b.c"),
        element("checkbox", "tea"),
        element("graphic", "7", shape="circle", color="#ff0000"), element("graphic", "9", shape="odd", color="red"),
        element("button", "Go"), element("slider", value="3"), element("generic", hint="trash icon", scope="Row 2"),
        element("combobox", "Size", tag="select", options=(SelectOption(label="S"), SelectOption(label="M"))),
        can_scroll=("down",),
    )  # fmt: skip
    past = (PastStep(action=Click(element_id=3), role="checkbox", name="tea", page_changed=False, error="covered"),)
    for goal in ('Enter "ada" as name, choose M, delete Row 2 and press Go', "Click the largest red circle", ""):
        matrix, _ = scored_features(tick(goal, everything, past))
        assert np.isfinite(matrix).all()
        assert np.abs(matrix[:, [FEATURES.index(name) for name in OWN_FACTS]]).max() <= 1.0


def test_words_are_set_beside_the_goals(facts: Callable[..., Facts], element: Make, page: Make) -> None:
    found = facts('Click "Save all" now', page(element("button", "Save all"), element("button", "Cancel")))
    save, cancel = found["CLICK", 1, None], found["CLICK", 2, None]
    assert save["name_quoted"] == save["name_in_goal"] == save["role_button"] == save["do_CLICK"] == 1.0
    assert "name_quoted" not in cancel
    assert cancel["state_cancel"] == 1.0
    assert cancel["behind_name_of_goal"] == -save["name_of_goal"] < 0.0


def test_the_past_is_told_of_each_candidate(facts: Callable[..., Facts], element: Make, page: Make) -> None:
    past = (PastStep(action=Click(element_id=1), role="button", name="More", page_changed=False),)
    found = facts("Press Go", page(element("button", "More"), element("button", "Go")), past)
    again, other = found["CLICK", 1, None], found["CLICK", 2, None]
    assert again["step_before"] == pytest.approx(1 / 3)
    assert again["step_last"] == again["step_failed"] == again["past_is_last"] == 1.0
    assert other["past_next"] == other["tick_last_click"] == 1.0
    assert "step_before" not in other
    assert "tick_changed" not in other


def test_what_was_typed_is_not_the_same_as_what_could_be(
    facts: Callable[..., Facts], element: Make, page: Make
) -> None:
    past = (PastStep(action=Type(element_id=1, text="ada"), role="textbox", page_changed=True),)
    found = facts('Enter "ada" and "bob"', page(element("textbox", "A"), element("textbox", "B")), past)
    assert found["TYPE", 1, "ada"]["step_before"] > 0
    assert "step_before" not in found["TYPE", 1, "bob"]
    assert "step_before" not in found["TYPE", 2, "ada"]
    assert found["TYPE", 2, "ada"]["value_typed"] == found["TYPE", 2, "ada"]["text_quoted"] == 1.0


def test_numbers_are_compared_with_their_like(facts: Callable[..., Facts], element: Make, page: Make) -> None:
    found = facts("Click the greatest number", page(*(element("generic", n) for n in ("3", "9", "5"))))
    assert [found["CLICK", i, None].get("number_wanted", 0.0) for i in (1, 2, 3)] == [0.0, 1.0, 0.0]
    assert found["CLICK", 3, None]["number_rank"] == 0.5


def test_the_rules_are_told_as_a_rank_and_a_distance(facts: Callable[..., Facts], element: Make, page: Make) -> None:
    found = facts('Click "B"', page(element("button", "A"), element("button", "B")))
    best = max(found.values(), key=lambda told: told["rule_rank"])
    assert best is found["CLICK", 2, None]
    assert best["rule_lead"] > 0
    assert "rule_behind" not in best
    assert found["CLICK", 1, None]["rule_behind"] < 0
    assert sum(told["rule_share"] for told in found.values()) == pytest.approx(1.0, abs=1e-5)
