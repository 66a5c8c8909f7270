"""T3, S1: texts are begun when their field is seen, kept within a document, and end with their run."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agent.drafts import AHEAD_LIMIT, Drafts
from agent.writer import Writer
from browser.observation import Box, InteractiveElement, Observation
from llm.chat import ChatError, ChatRequest
from llm.scripted import ScriptedChat

BOX = Box(x=0, y=0, width=10, height=10)
FIELD = InteractiveElement(id=2, role="textbox", name="Reply", editable=True, box=BOX)
OTHER = FIELD.model_copy(update={"id": 3, "name": "Title"})
PAGE = Observation(goal="Answer Ada", url="http://a/mail?x=1", title="", elements=(FIELD, OTHER))


def page(**changes: Any) -> Observation:
    return PAGE.model_copy(update=changes)


class Held:
    """A chat that answers with the number of its request once it is let go."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.model = ScriptedChat(self._answer)

    def _answer(self, request: ChatRequest) -> str:
        number = len(self.model.requests)
        assert self.go.wait(20)
        return json.dumps({"text": f"text {number}"})


@pytest.fixture
def held() -> Iterator[Held]:
    before = threading.active_count()
    made = Held()
    yield made
    made.go.set()
    until(lambda: threading.active_count() <= before)  # nothing is left behind


def until(holds: Callable[[], bool]) -> None:
    limit = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < limit, "it does not come to hold"
        time.sleep(0.005)


def test_texts_are_begun_before_they_are_needed_and_asked_for_once(held: Held) -> None:
    drafts = Drafts(Writer(held.model))
    drafts.see(PAGE, (), [FIELD, OTHER])
    until(lambda: len(held.model.requests) == 2)
    held.go.set()
    texts = {drafts.text(PAGE, (), field).text for field in (FIELD, OTHER, FIELD)}
    assert texts == {"text 1", "text 2"}
    assert len(held.model.requests) == 2
    assert [call.kind for call in drafts.told()] == ["writer", "writer"]
    assert drafts.told() == ()
    drafts.cancel()


def test_without_prefetch_a_text_is_asked_for_when_it_is_needed(held: Held) -> None:
    held.go.set()
    drafts = Drafts(Writer(held.model), ahead=False)
    drafts.see(PAGE, (), [FIELD])
    assert held.model.requests == []
    assert drafts.text(PAGE, (), FIELD).text == "text 1"
    drafts.cancel()


def test_a_text_survives_changes_within_its_document_and_not_a_navigation(held: Held) -> None:
    """T3"""
    held.go.set()
    drafts = Drafts(Writer(held.model))
    drafts.see(PAGE, (), [FIELD])
    first = drafts.text(PAGE, (), FIELD)
    same = page(url="http://a/mail?x=2#end", page_key="other")
    drafts.see(same, (), [FIELD])
    assert drafts.text(same, (), FIELD) == first
    there = page(url="http://a/other")
    drafts.see(there, (), [FIELD])
    assert drafts.text(there, (), FIELD).text == "text 2"
    drafts.see(PAGE, (), [FIELD])
    assert drafts.text(PAGE, (), FIELD).text == "text 3"  # gone with its document
    relabelled = FIELD.model_copy(update={"name": "Subject"})
    assert drafts.text(PAGE, (), relabelled).text == "text 4"
    drafts.cancel()


def test_a_cancelled_run_waits_for_nothing_and_keeps_nothing(held: Held) -> None:
    """S1"""
    drafts = Drafts(Writer(held.model))
    many = [FIELD.model_copy(update={"id": n}) for n in range(1, 30)]
    drafts.see(PAGE, (), many)
    until(lambda: len(held.model.requests) == 4)
    started = time.monotonic()
    drafts.cancel()
    assert time.monotonic() - started < 1
    assert (drafts.told(), drafts.refused(PAGE)) == ((), frozenset())
    held.go.set()
    time.sleep(0.05)
    assert len(held.model.requests) == 4  # those that waited were never asked


def test_a_wide_page_is_written_ahead_in_part(held: Held) -> None:
    held.go.set()
    drafts = Drafts(Writer(held.model))
    drafts.see(PAGE, (), [FIELD.model_copy(update={"id": n}) for n in range(1, 30)])
    until(lambda: len(held.model.requests) == AHEAD_LIMIT)
    time.sleep(0.05)
    assert len(held.model.requests) == AHEAD_LIMIT
    drafts.cancel()


def test_a_declined_field_is_known_and_the_writer_not_asked_again() -> None:
    model = ScriptedChat(['{"text": null}'])
    drafts = Drafts(Writer(model))
    assert drafts.refused(PAGE) == frozenset()
    assert drafts.text(PAGE, (), FIELD).source == "writer_declined"
    assert drafts.refused(PAGE) == {2}
    assert drafts.why(PAGE, FIELD) == drafts.text(PAGE, (), FIELD)
    assert drafts.why(PAGE, OTHER) is None
    drafts.cancel()


def test_a_failed_call_is_told_by_its_exception_and_asked_anew_when_needed() -> None:
    answers: list[str | Exception] = [ChatError("down"), '{"text": "up"}']
    drafts = Drafts(Writer(ScriptedChat(answers)))
    drafts.see(PAGE, (), [FIELD])
    with pytest.raises(ChatError):
        drafts.text(PAGE, (), FIELD)
    assert drafts.told() == ()
    assert drafts.text(PAGE, (), FIELD).text == "up"
    drafts.cancel()
