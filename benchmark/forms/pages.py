"""Makes a page, its goal and its outcome from a kind and a seed: the same each time. Knows no agent and no browser."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import NamedTuple, TypeVar

from benchmark.forms import layouts
from benchmark.forms.words import CONFIRMS, FRESH, PEOPLE, TOWNS, USUAL, WORDS, FieldThing, Thing, Vocabulary

Part = TypeVar("Part")


class MadePage(NamedTuple):
    """A page with what is to be done on it."""

    goal: str
    html: str
    pressed: str
    """What must have been pressed at the end."""
    values: Mapping[str, str | bool]
    """What controls must hold then, by key; all others must hold nothing."""


class _Names:
    """What the page calls things, and what the goal calls them."""

    def __init__(self, random: Random, words: Vocabulary, other: bool) -> None:
        self.words = words
        self._random, self._other = random, other

    def of(self, thing: Thing | FieldThing) -> tuple[str, str]:
        """Return a thing's name on the page and in the goal: another one, where it has another and that is wanted."""
        page = self._random.choice(thing.names)
        others = [name for name in thing.names if name != page]
        return page, (self._random.choice(others) if self._other and others else page)


def form(random: Random, names: _Names) -> MadePage:
    """Texts into fields."""
    things = random.sample(names.words.fields, random.randint(3, 6))
    labels = {thing.key: names.of(thing) for thing in things}
    asked = random.sample(things, random.randint(1, 3))
    values = {thing.key: random.choice(thing.values) for thing in asked}
    confirm, cancel = random.choice(CONFIRMS), random.choice(("Discard", "Reset", "Leave"))
    said = [(labels[key][1].lower(), value) for key, value in values.items()]
    way = random.randrange(4)
    if way == 0:
        parts = [f'"{value}" as the {label}' for label, value in said]
        goal = f"Enter {_listed(parts)}, and press {confirm}."
    elif way == 1:
        goal = f"Fill in {', '.join(f'{label}: {value}' for label, value in said)}. Then press {confirm}."
    elif way == 2:
        goal = f"{_listed([f'The {label} is {value}' for label, value in said])}. Fill that in and press {confirm}."
    else:
        parts = [f'the {label} to "{value}"' for label, value in said]
        goal = f'Set {_listed(parts)} and click "{confirm}".'
    shown = [(thing.key, labels[thing.key][0]) for thing in things]
    ends = [layouts.button("confirm", confirm, random)]
    ends += [layouts.button("cancel", cancel, random)] if random.random() < 0.4 else []
    body = [layouts.fields(shown, random), *_shuffled(ends, random)]
    return MadePage(goal, layouts.page_html("Details", body, random), "confirm", values)


def choose(random: Random, names: _Names) -> MadePage:
    """One of several options."""
    label, some = random.choice(names.words.choices)
    things = _shuffled(some, random)
    calls = {thing.key: names.of(thing) for thing in things}
    wanted, confirm = random.choice(things), random.choice(CONFIRMS)
    shown = [(key, page) for key, (page, _) in calls.items()]
    inner = layouts.options(label, shown, random)
    values: dict[str, str | bool] = (
        {"choice": calls[wanted.key][0]} if "<select" in inner else {f"choice-{wanted.key}": True}
    )
    said = calls[wanted.key][1]
    goal = random.choice((f"Choose {said} and press {confirm}.", f'Set {label.lower()} to "{said}", then {confirm}.'))
    body = [inner, layouts.button("confirm", confirm, random)]
    return MadePage(goal, layouts.page_html(label, body, random), "confirm", values)


def tick(random: Random, names: _Names) -> MadePage:
    """Several boxes of many."""
    things = random.sample(
        [*names.words.places, *(thing for _, some in names.words.choices for thing in some)], random.randint(4, 7)
    )
    calls = {thing.key: names.of(thing) for thing in things}
    wanted, confirm = random.sample(things, random.randint(1, 3)), random.choice(CONFIRMS)
    said = _listed([calls[thing.key][1] for thing in wanted])
    goal = random.choice((f"Tick {said} and press {confirm}.", f"Mark the boxes for {said}, then press {confirm}."))
    body = [layouts.boxes([(key, page) for key, (page, _) in calls.items()])]
    body.append(layouts.button("confirm", confirm, random))
    values: dict[str, str | bool] = {thing.key: True for thing in wanted}
    return MadePage(goal, layouts.page_html("What interests you", body, random), "confirm", values)


def lead(random: Random, names: _Names) -> MadePage:
    """One link of many."""
    things = random.sample(names.words.places, random.randint(4, 9))
    calls = {thing.key: names.of(thing) for thing in things}
    wanted = random.choice(things)
    said = calls[wanted.key][1]
    goal = random.choice((f"Go to {said.lower()}.", f'Open the page about "{said}".', f"Show me the {said.lower()}."))
    inner = layouts.links([(key, page) for key, (page, _) in calls.items()], random)
    return MadePage(goal, layouts.page_html("Welcome", [inner], random), wanted.key, {})


def rows(random: Random, names: _Names) -> MadePage:
    """A deed on one row of a table."""
    deeds = random.sample(names.words.deeds, random.randint(1, 3))
    calls = {deed.key: names.of(deed) for deed in deeds}
    who = random.sample((*PEOPLE, *TOWNS), random.randint(3, 5))
    wanted, one = random.choice(deeds), random.choice(who)
    said = calls[wanted.key][1]
    goal = random.choice((f"{said} {one}.", f'Find "{one}" in the table and {said.lower()} it.'))
    table = []
    for name in who:
        acts = "".join(layouts.button(f"{key}-{name}", page, random) for key, (page, _) in calls.items())
        table.append(f"<tr><td>{name}</td><td>{random.choice(WORDS)}</td><td>{acts}</td></tr>")
    body = [f"<table>{''.join(table)}</table>"]
    return MadePage(goal, layouts.page_html("Entries", body, random), f"{wanted.key}-{one}", {})


def menu(random: Random, names: _Names) -> MadePage:
    """An entry of a menu that has to be opened first."""
    heads = random.sample(names.words.places, random.randint(2, 3))
    entries = random.sample(names.words.deeds, len(heads) * 3)
    calls = {thing.key: names.of(thing) for thing in (*heads, *entries)}
    place = random.randrange(len(heads))
    wanted = random.choice(entries[place * 3 : place * 3 + 3])
    head, said = calls[heads[place].key][1], calls[wanted.key][1]
    goal = random.choice((f"In {head}, choose {said}.", f'Open the menu "{head}" and click "{said}".'))
    bar, panels = [], []
    for n, thing in enumerate(heads):
        bar.append(layouts.opener(f"m{n}", calls[thing.key][0]))
        inner = "".join(layouts.button(one.key, calls[one.key][0], random) for one in entries[n * 3 : n * 3 + 3])
        panels.append(layouts.panel(f"m{n}", "menu", inner))
    return MadePage(goal, layouts.page_html("Tools", [*bar, *panels], random), wanted.key, {})


def tabs(random: Random, names: _Names) -> MadePage:
    """A field that another tab shows."""
    heads = random.sample(names.words.places, 3)
    things = random.sample(names.words.fields, 6)
    calls = {thing.key: names.of(thing) for thing in heads} | {thing.key: names.of(thing) for thing in things}
    place, confirm = random.randrange(3), random.choice(CONFIRMS)
    wanted = random.choice(things[place * 2 : place * 2 + 2])
    value = random.choice(wanted.values)
    goal = f'Under {calls[heads[place].key][1]}, enter "{value}" as the {calls[wanted.key][1].lower()}'
    goal += f" and press {confirm}."
    bar, panels = [], []
    for n, thing in enumerate(heads):
        bar.append(layouts.opener(f"t{n}", calls[thing.key][0], tab=True, first=n == 0))
        shown = [(one.key, calls[one.key][0]) for one in things[n * 2 : n * 2 + 2]]
        panels.append(layouts.panel(f"t{n}", "tabs", layouts.fields(shown, random), hidden=n > 0))
    body = [f"<div role=tablist>{''.join(bar)}</div>", *panels, layouts.button("confirm", confirm, random)]
    return MadePage(goal, layouts.page_html("Your file", body, random), "confirm", {wanted.key: value})


KINDS: dict[str, Callable[[Random, _Names], MadePage]] = {
    "form": form, "choose": choose, "tick": tick, "lead": lead, "rows": rows, "menu": menu, "tabs": tabs,
}  # fmt: skip
WORDINGS: dict[str, tuple[Vocabulary, bool]] = {"": (USUAL, False), "-other": (USUAL, True), "-fresh": (FRESH, True)}
"""What the name of a task ends with: of which words its pages are, and whether its goal uses other ones."""
TASKS: tuple[str, ...] = tuple(f"{kind}{ending}" for ending in WORDINGS for kind in KINDS)


def make_page(task: str, seed: int) -> MadePage:
    """Return the page of a task and a seed.

    Raises:
        KeyError: there is no such task.
    """
    kind, dash, ending = task.partition("-")
    random = Random(f"{kind}-{seed}")
    return KINDS[kind](random, _Names(random, *WORDINGS[dash + ending]))


def _listed(parts: Sequence[str]) -> str:
    *head, last = parts
    return f"{', '.join(head)} and {last}" if head else last


def _shuffled(parts: Sequence[Part], random: Random) -> list[Part]:
    return random.sample(parts, len(parts))
