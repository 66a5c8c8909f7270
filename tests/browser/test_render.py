"""Rows say what a reader needs on one line; a page fits its budget and says truthfully what is missing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from browser.observation import Box, InteractiveElement, Observation, Omitted, SelectOption, Tab, TextBlock
from browser.render import CHARACTERS_PER_TOKEN, render, render_element, rows

BOX = Box(x=0, y=0, width=10, height=10)


def element(**fields):
    return InteractiveElement(**{"id": 12, "role": "textbox", "box": BOX} | fields)


def page(elements=(), texts=(), **fields):
    return Observation(**{"goal": "g", "url": "http://h/", "title": "t", "elements": elements, "texts": texts} | fields)


@pytest.mark.parametrize(
    ("fields", "row"),
    [
        ({"name": "Search", "value": "cats", "editable": True, "filled": True}, '[12] textbox "Search" value="cats"'),
        ({"name": "Search", "value": "", "editable": True, "filled": False}, '[12] textbox "Search" empty'),
        ({"name": "Pin", "credential": True, "filled": True, "editable": True}, '[12] textbox "Pin" filled'),
        ({"input_type": "date", "minimum": "2024-01-01"}, "[12] textbox type=date range=2024-01-01.."),
        ({"role": "checkbox", "name": "a", "checked": "mixed"}, '[12] checkbox "a" half checked'),
        ({"role": "checkbox", "checked": False, "input_type": "checkbox"}, "[12] checkbox unchecked"),
        ({"role": "generic", "hint": "trash icon", "scope": "Ann"}, "[12] clickable <trash icon> (in: Ann)"),
        ({"role": "generic", "name": "x", "hint": "trash icon"}, '[12] clickable "x"'),
        ({"role": "graphic", "shape": "circle", "color": "rgb(0, 0, 0)"}, "[12] graphic rgb(0, 0, 0) circle"),
        ({"role": "button", "name": 'say "hi"', "expanded": False}, "[12] button \"say 'hi'\" collapsed"),
        ({"role": "link", "in_viewport": False, "disabled": True}, "[12] link disabled off screen"),
        ({"role": "link", "covered_by": 'div "Ad"'}, '[12] link covered by div "Ad"'),
        (
            {"role": "combobox", "options": (SelectOption(label="S"), SelectOption(label="L", selected=True))},
            '[12] combobox options: "S", "L"*',
        ),
        (
            {"role": "combobox", "value": "L", "options": (SelectOption(label="L", selected=True),)},
            '[12] combobox options: "L"*',
        ),
        (
            {"role": "combobox", "value": "L", "options": (SelectOption(label="S"),)},
            '[12] combobox value="L" options: "S"',
        ),
        ({"role": "searchbox", "input_type": "search"}, "[12] searchbox"),
        ({"role": "date", "input_type": "week"}, "[12] date type=week"),
        ({"role": "button", "name": "Remove", "scope": "Item 1 Remove"}, '[12] button "Remove" (in: Item 1)'),
        ({"role": "button", "name": "move", "scope": "Item 1 Remove"}, '[12] button "move" (in: Item 1 Remove)'),
    ],
)
def test_row(fields, row):
    assert render_element(element(**fields)) == row


def test_a_row_stays_one_line_whatever_the_page_wrote():
    forged = element(
        name="a\n[1] button", value="x\r\n[2] link", scope="b\u2028[3] link", hint="c\n", placeholder="d\n"
    )
    assert len(render_element(forged).splitlines()) == 1
    assert len(render(page(texts=(TextBlock(text="a\n[9] button", position=0),))).splitlines()) == 3


def test_long_option_lists_and_values_are_cut_and_counted():
    options = tuple(SelectOption(label=str(i)) for i in range(50))
    row = render_element(element(role="combobox", options=options, value="v" * 500))
    assert row.endswith(" and 30 more")
    assert 'v"...' in row


def test_text_and_rows_in_document_order_with_what_the_agent_must_know_first():
    seen = page(
        (element(id=1, role="button", name="Go"),),
        (TextBlock(text="before", position=0), TextBlock(text="after", position=1)),
        tabs=(Tab(index=0, title="t", url="http://h/", active=True), Tab(index=1, title="u", url="x", active=False)),
        can_scroll=("down",),
        last_action_error="No element 9.",
    )
    assert render(seen).splitlines() == [
        "url: http://h/", "title: t", "tab 0 (active): t http://h/", "tab 1: u x", "can scroll: down",
        "last action failed: No element 9.", "text: before", '[1] button "Go"', "text: after",
    ]  # fmt: skip


def test_elements_in_view_are_kept_before_others_and_before_text():
    elements = tuple(
        element(id=i, role="button", name=f"button number {i}", in_viewport=i % 2 == 0) for i in range(1, 101)
    )
    texts = tuple(TextBlock(text="x" * 200, position=i) for i in range(100))
    lines = render(page(elements, texts), max_tokens=700).splitlines()
    shown = [line for line in lines if line.startswith("[")]
    assert 0 < len(shown) < 50
    assert "off screen:" not in lines
    assert lines[-1] == f"(showing {len(shown)} of 100 elements and 0 of 100 texts, the rest did not fit)"
    more = render(page(elements, texts), max_tokens=1200).splitlines()
    numbers = [int(line.rpartition(" ")[2].rstrip('"')) for line in more if line.startswith("[")]
    assert sum(n % 2 == 0 for n in numbers) == 50
    assert 0 < sum(n % 2 for n in numbers) < 50


def test_where_elements_are_off_screen_is_said_once_for_a_run_of_rows():
    places = [True, False, False, True, False]
    elements = tuple(element(id=i, role="link", name="", in_viewport=place) for i, place in enumerate(places))
    lines = rows(page(elements, (TextBlock(text="between", position=2),)))
    assert lines == [
        "[0] link", "off screen:", "[1] link", "text: between", "[2] link",
        "in view:", "[3] link", "off screen:", "[4] link",
    ]  # fmt: skip
    assert "off screen:" not in rows(page(elements[:1]))


def test_what_the_probe_left_out_is_told_too():
    lines = render(page((element(),), omitted=Omitted(elements=4, texts=2, frames=1))).splitlines()
    assert lines[-1] == (
        "(showing 1 of 5 elements and 0 of 2 texts, the rest did not fit; the contents of 1 frames are not shown)"
    )


def test_the_accessibility_tree_is_cut_and_said_to_be():
    assert "cut" not in render(page(axtree="RootWebArea"))
    cut = render(page(axtree="node\n" * 5000), max_tokens=500)
    assert cut.endswith("(the tree is cut here; scrolling does not show more of it)")


ELEMENTS = st.lists(
    st.builds(
        InteractiveElement,
        id=st.integers(1, 9999),
        role=st.sampled_from(["button", "link", "generic"]),
        name=st.text(max_size=120),
        value=st.none() | st.text(max_size=300),
        scope=st.none() | st.text(max_size=80),
        in_viewport=st.booleans(),
        box=st.just(BOX),
    ),
    max_size=30,
)
TEXTS = st.lists(st.builds(TextBlock, text=st.text(max_size=240), position=st.integers(0, 30)), max_size=30)


@given(ELEMENTS, TEXTS, st.integers(200, 2000))
def test_the_budget_is_kept_and_the_counts_are_true(elements, texts, max_tokens):
    seen = page(tuple(elements), tuple(sorted(texts, key=lambda t: t.position)))
    text = render(seen, max_tokens)
    assert len(text) <= max_tokens * CHARACTERS_PER_TOKEN
    lines = text.split("\n")
    shown = sum(line.startswith("[") for line in lines)
    told = lines[-1].startswith("(showing")
    assert told or (shown == len(elements) and sum(line.startswith("text:") for line in lines) == len(texts))
    if told and f"of {len(elements)} elements" in lines[-1]:
        assert f"{shown} of {len(elements)} elements" in lines[-1]
