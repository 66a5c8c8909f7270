"""The policy as a value and as a command line writes it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.policy import DEFAULT_POLICY, SWITCHES, Policy, PolicyError, parse_policy, policy_text


def test_what_is_left_out_is_the_default() -> None:
    assert parse_policy("") == DEFAULT_POLICY
    stated = parse_policy(" press_enter = off , joint=on,dead_after=3,")
    assert stated == Policy(press_enter=False, joint=True, dead_after=3)
    assert policy_text(stated) == "press_enter=off,dead_after=3,joint=on"
    assert policy_text(DEFAULT_POLICY) == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("press_entr=off", "no switch 'press_entr' here; there are guards,"),
        ("press_enter", "press_enter has no value; write press_enter=on"),
        ("press_enter=maybe", "press_enter is 'maybe'; give on, off or a number."),
        ("press_enter=1", "press_enter cannot be 1"),
        ("dead_after=on", "dead_after cannot be on"),
        ("dead_after=0", "dead_after cannot be 0"),
        ("dead_after=2.5", "dead_after cannot be 2.5"),
        ("joint=on,joint=off", "joint is given twice"),
    ],
)
def test_anything_else_is_refused_in_one_sentence(text: str, words: str) -> None:
    with pytest.raises(PolicyError) as caught:
        parse_policy(text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_switch_that_an_agent_has_not_is_refused() -> None:
    assert parse_policy("joint=on", ("joint",)).joint is True
    with pytest.raises(PolicyError, match="there are joint"):
        parse_policy("press_enter=off", ("joint",))


@given(st.dictionaries(st.sampled_from(SWITCHES), st.booleans()))
def test_a_policy_is_read_back_as_it_was_written(switched: dict[str, bool]) -> None:
    stated = Policy(**{name: on for name, on in switched.items() if isinstance(getattr(DEFAULT_POLICY, name), bool)})
    assert parse_policy(policy_text(stated)) == stated
