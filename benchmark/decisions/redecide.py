"""Ask other decision models over a run's frozen ticks: `python -m benchmark.decisions.redecide RUN --model sparrow`.

A model is a decision model's name, and after a colon which one of its service: `logprobs:local`, `typesafe:jev-1.13.0`.
No browser: each model gets the page, the goal, the past and the candidates of each step as the run had them.
"""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer
from rich.console import Console
from rich.progress import Progress

from agent.decision_model import DecisionModel
from agent.decision_models import DECISION_MODELS, EMBEDDED_MODELS, resolved
from benchmark.command import TABLE_WIDTH, run_command, write_files
from benchmark.decisions.redecided import between_models, per_model, per_tick, redecide
from benchmark.errors import UsageError
from benchmark.models.chat_options import ApiKeyEnv, BaseUrl, PriceFile, Temperature
from benchmark.models.decision import OpenedDecisions, decidable
from benchmark.models.decision_options import TAKES, DecisionDeadline, DecisionOptions, decision_options
from benchmark.records.provenance import provenance
from benchmark.records.rows import EpisodeRecord
from benchmark.records.store import EPISODES, read_rows
from benchmark.records.ticks import TickRecord, read_run
from benchmark.report import metrics

NOTES = (
    "same_choice: the same operation, element and value as the run's own decision; that is agreement, not success, "
    "and only on episodes that were solved is it evidence of a right step.",
    "Each tick is of a page that the run's own decisions led to; another model would have led to other pages.",
)

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def run(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The --out folder of a run with --keep-ticks.")],
    model: Annotated[list[str], typer.Option(help=f"{', '.join(DECISION_MODELS)}, or NAME:MODEL; again for more.")],
    episode: Annotated[
        list[str] | None, typer.Option(help="TASK, TASK:SEED or an episode's id; again for more.")
    ] = None,
    limit: Annotated[int, typer.Option(help="At most so many ticks, evenly out of all; 0 is all.", min=0)] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder of the tables; RUN/redecide without it.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
    base_url: BaseUrl = None,
    api_key_env: ApiKeyEnv = None,
    temperature: Temperature = 0.0,
    prices: PriceFile = None,
    decision_deadline: DecisionDeadline = None,
) -> int:
    """Let models decide a run's ticks anew, and print how they agree with the run and with each other."""
    names = list(dict.fromkeys(model))
    chosen_options = _options(
        names, base_url=base_url, api_key_env=api_key_env, temperature=temperature, prices=prices,
        decision_deadline=decision_deadline,
    )  # fmt: skip
    ticks = [tick for tick in read_run(folder, episode or ()) if tick.decided and tick.decided.tick.candidates]
    if not ticks:
        raise UsageError(f"No step in {folder} was decided by a decision model; give a run of one.")
    chosen = _evenly(ticks, limit)
    solved = {row.episode_id for row in read_rows(folder / EPISODES, EpisodeRecord) if row.reward > 0}
    with _opened(chosen_options) as models, Progress(console=Console(stderr=True), disable=quiet) as bar:
        line = bar.add_task("ticks", total=len(chosen))
        rows = redecide(chosen, models, solved, lambda: bar.advance(line))
    one, two = per_model(rows, names), between_models(rows, names)
    notes = [f"Decided in the run by {', '.join(_deciders(chosen))}: {len(chosen)} of {len(ticks)} ticks.", *NOTES]
    _show(one, two, notes)
    _write(out or folder / "redecide", one, two, per_tick(rows), _provenance(folder, chosen, models, limit, notes))
    return 0


def _options(names: Sequence[str], **chosen: Any) -> dict[str, DecisionOptions]:
    """Return the options of each model; those for a service go to the models that take them.

    Raises:
        AgentConfigError: no such decision model.
        UsageError: an option that none of them takes, or a model that it does not have.
    """
    options: dict[str, DecisionOptions] = {}
    for text in names:
        name, _, model = text.partition(":")
        if name in EMBEDDED_MODELS:
            name, model = text, ""
        else:
            name = resolved(name)
        if name == "logprobs" and not model:
            raise UsageError(
                "The decision model logprobs asks a chat model: name it as logprobs:NAME or logprobs:local."
            )
        taken = {key: value for key, value in chosen.items() if key in TAKES.get(name, ())}
        made = decision_options("jev", name, model or None, **taken)
        assert made is not None, "jev asks a decision model"
        options[text] = made
    for key, value in chosen.items():
        idle = not any(key in TAKES[made.name] for made in options.values())
        if idle and value not in (None, 0.0):
            raise UsageError(f"--{key.replace('_', '-')} has no meaning for {', '.join(names)}; leave it out.")
    return options


@contextmanager
def _opened(options: Mapping[str, DecisionOptions]) -> Iterator[dict[str, DecisionModel]]:
    """Yield the models by name; a local chat model is served for as long as the block runs.

    Raises:
        AgentConfigError: one is not installed, or has an address, a key or weights that are none.
        UsageError: no key, no weights, or a server that does not start.
    """
    with ExitStack() as running:
        models: dict[str, DecisionModel] = {}
        for name, chosen in options.items():
            ready = running.enter_context(decidable(chosen))
            assert ready is not None
            models[name] = OpenedDecisions(ready).model
        yield models


def _evenly(ticks: Sequence[TickRecord], limit: int) -> list[TickRecord]:
    if limit == 0 or limit >= len(ticks):
        return list(ticks)
    return [ticks[n * len(ticks) // limit] for n in range(limit)]


def _deciders(ticks: Sequence[TickRecord]) -> list[str]:
    return sorted({str(tick.config.get("model")) for tick in ticks})


def _provenance(
    folder: Path, ticks: Sequence[TickRecord], models: dict[str, DecisionModel], limit: int, notes: Sequence[str]
) -> dict[str, object]:
    made = provenance(("numpy",))
    options = [part for name in models for part in ("--model", name)] + (["--limit", str(limit)] if limit else [])
    return {
        "command": f"python -m benchmark.decisions.redecide RUN {shlex.join(options)}",
        "run": folder.resolve().name,
        "ticks": len(ticks),
        "episodes": len({tick.episode_id for tick in ticks}),
        "decided_by": _deciders(ticks),
        "models": {name: model.name for name, model in models.items()},
        "notes": list(notes),
        "git_commit": made.git_commit,
        "git_dirty": made.git_dirty,
        "versions": made.versions,
    }


def _show(one: pd.DataFrame, two: pd.DataFrame, notes: Sequence[str]) -> None:
    console = Console()
    console.width = max(console.width, TABLE_WIDTH)
    console.print(metrics.to_terminal(_readable(one), "Each model on the run's ticks"))
    if not two.empty:
        console.print(metrics.to_terminal(_readable(two), "Pairs of models"))
    for note in notes:
        console.print(note, markup=False, highlight=False, soft_wrap=True)


def _readable(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with rounded numbers, and an empty cell where there is none."""
    return frame.map(lambda cell: "" if pd.isna(cell) else f"{cell:.3f}" if isinstance(cell, float) else str(cell))


def _write(out: Path, one: pd.DataFrame, two: pd.DataFrame, ticks: pd.DataFrame, made: dict[str, object]) -> None:
    files = {"redecide.csv": one.to_csv(index=False), "redecide_ticks.csv": ticks.to_csv(index=False)}
    files |= {} if two.empty else {"redecide_pairs.csv": two.to_csv(index=False)}
    tables = {
        "per_model": json.loads(one.to_json(orient="records")),
        "pairs": json.loads(two.to_json(orient="records")),
    }
    files["redecide.json"] = json.dumps(made | tables, indent=2) + "\n"
    write_files(out, files)


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 1 damaged records, 2 wrong usage, 130 interrupted."""
    return run_command(app, argv, "redecide")


if __name__ == "__main__":
    raise SystemExit(main())
