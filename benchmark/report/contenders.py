"""Who is compared: agents picked from run folders, and in what their runs differ. Knows no benchmark."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from benchmark.errors import UsageError
from benchmark.records.rows import EpisodeRecord
from benchmark.report.load import read_episodes, run_names
from benchmark.report.metrics import by_model

Episode = tuple[str, str, int, int]
# More names than this say no more; the first ones are enough to find the cause.
NAMES_SHOWN = 3
# The part of the settings in which contenders may differ: it is what they are.
OWN_SETTINGS = "agent"


class Contender(NamedTuple):
    """One agent of one run, with one model and one set of settings."""

    label: str
    """The agent, and where two are called the same, that in which they differ."""
    run: str
    agent: str
    model: str
    models: str
    settings_hash: str
    episodes: Mapping[Episode, EpisodeRecord]

    @property
    def settings(self) -> dict[str, JsonValue]:
        """The settings, which all its episodes share."""
        return next(iter(self.episodes.values())).settings


class _Pick(NamedTuple):
    folder: Path
    agent: str
    model: str


def pick(texts: Sequence[str], *, at_least: int = 2) -> list[Contender]:
    """Return the contenders that `folder`, `folder:agent` and `folder:agent:model` stand for, in that order, each once.

    Raises:
        UsageError: no such folder, agent or model, or fewer contenders than `at_least`.
        RecordDamaged: a line that is not a record.
    """
    picks = [_parse(text) for text in texts]
    names = run_names([each.folder for each in picks])
    runs = {folder: _contenders(folder, name) for (folder, _, _), name in zip(picks, names, strict=True)}
    chosen: list[Contender] = []
    for each in picks:
        found = [c for c in runs[each.folder] if each.agent in ("", c.agent) and each.model in ("", c.model)]
        if not found:
            has = _list(sorted({f"{c.agent}:{c.model}" for c in runs[each.folder]}))
            asked = f"{each.agent}:{each.model}".rstrip(":")
            raise UsageError(f"{each.folder} holds no episodes of {asked}; it has {has}.")
        chosen += [c for c in found if not any(c is other for other in chosen)]
    if len(chosen) < at_least:
        raise UsageError(f"Only {chosen[0].label} is in {', '.join(texts)}; name a second run to compare it with.")
    return _labelled(chosen)


def _parse(text: str) -> _Pick:
    """Split at a colon after a folder that exists: names of models hold colons too."""
    ends = [len(text), *(at for at, letter in enumerate(text) if letter == ":")]
    end = next((end for end in ends if text[:end] and Path(text[:end]).is_dir()), None)
    if end is None:
        raise UsageError(f"There is no folder {text.partition(':')[0]!r}; give the --out folder of a run.")
    agent, _, model = text[end + 1 :].partition(":")
    return _Pick(Path(text[:end]), agent, model)


def _contenders(folder: Path, run: str) -> list[Contender]:
    return [
        Contender(
            label=group.records[0].agent,
            run=run,
            agent=group.records[0].agent,
            model=group.decider,
            models=group.models,
            settings_hash=group.records[0].settings_hash,
            episodes={record.episode: record for record in group.records},
        )
        for group in by_model(read_episodes(folder))
    ]


def _labelled(contenders: Sequence[Contender]) -> list[Contender]:
    labelled = []
    for own in contenders:
        same = [other for other in contenders if other.agent == own.agent]
        parts = [(c.model, c.run, c.settings_hash[:6]) for c in same]
        mine = (own.model, own.run, own.settings_hash[:6])
        told = [part for at, part in enumerate(mine) if len({parts[at] for parts in parts}) > 1]
        labelled.append(own._replace(label=f"{own.agent} ({', '.join(told)})" if told else own.agent))
    repeated = Counter(contender.label for contender in labelled)
    # What is left is the same but for the model that was asked for.
    return [
        c._replace(label=f"{c.label} #{number}") if repeated[c.label] > 1 else c
        for number, c in enumerate(labelled, start=1)
    ]


def differences(contenders: Sequence[Contender]) -> list[str]:
    """Return in what the others differ from the first, in words; nothing where all have the same conditions."""
    first, *others = contenders
    return [f"{other.label} {fault}" for other in others for fault in _differences(first, other)]


def _differences(first: Contender, other: Contender) -> Iterable[str]:
    yield from _other_episodes(first, other)
    settings, other_settings = (_flat(_conditions(c)) for c in (first, other))
    for name in sorted(settings.keys() | other_settings.keys()):
        value, other_value = settings.get(name, "nothing"), other_settings.get(name, "nothing")
        if value != other_value:
            yield f"ran with {name} {other_value} where {first.label} had {value}"


def _other_episodes(first: Contender, other: Contender) -> Iterable[str]:
    tasks, other_tasks = ({episode[:2] for episode in c.episodes} for c in (first, other))
    for verb, names in (("lacks", tasks - other_tasks), ("also has", other_tasks - tasks)):
        if names:
            yield f"{verb} {_count(len(names), 'task')} ({_list(sorted(task for _, task in names))})"
    shared = tasks & other_tasks
    own, theirs = ({e for e in c.episodes if e[:2] in shared} for c in (first, other))
    for at, what in ((2, "seeds"), (3, "trials")):
        numbers, other_numbers = (sorted({int(e[at]) for e in side}) for side in (own, theirs))
        if numbers != other_numbers and shared:
            yield f"has {what} {_ranges(other_numbers)} where {first.label} has {_ranges(numbers)}"
            return
    for verb, rest in (("lacks", own - theirs), ("also has", theirs - own)):
        if rest:
            shown = _list([f"{task} seed {seed}" for _, task, seed, _ in sorted(rest)])
            yield f"{verb} {_count(len(rest), 'episode')} ({shown})"


def _conditions(contender: Contender) -> dict[str, JsonValue]:
    return {name: value for name, value in contender.settings.items() if name != OWN_SETTINGS}


def _flat(value: JsonValue, name: str = "") -> dict[str, JsonValue]:
    if not isinstance(value, dict):
        return {name: value}
    return {n: v for key, part in value.items() for n, v in _flat(part, f"{name}.{key}".lstrip(".")).items()}


def in_common(contenders: Sequence[Contender]) -> list[Contender]:
    """Return the contenders with only the episodes that all of them have.

    Raises:
        UsageError: there are none.
    """
    shared = set.intersection(*(set(c.episodes) for c in contenders))
    if not shared:
        labels = _list([c.label for c in contenders])
        raise UsageError(f"No episode is in all of {labels}; compare runs of the same tasks and seeds.")
    return [c._replace(episodes={e: r for e, r in c.episodes.items() if e in shared}) for c in contenders]


def provenance_notes(contenders: Sequence[Contender]) -> list[str]:
    """Return sentences on what may make runs differ beside the agents: the code's commit and versions of packages."""
    records = [record for contender in contenders for record in contender.episodes.values()]
    notes = []
    commits = sorted({(record.git_commit or "unknown")[:7] for record in records})
    if len(commits) > 1:
        notes.append(f"Made by different commits of the code: {', '.join(commits)}.")
    dirty = [c.label for c in contenders if any(record.git_dirty for record in c.episodes.values())]
    if dirty:
        notes.append(f"Made from a checkout with uncommitted changes: {', '.join(dirty)}.")
    versions: dict[str, set[str]] = {}
    for record in records:
        for name, version in record.versions.items():
            versions.setdefault(name, set()).add(version)
    differing = [f"{name} {' and '.join(sorted(found))}" for name, found in sorted(versions.items()) if len(found) > 1]
    return [*notes, *([f"Versions differ: {'; '.join(differing)}."] if differing else [])]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _list(names: Sequence[str]) -> str:
    more = len(names) - NAMES_SHOWN
    return ", ".join(names[:NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _ranges(numbers: Sequence[int]) -> str:
    """Return rising numbers as 0-4, 7."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return _list([str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs])
