"""The tables and sentences of a comparison of contenders. Knows no files and no benchmark."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from benchmark.records.rows import EpisodeRecord
from benchmark.report.contenders import Contender, Episode
from benchmark.report.metrics import PARTS, UNKNOWN, UNPRICED, measure, readable
from benchmark.report.paired import Outcome, Paired, paired, pass_at_k

# How the names of the columns of `measured` end that count pairs.
COUNTS = ("left_out", "_pairs", "_first_only", "_second_only")

Groups = Mapping[str, int]
"""Task to group of similar tasks."""


class Comparison(NamedTuple):
    """The first contender against another, on the pairs where both sides are scored."""

    first: str
    other: str
    left_out: int
    """Pairs of which infrastructure ended at least one side."""
    success: Paired
    full: Paired
    """At full reward; of fewer pairs where the benchmark has no raw reward."""


def pair_up(first: Contender, other: Contender) -> Comparison:
    """Compare two contenders on the episodes that both have."""
    shared = [(first.episodes[e], other.episodes[e]) for e in sorted(first.episodes.keys() & other.episodes.keys())]
    scored = [(a, b) for a, b in shared if a.scored and b.scored]
    return Comparison(
        first=first.label,
        other=other.label,
        left_out=len(shared) - len(scored),
        success=paired(Outcome(a.task, a.reward > 0, b.reward > 0) for a, b in scored),
        full=paired(
            Outcome(a.task, a.full_reward > 0, b.full_reward > 0)
            for a, b in scored
            if a.full_reward is not None and b.full_reward is not None
        ),
    )


def verdict(comparison: Comparison) -> str:
    """Return the comparison as one sentence."""
    first, other, result, full = comparison.first, comparison.other, comparison.success, comparison.full
    left_out = comparison.left_out
    if not result.pairs:
        return f"{first} and {other} have no pair that is scored on both sides ({left_out} left out)."
    ending = f"; {left_out} of {left_out + result.pairs} pairs left out as unscored" if left_out else ""
    at_full = f"; at full reward {full.first_only} and {full.second_only}, {_numbers(full)}" if full.pairs else ""
    return (
        f"On {result.pairs} pairs {first} solves {result.first_only} that {other} does not, {other} "
        f"{result.second_only} that {first} does not; {_numbers(result)}{at_full}{ending}."
    )


def _numbers(result: Paired) -> str:
    interval = "[no interval from one task]" if math.isnan(result.low) else f"[{result.low:.2f}, {result.high:.2f}]"
    return f"difference {result.difference:.2f} {interval}, exact McNemar p = {result.p_value:.2g}"


def measured(
    contenders: Sequence[Contender], comparisons: Iterable[Comparison], groups: Groups, k: int = 0
) -> pd.DataFrame:
    """Return one row per contender: its numbers, and for all but the first those of the pair with the first.

    `difference` is the first's rate less this one's. `k` is that of pass@k, 0 for the number of trials.
    """
    k = k or max(trial for contender in contenders for *_, trial in contender.episodes) + 1
    by_label = {comparison.other: comparison for comparison in comparisons}
    rows = []
    for contender in contenders:
        records = list(contender.episodes.values())
        comparison = by_label.get(contender.label)
        rows.append(
            _names(contender)
            | measure(records)
            | _macro(contender, groups)
            | {"cost_source": cost_source(records), "k": k, "pass_at_k": mean_pass_at_k(contender.episodes, k)}
            | (_pair_columns(comparison) if comparison else {})
        )
    frame = pd.DataFrame(rows)
    # The first contender has no pair; counts must not turn into floats for that.
    return frame.astype({name: "Int64" for name in frame if str(name).endswith(COUNTS)})


def _names(contender: Contender) -> dict[str, object]:
    return {
        "label": contender.label, "agent": contender.agent, "model": contender.models, "run": contender.run,
        "settings_hash": contender.settings_hash,
    }  # fmt: skip


def _macro(contender: Contender, groups: Groups) -> dict[str, object]:
    rows = per_group([contender], groups)
    return {f"{rate}_by_group": rows[rate].mean() if len(rows) else None for rate in ("success", "full")}


def _pair_columns(comparison: Comparison) -> dict[str, object]:
    columns: dict[str, object] = {"against": comparison.first, "left_out": comparison.left_out}
    for name, result in (("success", comparison.success), ("full", comparison.full)):
        columns |= {
            f"{name}_{field}": value for field, value in result._asdict().items() if field not in ("low", "high")
        }
        columns |= {f"{name}_difference_low": result.low, f"{name}_difference_high": result.high}
    return columns


def cost_source(records: Sequence[EpisodeRecord]) -> str:
    """Return where the cost of these episodes comes from; an unknown one is never 0."""
    unpriced = sum(record.cost_usd is None for record in records)
    if unpriced:
        return f"{UNPRICED} in {unpriced} of {len(records)}"
    named = sorted({source for record in records for source in record.cost_sources})
    if named:
        return ", ".join(named)
    if any(record.cost_usd for record in records):
        return "told per call"
    return "known to be 0" if any(record.models for record in records) else "no model"


def mean_pass_at_k(episodes: Mapping[Episode, EpisodeRecord], k: int) -> float | None:
    """Return the mean of pass@k over the tasks and seeds with k scored trials; None where there are none."""
    trials: dict[tuple[str, str, int], list[bool]] = {}
    for (benchmark, task, seed, _), record in episodes.items():
        if record.scored:
            trials.setdefault((benchmark, task, seed), []).append(record.reward > 0)
    rates = [pass_at_k(len(each), sum(each), k) for each in trials.values() if len(each) >= k]
    return math.fsum(rates) / len(rates) if rates else None


def per_task(contenders: Iterable[Contender], groups: Groups) -> pd.DataFrame:
    """Return one row per contender and task, with the task's group where there are groups."""
    rows = []
    for contender in contenders:
        tasks: dict[str, list[EpisodeRecord]] = {}
        for _, record in sorted(contender.episodes.items()):
            tasks.setdefault(record.task, []).append(record)
        rows += [
            _names(contender) | {"task": task, "group": groups.get(task)} | measure(records)
            for task, records in tasks.items()
        ]
    return pd.DataFrame(rows)


def per_group(contenders: Iterable[Contender], groups: Groups) -> pd.DataFrame:
    """Return one row per contender and group of similar tasks, over the group's episodes; none without groups."""
    rows = []
    for contender in contenders:
        members: dict[int, list[EpisodeRecord]] = {}
        for _, record in sorted(contender.episodes.items()):
            if record.task in groups:
                members.setdefault(groups[record.task], []).append(record)
        rows += [
            _names(contender)
            | {"group": group, "tasks": ", ".join(sorted({record.task for record in records}))}
            | measure(records)
            for group, records in sorted(members.items())
        ]
    return pd.DataFrame(rows)


def side_by_side(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table of texts for people from `measured`."""
    table = readable(frame.assign(agent=frame["label"]))
    columns = {"agent": table["agent"]} | {head: table[head] for head in ("episodes", "success", "full")}
    if frame["success_by_group"].notna().any():
        columns["mean of groups"] = [_rates(*both) for both in _rows(frame, "success_by_group", "full_by_group")]
    if (k := frame["k"].iloc[0]) > 1:
        columns[f"pass@{k}"] = [_number(value, ".3f", "-") for value in frame["pass_at_k"]]
    columns["steps"] = table["steps"]
    for head, name in {"tokens in": "input_tokens", "cached": "cached_tokens", "out": "output_tokens"}.items():
        columns[head] = [_number(value, ".0f", UNKNOWN) for value in frame[name]]
    columns["cost"] = [
        source if pd.isna(cost) else f"${cost:.4f} ({source})"
        for cost, source in _rows(frame, "cost_usd", "cost_source")
    ]
    return pd.DataFrame(columns)


def times(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table of texts: the mean seconds of an episode, in all and by part; `other` is between the parts."""
    parts = {part: frame[f"{part}_s"].astype(float) for part in PARTS}
    seconds = {"all": frame["seconds"].astype(float)} | parts
    seconds["other"] = seconds["all"] - sum(parts.values())
    texts = {head: [_number(value, ".3f", "-") for value in values] for head, values in seconds.items()}
    return pd.DataFrame({"agent": frame["label"], "model": frame["model"]} | texts | {"ends": frame["ends"]})


def _rows(frame: pd.DataFrame, *names: str) -> "zip[tuple[float, ...]]":
    return zip(*(frame[name] for name in names), strict=True)


def _rates(success: float, full: float) -> str:
    return f"{_number(success, '.3f', '-')} ({_number(full, '.3f', '-')})"


def _number(value: float | None, form: str, missing: str) -> str:
    return missing if pd.isna(value) else format(value, form)
