"""What the element table says of real pages in a real browser."""

import pytest

from browser.actions import Click, Scroll
from browser.look import LookOptions


def rows(page, **where):
    return [e for e in page.observation.elements if all(getattr(e, k) == v for k, v in where.items())]


def test_rows_and_text_stand_in_document_order(open_page):
    page = open_page(
        "<h1>Shop</h1><p>Three items</p><button>Buy</button><p>Delivery tomorrow</p><a href='/x'>Terms</a>"
    )
    assert [(e.id, e.role, e.name) for e in page.observation.elements] == [(1, "button", "Buy"), (2, "link", "Terms")]
    assert [(t.position, t.text) for t in page.observation.texts] == [
        (0, "Shop"),
        (0, "Three items"),
        (1, "Delivery tomorrow"),
    ]
    assert page.observation.elements[0].before == "Three items"
    assert page.observation.elements[0].after == "Delivery tomorrow"


@pytest.mark.parametrize(
    ("html", "role", "name"),
    [
        ("<button aria-label='Close dialog'>x</button>", "button", "Close dialog"),
        ("<span id=n>Full name</span><input aria-labelledby=n>", "textbox", "Full name"),
        ("<label for=a>Age</label><input id=a type=number>", "spinbutton", "Age"),
        ("<label>Agree <input type=checkbox></label>", "checkbox", "Agree"),
        ("<input type=submit value='Send it'>", "button", "Send it"),
        ("<input type=submit>", "button", "Submit"),
        ("<input type=image alt='Go' width=9 height=9>", "button", "Go"),
        ("<a href='#'><img alt='Home' width=9 height=9></a>", "link", "Home"),
        ("<a href='#'><svg width=9 height=9><title>Cart</title><rect width=9 height=9 /></svg></a>", "link", "Cart"),
        ("<div role=tab>Prices</div>", "tab", "Prices"),
        ("<button title='Help'></button>", "button", "Help"),
        ("<details><summary>More</summary>x</details>", "button", "More"),
        ("<div tabindex=0>Plain</div>", "generic", "Plain"),
        ("<div onclick='1'>Handled</div>", "generic", "Handled"),
        ("<div style='cursor:pointer'>Hand</div>", "generic", "Hand"),
        ("<p contenteditable>Draft</p>", "textbox", ""),
        ("<label>Mail <select><option>a</select></label>", "combobox", "Mail"),
        ("<input list=l aria-label=City><datalist id=l><option value=Rome></datalist>", "combobox", "City"),
        ("<input type=search placeholder='Find'>", "searchbox", "Find"),
    ],
)
def test_role_and_name(open_page, html, role, name):
    page = open_page(html)
    assert [(e.role, e.name) for e in page.observation.elements] == [(role, name)]


def test_listeners_make_a_node_a_control(open_page):
    """P5"""
    page = open_page(
        "<div id=a>One</div><span id=b>Two</span><p>Three</p>"
        "<script>a.addEventListener('click', () => 1); b.addEventListener('mousedown', () => 1)</script>"
    )
    assert [e.name for e in page.observation.elements] == ["One", "Two"]
    assert page.texts() == ["Three"]


def test_a_hand_cursor_on_a_list_makes_its_items_controls(open_page):
    page = open_page("<ul style='cursor:pointer'><li>Red</li><li>Green</li></ul>")
    assert [e.name for e in page.observation.elements] == ["Red", "Green"]


def test_nested_wrappers_are_merged(open_page):
    page = open_page(
        "<table><td id=t><a href='#'>Cell</a></table><div id=d><button>In</button></div>"
        "<script>t.onclick = d.onclick = () => 1</script>"
    )
    assert [(e.role, e.name) for e in page.observation.elements] == [("link", "Cell"), ("button", "In")]


def test_icons_without_name_get_a_hint_and_their_row(open_page):
    """P5"""
    page = open_page(
        "<ul><li>Ann <i class='icon-trashCan' onclick='1' style='display:inline-block;width:9px;height:9px'></i></li>"
        "<li>Bob <i class='icon-trashCan' onclick='1' style='display:inline-block;width:9px;height:9px'></i></li></ul>"
    )
    assert [(e.name, e.hint, e.scope) for e in page.observation.elements] == [
        ("", "icon trash can", "Ann"),
        ("", "icon trash can", "Bob"),
    ]


def test_different_icons_of_one_entry_are_told_apart_by_what_they_are_and_share_its_words(open_page):
    icon = "<i class=%s onclick='1' style='display:inline-block;width:9px;height:9px'></i>"
    entry = "<li><b>%s</b><span>" + icon % "star" + icon % "trash" + "</span></li>"
    page = open_page(f"<h3>Mail</h3><ul>{entry % 'Ann'}{entry % 'Bob'}</ul>")
    assert [(e.hint, e.scope) for e in page.observation.elements] == [
        ("star", "Ann"), ("trash", "Ann"), ("star", "Bob"), ("trash", "Bob"),
    ]  # fmt: skip


def test_only_duplicates_carry_their_scope(open_page):
    page = open_page(
        "<fieldset><legend>Ship to</legend><button>Edit</button></fieldset>"
        "<p>Bill <button>Edit</button></p><button>Pay</button>"
    )
    assert [(e.name, e.scope) for e in page.observation.elements] == [
        ("Edit", "Ship to"),
        ("Edit", "Bill Edit"),
        ("Pay", None),
    ]


def test_graphics_have_shape_and_color(open_page):
    """P5"""
    page = open_page(
        "<svg width=200 height=60><circle cx=20 cy=20 r=15 fill=red /><rect x=50 width=30 height=30 fill=blue />"
        "<polygon points='100,40 120,5 140,40' fill=lime /><text x=150 y=30>K</text></svg>"
        "<canvas width=50 height=50></canvas>"
    )
    assert [(e.shape, e.color, e.name) for e in page.observation.elements] == [
        ("circle", "rgb(255, 0, 0)", ""),
        ("square", "rgb(0, 0, 255)", ""),
        ("triangle", "rgb(0, 255, 0)", ""),
        ("text", "rgb(0, 0, 0)", "K"),
        ("canvas", None, ""),
    ]


def test_field_facts(open_page):
    """P4"""
    page = open_page(
        "<input aria-label=Day type=date value=2024-02-01 min=2024-01-01>"
        "<textarea aria-label=Note>kept</textarea><input aria-label=Empty required>"
        "<input aria-label=Fixed readonly value=9><input type=range min=0 max=10 value=4 aria-label=Volume>"
    )
    day, note, empty, fixed, volume = page.observation.elements
    assert (day.input_type, day.value, day.minimum, day.editable, day.filled) == (
        "date",
        "2024-02-01",
        "2024-01-01",
        True,
        True,
    )
    assert (note.role, note.value) == ("textbox", "kept")
    assert (empty.value, empty.filled, empty.required) == ("", False, True)
    assert (fixed.readonly, fixed.value) == (True, "9")
    assert (volume.role, volume.value, volume.editable) == ("slider", "4", False)


def test_states(open_page):
    page = open_page(
        "<input type=checkbox checked aria-label=a><input type=radio aria-label=b>"
        "<button aria-expanded=false>c</button>"
        "<button aria-pressed=true aria-haspopup=menu>d</button>"
        "<button disabled>e</button><input autofocus aria-label=f>"
        "<div role=option aria-selected=true>g</div><div inert><button>h</button></div>"
    )
    a, b, c, d, e, f, g, h = page.observation.elements
    assert (a.checked, b.checked, c.expanded, d.pressed, e.disabled) == (True, False, False, True, True)
    assert (f.focused, g.selected, h.disabled, d.has_popup) == (True, True, True, True)


def test_select_lists_its_options(open_page):
    page = open_page(
        "<select aria-label=s><option>Small<option selected>Large<option disabled>Huge</select>"
        "<select multiple aria-label=m><option>x<option>y</select>"
    )
    one, many = page.observation.elements
    assert [(o.label, o.selected, o.disabled) for o in one.options] == [
        ("Small", False, False),
        ("Large", True, False),
        ("Huge", False, True),
    ]
    assert (one.role, one.value, many.role, many.multiple, many.filled) == ("combobox", "Large", "listbox", True, False)


@pytest.mark.parametrize(
    "field",
    [
        "<input type=password value=s3cret>",
        "<input autocomplete=cc-number value=s3cret>",
        "<input autocomplete=one-time-code value=s3cret>",
        "<label>Card number <input value=s3cret></label>",
        "<input placeholder='Your PIN' value=s3cret>",
        "<input name=user_password value=s3cret>",
        "<textarea aria-label='Recovery passphrase'>s3cret</textarea>",
    ],
)
def test_a_credential_is_never_read(open_page, field):
    """P4"""
    page = open_page(f"<p>Sign in</p>{field}<input aria-label=Name value=open>")
    secret, name = page.observation.elements
    assert (secret.credential, secret.filled, secret.value, name.value) == (True, True, None, "open")
    assert "s3cret" not in page.observation.model_dump_json()


@pytest.mark.parametrize(
    "hidden",
    [
        "<button style='display:none'>x</button>",
        "<button style='visibility:hidden'>x</button>",
        "<div style='display:none'><button>x</button></div>",
        "<div style='height:0;overflow:hidden'><button>x</button></div>",
        "<template><button>x</button></template>",
        "<input type=hidden value=x>",
        "<button hidden>x</button>",
    ],
)
def test_what_cannot_be_seen_is_not_listed(open_page, hidden):
    page = open_page(f"{hidden}<button>seen</button><p style='display:none'>text</p>")
    assert [e.name for e in page.observation.elements] == ["seen"]
    assert page.texts() == []


def test_a_hidden_checkbox_is_its_label(open_page):
    page = open_page("<label><input type=checkbox style='display:none'><span>Gift wrap</span></label>")
    (box,) = page.observation.elements
    assert (box.role, box.name, box.checked) == ("label", "Gift wrap", False)
    assert page.act(Click(element_id=box.id)).elements[0].checked is True


def test_covered_elements_say_by_what(open_page):
    """P6"""
    page = open_page(
        "<button>Under</button><div id=cookie-banner role=dialog aria-label='Cookie consent' "
        "style='position:fixed;inset:0;background:white'><button>Accept</button></div>"
    )
    under, accept = page.observation.elements
    assert under.covered_by == 'consent dialog div#cookie-banner "Cookie consent"'
    assert accept.covered_by is None


def test_scrolled_out_is_off_screen_and_not_covered(open_page):
    page = open_page(
        "<div style='height:60px;overflow:auto'><div style='height:500px'>top</div><button>Deep</button></div>"
        "<div style='height:3000px'></div><button>Low</button>"
    )
    deep, low = page.observation.elements
    assert (deep.in_viewport, deep.covered_by, low.in_viewport, low.covered_by) == (False, None, False, None)
    assert "down" in page.observation.can_scroll


def test_open_shadow_roots_and_slots_are_read(open_page):
    """P7"""
    page = open_page(
        "<my-card><b slot=s>Slotted</b></my-card><script>customElements.define('my-card', class extends HTMLElement {"
        "constructor() { super(); this.attachShadow({mode: 'open'}).innerHTML ="
        " '<p>Inside</p><button onclick=\"document.title = 1\">Deep</button><slot name=s></slot>'; } })</script>"
    )
    assert [e.name for e in page.observation.elements] == ["Deep"]
    assert page.texts() == ["Inside", "Slotted"]
    page.act(Click(element_id=page.id("Deep")))
    assert page.observation.title == "1"


def test_rows_of_a_frame_stand_where_the_frame_stands(open_page):
    page = open_page(
        "<p>Above</p><iframe title=Pay srcdoc='<p>Card</p><button>In</button>'></iframe>"
        "<p>Below</p><button>Out</button>"
    )
    assert [(e.name, e.frame) for e in page.observation.elements] == [("In", "Pay"), ("Out", "")]
    assert [(t.text, t.position, t.frame) for t in page.observation.texts] == [
        ("Above", 0, ""),
        ("Card", 0, "Pay"),
        ("Below", 1, ""),
    ]
    assert page.observation.omitted.frames == 0


def test_limits_are_kept_and_told(open_page):
    """P8"""
    page = open_page(
        "".join(f"<button>b{i}</button><p>text {i}</p>" for i in range(50)),
        look=LookOptions(max_elements=10, max_texts=5),
    )
    seen = page.observation
    assert (len(seen.elements), len(seen.texts)) == (10, 5)
    assert (seen.omitted.elements, seen.omitted.texts) == (40, 45)


def test_what_is_in_view_comes_before_what_is_not(open_page):
    page = open_page(
        "".join(f"<p style='height:300px'>text {i} <button>b{i}</button></p>" for i in range(40)),
        look=LookOptions(max_elements=8, max_texts=8),
    )
    page.act(Scroll(direction="down"))
    for _ in range(4):
        seen = page.act(Scroll(direction="down"))
    shown = page.js(
        "Array.from(document.querySelectorAll('button')).filter(b => { const r = b.getBoundingClientRect();"
        " return r.bottom >= 1 && r.top <= innerHeight - 1 }).map(b => b.textContent)"
    )
    assert len(shown) >= 2
    assert [e.name for e in seen.elements if e.in_viewport] == shown
    assert {name.replace("b", "text ") for name in shown[1:]} <= {t.text for t in seen.texts}
    assert (len(seen.elements), seen.omitted.elements, len(seen.texts), seen.omitted.texts) == (8, 32, 8, 32)
    assert [e.id for e in seen.elements] == [e.id for e in sorted(seen.elements, key=lambda e: int(e.name[1:]))]


def test_long_text_is_cut_into_blocks_and_not_lost(open_page):
    words = " ".join(f"w{i}" for i in range(200))
    page = open_page(f"<p>{words}</p>")
    assert all(len(text) <= 240 for text in page.texts())
    assert "".join(page.texts()).replace(" ", "") == words.replace(" ", "")


def test_labels_are_not_repeated_as_text(open_page):
    """P8"""
    page = open_page("<label for=x>Street</label><input id=x><p>Other</p>")
    assert page.texts() == ["Other"]


def test_an_unsent_draft_is_a_value_and_not_text(open_page):
    """P8"""
    page = open_page("<div contenteditable aria-label=Mail>my <b>draft</b></div>")
    (field,) = page.observation.elements
    assert (field.editable, field.value, page.texts()) == (True, "my draft", [])


def test_ids_live_with_their_nodes(open_page):
    """P3"""
    page = open_page(
        "<button id=a>A</button><button id=b>B</button><button onclick='const n = b; a.before(n.cloneNode(true));"
        " a.remove(); n.textContent = `New`'>Go</button>"
    )
    before = {e.name: e.id for e in page.observation.elements}
    after = {e.name: e.id for e in page.act(Click(element_id=before["Go"])).elements}
    assert after["New"] == before["B"]
    assert after["B"] not in before.values()
    assert page.act(Click(element_id=before["A"])).last_action_error.startswith(
        f"No element {before['A']} on this page"
    )


def test_page_key_changes_with_text_state_and_nothing_else(open_page):
    """P10"""
    page = open_page(
        "<p id=t>old</p><input type=checkbox aria-label=box><button onclick='t.textContent=`new`'>text</button>"
        "<button onclick='t.style.marginLeft=`40px`'>move</button>"
    )
    first = page.observation.page_key
    moved = page.act(Click(element_id=page.id("move"))).page_key
    texted = page.act(Click(element_id=page.id("text"))).page_key
    checked = page.act(Click(element_id=page.id("box"))).page_key
    assert moved == first
    assert len({first, texted, checked}) == 3


def test_a_page_that_is_loaded_again_as_it_was_is_no_change(open_page, httpserver):
    """P10"""
    httpserver.expect_request("/again").respond_with_data(
        "<a href='/again'>Again</a> <p>Hello</p>", content_type="text/html"
    )
    page = open_page(f"<a href='{httpserver.url_for('/again')}'>Go</a>")
    first = page.act(Click(element_id=page.id("Go")))
    again = page.act(Click(element_id=first.elements[0].id))
    assert [request.path for request, _ in httpserver.log] == ["/page", "/again", "/again"]
    assert again.elements[0].id != first.elements[0].id
    assert again.page_key == first.page_key


def test_the_probe_waits_for_short_timers_and_requests(open_page, httpserver):
    """P1"""
    httpserver.expect_request("/late").respond_with_data("fetched")
    page = open_page(
        "<p id=t>-</p><button onclick=\"setTimeout(() => t.textContent = 'timed', 250)\">timer</button>"
        "<button onclick=\"fetch('/late').then(r => r.text()).then(x => t.textContent = x)\">fetch</button>"
        "<button onclick='let n = 0; const i = setInterval("
        "() => { t.textContent = ++n; if (n > 9) clearInterval(i) }, 13)'>animate</button>"
    )
    for name, text in (("timer", "timed"), ("fetch", "fetched"), ("animate", "10")):
        seen = page.act(Click(element_id=page.id(name)))
        assert (seen.settled, page.texts()) == (True, [text])


@pytest.mark.parametrize(
    ("listen", "cause"),
    [
        ("box.onscroll = say", "box.scrollTop = 50"),
        ("new ResizeObserver(() => armed && say()).observe(box)", "box.style.width = '90px'"),
        ("new IntersectionObserver(() => armed && say()).observe(low)", "low.scrollIntoView()"),
        ("const { port1, port2 } = new MessageChannel(); port1.onmessage = say", "port2.postMessage(1)"),
        ("const worker = new Worker('data:text/javascript,onmessage = () => postMessage(1)'); worker.onmessage = say;"
         "worker.postMessage(0)", "worker.postMessage(1)"),
    ],
    ids=["scroll", "resize", "intersection", "message", "worker"],
)  # fmt: skip
def test_what_comes_without_a_timer_or_a_request_is_waited_for(open_page, listen, cause):
    """P1: it comes with the next frame, and so does what answers it."""
    page = open_page(
        "<p id=t>-</p><div id=box style='width:60px;height:60px;overflow:auto'><div style='height:300px'></div></div>"
        "<div style='height:3000px'></div><p id=low>low</p><button style='position:fixed;top:9px;right:9px'>Go</button>"
        "<script>let armed = false; const say = () => { if (armed) t.textContent = 'heard' };"
        f"{listen}; document.querySelector('button').onclick = () => {{ armed = true; {cause} }}</script>"
    )
    seen = page.act(Click(element_id=page.id("Go")))
    assert (seen.settled, "heard" in page.texts()) == (True, True)


def test_an_endless_page_is_cut_off_and_said_to_be_unsettled(open_page):
    """P1"""
    page = open_page("<p id=t></p><script>setInterval(() => t.textContent = Math.random(), 5)</script>")
    assert page.observation.settled is False
    assert 500 < page.observation.settle_ms < 1500


@pytest.mark.parametrize("script", ["setInterval(() => 0, 10)", "(function f() { setTimeout(f, 10) })()",
                                    "(function f() { requestAnimationFrame(f) })()"])  # fmt: skip
def test_a_loop_that_changes_nothing_stops_counting(open_page, script):
    page = open_page(f"<button>x</button><script>{script}</script>")
    page.env.page.wait_for_timeout(2500)
    seen = page.act(Click(element_id=1))
    assert seen.settled
    assert seen.settle_ms < 100
