"""Finished runs as pandas: one row per episode, from any number of run folders. Reads only; knows no benchmark."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from benchmark.errors import UsageError
from benchmark.records.rows import EpisodeRecord
from benchmark.records.store import EPISODES, read_rows
from benchmark.report.metrics import by_model

COLUMNS = (
    "benchmark", "task", "seed", "trial", "agent", "model", "run", "end", "scored", "reward", "full_reward", "steps",
    "input_tokens", "cached_tokens", "output_tokens", "cost_usd", "seconds", "reset_ms", "act_ms", "settle_ms",
    "probe_ms", "validate_ms", "decide_ms", "goal", "error", "models", "settings_hash", "started_at", "git_commit",
    "episode_id",
)  # fmt: skip
# pandas' own integers would turn into floats as soon as one is missing.
INTEGERS = ("seed", "trial", "steps", "input_tokens", "cached_tokens", "output_tokens")
FLOATS = (
    "reward", "full_reward", "cost_usd", "seconds", "reset_ms", "act_ms", "settle_ms", "probe_ms", "validate_ms",
    "decide_ms",
)  # fmt: skip


def load_runs(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Return one row per episode of these run folders, the latest of each job; `COLUMNS` names the columns.

    `run` is the folder's name, or its path where two names are equal. `model` is the one that decided: that answered
    first in the episode or, where none did, in most of the same experiment; else "none". What is unknown is missing,
    never 0. Times in `_ms` are sums over an episode.

    Raises:
        UsageError: a folder that holds no episodes.
        RecordDamaged: a line that is not a record.
    """
    folders = [Path(path) for path in paths]
    rows = [
        _row(record, run, group.decider)
        for folder, run in zip(folders, run_names(folders), strict=True)
        for group in by_model(read_episodes(folder))
        for record in group.records
    ]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    return frame.astype(dict.fromkeys(INTEGERS, "Int64") | dict.fromkeys(FLOATS, "float64"))


def read_episodes(folder: Path) -> list[EpisodeRecord]:
    """Return the latest row of each job, in order of their first rows.

    Raises:
        UsageError: the folder holds no episodes.
        RecordDamaged: a line that is not a record.
    """
    try:
        latest = {row.key: row for row in read_rows(folder / EPISODES, EpisodeRecord)}
    except OSError as error:
        raise UsageError(f"Cannot read {folder / EPISODES}: {error.strerror}; give another folder.") from None
    if not latest:
        raise UsageError(f"{folder} holds no {EPISODES} with episodes; give the --out folder of a run.")
    return list(latest.values())


def run_names(folders: Sequence[Path]) -> list[str]:
    """Return each folder's name, or its path where another folder has the same name."""
    names = Counter(folder.resolve().name for folder in dict.fromkeys(folders))
    return [folder.resolve().name if names[folder.resolve().name] == 1 else str(folder) for folder in folders]


def _row(record: EpisodeRecord, run: str, model: str) -> dict[str, object]:
    own: dict[str, object] = {
        "model": model, "run": run, "scored": record.scored, "decide_ms": record.decide_ms,
        "models": ", ".join(record.models),
    }  # fmt: skip
    return {name: own[name] if name in own else getattr(record, name) for name in COLUMNS}
