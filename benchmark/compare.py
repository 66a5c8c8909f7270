"""Compare runs on the same episodes: `python -m benchmark.compare results/runs/a results/runs/b:jev`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from rich.console import Console

from benchmark.command import TABLE_WIDTH, run_command, write_files
from benchmark.errors import UsageError
from benchmark.miniwob.tasks import BENCHMARK, task_infos
from benchmark.report import metrics
from benchmark.report.compared import (
    Comparison,
    Groups,
    measured,
    pair_up,
    per_group,
    per_task,
    side_by_side,
    times,
    verdict,
)
from benchmark.report.contenders import Contender, differences, in_common, pick, provenance_notes
from benchmark.report.paired import RESAMPLES, SEED

# Below this, a percentile bootstrap is known to be too narrow, down to no width at all.
ENOUGH_TASKS = 20

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

TIMES = "Seconds per episode, by part, and how episodes ended"
NOTES = (
    "Success is a reward above 0; full is a raw reward of at least 0.99. In brackets: 95 % intervals, Wilson's for "
    f"rates, and for differences a bootstrap over whole tasks ({RESAMPLES:,} resamples, seed {SEED}).",
    "McNemar's test takes pairs as independent, but seeds of one task are alike; where the two disagree, trust the "
    "interval.",
    "Episodes that infrastructure ended are in no rate; a pair with such a side is left out of the paired numbers.",
)


@app.command()
def compare(
    runs: Annotated[list[str], typer.Argument(help="Run folders, each as FOLDER, FOLDER:AGENT or FOLDER:AGENT:MODEL.")],
    out: Annotated[Path, typer.Option(help="Folder of compare.csv, compare.md and the tables per task and group.")] = (
        Path("results/compare")
    ),
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Compare runs that differ, on the episodes that all have.")
    ] = False,
    k: Annotated[int, typer.Option(min=0, help="The k of pass@k; 0 is the number of trials.")] = 0,
) -> int:
    """Compare each agent with the first on the same episodes; print the tables and a verdict for each pair."""
    contenders = pick(runs)
    differing = differences(contenders)
    if differing and not anyway:
        raise UsageError(
            f"These runs do not compare: {'; '.join(differing)}. Give runs of the same tasks, seeds and settings, or "
            "--anyway for the episodes that all have."
        )
    contenders = in_common(contenders)
    notes = [*_warnings(contenders, differing), *NOTES, *provenance_notes(contenders)]
    if len(contenders) > 2:
        notes.append("The p values are not corrected for the number of comparisons.")
    groups = _groups(contenders)
    if groups:
        notes.append("Mean of groups: each of BrowserGym's groups of similar tasks weighs the same (full in brackets).")
    comparisons = [pair_up(contenders[0], other) for other in contenders[1:]]
    frame = measured(contenders, comparisons, groups, k)
    _show(contenders, comparisons, frame, notes)
    _write(out, contenders, comparisons, frame, groups, notes)
    return 0


def _warnings(contenders: Sequence[Contender], differing: Sequence[str]) -> list[str]:
    shared = contenders[0].episodes
    warnings = []
    if differing:
        warnings.append(
            f"These runs differ: {'; '.join(differing)}. "
            f"Compared on the {len(shared)} episodes that all have (--anyway)."
        )
    tasks = len({episode[:2] for episode in shared})
    if tasks < ENOUGH_TASKS:
        warnings.append(f"From only {tasks} tasks, the intervals of the differences are too narrow.")
    return warnings


def _groups(contenders: Sequence[Contender]) -> Groups:
    """Return each MiniWoB task's group of variants; nothing for other benchmarks."""
    if all(benchmark == BENCHMARK for contender in contenders for benchmark, *_ in contender.episodes):
        return {info.name: info.group for info in task_infos()}
    return {}


def _title(contenders: Sequence[Contender]) -> str:
    episodes = contenders[0].episodes
    tasks = {episode[:2] for episode in episodes}
    return f"{', '.join(c.label for c in contenders)}: {len(episodes)} episodes of {len(tasks)} tasks each"


def _show(
    contenders: Sequence[Contender], comparisons: Sequence[Comparison], frame: pd.DataFrame, notes: Sequence[str]
) -> None:
    console = Console()
    console.width = max(console.width, TABLE_WIDTH)
    console.print(metrics.to_terminal(side_by_side(frame), _title(contenders)))
    console.print(metrics.to_terminal(times(frame), TIMES))
    for sentence in (*map(verdict, comparisons), *notes):
        console.print(sentence, markup=False, highlight=False, soft_wrap=True)


def _write(
    out: Path,
    contenders: Sequence[Contender],
    comparisons: Sequence[Comparison],
    frame: pd.DataFrame,
    groups: Groups,
    notes: Sequence[str],
) -> None:
    tasks, by_group = per_task(contenders, groups), per_group(contenders, groups)
    sections = {
        _title(contenders): metrics.to_markdown(side_by_side(frame)),
        "Pairs": _bullets([verdict(comparison) for comparison in comparisons]),
        TIMES: metrics.to_markdown(times(frame)),
        "Notes": _bullets(notes),
        "Success per group of similar tasks, in brackets at full reward": _wide(by_group, ["group", "tasks"]),
        "Success per task, in brackets at full reward": _wide(tasks, ["task"]),
    }
    tables = {"compare.csv": frame, "compare_tasks.csv": tasks, "compare_groups.csv": by_group}
    files = {"compare.md": _markdown(sections)}
    files |= {name: table.to_csv(index=False) for name, table in tables.items() if not table.empty}
    write_files(out, files)


def _wide(frame: pd.DataFrame, rows: Sequence[str]) -> str:
    """Return a Markdown table with one column for each contender."""
    if frame.empty:
        return ""
    cells = [
        "-" if pd.isna(success) else f"{success:.2f}" + ("" if pd.isna(full) else f" ({full:.2f})")
        for success, full in zip(frame["success"], frame["full"], strict=True)
    ]
    labels = list(dict.fromkeys(frame["label"]))
    wide = frame.assign(cell=cells).pivot(index=list(rows), columns="label", values="cell")[labels]
    return metrics.to_markdown(wide.reset_index())


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _markdown(sections: Mapping[str, str]) -> str:
    parts = [
        f"{'#' if at == 0 else '##'} {head}\n\n{text}\n" for at, (head, text) in enumerate(sections.items()) if text
    ]
    return "\n".join(parts)


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 compared, 1 damaged records, 2 wrong usage or no comparison."""
    return run_command(app, argv, "compare")


if __name__ == "__main__":
    raise SystemExit(main())
