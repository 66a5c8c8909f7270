"""One fixture page for each kind of page: what is seen of it, and what an action does there. See docs/pages.md."""

import io
import json

import pytest
from PIL import Image

from browser.actions import EXTENDED_ACTIONS, Click, Press, Scroll, ScrollIn, Select, Type
from browser.patience import Patience
from browser.picture import MASK
from browser.render import render
from browser.session import BrowserOptions, BrowserSession

# These pages answer at once or not at all.
NONE = Patience(unchanged=())


def names(page):
    return [e.name for e in page.observation.elements]


def click(page, name):
    return page.act(Click(element_id=page.id(name)))


def row(page, name):
    return page.observation.element(page.id(name))


def test_shadow_roots_and_slots(open_fixture):
    page = open_fixture("shadow.html")
    assert [(e.role, e.name, e.scope) for e in page.observation.elements] == [
        ("spinbutton", "Amount", "Pear 2.50 Amount Add Pear Details of pears"),
        ("button", "Add Pear", None),
        ("link", "Details of pears", None),
        ("spinbutton", "Amount", "Plum price on request Amount Add Plum"),
        ("button", "Add Plum", None),
    ]
    assert page.texts() == ["Pear", "2.50", "Plum", "price on request", "Basket: empty"]
    page.act(Type(element_id=4, text="3"))
    click(page, "Add Plum")
    assert page.texts()[-1] == "Basket: 3 Plum"
    assert click(page, "Details of pears").url.endswith("#pear")


def test_a_closed_shadow_root_is_not_read(open_fixture):
    page = open_fixture("shadow.html")
    assert page.js("document.querySelector('shop-sealed').getBoundingClientRect().height") > 0
    assert "Sealed" not in page.observation.model_dump_json()


OPENERS = [("Open the terms", "link"), ("Choose a seat", "popup"), ("Print", "late")]


def test_a_tab_behind_others_is_looked_at_as_if_it_were_in_front(open_fixture):
    """P2: the driver holds every tab visible, so that timers run and nothing waits for a tab to be activated."""
    page = open_fixture("moving.html")
    behind = page.env.page
    in_front = behind.context.new_page()
    in_front.bring_to_front()
    assert behind.evaluate("document.visibilityState") == "visible"
    behind.evaluate("void setTimeout(() => say('later'), 50)")
    behind.wait_for_function("document.getElementById('said').textContent === 'later'", timeout=2_000)
    seen = json.loads(
        page.env.session.world(behind).look({"quiet": 20, "cap": 600, "wait": 0, "maxElements": 9, "maxTexts": 9})
    )
    assert (seen["settled"], [row["name"] for row in seen["elements"]][:1]) == (True, ["Runner"])


@pytest.mark.parametrize(("opener", "query"), OPENERS)
def test_new_tabs_and_pop_ups(open_fixture, opener, query):
    """P2"""
    page = open_fixture("tabs.html")
    assert page.observation.tabs == ()
    click(page, opener)
    if query == "late" and not page.observation.tabs:
        page.act(Scroll(direction="down"))
    seen = page.observation
    assert [(t.index, t.title, t.active) for t in seen.tabs] == [(0, "Tabs", False), (1, "Another tab", True)]
    assert (seen.title, seen.url.partition("?")[2], names(page)) == ("Another tab", query, ["Take 12A"])
    assert "tab 1 (active): Another tab" in render(seen)
    seen = click(page, "Take 12A")
    assert (seen.title, seen.tabs) == ("Tabs", ())
    # A link of this kind gives the new tab no way back to its opener.
    assert page.texts() == ["No seat" if query == "link" else "Seat 12A"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("accept", ["alerted", "confirmed true", "prompted Ada"]),
        ("dismiss", ["alerted", "confirmed false", "prompted null"]),
    ],
)
def test_native_dialogs_are_answered_and_told(open_fixture, session, monkeypatch, answer, said):
    """P7"""
    monkeypatch.setattr(session, "options", BrowserOptions(dialogs=answer))
    page = open_fixture("dialogs.html")
    told = []
    for name, text in zip(("Alert", "Confirm", "Prompt"), said, strict=True):
        seen = click(page, name)
        assert (page.texts(), seen.last_action_error) == ([text], None)
        told += [(d.kind, d.message, d.answer) for d in seen.dialogs]
    ok, name = ("OK", "Ada") if answer == "accept" else ("Cancel", "Cancel")
    assert told == [("alert", "Saved for now", ok), ("confirm", "Delete all?", ok), ("prompt", "Your name?", name)]
    assert page.act(Scroll(direction="down")).dialogs == (), "told once"


def test_a_page_that_asks_before_it_is_left_is_left(open_fixture):
    page = open_fixture("dialogs.html")
    page.act(Type(element_id=page.id("Draft"), text="unsaved"))
    seen = click(page, "Leave")
    assert (seen.title, [d.kind for d in seen.dialogs]) == ("Another tab", ["beforeunload"])


def test_native_selects(open_fixture):
    page = open_fixture("selects.html")
    size, toppings, city, country = page.observation.elements
    assert [(e.role, e.name, e.value, e.multiple) for e in page.observation.elements] == [
        ("combobox", "Size", "Medium", False),
        ("listbox", "Toppings", "Olives", True),
        ("combobox", "City", "Paris", False),
        ("combobox", "Country", "-- choose --", False),
    ]
    assert [(o.label, o.group, o.disabled) for o in city.options] == [
        ("Paris", "France", False), ("Lyon", "France", False), ("Atlantis", "Closed", True), ("Rome", "Italy", False),
    ]  # fmt: skip
    assert '"Atlantis" disabled' in render(page.observation)
    choices = (
        (size, "Small", "Size: Small"),
        (toppings, "Anchovies", "Toppings: Olives, Anchovies"),
        (toppings, "Olives", "Toppings: Anchovies"),
        (city, "Rome", "City: Rome"),
        (country, "Chile", "Country: Chile"),
    )
    for element, option, said in choices:
        page.act(Select(element_id=element.id, option=option))
        assert page.texts() == [said]
    seen = page.act(Select(element_id=city.id, option="Atlantis"))
    assert seen.last_action_error == f"Option 'Atlantis' of element {city.id} is disabled."


def test_dropdowns_made_of_other_elements(open_fixture):
    page = open_fixture("dropdowns.html")
    box = row(page, "Fruit")
    assert (box.role, box.value, box.expanded, box.has_popup) == ("combobox", "Choose", False, True)
    assert len(page.observation.elements) == 3, "what is not open is not there"
    click(page, "Fruit")
    assert row(page, "Fruit").expanded is True
    options = [e for e in page.observation.elements if e.role == "option"]
    assert [(o.name, o.selected, o.disabled, o.in_viewport) for o in options] == [
        ("Apple", False, False, True), ("Banana", False, False, True), ("Cherry", False, False, True),
        ("Date", False, False, False), ("Elderberry", False, True, False),
    ]  # fmt: skip
    click(page, "Date")
    assert (row(page, "Fruit").value, row(page, "Fruit").expanded) == ("Date", False)
    click(page, "Sort by")
    assert [(e.role, e.name) for e in page.observation.elements[1:4]] == [
        ("generic", "Sort by"), ("generic", "Price"), ("generic", "Rating"),
    ]  # fmt: skip
    click(page, "Rating")
    assert "Rating" in names(page)
    page.act(Type(element_id=page.id("Town"), text="os"))
    assert [e.name for e in page.observation.elements if e.role == "option"] == ["Oslo", "Osaka", "Ostrava"]
    click(page, "Osaka")
    assert (row(page, "Town").value, row(page, "Town").role) == ("Osaka", "combobox")


def test_dates_and_times(open_fixture):
    page = open_fixture("dates.html")
    assert [(e.role, e.input_type, e.editable) for e in page.observation.elements] == [
        ("date", "date", True), ("time", "time", True), ("date", "datetime-local", True), ("date", "month", True),
        ("date", "week", True), ("colorwell", "color", True), ("textbox", "text", True),
    ]  # fmt: skip
    assert (row(page, "Day").minimum, row(page, "Day").maximum) == ("2024-01-01", "2025-12-31")
    texts = {"Day": "2024-02-29", "Hour": "13:45", "Arrival": "2024-02-29T13:45", "Month": "2024-02",
             "Week": "2024-W09", "Colour": "#12ab34"}  # fmt: skip
    for name, text in texts.items():
        page.act(Type(element_id=page.id(name), text=text))
        assert (row(page, name).value, page.texts()) == (text, [text])
    seen = page.act(Type(element_id=page.id("Day"), text="29.2.2024"))
    assert seen.last_action_error == "A date field takes YYYY-MM-DD; it refused this text."


def test_editable_regions(open_fixture):
    page = open_fixture("editable.html")
    assert [(e.role, e.name, e.value) for e in page.observation.elements] == [
        ("textbox", "Message", "Dear Ann, see this"),
        ("textbox", "Subject", ""),
        ("textbox", "Notes", "kept"),
        ("textbox", "Cells", "Island around"),
        ("button", "Island", None),
    ]
    assert page.texts() == ["Not this"]
    for name in ("Message", "Subject", "Notes"):
        page.act(Type(element_id=page.id(name), text=f"New {name} – ☃"))
        assert row(page, name).value == f"New {name} – ☃"
    page.act(Type(element_id=page.id("Subject"), text=""))
    assert row(page, "Subject").filled is False
    assert click(page, "Island").title == "Island", "what cannot be edited in it is a control"


def test_sliders_move_by_key(open_fixture):
    page = open_fixture("sliders.html")
    volume, price = page.id("Volume"), page.id("Price")
    assert (row(page, "Volume").role, row(page, "Price").role) == ("slider", "slider")
    assert (row(page, "Volume").minimum, row(page, "Volume").maximum) == ("0", "10")
    assert row(page, "Guests").value == "two guests"
    page.act(Press(element_id=volume, key="ArrowRight"))
    page.act(Press(element_id=price, key="PageUp"))
    page.act(Press(key="ArrowLeft"))
    assert (row(page, "Volume").value, row(page, "Price").value) == ("6", "59")
    page.act(Press(element_id=volume, key="End"))
    assert row(page, "Volume").value == "10"
    assert "takes no text" in page.act(Type(element_id=volume, text="3")).last_action_error


def test_file_fields_are_listed_and_never_filled(open_fixture):
    page = open_fixture("files.html")
    photo, papers = page.observation.elements
    assert (photo.role, photo.name, photo.filled, photo.multiple) == ("file", "Photo", False, False)
    assert (papers.role, papers.name) == ("label", "Upload papers")
    for element in (photo, papers):
        seen = page.act(Click(element_id=element.id))
        assert seen.last_action_error is None
        assert seen.element(photo.id).filled is False
        assert page.js("Array.from(document.querySelectorAll('input'), i => i.files.length)") == [0, 0]
    assert "takes no text" in page.act(Type(element_id=photo.id, text="/etc/hostname")).last_action_error


def test_areas_that_scroll_inside_areas_that_scroll(open_fixture):
    page = open_fixture("scroll-areas.html", actions=EXTENDED_ACTIONS)
    assert [(e.name, e.in_viewport) for e in page.observation.elements] == [
        ("Deep", False), ("Last", False), ("Right", False), ("Foot", False),
    ]  # fmt: skip
    page.act(ScrollIn(element_id=page.id("Last"), direction="down"))
    assert page.js("document.getElementById('outer').scrollTop") == 160
    for name in ("Foot", "Deep", "Right", "Last"):
        assert click(page, name).title == name
    assert row(page, "Last").in_viewport


def test_a_list_that_grows_as_it_is_scrolled(open_fixture):
    page = open_fixture("lazy-list.html")
    assert names(page) == [f"Entry {i}" for i in range(1, 21)]
    steps = 0
    while "That is all" not in page.texts():
        page.act(Scroll(direction="down"))
        steps += 1
        assert steps < 20
    assert names(page) == [f"Entry {i}" for i in range(1, 61)]
    assert click(page, "Entry 7").url.endswith("#7"), "what was seen first is still where its number says"


@pytest.mark.parametrize(
    ("change", "target", "outcome"),
    [
        ("move", "Runner", "caught"),
        ("far", "Runner", "caught"),
        ("swap", "Swapped", "old one"),
        ("vanish", "Vanishing", "Element {} is no longer on the page; look at its rows again."),
        ("veil", "Later", 'Element {} is covered by div#veil "Please wait"; close or move that first.'),
    ],
)
def test_what_changed_since_the_look_is_found_or_told(open_fixture, change, target, outcome):
    page = open_fixture("moving.html")
    element_id = page.id(target)
    page.js(f"change.{change}()")
    seen = page.act(Click(element_id=element_id))
    if outcome in ("caught", "old one"):
        assert (seen.last_action_error, page.texts()) == (None, [outcome])
    else:
        assert (seen.last_action_error, page.js("said.textContent")) == (outcome.format(element_id), "nothing")
    if change == "swap":
        assert page.id("Swapped") != element_id


@pytest.mark.parametrize("scale", [1, 2])
def test_zoom_transforms_and_dense_screens(open_fixture, scale):
    page = open_fixture("zoom.html")
    cdp = page.env.session.world().cdp
    metrics = {"width": 1280, "height": 720, "deviceScaleFactor": scale, "mobile": False}
    cdp.send("Emulation.setDeviceMetricsOverride", metrics)
    for name in ("Zoomed", "Small", "Tilted", "Leaning", "Below"):
        click(page, name)
        assert (page.observation.last_action_error, page.texts()[-1]) == (None, name.lower())
    page.act(Type(element_id=page.id("Zoomed field"), text="wide"))
    assert row(page, "Zoomed field").value == "wide"
    with Image.open(io.BytesIO(page.env.session.picture())) as picture:
        assert picture.size == (1280, 720), "boxes and pictures share their pixels"


def test_the_whole_page_zoomed(open_fixture):
    page = open_fixture("zoom.html")
    page.js("document.documentElement.style.zoom = 1.5")
    for name in ("Zoomed", "Small", "Tilted", "Leaning", "Below"):
        click(page, name)
        assert (page.observation.last_action_error, page.texts()[-1]) == (None, name.lower())


def test_what_is_covered_says_by_what(open_fixture):
    page = open_fixture("covered.html")
    assert {e.name: e.covered_by for e in page.observation.elements} == {
        "Half": None,
        "Whole": 'div "Sale"',
        "Through": None,
        "Under the notice": 'consent dialog div#consent "We use cookies"',
        "Accept": None,
    }
    assert click(page, "Half").title == "half", "it is pressed where it shows"
    assert click(page, "Through").title == "through"
    assert 'is covered by div "Sale"' in click(page, "Whole").last_action_error
    click(page, "Accept")
    assert row(page, "Under the notice").covered_by is None
    assert click(page, "Under the notice").title == "under"


def test_hidden_tab_panels_and_closed_details(open_fixture):
    page = open_fixture("tab-panels.html")
    assert [(e.role, e.name, e.selected, e.expanded) for e in page.observation.elements] == [
        ("tab", "Prices", True, None), ("tab", "Delivery", False, None), ("button", "Order", None, None),
        ("button", "Returns", None, False),
    ]  # fmt: skip
    assert page.texts() == ["From 5"]
    click(page, "Delivery")
    assert (names(page), page.texts()) == (["Prices", "Delivery", "Track", "Returns"], ["In two days"])
    click(page, "Returns")
    assert (names(page)[-1], page.texts()) == ("Return it", ["In two days", "Within a month"])


def test_disabled_inert_hidden_and_off_screen(open_fixture):
    page = open_fixture("states.html", patience=NONE)
    assert [(e.name, e.disabled, e.aria_hidden, e.in_viewport) for e in page.observation.elements] == [
        ("Disabled", True, False, True),
        ("In a closed group", True, False, True),
        ("Said to be disabled", True, False, True),
        ("Inert", True, False, True),
        ("Unspoken", False, True, True),
        ("Clear", False, False, True),
        ("Number", False, False, True),
        ("Some", False, False, True),
        ("Sound", False, False, True),
        ("Bold", False, False, True),
        ("Low", False, False, False),
    ]
    assert (row(page, "Number").readonly, row(page, "Some").checked) == (True, "mixed")
    for name in ("Disabled", "In a closed group", "Said to be disabled", "Inert"):
        assert click(page, name).last_action_error == f"Element {page.id(name)} is disabled."
    assert "takes no text" in page.act(Type(element_id=page.id("Number"), text="x")).last_action_error
    assert row(page, "Sound").checked is True
    click(page, "Sound")
    assert row(page, "Sound").checked is False
    for name, title in (("Unspoken", "unspoken"), ("Clear", "clear"), ("Low", "low")):
        assert click(page, name).title == title


SECRETS = {"Password", "Card number", "Expiry", "CVC", "Code from your phone", "PIN", "Passphrase"}


def test_credentials_are_neither_read_nor_typed(open_fixture):
    page = open_fixture("credentials.html", patience=NONE)
    assert {e.name for e in page.observation.elements if e.credential} == SECRETS
    assert all(e.filled and e.value is None for e in page.observation.elements if e.credential)
    assert row(page, "E-mail").value == "ann@example.org"
    assert "secret" not in page.observation.model_dump_json() + render(page.observation)
    for name in SECRETS:
        seen = page.act(Type(element_id=page.id(name), text="typed"))
        assert "asks for a password, a code or card data" in seen.last_action_error
    assert page.js("document.querySelector('[type=password]').value") == "hunter2-secret"


def test_credentials_are_typed_where_the_run_allows_it_and_still_not_read(open_fixture):
    page = open_fixture("credentials.html", allow_credentials=True, patience=NONE)
    for name in SECRETS:
        page.act(Type(element_id=page.id(name), text="typed-words"))
        assert (page.observation.last_action_error, row(page, name).value, row(page, name).filled) == (None, None, True)
    assert "typed-words" not in page.observation.model_dump_json()
    assert page.js("document.querySelector('[type=password]').value") == "typed-words"
    page.js("document.querySelector('[type=password]').value = ''")
    assert page.act(Scroll(direction="down")).element(page.id("Password")).filled is False


def test_a_picture_shows_no_credential(open_fixture):
    page = open_fixture("credentials.html")
    with Image.open(io.BytesIO(page.env.session.picture())) as picture:
        for element in page.observation.elements:
            box = element.box
            inside = picture.crop((box.x, box.y, box.x + box.width, box.y + box.height))
            colors = {color for _, color in inside.getcolors(box.width * box.height)}
            assert (colors == {MASK}) is element.credential, element.name


def test_modal_dialogs_and_popovers(open_fixture):
    page = open_fixture("modal.html")
    click(page, "Delete")
    covers = {e.name: e.covered_by for e in page.observation.elements}
    assert (covers["Yes"], covers["No"]) == (None, None)
    over = 'dialog dialog#d "Delete for good?"'
    assert (covers["Delete"], covers["Options"], covers["Low"]) == (over, over, over), "also what is off screen"
    assert over in click(page, "Low").last_action_error
    click(page, "Yes")
    assert (names(page), page.texts()) == (["Delete", "Options", "Low"], ["deleted"])
    assert all(e.covered_by is None for e in page.observation.elements)
    click(page, "Options")
    click(page, "In the popover")
    assert page.texts()[0] == "popped"


def test_headers_that_stay(open_fixture):
    page = open_fixture("sticky.html")
    hidden = [e.name for e in page.observation.elements if e.covered_by]
    assert hidden == ["Row 9", "Row 10", "Row 11"]
    assert row(page, "Row 10").covered_by == 'footer "Chat"'
    for name, title in (("Row 39", "row 39"), ("Row 20", "row 20"), ("Row 0", "row 0"), ("Home", "home"),
                        ("Chat", "chat")):  # fmt: skip
        seen = click(page, name)
        assert (seen.last_action_error, seen.title) == (None, title)


def test_what_stands_outside_hidden_overflow(open_fixture):
    page = open_fixture("overflow.html")
    assert {e.name: e.covered_by for e in page.observation.elements} == {
        "Absolute": None, "Fixed": None, "In part": None, "Clipped away": "what it stands in",
    }  # fmt: skip
    for name, title in (("Absolute", "absolute"), ("Fixed", "fixed"), ("In part", "part")):
        assert click(page, name).title == title


def test_text_for_screen_readers_only(open_fixture):
    page = open_fixture("sr-only.html")
    assert row(page, "Remove pears").covered_by is None
    assert row(page, "Skip to content").covered_by is not None
    assert click(page, "Remove pears").title == "deleted"
    assert page.texts() == ["Only spoken", "Price", "was", "9 7", "Content"]


def test_labels_that_stand_for_hidden_boxes(open_fixture):
    page = open_fixture("labels.html")
    assert [(e.role, e.name, e.checked) for e in page.observation.elements] == [
        ("label", "Gift wrap", False), ("label", "Small", False), ("label", "Large", False),
        ("radio", "Basic plan", True), ("radio", "Full plan", False), ("label", "Night mode", False),
        ("textbox", "Street", None), ("checkbox", "I agree to the terms", False), ("link", "terms", None),
    ]  # fmt: skip
    for name in ("Gift wrap", "Large", "Full plan", "Night mode", "I agree to the terms"):
        click(page, name)
        assert (page.observation.last_action_error, row(page, name).checked) == (None, True)
    assert (row(page, "Small").checked, row(page, "Basic plan").checked) == (False, False)


def test_names_come_from_everywhere(open_fixture):
    page = open_fixture("names.html")
    found = {(e.role, e.name) for e in page.observation.elements}
    assert {
        ("button", "Close"), ("button", "Search"), ("button", "Help me"), ("button", "Save all changes"),
        ("textbox", "Old password hint"), ("textbox", "First name"), ("searchbox", "Find a book"),
        ("link", "Home"), ("link", "Read about pears"), ("checkbox", "Remember"), ("menuitem", "Cut"),
        ("treeitem", "Folder"), ("gridcell", "7"), ("button", "Star"), ("generic", "Only a listener"),
        ("generic", "Only a hand"), ("generic", "Only a tab stop"), ("button", "Go there"),
    } <= found  # fmt: skip


def test_namesakes_are_told_apart_by_their_group(open_fixture):
    page = open_fixture("duplicates.html")
    assert [(e.name, e.scope) for e in page.observation.elements] == [
        ("Cancel", "17 Pears Cancel"), ("Cancel", "18 Plums Cancel"), ("Street", "Ship to"), ("Edit", "Ship to"),
        ("Street", "Bill to"), ("Edit", "Bill to"), ("Pay", None),
    ]  # fmt: skip
    plums = next(e.id for e in page.observation.elements if "Plums" in (e.scope or ""))
    assert page.act(Click(element_id=plums)).title == "plums"


def test_a_page_without_any_document_is_empty(open_fixture):
    page = open_fixture("names.html")
    page.js("document.documentElement.remove()")
    seen = page.act(Scroll(direction="down"))
    assert (seen.elements, seen.texts, seen.can_scroll) == ((), (), ())


def test_the_last_row_under_a_bar_that_never_moves_is_only_told_when_it_is_clicked(open_fixture):
    """Not handled: how far the page can scroll is not worked out before an action."""
    page = open_fixture("sticky.html")
    page.js("document.querySelector('ul').style.padding = 0")
    assert row(page, "Row 39").covered_by is None
    assert 'is covered by footer "Chat"' in click(page, "Row 39").last_action_error


def test_rows_of_a_scroll_area_in_hidden_overflow_are_listed(open_page):
    page = open_page(
        "<div style='height:100px;overflow:hidden'><div style='height:100px;overflow:auto'>"
        "<div style='height:900px'></div><button onclick='document.title = 1'>Deep</button></div></div>"
    )
    assert click(page, "Deep").title == "1"


def test_what_no_scrolling_reaches_is_not_listed(open_page):
    page = open_page(
        "<style>nav { position: fixed; top: 0; width: 200px }</style>"
        "<nav style='right:-200px'><a href='#'>Drawer</a><svg width=9 height=9><circle r=9 /></svg></nav>"
        "<nav style='left:0;transform:translateX(-100%)'><a href='#'>Menu</a></nav>"
        "<nav style='left:-200px'><iframe srcdoc='<button>Framed</button>'></iframe></nav>"
        "<nav style='left:0;height:50px;overflow:auto'><p style='height:300px'></p><a href='#x'>In the bar</a></nav>"
    )
    assert [(e.name, e.in_viewport) for e in page.observation.elements] == [("In the bar", False)]
    assert click(page, "In the bar").url.endswith("#x")


def test_words_in_parts_of_a_line_stay_apart(open_page):
    page = open_page("<p><b>two</b> <i>words</i></p><p style='display:contents'>no box</p>")
    assert page.texts() == ["two words", "no box"]


def test_off_screen_rows_of_a_covered_area_are_covered(open_page):
    page = open_page(
        "<div style='position:relative;height:100px;width:200px'><div style='height:100px;overflow:auto'>"
        "<p style='height:900px'></p><button>Deep</button></div>"
        "<div style='position:absolute;inset:0;background:gold'>Log in first</div></div>"
    )
    assert row(page, "Deep").covered_by == 'div "Log in first"'


def test_areas_of_an_image_map_are_not_listed(open_page):
    """Not handled: they have no box of their own."""
    page = open_page(
        "<map name=m><area href='#n' alt=North shape=rect coords='0,0,40,40'></map>"
        "<img usemap='#m' width=80 height=40 alt=Map>"
    )
    assert page.observation.elements == ()


def test_a_frame_in_a_process_of_its_own_is_counted_and_not_read(pages_server, monkeypatch):
    """Not handled: the switches that keep all frames in one process are taken away here."""
    from browsergym.core.task import OpenEndedTask

    from browser.environment import BrowserEnvironment

    monkeypatch.setattr("browser.session.ONE_PROCESS", "--site-per-process")
    monkeypatch.setattr("browser.session.OURS_DISABLED", "RenderDocument")
    other = pages_server.replace("127.0.0.1", "localhost")
    with BrowserSession() as own:
        task = {"start_url": f"{pages_server}/frames-covered.html?base={other}/", "goal": ""}
        env = BrowserEnvironment(OpenEndedTask, task_kwargs=task, session=own)
        seen, _ = env.reset(seed=0)
        assert (seen.omitted.frames, [e.name for e in seen.elements]) == (1, ["Free", "Under", "Continue"])
        assert "the contents of 1 frames are not shown" in render(seen)
        env.close()
