"""Fit the embedded model to collected episodes: `python -m benchmark.training.fit RUN... --out FILE`. No browser.

Writes FILE, for --decision-model embedded:FILE, and beside it the model card's data as JSON.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from agent.embedded.scorer import Scorer, feature_hash, save
from benchmark.command import run_command
from benchmark.miniwob.tasks import SETS, select_tasks, task_infos
from benchmark.records.provenance import provenance
from benchmark.training.held_out import Measured, choose, folds, mean
from benchmark.training.lessons import Lesson, Played, read_lessons, read_played, worth_imitating
from benchmark.training.network import GROUPS, FitSettings, Fitted, fit

FOLDS = 5
# What --choose tries, from the lightest hand on the rules to the heaviest; of equals the first is taken.
CHOICES = (
    FitSettings(avoid=0.0, epochs=12, residual=False),
    FitSettings(avoid=0.0, epochs=8, decay=1.0, dropout=0.4, leave_out=("goal", "place", "tick")),
    FitSettings(avoid=0.0, epochs=12, decay=0.2, dropout=0.25, leave_out=("goal", "place", "tick")),
    FitSettings(avoid=0.0, epochs=12, decay=0.2, dropout=0.25),
)

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
Split = Annotated[str, typer.Option("--split", help=f"Whose episodes: task names, or the sets {', '.join(SETS)}.")]
LeaveOut = Annotated[list[str] | None, typer.Option(help=f"Features not to read: {', '.join(GROUPS)}; again for more.")]
Also = Annotated[
    list[Path] | None, typer.Option(help="A run of other pages, such as benchmark.forms.run --keep-ticks; again.")
]
Choose = Annotated[
    bool, typer.Option("--choose", help="First try several settings on alike tasks held out, and take the best.")
]

Check = Annotated[
    bool, typer.Option("--check/--no-check", help="Also fit without each fifth of the seeds, and say how that does.")
]

Residual = Annotated[
    bool, typer.Option("--residual/--no-residual", help="Correct the rules' choices, or only judge how sure they are.")
]


@app.command()
def run(
    folders: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folders that benchmark.training.collect filled.")
    ],
    out: Annotated[Path, typer.Option(help="The file of weights to write.")],
    split: Split = "all",
    also: Also = None,
    leave_out: LeaveOut = None,
    choose_first: Choose = False,
    epochs: Annotated[int | None, typer.Option(help="Passes over all lessons.", min=1)] = None,
    decay: Annotated[float | None, typer.Option(help="Weight decay: more of it stays nearer to the rules.")] = None,
    dropout: Annotated[float | None, typer.Option(help="Share of features hidden at random.", min=0, max=0.9)] = None,
    avoid: Annotated[float | None, typer.Option(help="Weight of choices that ended an episode in vain.")] = None,
    judge: Annotated[float | None, typer.Option(help="Weight of the judgement of success.")] = None,
    residual: Residual = False,
    hidden: Annotated[int | None, typer.Option(help="Width of the network.", min=1)] = None,
    seed: Annotated[int, typer.Option(help="Of the network's start and of its batches.")] = 0,
    check: Check = True,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> int:
    """Fit weights and write them with their card."""
    stated: dict[str, Any] = {
        "epochs": epochs, "decay": decay, "dropout": dropout, "avoid": avoid, "judge": judge, "hidden": hidden,
        "leave_out": tuple(leave_out) if leave_out else None,
    }  # fmt: skip
    settings = FitSettings(
        seed=seed, residual=residual, **{key: value for key, value in stated.items() if value is not None}
    )
    fit_runs(folders, out, split, settings, also=also or (), choose_first=choose_first, check=check, quiet=quiet)
    return 0


def fit_runs(
    folders: Sequence[Path], out: Path, split: str, settings: FitSettings, *, also: Sequence[Path] = (),
    choose_first: bool = False, check: bool = True, quiet: bool = False,
) -> Scorer:  # fmt: skip
    """Fit to the episodes of these folders, write weights and card, and return the weights.

    Those of `also` are fitted to, but never held out: what is measured is measured on the others.

    Raises:
        UsageError: no episodes, nothing to imitate, no such task or group, or jax is not installed.
    """
    tasks = select_tasks(split)
    played = read_played(folders, tasks)
    with Progress(console=Console(stderr=True), disable=quiet) as bar:
        line = bar.add_task("reading", total=len(played))
        lessons = read_lessons(played, lambda: bar.advance(line))
    typer.echo(f"{len(lessons)} decisions of {len(played)} episodes.")
    others = read_lessons(read_played(also)) if also else []
    tried: list[dict[str, Any]] = []
    if choose_first:
        groups = {info.name: info.group for info in task_infos()}

        def tell(candidate: FitSettings, result: Measured) -> None:
            tried.append({"settings": candidate.model_dump(mode="json"), "held_out": result.model_dump(mode="json")})
            typer.echo(f"{candidate.model_dump_json()}: {result.model_dump_json()}")

        settings = choose(lessons, CHOICES, lambda lesson: groups[lesson.task], FOLDS, tell, others)
    held = mean(folds(lessons, settings, lambda lesson: lesson.seed, FOLDS, others)) if check else None
    fitted = fit([*lessons, *others], settings, lambda epoch, loss: typer.echo(f"epoch {epoch}: {loss:.4f}"))
    save(out, fitted.arrays, fitted.names)
    scorer = Scorer(fitted.arrays, fitted.names)
    card = _card(played, lessons, split, settings, fitted, scorer, held, tried) | {
        "decisions_of_other_pages": len(others)
    }
    out.with_suffix(".json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    typer.echo(f"Written to {out} ({out.stat().st_size // 1024} KB): {scorer.digest}; held out: {held}")
    return scorer


def _card(
    played: Sequence[Played], lessons: Sequence[Lesson], split: str, settings: FitSettings, fitted: Fitted,
    scorer: Scorer, held: Measured | None, tried: Sequence[dict[str, Any]],
) -> dict[str, Any]:  # fmt: skip
    """Return what a reader must know of weights; it names no task."""
    made = provenance(("numpy", "jax", "optax"))
    seeds = [one.record.seed for one in played]
    return {
        "weights": scorer.digest,
        "features": len(fitted.names),
        "feature_hash": feature_hash(fitted.names),
        "parameters": sum(int(array.size) for array in fitted.arrays.values()),
        "prior": float(fitted.arrays["prior"]),
        "settings": settings.model_dump(mode="json"),
        "data": {
            "benchmark": played[0].record.benchmark,
            "tasks": split,
            "tasks_seen": len({one.record.task for one in played}),
            "tasks_solved": len({one.record.task for one in played if one.solved}),
            "seeds": [min(seeds), max(seeds)],
            "episodes": len(played),
            "solved": sum(one.solved for one in played),
            "imitated": len(worth_imitating(played)),
            "decisions": len(lessons),
            "action_sets": sorted({str(_environment(one).get("action_set")) for one in played}),
            "played_by": sorted({name for one in played for name in one.record.models}),
        },
        "loss": fitted.loss,
        "held_out_seeds": None if held is None else held.model_dump(mode="json"),
        "tried_on_held_out_groups": list(tried),
        "git_commit": made.git_commit,
        "git_dirty": made.git_dirty,
        "versions": made.versions,
    }


def _environment(one: Played) -> dict[str, Any]:
    settings = one.record.settings["environment"]
    return settings if isinstance(settings, dict) else {}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 1 damaged records, 2 wrong usage."""
    return run_command(app, argv, "fit")


if __name__ == "__main__":
    raise SystemExit(main())
