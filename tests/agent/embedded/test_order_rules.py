"""Rules of order and reference, each on a page made for it: what comes first, what is meant, what is tried again."""

from collections.abc import Callable

from agent.tick import PastStep
from browser.actions import Click, Press, Select, Type
from browser.observation import Box, InteractiveElement, Observation, SelectOption

Make = Callable[..., InteractiveElement]
Page = Callable[..., Observation]
Choose = Callable[..., tuple[str, int | None, str | None]]


def clicked(element_id: int, *, changed: bool = True) -> PastStep:
    return PastStep(action=Click(element_id=element_id), role="button", page_changed=changed)


def typed(element_id: int, text: str) -> PastStep:
    return PastStep(action=Type(element_id=element_id, text=text), role="textbox", page_changed=True)


def test_an_option_that_the_goal_says_first_comes_before_a_button_it_quotes(
    element: Make, page: Page, choose: Choose
) -> None:
    goal = 'Choose 5ft 11in from the dropdown, then click the button labeled "Maybe".'
    opened = page(element("listitem", "5ft 9in"), element("listitem", "5ft 11in"), element("button", "Maybe"))
    assert choose(goal, opened) == ("CLICK", 2, None)


def test_a_button_that_the_goal_says_last_waits_for_the_work_before_it(
    element: Make, page: Page, choose: Choose
) -> None:
    goal = 'Enter the name "Ada" then press "Cancel"'
    cancel = element("button", "Cancel")
    assert choose(goal, page(element("textbox", "Name"), cancel)) == ("TYPE", 1, "Ada")
    assert choose(goal, page(element("textbox", "Name", value="Ada"), cancel), (typed(1, "Ada"),)) == ("CLICK", 2, None)


def test_a_button_that_the_goal_says_first_is_pressed_first(element: Make, page: Page, choose: Choose) -> None:
    goal = 'Press "New" and enter the name "Ada"'
    assert choose(goal, page(element("textbox", "Name"), element("button", "New"))) == ("CLICK", 2, None)


def test_the_label_before_it_says_which_is_meant(element: Make, page: Page, choose: Choose) -> None:
    card = page("Ada", "Phone:", element("link", "555-1234"), "Email:", element("link", "ada@a.uk"), "Address:",
                element("link", "7 Mill Road"))  # fmt: skip
    assert choose("Find Ada in the book and click on their address.", card) == ("CLICK", 3, None)
    assert choose("Find Ada in the book and click on their phone.", card) == ("CLICK", 1, None)


def test_a_coordinate_counts_along_the_numbers_of_the_axes(element: Make, page: Page, choose: Choose) -> None:
    points = [
        element("graphic", shape="circle", hint="point", box=Box(x=30 * x, y=30 * y, width=8, height=8))
        for x in range(3)
        for y in range(3)
    ]
    plot = page(*points, "x", "y", "-1", "0", "1", "-1", "1")
    assert choose("Click on the grid coordinate (1,-1).", plot) == ("CLICK", 9, None)
    assert choose("Click on the grid coordinate (-1,0).", plot) == ("CLICK", 2, None)


def test_a_card_that_was_turned_is_still_one_of_its_kind(element: Make, page: Page, choose: Choose) -> None:
    goal = "Pick the card with the greatest number, then press submit."
    cards = [element("generic", "11", hint="card hidden"), element("generic", "13", hint="card")]
    hidden = cards[1].model_copy(update={"hint": "card hidden"})
    submit = element("button", "Submit")
    assert choose(goal, page(cards[0], hidden, submit)) == ("CLICK", 2, None)
    assert choose(goal, page(*cards, submit), (clicked(2),)) == ("CLICK", 3, None)


def test_an_icon_beside_what_the_goal_names_is_not_meant_by_that(element: Make, page: Page, choose: Choose) -> None:
    mail = page(
        element("img", hint="close mail", scope="Lunch Ada to me"),
        element("img", hint="trash", scope="Lunch Ada to me"),
        "Ada",
        element("generic", "Reply", hint="mail button"),
        element("generic", "Print", hint="mail button"),
    )
    assert choose('There is a mail by Ada, respond and tell her "yes".', mail) == ("CLICK", 3, None)


def test_an_icon_that_is_quoted_by_its_class_is_known_by_what_it_shows(
    element: Make, page: Page, choose: Choose
) -> None:
    menu = page(element("menuitem", "Print"), element("menuitem", "Save"), element("menuitem", "More", has_popup=True))
    goal = 'Click on the item with the "ui-icon-disk" icon.'
    assert choose(goal, menu) == ("CLICK", 2, None)
    assert choose('Click on the item with the "ui-icon-flag" icon.', menu) == ("CLICK", 3, None)


def test_the_one_thing_that_is_meant_is_tried_again_where_it_did_not_react(
    element: Make, page: Page, choose: Choose
) -> None:
    menu = page(*(element("graphic", name, shape="text") for name in ("7", "8", "9")))
    goal = 'Click on the item labeled "8".'
    assert choose(goal, menu, (clicked(2, changed=False),)) == ("CLICK", 2, None)


def test_a_control_that_is_only_cut_off_is_brought_into_view_by_clicking_it(
    element: Make, page: Page, choose: Choose
) -> None:
    cut = element("button", "Submit", covered_by="what it stands in")
    alike = element("button", "Share")
    assert choose("Press submit", page(alike, cut, can_scroll=("down",))) == ("CLICK", 2, None)
    assert choose("Press submit", page(alike, cut)) == ("CLICK", 1, None)


def test_a_number_is_guessed_by_halves(element: Make, page: Page, choose: Choose) -> None:
    goal = "Guess the number between 0-9 and press Submit. Use the feedback below to find it."

    def form(told: str, value: str = "") -> Observation:
        return page(told, element("spinbutton", value=value, input_type="number"), element("button", "Submit"))

    assert choose(goal, form("Waiting for your guess...")) == ("TYPE", 1, "4")
    guessed = (typed(1, "4"),)
    assert choose(goal, form("Waiting for your guess...", "4"), guessed) == ("CLICK", 2, None)
    judged = (*guessed, clicked(2))
    assert choose(goal, form("The number is higher than 4.", "4"), judged) == ("TYPE", 1, "7")
    again = (*judged, typed(1, "7"))
    assert choose(goal, form("The number is higher than 4.", "7"), again) == ("CLICK", 2, None)
    assert choose(goal, form("The number is lower than 7.", "7"), (*again, clicked(2))) == ("TYPE", 1, "5")


# ---- a day in slots


def test_an_event_is_made_between_its_first_and_its_last_slot(element: Make, page: Page, choose: Choose) -> None:
    goal = 'Create a 90 mins event named "Gym", between 9AM and 12PM.'
    day: list[InteractiveElement | str] = []
    for hour in ("8am", "9am", "10am", "11am", "12pm"):
        day += [hour, element("generic", hint="half hour"), element("generic", hint="half hour")]
    assert choose(goal, page(*day)) == ("CLICK", 3, None)
    assert choose(goal, page(*day), (clicked(3),)) == ("CLICK", 5, None)
    made = page(*day, element("generic", "New event", hint="event new"))
    assert choose(goal, made, (clicked(3), clicked(5))) == ("CLICK", 11, None)


def test_slots_under_another_event_are_not_taken(element: Make, page: Page, choose: Choose) -> None:
    goal = 'Create a 1 hour event named "Gym", between 9AM and 12PM.'
    day: list[InteractiveElement | str] = []
    for hour in ("8am", "9am", "10am", "11am"):
        taken = "div 'Party'" if hour == "9am" else None
        day += [hour, *(element("generic", hint="half hour", covered_by=taken) for _ in range(2))]
    assert choose(goal, page(*day)) == ("CLICK", 5, None)


def test_a_time_is_chosen_in_whatever_way_it_is_written(element: Make, page: Page, choose: Choose) -> None:
    times = [element("button", name) for name in ("9:00 AM", "9:30 AM", "2:00 PM")]
    goal = "Book a table for two at 14:00."
    assert choose(goal, page(*times, element("button", "Book"))) == ("CLICK", 3, None)
    assert choose(goal, page(*times, element("button", "Book")), (clicked(3),)) == ("CLICK", 4, None)


def test_a_length_takes_as_many_named_slots(element: Make, page: Page, choose: Choose) -> None:
    goal = "Reserve the room for 90 minutes from 9:30am."
    times = page(*(element("button", name) for name in ("9:00", "9:30", "10:00", "10:30")), element("button", "Book"))
    assert choose(goal, times) == ("CLICK", 2, None)
    assert choose(goal, times, (clicked(2),)) == ("CLICK", 4, None)
    assert choose(goal, times, (clicked(2), clicked(4))) == ("CLICK", 5, None)


# ---- lists, answers, colours


def test_a_list_that_takes_several_gets_all_that_the_goal_names(element: Make, page: Page, choose: Choose) -> None:
    goal = "Select Bob, Eve from the list and click Submit."

    def form(*chosen: str, multiple: bool = True) -> Observation:
        options = tuple(SelectOption(label=name, selected=name in chosen) for name in ("Ada", "Bob", "Eve"))
        names = element("listbox", tag="select", options=options, multiple=multiple)
        return page(names, element("button", "Submit"))

    step = (PastStep(action=Select(element_id=1, option="Bob"), page_changed=True),)
    assert choose(goal, form("Bob"), step) == ("SELECT", 1, "Eve")
    assert choose(goal, form("Bob", "Eve"), step) == ("CLICK", 2, None)
    assert choose(goal, form("Bob", multiple=False), step) == ("CLICK", 2, None)


def test_letters_and_digits_are_counted_by_their_plural(element: Make, page: Page, choose: Choose) -> None:
    signs = [element("graphic", name, shape="text", color="yellow", hint="") for name in ("4", "5", "4")]
    answers = [element("button", name) for name in "0123"]
    assert choose("How many yellow 4s are there?", page(*signs, *answers)) == ("CLICK", 6, None)
    sign = element("graphic", "I", shape="text", color="yellow", hint="")
    assert choose("How many Is are there?", page(sign, *answers)) == ("CLICK", 3, None)
    both = [element("graphic", name, shape="text", color="yellow", hint="") for name in "Rr"]
    assert choose("How many Rs are there?", page(*both, *answers)) == ("CLICK", 4, None)


def test_the_value_beside_a_label_that_the_goal_names_is_typed(element: Make, page: Page, choose: Choose) -> None:
    goal = "Enter the value of Year of Birth into the text field."
    table = page("Country", "Chile", "Year of Birth", "2004", element("textbox"))
    assert choose(goal, table) == ("TYPE", 1, "2004")


def test_a_label_may_follow_its_field(element: Make, page: Page, choose: Choose) -> None:
    fields = [element("textbox", scope=label) for label in ("Director", "Genre", "Year")]
    form = page(fields[0], "Director", fields[1], "Genre", fields[2], "Year")
    assert choose("Search for drama movies directed by Watson from year 1998.", form) == ("TYPE", 3, "1998")


def test_an_answer_is_written_before_it_is_sent(element: Make, page: Page, choose: Choose) -> None:
    goal = 'Ada\'s mail needs to be responded to with "See you".'
    assert choose(goal, page(element("img", hint="send reply"), element("textbox"))) == ("TYPE", 2, "See you")


def test_what_is_to_be_written_is_not_looked_for(element: Make, page: Page, choose: Choose) -> None:
    goal = 'Reply to Ada\'s mail: "See you. Bye."'
    mails = page(element("generic", "Bob Lunch"), element("generic", "Ada Dinner"), element("link", ">"))
    assert choose(goal, mails) == ("CLICK", 2, None)


def test_a_text_gets_its_colour_from_what_the_tools_open(element: Make, page: Page, choose: Choose) -> None:
    goal = "Make everything the color green and press Submit."
    icon = element("graphic", shape="triangle", color="rgb(68, 68, 68)")
    tools = [element("button", hint=f"tool {name}") for name in ("bold", "italic")]
    text, submit = element("textbox", tag="div", value="one two", filled=True), element("button", "Submit")
    assert choose(goal, page(icon, *tools, text, submit)) == ("CLICK", 1, None)
    greens = [element("generic", hint="item", color=color) for color in ("rgb(0, 97, 0)", "rgb(0, 138, 0)")]
    assert choose(goal, page(icon, *greens, *tools, text, submit), (clicked(1),)) == ("CLICK", 3, None)


def test_an_event_of_one_slot_begins_and_ends_in_it(element: Make, page: Page, choose: Choose) -> None:
    goal = 'Create a 0.5 hours event named "Call", between 9AM and 12PM.'
    day: list[InteractiveElement | str] = []
    for hour in ("8am", "9am", "10am"):
        day += [hour, element("generic", hint="half hour"), element("generic", hint="half hour")]
    assert choose(goal, page(*day)) == ("CLICK", 3, None)
    assert choose(goal, page(*day), (clicked(3),)) == ("CLICK", 3, None)
    made = page(*day, element("generic", "New event", hint="event new"))
    assert choose(goal, made, (clicked(3), clicked(3))) == ("CLICK", 7, None)


def test_the_cheapest_is_told_by_prices_whatever_else_is_counted(element: Make, page: Page, choose: Choose) -> None:
    flights: list[InteractiveElement | str] = []
    for hours, price in (("15h", 536), ("18h", 306), ("3h", 823)):
        flights += ["Depart: KKU", f"Duration: {hours}", element("button", f"Book flight for ${price}")]
    assert choose("Book the cheapest flight from: KKU to: MLU", page(*flights)) == ("CLICK", 2, None)


def test_a_quoted_word_is_not_found_inside_a_longer_one(element: Make, page: Page, choose: Choose) -> None:
    tabs = (element("tab", "One", selected=True), element("tab", "Two", selected=False))
    goal = 'Switch between the tabs to find and click on the link "et,".'
    assert choose(goal, page(*tabs, element("generic", "consectetur."))) == ("CLICK", 2, None)
    assert choose(goal, page(*tabs, element("generic", "et,"))) == ("CLICK", 3, None)


def test_a_path_through_menus_is_gone_by_keys(element: Make, page: Page, choose: Choose) -> None:
    goal = "Select File>Recent"

    def item(name: str, x: int, y: int, *, opens: bool = False) -> InteractiveElement:
        return element("menuitem", name, has_popup=opens, box=Box(x=x, y=20 * y, width=50, height=17))

    bar = (item("Edit", 0, 0), item("File", 0, 1, opens=True))
    down, right = (
        PastStep(action=Press.model_validate({"element_id": 1, "key": key}), page_changed=key == "ArrowRight")
        for key in ("ArrowDown", "ArrowRight")
    )
    assert choose(goal, page(*bar)) == ("PRESS", 1, "ArrowDown")
    assert choose(goal, page(*bar), (down,)) == ("PRESS", 1, "ArrowDown")
    assert choose(goal, page(*bar), (down, down)) == ("PRESS", 1, "ArrowRight")
    opened = page(*bar, item("New", 60, 1), item("Recent", 60, 2))
    assert choose(goal, opened, (down, down, right)) == ("CLICK", 4, None)
    assert choose("Select File", page(*bar)) == ("CLICK", 2, None)


def test_an_article_names_nothing(element: Make, page: Page, choose: Choose) -> None:
    signs = [element("graphic", name, shape="text", color=color) for name, color in (("A", "red"), ("V", "aqua"))]
    assert choose("Click on a aqua item", page(*signs)) == ("CLICK", 2, None)


def test_letters_are_counted_as_letters(element: Make, page: Page, choose: Choose) -> None:
    square = element("graphic", shape="square", color="green")
    signs = [element("graphic", name, shape="text", color="green") for name in ("h", "3")]
    assert choose("How many letters are there?", page(square, *signs, *(element("button", n) for n in "0123"))) == (
        "CLICK", 5, None,
    )  # fmt: skip


def test_of_the_results_for_what_was_typed_the_counted_one_is_meant(element: Make, page: Page, choose: Choose) -> None:
    goal = 'Enter "Ada" and press "Search", then click the 2nd search result.'
    field, search = element("textbox", value="Ada"), element("button", "Search")
    found = page(field, search, element("link", "Ada"), element("link", "Bob"))
    assert choose(goal, found, (typed(1, "Ada"), clicked(2))) == ("CLICK", 4, None)


def test_what_is_said_of_a_number_is_true(element: Make, page: Page, choose: Choose) -> None:
    goal = "Say of each number whether it is positive or negative and submit."
    rows = [element("button", name, scope=number) for number in ("-3", "8") for name in ("Positive", "Negative")]
    sheet = page(*rows, element("button", "Submit"))
    assert choose(goal, sheet) == ("CLICK", 2, None)
    assert choose(goal, sheet, (clicked(2),)) == ("CLICK", 3, None)
    assert choose(goal, sheet, (clicked(2), clicked(3))) == ("CLICK", 5, None)


def test_a_search_is_not_sent_twice(element: Make, page: Page, choose: Choose) -> None:
    step = PastStep(action=Click(element_id=9), role="button", name="Search", page_changed=True)
    found = page(element("textbox", "Find"), element("button", "Search"), element("link", "Lamps"))
    assert choose("Show me the lamps.", found, (step,)) == ("CLICK", 3, None)
    wizard = page(element("button", "Continue"))
    on = PastStep(action=Click(element_id=9), role="button", name="Continue", page_changed=True)
    assert choose("Press continue until the end.", wizard, (on,)) == ("CLICK", 1, None)


def test_a_number_of_things_of_a_kind_is_counted_up(element: Make, page: Page, choose: Choose) -> None:
    def menu(*counts: str) -> Observation:
        dishes = ("Green salad", "Cheese plate", "Ice cream", "Meatballs")
        items = [
            item
            for dish, count in zip(dishes, counts, strict=True)
            for item in (dish, element("generic", "-"), *((count,) if count != "0" else ()), element("generic", "+"))
        ]
        return page(*items, element("button", "Order"))

    goal = "Order 3 items that are dairy"
    assert choose(goal, menu("0", "0", "0", "0")) == ("CLICK", 4, None)
    assert choose(goal, menu("0", "1", "0", "0"), (clicked(4),)) == ("CLICK", 6, None)
    assert choose(goal, menu("0", "1", "1", "0"), (clicked(4), clicked(6))) == ("CLICK", 4, None)
    assert choose(goal, menu("0", "2", "1", "0"), (clicked(4), clicked(6), clicked(4))) == ("CLICK", 9, None)
    assert choose("Order 2 items that are meat", menu("0", "0", "0", "1"), (clicked(8),)) == ("CLICK", 8, None)


def test_a_name_with_a_mark_is_looked_for_where_the_page_has_it_without(
    element: Make, page: Page, choose: Choose
) -> None:
    tabs = (element("tab", "One", selected=True), element("tab", "Two", selected=False))
    goal = 'Switch between the tabs to find and click on the link "et,".'
    assert choose(goal, page(*tabs, element("generic", "et"))) == ("CLICK", 2, None)
    other = (element("tab", "One", selected=False), element("tab", "Two", selected=True))
    assert choose(goal, page(*other, element("generic", "et,")), (clicked(2),)) == ("CLICK", 3, None)
    # Where nothing is left to open, it is meant after all; so it is where the mark may be the sentence's.
    assert choose(goal, page(element("generic", "at"), element("generic", "et"))) == ("CLICK", 2, None)
    assert choose('Click on "et."', page(*tabs, element("generic", "et"))) == ("CLICK", 3, None)


def test_a_link_that_led_to_this_page_is_not_followed_again(element: Make, page: Page, choose: Choose) -> None:
    step = PastStep(action=Click(element_id=9), role="link", name="Garden", page_changed=True)
    shelf = page(element("link", "Garden"), element("link", "Lamps"))
    assert choose("Go to Garden and find the lamps.", shelf) == ("CLICK", 1, None)
    assert choose("Go to Garden and find the lamps.", shelf, (step,)) == ("CLICK", 2, None)
    pager = page(element("link", ">"))
    on = PastStep(action=Click(element_id=9), role="link", name=">", page_changed=True)
    assert choose("Find Ada in the book.", pager, (on,)) == ("CLICK", 1, None)


def test_where_nothing_can_be_selected_a_styled_text_is_written_again(
    element: Make, page: Page, choose: Choose
) -> None:
    goal = "Give everything the style bold and press Submit."

    def editor(hint: str) -> Observation:
        tools = [element("button", hint=hint), element("button", hint="ql italic")]
        text = element("textbox", tag="div", value="one two", filled=True)
        return page(*tools, text, element("button", "Submit"))

    assert choose(goal, editor("ql bold")) == ("CLICK", 1, None)
    assert choose(goal, editor("ql bold active"), (clicked(1),)) == ("TYPE", 3, "one two")
    assert choose(goal, editor("ql bold active"), (clicked(1), typed(3, "one two"))) == ("CLICK", 4, None)


def test_fields_that_the_goal_says_before_a_date_are_filled_before_it(
    element: Make, page: Page, choose: Choose
) -> None:
    date = element("textbox", hint="date picker", readonly=True)
    goal = "Book a flight from: HOT to: Reno on 10/02/2016."
    assert choose(goal, page(element("textbox", "From:"), element("textbox", "To:"), date)) == ("TYPE", 1, "HOT")
    filled = page(element("textbox", "From:", value="HOT"), element("textbox", "To:", value="Reno"), date)
    assert choose(goal, filled, (typed(1, "HOT"), typed(2, "Reno"))) == ("CLICK", 3, None)


def test_a_suggestion_that_holds_just_what_was_typed_is_taken(element: Make, page: Page, choose: Choose) -> None:
    goal = "Book a flight from: HOT to: Reno"
    offers = [element("listitem", name) for name in ("Circle Hot Springs (CHP)", "Hot Springs (HOT)")]
    form = page(element("textbox", "From:", value="HOT"), element("textbox", "To:"), *offers)
    assert choose(goal, form, (typed(1, "HOT"),)) == ("CLICK", 4, None)
    date = element("textbox", hint="date picker", readonly=True)
    last = page(element("textbox", "To:", value="Reno"), date, element("listitem", "Reno, NV (RNO)"))
    assert choose("Book a flight to: Reno on 10/02/2016", last, (typed(1, "Reno"),)) == ("CLICK", 3, None)


def test_a_name_may_be_any_word(element: Make, page: Page, choose: Choose) -> None:
    mails = [element("img", hint="trash", scope=f"{who} Lunch") for who in ("Ada", "Page")]
    assert choose("Find the mail by Page and click the trash icon.", page(*mails)) == ("CLICK", 2, None)


def test_a_tab_whose_words_are_a_link_inside_it_is_opened_once(element: Make, page: Page, choose: Choose) -> None:
    def tabs(selected: int) -> Observation:
        found = []
        for i in range(3):
            box = Box(x=30 * i, y=0, width=25, height=20)
            found += [element("tab", str(i), selected=i == selected, box=box), element("link", str(i), box=box)]
        return page(*found)

    goal = 'Switch between the tabs to find the link "neque".'
    assert choose(goal, tabs(0)) == ("CLICK", 3, None)
    assert choose(goal, tabs(1), (clicked(3),)) in (("CLICK", 1, None), ("CLICK", 5, None))
