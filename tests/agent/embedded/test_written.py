"""Words of a goal that name what is written or who gets it, and what follows from them on pages made for it."""

from collections.abc import Callable

import pytest

from agent.embedded.goal import read_goal
from agent.embedded.written import receivers
from browser.observation import InteractiveElement, Observation

Make = Callable[..., InteractiveElement]
Page = Callable[..., Observation]
Choose = Callable[..., tuple[str, int | None, str | None]]


@pytest.mark.parametrize(
    ("goal", "names"),
    [
        ("Ada wants the email you got from Bob.", ["Ada"]),
        ("Ada is waiting for Bob's last message.", ["Ada"]),
        ("Give Ada the letter that Bob wrote.", ["Ada"]),
        ("Let Ada see the mail from Bob", ["Ada"]),
        ("Pass the note by Bob on to Ada.", ["Ada"]),
        ("Share that message from Bob with Ada", ["Ada"]),
        ("Send Ada the information Bob sent to you.", ["Ada"]),
        ("Make sure Ada gets the report by Bob.", ["Ada"]),
        ("Ada should be sent Bob's note.", ["Ada"]),
        ("Find Bob's email and put a copy in Ada's inbox.", ["Ada"]),
        ("Take Bob's mail and give it to Ada.", ["Ada"]),
        ("Send Ada Bob's mail.", ["Ada"]),
        ('Send Ada an email saying "Gladly."', []),
        ("Send to Ada Bob's Email", ["Ada"]),
        ("Please email Ada the mail I got from Bob.", ["Ada"]),
        ("Send the mail from Bob to Ada's email.", ["Ada"]),
        ("Forward Bobs last email to Ada", []),
        ("Send a reply to Bob's email.", []),
        ("Ada wants the blue shirt.", []),
        ("Find the email from Bob.", []),
        ("Give Ada's mail a star.", []),
    ],
)
def test_who_is_to_get_what_another_wrote(goal: str, names: list[str]) -> None:
    assert [goal[start : start + 3] for start in receivers(goal)] == names


def test_what_is_handed_on_is_forwarded(element: Make, page: Page, choose: Choose) -> None:
    goal = "Ada wants the email Bob sent to you."
    mails = page(element("generic", "Ada Lunch"), element("generic", "Bob Dinner"))
    assert choose(goal, mails) == ("CLICK", 2, None)
    mail = page("Bob", "to me", element("button", "Reply"), element("button", "Forward"))
    assert choose(goal, mail) == ("CLICK", 2, None)
    form = page(element("img", hint="send"), element("textbox", before="to:"))
    assert choose(goal, form) == ("TYPE", 2, "Ada")


def test_a_name_before_an_owner_is_another_one(element: Make, page: Page, choose: Choose) -> None:
    form = page(element("img", hint="send"), element("textbox", before="to:"))
    assert choose("Send Ada Bob's email.", form) == ("TYPE", 2, "Ada")
    assert choose("Forward the email written to me by Bob to Ada", form) == ("TYPE", 2, "Ada")


def test_what_was_forwarded_gets_its_receiver_first(element: Make, page: Page, choose: Choose) -> None:
    form = page(element("img", hint="send"), element("textbox", before="to:"))
    assert choose("Make sure the email by Bob is forwarded to Ada.", form) == ("TYPE", 2, "Ada")


def test_who_is_answered_is_found_first(element: Make, page: Page, choose: Choose) -> None:
    goal = 'I want to reply to Bob by saying "Gladly."'
    mails = page(element("img", hint="search"), element("generic", "Ada Lunch"), element("generic", "Bob Dinner"))
    assert choose(goal, mails) == ("CLICK", 3, None)


def test_an_owner_or_a_text_to_write_is_not_to_get_anything() -> None:
    goal = read_goal('Reply to Bob\'s mail with "Give Ada the email"')
    assert not goal.receivers


@pytest.mark.parametrize(
    "goal",
    [
        'Say to Bob "Gladly."',
        'Email "Gladly." to Bob.',
        'Text Bob back: "Gladly."',
        'Send Bob a mail saying "Gladly."',
        'Find the last email by Bob and tell him, "Gladly."',
        'Respond in my inbox to Bob and write "Gladly."',
    ],
)
def test_who_is_told_something_gets_a_reply(goal: str, element: Make, page: Page, choose: Choose) -> None:
    mails = page(element("img", hint="search"), element("generic", "Ada Lunch"), element("generic", "Bob Dinner"))
    assert choose(goal, mails) == ("CLICK", 3, None)
    mail = page("Bob", "to me", element("button", "Forward"), element("button", "Reply"))
    assert choose(goal, mail) == ("CLICK", 2, None)
    form = page(element("img", hint="send"), element("textbox", tag="textarea"))
    assert choose(goal, form) == ("TYPE", 2, "Gladly.")


def test_who_wrote_it_is_found(element: Make, page: Page, choose: Choose) -> None:
    mails = page(element("img", hint="search"), element("generic", "Ada Lunch"), element("generic", "Bob Dinner"))
    assert choose("Send Ada the message from Bob.", mails) == ("CLICK", 3, None)
    assert choose("Forward Ada the message Bob sent you.", mails) == ("CLICK", 3, None)


def test_what_is_to_be_written_is_not_looked_for_in_names(element: Make, page: Page, choose: Choose) -> None:
    goal = 'Find the mail by Bob and reply to them with the text "Dinner".'
    mails = page(element("generic", "Ada Dinner at ten"), element("generic", "Bob Lunch"))
    assert choose(goal, mails) == ("CLICK", 2, None)


def test_a_mistyped_command_is_understood(element: Make, page: Page, choose: Choose) -> None:
    mail = page("Bob", "to me", element("button", "Reply"), element("button", "Forward"))
    assert choose("Foward the email by Bob to Ada please.", mail) == ("CLICK", 2, None)
