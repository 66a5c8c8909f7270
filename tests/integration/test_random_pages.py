"""Random pages, as real ones are made: containers in containers, laid out, cut off, covered and hidden in any way.

Whatever a page is, every row that is said to be free can be clicked.
"""

from html import escape
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request as HttpRequest
from werkzeug import Response

from browser.look import LookOptions, Request, look_table
from browser.session import PageSettings

WORDS = st.sampled_from(
    ["Save", "Cancel", "Add to basket", "Пошук", "検索", "☃", "Zoë", "a" * 130, "x", "\u200b", "<b>", "1", "Read more",
     "\u202eright to left", "two\n lines", "&nbsp;"]
)  # fmt: skip
ODD = st.sampled_from(
    ["", "", "", " id=twice", " class='icon-add btn'", " title='A title'", " aria-label=Named", " aria-label=''",
     " role=presentation", " role='button'", " role='no-such-role'", " tabindex=-1", " tabindex=0", " draggable=true",
     " dir=rtl", " lang=ja", " aria-hidden=true", " inert", " hidden", " style='opacity:0'", " style='display:none'",
     " style='visibility:hidden'", " style='position:absolute;left:-9999px'", " style='position:absolute;top:1500px'",
     " style='position:fixed;right:-300px'", " style='width:1px;height:1px;overflow:hidden;position:absolute'",
     " style='pointer-events:none'", " style='float:right'", " style='transform:rotate(20deg)'",
     " aria-labelledby=nowhere",
     " aria-disabled=true", " data-x='\"&lt;'", " style='margin-left:-20px'", " style='clip-path:circle(30%)'"]
)  # fmt: skip
CONTROLS = st.sampled_from(
    ["<button{0}>{1}</button>", "<button disabled{0}>{1}</button>", "<a href='#x'{0}>{1}</a>", "<a{0}>{1}</a>",
     "<div onclick='1'{0}>{1}</div>", "<span style='cursor:pointer'>{1}</span>", "<input{0} placeholder='{1}'>",
     "<input type=checkbox{0}>", "<label{0}><input type=radio>{1}</label>",
     "<label{0}><input type=checkbox style='display:none'>{1}</label>", "<input type=range{0}>", "<input type=date{0}>",
     "<input type=file{0}>", "<input type=color{0}>", "<input type=password value=secret{0}>", "<input type=submit{0}>",
     "<textarea{0}>{1}</textarea>", "<select{0}><option>{1}<option>b</select>",
     "<select multiple{0}><optgroup label=g><option>{1}</optgroup></select>", "<p contenteditable{0}>{1}</p>",
     "<details{0}><summary>{1}</summary><button>in {1}</button></details>", "<summary{0}>{1}</summary>",
     "<svg width=60 height=40{0}><circle cx=20 cy=20 r=15 /><line x1=0 y1=0 x2=60 y2=40 stroke=red /></svg>",
     "<canvas width=30 height=20{0}></canvas>", "<a href='#i'{0}><img width=9 height=9 alt='{1}'></a>",
     "<button{0}><svg width=9 height=9><title>{1}</title><rect width=9 height=9 /></svg></button>",
     "<div role=slider tabindex=0 aria-valuenow=4{0}>{1}</div>", "<label for=far{0}>{1}</label><input id=far>",
     "<div tabindex=0{0}>{1} <button>inner</button></div>", "<p{0}>{1}</p>", "<h2{0}>{1}</h2>", "{1}"]
)  # fmt: skip
LAYOUTS = st.sampled_from(
    ["", "", "overflow:hidden;width:120px;height:50px", "overflow:auto;width:200px;height:70px",
     "overflow:scroll;height:60px;position:relative", "overflow:hidden;height:0", "overflow:clip;height:40px",
     "position:absolute;left:300px;top:40px", "position:absolute;top:1200px", "position:relative;left:-15px;z-index:2",
     "position:fixed;right:10px;bottom:10px", "position:fixed;left:0;top:0;width:100%;height:60px;background:white",
     "position:sticky;top:0;background:white", "position:fixed;left:110%", "position:fixed;top:-500px",
     "transform:rotate(35deg)", "transform:scale(.5)", "transform:translateX(-2000px)", "zoom:1.4", "zoom:.6",
     "display:flex;flex-direction:row-reverse", "display:grid;grid-template-columns:1fr 1fr", "display:contents",
     "display:none", "visibility:hidden", "opacity:0", "height:900px", "padding-top:1400px", "width:3000px",
     "column-count:2;width:150px", "direction:rtl;overflow:auto;width:100px;white-space:nowrap",
     "display:flex;flex-direction:column-reverse;overflow:auto;height:80px", "content-visibility:hidden",
     "writing-mode:vertical-rl;overflow:auto;width:80px;height:60px", "filter:blur(1px)",
     "pointer-events:none", "cursor:pointer",
     "background:gold;height:30px;margin-top:-25px", "margin-left:-3000px", "float:left;width:40%"]
)  # fmt: skip
OVERLAYS = st.sampled_from(
    ["", "", "", "", "<div style='position:fixed;inset:0;background:white'>Wait</div>",
     "<div role=dialog style='position:fixed;left:20%;top:20%;width:60%;height:60%;background:white'>"
     "<button>OK</button></div>",
     # With room below the last row: what the page's end leaves under a bar cannot be reached by anybody.
     "<div style='position:fixed;left:0;right:0;bottom:0;height:90px;background:gray'>Cookies</div>"
     "<div style='position:absolute;top:5000px;height:200px;width:1px'></div>",
     "<div style='position:absolute;left:0;top:0;width:200px;height:60px;background:gold'>Sale</div>",
     "<dialog id=modal><button>Yes</button></dialog><script>modal.showModal()</script>",
     "<script>document.body.style.overflow = 'hidden'</script>"]
)  # fmt: skip


def _control(shape: str, odd: str, words: str) -> str:
    return shape.format(odd, escape(words, quote=True))


def _inside(kind: str, layout: str, parts: list[str]) -> str:
    inner = "".join(parts)
    style = f" style='{layout}'"
    match kind:
        case "table":
            cells = "".join(f"<tr><td>Row<td>{part}</tr>" for part in parts)
            return f"<table border=1{style}>{cells}</table>"
        case "list":
            return f"<ul{style}>{''.join(f'<li>{part}' for part in parts)}</ul>"
        case "shadow":
            return f"<div{style}><template shadowrootmode=open>{inner}<slot></slot></template><b>Slotted</b></div>"
        case "frame":
            return f"<iframe title=f{style} srcdoc='{escape(inner, quote=True)}'></iframe>"
        case "sandbox":
            return f"<iframe sandbox name=s{style} srcdoc='{escape(inner, quote=True)}'></iframe>"
        case "group":
            return f"<fieldset{style}><legend>Group</legend>{inner}</fieldset>"
        case _:
            return f"<{kind}{style}>{inner}</{kind}>"


KINDS = st.sampled_from(["div"] * 5 + ["section", "span", "table", "list", "shadow", "frame", "sandbox", "group"])
CONTROL = st.builds(_control, CONTROLS, ODD, WORDS)
PARTS = st.recursive(
    CONTROL,
    lambda inner: st.builds(_inside, KINDS, LAYOUTS, st.lists(inner, min_size=1, max_size=4)),
    max_leaves=9,
)
PAGES = st.builds(
    lambda found, overlay: f"<!doctype html><meta charset=utf-8><title>Random</title>{''.join(found)}{overlay}",
    st.lists(PARTS, min_size=1, max_size=4),
    OVERLAYS,
)

LOOK = LookOptions(quiet_ms=0, max_elements=10_000, max_texts=10_000)
# Notes whether the next press reaches this node, or a label of it, and lets nothing come of it.
EXPECT = """function () {
  const view = this.ownerDocument.defaultView;
  globalThis.expected = this;
  globalThis.reached = 'nothing was pressed';
  if (view.watched) return;
  view.watched = true;
  for (const type of ['mousedown', 'mouseup', 'click']) view.addEventListener(type, (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    const path = event.composedPath();
    const stands = (node) => node === expected || node.localName === 'label' && node.control === expected;
    if (type === 'mousedown') reached = path.some(stands) || `${path[0].outerHTML}`.slice(0, 200);
  }, true);
}"""
REACHED = "function () { return globalThis.reached }"


@pytest.fixture(scope="module")
def place(session):
    """The open page, and a way to serve it another document."""
    with HTTPServer() as server:
        now = SimpleNamespace(html="", page=session.open_page(PageSettings(), "context"), url=server.url_for("/random"))

        def answer(_: HttpRequest) -> Response:
            return Response(now.html, content_type="text/html; charset=utf-8")

        server.expect_request("/random").respond_with_handler(answer)
        yield now


def look(session):
    return look_table(session, LOOK, Request("")).observation


# About a minute on two idle cores; a busy machine takes several times that.
@pytest.mark.timeout(900)
@settings(
    max_examples=500,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],  # making a failing page smaller would take many minutes
    suppress_health_check=list(HealthCheck),
)
@given(html=PAGES)
def test_every_row_that_is_free_takes_a_click(session, place, html):
    place.html = html
    place.page.goto(place.url, timeout=60_000)
    observation = look(session)
    ids = [e.id for e in observation.elements]
    assert len(set(ids)) == len(ids)
    assert "secret" not in observation.model_dump_json()
    world = session.world()
    for element in observation.elements:
        if element.disabled or element.covered_by:
            continue
        world.measure(element.id, EXPECT)
        point = world.act("aim", element.id, None)
        if not element.in_viewport and "is covered by" in point.get("error", ""):
            # What lies over a row is known once it is in view: then it is told.
            now = look(session).element(element.id)
            assert now is not None, (element, point)
            assert now.covered_by, (element, point)
            continue
        assert "x" in point, (element, point)
        place.page.mouse.click(point["x"], point["y"])
        assert world.measure(element.id, REACHED) is True, (element, point)
