"""The extended actions on real pages: pointer and keyboard, and what they leave behind when they fail."""

import pytest
from pytest_httpserver import HTTPServer

from agent.decision import DecisionAgent
from agent.embedded import EmbeddedModel
from browser.actions import (
    EXTENDED_ACTIONS,
    Click,
    ClickAt,
    DoubleClick,
    Drag,
    DragBy,
    Hover,
    Keys,
    Press,
    ScrollIn,
    Type,
)
from browser.patience import Patience

# A page has nothing to do after an action that was refused.
NONE = Patience(unchanged=())

# What the mouse does, told by the page: the last event says whether a button is still down.
MOUSE = "<script>window.mouse = []; for (const t of ['mousedown', 'mouseup', 'drop', 'dragend'])" \
    " addEventListener(t, e => mouse.push(t), true);" \
    " addEventListener('mousemove', e => window.buttons = e.buttons, true)</script>"  # fmt: skip

# Follows the mouse as jQuery UI's sortable does: the item goes where the pointer has passed the middle of another.
SORTABLE = """<style>li { width: 120px; height: 30px; margin: 4px; background: #ddd }</style><ul id=list>
<li tabindex=0>a<li tabindex=0>b<li tabindex=0>c<li tabindex=0>d</ul><script>
let held = null
list.onmousedown = e => { held = e.target; e.preventDefault() }
document.onmousemove = e => {
  if (!held) return
  for (const item of list.children) {
    const box = item.getBoundingClientRect()
    if (item === held || e.clientY < box.top || e.clientY > box.bottom) continue
    const below = held.compareDocumentPosition(item) & Node.DOCUMENT_POSITION_FOLLOWING
    below ? item.after(held) : item.before(held)
  }
}
document.onmouseup = () => { held = null }
</script>"""

# Native drag and drop: the box takes what is dropped only if dragover was allowed, and reads it from the event.
BOXES = """<style>div { width: 90px; height: 60px; margin: 10px; border: 1px solid }</style>
<div id=from draggable=true aria-label=from>thing</div><div id=to tabindex=0 aria-label=to></div><script>
from.ondragstart = e => { e.dataTransfer.setData('text/plain', 'carried'); e.dataTransfer.effectAllowed = 'move' }
to.ondragover = e => { e.preventDefault(); e.dataTransfer.dropEffect = 'move' }
to.ondrop = e => { e.preventDefault(); document.title = e.dataTransfer.getData('text/plain') }
</script>"""

DRAWING = """<canvas id=c width=200 height=150 style='border: 5px solid'></canvas><script>
window.points = []; let down = false
c.onmousedown = e => { down = true; points.push([e.offsetX, e.offsetY]) }
c.onmousemove = e => { if (down) points.push([e.offsetX, e.offsetY]) }
document.addEventListener('mouseup', () => { down = false })
</script>"""


@pytest.fixture
def extended(open_page):
    """Open a page for all actions, and see at the end that no button and no modifier is held."""
    opened = []

    def make(body, **kwargs):
        opened.append(open_page(MOUSE + body, actions=EXTENDED_ACTIONS, **kwargs))
        return opened[-1]

    yield make
    for page in opened:
        page.env.page.mouse.move(1, 1)
        page.env.page.mouse.move(2, 2)
        assert page.js("window.buttons || 0") == 0, "the mouse button is still down"


def error(page):
    return page.observation.last_action_error


def test_the_finer_actions_are_refused_where_a_run_did_not_ask_for_them(open_page):
    page = open_page("<button>x</button>")
    assert page.act(Hover(element_id=1)).last_action_error.startswith("hover is not offered here")


@pytest.mark.parametrize(("source", "target", "order"), [("a", "c", "bcad"), ("d", "a", "dabc"), ("b", "c", "acbd")])
def test_drag_sorts_a_list_that_follows_the_mouse(extended, source, target, order):
    page = extended(SORTABLE)
    page.act(Drag(element_id=page.id(source), to_element_id=page.id(target)))
    assert error(page) is None
    assert page.js("Array.from(list.children, li => li.textContent.trim()).join('')") == order
    assert page.js("mouse") == ["mousedown", "mouseup"]


def test_drag_by_moves_a_list_item_by_pixels(extended):
    page = extended(SORTABLE)
    page.act(DragBy(element_id=page.id("a"), dx=0, dy=34))
    assert page.js("Array.from(list.children, li => li.textContent.trim()).join('')") == "bacd"


def test_drag_carries_data_by_the_browsers_own_drag_and_drop(extended):
    page = extended(BOXES)
    page.act(Drag(element_id=page.id("from"), to_element_id=page.id("to")))
    assert (error(page), page.observation.title) == (None, "carried")
    assert page.js("mouse").count("drop") == 1
    assert page.js("mouse").count("dragend") == 1
    assert page.act(Click(element_id=page.id("to"))).last_action_error is None, "the mouse works on"


def test_drag_by_drops_by_offset_and_outside_drops_nothing(extended):
    page = extended(BOXES)
    page.act(DragBy(element_id=page.id("from"), dx=0, dy=400))
    assert page.observation.title == "Fixture"
    page.act(DragBy(element_id=page.id("from"), dx=0, dy=75))
    assert page.observation.title == "carried"


def test_drag_by_draws_from_a_point_of_a_canvas(extended):
    page = extended(DRAWING)
    page.act(DragBy(element_id=1, x=25, y=35, dx=100, dy=50))
    points = page.js("points")
    assert (points[0], points[-1]) == ([20, 30], [120, 80]), "the border is 5 pixels wide"
    assert len(points) >= 4, "a line has points between its ends"
    assert all(x1 <= x2 for (x1, _), (x2, _) in zip(points, points[1:], strict=False))


def test_drag_by_without_a_point_begins_in_the_middle(extended):
    page = extended(DRAWING)
    page.act(DragBy(element_id=1, dx=-30, dy=10))
    points = page.js("points")
    assert (points[0], points[-1]) == ([100, 75], [70, 85])


def test_a_drag_that_ends_outside_the_window_lets_go_too(extended):
    page = extended(DRAWING)
    page.act(DragBy(element_id=1, dx=-5000, dy=-5000))
    assert error(page) is None
    assert page.js("mouse") == ["mousedown", "mouseup"]


def test_shapes_of_a_picture_are_dragged_and_clicked_at(extended):
    page = extended(
        "<svg id=s tabindex=0 aria-label=board width=200 height=200><circle id=c cx=40 cy=40 r=15 fill=red /></svg>"
        "<script>let d = false; c.onmousedown = () => { d = true }; s.onmouseup = () => { d = false }"
        "\ns.onmousemove = e => { if (d) { c.setAttribute('cx', e.offsetX); c.setAttribute('cy', e.offsetY) } }"
        "\ns.onclick = e => { document.title = `${e.target.id} ${e.offsetX},${e.offsetY}` }</script>"
    )
    circle = next(e.id for e in page.observation.elements if e.shape == "circle")
    page.act(DragBy(element_id=circle, dx=60, dy=80))
    assert page.js("[c.getAttribute('cx'), c.getAttribute('cy')]") == ["100", "120"]
    page.act(ClickAt(element_id=page.id("board"), x=150, y=20))
    assert page.observation.title == "s 150,20"
    page.act(ClickAt(element_id=page.id("board"), x=100, y=120))
    assert page.observation.title == "c 100,120", "what lies on an element is a part of it"
    page.act(ClickAt(element_id=circle, x=0, y=0))
    assert error(page) == f"Element {circle} shows nothing at that point."


def test_a_slider_goes_where_it_is_clicked_and_is_dragged(extended):
    page = extended("<input type=range min=0 max=100 value=0 aria-label=v style='width:216px;margin:0'>")
    page.act(ClickAt(element_id=1, x=108, y=8))
    assert page.observation.element(1).value == "50"
    page.act(DragBy(element_id=1, x=108, y=8, dx=50, dy=0))
    assert page.observation.element(1).value == "75"
    page.act(DragBy(element_id=1, x=158, y=8, dx=900, dy=0))
    assert page.observation.element(1).value == "100"


def test_a_colour_is_picked_from_a_canvas(extended):
    page = extended(
        "<canvas id=c width=100 height=100></canvas><script>const g = c.getContext('2d')\n"
        "for (let x = 0; x < 100; x++) { g.fillStyle = `rgb(${x},0,0)`; g.fillRect(x, 0, 1, 100) }\n"
        "c.onclick = e => { document.title = g.getImageData(e.offsetX, e.offsetY, 1, 1).data[0] }</script>"
    )
    for x in (0, 42, 99):
        page.act(ClickAt(element_id=1, x=x, y=50))
        assert (error(page), page.observation.title) == (None, str(x))
    page.act(ClickAt(element_id=1, x=100, y=50))
    assert error(page) == "That point is outside the element, which is 100 by 100 pixels."


def test_a_place_in_something_larger_than_the_window_is_scrolled_to(extended):
    page = extended(
        "<div style='height:300px;width:400px;overflow:auto'><canvas id=c width=3000 height=2000></canvas></div>"
        "<div style='height:1000px'></div><canvas id=d width=3000 height=2500></canvas><script>"
        "onclick = e => { document.title = `${e.target.id} ${e.offsetX},${e.offsetY}` }</script>"
    )
    for element_id, name in ((1, "c"), (2, "d"), (1, "c")):
        for x, y in ((2900, 1900), (5, 1900), (1500, 7)):
            page.act(ClickAt(element_id=element_id, x=x, y=y))
            assert (error(page), page.observation.title) == (None, f"{name} {x},{y}")


@pytest.mark.parametrize("by", ["style", "script"])
def test_a_menu_that_opens_under_the_pointer_stays_for_the_next_click(extended, by):
    style = "#menu:hover #sub { display: block }" if by == "style" else ""
    script = (
        "menu.onmouseenter = () => { sub.style.display = 'block' }\n"
        "menu.onmouseleave = () => { setTimeout(() => { sub.style.display = 'none' }, 10) }"
    )
    page = extended(
        f"<style>#sub {{ display: none; position: absolute }} {style} </style>"
        "<ul><li id=menu tabindex=0>Menu<ul id=sub><li><a href='#' onclick='document.title = 1'>Deep item</a></ul></ul>"
        f"<p>below</p><script>{script if by == 'script' else ''}</script>"
    )
    assert "Deep item" not in [e.name for e in page.observation.elements]
    page.act(Hover(element_id=1))
    assert page.act(Click(element_id=page.id("Deep item"))).title == "1"


def test_double_click_is_two_clicks_and_their_event(extended):
    page = extended(
        "<button>x</button><script>window.seen = []; for (const t of ['click', 'dblclick'])"
        " document.querySelector('button').addEventListener(t, e => seen.push(t + e.detail))</script>"
    )
    page.act(DoubleClick(element_id=1))
    assert page.js("seen") == ["click1", "click2", "dblclick2"]


KEYS = "<script>window.keys = []; addEventListener('keydown', e => { if (!/Control|Shift|Alt|Meta/.test(e.key))" \
    " keys.push([e.key, e.code, e.ctrlKey, e.shiftKey, e.altKey, e.metaKey].join(' ')) }, true)</script>"  # fmt: skip


@pytest.mark.parametrize(
    ("chord", "seen"),
    [
        ("Control+A", "a KeyA true false false false"),
        ("Control+a", "a KeyA true false false false"),
        ("Control+Shift+A", "A KeyA true true false false"),
        ("Shift+a", "A KeyA false true false false"),
        ("Shift+1", "! Digit1 false true false false"),
        ("Control++", "+ Equal true false false false"),
        ("+", "+ Equal false false false false"),
        ("A", "A KeyA false false false false"),
        ("Alt+Meta+7", "7 Digit7 false false true true"),
        ("Shift+Tab", "Tab Tab false true false false"),
        ("Control+Space", "  Space true false false false"),
        ("F2", "F2 F2 false false false false"),
        ("Control+Shift+ArrowLeft", "ArrowLeft ArrowLeft true true false false"),
    ],
)
def test_a_chord_is_what_a_keyboard_would_send(extended, chord, seen):
    page = extended(f"{KEYS}<textarea aria-label=t></textarea>")
    page.act(Keys(element_id=1, keys=chord))
    assert (error(page), page.js("keys")) == (None, [seen])


def test_chords_select_replace_and_go_back(extended):
    page = extended("<input aria-label=one value=old><input aria-label=two value=keep>")
    page.act(Keys(element_id=1, keys="Control+A"))
    page.act(Keys(keys="N"))
    assert page.observation.element(1).value == "N", "Control+A selected all of the field, and a letter replaced it"
    page.act(Press(key="Tab"))
    page.act(Keys(keys="Shift+Tab"))
    assert page.observation.element(1).focused
    page.act(Keys(element_id=2, keys="Control+A"))
    page.act(Keys(keys="Control+C"))
    page.act(Keys(element_id=1, keys="Control+V"))
    assert [e.value for e in page.observation.elements][0].endswith("keep")


def test_chords_go_to_the_page_where_nothing_has_the_focus(extended):
    page = extended(f"{KEYS}<button>x</button>")
    page.act(Keys(keys="Control+K"))
    assert page.js("keys") == ["k KeyK true false false false"]


FIELDS = "<input type=password aria-label=Word value=secret><input aria-label=Name><button>Plain</button>" \
    "<div tabindex=0>box</div><p onclick='1'>text</p>"  # fmt: skip


@pytest.mark.parametrize("keys", ["a", "Space", "Shift+B", "Control+V", "Shift+Insert", "Control+C", "+", "Control++"])
def test_no_key_writes_into_a_password_field_or_copies_out_of_it(extended, keys):
    page = extended(FIELDS, patience=NONE)
    refusal = "Element 1 asks for a password, a code or card data; this run puts nothing into such fields."
    assert page.act(Keys(element_id=1, keys=keys)).last_action_error == refusal
    page.act(Click(element_id=1))
    assert page.observation.element(1).focused
    assert page.act(Keys(keys=keys)).last_action_error == refusal
    text = next(e.id for e in page.observation.elements if e.name == "text")
    assert page.act(Keys(element_id=text, keys=keys)).last_action_error == refusal, "a text takes no focus"
    assert page.js("document.querySelector('input').value") == "secret"


def test_keys_that_write_nothing_reach_a_password_field_and_other_fields_take_all(extended):
    page = extended(FIELDS)
    page.act(Click(element_id=1))
    assert page.act(Keys(keys="Shift+Home")).last_action_error is None
    assert page.act(Keys(element_id=page.id("Name"), keys="x")).last_action_error is None
    assert page.act(Keys(keys="y")).last_action_error is None
    assert page.observation.element(2).value == "xy"
    assert page.act(Press(element_id=1, key="Space")).last_action_error.startswith("Element 1 asks for a password")
    assert page.act(Drag(element_id=2, to_element_id=1)).last_action_error.startswith("Element 1 asks for a password")


def test_a_run_that_allows_credentials_may_press_keys_there(extended):
    page = extended(FIELDS, allow_credentials=True)
    page.act(Keys(element_id=1, keys="Control+A"))
    page.act(Keys(keys="z"))
    assert page.js("document.querySelector('input').value") == "z"


def test_a_frame_that_lost_the_focus_has_no_focused_field(extended):
    page = extended("<iframe srcdoc='<input type=password aria-label=Inner>'></iframe><input aria-label=Outer>")
    page.act(Click(element_id=page.id("Inner")))
    assert [e.name for e in page.observation.elements if e.focused] == ["Inner"]
    page.act(Click(element_id=page.id("Outer")))
    assert [e.name for e in page.observation.elements if e.focused] == ["Outer"]
    assert page.act(Keys(keys="q")).last_action_error is None
    assert page.observation.element(page.id("Outer")).value == "q"


def test_scroll_in_moves_the_nearest_area_that_can(extended):
    page = extended(
        "<div id=outer style='height:200px;overflow:auto'><button>top</button>"
        "<div id=inner style='height:100px;overflow:auto'><button>deep</button><div style='height:300px'></div></div>"
        "<div style='height:600px'></div></div><textarea id=t aria-label=t rows=3>" + "line\n" * 40 + "</textarea>"
        "<div style='height:3000px'></div>"
    )
    deep = page.id("deep")
    page.act(ScrollIn(element_id=deep, direction="down"))
    assert page.js("[inner.scrollTop, outer.scrollTop, scrollY]") == [80, 0, 0]
    for _ in range(3):
        page.act(ScrollIn(element_id=deep, direction="down"))
    assert page.js("inner.scrollTop") > 200
    assert page.js("outer.scrollTop") > 0, "when the inner one has come to its end, the next one moves"
    page.act(ScrollIn(element_id=page.id("t"), direction="down"))
    assert page.js("[t.scrollTop > 0, scrollY]") == [True, 0]
    page.act(ScrollIn(element_id=deep, direction="left"))
    assert error(page) == f"Nothing around element {deep} scrolls left."


def test_scroll_in_does_not_move_a_page_that_hides_its_overflow(extended):
    page = extended("<style>html { overflow: hidden }</style><button>x</button><div style='height:3000px'></div>")
    page.act(ScrollIn(element_id=1, direction="down"))
    assert (error(page), page.js("scrollY")) == ("Nothing around element 1 scrolls down.", 0)


@pytest.mark.parametrize("origin", ["same", "other"])
@pytest.mark.parametrize("way", ["in", "out", "within"])
def test_drags_pass_the_borders_of_frames(extended, httpserver: HTTPServer, origin, way):
    box = "<div tabindex=0 style='width:80px;height:40px;border:1px solid'>%s</div>"
    tell = "<script>addEventListener('mouseup', e => top.postMessage(`up ${e.clientX},${e.clientY}`, '*'))</script>"
    httpserver.expect_request("/in").respond_with_data(
        f"<body style='margin:0'>{tell}{box % 'p'}{box % 'q'}", content_type="text/html"
    )
    url = httpserver.url_for("/in")
    other = url.replace("localhost", "127.0.0.1") if "localhost" in url else url.replace("127.0.0.1", "localhost")
    page = extended(
        f"<body style='margin:0'><script>window.told = []; onmessage = e => told.push(e.data)</script>{tell}{box % 'a'}"
        f"<iframe src='{url if origin == 'same' else other}' style='padding:7px;width:300px;height:200px'></iframe>"
    )
    source, target = {"in": ("a", "p"), "out": ("p", "a"), "within": ("p", "q")}[way]
    page.act(Drag(element_id=page.id(source), to_element_id=page.id(target)))
    assert error(page) is None
    page.env.page.wait_for_function("told.length > 0")
    # A frame that the mouse was pressed in hears of the release, wherever that is.
    assert page.js("told") == [{"in": "up 41,21", "out": "up 32,-30", "within": "up 41,63"}[way]]
    page.act(Click(element_id=page.id("a")))
    page.act(Click(element_id=page.id("q")))
    assert error(page) is None


@pytest.mark.parametrize("origin", ["same", "other"])
def test_the_finer_actions_work_in_frames_below_the_fold(extended, httpserver: HTTPServer, origin):
    httpserver.expect_request("/in").respond_with_data(
        f"{KEYS}<canvas id=c width=100 height=60></canvas><input aria-label=f value=old>"
        "<div style='height:60px;overflow:auto'><button>b</button><div style='height:400px'></div></div>"
        "<script>const say = w => parent.postMessage(w, '*'); c.onclick = e => say(`at ${e.offsetX},${e.offsetY}`)\n"
        "c.ondblclick = () => say('double'); c.onmouseenter = () => say('enter')\n"
        "document.querySelector('div').onscroll = () => say('scroll')</script>",
        content_type="text/html",
    )  # fmt: skip
    url = httpserver.url_for("/in")
    other = url.replace("localhost", "127.0.0.1") if "localhost" in url else url.replace("127.0.0.1", "localhost")
    page = extended(
        "<script>window.told = []; onmessage = e => told.push(e.data)</script><div style='height:1500px'></div>"
        f"<iframe src='{url if origin == 'same' else other}' style='width:300px;height:250px'></iframe>"
    )
    canvas = next(e.id for e in page.observation.elements if e.tag == "canvas")
    page.act(ClickAt(element_id=canvas, x=30, y=20))
    assert error(page) is None
    page.act(DoubleClick(element_id=canvas))
    page.act(Keys(element_id=page.id("f"), keys="Control+A"))
    page.act(Keys(keys="n"))
    assert page.observation.element(page.id("f")).value == "n"
    page.act(ScrollIn(element_id=page.id("b"), direction="down"))
    assert error(page) is None
    page.env.page.wait_for_function("told.includes('scroll')")
    assert page.js("['at 30,20', 'double', 'enter'].every(w => told.includes(w))")


def test_ends_that_fit_the_window_together_are_brought_into_it(extended):
    page = extended(
        "<div style='height:900px'></div>" + SORTABLE.replace("margin: 4px", "margin: 4px 4px 140px")
    )  # four items take 696 of 720 pixels
    assert not page.observation.element(page.id("a")).in_viewport
    page.act(Drag(element_id=page.id("a"), to_element_id=page.id("d")))
    assert error(page) is None
    assert page.js("Array.from(list.children, li => li.textContent.trim()).join('')") == "bcda"
    page.act(Drag(element_id=page.id("a"), to_element_id=page.id("b")))
    assert page.js("Array.from(list.children, li => li.textContent.trim()).join('')") == "abcd"


def test_ends_too_far_apart_are_told_and_nothing_is_pressed(extended):
    page = extended("<div tabindex=0>top</div><div style='height:3000px'></div><div tabindex=0>bottom</div>")
    page.act(Drag(element_id=1, to_element_id=2))
    assert error(page) == "Elements 1 and 2 cannot be in view together, which a drag needs."
    assert page.js("mouse") == []


def test_a_covered_end_is_told_and_nothing_is_pressed(extended):
    page = extended(
        BOXES + "<section role=dialog style='position:fixed;inset:80px 0 0 0' aria-label=Cookies></section>"
    )
    page.act(Drag(element_id=page.id("from"), to_element_id=page.id("to")))
    assert "is covered by" in error(page)
    assert page.js("mouse") == []


def test_an_end_that_goes_away_at_the_press_is_told_and_the_button_comes_up(extended):
    page = extended(
        "<div id=a tabindex=0>a</div><div id=b tabindex=0>b</div><script>a.onmousedown = () => b.remove()</script>"
    )
    page.act(Drag(element_id=1, to_element_id=2))
    assert error(page) == "Element 2 is no longer on the page; look at its rows again."
    assert page.js("mouse") == ["mousedown", "mouseup"]


def test_a_page_that_lays_a_sheet_over_itself_to_follow_the_mouse_is_no_obstacle(extended):
    page = extended(
        "<div id=a tabindex=0>a</div><div id=b tabindex=0 style='margin-top:200px'>b</div><script>"
        "a.onmousedown = () => { const s = document.createElement('div'); s.style = 'position:fixed;inset:0'\n"
        "document.body.append(s); s.onmouseup = e => { s.remove(); document.title ="
        " document.elementFromPoint(e.clientX, e.clientY).id } }</script>"
    )
    page.act(Drag(element_id=1, to_element_id=2))
    assert (error(page), page.observation.title) == (None, "b")


@pytest.mark.parametrize(
    "does",
    ["location.href = '/elsewhere'", "alert('held')", "document.body.innerHTML = '<p>gone</p>'", "throw new Error('x')",
     "document.open(); document.write('<p>new</p>'); document.close()", "history.pushState({}, '', '/x')"],
)  # fmt: skip
def test_the_button_comes_up_whatever_the_press_does(extended, httpserver: HTTPServer, does):
    httpserver.expect_request("/elsewhere").respond_with_data(
        MOUSE + "<button>there</button>", content_type="text/html"
    )
    page = extended(
        f"<div id=a tabindex=0>a</div><div id=b tabindex=0>b</div><script>a.onmousedown = () => {{ {does} }}</script>"
    )
    page.act(Drag(element_id=1, to_element_id=2))
    assert page.terminated is False
    for e in page.observation.elements:
        assert page.act(Click(element_id=e.id)).last_action_error is None
        break


def test_a_window_that_closes_itself_at_the_press_leaves_the_one_before_it(extended, httpserver: HTTPServer):
    httpserver.expect_request("/tab").respond_with_data(
        "<title>Second</title><div tabindex=0 onmousedown='window.close()'>a</div><div tabindex=0>b</div>",
        content_type="text/html",
    )
    page = extended("<a href='/tab' target=_blank>Open</a>")
    page.act(Click(element_id=1))
    assert page.observation.title == "Second"
    page.act(Drag(element_id=page.id("a"), to_element_id=page.id("b")))
    assert page.observation.title == "Fixture"
    page.act(Type(element_id=1, text="x"))
    assert error(page) == "Element 1 (link) takes no text."


def test_the_embedded_model_sorts_draws_and_selects_by_its_own_choice(extended):
    """The offered gestures, chosen and carried out, do on a real page what the goal says."""
    offered = tuple(name for name in EXTENDED_ACTIONS if name not in ("finish", "navigate", "go_back"))

    def solve(body: str, goal: str, steps: int, path: str):
        page = extended(body, goal=goal, path=path)
        agent = DecisionAgent(EmbeddedModel(), offered)
        for _ in range(steps):
            page.act(agent.step(page.observation).action)
        return page

    drawing = solve(SHAPES, "Drag the circle into the box", 1, "/shapes")
    assert drawing.js("[circle.getAttribute('cx'), circle.getAttribute('cy')].map(Number)") == [130, 90]
    editor = solve(EDITOR, "Give the text two the style bold", 6, "/editor")
    assert editor.js("text.innerHTML") == "one <b>two</b> three"


SHAPES = """<svg width=200 height=150 style='display: block'><circle id=circle cx=30 cy=30 r=12 fill=red tabindex=0 />
<rect x=90 y=60 width=80 height=60 fill=none stroke=black tabindex=0 /></svg><script>
let held = false
circle.onmousedown = e => { held = true; e.preventDefault() }
document.onmousemove = e => {
  if (!held) return
  const box = document.querySelector('svg').getBoundingClientRect()
  circle.setAttribute('cx', e.clientX - box.left); circle.setAttribute('cy', e.clientY - box.top)
}
document.onmouseup = () => { held = false }
</script>"""

EDITOR = """<button class=bold onmousedown='event.preventDefault()' onclick='document.execCommand("bold")'></button>
<div id=text contenteditable>one two three</div>"""


def test_a_grip_on_a_fields_edge_is_a_place_in_the_field(extended):
    page = extended(RESIZABLE)
    field = page.id("Notes")
    page.act(DragBy(element_id=field, x=96, y=56, dx=30, dy=0))
    assert error(page) is None
    assert page.observation.element(field).box.width == 130
    page.js("veil.hidden = false")
    page.act(DragBy(element_id=field, x=96, y=56, dx=30, dy=0))
    assert "covered by div#veil" in error(page)


# As jQuery UI makes a field resizable: the grip stands beside it in a wrapper and lies on its corner.
RESIZABLE = """<style>#wrap { position: relative; width: 100px; height: 60px } textarea { width: 100%; height: 100%;
box-sizing: border-box; resize: none } #grip { position: absolute; right: 0; bottom: 0; width: 10px; height: 10px;
cursor: se-resize } #veil { position: fixed; inset: 0 }</style>
<div id=wrap><textarea aria-label=Notes></textarea><div id=grip></div></div><div id=veil hidden></div><script>
let from = null
grip.onmousedown = e => { from = [e.clientX, wrap.offsetWidth]; e.preventDefault() }
document.onmousemove = e => { if (from) wrap.style.width = from[1] + e.clientX - from[0] + 'px' }
document.onmouseup = () => { from = null }
</script>"""
