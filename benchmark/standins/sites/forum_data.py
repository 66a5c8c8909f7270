"""What the forum holds: fixed members, categories, topics and comments, each with an absolute date."""

from datetime import UTC, datetime, timedelta

FIRST_DAY = datetime(2024, 4, 1, 8, 30, tzinfo=UTC)
MEMBER = ("rowan", "forum-and-oak-3")
OTHERS = ("mara", "ivo", "tess", "bram", "lena", "juno")
CATEGORIES = (
    ("Gardening", "Beds, pots and weather."),
    ("Books", "What we read."),
    ("Kitchen", "Cooking and what it takes."),
    ("Outdoors", "Walks, tents and maps."),
)
# Category, title, author, first comment, then the replies as author and words.
TOPICS: tuple[tuple[str, str, str, str, tuple[tuple[str, str], ...]], ...] = (
    ("Gardening", "When to plant garlic", "ivo", "October or March?", (
        ("tess", "October, before the frost."), ("lena", "I do both."), ("bram", "October for me too."),
    )),
    ("Gardening", "Slugs in the lettuce", "tess", "They come every night.", (
        ("bram", "Copper tape."), ("mara", "A board in the evening, turned over in the morning."),
        ("ivo", "Ducks."), ("lena", "Not everyone has ducks."), ("ivo", "Everyone should."), ("juno", "Beer traps."),
        ("mara", "Coffee grounds did nothing here."),
    )),
    ("Gardening", "Compost that smells", "lena", "What did I do wrong?", (
        ("ivo", "Too wet. Add straw."), ("tess", "Turn it more often."),
    )),
    ("Gardening", "First tomatoes of the year", "bram", "Picked three today.", (
        ("juno", "So early!"), ("tess", "Mine are green still."), ("mara", "Which kind?"),
        ("bram", "A small red one from the market."),
    )),
    ("Books", "A winter reading list", "juno", "What should I read when it snows?", (
        ("mara", "Anything with a long train ride."), ("lena", "Short stories."),
    )),
    ("Books", "Maps in novels", "mara", "Do you look at the map first?", (
        ("rowan", "Always."), ("ivo", "Never."), ("tess", "Only when lost."),
    )),
    ("Kitchen", "Which kettle for a slow pour?", "lena", "I make coffee by hand and my kettle is too quick.", (
        ("bram", "One with a long neck."), ("juno", "How much do they cost?"),
    )),
    ("Kitchen", "Bread without a machine", "bram", "Patience and a hot pot.", (
        ("tess", "How long does it rise?"), ("bram", "Overnight."), ("mara", "Mine took two days in winter."),
    )),
    ("Outdoors", "Quiet walks near the lake", "tess", "Where do you go on a Sunday?", (
        ("lena", "The path behind the mill."), ("rowan", "Early, anywhere."),
    )),
    ("Outdoors", "Tent for two, used twice", "ivo", "It leaks at the door. Repair or replace?", (
        ("juno", "Repair. A patch and some seam sealer."), ("mara", "Repair it, and dry it before you pack it."),
    )),
)  # fmt: skip


def moment(number: int) -> datetime:
    """Return when the comment with this number was written: one every five hours or so."""
    return FIRST_DAY + timedelta(hours=5 * number, minutes=7 * number)
