"""A goal put in the words of the page, and what the rules make of it."""

from collections.abc import Callable
from typing import Any

import pytest

from agent.embedded import RulesModel
from agent.embedded.likeness import in_page_words
from browser.observation import SelectOption

Make = Callable[..., Any]


@pytest.mark.parametrize(
    ("goal", "names", "said"),
    [
        ("Show me the kids.", ["Children", "Shops", "Food"], "Show me the Children."),
        ('Open the menu "Stores".', ["Shops", "Soil"], 'Open the menu "Shops".'),
        ("Tick Meals and Illness.", ["Food", "Disease", "Ocean"], "Tick Food and Disease."),
        # Nothing on the page means that, or two things do.
        ("Show me the kids.", ["Invoices", "Harbour"], "Show me the kids."),
        ("Get an image.", ["Picture", "Photo"], "Get an image."),
        # The page says it, or a listed synonym of it.
        ("Show me the kids.", ["Kids", "Children"], "Show me the kids."),
        ("Remove it.", ["Trash", "Erase"], "Remove it."),
        # Unless what is similar is asked for: then the most alike is meant, and another form of the word is.
        (
            "Pick words similar to kids, boats.",
            ["Youngsters", "Boat", "Sea"],
            "Pick words similar to Youngsters, Boat.",
        ),
        # Opposites are used alike.
        ("Press yes.", ["No", "Shops"], "Press yes."),
        # What to do is no name, nor is a part of an address or of a code.
        ("Let me see it.", ["Watch", "Permit"], "Let me see it."),
        # What begins a sentence is at most the name of a button.
        ("Begin a thread.", ["First tomatoes", "Threads"], "Begin a thread."),
        ("Begin a thread.", ["Start", "Threads"], "Start a thread."),
        ("Ada wants it back.", ["Reply", "Forward"], "Ada wants it back."),
        ("Find kids@shop.org or kids2.", ["Children", "Stores"], "Find kids@shop.org or kids2."),
    ],
)
def test_what_the_page_does_not_say_is_put_in_its_words(
    goal: str, names: list[str], said: str, page: Make, element: Make, tick: Make
) -> None:
    assert in_page_words(tick(goal, page(*(element("link", name) for name in names)))).goal == said


def test_the_label_of_a_field_stands_beside_its_value_in_the_goal(page: Make, element: Make, tick: Make) -> None:
    form = page("Surname", element("textbox"), "Genre", element("textbox"), element("button", "Save"))
    assert in_page_words(tick('Enter "Ada" as the family name.', form)).goal == 'Enter "Ada" as the surname.'
    # A value that is of the kind that a field asks for is no name of the field.
    assert in_page_words(tick("Find horror films by Ada.", form)).goal == "Find horror films by Ada."
    # What is quoted is to be typed.
    assert in_page_words(tick('Enter "thriller" here.', form)).goal == 'Enter "thriller" here.'


def test_rules_find_what_is_called_otherwise(page: Make, element: Make, choose: Make, tick: Make) -> None:
    links = page(*(element("link", name) for name in ("Soil", "Children", "Journeys")))
    assert choose("Go to kids.", links) == ("CLICK", 2, None)
    literal = RulesModel(literally=True).decide(tick("Go to kids.", links)).candidate
    assert literal.element_id != 2
    form = page("Employer", element("textbox"), "Instructor", element("textbox"), element("button", "Save"))
    assert choose('Enter "Greta" as the teacher and press Save.', form) == ("TYPE", 2, "Greta")
    options = element(
        "combobox", tag="select", options=tuple(SelectOption(label=x) for x in ("Slow", "Enormous", "Sad"))
    )
    assert choose("Choose Gigantic.", page(options))[2] == "Enormous"


def test_a_text_that_names_something_on_the_page_in_other_words_is_not_typed(
    page: Make, element: Make, tick: Make
) -> None:
    form = page(element("tab", "Children", selected=True), "Road", element("textbox"), element("button", "Save"))
    before = tick('Under Kids, enter "granite" as the street and press Save.', form)
    after = in_page_words(before)
    typed = {c.value for c in before.candidates if c.operation == "TYPE"}
    assert {"Kids", "granite"} <= typed
    assert {c.value for c in after.candidates if c.operation == "TYPE"} == typed - {"Kids", "street"} | {
        "Children",
        "road",
    }
    assert after.goal == 'Under Children, enter "granite" as the road and press Save.'
