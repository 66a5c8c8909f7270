"""From episode records to tables: success with intervals, effort, cost, ends. Knows no benchmark and no files."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pandas as pd
from rich.table import Table
from rich.text import Text
from scipy.stats import binomtest

from benchmark.records.rows import EpisodeRecord, total

CONFIDENCE = 0.95
UNKNOWN = "unknown"
UNPRICED = "unpriced"
NO_MODEL = "none"
# What an episode's time goes to; the rest is between the parts.
PARTS = ("reset", "act", "settle", "probe", "validate", "decide")
# A terminal that is too narrow breaks these columns; a number or an interval is never broken.
WRAPPED = ("model", "task", "ends")


class Group(NamedTuple):
    """The episodes of one experiment that one model decided."""

    decider: str
    """The model that answered first in these episodes; "none" where none answered."""
    models: str
    """All that answered, the decider first."""
    records: Sequence[EpisodeRecord]


def wilson(successes: int, episodes: int) -> tuple[float, float]:
    """Return the Wilson 95 % interval of a success rate; NaN twice where there are no episodes."""
    if episodes == 0:
        return float("nan"), float("nan")
    interval = binomtest(successes, episodes).proportion_ci(confidence_level=CONFIDENCE, method="wilson")
    return float(interval.low), float(interval.high)


def summarize(records: Iterable[EpisodeRecord]) -> pd.DataFrame:
    """Return one row for each agent, settings and model that answered.

    Rates, steps, tokens and seconds are over scored episodes; `unscored` counts those that infrastructure ended.
    `cost_usd` is the sum over all the records given. A number of which one part is unknown is missing, never 0.
    """
    return pd.DataFrame(label | measure(group) for label, group in _labelled(records))


def per_task(records: Iterable[EpisodeRecord]) -> pd.DataFrame:
    """Return the rows of `summarize`, each split by task."""
    rows = []
    for label, group in _labelled(records):
        tasks: dict[str, list[EpisodeRecord]] = {}
        for record in group:
            tasks.setdefault(record.task, []).append(record)
        rows += [label | {"task": task} | measure(of_task) for task, of_task in tasks.items()]
    return pd.DataFrame(rows)


def _labelled(records: Iterable[EpisodeRecord]) -> list[tuple[dict[str, object], list[EpisodeRecord]]]:
    """Return the groups of `by_model` with their first columns; settings are named where nothing else differs."""
    groups = by_model(list(records))
    repeated = Counter((group[0].agent, models) for _, models, group in groups)
    labelled = []
    for _, models, group in groups:
        first = group[0]
        settings = f" [{first.settings_hash[:6]}]" if repeated[first.agent, models] > 1 else ""
        label: dict[str, object] = {
            "agent": first.agent + settings,
            "model": models,
            "settings_hash": first.settings_hash,
        }
        labelled.append((label, list(group)))
    return labelled


def by_model(records: Sequence[EpisodeRecord]) -> list[Group]:
    """Split records by experiment and by the model that answered first in an episode, the one that decides.

    An episode without any answer (nothing to ask, or it never began) goes to the group that its experiment has most.
    """
    experiments: dict[tuple[str, str | None, str], list[EpisodeRecord]] = {}
    for record in records:
        experiments.setdefault((record.agent, record.model, record.settings_hash), []).append(record)
    groups = []
    for experiment in experiments.values():
        deciders = Counter(record.models[0] for record in experiment if record.models)
        usual = deciders.most_common(1)[0][0] if deciders else ""
        for decider in deciders or [usual]:
            group = [r for r in experiment if (r.models[0] if r.models else usual) == decider]
            names = dict.fromkeys([decider, *(name for r in group for name in r.models)])
            groups.append(Group(decider or NO_MODEL, ", ".join(filter(None, names)) or NO_MODEL, group))
    return groups


def measure(group: Sequence[EpisodeRecord]) -> dict[str, object]:
    """Return the numbers of `summarize` for these records; the times in `_s` are seconds of an episode, by part."""
    scored = [record for record in group if record.scored]
    n = len(scored)
    successes = sum(record.reward > 0 for record in scored)
    low, high = wilson(successes, n)
    rated = [record.full_reward for record in scored if record.full_reward is not None]
    full_low, full_high = wilson(int(sum(rated)), len(rated))
    decisions = [ms for record in scored for ms in record.decisions_ms]
    return {
        "episodes": n,
        "unscored": len(group) - n,
        "success": successes / n if n else None,
        "success_low": low,
        "success_high": high,
        "full": sum(rated) / len(rated) if rated else None,
        "full_low": full_low,
        "full_high": full_high,
        "steps": _mean([record.steps for record in scored]),
        "input_tokens": _mean([record.input_tokens for record in scored]),
        "cached_tokens": _mean([record.cached_tokens for record in scored]),
        "output_tokens": _mean([record.output_tokens for record in scored]),
        "cost_usd": total(record.cost_usd for record in group),
        "seconds": _mean([record.seconds for record in scored]),
        **{f"{part}_s": _mean([getattr(record, f"{part}_ms") / 1000 for record in scored]) for part in PARTS},
        "decide_ms": float(pd.Series(decisions).median()) if decisions else None,
        "ends": ", ".join(f"{end} {count}" for end, count in Counter(r.end for r in group).most_common()),
    }


def _mean(values: Sequence[float | None]) -> float | None:
    summed = total(values)
    return None if summed is None or not values else summed / len(values)


def readable(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table of texts for people from `summarize` or `per_task`: rates with intervals, units in the heads."""
    columns = {name: frame[name].fillna("").astype(str) for name in ("agent", "model", "task") if name in frame}
    columns["episodes"] = [
        f"{n} (+{u} unscored)" if u else str(n) for n, u in zip(frame["episodes"], frame["unscored"], strict=True)
    ]
    for rate in ("success", "full"):
        bounds = zip(frame[rate], frame[f"{rate}_low"], frame[f"{rate}_high"], strict=True)
        columns[rate] = ["-" if pd.isna(p) else f"{p:.3f} [{low:.2f}, {high:.2f}]" for p, low, high in bounds]
    columns["steps"] = _texts(frame["steps"], "{:.1f}", "-")
    columns["tokens in"] = _texts(frame["input_tokens"], "{:.0f}", UNKNOWN)
    columns["cached"] = _texts(frame["cached_tokens"], "{:.0f}", UNKNOWN)
    columns["out"] = _texts(frame["output_tokens"], "{:.0f}", UNKNOWN)
    columns["cost"] = _texts(frame["cost_usd"], "${:.4f}", UNPRICED)
    columns["s/episode"] = _texts(frame["seconds"], "{:.2f}", "-")
    columns["decide ms"] = _texts(frame["decide_ms"], "{:.1f}", "-")
    columns["ends"] = list(frame["ends"])
    return pd.DataFrame(columns)


def _texts(values: "pd.Series[float]", form: str, missing: str) -> list[str]:
    return [missing if pd.isna(value) else form.format(value) for value in values]


def to_markdown(table: pd.DataFrame) -> str:
    """Return a table of texts as a Markdown table, without a final line break."""
    rows = [list(table.columns), ["---"] * len(table.columns), *table.itertuples(index=False)]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows)


def to_terminal(table: pd.DataFrame, title: str) -> Table:
    """Return a table of texts for a rich console."""
    drawn = Table(title=Text(title), title_justify="left", title_style="bold")
    for head in table.columns:
        drawn.add_column(str(head), overflow="fold", no_wrap=head not in WRAPPED)
    for row in table.itertuples(index=False):
        drawn.add_row(*(Text(str(cell)) for cell in row))
    return drawn
