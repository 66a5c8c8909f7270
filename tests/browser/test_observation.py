"""Observations are frozen and strict, equal but for measurements, and fingerprint what matters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from browser.observation import Box, InteractiveElement, Observation, Scroll, SelectOption, TextBlock, page_key

BOX = Box(x=1, y=2, width=3, height=4)


def element(**fields):
    return InteractiveElement(**{"id": 1, "role": "button", "name": "Go", "box": BOX} | fields)


def test_strict_frozen_and_closed():
    with pytest.raises(ValidationError):
        element(id="1")
    with pytest.raises(ValidationError):
        element(colour="red")
    with pytest.raises(ValidationError):
        element().name = "x"


def test_equality_leaves_out_only_the_settle_time():
    one = Observation(goal="g", url="u", title="t", settle_ms=20.1)
    assert one == one.model_copy(update={"settle_ms": 99.0})
    assert one != one.model_copy(update={"settled": False})
    assert one != "u"


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Stop"}, {"value": "x"}, {"checked": True}, {"expanded": True}, {"disabled": True},
        {"covered_by": "div"}, {"in_viewport": False}, {"filled": True}, {"pressed": False}, {"selected": True},
        {"hint": "liked"}, {"options": (SelectOption(label="a", selected=True),)}, {"role": "link"},
    ],
)  # fmt: skip
def test_page_key_sees_states(change):
    """P10"""
    assert page_key("u", (element(),), ()) != page_key("u", (element(**change),), ())


def test_page_key_is_of_what_the_rows_say_not_of_their_nodes():
    """P10: a page that is loaded again has new ids."""
    assert page_key("u", (element(),), ()) == page_key("u", (element(id=2),), ())


def test_page_key_sees_address_and_text_and_not_position_on_screen():
    base = page_key("u", (element(),), (TextBlock(text="a", position=0),))
    assert base != page_key("v", (element(),), (TextBlock(text="a", position=0),))
    assert base != page_key("u", (element(),), (TextBlock(text="b", position=0),))
    assert page_key("u", (), (), Scroll(y=10)) != page_key("u", (), (), Scroll(y=0))
    assert base == page_key("u", (element(box=Box(x=9, y=9, width=9, height=9)),), (TextBlock(text="a", position=0),))


@given(st.text(), st.text(), st.text())
def test_page_key_takes_any_text(url, name, text):
    key = page_key(url, (element(name=name),), (TextBlock(text=text, position=0),))
    assert len(key) == 16
    assert key == page_key(url, (element(name=name),), (TextBlock(text=text, position=0),))
