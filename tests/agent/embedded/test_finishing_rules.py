"""Rules of coming to an end, and of not going round, each on a page made for it."""

from collections.abc import Callable

import pytest

from agent.embedded.progress import read_history
from agent.tick import PastStep
from browser.actions import CORE_ACTIONS, BrowserAction, Click, Press, Type
from browser.observation import InteractiveElement, Observation

Make = Callable[..., InteractiveElement]
Page = Callable[..., Observation]
Choose = Callable[..., tuple[str, int | None, str | None]]


def did(action: BrowserAction, role: str, name: str, *, changed: bool = True, from_key: str = "") -> PastStep:
    return PastStep(action=action, role=role, name=name, page_changed=changed, from_key=from_key)


def wrote(text: str, name: str = "Comment") -> PastStep:
    return did(Type(element_id=90, text=text), "textbox", name)


def pressed(name: str, role: str = "button", **more: bool) -> PastStep:
    return did(Click(element_id=91), role, name, **more)


@pytest.mark.parametrize(
    ("after", "sent", "searched"),
    [
        ([wrote("hello"), pressed("Publish")], {"hello"}, set()),
        ([wrote("hello"), did(Press(element_id=90, key="Enter"), "textbox", "Comment")], {"hello"}, set()),
        ([wrote("hello", "Search the shop"), pressed("Search")], set(), {"hello"}),
        ([wrote("hello"), pressed("Publish", changed=False)], set(), set()),
        ([wrote("hello"), pressed("Log out")], set(), set()),
        ([wrote("hello"), pressed("Notify me")], set(), set()),
        ([wrote("hello"), pressed("Post", "link")], set(), set()),
        ([pressed("Publish"), wrote("hello")], set(), set()),
    ],
)
def test_a_text_is_sent_by_what_confirms_after_it(after: list[PastStep], sent: set[str], searched: set[str]) -> None:
    progress = read_history(tuple(after))
    assert (progress.sent, progress.searched) == (sent, searched)


GOAL = 'Write the comment "Use less water." under the topic "Wet soil".'


def test_what_was_written_and_sent_is_the_end(element: Make, page: Page, choose: Choose) -> None:
    before = page("Wet soil", element("textbox", "Comment"), element("button", "Watch"), element("button", "Publish"))
    assert choose(GOAL, before, (), CORE_ACTIONS) == ("TYPE", 1, "Use less water.")
    after = page("Wet soil", "Use less water.", *before.elements)
    history = (pressed("Wet soil", "link"), wrote("Use less water."), pressed("Publish"))
    assert choose(GOAL, after, history, CORE_ACTIONS) == ("DONE", None, None)
    # Where a run cannot end, the text is still not written twice.
    assert choose(GOAL, after, history) != ("TYPE", 1, "Use less water.")


def test_more_that_the_goal_gives_is_written_before_the_end(element: Make, page: Page, choose: Choose) -> None:
    goal = 'Send "one" to Ada and then send "two" to Bob.'
    seen = page("Ada", "Bob", element("textbox", "Message"), element("button", "Send"))
    assert choose(goal, seen, (wrote("one"), pressed("Send")), CORE_ACTIONS) == ("TYPE", 1, "two")


def test_a_search_is_no_end(element: Make, page: Page, choose: Choose) -> None:
    found = page("1 result", element("textbox", "Search"), element("button", "Search"), element("link", "Wet soil"))
    history = (wrote("Wet soil", "Search"), pressed("Search"))
    assert choose('Open the topic "Wet soil"', found, history, CORE_ACTIONS) == ("CLICK", 3, None)


def test_the_name_of_what_was_opened_is_no_text_to_write(element: Make, page: Page, choose: Choose) -> None:
    opened = page(element("textbox", "Comment"), element("button", "Publish"))
    assert choose(GOAL, opened, (pressed("Wet soil", "link"),), CORE_ACTIONS) == ("TYPE", 1, "Use less water.")
    rest = (pressed("Wet soil", "link"), wrote("Use less water."), pressed("Publish"))
    assert choose(GOAL, opened, rest) != ("TYPE", 1, "Wet soil")


def test_what_led_round_to_this_very_page_gives_way(element: Make, page: Page, choose: Choose) -> None:
    seen = page(element("link", "Kettles"), element("link", "Kettle reviews"), page_key="k")
    goal = "Find out about kettles"
    assert choose(goal, seen) == ("CLICK", 1, None)
    for key, chosen in (("k", 2), ("another", 1)):
        led = did(Click(element_id=50), "link", "Kettles", from_key=key)
        assert choose(goal, seen, (led, pressed("Home", "link")) * 3) == ("CLICK", chosen, None)


def test_one_more_of_a_name_that_leads_nowhere_is_not_tried(element: Make, page: Page, choose: Choose) -> None:
    seen = page(element("link", "ada"), element("link", "ada"), element("link", "Comments of ada"))
    goal = "Like the comment of ada"
    idle = did(Click(element_id=1), "link", "ada", changed=False)
    assert choose(goal, seen, (idle,) * 3) == ("CLICK", 3, None)


@pytest.mark.parametrize("name", ["Delete offer", "Log out", "report", "Suspend"])
def test_nothing_is_taken_away_and_nobody_leaves_unasked(name: str, element: Make, page: Page, choose: Choose) -> None:
    seen = page(element("button", name), element("link", "Offers"))
    assert choose("See what is on", seen)[:2] != ("CLICK", 1)
    assert choose(f"Please {name.lower()}", seen) == ("CLICK", 1, None)
