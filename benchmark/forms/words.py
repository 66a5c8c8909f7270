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


class Vocabulary(NamedTuple):
    """What pages are made of."""

    fields: tuple[FieldThing, ...]
    places: tuple[Thing, ...]
    """Where a page leads to: links, tabs, heads of menus."""
    deeds: tuple[Thing, ...]
    """What a button does."""
    choices: tuple[tuple[str, tuple[Thing, ...]], ...]
    """What can be chosen of a kind."""


def _things(text: str) -> tuple[Thing, ...]:
    """Return a thing for each line; its names are parted by bars."""
    rows = [tuple(name.strip() for name in line.split("|")) for line in text.strip().splitlines()]
    return tuple(Thing(names[0].lower().replace(" ", "-"), names) for names in rows)


PEOPLE = ("Amara", "Benedikt", "Celeste", "Dmitri", "Eulalia", "Farouk", "Greta", "Hamish", "Ingeborg", "Jolanta")
TOWNS = ("Ostrava", "Bergamo", "Tampere", "Uppsala", "Leuven", "Coimbra", "Graz", "Limerick", "Aarhus", "Girona")
NUMBERS = ("4471", "90210", "3358", "7126", "5804", "6690", "2187", "8043")
WORDS = ("linen", "copper", "walnut", "saffron", "marble", "velvet", "juniper", "granite", "amber", "thistle")

_FIELDS = (
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

_PLACES = _things("""
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

_DEEDS = _things("""
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

_CHOICES: tuple[tuple[str, tuple[Thing, ...]], ...] = (
    ("Size", _things("Huge | Enormous | Gigantic\nSmall | Tiny | Little\nMedium | Middle")),
    ("Mood", _things("Happy | Glad | Cheerful\nSad | Unhappy\nAngry | Furious\nCalm | Quiet | Peaceful")),
    ("Speed", _things("Fast | Quick | Rapid\nSlow | Sluggish")),
    ("Pet", _things("Dog | Puppy\nCat | Kitten\nHorse | Pony\nRabbit | Bunny")),
    ("Drink", _things("Coffee | Espresso\nWine | Champagne\nWater\nMilk")),
    ("Room", _things("Cellar | Basement\nAttic | Loft\nKitchen\nBath | Shower")),
)
# Buttons that end a piece of work, and are named as the page names them.
CONFIRMS = ("Save", "Confirm", "Done", "Apply", "Proceed")

USUAL = Vocabulary(_FIELDS, _PLACES, _DEEDS, _CHOICES)
# Written down once and never tuned on: what was set on the usual words is tried on these.
FRESH = Vocabulary(
    fields=(
        FieldThing("county", ("County", "District"), TOWNS),
        FieldThing("nickname", ("Nickname", "Alias"), PEOPLE),
        FieldThing("sum", ("Amount", "Sum"), NUMBERS),
        FieldThing("chief", ("Boss", "Manager", "Supervisor"), PEOPLE),
        FieldThing("fee", ("Fee", "Charge"), NUMBERS),
        FieldThing("pupil", ("Student", "Pupil"), PEOPLE),
        FieldThing("topic", ("Topic", "Subject"), WORDS),
        FieldThing("cloth", ("Fabric", "Cloth"), WORDS),
        FieldThing("homeland", ("Country", "Nation"), TOWNS),
        FieldThing("owner", ("Owner", "Proprietor"), PEOPLE),
        FieldThing("author", ("Author", "Writer"), PEOPLE),
        FieldThing("colour", ("Colour", "Shade"), WORDS),
    ),
    places=_things("""
        Newspapers | Press
        Schools | Education
        Weather | Climate
        Toys | Games
        Furniture | Chairs
        Insurance | Coverage
        Hospitals | Clinics
        Bicycles | Bikes
        Phones | Telephones
        Forests | Woods
        Sports | Athletics
        Recipes | Cooking
        Offers | Discounts | Bargains
        Airports | Flights
        Museums | Galleries
        Pupils | Students
    """),
    deeds=_things("""
        Show | Display
        Finish | Complete
        Gather | Collect
        Cancel | Abort
        Invite | Ask
        Prohibit | Ban | Forbid
        Improve | Enhance
        Choose | Select
        Construct | Build
        Damage | Harm
        Hide | Conceal
        Transport | Carry
    """),
    choices=(
        ("Price", _things("Cheap | Inexpensive\nExpensive | Costly\nFree")),
        ("Weather", _things("Rainy | Wet\nSunny | Bright\nFreezing | Icy")),
        ("Seat", _things("Sofa | Couch\nStool | Bench\nArmchair")),
        ("Trade", _things("Physician | Doctor\nAttorney | Lawyer\nTailor\nFarmer | Peasant")),
    ),
)
