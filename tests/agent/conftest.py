"""Pages and answers for the tests of agents that chat."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from browser.observation import Box, InteractiveElement, Observation

BOX = Box(x=0, y=0, width=10, height=10)
ELEMENTS = (
    InteractiveElement(id=1, role="button", name="Go", box=BOX),
    InteractiveElement(id=2, role="textbox", name="Name", editable=True, filled=False, box=BOX),
    InteractiveElement(id=3, role="textbox", name="Password", editable=True, credential=True, box=BOX),
)


@pytest.fixture
def page() -> Callable[..., Observation]:
    """Make a page with a button, a field and a password field; its key tells it from the page before."""

    def make(key: str = "a", **fields: Any) -> Observation:
        start: dict[str, Any] = {
            "goal": 'Log in as Ada with the password "x7y"', "url": "http://127.0.0.1:8000/login", "title": "Log in",
            "elements": ELEMENTS, "page_key": key,
        }  # fmt: skip
        return Observation(**start | fields)

    return make


@pytest.fixture
def answer() -> Callable[..., str]:
    """Return a decision as a model writes it."""
    return lambda type, **fields: json.dumps({"reason": "because", "action": {"type": type} | fields})
