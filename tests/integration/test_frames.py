"""Frames, of the page's own origin and of others: what is in them, where it is, and whether an action lands there."""

import pytest

from browser.actions import Click, Scroll, Type
from browser.environment import BrowserEnvironment

FRAMES = ("plain", "padded", "nested > inner", "scrolled", "rotated", "turned", "zoomed")


@pytest.fixture(params=["same origin", "another host", "another port"])
def base(request, pages_server, other_pages_server):
    """What the addresses of the frames begin with."""
    other_host = pages_server.replace("127.0.0.1", "localhost")
    return {"same origin": "", "another host": f"{other_host}/", "another port": f"{other_pages_server}/"}[
        request.param
    ]


def in_frame(page, frame):
    return {e.role: e for e in page.observation.elements if e.frame == frame}


def test_every_frame_is_read_and_stands_in_its_place(open_fixture, base):
    page = open_fixture(f"frames.html?base={base}")
    assert [(e.frame, e.role, e.name) for e in page.observation.elements] == [
        (frame, role, name) for frame in FRAMES for role, name in (("textbox", "Name"), ("button", "Send"))
    ]
    assert [t.frame for t in page.observation.texts if t.text == "Order form"] == list(FRAMES)
    assert page.observation.omitted.frames == 0
    assert [e.frame for e in page.observation.elements if not e.in_viewport] == ["scrolled", "scrolled"]
    assert [e.scope for e in page.observation.elements] == [None] * 14, "their frames tell them apart"


def test_boxes_are_those_that_the_driver_works_out(open_fixture, base):
    page = open_fixture(f"frames.html?base={base}")
    for frame in FRAMES[:-1]:  # the driver leaves the zoom of a frame out
        title = frame.split(" > ")[0]
        inside = page.env.page.frame_locator(f"[title={title}]")
        if title == "nested":
            inside = inside.frame_locator("[title=inner]")
        theirs = inside.locator("button").bounding_box()
        ours = in_frame(page, frame)["button"].box
        for name in ("x", "y", "width", "height"):
            assert getattr(ours, name) == pytest.approx(theirs[name], abs=2), (frame, name)


def test_the_box_in_a_zoomed_frame_is_where_the_pointer_finds_the_button(open_fixture):
    page = open_fixture("frames.html")
    page.js(
        "document.querySelector('[title=zoomed]').contentWindow.onmousemove ="
        " e => document.title = e.target.localName; 0"
    )
    box = in_frame(page, "zoomed")["button"].box
    right, bottom = box.x + box.width, box.y + box.height
    for dx, found in ((3, True), (-3, False)):
        for x, y in (
            (box.x + dx, box.y + 9),
            (right - dx, box.y + 9),
            (box.x + 9, box.y + dx),
            (box.x + 9, bottom - dx),
        ):
            page.env.page.mouse.move(x, y)
            assert (page.js("document.title") == "button", x, y) == (found, x, y)


@pytest.mark.parametrize("frame", FRAMES)
def test_typing_and_clicking_land_in_every_frame(open_fixture, base, frame):
    """P7"""
    page = open_fixture(f"frames.html?base={base}")
    page.act(Type(element_id=in_frame(page, frame)["textbox"].id, text="Ann"))
    assert in_frame(page, frame)["textbox"].value == "Ann"
    page.act(Click(element_id=in_frame(page, frame)["button"].id))
    assert page.observation.last_action_error is None
    assert [e.name for e in page.observation.elements if e.name.startswith("Sent")] == ["Sent Ann"]
    assert in_frame(page, frame)["button"].name == "Sent Ann"


def test_actions_land_in_frames_after_the_page_was_scrolled(open_fixture, base):
    page = open_fixture(f"frames.html?base={base}")
    page.js("document.body.style.padding = '900px 0 900px 300px'")
    page.act(Scroll(direction="down"))
    for frame in FRAMES:
        page.act(Click(element_id=in_frame(page, frame)["button"].id))
        assert (page.observation.last_action_error, in_frame(page, frame)["button"].name) == (None, "Sent")


def test_frames_on_a_screen_of_two_pixels_a_point(open_fixture, base):
    page = open_fixture(f"frames.html?base={base}")
    metrics = {"width": 1280, "height": 720, "deviceScaleFactor": 2, "mobile": False}
    page.env.session.world().cdp.send("Emulation.setDeviceMetricsOverride", metrics)
    for frame in FRAMES:
        page.act(Click(element_id=in_frame(page, frame)["button"].id))
        assert (page.observation.last_action_error, in_frame(page, frame)["button"].name) == (None, "Sent")
    assert page.js("devicePixelRatio") == 2


def test_sandboxed_frames_are_read_and_clicked(open_fixture):
    page = open_fixture("frames-sandboxed.html")
    assert [(e.id, e.frame, e.name) for e in page.observation.elements] == [
        (1, "scripts", "Name"), (2, "scripts", "Send"), (3, "bare", "Name"), (4, "bare", "Send"), (5, "inline", "Do"),
    ]  # fmt: skip
    page.act(Type(element_id=3, text="no script sees this"))
    page.act(Click(element_id=4))
    assert page.observation.last_action_error is None, "it takes the click, though nothing in it may run"
    page.act(Click(element_id=5))
    page.act(Type(element_id=1, text="Ann"))
    page.act(Click(element_id=2))
    assert [e.name for e in page.observation.elements] == ["Name", "Sent Ann", "Name", "Send", "Done"]
    assert in_frame(page, "bare")["textbox"].value == "no script sees this"


def test_what_the_page_lays_over_a_frame_covers_what_is_in_it(open_fixture, base):
    page = open_fixture(f"frames-covered.html?base={base}")
    covers = {(e.frame, e.name): e.covered_by for e in page.observation.elements}
    assert covers == {
        ("half", "Free"): None,
        ("half", "Under"): 'div#bar "Chat with us"',
        ("whole", "Name"): 'div#sheet "Choose a country"',
        ("whole", "Send"): 'div#sheet "Choose a country"',
        ("", "Continue"): None,
    }
    send = in_frame(page, "whole")["button"].id
    seen = page.act(Click(element_id=send))
    assert seen.last_action_error == (
        f'Element {send} is covered by div#sheet "Choose a country"; close or move that first.'
    )
    page.act(Click(element_id=page.id("Continue")))
    page.act(Click(element_id=send))
    assert in_frame(page, "whole")["button"].name == "Sent"


def test_a_frame_that_is_loaded_anew_has_new_rows(open_fixture, base):
    page = open_fixture(f"frames.html?base={base}")
    old = in_frame(page, "plain")["button"].id
    page.js("document.querySelector('[title=plain]').src += '?again'")
    page.env.page.wait_for_timeout(300)
    seen = page.act(Scroll(direction="up"))
    ids = [e.id for e in seen.elements]
    assert (len(set(ids)), old in ids) == (len(FRAMES) * 2, False)
    page.act(Click(element_id=in_frame(page, "plain")["button"].id))
    assert in_frame(page, "plain")["button"].name == "Sent"


def test_an_element_of_a_frame_that_was_loaded_meanwhile_is_found_again(open_fixture, base):
    page = open_fixture(f"frames.html?base={base}")
    old = in_frame(page, "plain")["button"].id
    page.js("document.querySelector('[title=plain]').src += '?again'")
    page.env.page.wait_for_timeout(300)
    assert page.act(Click(element_id=old)).last_action_error is None
    assert in_frame(page, "plain")["button"].name == "Sent"


def test_removing_a_frame_removes_its_rows(open_fixture, base):
    page = open_fixture(f"frames.html?base={base}")
    old = in_frame(page, "plain")["button"].id
    page.js("document.querySelector('[title=plain]').remove()")
    seen = page.act(Click(element_id=old))
    assert seen.last_action_error == f"Element {old} is no longer on the page; look at its rows again."
    assert {e.frame for e in seen.elements} == set(FRAMES) - {"plain"}


def test_frames_turned_in_perspective_are_listed_but_may_be_missed(open_page):
    """Not handled: a point in such a frame maps to no place by a flat map."""
    page = open_page(
        "<iframe title=f style='margin:200px 600px;width:600px;height:300px;"
        "transform:perspective(300px) rotateY(60deg)' srcdoc='"
        '<button style="position:absolute;right:0">Edge</button>\'></iframe>'
    )
    assert [(e.name, e.frame) for e in page.observation.elements] == [("Edge", "f")]


def test_the_limit_of_elements_holds_over_all_frames(session, pages_server):
    from browsergym.core.task import OpenEndedTask

    from browser.look import LookOptions

    other = pages_server.replace("127.0.0.1", "localhost")
    task = {"start_url": f"{pages_server}/frames.html?base={other}/", "goal": ""}
    env = BrowserEnvironment(OpenEndedTask, task_kwargs=task, session=session, look=LookOptions(max_elements=5))
    observation, _ = env.reset(seed=0)
    assert (len(observation.elements), observation.omitted.elements) == (5, 9)
    env.close()
