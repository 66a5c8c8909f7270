"""What is left of a patience: rules W1 and W2 of the policy, without a page."""

import pytest

from browser.actions import Click, Finish, Wait
from browser.patience import Patience, Waiting

CLICK = Click(element_id=1)


def test_w1_pauses_double_until_the_streak_is_used_up():
    waiting = Waiting(Patience())
    assert waiting.pauses(Wait()) == (500, 1_000, 1_500)
    assert waiting.ended(Wait(), 1_200, changed=False) is None
    assert waiting.pauses(Wait()) == (500, 1_000, 300)
    assert waiting.ended(Wait(), 1_800, changed=False).startswith("The page did not change in 3 s")
    assert waiting.pauses(Wait()) == ()
    assert waiting.ended(Wait(), 0, changed=False) is not None


@pytest.mark.parametrize("other", ["change", "action"])
def test_w1_a_change_or_another_action_begins_a_new_streak(other):
    waiting = Waiting(Patience())
    waiting.ended(Wait(), 3_000, changed=False)
    if other == "change":
        assert waiting.ended(Wait(), 0, changed=True) is None
    else:
        waiting.pauses(CLICK)
    assert waiting.pauses(Wait()) == (500, 1_000, 1_500)


def test_w2_the_pause_after_actions_without_effect_doubles_to_its_end():
    waiting = Waiting(Patience())
    pauses = []
    for _ in range(4):
        pauses += waiting.pauses(CLICK)
        assert waiting.ended(CLICK, 100, changed=False) is None
    assert pauses == [250, 500, 1_000, 1_000]
    waiting.ended(CLICK, 0, changed=True)
    assert waiting.pauses(CLICK) == (250,)
    assert waiting.pauses(Finish(message="")) == ()


def test_switched_off_nothing_is_waited_and_nothing_told():
    waiting = Waiting(Patience(wait_pauses=(), unchanged=()))
    assert (waiting.pauses(Wait()), waiting.pauses(CLICK)) == ((), ())
    assert waiting.ended(Wait(), 0, changed=False) is None
