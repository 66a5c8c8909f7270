"""MiniWoB's tasks, sets, seeds and actions, read from BrowserGym's own metadata. Starts nothing."""

import csv
import difflib
import fnmatch
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Literal, NamedTuple

from benchmark.errors import UsageError
from browser.actions import CORE_ACTIONS, EXTENDED_ACTIONS, ActionName

BENCHMARK = "miniwob"
PACKAGES = ("playwright", "gymnasium", "browsergym-core", "browsergym-miniwob", "miniwob")
# No navigate and no go_back: MiniWoB ends an episode with 0 on any change of address. No finish: the page alone says
# when an episode is over, so that finishing means nothing there.
ACTIONS: tuple[ActionName, ...] = ("click", "type", "select", "scroll", "press", "wait")
ActionSet = Literal["core", "extended"]
ACTION_SETS: Mapping[ActionSet, tuple[ActionName, ...]] = {
    "core": ACTIONS,
    "extended": (*ACTIONS, *(name for name in EXTENDED_ACTIONS if name not in CORE_ACTIONS)),
}

# 78 groups of similar tasks; every fourth gives 20.
QUICK_STRIDE = 4
# numpy, which MiniWoB draws its own seed with, takes 32 bits.
MAX_SEED = 2**32 - 1
# 125 tasks at one second each with this many seeds is a day and a half; more is a typing error.
MAX_SEEDS = 1000
SEEDS_HELP = 'give a count such as "5" (seeds 0 to 4) or a list such as "7,9,100-104"'


class TaskInfo(NamedTuple):
    """One row of the metadata."""

    name: str
    category: str
    webgum: bool
    group: int
    """Tasks of one group are variants of each other."""
    split: str
    """"train" or "test"; a group lies whole in one of them."""


@cache
def task_infos() -> tuple[TaskInfo, ...]:
    """Return the 125 tasks in the order of BrowserGym's metadata.

    The file is found without importing browsergym.experiments, which takes seconds and pulls in its agents.
    """
    package = metadata.distribution("browsergym-experiments")
    path = Path(str(package.locate_file("browsergym/experiments/benchmark/metadata/miniwob.csv")))
    with path.open(newline="", encoding="utf-8") as file:
        return tuple(
            TaskInfo(
                name=row["task_name"].removeprefix("miniwob."),
                category=row["miniwob_category"],
                webgum=row["webgum_subset"] == "True",
                group=int(row["similarity_group"]),
                split=row["browsergym_split"],
            )
            for row in csv.DictReader(file)
        )


def _quick() -> tuple[str, ...]:
    """The first task listed in every fourth similarity group: groups 0, 4, ... 76.

    The rule looks at nothing but the metadata, so that the 20 are no easier for any agent than the 125 are.
    """
    first = {info.group: info.name for info in reversed(task_infos())}
    return tuple(first[group] for group in sorted(first)[::QUICK_STRIDE])


SETS: Mapping[str, Callable[[], tuple[str, ...]]] = {
    "quick": _quick,
    "webgum": lambda: tuple(info.name for info in task_infos() if info.webgum),
    "train": lambda: tuple(info.name for info in task_infos() if info.split == "train"),
    "test": lambda: tuple(info.name for info in task_infos() if info.split == "test"),
    "all": lambda: tuple(info.name for info in task_infos()),
}


def select_tasks(text: str) -> tuple[str, ...]:
    """Return the distinct tasks that comma-separated names, globs and set names stand for, in the order given.

    Raises:
        UsageError: a name or glob that stands for no task.
    """
    names = [part.strip() for part in text.split(",") if part.strip()]
    if not names:
        raise UsageError(f"No tasks given; give task names, globs such as click-* or the sets {_or(SETS)}.")
    return tuple(dict.fromkeys(task for name in names for task in _tasks_of(name)))


def _tasks_of(name: str) -> tuple[str, ...]:
    if name in SETS:
        return SETS[name]()
    known = [info.name for info in task_infos()]
    pattern = name.removeprefix("miniwob.")
    matches = tuple(fnmatch.filter(known, pattern))
    if not matches:
        close = difflib.get_close_matches(pattern, [*known, *SETS], n=3)
        hint = f"did you mean {_or(close)}?" if close else f"the sets are {_or(SETS)}."
        raise UsageError(f"No MiniWoB task is called {name!r}; {hint}")
    return matches


def parse_seeds(text: str) -> tuple[int, ...]:
    """Return distinct seeds in rising order: "5" is 0 to 4, "7,9,100-104" is those seven, and "7," is 7 alone.

    Raises:
        UsageError: not a count or a list of seeds and ranges, out of bounds, or too many.
    """
    if re.fullmatch(r"\s*[0-9]{1,20}\s*", text):
        count = int(text)
        if count == 0:
            raise UsageError(f"--seeds 0 asks for no episode; {SEEDS_HELP}.")
        _check_count(count)
        return tuple(range(count))
    seeds: set[int] = set()
    for part in filter(None, (part.strip() for part in text.split(","))):
        low, high = _seed_range(part)
        _check_count(high - low + 1)
        seeds.update(range(low, high + 1))
        _check_count(len(seeds))
    if not seeds:
        raise UsageError(f"--seeds is empty; {SEEDS_HELP}.")
    return tuple(sorted(seeds))


def _seed_range(part: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]{1,20})(?:\s*-\s*([0-9]{1,20}))?", part)
    if match is None:
        raise UsageError(f"--seeds has {part!r}, which is not a seed; {SEEDS_HELP}.")
    low = int(match[1])
    high = int(match[2] or match[1])
    if high < low:
        raise UsageError(f"--seeds has {part!r}, which runs backwards; write {high}-{low}.")
    if high > MAX_SEED:
        raise UsageError(f"--seeds has {part!r}; a seed is at most {MAX_SEED}.")
    return low, high


def _check_count(count: int) -> None:
    if count > MAX_SEEDS:
        raise UsageError(f"--seeds asks for {count} seeds a task; at most {MAX_SEEDS} are run by one command.")


def raw_reward(info: dict[str, Any]) -> float | None:
    """Return MiniWoB's raw reward of an environment's `info`, or None where the page no longer tells."""
    value = info["task_info"].get("RAW_REWARD_GLOBAL")
    return None if value is None else float(value)


def _or(names: Mapping[str, object] | list[str]) -> str:
    *head, last = names
    return f"{', '.join(head)} or {last}" if head else last
