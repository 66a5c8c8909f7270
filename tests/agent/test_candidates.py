from typing import Any

import pytest

from agent.candidates import CUT_OFF, build_candidates, dead_targets
from agent.carrying_out import to_action
from agent.policy import Policy
from agent.tick import Candidate, PastStep
from browser.actions import ActionName, Click, Finish, GoBack, Press, Select, Type, Wait, check_action
from browser.actions import Scroll as ScrollAction
from browser.observation import Box, InteractiveElement, Observation, SelectOption, TextBlock

BOX = Box(x=0, y=0, width=10, height=10)
ALL: tuple[ActionName, ...] = ("click", "type", "select", "scroll", "press", "go_back", "wait", "finish")


def element(element_id: int = 1, **changes: Any) -> InteractiveElement:
    return InteractiveElement(**{"id": element_id, "role": "button", "tag": "button", "box": BOX, **changes})


def field(element_id: int = 1, **changes: Any) -> InteractiveElement:
    return element(element_id, **{"role": "textbox", "tag": "input", "editable": True, "filled": False, **changes})


def page(*elements: InteractiveElement, **changes: Any) -> Observation:
    return Observation(**{"goal": "", "url": "http://a/", "title": "", "elements": elements, **changes})


def offers(
    goal: str, observation: Observation, *, history: tuple[PastStep, ...] = (), offered: tuple[ActionName, ...] = ALL,
    **options: Any,
) -> list[tuple[str, int | None, str | None]]:  # fmt: skip
    found = build_candidates(goal, observation, history, offered, **options)
    return [(c.operation, c.element_id, c.value) for c in found]


def clicked(element_id: int, changed: bool) -> PastStep:
    return PastStep(action=Click(element_id=element_id), page_changed=changed)


def test_a_field_takes_the_goals_value_and_a_press_of_enter_once_it_holds_one() -> None:
    assert ("TYPE", 1, "ada") in offers('Enter "ada"', page(field()))
    held = offers('Enter "ada"', page(field(value="ada", filled=True)))
    assert ("PRESS", 1, "Enter") in held
    assert ("TYPE", 1, "ada") not in held


def test_enter_is_not_offered_on_what_cannot_take_it_nor_where_the_policy_says_no() -> None:
    """A2: beside TYPE and CLICK, on a field that holds a value and takes typing."""
    assert ("PRESS", 1, "Enter") not in offers("", page(field()))
    assert ("PRESS", 1, "Enter") not in offers("", page(field(value="ada", filled=True, readonly=True)))
    assert ("PRESS", 1, "Enter") not in offers("", page(element(value="ada", filled=True)))
    held = page(field(value="ada", filled=True))
    assert ("PRESS", 1, "Enter") not in offers("", held, policy=Policy(press_enter=False))


def test_no_typing_without_a_field_or_without_a_text() -> None:
    """A1"""
    assert not [o for o in offers('Enter "ada"', page(element(), field(2, readonly=True))) if o[0] == "TYPE"]
    assert not [o for o in offers("Click it", page(field())) if o[0] == "TYPE"]


@pytest.mark.parametrize("state", [{"disabled": True}, {"covered_by": "dialog"}])
def test_a_control_that_cannot_be_reached_has_no_candidates(state: dict[str, Any]) -> None:
    """P6"""
    hidden = page(field(1, value="x", filled=True, **state), element(2, **state))
    assert not [o for o in offers('Enter "ada"', hidden) if o[1] is not None]


def test_a_control_that_is_only_cut_off_is_offered_where_something_scrolls() -> None:
    """P6"""
    cut = element(1, covered_by=CUT_OFF)
    assert ("CLICK", 1, None) in offers("", page(cut, can_scroll=("down",)))
    assert ("CLICK", 1, None) not in offers("", page(cut))


def test_menus_are_worked_by_keys_where_the_goal_gives_a_path_however_often_they_showed_nothing() -> None:
    menu = page(element(1, role="menuitem", name="Edit"), element(2, role="menuitem", name="File"))
    idle = tuple(PastStep(action=Press(element_id=1, key="ArrowDown"), page_changed=False) for _ in range(3))
    assert ("PRESS", 1, "ArrowDown") in offers("Select File > Recent", menu, history=idle)
    assert ("PRESS", 1, "ArrowDown") not in offers("Select File", menu)


def test_escape_is_offered_while_something_covers_a_control() -> None:
    assert ("PRESS", None, "Escape") in offers("", page(element(covered_by="dialog")))
    assert ("PRESS", None, "Escape") not in offers("", page(element()))


def test_options_are_selected_and_a_select_is_not_clicked() -> None:
    options = (SelectOption(label="a", selected=True), SelectOption(label="b"), SelectOption(label="c", disabled=True))
    assert offers("", page(element(tag="select", role="combobox", options=options)), offered=("click", "select")) == [
        ("SELECT", 1, "b")
    ]


def test_two_idle_clicks_withhold_a_click_until_the_page_moves_again() -> None:
    """A3"""
    idle, moved = clicked(1, False), clicked(1, True)
    assert dead_targets((idle,)) == frozenset()
    assert dead_targets((idle, clicked(2, True), idle)) == {1}
    assert dead_targets((idle, idle, moved)) == frozenset()
    both = page(element(), element(2))
    assert offers("", both, history=(idle, idle), offered=("click",)) == [("CLICK", 2, None)]
    for policy in (Policy(dead_targets=False), Policy(dead_after=3)):
        assert len(offers("", both, history=(idle, idle), offered=("click",), policy=policy)) == 2


def test_two_idle_presses_withhold_a_key_until_the_page_changes() -> None:
    """A3"""
    field = page(element(editable=True, filled=True, value="x", tag="input", role="textbox"))
    idle = PastStep(action=Press(element_id=1, key="Enter"), page_changed=False)
    enter = ("PRESS", 1, "Enter")
    assert enter in offers("", field, history=(idle,), offered=("press",))
    assert enter not in offers("", field, history=(idle, idle), offered=("press",))
    assert enter not in offers("", field, history=(idle, clicked(2, False), idle), offered=("press",))
    assert enter in offers("", field, history=(idle, idle, clicked(2, True)), offered=("press",))
    assert enter in offers("", field, history=(idle, idle), offered=("press",), policy=Policy(dead_targets=False))


@pytest.mark.parametrize(
    ("goal", "state", "is_offered"),
    [
        ("Select Ada and submit", {"checked": False}, True),
        ("Select Ada and submit", {"checked": True}, False),
        ("Uncheck Ada and submit", {"checked": True}, True),
        ("Select Bob and submit", {"checked": True}, True),
        ("Select Bob and submit", {"role": "radio", "checked": True}, False),
    ],
)
def test_no_click_undoes_what_the_goal_asks_for(goal: str, state: dict[str, Any], is_offered: bool) -> None:
    """A4"""
    box = element(**{"role": "checkbox", "tag": "input", "name": "Ada", **state})
    assert (("CLICK", 1, None) in offers(goal, page(box))) is is_offered
    assert ("CLICK", 1, None) in offers(goal, page(box), policy=Policy(toggle_guard=False))


def test_a_slider_is_moved_by_keys() -> None:
    keys = [o[2] for o in offers("", page(element(role="slider")), offered=("press",))]
    assert {"ArrowRight", "ArrowLeft", "PageUp", "PageDown"} <= set(keys)


def test_a_credential_field_takes_only_what_the_goal_quotes_and_only_when_allowed() -> None:
    """A6"""
    secret = page(field(credential=True, input_type="password"), texts=(TextBlock(text="copied text", position=0),))
    goal = 'Copy the text; enter the password "x1" for Ada on 10/10/2020'
    assert not [o for o in offers(goal, secret) if o[0] == "TYPE"]
    allowed = build_candidates(goal, secret, (), ALL, allow_goal_credentials=True)
    assert [(c.value, c.value_kind) for c in allowed if c.operation == "TYPE"] == [("x1", "quoted")]


def test_computed_values_can_be_switched_off() -> None:
    sums = page(field(), texts=(TextBlock(text="4 + 7 =", position=0),))
    assert ("TYPE", 1, "11") in offers("Solve the problem", sums)
    assert ("TYPE", 1, "11") not in offers("Solve the problem", sums, computed_values=False)


def test_only_offered_operations_that_can_be_carried_out_are_candidates() -> None:
    """A1"""
    full = page(can_scroll=("down",), can_go_back=True)
    assert offers("", full) == [(name, None, None) for name in ("SCROLL_DOWN", "GO_BACK", "WAIT", "DONE", "BLOCKED")]
    assert offers("", page(), offered=("scroll", "go_back")) == []


def test_many_fields_and_values_stay_bounded() -> None:
    goal = " ".join(f'"value {i}"' for i in range(30))
    fields = [field(i) for i in range(1, 13)]
    typed = [o for o in offers(goal, page(*fields)) if o[0] == "TYPE"]
    assert len(typed) <= 72
    assert {o[1] for o in typed} == set(range(1, 13))


@pytest.mark.parametrize(
    ("candidate", "action"),
    [
        (Candidate(operation="CLICK", element_id=1), Click(element_id=1)),
        (Candidate(operation="TYPE", element_id=1, value="a"), Type(element_id=1, text="a")),
        (Candidate(operation="SELECT", element_id=1, value="a"), Select(element_id=1, option="a")),
        (Candidate(operation="PRESS", element_id=1, value="Enter"), Press(element_id=1, key="Enter")),
        (Candidate(operation="SCROLL_UP"), ScrollAction(direction="up")),
        (Candidate(operation="GO_BACK"), GoBack()),
        (Candidate(operation="WAIT"), Wait()),
        (Candidate(operation="DONE"), Finish(message="")),
        (Candidate(operation="BLOCKED"), None),
    ],
)
def test_a_candidate_becomes_its_action(candidate: Candidate, action: object) -> None:
    assert to_action(candidate) == action


def test_every_candidate_passes_the_environments_own_check() -> None:
    options = (SelectOption(label="a", selected=True), SelectOption(label="b"))
    rich = page(
        field(1), field(2, filled=True, value="x"), element(3), element(4, role="slider"),
        element(5, tag="select", role="combobox", options=options), element(6, covered_by="dialog"),
        can_scroll=("up", "down"), can_go_back=True,
    )  # fmt: skip
    for candidate in build_candidates('Enter "ada" and 7', rich, (), ALL):
        action = to_action(candidate)
        if action is not None:
            check_action(action, rich, ALL)


def test_an_editors_own_text_is_offered_to_be_styled_where_nothing_can_be_selected() -> None:
    goal = "Make all the text bold."
    editor = field(1, tag="div", value="one two", filled=True)
    plain = field(2, value="three", filled=True)
    secret = field(3, tag="div", value="four", filled=True, credential=True)
    rewritten = ("TYPE", 1, "one two")
    assert rewritten in offers(goal, page(editor, plain, secret))
    assert not {("TYPE", 2, "three"), ("TYPE", 3, "four")} & set(offers(goal, page(editor, plain, secret)))
    assert rewritten not in offers(goal, page(editor), offered=(*ALL, "keys"))
    assert rewritten not in offers("Make the word two bold.", page(editor))
