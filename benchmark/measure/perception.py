"""Time and size of one look, beside BrowserGym's observation of the same page: alternating, in the same browser.

`make bench-perception` prints the tables and writes results/bench/perception.json.
"""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmark.command import TABLE_WIDTH, run_command
from benchmark.errors import UsageError
from benchmark.measure.perception_pages import ARTICLE, SIZES, generated_pages
from benchmark.measure.perception_size import generated_sizes, halved, miniwob_sizes, solved
from benchmark.measure.perception_time import KINDS, growth, measured, ratios
from benchmark.miniwob.tasks import PACKAGES
from benchmark.records.provenance import provenance, write_figures
from browser.session import BrowserSession

# BrowserGym takes many seconds for the largest page: past this a page gets no more rounds than LEAST_ROUNDS.
PAGE_S = 90.0

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def run(
    rounds: Annotated[int, typer.Option(help="Turns at each page, of up to five looks of each kind.", min=1)] = 8,
    pages: Annotated[str, typer.Option(help="Controls of the generated pages, or article, by commas.")] = "",
    miniwob: Annotated[bool, typer.Option(help="Compare sizes on MiniWoB tasks too.")] = True,
    out: Annotated[Path, typer.Option(help="Where the figures go.")] = Path("results/bench/perception.json"),
) -> int:
    """Measure both and print times, ratios, growth and sizes."""
    wanted = _wanted(pages)
    made = provenance(PACKAGES)
    chosen = [page for page in generated_pages() if page.name in wanted]
    with BrowserSession() as session:
        times = {p.name: measured(session, p, rounds, PAGE_S) for p in track(chosen, description="times")}
        read = [p for p in chosen if p.controls and not times[p.name]["gave_up"]]
        sizes = {p.name: generated_sizes(session, p) for p in track(read, description="sizes")}
        if miniwob:
            sizes |= miniwob_sizes(session)
        result = {
            "command": f"python -m benchmark.measure.perception --rounds {rounds}"
            + (f" --pages {pages}" if pages else "")
            + ("" if miniwob else " --no-miniwob"),
            "times": times,
            "ratio": {name: ratios(row) for name, row in times.items() if row["controls"]},
            "growth": growth(times),
            "sizes": sizes,
            "size_ratio": halved(sizes),
            "solved_through_the_table": solved(session) if miniwob else None,
        }
        browser = session.browser_version
    write_figures(out, result, made, browser=browser)
    _print(result)
    return 0


def _wanted(pages: str) -> set[str]:
    known = [*map(str, SIZES), ARTICLE]
    names = [name.strip() for name in pages.split(",") if name.strip()] or known
    if unknown := [name for name in names if name not in known]:
        raise UsageError(f"There is no generated page {unknown[0]!r}; there are {', '.join(known)}.")
    return set(names)


def _print(result: dict[str, Any]) -> None:
    console = Console()
    console.width = max(console.width, TABLE_WIDTH)
    table = Table(title="Milliseconds of one look: median / p95; ratios of medians, BrowserGym without its picture")
    columns = ("controls", "probe", "n", "typed", "default limits", "BrowserGym", "n", "with picture", "ratio", "typed")
    for column in columns:
        table.add_column(column, justify="right")
    for name, row in result["times"].items():
        ratio = result["ratio"].get(name)
        n, theirs = (str(row[kind]["n"]) if row[kind] else "0" for kind in ("probe", "browsergym"))
        ours = [_figure(row[kind]) for kind in KINDS]
        figures = [ours[0], n, *ours[1:4], theirs, ours[4]]
        table.add_row(name, *figures, *(f"{ratio[k]}x" if ratio else "" for k in ("probe", "typed")))
    console.print(table)
    for row in result["times"].values():
        if row["gave_up"]:
            console.print(row["gave_up"])
    for line in result["growth"]:
        console.print(
            f"{line['from']} to {line['to']} controls: {line['us_per_control'][0]} to {line['us_per_control'][1]} us "
            f"each above an empty page's look, exponent {line['exponent']}"
        )
    table = Table(title="Tokens by characters: the whole table, with default limits, and BrowserGym's tree")
    for column in ("page", "controls missing", "table", "default", "tree", "table / tree"):
        table.add_column(column, justify="right")
    for name, row in result["sizes"].items():
        figures = [row["missing"], row["table"], row["rendered_within_default_limits"], row["tree"], row["ratio"]]
        table.add_row(name, *("" if figure is None else str(figure) for figure in figures))
    console.print(table)
    console.print(f"table / tree: {result['size_ratio']}; solved: {result['solved_through_the_table']}")


def _figure(row: dict[str, Any] | None) -> str:
    return f"{row['median']} / {row['p95']}" if row else "none"


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, argv, "perception")


if __name__ == "__main__":
    raise SystemExit(main())
