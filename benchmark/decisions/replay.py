"""Make up a run's decisions again without a browser: `python -m benchmark.decisions.replay results/runs/miniwob`.

Says for each step whether its candidates and its request are equal to the stored ones, and what differs first; with
`--against`, whether the elements that were acted on are found again in another run.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from agent.history import quoted
from benchmark.command import run_command
from benchmark.decisions.fingerprints import find_again
from benchmark.decisions.rebuilt import difference
from benchmark.errors import UsageError
from benchmark.records.rows import StepRecord
from benchmark.records.store import STEPS, read_rows
from benchmark.records.ticks import TickRecord, read_run
from browser.observation import Observation

ALL_EQUAL = 0
SOME_DIFFER = 1

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

Place = tuple[str, str, int, int, int]
"""Benchmark, task, seed, trial and step: what two runs share."""


@app.command()
def replay(
    run: Annotated[Path, typer.Argument(help="The --out folder of a run with --keep-ticks.")],
    episode: Annotated[
        list[str] | None, typer.Option(help="TASK, TASK:SEED or an episode's id; again for more.")
    ] = None,
    against: Annotated[Path | None, typer.Option(help="Another such run, to find the acted-on elements in.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Only the steps that differ, and the count.")] = False,
) -> int:
    """Compare each stored decision with one made up again; exit 0 where all are equal, else 1."""
    ticks = read_run(run, episode or ())
    if against is not None:
        return _found(ticks, run, against, quiet)
    return _equal(ticks, run, quiet)


def _equal(ticks: Sequence[TickRecord], run: Path, quiet: bool) -> int:
    decided = [tick for tick in ticks if tick.decided is not None]
    if not decided:
        raise UsageError(
            f"No step in {run} was decided by a decision model, so that there is no request to make again."
        )
    differing = 0
    for tick in decided:
        what = difference(tick)
        differing += what is not None
        if what or not quiet:
            typer.echo(f"{_name(tick)}: {f'different: {what}' if what else 'equal'}")
    left = len(ticks) - len(decided)
    others = f" {left} more asked no decision model." if left else ""
    typer.echo(f"{len(decided) - differing} of {len(decided)} steps are equal.{others}")
    return SOME_DIFFER if differing else ALL_EQUAL


def _found(ticks: Sequence[TickRecord], run: Path, against: Path, quiet: bool) -> int:
    acted = {(row.episode_id, row.index): row for row in read_rows(run / STEPS, StepRecord)}
    others = _by_place(read_run(against))
    verdicts: Counter[str] = Counter()
    for tick, element_id in _on_elements(ticks, acted):
        other = others.get(_place(tick))
        found = find_again(element_id, tick.seen, other.seen if other else None)
        verdicts[found.verdict] += 1
        if found.verdict != "ok" or not quiet:
            said = f"[{element_id}] {_element(tick.seen, element_id)}: {found.verdict}"
            now = "" if found.element_id in (None, element_id) else f", now [{found.element_id}]"
            typer.echo(f"{_name(tick)}: {said}{now}{'' if other else ', there is no such step'}")
    if not verdicts:
        raise UsageError(f"No step in {run} acted on an element, so that there is none to find again.")
    typer.echo(f"{sum(verdicts.values())} elements: {', '.join(f'{name} {n}' for name, n in verdicts.most_common())}.")
    return ALL_EQUAL if set(verdicts) == {"ok"} else SOME_DIFFER


def _on_elements(
    ticks: Sequence[TickRecord], acted: Mapping[tuple[str, int], StepRecord]
) -> Iterator[tuple[TickRecord, int]]:
    """Yield the ticks whose action was on an element, with its number; a step that a kill cut off has no row."""
    for tick in ticks:
        step = acted.get((tick.episode_id, tick.index))
        element_id = getattr(step.action, "element_id", None) if step else None
        if element_id is not None:
            yield tick, element_id


def _element(page: Observation, element_id: int) -> str:
    element = page.element(element_id)
    return f"{element.role} {quoted(element.name)}" if element else "an element that is not there"


def _by_place(ticks: Sequence[TickRecord]) -> dict[Place, TickRecord]:
    """Return the ticks by what two runs share.

    Raises:
        UsageError: several attempts or agents share a place, so that there is no one page to look in.
    """
    places = {_place(tick): tick for tick in ticks}
    attempts = {(_place(tick)[:4], tick.episode_id) for tick in ticks}
    if len(attempts) != len({place for place, _ in attempts}):
        raise UsageError("The run to look in has several attempts at one episode; give one with a single agent.")
    return places


def _place(tick: TickRecord) -> Place:
    return tick.benchmark, tick.task, tick.seed, tick.trial, tick.index


def _name(tick: TickRecord) -> str:
    return f"{tick.task} seed {tick.seed}{f' trial {tick.trial}' if tick.trial else ''} step {tick.index}"


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 all equal, 1 not all, 2 wrong usage, 130 interrupted."""
    return run_command(app, argv, "replay")


if __name__ == "__main__":
    raise SystemExit(main())
