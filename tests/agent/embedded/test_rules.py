"""Each general rule, shown on a page made for it."""

from collections.abc import Callable
from typing import Any

import pytest

from agent.tick import PastStep
from browser.actions import Click, Press, Type, Wait
from browser.observation import Box, InteractiveElement, Observation, SelectOption

Make = Callable[..., InteractiveElement]
Page = Callable[..., Observation]
Choose = Callable[..., tuple[str, int | None, str | None]]


def clicked(element_id: int, name: str = "", *, changed: bool = True, role: str = "button") -> PastStep:
    return PastStep(action=Click(element_id=element_id), role=role, name=name, page_changed=changed)


def typed(element_id: int, text: str) -> PastStep:
    return PastStep(action=Type(element_id=element_id, text=text), role="textbox", page_changed=True)


# ---- which element


@pytest.mark.parametrize(
    ("goal", "names", "expected"),
    [
        ('Click on the "yes" button', ["no", "yes", "ok"], 2),
        ("Click button TWO", ["ONE", "TWO"], 2),
        ('Choose the item "K"', ["k", "K"], 2),
        ("Delete the old invoice", ["New invoice", "Old invoice", "Offers"], 2),
        ("Remove this draft", ["Archive", "Delete"], 2),
        ("Press the 3rd button", ["A", "B", "C", "D"], 3),
        ("Press the last button", ["A", "B", "C"], 3),
        ("Buy the cheapest ticket", ["Book for $547", "Book for $95", "Book for $691"], 2),
        ("Pick the greatest number", ["11", "10", "13"], 3),
    ],
)
def test_the_goal_means_a_button(
    goal: str, names: list[str], expected: int, element: Make, page: Page, choose: Choose
) -> None:
    assert choose(goal, page(*(element("button", name) for name in names))) == ("CLICK", expected, None)


def test_an_extreme_may_stand_in_the_text_before(element: Make, page: Page, choose: Choose) -> None:
    trains = page("Duration:", "19h 5m", element("button", "Book"), "Duration:", "4h 41m", element("button", "Book"))
    assert choose("Buy the ticket with the shortest duration", trains) == ("CLICK", 2, None)


def test_things_are_done_in_the_order_of_the_goal(element: Make, page: Page, choose: Choose) -> None:
    two = page(element("button", "TWO"), element("button", "ONE"))
    goal = "Click button ONE, then click button TWO."
    assert choose(goal, two) == ("CLICK", 2, None)
    assert choose(goal, two, (clicked(2, "ONE"),)) == ("CLICK", 1, None)


def test_an_icon_is_known_by_its_class_and_its_group(element: Make, page: Page, choose: Choose) -> None:
    rows = [
        element("generic", hint=hint, scope=f"{sender} about lunch")
        for sender in ("Ada", "Bob")
        for hint in ("mail star", "mail trash", "mail flag")
    ]
    assert choose("Delete the mail by Bob", page(*rows)) == ("CLICK", 5, None)


def test_an_icon_that_is_a_picture_opens_a_menu_like_any_other(element: Make, page: Page, choose: Choose) -> None:
    goal = 'For the user @bob, click on the "Copy link" button.'
    posts = [
        element("img", hint=hint, scope=f"{name} @{name.lower()} said something")
        for name in ("Ada", "Bob")
        for hint in ("reply", "more")
    ]
    assert choose(goal, page(*posts)) == ("CLICK", 4, None)


def test_what_only_repeats_the_name_of_the_control_inside_it_is_not_what_the_goal_names(
    element: Make, page: Page, choose: Choose
) -> None:
    part = element("tab", "Details", expanded=False, box=Box(x=0, y=0, width=90, height=20))
    # The button is wider than what it stands in.
    wrapper = element("tab", "Submit", expanded=False, box=Box(x=0, y=20, width=90, height=40))
    inner = element("button", "Submit", box=Box(x=0, y=25, width=95, height=30))
    goal = "Expand the section below and click submit."
    assert choose(goal, page(part, wrapper, inner)) == ("CLICK", 1, None)
    opened = part.model_copy(update={"expanded": True})
    assert choose(goal, page(opened, wrapper, inner), (clicked(1, "Details"),)) == ("CLICK", 3, None)


def test_a_count_or_all_of_alike_controls(element: Make, page: Page, choose: Choose) -> None:
    posts = [
        element("generic", hint=hint, scope=f"post by @{user} number {i}")
        for i, user in enumerate(("ada", "bob", "ada", "ada"))
        for hint in ("like", "share")
    ]
    wall = page(*posts, element("button", "Submit"))
    once = (clicked(2),)
    assert choose('Click the "Share" button on all posts by @ada and then click Submit.', wall, once) == (
        "CLICK", 6, None,
    )  # fmt: skip
    assert choose('Click the "Share" button on 1 post by @ada and then click Submit.', wall, once) == (
        "CLICK", 9, None,
    )  # fmt: skip


def test_the_plus_beside_a_named_thing(element: Make, page: Page, choose: Choose) -> None:
    minus, plus = element("generic", "-", hint="remove"), element("generic", "+", hint="add")
    menu = page("Garlic bread", minus, plus, "Apple tart", minus, plus, element("button", "Order!"))
    goal = "Order one of each item: Apple tart"
    assert choose(goal, menu) == ("CLICK", 4, None)
    assert choose(goal, menu, (clicked(4, "+", role="generic"),)) == ("CLICK", 5, None)


# ---- what is seen only


def graphic(element: Make, shape: str, color: str, size: int) -> InteractiveElement:
    return element("graphic", shape=shape, color=color, box=Box(x=0, y=0, width=size, height=size))


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("Click on the red circle", 1),
        ("Click on a small blue item", 3),
        ("Click on a triangle", 4),
        ("Click on the lime shape", 4),
    ],
)
def test_colour_shape_and_size(goal: str, expected: int, element: Make, page: Page, choose: Choose) -> None:
    drawing = page(
        graphic(element, "circle", "rgb(255, 0, 0)", 20),
        graphic(element, "square", "rgb(0, 0, 255)", 20),
        graphic(element, "circle", "#0000ff", 10),
        graphic(element, "triangle", "lime", 20),
    )
    assert choose(goal, drawing) == ("CLICK", expected, None)


def test_counting_what_fits_a_description(element: Make, page: Page, choose: Choose) -> None:
    shapes = [graphic(element, "circle", color, 20) for color in ("red", "blue", "red", "lime")]
    answers = [element("button", name) for name in "1234"]
    assert choose("How many red items are there?", page(*shapes, *answers)) == ("CLICK", 6, None)


def test_one_described_thing_is_enough(element: Make, page: Page, choose: Choose) -> None:
    drawing = page(
        graphic(element, "circle", "red", 20), graphic(element, "circle", "red", 20), element("button", "Submit")
    )
    assert choose("Click on the circle, then press submit", drawing, (clicked(1, role="graphic"),)) == (
        "CLICK", 3, None,
    )  # fmt: skip


# ---- before confirming


def test_boxes_are_checked_before_submitting(element: Make, page: Page, choose: Choose) -> None:
    goal = "Select tea, cake and click Submit."

    def form(tea: bool, cake: bool) -> Observation:
        boxes = [element("checkbox", name, checked=on) for name, on in (("tea", tea), ("milk", False), ("cake", cake))]
        return page(*boxes, element("button", "Submit"))

    assert choose(goal, form(False, False)) == ("CLICK", 1, None)
    assert choose(goal, form(True, False)) == ("CLICK", 3, None)
    assert choose(goal, form(True, True)) == ("CLICK", 4, None)
    assert choose("Select nothing and click Submit.", form(False, False)) == ("CLICK", 4, None)


def test_fields_get_the_text_beside_their_label(element: Make, page: Page, choose: Choose) -> None:
    goal = 'Enter the username "ada" and the password "x1" and press login.'

    def form(user: str = "", secret: bool = False) -> Observation:
        password = element("textbox", credential=True, input_type="password", filled=secret)
        login = element("button", "Login")
        return page("Password", password, "Username", element("textbox", value=user), login)

    assert choose(goal, form(secret=True)) == ("TYPE", 2, "ada")
    assert choose(goal, form("ada")) == ("TYPE", 1, "x1")
    assert choose(goal, form("ada", True), (typed(2, "ada"), typed(1, "x1"))) == ("CLICK", 3, None)


def test_one_text_goes_into_both_fields_where_the_goal_says_both(element: Make, page: Page, choose: Choose) -> None:
    half = page(element("textbox", value="ada"), element("textbox"), element("button", "Submit"))
    assert choose('Enter "ada" into both fields and press submit.', half, (typed(1, "ada"),)) == ("TYPE", 2, "ada")


def test_an_option_is_chosen_before_submitting(element: Make, page: Page, choose: Choose) -> None:
    options = tuple(SelectOption(label=label, selected=label == "Ann") for label in ("Ann", "Bob", "Cid"))
    form = page(element("combobox", tag="select", options=options), element("button", "Submit"))
    assert choose("Select Bob from the list and click Submit.", form) == ("SELECT", 1, "Bob")
    assert choose("Select Ann from the list and click Submit.", form) == ("CLICK", 2, None)


def test_a_slider_is_moved_to_the_goals_number(element: Make, page: Page, choose: Choose) -> None:
    def form(value: str) -> Observation:
        return page(element("slider", value=value), element("button", "Submit"))

    assert choose("Select 7 with the slider and hit Submit.", form("5")) == ("PRESS", 1, "ArrowRight")
    assert choose("Select 22 with the slider and hit Submit.", form("30")) == ("PRESS", 1, "PageDown")
    assert choose("Select 7 with the slider and hit Submit.", form("7")) == ("CLICK", 2, None)


def test_a_number_must_be_as_demanded(element: Make, page: Page, choose: Choose) -> None:
    goal = "Generate a number greater than 4, then press submit."
    buttons = (element("button", "Generate"), element("button", "Submit"))
    history = (clicked(1, "Generate"),)
    assert choose(goal, page("3", *buttons), history) == ("CLICK", 1, None)
    assert choose(goal, page("5", *buttons), history) == ("CLICK", 2, None)


def test_waiting_until_a_number_is_as_demanded(element: Make, page: Page, choose: Choose) -> None:
    goal, buy = "Buy when the price is less than $58.10.", element("button", "Buy")
    assert choose(goal, page("Price: $60.20", buy)) == ("WAIT", None, None)
    assert choose(goal, page("Price: $57.90", buy)) == ("CLICK", 1, None)


def test_scrolling_where_the_goal_says_so(element: Make, page: Page, choose: Choose) -> None:
    goal, submit = "Scroll to the bottom of the text and hit submit.", element("button", "Submit")
    assert choose(goal, page(submit, can_scroll=("up", "down"))) == ("SCROLL_DOWN", None, None)
    assert choose(goal, page(submit, can_scroll=("up",))) == ("CLICK", 1, None)


def test_enter_sends_a_filled_field_where_no_button_does(element: Make, page: Page, choose: Choose) -> None:
    filled = element("searchbox", value="shoes")
    history = (typed(1, "shoes"),)
    assert choose('Search for "shoes"', page(filled), history) == ("PRESS", 1, "Enter")
    assert choose('Search for "shoes"', page(filled, element("button", "Search")), history) == ("CLICK", 2, None)


# ---- uncovering


def test_what_the_goal_names_is_looked_for_behind_tabs(element: Make, page: Page, choose: Choose) -> None:
    tabs = (element("tab", "One", selected=True), element("tab", "Two", selected=False))
    goal = 'Find and click on the link "orci"'
    assert choose(goal, page(*tabs, element("link", "leo"))) == ("CLICK", 2, None)
    assert choose(goal, page(*tabs, element("link", "orci"))) == ("CLICK", 3, None)


def test_a_menu_is_opened_before_what_the_goal_says_next(element: Make, page: Page, choose: Choose) -> None:
    goal = 'Choose 6ft 1in from the dropdown, then click the button labeled "Yes".'
    closed = page(element("generic", "▾", hint="dropdown"), element("button", "Yes"))
    assert choose(goal, closed) == ("CLICK", 1, None)


def test_an_entry_of_a_paged_list(element: Make, page: Page, choose: Choose) -> None:
    results = [element("link", name) for name in ("Ann", "Bob", "Cid")]
    pagers = [element("link", name) for name in ("1", "2", "3", ">")]
    goal = "Click the 5th search result"
    assert choose(goal, page(*results, *pagers)) == ("CLICK", 5, None)
    assert choose(goal, page(*results, *pagers), (clicked(5, "2", role="link"),)) == ("CLICK", 2, None)


def test_a_person_who_is_not_on_this_page_is_looked_for_on_the_next(element: Make, page: Page, choose: Choose) -> None:
    book = page("Bob", element("generic", "b@a.uk", hint="email"), element("link", ">"))
    assert choose("Find Ada in the contact book and click on their email.", book) == ("CLICK", 2, None)


def test_a_suggestion_completes_what_was_typed(element: Make, page: Page, choose: Choose) -> None:
    field, submit = element("textbox", "Country", value="Hond"), element("button", "Submit")
    goal = 'Enter a country that starts with "Hond" and ends with "ras".'
    offered = page(field, element("listitem", "Hondo"), element("listitem", "Honduras"), submit)
    assert choose(goal, offered, (typed(1, "Hond"),)) == ("CLICK", 3, None)


def test_a_date_is_picked_through_the_months(element: Make, page: Page, choose: Choose) -> None:
    goal = "Select 11/25/2016 as the date and hit submit."
    field = element("textbox", readonly=True, hint="datepicker", before="Date:")
    submit = element("button", "Submit")
    assert choose(goal, page("Date:", field, submit)) == ("CLICK", 1, None)
    days = [element("link", day) for day in ("24", "25", "26")]
    previous, following = element("generic", "Prev"), element("generic", "Next")
    assert choose(goal, page(field, previous, following, "December 2016", *days)) == ("CLICK", 2, None)
    assert choose(goal, page(field, previous, following, "October 2016", *days)) == ("CLICK", 3, None)
    assert choose(goal, page(field, previous, following, "November 2016", *days)) == ("CLICK", 5, None)
    picked = element("textbox", readonly=True, hint="datepicker", value="11/25/2016")
    assert choose(goal, page("Date:", picked, submit), (clicked(5, "25"),)) == ("CLICK", 2, None)


def test_a_dialog_that_came_by_itself_is_left(element: Make, page: Page, choose: Choose) -> None:
    field = element("textbox", value="ada", covered_by="dialog")
    asked = page(field, "Leave this page?", element("button", "OK"), element("button", "Cancel"))
    assert choose('Enter "ada" and press OK', asked, (typed(1, "ada"),)) == ("CLICK", 3, None)


# ---- loops


@pytest.mark.parametrize("action", [Click(element_id=1), Wait(), Press(element_id=None, key="Escape")])
def test_an_action_that_just_did_nothing_loses_to_another(
    action: Any, element: Make, page: Page, choose: Choose
) -> None:
    alike = page(element("button", "Open"), element("button", "Open"))
    step = PastStep(action=action, role="button", name="Open", page_changed=False)
    assert choose("Open it", alike, (step,)) != (action.type.upper(), getattr(action, "element_id", None), None)


# ---- names that differ by little


def test_of_two_letters_the_one_in_the_goals_case_is_meant(element: Make, page: Page, choose: Choose) -> None:
    letters = [element("graphic", name, shape="text") for name in ("l", "L")]
    assert choose("Click on a L", page(*letters)) == ("CLICK", 2, None)
    assert choose("Click on a l", page(*letters)) == ("CLICK", 1, None)


def test_control_characters_in_a_name_are_read_as_spaces(element: Make, page: Page, choose: Choose) -> None:
    buttons = page(element("button", "Ö ab"), element("button", "Ö –x"), element("textbox"))
    assert choose('Click on the "Ö\x8f–x" button.', buttons) == ("CLICK", 2, None)


def test_next_in_a_menu_leads_to_no_other_page(element: Make, page: Page, choose: Choose) -> None:
    menu = page(*(element("menuitem", name) for name in ("Play", "Previous", "Next", "Zoom In")))
    assert choose('Click on the item with the "icon-seek-start" icon.', menu) == ("CLICK", 2, None)
    assert choose('Click on the item with the "icon-seek-end" icon.', menu) == ("CLICK", 3, None)
    assert choose('Click on the item with the "icon-zoomin" icon.', menu) == ("CLICK", 4, None)


def test_one_word_of_a_quoted_name_does_not_mean_an_icon(element: Make, page: Page, choose: Choose) -> None:
    posts = [
        element("img", hint=hint, scope=f"{who} @{who} wrote")
        for who in ("ada", "bob")
        for hint in ("repost", "like", "more")
    ]
    assert choose('For the user @bob, click on "Share by mail".', page(*posts)) == ("CLICK", 6, None)
    assert choose('For the user @bob, click on "Share".', page(*posts)) == ("CLICK", 4, None)


def test_a_slider_goes_back_to_its_start_where_that_is_nearer(element: Make, page: Page, choose: Choose) -> None:
    def form(first: str, second: str) -> Observation:
        return page(element("slider", value=first), element("slider", value=second), element("button", "Submit"))

    goal = "Set the sliders to [1,14] and submit."
    assert choose(goal, form("15", "14")) == ("PRESS", 1, "Home")
    assert choose(goal, form("2", "14")) == ("PRESS", 1, "ArrowLeft")
    assert choose(goal, form("1", "8")) == ("PRESS", 2, "PageUp")


def test_the_largest_of_several_numbers_is_reached_from_the_end(element: Make, page: Page, choose: Choose) -> None:
    def form(*values: str) -> Observation:
        return page(*(element("slider", value=value) for value in values), element("button", "Submit"))

    goal = "Set the sliders to [4,2,19] and submit."
    assert choose(goal, form("4", "2", "3")) == ("PRESS", 3, "End")
    pressed = PastStep(action=Press(element_id=3, key="End"), role="slider", page_changed=True)
    assert choose(goal, form("4", "2", "20"), (pressed,)) == ("PRESS", 3, "ArrowLeft")
    assert choose(goal, form("4", "2", "16")) == ("PRESS", 3, "PageUp")
