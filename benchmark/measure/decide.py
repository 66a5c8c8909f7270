"""Decision models over the same frozen ticks: how fast each decides, how many options it takes, how often it is valid.

`make decide-bench` prints the table and writes results/bench/decide.json. A model that is not available is listed with
the reason.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from agent.decision_models import (
    CLIENTS,
    EMBEDDED,
    EMBEDDED_MODELS,
    REPLAY,
    AgentConfigError,
    make_decision_client,
    make_decision_model,
    resolved,
)
from agent.questions import build_request
from agent.tick import Tick
from benchmark.command import ALL_SCORED, TABLE_WIDTH, run_command
from benchmark.decisions.frozen_ticks import collect, read_ticks, write_ticks
from benchmark.errors import UsageError
from benchmark.miniwob.tasks import PACKAGES, parse_seeds, select_tasks
from benchmark.models.chat_options import ApiKeyEnv, BaseUrl
from benchmark.models.decision import decidable, model_options
from benchmark.models.decision_options import decision_options
from benchmark.records.provenance import provenance, write_figures
from llm.decision import DecisionError, InvalidAnswer

TICKS = Path("results/runs/decide-bench/ticks.jsonl.gz")
# Development seeds: on those of the tables nobody looks before they are measured.
TASKS, SEEDS = "quick", "100-101"
# Enough for a p95 that is not the slowest of twenty.
STATES = 60
# In-process models are asked once before the clock starts: their first answer loads and compiles.
WARM_UPS = 1
DEFAULT_MODELS = ",".join([EMBEDDED, *(name for name in CLIENTS if name != REPLAY)])

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

Row = dict[str, Any]
Ask = Callable[[Tick], str | None]
"""Asks for one decision and returns the name that answered; None where nothing had to be asked."""
# Which of the options go to which models; a name for the one would be no name of the other.
GIVEN = {"logprobs": ("model", "base_url", "api_key_env"), "laya": ("model",)}


@contextmanager
def asked(name: str, options: dict[str, Any]) -> Iterator[tuple[str, int | None, Ask]]:
    """Yield a model's full name, how many options it takes (None for any number), and how it is asked.

    Raises:
        UsageError, AgentConfigError: it is not available here, with the reason.
    """
    if name in EMBEDDED_MODELS:
        model = make_decision_model(name)

        def decide(tick: Tick) -> str:
            model.decide(tick)
            return model.name

        yield model.name, None, decide
        return
    chosen = {key: options[key] for key in GIVEN.get(name, ())}
    with decidable(decision_options("jev", name, chosen.pop("model", None), **chosen)) as ready:
        assert ready is not None
        client = make_decision_client(name, model_options(ready))

        def ask(tick: Tick) -> str | None:
            request = build_request(tick, client.max_options)
            return client.ask(request.state, request.questions).call.model if request.questions else None

        yield client.name, client.max_options, ask


def measure(ask: Ask, ticks: Iterable[Tick]) -> Row:
    """Return the counts and times of one model over these ticks; an invalid answer took its time too."""
    times: list[float] = []
    names: set[str] = set()
    ends = {"answered": 0, "invalid": 0, "no_decision": 0}
    for tick in ticks:
        started = time.perf_counter()
        try:
            answered_by = ask(tick)
            if answered_by is None:
                continue
            names.add(answered_by)
            end = "answered"
        except InvalidAnswer:
            end = "invalid"
        except DecisionError:
            end = "no_decision"
        times.append((time.perf_counter() - started) * 1000)
        ends[end] += 1
    judged = ends["answered"] + ends["invalid"]
    p50, p95 = (round(float(p), 2) for p in np.percentile(times, [50, 95])) if times else (None, None)
    valid = round(ends["answered"] / judged, 3) if judged else None
    found = {"asked": len(times), **ends, "valid": valid, "p50_ms": p50, "p95_ms": p95}
    return {"answered_by": sorted(names), **found}


def bench(name: str, ticks: Sequence[Tick], options: dict[str, Any], quiet: bool = False) -> Row:
    """Return the row of one model, or why there is none."""
    try:
        with asked(name, options) as (full_name, max_options, ask):
            measure(ask, ticks[:WARM_UPS])
            shown = track(ticks, description=full_name, console=Console(stderr=True), transient=True, disable=quiet)
            return {"name": full_name, "options": max_options, **measure(ask, shown)}
    except (UsageError, AgentConfigError) as error:
        return {"name": name, "unavailable": str(error)}


@app.command()
def run(
    models: Annotated[str, typer.Option(help="Names of decision models, by commas.")] = DEFAULT_MODELS,
    ticks: Annotated[Path, typer.Option(help="The frozen ticks; collected first where there are none.")] = TICKS,
    collect_only: Annotated[bool, typer.Option("--collect", help="Only collect the ticks, anew.")] = False,
    states: Annotated[int, typer.Option(min=1, help="How many ticks each model decides at most.")] = STATES,
    model: Annotated[
        str | None, typer.Option(help="The chat model of logprobs (local serves one), or laya's folder of weights.")
    ] = None,
    base_url: BaseUrl = None,
    api_key_env: ApiKeyEnv = None,
    out: Annotated[Path, typer.Option(help="Where the figures go.")] = Path("results/bench/decide.json"),
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> int:
    """Measure decision models on the same frozen ticks."""
    names = [resolved(name.strip()) for name in models.split(",")]
    if collect_only or not ticks.is_file():
        write_ticks(ticks, collect(select_tasks(TASKS), parse_seeds(SEEDS)))
    frozen = spread(read_ticks(ticks), states)
    if collect_only:
        typer.echo(f"{len(frozen)} ticks in {ticks}.")
        return ALL_SCORED
    options = {"model": model, "base_url": base_url, "api_key_env": api_key_env}
    rows = [bench(name, frozen, options, quiet) for name in names]
    made = provenance((*PACKAGES, "sparrow-decider", "typesafe-sdk"))
    result = {
        "command": f"python -m benchmark.measure.decide --models {models} --states {states}"
        + (f" --model {model}" if model else ""),
        "tasks": TASKS, "seeds": SEEDS, "ticks": len(frozen),
        "candidates_median": float(np.median([len(tick.candidates) for tick in frozen])),
        "models": rows,
    }  # fmt: skip
    write_figures(out, result, made)
    _print(result)
    return ALL_SCORED


def spread(ticks: Sequence[Tick], count: int) -> list[Tick]:
    """Return at most `count` of the ticks, evenly over all tasks."""
    step = max(1.0, len(ticks) / count)
    return [ticks[int(n * step)] for n in range(min(count, len(ticks)))]


def _print(result: dict[str, Any]) -> None:
    table = Table(title=f"Decisions over {result['ticks']} frozen ticks")
    for head in ("model", "answered by", "options", "asked", "valid", "p50 ms", "p95 ms", ""):
        table.add_column(head, justify="left" if head in ("model", "answered by", "") else "right")
    for row in result["models"]:
        if "unavailable" in row:
            table.add_row(row["name"], "", "", "", "", "", "", row["unavailable"])
            continue
        options = "any" if row["options"] is None else row["options"]
        failed = f"{row['no_decision']} gave no decision" if row["no_decision"] else ""
        cells = (
            row["name"],
            ", ".join(row["answered_by"]),
            options,
            row["asked"],
            row["valid"],
            row["p50_ms"],
            row["p95_ms"],
            failed,
        )
        table.add_row(*map(str, cells))
    console = Console()
    console.width = max(console.width, TABLE_WIDTH)
    console.print(table)


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, argv, "decide")


if __name__ == "__main__":
    raise SystemExit(main())
