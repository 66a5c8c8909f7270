"""What a WebArena run needs before anything starts: its tasks, sites and evaluator. All that is missing is said."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from benchmark.errors import UsageError
from benchmark.standins.agents import STANDIN_AGENTS
from benchmark.standins.environment import sites_python
from benchmark.standins.tasks import are_standins, select_standins, standin_rows
from benchmark.webarena.install import evaluator_python
from benchmark.webarena.judge import EvaluatorName
from benchmark.webarena.model import SITES, as_original
from benchmark.webarena.original import original_faults
from benchmark.webarena.sites import Selected, evaluator_faults, faults, left_out, selected, without_left_out
from benchmark.webarena.tasks import ids_hash, original_rows, select_tasks


def ready(tasks: str, evaluator: EvaluatorName) -> Selected:
    """Return the tasks that can run.

    Raises:
        UsageError: no such tasks, or something is missing: all of it is said.
    """
    if are_standins(tasks):
        return _standins_ready(tasks, evaluator)
    try:
        evaluator_python()
    except UsageError:
        # The tasks are in its package: which sites they need is unknown, and all are looked at.
        raise _missing(faults([site for site in SITES if site not in left_out()])) from None
    chosen = without_left_out(select_tasks(tasks))
    if evaluator == "original":
        chosen = _in_original_words(chosen, original_rows())
    found = faults(chosen.sites) + (original_faults(chosen.tasks) if evaluator == "original" else [])
    if found:
        raise _missing(found)
    if chosen.left_out:
        typer.echo(f"{len(chosen.left_out)} tasks need a site that is left out, and do not run.")
    return chosen


def _standins_ready(tasks: str, evaluator: EvaluatorName) -> Selected:
    chosen = selected(select_standins(tasks))
    found = evaluator_faults()
    try:
        sites_python()
    except UsageError as missing:
        found.append(str(missing).rstrip("."))
    if evaluator == "original":
        chosen = _in_original_words(chosen, standin_rows())
        found += original_faults(chosen.tasks)
    if found:
        raise _missing(found)
    return chosen


def _in_original_words(chosen: Selected, rows: Mapping[int, Mapping[str, Any]]) -> Selected:
    return chosen._replace(tasks=tuple(as_original(task, rows[task.id]) for task in chosen.tasks))


def check_alone(agent: str, tasks: str, workers: int, share_sites: bool) -> None:
    """Refuse an agent that knows other tasks than these, and workers that would share sites.

    Raises:
        UsageError: one of both.
    """
    standins = are_standins(tasks)
    if agent in STANDIN_AGENTS and not standins:
        raise UsageError(f"The agent {agent} knows the stand-in tasks alone; give --tasks standin.")
    if workers > 1 and not (standins or share_sites):
        raise UsageError(
            f"{workers} workers would change the same sites under each other's tasks; give --workers 1, or "
            "--share-sites if that is meant."
        )


def write_tasks(out: Path, text: str, chosen: Selected) -> None:
    """Keep which tasks were asked for, in the run's folder.

    Raises:
        UsageError: the folder does not take it.
    """
    listed = {
        "tasks": text,
        "ids": [task.id for task in chosen.tasks],
        "sha256": ids_hash(chosen.tasks),
        "left_out": [task.id for task in chosen.left_out],
    }
    path = out / "tasks.json"
    try:
        path.write_text(json.dumps(listed) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"Cannot write {path}: {error.strerror}; give another --out.") from None


def _missing(found: list[str]) -> UsageError:
    return UsageError(f"WebArena cannot run: {'; '.join(found)}.")
