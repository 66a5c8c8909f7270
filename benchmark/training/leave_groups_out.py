"""The trained model on tasks like none it was trained on: `python -m benchmark.training.leave_groups_out RUN...`.

The groups of alike tasks are dealt into parts. For each part, weights are fitted to the episodes of all others, and
play the part's tasks on the development seeds. Every task is so played by weights that never saw its like. The rules
alone play the same episodes beside them; the figures of both are OUT/left_out.json. What is done is not done again.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from agent.embedded.scorer import save
from benchmark import run_miniwob
from benchmark.command import run_command
from benchmark.miniwob.table import Figures, figures_of
from benchmark.miniwob.tasks import SETS, ActionSet, select_tasks, task_infos
from benchmark.records.rows import EpisodeRecord, StepRecord
from benchmark.records.store import EPISODES, STEPS, read_rows
from benchmark.report.metrics import Group
from benchmark.running.jobs import Quiet, RecordFolder
from benchmark.training.fit import Residual
from benchmark.training.lessons import read_lessons, read_played
from benchmark.training.network import FitSettings, fit
from benchmark.training.train import DEV_SEEDS, finish

RULES = "embedded-rules"

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def run(
    folders: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folders that benchmark.training.collect filled.")
    ],
    out: RecordFolder = Path("results/runs/leave-groups-out"),
    tasks: Annotated[str, typer.Option(help=f"Names, globs and the sets {', '.join(SETS)}, by commas.")] = "all",
    parts: Annotated[int, typer.Option(help="How many parts the groups are dealt into.", min=2)] = 5,
    decay: Annotated[float, typer.Option(help="Weight decay of the fits.")] = FitSettings().decay,
    dropout: Annotated[float, typer.Option(help="Share of features hidden at random.")] = FitSettings().dropout,
    epochs: Annotated[int, typer.Option(help="Passes over all lessons.", min=1)] = FitSettings().epochs,
    residual: Residual = True,
    actions: Annotated[ActionSet, typer.Option(help="What is offered.")] = "core",
    max_steps: Annotated[int, typer.Option(help="Actions an episode may take.", min=1)] = 10,
    workers: Annotated[int, typer.Option(help="Browsers at once; above 1 by Ray.")] = 1,
    quiet: Quiet = False,
) -> int:
    """Fit without each part, play it, play all by the rules, and print the rates of both."""
    chosen = select_tasks(tasks)
    infos = [info for info in task_infos() if info.name in chosen]
    played = read_played(folders, chosen)
    lessons = read_lessons(played)
    groups = sorted({info.group for info in infos})
    settings = FitSettings(decay=decay, dropout=dropout, epochs=epochs, residual=residual)
    common = ["--seeds", DEV_SEEDS, "--workers", str(workers), "--actions", actions, "--max-steps", str(max_steps)]
    common += ["--quiet"] if quiet else []
    parted: list[Path] = []
    for part in range(parts):
        left_out = {info.name for info in infos if info.group in groups[part::parts]}
        fitted = fit([lesson for lesson in lessons if lesson.task not in left_out], settings)
        weights, folder = out / f"without-{part}.npz", out / f"part-{part}"
        save(weights, fitted.arrays, fitted.names)
        play = ["--decision-model", f"embedded:{weights}", "--tasks", ",".join(sorted(left_out))]
        finish(run_miniwob.main([*common, *play, "--out", str(folder)]))
        parted.append(folder)
    finish(run_miniwob.main([*common, "--decision-model", RULES, "--tasks", tasks, "--out", str(out / "rules")]))
    figures = [_figures(parted, "fitted without its like"), _figures([out / "rules"], RULES)]
    typer.echo(json.dumps(figures, indent=2))
    told = {"settings": settings.model_dump(mode="json"), "parts": parts, "seeds": DEV_SEEDS, "models": figures}
    (out / "left_out.json").write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    return 0


def _figures(folders: Sequence[Path], model: str) -> Figures:
    """Return the figures of all episodes of these runs as of one model."""
    latest = {record.key: record for folder in folders for record in read_rows(folder / EPISODES, EpisodeRecord)}
    steps = [step for folder in folders for step in read_rows(folder / STEPS, StepRecord)]
    made_with = sorted({str(record.git_commit) for record in latest.values()})
    return figures_of(Group(model, model, list(latest.values())), steps) | {"git_commits": made_with}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 1 damaged records, 2 wrong usage, 130 interrupted."""
    return run_command(app, argv, "leave_groups_out")


if __name__ == "__main__":
    raise SystemExit(main())
