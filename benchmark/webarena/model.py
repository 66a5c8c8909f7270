"""What a task in WebArena's form is, whoever wrote it: WebArena's own authors, or those of the stand-ins."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from browser.observation import Frozen

SITES = ("shopping", "shopping_admin", "reddit", "gitlab", "wikipedia", "map")
TaskType = Literal["retrieve", "navigate", "mutate"]
TYPES: tuple[TaskType, ...] = ("retrieve", "navigate", "mutate")


class WebArenaTask(Frozen):
    """One task as WebArena-Verified states it, without what its verdict is made from."""

    id: int
    sites: tuple[str, ...]
    template: int
    type: TaskType
    intent: str
    start_urls: tuple[str, ...]
    """With placeholders such as __SHOPPING__ for the sites' addresses."""
    revision: int
    split: str
    """BrowserGym's: "train" or "test"."""
    needs_judge: bool
    """Whether the original WebArena asks a language model for the verdict; Verified never does."""


def task_of(row: Mapping[str, Any], original: Mapping[str, Any], split: str) -> WebArenaTask:
    """Return the task of a row in WebArena-Verified's form, with its counterpart in the original's."""
    [answer] = [check for check in row["eval"] if check["evaluator"] == "AgentResponseEvaluator"]
    # Where the answer is "N/A" a model is asked too, unless exactly that is said.
    fuzzy = (original["eval"].get("reference_answers") or {}).get("fuzzy_match")
    return WebArenaTask(
        id=row["task_id"],
        sites=tuple(row["sites"]),
        template=row["intent_template_id"],
        type=answer["expected"]["task_type"],
        intent=row["intent"],
        start_urls=tuple(row["start_urls"]),
        revision=row["revision"],
        split=split,
        needs_judge=fuzzy is not None,
    )


def as_original(task: WebArenaTask, row: Mapping[str, Any]) -> WebArenaTask:
    """Return the task with the words and first pages of its row in the original's form; the ids are the same."""
    pages = tuple(row["start_url"].split(" |AND| "))
    return task.model_copy(update={"intent": row["intent"], "start_urls": pages, "sites": tuple(row["sites"])})


def read_json(path: Path) -> Any:
    """Return what a file of a package holds."""
    return json.loads(path.read_text(encoding="utf-8"))
