"""Scores answers for webarena/verified.py, under the evaluator's own interpreter: JSON lines in, JSON lines out.

Imports nothing of this project, whose packages are not installed there.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any


def main() -> int:
    """Answer the requests on stdin until it ends.

    The first is {"environments": {"__SHOPPING__": {"urls": [...]}}, "tasks": null}; a path there names a file of tasks
    beside the package's own.
    """
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever the package prints is no reply
    judge: Any = None
    others: dict[int, Any] = {}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "environments" in request:
                judge = _judge(request["environments"])
                others = _tasks(request["tasks"])
                reply = _identity(judge, request["tasks"])
            else:
                reply = _score(judge, request, others)
        except Exception as error:
            reply = {"error": _first_line(f"{type(error).__name__}: {error}")}
        replies.write(json.dumps(reply) + "\n")
        replies.flush()
    return 0


def _judge(environments: dict[str, Any]) -> Any:
    from webarena_verified.api import WebArenaVerified
    from webarena_verified.types.config import WebArenaVerifiedConfig

    return WebArenaVerified(config=WebArenaVerifiedConfig(environments=environments))


def _tasks(path: str | None) -> dict[int, Any]:
    if path is None:
        return {}
    from webarena_verified.types.task import WebArenaVerifiedTask

    listed = json.loads(Path(path).read_text(encoding="utf-8"))
    return {row["task_id"]: WebArenaVerifiedTask.model_validate(row) for row in listed}


def _identity(judge: Any, tasks: str | None) -> dict[str, Any]:
    from importlib.metadata import version

    from webarena_verified.core.utils.checksum import compute_data_file_checksum, compute_evaluator_checksum
    from webarena_verified.types.agent_response import FinalAgentResponse

    return {
        "version": version("webarena-verified"),
        "evaluator_checksum": compute_evaluator_checksum(),
        "data_checksum": compute_data_file_checksum(Path(tasks) if tasks else judge.config.test_data_file),
        "answer_schema": FinalAgentResponse.model_json_schema(),
    }


def _score(judge: Any, request: dict[str, Any], others: dict[int, Any]) -> dict[str, Any]:
    """Score one task: its answer in "answer" (any JSON value), its requests in "har" (a path) or "entries" (a list)."""
    trace = Path(request["har"]) if "har" in request else request["entries"]
    task = others.get(request["task_id"])
    if task is None:
        result = judge.evaluate_task(task_id=request["task_id"], agent_response=request["answer"], network_trace=trace)
    else:
        result = _score_other(judge, task, request["answer"], trace)
    return {
        "task_id": result.task_id,
        "score": float(result.score),
        "status": str(result.status.value),
        "checks": [_check(check) for check in result.evaluators_results],
        "error": _first_line(result.error_msg) if result.error_msg else None,
    }


def _score_other(judge: Any, task: Any, answer: Any, trace: Any) -> Any:
    """Score a task that is not the package's own: it takes files of exactly 812, but any task as an object."""
    from webarena_verified.types.eval import TaskEvalContext
    from webarena_verified.types.tracing import NetworkTrace

    context = TaskEvalContext(
        task=task,
        agent_response_raw=answer,
        network_trace=NetworkTrace.from_content(trace),
        config=judge.config,
    )
    return judge._evaluator.evaluate_task(context=context)


def _first_line(text: str) -> str:
    # What follows it may quote pages.
    return text.strip().splitlines()[0][:300].rstrip(".")


def _check(check: Any) -> dict[str, Any]:
    failed = [assertion for assertion in check.assertions or () if not assertion.is_success]
    said = [message for assertion in failed for message in assertion.assertion_msgs or ()]
    return {
        "evaluator": str(check.evaluator_name),
        "score": float(check.score),
        "said": [*said, check.error_msg] if check.error_msg else said,
    }


if __name__ == "__main__":
    raise SystemExit(main())
