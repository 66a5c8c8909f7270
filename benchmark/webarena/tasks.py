"""WebArena's 812 tasks and the sets of them, read from the packages' own files. Starts nothing."""

import csv
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmark.errors import UsageError
from benchmark.webarena.install import dataset_folder
from benchmark.webarena.model import SITES, TYPES, WebArenaTask, read_json, task_of

COUNT = 812
# BrowserGym's smallest set, written out in its benchmark/configs.py.
TINY = (410, 533, 537, 552, 561, 562)
# Of webarena-verified 1.2.3: no answer scores 1 here. In 699, 700 and 811 any request that matches raises an error;
# 319 expects an error status and rejects its data whether null or empty; in 429 the expected request is never sent.
UNWINNABLE = frozenset({319, 429, 699, 700, 811})
# Their only check beside the answer's form is the address that the episode begins on: claiming success is enough.
TRIVIAL = frozenset({356, 757, 758, 761, 762, 763, 764, 765, 766, 767})
# They are to be refused, and have no check but the answer: a refusal wins that tried nothing.
REFUSABLE = frozenset({491, 790, 805, 807})
# Sites of the default set, how many tasks of each, and how many of those only read where there are enough.
SUBSET_SITES = ("shopping", "shopping_admin", "reddit", "gitlab")
SUBSET_OF_SITE, SUBSET_READING = 9, 6
SELECTORS = "standin, site:shopping,reddit, type:retrieve, ids:1,5,7-9 or @file"


@cache
def all_tasks() -> tuple[WebArenaTask, ...]:
    """Return the 812 tasks in order of their ids.

    Raises:
        UsageError: the package with the tasks is not installed.
    """
    folder, original = dataset_folder(), original_rows()
    splits = {int(row["task_id"]): row["browsergym_split"] for row in _metadata("webarena")}
    tasks = [
        task_of(row, original[row["task_id"]], splits[row["task_id"]])
        for row in read_json(folder / "webarena-verified.json")
    ]
    return tuple(sorted(tasks, key=lambda task: task.id))


@cache
def original_rows() -> Mapping[int, Mapping[str, Any]]:
    """Return the configurations of the original WebArena's tasks by id, with placeholders for the sites' addresses.

    Raises:
        UsageError: the package that holds them is not installed.
    """
    return {row["task_id"]: row for row in read_json(dataset_folder() / "test.raw.json")}


def _metadata(name: str) -> list[dict[str, str]]:
    """The rows of a table of browsergym-experiments, found without importing it."""
    package = metadata.distribution("browsergym-experiments")
    path = Path(str(package.locate_file(f"browsergym/experiments/benchmark/metadata/{name}.csv")))
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _where(fits: Callable[[WebArenaTask], bool]) -> frozenset[int]:
    return frozenset(task.id for task in all_tasks() if fits(task))


def _subset() -> frozenset[int]:
    """Nine tasks of each of four sites, one per template, spread evenly over the templates; by metadata alone."""
    chosen: set[int] = set()
    for site in SUBSET_SITES:
        own = [task for task in all_tasks() if task.sites == (site,) and task.id not in UNWINNABLE | TRIVIAL]
        reading = _spread([task for task in own if task.type != "mutate"], SUBSET_READING)
        used = {task.template for task in reading}
        changing = [task for task in own if task.type == "mutate" and task.template not in used]
        chosen |= {task.id for task in [*reading, *_spread(changing, SUBSET_OF_SITE - len(reading))]}
    return frozenset(chosen)


def _spread(tasks: Iterable[WebArenaTask], count: int) -> list[WebArenaTask]:
    """The first task each of up to `count` templates, evenly spread over all."""
    first: dict[int, WebArenaTask] = {}
    for task in tasks:
        first.setdefault(task.template, task)
    templates = sorted(first)
    count = min(count, len(templates))
    return [first[templates[n * len(templates) // count]] for n in range(count)]


SETS: Mapping[str, Callable[[], frozenset[int]]] = {
    "tiny": lambda: frozenset(TINY),
    "subset": _subset,
    "lite": lambda: frozenset(int(row["task_id"]) for row in _metadata("webarenalite")),
    "hard": lambda: frozenset(read_json(dataset_folder() / "subsets" / "webarena-verified-hard.json")["task_ids"]),
    "full": partial(_where, lambda task: True),
    "readonly": partial(_where, lambda task: task.type != "mutate"),
    "train": partial(_where, lambda task: task.split == "train"),
    "test": partial(_where, lambda task: task.split == "test"),
    "nojudge": partial(_where, lambda task: not task.needs_judge),
}


def select_tasks(text: str, of: Sequence[WebArenaTask] | None = None) -> tuple[WebArenaTask, ...]:
    """Return the tasks that a set, a selector, or several of them joined by "&" stand for, in order of their ids.

    The order is the dataset's own, which its authors chose with the sites' changing state in mind.

    Args:
        of: other tasks to choose from than WebArena's own; its sets are not for them.

    Raises:
        UsageError: a name or selector that stands for no task, or no task that is in all of them.
    """
    parts = [part.strip() for part in text.split("&")]
    tasks = tuple(all_tasks() if of is None else of)
    sets = SETS if of is None else {}
    chosen = frozenset.intersection(*(sets[part]() if part in sets else _selected(part, tasks) for part in parts))
    if not chosen:
        raise UsageError(f"No WebArena task is in all of {text!r}; give fewer selectors.")
    return tuple(task for task in tasks if task.id in chosen)


def _selected(part: str, tasks: Sequence[WebArenaTask]) -> frozenset[int]:
    last = tasks[-1].id
    if part.startswith("@"):
        return _ids_in(Path(part[1:]), last)
    kind, colon, names = part.partition(":")
    if colon and kind == "ids":
        return parse_ids(names, last)
    listed = frozenset(name.strip() for name in names.split(",") if name.strip())
    if kind == "site" and listed and listed <= set(SITES):
        return frozenset(task.id for task in tasks if listed.issuperset(task.sites))
    if kind == "type" and listed and listed <= set(TYPES):
        return frozenset(task.id for task in tasks if task.type in listed)
    if colon and kind in ("site", "type"):
        raise UsageError(f"--tasks has {part!r}; {kind}: takes {', '.join(SITES if kind == 'site' else TYPES)}.")
    raise UsageError(f"No set of WebArena's is called {part!r}; there are {', '.join(SETS)}, and {SELECTORS}.")


def _ids_in(path: Path, last: int) -> frozenset[int]:
    try:
        return parse_ids(",".join(path.read_text(encoding="utf-8").split()), last)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"Cannot read task ids from {path}: {type(error).__name__}; name a file of ids.") from None


def parse_ids(text: str, last: int = COUNT - 1) -> frozenset[int]:
    """Return the ids of a list such as "1,5,7-9", none above the last.

    Raises:
        UsageError: not such a list, empty, or an id that no task has.
    """
    ids: set[int] = set()
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = re.fullmatch(r"([0-9]{1,4})(?:-([0-9]{1,4}))?", part)
        if match is None or int(match[2] or match[1]) < int(match[1]) or int(match[2] or match[1]) > last:
            raise UsageError(f"{part!r} is no task id and no range of them; ids run from 0 to {last}.")
        ids.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    if not ids:
        raise UsageError('No task ids given; write them as in "1,5,7-9".')
    return frozenset(ids)


def ids_hash(tasks: Iterable[WebArenaTask]) -> str:
    """Return the SHA-256 of the tasks' ids, one a line, in rising order."""
    lines = "".join(f"{number}\n" for number in sorted(task.id for task in tasks))
    return hashlib.sha256(lines.encode()).hexdigest()
