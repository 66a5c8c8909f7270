"""Rows survive the disk unchanged, keys tell settings apart, and no credential is ever in a row."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from agent.agent import AgentStep, Choice, DecisionDetail, Plan, PlanStep
from benchmark.records.rows import (
    CREDENTIAL_TEXT,
    EpisodeRecord,
    StepRecord,
    full_reward,
    settings_hash,
    total,
    without_credentials,
)
from browser.actions import Click, Press, Type
from browser.observation import Box, InteractiveElement, Observation

PASSWORD_FIELD, TEXT_FIELD = 2, 3
PAGE = Observation(
    goal="",
    url="",
    title="",
    elements=tuple(
        InteractiveElement(
            id=number, role="textbox", editable=True, credential=credential, box=Box(x=0, y=0, width=1, height=1)
        )
        for number, credential in ((PASSWORD_FIELD, True), (TEXT_FIELD, False))
    ),
)


def typed(text: str, element_id: int) -> AgentStep:
    label = f"TYPE {text!r} into [{element_id}]"
    detail = DecisionDetail(
        operation="TYPE",
        operation_probability=0.5,
        target_probability=0.4,
        runners_up=(Choice(label=label, probability=0.2),),
    )
    plan = Plan(steps=(PlanStep(text=label),))
    return AgentStep(action=Type(element_id=element_id, text=text), reason=label, detail=detail, plan=plan)


def test_a_step_row_comes_back_as_it_was_written(make_step: Callable[..., StepRecord]) -> None:
    row = make_step()
    assert StepRecord.model_validate_json(row.model_dump_json()) == row


def test_a_stored_action_keeps_its_type_and_an_element_leaves_out_defaults(
    make_step: Callable[..., StepRecord],
) -> None:
    written = json.loads(make_step().model_dump_json())
    assert written["action"] == {"type": "click", "element_id": 1}
    assert set(written["observation"]["elements"][0]) == {"id", "role", "name", "box"}


def test_an_episode_row_comes_back_as_it_was_written(make_episode: Callable[..., EpisodeRecord]) -> None:
    row = make_episode(settings={"environment": {"actions": ["click"], "max_steps": 10, "strict_url": False}})
    again = EpisodeRecord.model_validate_json(row.model_dump_json())
    assert again == row
    assert again.key == row.key
    assert {again.key} == {row.key}


@pytest.mark.parametrize("fields", [{"surprise": 1}, {"end": "won"}, {"seed": "3"}, {"format_version": 2}])
def test_a_row_with_anything_unexpected_is_refused(make_episode: Callable[..., EpisodeRecord], fields: Any) -> None:
    with pytest.raises(ValidationError, match=next(iter(fields))):
        make_episode(**fields)


@pytest.mark.parametrize(
    ("end", "scored"),
    [("success", True), ("failed", True), ("blocked", True), ("browser_crash", False), ("cancelled", False)],
)
def test_infrastructure_ends_are_not_scored(make_episode: Callable[..., EpisodeRecord], end: str, scored: bool) -> None:
    assert make_episode(end=end).scored is scored


def test_settings_hash_ignores_order_and_sees_every_value() -> None:
    base = settings_hash({"agent": {"name": "jev", "model": None}, "max_steps": 10, "strict_url": False})
    assert settings_hash({"strict_url": False, "max_steps": 10, "agent": {"model": None, "name": "jev"}}) == base
    others = [
        {"agent": {"name": "jev", "model": "m"}, "max_steps": 10, "strict_url": False},
        {"agent": {"name": "jev", "model": None}, "max_steps": 11, "strict_url": False},
        {"agent": {"name": "jev", "model": None}, "max_steps": 10, "strict_url": True},
    ]
    assert len({base, *map(settings_hash, others)}) == 4


@pytest.mark.parametrize(
    ("parts", "expected"), [([], 0), ([0, 0], 0), ([1, 2], 3), ([1, None], None), ([None], None), ([0.25, 0.5], 0.75)]
)
def test_a_total_is_unknown_as_soon_as_a_part_is(parts: list[Any], expected: Any) -> None:
    assert total(parts) == expected


@pytest.mark.parametrize(
    ("reward", "raw", "expected"),
    [(1.0, 1.0, 1.0), (1.0, 0.99, 1.0), (1.0, 0.98, 0.0), (1.0, 0.1, 0.0), (0.0, -1.0, 0.0), (1.0, None, None),
     # A page that says 1 although the environment refused the reward: a reload, for one.
     (0.0, 1.0, 0.0)],
)  # fmt: skip
def test_full_reward(reward: float, raw: float | None, expected: float | None) -> None:
    assert full_reward(reward, raw) == expected


@given(st.text(min_size=1).map(lambda text: f"geheim-{text}"))
def test_nothing_of_a_text_typed_into_a_credential_field_is_kept(secret: str) -> None:
    written = without_credentials(typed(secret, PASSWORD_FIELD), PAGE)
    assert "geheim" not in written.model_dump_json()
    assert written.action == Type(element_id=PASSWORD_FIELD, text=CREDENTIAL_TEXT)
    assert written.detail is not None
    assert [choice.probability for choice in written.detail.runners_up] == [0.2]


@pytest.mark.parametrize(
    "step",
    [
        typed("Ada", TEXT_FIELD),
        typed("Ada", 99),
        AgentStep(action=Press(element_id=PASSWORD_FIELD, key="Enter"), reason="send it"),
        AgentStep(action=Click(element_id=PASSWORD_FIELD), reason="focus it"),
        AgentStep(action=None, end="blocked", reason="stuck"),
    ],
)
def test_other_steps_are_kept_whole(step: AgentStep) -> None:
    assert without_credentials(step, PAGE) == step


def test_a_step_on_a_credential_field_without_reason_or_detail() -> None:
    step = AgentStep(action=Type(element_id=PASSWORD_FIELD, text="x"))
    assert without_credentials(step, PAGE).reason == ""
