"""Who reaches what on MiniWoB's sets of tasks: `python -m benchmark.miniwob.table RUN [RUN...]`. No browser, no model.

For each model the rates over all tasks played, over the sets of tasks that others publish, the mean over groups of
alike tasks, how well its surety ranks its episodes, and what a decision takes.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from rich.console import Console

from benchmark.command import TABLE_WIDTH, run_command
from benchmark.errors import UsageError
from benchmark.miniwob.tasks import TaskInfo, task_infos
from benchmark.records.rows import EpisodeRecord, StepRecord
from benchmark.records.store import EPISODES, STEPS, read_rows
from benchmark.report import metrics
from benchmark.report.calibration import auc, surety
from benchmark.report.metrics import Group, by_model

# By what others publish; BrowserGym's test split is what an agent trained on its train split has not met.
SUBSETS: dict[str, Callable[[TaskInfo], bool]] = {
    "webgum": lambda info: info.webgum,
    "train": lambda info: info.split == "train",
    "test": lambda info: info.split == "test",
}

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
Figures = dict[str, Any]


@app.command()
def run(
    folders: Annotated[list[Path], typer.Argument(metavar="RUN...", help="The --out folders of runs of run_miniwob.")],
    out: Annotated[Path | None, typer.Option(help="A JSON file for the same figures.")] = None,
) -> int:
    """Print a column for each agent and model."""
    rows = [figures for folder in folders for figures in read_figures(folder)]
    if not rows:
        raise UsageError(f"No episodes are in {', '.join(map(str, folders))}; give the --out folders of runs.")
    console = Console()
    console.width = max(console.width, TABLE_WIDTH)
    table = pd.DataFrame([{key: _shown(value) for key, value in row.items()} for row in rows]).T
    table = table.rename_axis("").reset_index()
    table.columns = ["", *(str(n) for n in range(1, len(rows) + 1))]
    console.print(metrics.to_terminal(table, "Success by BrowserGym's reward, and by the full reward"))
    if out is not None:
        try:
            out.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"Cannot write {out}: {error.strerror}; give another --out.") from None
    return 0


def _shown(value: object) -> str:
    return "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def read_figures(folder: Path) -> list[Figures]:
    """Return the figures of each agent and model of a run."""
    latest = {record.key: record for record in read_rows(folder / EPISODES, EpisodeRecord)}
    steps = list(read_rows(folder / STEPS, StepRecord))
    return [figures_of(group, steps) for group in by_model(list(latest.values()))]


def figures_of(group: Group, steps: Sequence[StepRecord]) -> Figures:
    """Return the figures of one model's episodes: rates are None where no episode is in their set."""
    scored = [record for record in group.records if record.scored]
    infos = {info.name: info for info in task_infos()}
    known = [record for record in scored if record.task in infos]
    found: Figures = {
        "agent": group.records[0].agent,
        "model": group.decider,
        "episodes": len(scored),
        "unscored": len(group.records) - len(scored),
        **_rates("", scored),
    }
    for name, belongs in SUBSETS.items():
        found |= _rates(f"{name}_", [record for record in known if belongs(infos[record.task])])
    groups = sorted({infos[record.task].group for record in known})
    alike = [_rates("", [record for record in known if infos[record.task].group == group]) for group in groups]
    times = [ms for record in scored for ms in record.decisions_ms]
    return found | {
        "groups": len(groups),
        "group_success": float(np.mean([one["success"] for one in alike])) if alike else None,
        "group_full": float(np.mean([one["full"] for one in alike])) if alike else None,
        "auc": auc(surety(scored, steps)),
        "p50_ms": float(np.percentile(times, 50)) if times else None,
        "p95_ms": float(np.percentile(times, 95)) if times else None,
    }


def _rates(prefix: str, records: Sequence[EpisodeRecord]) -> Figures:
    if not records:
        return {f"{prefix}success": None, f"{prefix}full": None}
    return {
        f"{prefix}success": sum(record.reward > 0 for record in records) / len(records),
        f"{prefix}full": sum(bool(record.full_reward) for record in records) / len(records),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 1 damaged records, 2 wrong usage."""
    return run_command(app, argv, "table")


if __name__ == "__main__":
    raise SystemExit(main())
