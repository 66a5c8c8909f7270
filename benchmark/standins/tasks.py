"""The twenty tasks of the stand-in sites, in WebArena's form and in WebArena-Verified's. Starts nothing."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from benchmark.webarena.model import WebArenaTask, read_json, task_of
from benchmark.webarena.tasks import select_tasks

# What they are always reported as: their scores are not WebArena's.
STANDIN = "standin"
TASKS = Path(__file__).with_name("tasks")
VERIFIED_FILE, ORIGINAL_FILE = TASKS / "verified.json", TASKS / "webarena.json"


@cache
def standin_tasks() -> tuple[WebArenaTask, ...]:
    """Return the tasks in order of their ids, none of which WebArena has."""
    rows = standin_rows()
    return tuple(task_of(row, rows[row["task_id"]], split=STANDIN) for row in read_json(VERIFIED_FILE))


@cache
def standin_rows() -> Mapping[int, Mapping[str, Any]]:
    """Return the tasks' configurations in the original WebArena's form, by id."""
    return {row["task_id"]: row for row in read_json(ORIGINAL_FILE)}


def are_standins(text: str) -> bool:
    """Return whether a text of --tasks asks for stand-in tasks."""
    return STANDIN in (part.strip() for part in text.split("&"))


def select_standins(text: str) -> tuple[WebArenaTask, ...]:
    """Return the stand-in tasks that a text such as "standin & type:mutate" stands for.

    Raises:
        UsageError: a selector that stands for none.
    """
    others = [part.strip() for part in text.split("&") if part.strip() != STANDIN]
    return select_tasks(" & ".join(others), standin_tasks()) if others else standin_tasks()
