"""Pages to measure perception on, the same each time, with the controls that are in them. Knows no browser."""

import base64
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from random import Random
from typing import NamedTuple

# Controls of a page of forms and lists; the first is there to tell what every look costs whatever the page.
SIZES = (0, 28, 120, 1_000, 20_000)
# Controls in one card.
CARD = 8
ARTICLE = "article"
SECTIONS = 60
# Each paragraph of the article has a link, and the first ones a mark that leads to a reference, which leads back.
MARKS_PER_SECTION = 2
PARAGRAPHS = 4
SENTENCES = 8
SEED = 3

TEXT = """
river valley stone bridge market garden museum station harbour forest island winter summer railway century council
library painter village castle church tower field road mountain lake treaty border language school journal record
history trade copper wool glass timber salt canal mill festival season district province capital monument early
late northern southern eastern western large small ancient modern narrow broad founded built rebuilt described
opened closed extended crossed divided joined ruled settled traded surveyed measured restored and of the in with
near under between during after before from toward along across
"""
WORDS = TEXT.split()
# One grey pixel, stretched to the size the page gives it.
PIXEL = "data:image/gif;base64," + base64.b64encode(
    bytes.fromhex("47494638396101000100800000999999000000210000000000002c00000000010001000002024401003b")
).decode("ascii")
STYLE = """
body { font: 15px/1.5 sans-serif; margin: 0 auto; max-width: 1100px; }
.card { border: 1px solid #ccc; border-radius: 4px; margin: 8px 0; padding: 8px; overflow: hidden; }
.line { display: flex; gap: 12px; align-items: center; flex-wrap: wrap; }
.button { background: #eee; border: 1px solid #999; border-radius: 3px; padding: 2px 8px; cursor: pointer; }
table { border-collapse: collapse; } td, th { border: 1px solid #bbb; padding: 2px 6px; }
figure { float: right; margin: 8px; } nav ol { columns: 3; }
"""

Control = tuple[str, str]


class GeneratedPage(NamedTuple):
    """A page, and the role and name of each of its controls, in document order."""

    name: str
    html: str
    controls: list[Control]

    def missing(self, shown: Iterable[Control]) -> Counter[Control]:
        """Return the controls that are not among those shown, each as often as it lacks."""
        return Counter(self.controls) - Counter(shown)


def generated_pages() -> Iterator[GeneratedPage]:
    """Yield all pages, smallest first and the article last."""
    yield from map(controls_page, SIZES)
    yield article_page()


def controls_page(count: int) -> GeneratedPage:
    """Return a page of cards with `count` controls of the usual kinds; "Remove" repeats, other names are distinct."""
    made = list(islice(_controls(), count))
    cards = []
    for start in range(0, count, CARD):
        number = start // CARD + 1
        lines = "".join(f"<div class=line>{html}</div>" for html, _ in made[start : start + CARD])
        cards.append(f"<section class=card><h2>Order {number}</h2><p>Placed on day {number}.</p>{lines}</section>")
    html = _document(f"{count} controls", f"<h1>Orders</h1>{''.join(cards)}")
    return GeneratedPage(str(count), html, [control for _, control in made])


def _controls() -> Iterator[tuple[str, Control]]:
    """Without end: a control with what stands around it, and its role and name.

    One in eight has a <label>: Chromium looks for the label of each such field in the whole page when it first builds
    its accessibility tree, so that with labels everywhere that, quadratic, would be all that is measured.
    """
    number = 0
    while True:
        number += 1
        n = number
        yield f"<a href='/orders/{n}'>Details of order {n}</a> <span>shipped</span>", ("link", f"Details of order {n}")
        yield f"<span>pieces</span><input aria-label='Quantity {n}' value={n % 7}>", ("textbox", f"Quantity {n}")
        yield f"<label><input type=checkbox> Gift wrap {n}</label>", ("checkbox", f"Gift wrap {n}")
        options = "".join(f"<option>{word}</option>" for word in ("post", "courier", "collect"))
        yield f"<select aria-label='Delivery {n}'>{options}</select>", ("combobox", f"Delivery {n}")
        yield f"<input type=radio aria-label='Express {n}'> <em>in two days</em>", ("radio", f"Express {n}")
        yield f"<button type=button>Save order {n}</button>", ("button", f"Save order {n}")
        yield (
            f"<div class=button role=button tabindex=0><span>Print {n}</span></div><em>two pages</em>",
            ("button", f"Print {n}"),
        )
        yield f"<span>Item {n}</span><button type=button>Remove</button>", ("button", "Remove")


def article_page() -> GeneratedPage:
    """Return a long article as encyclopaedias have: sections, links in running text, tables, pictures, references."""
    draw = Random(SEED)
    controls: list[Control] = [("searchbox", "Search"), ("button", "Find")]
    head = "<header><form><input type=search aria-label=Search><button>Find</button></form></header>"
    titles = [f"{' '.join(draw.sample(WORDS[:40], 2)).capitalize()} {n}" for n in range(1, SECTIONS + 1)]
    entries = "".join(f"<li>{_link(f'#s{n}', title, controls)}</li>" for n, title in enumerate(titles, start=1))
    sections = "".join(_section(draw, n, title, controls) for n, title in enumerate(titles, start=1))
    references = "".join(_reference(draw, n, controls) for n in range(1, SECTIONS * MARKS_PER_SECTION + 1))
    body = (
        f"{head}<h1>The river valley</h1><nav aria-label=Contents><ol>{entries}</ol></nav>{sections}"
        f"<h2>References</h2><ol>{references}</ol>"
    )
    return GeneratedPage(ARTICLE, _document("The river valley", body), controls)


def _section(draw: Random, number: int, title: str, controls: list[Control]) -> str:
    paragraphs = []
    for at in range(PARAGRAPHS):
        sentences = [_sentence(draw) for _ in range(SENTENCES)]
        name = f"{draw.choice(WORDS)} of section {number}, part {at + 1}"
        sentences.insert(draw.randrange(SENTENCES), f"See {_link(f'#x{number}-{at}', name, controls)}.")
        if at < MARKS_PER_SECTION:
            mark = (number - 1) * MARKS_PER_SECTION + at + 1
            sentences.append(f"<sup>{_link(f'#ref{mark}', f'[{mark}]', controls)}</sup>")
        paragraphs.append(f"<p>{' '.join(sentences)}</p>")
    figure = (
        f"<figure><img src='{PIXEL}' alt='{_sentence(draw)}' width=160 height=110>"
        f"<figcaption>{_sentence(draw)}</figcaption></figure>"
    )
    rows = "".join(
        f"<tr><th>{draw.choice(WORDS)}</th><td>{draw.randrange(1000, 2000)}</td><td>{draw.randrange(100)} %</td></tr>"
        for _ in range(5)
    )
    table = f"<table><caption>{_sentence(draw)}</caption>{rows}</table>"
    extras = (figure if number % 2 else "") + (table if number % 3 == 0 else "")
    return f"<section><h2 id=s{number}>{title}</h2>{extras}{''.join(paragraphs)}</section>"


def _reference(draw: Random, number: int, controls: list[Control]) -> str:
    back = _link(f"#m{number}", f"^ {number}", controls)
    source = _link(f"#source{number}", f"Source {number}", controls) if number % 2 else f"Source {number}"
    return f"<li id=ref{number}>{back} {_sentence(draw)} <cite>{source}</cite></li>"


def _link(address: str, name: str, controls: list[Control]) -> str:
    controls.append(("link", name))
    return f"<a href='{address}'>{name}</a>"


def _sentence(draw: Random) -> str:
    return " ".join(draw.choices(WORDS, k=18)).capitalize() + "."


def _document(title: str, body: str) -> str:
    return f"<!doctype html><meta charset=utf-8><title>{title}</title><style>{STYLE}</style><body>{body}</body>"
