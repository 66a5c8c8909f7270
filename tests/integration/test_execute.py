"""Each action on a real page: what it does, and the one sentence when it does not land."""

import pytest

from browser.actions import Click, GoBack, Navigate, Press, Scroll, Select, Type, Wait
from browser.errors import MESSAGE_LIMIT

LOG = "<script>const log = []; for (const t of ['click', 'input', 'change', 'keydown', 'keyup', 'focus'])" \
    " document.addEventListener(t, e => log.push(t + ':' + e.target.tagName), true)</script>"  # fmt: skip


def value(page, element_id):
    return page.observation.element(element_id).value


def test_type_replaces_and_wakes_listeners(open_page):
    page = open_page(f"{LOG}<input aria-label=Name value=old>")
    page.act(Type(element_id=1, text="你好 Zoë!"))
    assert value(page, 1) == "你好 Zoë!"
    assert {"focus:INPUT", "input:INPUT", "keydown:INPUT"} <= set(page.js("log"))
    page.act(Type(element_id=1, text="ends in 好"))
    assert value(page, 1) == "ends in 好"
    page.act(Type(element_id=1, text=""))
    assert value(page, 1) == ""


def test_type_into_a_textarea_and_an_editable_region(open_page):
    page = open_page("<textarea aria-label=a></textarea><div contenteditable aria-label=b>old</div>")
    page.act(Type(element_id=1, text="two\nlines"))
    page.act(Type(element_id=2, text="new"))
    assert [e.value for e in page.observation.elements] == ["two\nlines", "new"]


@pytest.mark.parametrize(
    ("kind", "text"),
    [("date", "2024-02-29"), ("time", "13:45"), ("month", "2024-02"), ("week", "2024-W05"), ("color", "#12ab34"),
     ("datetime-local", "2024-02-29T13:45")],
)  # fmt: skip
def test_fields_that_take_values_get_them_with_their_events(open_page, kind, text):
    page = open_page(f"{LOG}<input type={kind} aria-label=x>")
    page.act(Type(element_id=1, text=text))
    assert value(page, 1) == text
    assert {"input:INPUT", "change:INPUT"} <= set(page.js("log"))
    seen = page.act(Type(element_id=1, text="nonsense"))
    assert seen.last_action_error.startswith(f"A {kind} field takes ")


def test_select_fires_events_and_keeps_other_choices_of_a_multiple(open_page):
    page = open_page(
        f"{LOG}<select aria-label=one><option>a<option>b</select>"
        "<select multiple aria-label=many><option>x<option selected>y<option>z</select>"
    )
    page.act(Select(element_id=1, option="b"))
    page.act(Select(element_id=2, option="z"))
    assert [e.value for e in page.observation.elements] == ["b", "y, z"]
    assert {"input:SELECT", "change:SELECT"} <= set(page.js("log"))
    page.act(Select(element_id=2, option="y"))
    assert value(page, 2) == "z"
    seen = page.act(Select(element_id=1, option="c"))
    assert seen.last_action_error == "Element 1 has no option 'c'; its options are 'a', 'b'."


def test_a_choice_the_page_undoes_is_told(open_page):
    """A5"""
    page = open_page("<select aria-label=s onchange='this.selectedIndex = 0'><option>a<option>b</select>")
    assert page.act(Select(element_id=1, option="b")).last_action_error == "The page undid the choice in element 1."


def test_press_goes_to_the_element_or_to_the_focus(open_page):
    page = open_page(
        "<form onsubmit='document.title = `sent`; return false'><input aria-label=q></form><input aria-label=r>"
    )
    page.act(Press(element_id=2, key="End"))
    assert page.observation.element(2).focused
    page.act(Press(element_id=1, key="Enter"))
    assert page.observation.title == "sent"
    page.act(Press(key="Tab"))
    assert page.observation.element(2).focused


def test_click_scrolls_into_view_and_lands(open_page):
    page = open_page(
        "<div style='height:60px;overflow:auto'><div style='height:900px'></div>"
        "<button onclick='document.title = 1'>Deep</button></div><div style='height:4000px'></div>"
        "<button onclick='document.title = 2'>Low</button>"
    )
    assert page.act(Click(element_id=1)).title == "1"
    assert page.act(Click(element_id=2)).title == "2"


def test_click_on_wrapped_text_and_on_a_ring_hits_the_node_itself(open_page):
    page = open_page(
        "<div style='width:90px'>some words <a href='#x' onclick='document.title = 1'>a link that wraps lines</a></div>"
        "<svg width=100 height=100><path id=p d='M10 10 L90 10 L90 90' fill=none stroke=red stroke-width=20 /></svg>"
        "<script>p.addEventListener('click', () => document.title = 2)</script>"
    )
    assert page.act(Click(element_id=1)).title == "1"
    page.act(Click(element_id=2))
    assert page.observation.last_action_error is None
    assert page.observation.title == "2"


def test_click_lands_where_the_pointer_makes_things_move(open_page):
    page = open_page(
        "<style>#a:hover #x { margin-left: 60px } #x { width: 20px; display: block }</style>"
        "<div id=a style='width: 200px'><button id=x onclick='document.title = 1'>+</button></div>"
    )
    page.act(Click(element_id=1))
    assert (page.observation.last_action_error, page.observation.title) == (None, "1")


def test_click_waits_a_moment_for_what_is_in_the_way_only_now(open_page):
    page = open_page(
        "<button onclick='document.title = 1'>x</button>"
        "<div id=veil hidden style='position:fixed;inset:0'></div><script>onmousemove = () => {"
        " onmousemove = null; veil.hidden = false; setTimeout(() => veil.remove(), 90) }</script>"
    )
    page.act(Click(element_id=1))
    assert (page.observation.last_action_error, page.observation.title) == (None, "1")


@pytest.mark.parametrize("where", ["page", "frame"])
def test_a_press_that_would_meet_something_else_is_kept_from_the_page(open_page, where):
    """What comes under the pointer as it arrives is neither pressed nor told of the press."""
    inner = (
        "<div style='position:relative;width:90px;height:30px'><button id=old style='position:absolute;inset:0'>Look"
        "</button><button id=new hidden style='position:absolute;inset:0'>Pay</button></div><script>const told = [];"
        "for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'focusin'])"
        " document.addEventListener(type, (e) => { told.push(type + ' ' + e.target.id); top.document.title = told; });"
        "old.onmousemove = () => { document.getElementById('new').hidden = false }</script>"
    )
    page = open_page(inner if where == "page" else f'<iframe srcdoc="{inner}" style="width:200px"></iframe>')
    page.act(Click(element_id=page.id("Look")))
    assert page.observation.last_action_error.startswith('Element 1 is covered by button#new "Pay"')
    assert page.observation.title == "Fixture"
    page.act(Click(element_id=page.id("Pay")))
    assert page.observation.title.startswith("pointerdown new,mousedown new,focusin new"), "later presses are heard"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            "<button>Under</button><div role=dialog aria-label='We use cookies' style='position:fixed;inset:0'></div>",
            'Element 1 is covered by consent dialog div "We use cookies"; close or move that first.',
        ),
        ("<button disabled>x</button>", "Element 1 is disabled."),
        ("<button>x</button><script>setTimeout(() => document.querySelector('button').remove(), 1200)</script>",
         "Element 1 is no longer on the page; look at its rows again."),
        ("<button>x</button><script>setTimeout(() => document.querySelector('button').style.display = 'none', 1200)"
         "</script>", "Element 1 is not visible now."),
    ],
)  # fmt: skip
def test_a_click_that_cannot_land_says_why(open_page, body, reason):
    """G4"""
    page = open_page(body)
    if "1200" in body:
        page.env.page.wait_for_timeout(1500)
    seen = page.act(Click(element_id=1))
    assert seen.last_action_error == reason
    assert len(seen.last_action_error) <= MESSAGE_LIMIT
    assert page.terminated is False


def test_scroll_moves_by_most_of_a_screen_and_says_when_it_cannot(open_page):
    page = open_page("<div style='height:2000px'>tall</div>")
    assert page.act(Scroll(direction="down")).scroll.y == 576
    assert page.act(Scroll(direction="up")).scroll.y == 0
    assert page.act(Scroll(direction="left")).last_action_error == "Nothing scrolls left here."


def test_scroll_takes_the_largest_area_where_the_page_stands_still(open_page):
    page = open_page("<div style='height:100px;overflow:auto'><div style='height:900px'>list</div></div>")
    assert page.observation.can_scroll == ("down",)
    assert page.act(Scroll(direction="down")).scroll.y == 80


def test_navigate_and_go_back(open_page, httpserver):
    page = open_page("<p>first</p>")
    httpserver.expect_request("/second").respond_with_data("<p>second</p>", content_type="text/html")
    assert page.observation.can_go_back is False
    page.act(Navigate(url=httpserver.url_for("/second")))
    assert (page.texts(), page.observation.can_go_back) == (["second"], True)
    page.act(GoBack())
    assert page.texts() == ["first"]
    assert page.act(GoBack()).last_action_error == "There is no earlier page to go back to."
    for url in ("javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "about:blank"):
        assert page.act(Navigate(url=url)).last_action_error == "navigate takes an absolute http or https address."
    assert "did not open" in page.act(Navigate(url="http://127.0.0.1:1/")).last_action_error


def test_wait_returns_as_soon_as_the_page_changes(open_page):
    page = open_page("<p id=t>old</p><script>setTimeout(() => t.textContent = 'new', 700)</script>")
    seen = page.act(Wait())
    assert (page.texts(), seen.last_action_error) == (["new"], None)
    spent = page.info["timings"]
    assert spent.act_ms <= spent.total_ms < 2500
    assert spent.probe_ms < 500, "waiting is the action, not the look"


def test_a_new_tab_becomes_the_page_and_closing_it_goes_back(open_page, httpserver):
    httpserver.expect_request("/tab").respond_with_data(
        "<title>Second</title><button onclick='window.close()'>Done</button>", content_type="text/html"
    )
    page = open_page("<a href='/tab' target=_blank>Open</a>")
    seen = page.act(Click(element_id=1))
    assert (seen.title, [(t.title, t.active) for t in seen.tabs]) == ("Second", [("Fixture", False), ("Second", True)])
    seen = page.act(Click(element_id=page.id("Done")))
    assert (seen.title, seen.tabs, seen.last_action_error) == ("Fixture", (), None)


def test_an_alert_does_not_stop_the_step(open_page):
    page = open_page("<button onclick='alert(1); document.title = confirm(2)'>x</button>")
    seen = page.act(Click(element_id=1))
    assert seen.title == "true"
    assert [(d.kind, d.message, d.answer) for d in seen.dialogs] == [("alert", "1", "OK"), ("confirm", "2", "OK")]
