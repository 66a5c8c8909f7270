"""Random pages: whatever a page is, every row that is said to be free can be clicked."""

import time
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from random_pages import pages
from werkzeug import Request as HttpRequest
from werkzeug import Response

from browser.look import LookOptions, Request, look_table
from browser.session import PageSettings

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
    from pytest_httpserver import HTTPServer

    with HTTPServer() as server:
        now = SimpleNamespace(html="", page=session.open_page(PageSettings(), "context"), url=server.url_for("/random"))

        def answer(_: HttpRequest) -> Response:
            return Response(now.html, content_type="text/html; charset=utf-8")

        server.expect_request("/random").respond_with_handler(answer)
        yield now


@settings(
    max_examples=500, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)
@given(html=pages)
def test_every_row_that_is_free_takes_a_click(session, place, html):
    place.html = html
    place.page.goto(place.url)
    observation = look_table(session, LOOK, Request("")).observation
    ids = [e.id for e in observation.elements]
    assert len(set(ids)) == len(ids)
    assert "secret" not in observation.model_dump_json()
    world = session.world()
    for element in observation.elements:
        if element.disabled or element.covered_by:
            continue
        world.measure(element.id, EXPECT)
        point = world.act("aim", element.id, None)
        assert "x" in point, (element, point)
        place.page.mouse.click(point["x"], point["y"])
        assert world.measure(element.id, REACHED) is True, (element, point, world.measure(element.id, REACHED))
