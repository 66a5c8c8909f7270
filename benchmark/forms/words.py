"""What generated pages say: each thing with several names for it, so that a goal can use another than the page."""

from typing import NamedTuple


class Thing(NamedTuple):
    """Something on a page, by key, with the names that people give it."""

    key: str
    names: tuple[str, ...]


class FieldThing(NamedTuple):
    """A field, with what may be typed into it."""

    key: str
    names: tuple[str, ...]
    values: tuple[str, ...]


def _things(text: str) -> tuple[Thing, ...]:
    """Return a thing for each line; its names are parted by bars."""
    rows = [tuple(name.strip() for name in line.split("|")) for line in text.strip().splitlines()]
    return tuple(Thing(names[0].lower().replace(" ", "-"), names) for names in rows)


PEOPLE = ("Amara", "Benedikt", "Celeste", "Dmitri", "Eulalia", "Farouk", "Greta", "Hamish", "Ingeborg", "Jolanta")
TOWNS = ("Ostrava", "Bergamo", "Tampere", "Uppsala", "Leuven", "Coimbra", "Graz", "Limerick", "Aarhus", "Girona")
NUMBERS = ("4471", "90210", "3358", "7126", "5804", "6690", "2187", "8043")
WORDS = ("linen", "copper", "walnut", "saffron", "marble", "velvet", "juniper", "granite", "amber", "thistle")

FIELDS = (
    FieldThing("phone", ("Telephone", "Phone number", "Phone"), NUMBERS),
    FieldThing("surname", ("Surname", "Family name", "Last name"), PEOPLE),
    FieldThing("town", ("Town", "City"), TOWNS),
    FieldThing("employer", ("Employer", "Company", "Firm"), WORDS),
    FieldThing("occupation", ("Occupation", "Profession", "Job"), WORDS),
    FieldThing("wage", ("Salary", "Wage", "Pay"), NUMBERS),
    FieldThing("doctor", ("Doctor", "Physician"), PEOPLE),
    FieldThing("car", ("Vehicle", "Car"), WORDS),
    FieldThing("street", ("Street", "Road"), WORDS),
    FieldThing("remark", ("Remark", "Comment", "Note"), WORDS),
    FieldThing("guests", ("Guests", "Visitors"), NUMBERS),
    FieldThing("spouse", ("Spouse", "Wife", "Husband"), PEOPLE),
    FieldThing("cost", ("Price", "Cost"), NUMBERS),
    FieldThing("teacher", ("Teacher", "Instructor"), PEOPLE),
    FieldThing("route", ("Destination", "Journey end"), TOWNS),
    FieldThing("harvest", ("Harvest", "Crop"), WORDS),
)

# Where a page leads to: links, tabs, entries of a menu.
PLACES = _things("""
    Photos | Pictures | Images
    Settings | Preferences
    Basket | Cart
    Help | Assistance | Support
    Movies | Films
    Clothing | Clothes | Apparel
    Children | Kids
    Shipping | Delivery
    Invoices | Bills
    Journeys | Trips | Travel
    Houses | Homes
    Vehicles | Cars | Automobiles
    Medicine | Drugs
    Careers | Jobs
    Staff | Employees | Personnel
    Gifts | Presents
    Meals | Food
    Lawyers | Attorneys
    Shops | Stores
    Illness | Disease
    Soil | Earth
    Sea | Ocean
""")

# What a button does.
DEEDS = _things("""
    Remove | Delete | Erase
    Purchase | Buy
    Edit | Modify | Change
    Begin | Start | Launch
    Halt | Stop
    Repair | Fix
    Rent | Lease | Hire
    Discuss | Talk
    Donate | Give
    Permit | Allow
    Reject | Refuse | Deny
    Observe | Watch
""")

# What can be chosen of a kind, each with its other names.
CHOICES: tuple[tuple[str, tuple[Thing, ...]], ...] = (
    ("Size", _things("Huge | Enormous | Gigantic\nSmall | Tiny | Little\nMedium | Middle")),
    ("Mood", _things("Happy | Glad | Cheerful\nSad | Unhappy\nAngry | Furious\nCalm | Quiet | Peaceful")),
    ("Speed", _things("Fast | Quick | Rapid\nSlow | Sluggish")),
    ("Pet", _things("Dog | Puppy\nCat | Kitten\nHorse | Pony\nRabbit | Bunny")),
    ("Drink", _things("Coffee | Espresso\nWine | Champagne\nWater\nMilk")),
    ("Room", _things("Cellar | Basement\nAttic | Loft\nKitchen\nBath | Shower")),
)
# Buttons that end a piece of work, and are named as the page names them.
CONFIRMS = ("Save", "Confirm", "Done", "Apply", "Proceed")
