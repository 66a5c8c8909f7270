from collections import Counter
from typing import Any

import pytest

from agent.agent import AgentStep
from agent.baselines import RandomAgent, SubmitOnceAgent
from browser.actions import CORE_ACTIONS, Click, check_action
from browser.observation import Box, InteractiveElement, Observation

BOX = Box(x=0, y=0, width=10, height=10)


def element(id_: int, role: str = "button", name: str = "", **fields: Any) -> InteractiveElement:
    return InteractiveElement(id=id_, role=role, name=name, box=BOX, **fields)


LINKS = tuple(element(n, "link", f"Link {n}") for n in range(1, 20))
FIELD = element(50, "textbox", "Name", editable=True, tag="input")
PAGE = Observation(goal='Enter "ada"', url="http://a:1/", title="t", elements=(*LINKS, FIELD), can_scroll=("down",))


def run(agent: RandomAgent, steps: int, page: Observation = PAGE) -> list[AgentStep]:
    agent.reset()
    return [agent.step(page) for _ in range(steps)]


def actions(steps: list[AgentStep]) -> list[object]:
    return [step.action for step in steps]


def test_random_steps_are_allowed_actions_without_a_model() -> None:
    for step in run(RandomAgent(0), 50):
        assert step.action is not None
        check_action(step.action, PAGE, CORE_ACTIONS)
        assert step.calls == ()
        assert step.detail is not None
        assert step.detail.operation_probability * step.detail.target_probability <= 1


def test_operations_are_drawn_evenly_however_many_targets_they_have() -> None:
    operations = Counter(step.detail.operation for step in run(RandomAgent(1), 2_000) if step.detail)
    assert set(operations) == {"CLICK", "TYPE", "SCROLL_DOWN", "WAIT"}
    assert max(operations.values()) < 1.25 * min(operations.values())


def test_targets_of_an_operation_are_drawn_evenly() -> None:
    clicks = Counter(a.element_id for a in actions(run(RandomAgent(2), 8_000)) if isinstance(a, Click))
    assert set(clicks) == {e.id for e in PAGE.elements}
    assert max(clicks.values()) < 2 * min(clicks.values())


def test_an_episode_repeats_whatever_ran_before_it() -> None:
    fresh = actions(run(RandomAgent(7), 20))
    used = RandomAgent(7)
    run(used, 5, PAGE.model_copy(update={"goal": "Another goal"}))
    assert actions(run(used, 20)) == fresh


def test_the_address_and_ids_which_change_from_run_to_run_do_not_change_the_draws() -> None:
    moved = tuple(e.model_copy(update={"id": e.id + 1_000}) for e in PAGE.elements)
    other = PAGE.model_copy(update={"url": "http://a:2/", "elements": moved, "page_key": "other"})

    def operations(page: Observation) -> list[str]:
        return [step.detail.operation for step in run(RandomAgent(7), 20, page) if step.detail]

    assert operations(other) == operations(PAGE)


@pytest.mark.parametrize(
    ("seed", "page"),
    [
        (8, PAGE),
        (7, PAGE.model_copy(update={"goal": 'Enter "bob"'})),
        (7, PAGE.model_copy(update={"elements": PAGE.elements[1:]})),
    ],
    ids=["seed", "goal", "controls"],
)
def test_another_seed_goal_or_page_draws_differently(seed: int, page: Observation) -> None:
    def operations(steps: list[AgentStep]) -> list[str]:
        return [step.detail.operation for step in steps if step.detail]

    assert operations(run(RandomAgent(seed), 40, page)) != operations(run(RandomAgent(7), 40))


def test_chance_is_blocked_where_it_could_only_stop() -> None:
    empty = Observation(goal="g", url="u", title="t")
    (step,) = run(RandomAgent(0, ("click", "finish")), 1, empty)
    assert (step.action, step.end) == (None, "blocked")


@pytest.mark.parametrize(
    ("elements", "expected"),
    [
        ((element(1, "link", "Home"), element(2, name="Submit")), 2),
        ((element(1, name="Cancel"), element(2, name="OK")), 2),
        ((element(1, name="Cancel"), element(2, name="Log in")), 2),
        ((element(1, name="Cancel"), element(2, "generic", value="Search!", tag="button")), 2),
        ((element(1, name="Cancel"), element(2, name="", hint="btn submit")), 2),
        ((element(1, name="Cancel"), element(2, input_type="submit", name="Weiter")), 2),
        ((element(1, input_type="submit", name="Weiter"), element(2, name="Done")), 2),
        ((element(1, name="Cancel"), element(2, "img", input_type="image")), 2),
        ((element(1, "link", "Submit a story"), element(2, name="Cancel")), 2),
        ((element(1, "link", "A"), element(2, name="B"), element(3, name="C")), 2),
        ((element(1, "link", "A"), element(2, "link", "B")), 1),
        ((element(1, name="Goggles"), element(2, name="Go")), 2),
        ((element(1, name="Submit", disabled=True), element(2, "link", "B")), 2),
        ((element(1, name="Submit", covered_by="a dialog"), element(2, name="OK")), 2),
    ],
    ids=lambda value: " ".join(e.name or e.hint for e in value) if isinstance(value, tuple) else str(value),
)
def test_the_one_press_is_on_the_most_submit_like_control(
    elements: tuple[InteractiveElement, ...], expected: int
) -> None:
    page = PAGE.model_copy(update={"elements": elements})
    assert SubmitOnceAgent().step(page).action == Click(element_id=expected)


def test_there_is_one_press_an_episode() -> None:
    agent = SubmitOnceAgent()
    first, second = agent.step(PAGE), agent.step(PAGE)
    assert first.action == Click(element_id=1)
    assert (second.action, second.end, second.calls) == (None, "blocked", ())
    agent.reset()
    assert agent.step(PAGE).action == first.action


@pytest.mark.parametrize("offered", [("type",), CORE_ACTIONS])
def test_where_nothing_can_be_clicked_it_is_blocked(offered: Any) -> None:
    page = PAGE if offered == ("type",) else PAGE.model_copy(update={"elements": ()})
    step = SubmitOnceAgent(offered).step(page)
    assert (step.action, step.end) == (None, "blocked")
