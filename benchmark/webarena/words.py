"""What is said of a WebArena run beside its table, and of answers scored again. Prints nothing itself."""

import shlex
from collections.abc import Iterable, Set

from agent.policy import Policy, policy_text
from benchmark.report.metrics import wilson
from benchmark.running.runner import Setup
from benchmark.webarena.install import PACKAGE
from benchmark.webarena.sites import Selected
from benchmark.webarena.tasks import REFUSABLE, TRIVIAL, UNWINNABLE, ids_hash
from benchmark.webarena.verdict import Rescored

# As many digits of a checksum as tell two apart.
DIGITS = 12
CANNOT_BE_WON = "Cannot be won with this evaluator"
WON_BY_CLAIM = "Won by claiming success alone"
WON_BY_REFUSAL = "Won by a bare refusal"


def run_notes(
    setup: Setup, tasks: str, chosen: Selected, rules: Policy, threshold: float | None, *, standins: bool, reset: bool
) -> list[str]:
    """Return the sentences below a run's table: its command, its evaluator, and the tasks that say little."""
    settings = setup.settings["environment"]
    assert isinstance(settings, dict)
    evaluator = settings["evaluator"]
    assert isinstance(evaluator, dict)
    verified = evaluator["name"] == PACKAGE
    options = ["--tasks", tasks, "--max-steps", str(settings["max_steps"])]
    options += [] if standins else ["--login", str(settings["login"])]
    options += [] if reset else ["--no-reset"]
    options += [] if verified else ["--evaluator", "original"]
    options += ["--policy", text] if (text := policy_text(rules)) else []
    options += [] if threshold is None else ["--threshold", f"{threshold:g}"]
    sums = ", ".join(
        f"{part.removesuffix('_checksum')} {str(value)[:DIGITS]}"
        for part, value in evaluator.items()
        if part.endswith("_checksum")
    )
    ids = {task.id for task in chosen.tasks}
    notes = [
        f"Command: python benchmark/run_webarena.py --agent AGENT {shlex.join(options)}",
        f"Judged by {evaluator['name']} {evaluator['version']} ({sums}) on {len(ids)} tasks, whose "
        f"list in tasks.json has the hash {ids_hash(chosen.tasks)[:DIGITS]}.",
        "In brackets: Wilson 95 % intervals. Episodes that infrastructure ended are unscored and in no rate.",
        _state(standins, reset),
    ]
    if chosen.left_out:
        notes.append(f"{len(chosen.left_out)} tasks of the set did not run: a site that they need is left out.")
    return notes + (_known(ids) if verified else [])


def _state(standins: bool, reset: bool) -> str:
    if not standins:
        done = "reset where WA_FULL_RESET says, once before the run" if reset else "not reset by this command"
        return f"Tasks ran in the dataset's order; the sites were {done}. reset_id in episodes.jsonl tells which reset."
    done = "put back before each task" if reset else "not put back; what was changed before a task is contaminated"
    return (
        "Stand-in sites and tasks of this project's own (docs/webarena.md): no WebArena score. "
        f"Their databases were {done}."
    )


def rescored_lines(again: Rescored) -> list[str]:
    """Return what there is to say of one submission that was scored again."""
    won = sum(score.score == 1.0 for score in again.scores)
    ids = {score.task_id for score in again.scores}
    details = [
        *_flagged("Other than before", again.differing),
        *_flagged("Without an answer or requests, and not scored", again.incomplete),
        *_flagged("Lost because the evaluator itself failed", (s.task_id for s in again.scores if s.status == "error")),
        *_known(ids),
    ]
    head = f"{again.folder}: {won} of {len(again.scores)} tasks won{_interval(won, len(again.scores))}."
    return [head, *(f"  {detail}" for detail in details)]


def _known(ids: Set[int]) -> list[str]:
    return [
        *_flagged(CANNOT_BE_WON, ids & UNWINNABLE),
        *_flagged(WON_BY_CLAIM, ids & TRIVIAL),
        *_flagged(WON_BY_REFUSAL, ids & REFUSABLE),
    ]


def _flagged(what: str, ids: Iterable[int]) -> list[str]:
    listed = ", ".join(map(str, sorted(ids)))
    return [f"{what}: {listed}."] if listed else []


def _interval(won: int, tasks: int) -> str:
    if not tasks:
        return ""
    low, high = wilson(won, tasks)
    return f", {won / tasks:.3f} [{low:.2f}, {high:.2f}]"
