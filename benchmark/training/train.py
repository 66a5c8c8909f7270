"""Train the embedded model from nothing: `make train`, or `python -m benchmark.training.train --out FOLDER`.

In rounds: explore with what was learned so far, try again what failed, keep the episodes that had the full reward, fit.
Then the development seeds are played, by the weights and by the rules alone. What is done is not done again.
"""

import json
import shutil
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.embedded.scorer import SHIPPED
from benchmark import run_miniwob
from benchmark.command import INTERRUPTED, WRONG_USAGE, run_command
from benchmark.errors import UsageError
from benchmark.miniwob.table import read_figures
from benchmark.miniwob.tasks import ActionSet
from benchmark.running.jobs import Quiet, RecordFolder
from benchmark.training import collect
from benchmark.training.fit import Check, Choose, LeaveOut, Residual, Split, fit_runs
from benchmark.training.network import FitSettings

# Never the test seeds 0 to 4, nor those of training.
DEV_SEEDS = "100-104"
# Exploring does much that changes nothing, and a second look after each would be half of its time.
POLICY = "settle_unchanged=off"

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def run(
    out: RecordFolder = Path("results/runs/train"),
    rounds: Annotated[int, typer.Option(help="Of exploring and fitting.", min=1)] = 2,
    episodes: Annotated[int, typer.Option(help="Of each round, over all tasks.")] = 1800,
    tries: Annotated[int, typer.Option(help="At each seed of a round that was not solved.", min=1)] = 4,
    split: Split = "all",
    leave_out: LeaveOut = None,
    residual: Residual = False,
    choose_first: Choose = False,
    check: Check = True,
    actions: Annotated[ActionSet, typer.Option(help="What is offered.")] = "core",
    max_steps: Annotated[int, typer.Option(help="Actions an episode may take.", min=1)] = 10,
    workers: Annotated[int, typer.Option(help="Browsers at once; above 1 by Ray.")] = 1,
    ship: Annotated[bool, typer.Option("--ship", help="Make the weights those of the package.")] = False,
    quiet: Quiet = False,
) -> int:
    """Collect, fit and evaluate; the weights and their card are OUT/weights.npz and OUT/weights.json."""
    settings = FitSettings(residual=residual, leave_out=tuple(leave_out or ()))
    common = ["--workers", str(workers), "--actions", actions, "--max-steps", str(max_steps)]
    common += ["--quiet"] if quiet else []
    weights = out / "weights.npz"
    folders: list[Path] = []
    for n in range(1, rounds + 1):
        explores = [] if n == 1 else ["--decision-model", f"embedded-exploring:{out / f'weights-{n - 1}.npz'}"]
        explores += ["--tasks", split, "--policy", POLICY]
        for name, how in ((f"round-{n}", ["--episodes", str(episodes)]), (f"round-{n}-again", ["--retry", str(tries)])):
            after = [part for folder in folders for part in ("--after", str(folder))]
            finish(collect.main([*common, *explores, *how, *after, "--out", str(out / name)]))
            folders.append(out / name)
        last = n == rounds
        fit_apart(
            folders, weights if last else out / f"weights-{n}.npz", split, settings,
            choose_first=last and choose_first, check=last and check, quiet=quiet,
        )  # fmt: skip
    # Of the tasks that were not trained on, where some were not.
    tasks = "test" if split == "train" else split
    for model in (f"embedded:{weights}", "embedded-rules"):
        played = ["--tasks", tasks, "--seeds", DEV_SEEDS, "--out", str(out / "dev"), "--decision-model", model]
        finish(run_miniwob.main([*common, *played]))
    card = weights.with_suffix(".json")
    told = json.loads(card.read_text(encoding="utf-8")) | {
        "dev": {"tasks": tasks, "seeds": DEV_SEEDS, "models": read_figures(out / "dev")}
    }
    card.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    typer.echo(json.dumps(told["dev"], indent=2))
    if ship:
        for path in (weights, card):
            shutil.copyfile(path, SHIPPED.with_suffix(path.suffix))
    return 0


def fit_apart(*what: Any, **how: Any) -> None:
    """Do `fit_runs` in a process of its own: jax runs threads, beside which the next round's browsers must not fork."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        process.submit(fit_runs, *what, **how).result()


def finish(code: int) -> None:
    """Go on after a part that came to its end; a few episodes that infrastructure ended are not missed."""
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    if code == WRONG_USAGE:
        raise UsageError("A part of the training could not begin; what it said is above.")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 1 damaged records, 2 wrong usage, 130 interrupted."""
    return run_command(app, argv, "train")


if __name__ == "__main__":
    raise SystemExit(main())
