"""What the shop holds: fixed products, customers, orders and reviews, each with an absolute date."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

# Everything in the shop happened on or after this day.
FIRST_DAY = datetime(2024, 3, 4, 9, 0, tzinfo=UTC)
CUSTOMER = ("ella.hart@example.com", "Ella", "Hart", "kettle-and-tent-7")
OTHERS = (
    ("noah.brandt@example.com", "Noah", "Brandt"),
    ("mina.sato@example.com", "Mina", "Sato"),
    ("oscar.lund@example.com", "Oscar", "Lund"),
    ("priya.nair@example.com", "Priya", "Nair"),
    ("tom.vale@example.com", "Tom", "Vale"),
)
ADMIN = ("admin", "admin@example.com", "dashboard-4")


class Item(NamedTuple):
    """One product."""

    sku: str
    title: str
    category: str
    price: str
    stock: int
    about: str


def _numbered(first: int, category: str, rows: str) -> Iterator[Item]:
    """Items of lines such as "Granite Kettle | 31.50 | 12 | About it."."""
    for number, line in enumerate(filter(None, (line.strip() for line in rows.splitlines())), first):
        title, price, stock, about = (part.strip() for part in line.split("|"))
        yield Item(f"CS{number:04}", title, category, price, int(stock), about)


KETTLES = """
    Granite Kettle | 31.50 | 12 | Holds 1.5 litres. Comes in grey and black.
    Copper Gooseneck Kettle | 64.00 | 5 | A slow pour for coffee. Comes in copper and in white.
    Pocket Camping Kettle | 17.90 | 0 | Folds flat. Sold out until the next delivery.
    Blue Enamel Kettle | 24.80 | 8 | For every hob. Comes in blue.
    Glass Kettle with Light | 39.00 | 9 | See it boil. Comes in clear glass.
    Whistling Steel Kettle | 22.40 | 14 | Whistles at the boil. Comes in steel.
    Office Kettle 0.8 | 19.75 | 0 | For one cup or two. Comes in white.
    Grand Tea Kettle | 48.60 | 6 | Three litres for many guests. Comes in red.
    Temperature Kettle Pro | 79.95 | 4 | Any heat from 40 to 100 degrees. Comes in black.
    Stoneware Kettle | 42.10 | 3 | Keeps warm for an hour. Comes in brown.
"""
TABLEWARE = """
    Harbor Dinner Set | 89.00 | 7 | Sixteen pieces with a blue rim.
    Meadow Bowl | 12.30 | 30 | Glazed by hand in green.
    Cedar Salad Servers | 15.60 | 18 | A pair, oiled once a year.
    Linen Napkins Set of Six | 27.00 | 11 | Washed soft.
"""
TENTS = """
    Ridge Tent for Two | 149.00 | 6 | Two doors, two poles.
    Ridge Tent for Four | 229.00 | 4 | Two rooms and a porch.
    Lakeside Family Tent | 399.00 | 2 | You can stand up in it.
    Ultralight Solo Tent | 279.00 | 5 | 890 grams with pegs.
    Beach Shade Tent | 44.50 | 15 | Sun protection for the shore.
    Winter Dome Tent | 459.00 | 0 | Snow flaps all around.
    Children's Play Tent | 36.00 | 9 | For the garden or the living room.
    Bell Tent Classic | 529.00 | 3 | Cotton, five metres wide.
    Tent Repair Kit | 14.20 | 25 | Patches, thread and a needle.
    Tent Footprint Large | 32.80 | 12 | Keeps the floor dry.
    Tent Lantern Hook | 6.40 | 40 | Holds two kilograms.
    Rooftop Car Tent | 899.00 | 1 | Up in three minutes.
"""
PACKS = """
    Trail Pack 28 | 84.00 | 10 | With a rain cover.
    Trail Pack 45 | 119.00 | 7 | For a long weekend.
    Summit Headlamp | 38.90 | 16 | 300 lumens, two brightness levels.
    Camp Stove Mini | 45.00 | 13 | Boils a litre in four minutes.
    Folding Camp Chair | 29.90 | 20 | Carries 120 kilograms.
    Enamel Mug | 8.50 | 60 | 350 millilitres.
"""
STATIONERY = """
    Dotted Notebook A5 | 11.90 | 50 | 160 pages that lie flat.
    Brass Pencil Sharpener | 9.80 | 22 | Two holes.
    Desk Organizer Oak | 54.00 | 6 | Five compartments.
    Fountain Pen Junior | 26.50 | 17 | With a medium nib.
"""
LAMP_KINDS = ("Reading", "Clamp", "Tripod", "Banker's", "Paper", "Bedside", "Studio", "Corner")
LAMP_COLOURS = ("Amber", "Graphite", "Ivory")


def _lamps() -> Iterator[Item]:
    kinds = ((kind, colour) for kind in LAMP_KINDS for colour in LAMP_COLOURS)
    for number, (kind, colour) in enumerate(kinds):
        price = Decimal(25) + Decimal("3.35") * number
        yield Item(
            f"CS{500 + number:04}", f"{colour} {kind} Lamp", "Office > Lamps", str(price), 3 + number % 9,
            f"A {kind.lower()} lamp in {colour.lower()}.",
        )  # fmt: skip


ITEMS: tuple[Item, ...] = (
    *_numbered(1, "Kitchen > Kettles", KETTLES),
    *_numbered(101, "Kitchen > Tableware", TABLEWARE),
    *_numbered(201, "Outdoor > Tents", TENTS),
    *_numbered(301, "Outdoor > Packs and gear", PACKS),
    *_numbered(401, "Office > Stationery", STATIONERY),
    *_lamps(),
)
# Product, customer's place in OTHERS, stars, title, words.
REVIEWS = (
    ("Harbor Dinner Set", 0, 5, "Lovely", "We use it every day."),
    ("Harbor Dinner Set", 1, 2, "Chips too easily", "Three plates chipped within a month."),
    ("Harbor Dinner Set", 2, 4, "Good value", "The bowls are a little small."),
    ("Harbor Dinner Set", 3, 1, "Arrived broken", "Half of it was in pieces."),
    ("Harbor Dinner Set", 4, 5, "A fine present", "My parents like it."),
    ("Meadow Bowl", 2, 1, "Not green", "Mine is grey."),
    ("Meadow Bowl", 4, 3, "Fine", "A bowl."),
    ("Trail Pack 28", 1, 5, "Sits well", "Eight hours and no sore shoulder."),
)
# Number, customer's place in OTHERS, status, days after FIRST_DAY, items by title with their counts.
ORDERS = (
    (100101, 0, "Pending", 3, (("Granite Kettle", 1),)),
    (100102, 1, "Pending", 5, (("Trail Pack 45", 1), ("Enamel Mug", 4))),
    (100103, 2, "Shipped", 6, (("Ridge Tent for Two", 1),)),
    (100104, 3, "Pending", 9, (("Harbor Dinner Set", 1),)),
    (100105, 4, "Processing", 11, (("Folding Camp Chair", 2),)),
    (100106, 0, "Cancelled", 12, (("Desk Organizer Oak", 1),)),
    (100107, 1, "Pending", 15, (("Amber Reading Lamp", 1),)),
    (100108, 2, "Shipped", 16, (("Camp Stove Mini", 1),)),
    (100109, 3, "Pending", 20, (("Dotted Notebook A5", 6),)),
    (100110, 4, "Processing", 21, (("Beach Shade Tent", 1),)),
    (100111, 0, "Pending", 24, (("Linen Napkins Set of Six", 2),)),
)
# What lies in the customer's cart.
CART = (("Enamel Mug", 1), ("Linen Napkins Set of Six", 1))
ADDRESSES: tuple[dict[str, Any], ...] = (
    {"line1": "14 Harbour Lane", "line4": "Portsmouth", "postcode": "03801", "is_default_for_shipping": True},
    {"line1": "2 Mill Road", "line4": "Concord", "postcode": "03301", "is_default_for_shipping": False},
)


def day(number: int) -> datetime:
    """Return the moment so many days after the first."""
    return FIRST_DAY + timedelta(days=number, minutes=17 * number)
