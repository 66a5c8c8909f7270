"""Roles and names of the table against Chromium's own accessibility tree, over all fixture pages."""

from pathlib import Path

from browser.look import LookOptions, Request, look_table
from browser.session import PageSettings

PAGES = sorted((Path(__file__).parent.parent / "pages").glob("*.html"))
SHARE = 0.98
# The tree's spelling -> the table's, where both mean the same.
SPELLINGS = {
    "Date": "date", "DateTime": "date", "InputTime": "time", "ColorWell": "colorwell", "image": "img", "Canvas": "img",
    "SvgRoot": "img", "graphics-symbol": "graphic", "graphics-document": "img", "DisclosureTriangle": "button",
    "Video": "video", "Audio": "audio", "LabelText": "label",
}  # fmt: skip
OWN_TEXT = {"generic", "label", "paragraph"}


def tree(cdp):
    """Role, name and editability of every node of the page and its frames, by the browser's number of the node."""
    frames = [cdp.send("Page.getFrameTree")["frameTree"]]
    found = {}
    while frames:
        frame = frames.pop()
        frames += frame.get("childFrames", [])
        for node in cdp.send("Accessibility.getFullAXTree", {"frameId": frame["frame"]["id"]})["nodes"]:
            if "backendDOMNodeId" in node and node["role"]["value"] not in ("InlineTextBox", "none"):
                facts = {p["name"]: p["value"].get("value") for p in node.get("properties", [])}
                name = " ".join(str(node.get("name", {}).get("value", "")).split())
                found[node["backendDOMNodeId"]] = (node["role"]["value"], name, facts)
    return found


def number_of(world, element_id):
    frame = world._frame_of.get(element_id, world._top)
    node = world._send(frame, "nodeOf", [element_id], by_value=False)
    return world.cdp.send("DOM.describeNode", {"objectId": node["objectId"]})["node"]["backendNodeId"]


def reading(element, role, name, facts):
    """Role and name that the tree gives, as the table spells them."""
    role = SPELLINGS.get(role, role)
    if facts.get("editable") and element.editable and role in OWN_TEXT:
        role = "textbox"
    if element.input_type == "file" and role == "button":
        role = "file"
    # Where a role takes no name from its content, the table shows the content.
    return role, element.name if role in OWN_TEXT and not name else name


def rows(session, address):
    """Each row of a page, with what the tree says of its node; None where the tree leaves it out."""
    page = session.open_page(PageSettings(), "context")
    page.goto(address)
    world = session.world()
    elements = look_table(session, LookOptions(), Request("")).observation.elements
    nodes = tree(world.cdp)
    return [(e, nodes.get(number_of(world, e.id))) for e in elements]


def test_roles_and_names_agree_with_the_accessibility_tree(session, pages_server, record_property):
    other = pages_server.replace("127.0.0.1", "localhost")
    compared, differing, left_out = 0, [], []
    for name in [*(path.name for path in PAGES), f"frames.html?base={other}/", f"frames-covered.html?base={other}/"]:
        for element, node in rows(session, f"{pages_server}/{name}"):
            if node is None:
                left_out.append(element)
                continue
            compared += 1
            theirs = reading(element, *node)
            if theirs != (element.role, element.name):
                differing.append(f"{name}: {element.role} {element.name!r}, in the tree {theirs[0]} {theirs[1]!r}")
    share = 1 - len(differing) / compared
    summary = f"{compared - len(differing)} of {compared} rows agree ({share:.3f}); {len(left_out)} are not in the tree"
    print("\n".join([summary, *differing]))
    record_property("agreement", summary)
    assert compared > 200
    assert share >= SHARE, differing
    # It leaves out what is inert or hidden from it, and what only a cursor or a shape shows.
    assert all(e.aria_hidden or e.disabled or e.role in ("generic", "graphic") for e in left_out), left_out


def test_the_comparison_sees_a_difference(session, httpserver):
    html = "<button>Save</button><p contenteditable>x</p>"
    httpserver.expect_request("/two").respond_with_data(html, content_type="text/html")
    (button, node), (field, other) = rows(session, httpserver.url_for("/two"))
    assert (reading(button, *node), reading(field, *other)[0]) == (("button", "Save"), "textbox")
    assert reading(button, "link", *node[1:]) != ("button", "Save")
    assert reading(button, node[0], "", node[2]) != ("button", "Save")
