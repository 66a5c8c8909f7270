"""How each stand-in task is done, and with what: `RIGHT` does it, `WRONG` does the same to another object."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from benchmark.standins.scripted import Said, Script, Walk, after, choose, click, fill, follow, one, texts
from browser.actions import Click, Navigate, Select, Type
from browser.observation import Observation

PRICE = r"^(\$[0-9.]+)$"


def _search(seen: Observation, words: str) -> Walk:
    seen = yield from fill(seen, {"Search": words})
    return (yield from click(seen, "Search", "button"))


def _product(seen: Observation, title: str) -> Walk:
    seen = yield from _search(seen, title)
    return (yield from click(seen, title, "link"))


def price(seen: Observation, *, title: str) -> Script:
    """Read a product's price."""
    seen = yield from _product(seen, title)
    cost = after(seen, title, PRICE)
    return Said("RETRIEVE", (float(cost.removeprefix("$")),), cost)


def found(seen: Observation, *, words: str) -> Script:
    """Read how many products a search finds."""
    seen = yield from _search(seen, words)
    count = after(seen, "Found", r"Found ([0-9]+) results?")
    return Said("RETRIEVE", (int(count),), count)


def reviewers(seen: Observation, *, title: str, words: tuple[str, ...]) -> Script:
    """Read who wrote the reviews with these words."""
    seen = yield from _product(seen, title)
    seen = yield from click(seen, "See all reviews")
    names = sorted(after(seen, part, r"Reviewed by (\w+ \w+) on") for part in words)
    return Said("RETRIEVE", tuple(names), ", ".join(names))


def second_page(seen: Observation, *, category: str) -> Script:
    """Open the second page of a category."""
    seen = yield from follow(seen, "Browse store", category, "next")
    return Said("NAVIGATE")


def cart_count(seen: Observation, *, nth: int, count: str) -> Script:
    """Change how many of the cart's nth line there are."""
    seen = yield from click(seen, "View cart")
    fields = [e.id for e in seen.elements if e.role == "spinbutton"]
    seen = yield Type(element_id=fields[nth], text=count)
    yield from click(seen, "Update", nth=nth)
    return Said("MUTATE")


def wish(seen: Observation, *, title: str) -> Script:
    """Put a product on the wish list."""
    seen = yield from _product(seen, title)
    seen = yield from follow(seen, "Add to wish list", "Add to 'Camp' wish list")
    return Said("MUTATE")


def order(seen: Observation, *, ship: str) -> Script:
    """Buy what is in the cart, sent to the address with this button."""
    yield from follow(seen, "View cart", "Proceed to checkout", ship, "Continue", "Place order")
    return Said("MUTATE")


def postcode(seen: Observation, *, nth: int, code: str) -> Script:
    """Change the postcode of the nth address."""
    seen = yield from follow(seen, "Account", "Address Book")
    seen = yield from click(seen, "Edit", nth=nth)
    seen = yield from fill(seen, {"Post/Zip-code *": code})
    seen = yield from click(seen, "Save")
    return Said("MUTATE")


def review(seen: Observation, *, title: str, stars: int, head: str, body: str) -> Script:
    """Review a product."""
    seen = yield from _product(seen, title)
    seen = yield from click(seen, "Write a review")
    rating = [e.id for e in seen.elements if e.role == "generic" and not e.name and "star" in e.hint]
    seen = yield Click(element_id=rating[stars - 1])
    seen = yield from fill(seen, {"Title *": head, "Body *": body})
    seen = yield from click(seen, "Save review")
    return Said("MUTATE")


def colour(seen: Observation, *, title: str, wanted: str) -> Script:
    """Read what a product costs in a colour, if there is that colour."""
    seen = yield from _product(seen, title)
    if wanted not in " ".join(texts(seen)):
        return Said("RETRIEVE", found=False)
    cost = after(seen, title, PRICE)
    return Said("RETRIEVE", (float(cost.removeprefix("$")),), cost)


def orders(seen: Observation, *, status: str) -> Script:
    """Count the orders with a status."""
    seen = yield from follow(seen, "Fulfilment", "Orders")
    count = sum(text == status for text in texts(seen))
    return Said("RETRIEVE", (count,), str(count))


def stock(seen: Observation, *, title: str, count: str) -> Script:
    """Set how many of a product are in stock."""
    seen = yield from follow(seen, "Catalog", "Products")
    seen = yield from fill(seen, {"Product title:": title})
    seen = yield from click(seen, "Search", "button")
    seen = yield from follow(seen, title, "Stock and pricing")
    seen = yield Type(element_id=next(e.id for e in seen.elements if e.role == "spinbutton"), text=count)
    seen = yield from click(seen, "Save")
    return Said("MUTATE")


def process(seen: Observation, *, number: str, status: str, note: str) -> Script:
    """Move an order on and write a note on it."""
    seen = yield from follow(seen, "Fulfilment", "Orders", number)
    seen = yield from choose(seen, "", status)
    seen = yield from click(seen, "Change status")
    seen = yield from follow(seen, "Notes")
    seen = yield from fill(seen, {"Message *": note})
    seen = yield from click(seen, "Save note")
    return Said("MUTATE")


def coupon(seen: Observation, *, name: str, code: str, offer: str, until: str) -> Script:
    """Make a coupon for an offer."""
    seen = yield from follow(seen, "Offers", "Coupons", "Create new coupon")
    seen = yield from fill(seen, {"Name *": name, "Code *": code, "End datetime *": until})
    seen = yield Select(element_id=one(seen, "Which offers apply for this voucher?"), option=offer)
    seen = yield from click(seen, "Save")
    return Said("MUTATE")


def author(seen: Observation, *, topic: str) -> Script:
    """Read who began a topic."""
    seen = yield from click(seen, topic)
    names = [e.name for e in seen.elements if e.role == "link" and re.fullmatch(r"[a-z]+ \uf130", e.name)]
    name = names[0].split()[0]
    return Said("RETRIEVE", (name,), name)


def reply(seen: Observation, *, topic: str, words: str) -> Script:
    """Write a comment under a topic."""
    seen = yield from click(seen, topic)
    seen = yield from fill(seen, {"Write comment...": words})
    seen = yield from click(seen, "Publish")
    return Said("MUTATE")


def begin(seen: Observation, *, category: str, title: str, words: str) -> Script:
    """Begin a topic."""
    seen = yield from click(seen, "Create Topic")
    seen = yield from fill(seen, {"Title:": title})
    seen = yield from choose(seen, "Category:", category)
    seen = yield from fill(seen, {"Comment:": words})
    seen = yield from click(seen, "Publish")
    return Said("MUTATE")


def like(seen: Observation, *, topic: str, nth: int) -> Script:
    """Like the nth comment of a topic."""
    seen = yield from click(seen, topic)
    yield from click(seen, "like (*", nth=nth)
    return Said("MUTATE")


def topics_of(seen: Observation, *, topic: str, who: str) -> Script:
    """Open the list of the topics that someone began."""
    seen = yield from click(seen, topic)
    seen = yield from click(seen, f"{who}*")
    yield from click(seen, "Topics")
    return Said("NAVIGATE")


def carry(seen: Observation, *, title: str, topic: str, words: str) -> Script:
    """Read a price in the shop and tell it in the forum; the tabs are open on both."""
    shop, forum = (tab.url for tab in seen.tabs)
    seen = yield Navigate(url=shop)
    seen = yield from _product(seen, title)
    cost = after(seen, title, PRICE)
    seen = yield Navigate(url=forum)
    return (yield from reply(seen, topic=topic, words=words.replace("PRICE", cost)))


MUGS, NAPKINS = 0, 1
HARBOUR, CONCORD = 0, 1
KETTLE_QUESTION = "Which kettle for a slow pour?"
ANSWER = "The Copper Gooseneck Kettle costs PRICE."
GOOD_WALKS: Mapping[str, Any] = {"stars": 4, "head": "Good on long walks", "body": "Carries well."}
SPRING: Mapping[str, Any] = {"name": "Spring", "offer": "Ten percent off everything", "until": "2030-12-31 12:00:00"}
BEES: Mapping[str, Any] = {"title": "Books about bees", "words": "Which one should I read first?"}

Plan = tuple[Callable[..., Script], Mapping[str, Any], Mapping[str, Any]]
# By task: how, with what, and with what other object it is not done.
PLANS: Mapping[int, Plan] = {
    1001: (price, {"title": "Whistling Steel Kettle"}, {"title": "Blue Enamel Kettle"}),
    1002: (found, {"words": "tent"}, {"words": "kettle"}),
    1003: (
        reviewers,
        {"title": "Harbor Dinner Set", "words": ("chipped", "in pieces")},
        {"title": "Harbor Dinner Set", "words": ("every day", "a little small")},
    ),
    1004: (second_page, {"category": "Lamps"}, {"category": "All products"}),
    1005: (cart_count, {"nth": MUGS, "count": "4"}, {"nth": NAPKINS, "count": "4"}),
    1006: (wish, {"title": "Camp Stove Mini"}, {"title": "Folding Camp Chair"}),
    1007: (order, {"ship": "Ship to this address"}, {"ship": "Ship to your default shipping address"}),
    1008: (postcode, {"nth": HARBOUR, "code": "03802"}, {"nth": CONCORD, "code": "03802"}),
    1009: (review, {"title": "Trail Pack 28", **GOOD_WALKS}, {"title": "Trail Pack 45", **GOOD_WALKS}),
    1010: (colour, {"title": "Granite Kettle", "wanted": "purple"}, {"title": "Granite Kettle", "wanted": "grey"}),
    1011: (orders, {"status": "Pending"}, {"status": "Processing"}),
    1012: (stock, {"title": "Meadow Bowl", "count": "7"}, {"title": "Cedar Salad Servers", "count": "7"}),
    1013: (
        process,
        {"number": "100102", "status": "Processing", "note": "Packed by Ada"},
        {"number": "100104", "status": "Processing", "note": "Packed by Ada"},
    ),
    1014: (coupon, {"code": "SPRING10", **SPRING}, {"code": "SPRING20", **SPRING}),
    1015: (author, {"topic": "Slugs in the lettuce"}, {"topic": "First tomatoes of the year"}),
    1016: (
        reply,
        {"topic": "Compost that smells", "words": "Add dry leaves."},
        {"topic": "Bread without a machine", "words": "Add dry leaves."},
    ),
    1017: (begin, {"category": "Books", **BEES}, {"category": "Outdoors", **BEES}),
    1018: (like, {"topic": "Tent for two, used twice", "nth": 2}, {"topic": "Tent for two, used twice", "nth": 1}),
    1019: (
        topics_of,
        {"topic": "Tent for two, used twice", "who": "ivo"},
        {"topic": "Tent for two, used twice", "who": "juno"},
    ),
    1020: (
        carry,
        {"title": "Copper Gooseneck Kettle", "topic": KETTLE_QUESTION, "words": ANSWER},
        {"title": "Granite Kettle", "topic": KETTLE_QUESTION, "words": ANSWER},
    ),
}
