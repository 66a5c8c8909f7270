"""How well probabilities tell successes from failures: `python -m benchmark.report.calibration RUN`. Knows no task.

An episode is as sure as the least sure of its decisions.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer
from scipy.stats import rankdata

from benchmark.command import run_command
from benchmark.errors import UsageError
from benchmark.records.rows import EpisodeRecord, StepRecord
from benchmark.records.store import EPISODES, STEPS, read_rows
from benchmark.report.metrics import by_model

EDGES = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 1.0)

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


class Surety(NamedTuple):
    """An episode's smallest probability of a choice, and whether the episode was solved."""

    least: float
    solved: bool


def surety(episodes: Iterable[EpisodeRecord], steps: Iterable[StepRecord]) -> list[Surety]:
    """Return the surety of each scored episode in which something was decided; solved is the full reward."""
    least: dict[str, float] = {}
    for step in steps:
        if step.detail is not None:
            known = least.get(step.episode_id, 1.0)
            least[step.episode_id] = min(known, step.detail.probability)
    return [
        Surety(least[episode.episode_id], bool(episode.full_reward))
        for episode in episodes
        if episode.scored and episode.episode_id in least
    ]


def auc(pairs: Sequence[Surety]) -> float | None:
    """Return how often a solved episode was surer than a failed one, ties counting half; None without both kinds."""
    solved = np.array([pair.solved for pair in pairs], dtype=bool)
    wins, losses = int(solved.sum()), int((~solved).sum())
    if not wins or not losses:
        return None
    ranks = rankdata([pair.least for pair in pairs])
    return float((ranks[solved].sum() - wins * (wins + 1) / 2) / (wins * losses))


def ranges(pairs: Sequence[Surety]) -> list[tuple[str, int, float]]:
    """Return for each range of surety its name, how many episodes fell into it, and the share that was solved."""
    rows = []
    for low, high in zip(EDGES, EDGES[1:], strict=False):
        inside = [pair.solved for pair in pairs if low <= pair.least < high or pair.least == high == EDGES[-1]]
        if inside:
            rows.append((f"{low:g}-{high:g}", len(inside), sum(inside) / len(inside)))
    return rows


@app.command()
def run(folder: Annotated[Path, typer.Argument(metavar="RUN", help="The --out folder of a run.")]) -> int:
    """Print for each agent and model of a run how its surety ranks its episodes."""
    latest = {record.key: record for record in read_rows(folder / EPISODES, EpisodeRecord)}
    if not latest:
        raise UsageError(f"{folder} holds no episodes; give the --out folder of a run.")
    steps = list(read_rows(folder / STEPS, StepRecord))
    for group in by_model(list(latest.values())):
        pairs = surety(group.records, steps)
        if not pairs:
            continue
        value = auc(pairs)
        said = "all alike" if value is None else f"AUC {value:.3f}"
        typer.echo(f"{group.records[0].agent}, {group.decider}: {said} over {len(pairs)} episodes")
        for name, episodes, share in ranges(pairs):
            typer.echo(f"  {name}: {share:.2f} solved of {episodes}")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 1 damaged records, 2 wrong usage."""
    return run_command(app, argv, "calibration")


if __name__ == "__main__":
    raise SystemExit(main())
