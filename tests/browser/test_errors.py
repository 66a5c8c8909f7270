"""A driver's call log becomes one short sentence; what cannot be read keeps its words."""

import pytest

from browser.errors import MESSAGE_LIMIT, one_sentence

NOISE = "  - waiting for locator\n" * 200
LOG = (
    "Locator.click: Timeout 500ms exceeded.\nCall log:\n\x1b[2m  - <div id=\"consent\" class=\"banner dark\">…</div> "
    f"from <div id=\"root\"> subtree intercepts pointer events\x1b[22m\n{NOISE}"
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (LOG, "The element is covered by <div consent banner dark>; close or move that first."),
        (f"Page.goto: net::ERR_CONNECTION_REFUSED at http://h/\nCall log:\n{NOISE}",
         "Page.goto: net::ERR_CONNECTION_REFUSED at http://h/"),
        ("BrowserType.launch: closed\nBrowser logs:\n\n<launching> /x --flag\n[pid=1][err] no display\n[pid=1][err] b",
         "BrowserType.launch: closed (no display)"),
        ("plain words", "plain words"),
        ("", "ValueError"),
        ("two\nlines  here", "two lines here"),
    ],
)  # fmt: skip
def test_sentences(text, sentence):
    assert one_sentence(ValueError(text)) == sentence


def test_nothing_is_longer_than_the_limit():
    """G4"""
    assert len(one_sentence(ValueError("x" * 10_000))) == MESSAGE_LIMIT
