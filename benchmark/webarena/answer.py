"""What an agent says at its end, in the form that WebArena-Verified's evaluator takes. Knows no task.

An agent that answers in that form is taken at its word. For one that does not, the rules here are the same in every
task, so that nothing of what a task expects gets into its answer.
"""

import json

from pydantic import JsonValue

from agent.agent import AgentStep

# What WebArena's original agents answer where a task cannot be done.
NOT_POSSIBLE = "n/a"
# What the evaluator's schema has for a task that cannot be done, however it was tried.
IMPOSSIBLE = ("NOT_FOUND_ERROR", "ACTION_NOT_ALLOWED_ERROR", "PERMISSION_DENIED_ERROR")
UNDONE = "the agent reports that the task cannot be done"


def verified_answer(last: AgentStep | None) -> JsonValue:
    """Return the answer of an agent whose last step this is: an object, or None where it gave none.

    A message that is a JSON object is returned as it is, right or wrong. Any other text is one retrieved datum, no
    text at all claims a change that was made, and "N/A" or an agent that reports the task infeasible says that
    something was not found.
    """
    if last is None:
        return None
    if last.action is None:
        return _not_found(last.reason) if last.end == "infeasible_reported" else None
    if last.action.type != "finish":
        return None
    message = last.action.message.strip()
    given = _object(message)
    if given is not None:
        return given
    if message.lower() == NOT_POSSIBLE:
        return _not_found("")
    if not message:
        return _answer("MUTATE", "SUCCESS", None, None)
    return _answer("RETRIEVE", "SUCCESS", [message], None)


def says_impossible(answer: JsonValue) -> bool:
    """Return whether an answer says that the task cannot be done."""
    return isinstance(answer, dict) and str(answer.get("status")).upper() in IMPOSSIBLE


def answer_rules(schema: dict[str, JsonValue]) -> str:
    """Return what is told beside the goal: the form of the answer, as the evaluator's own schema states it."""
    return (
        "When you are done, finish with a message that is one JSON object and nothing else, valid by this schema:\n"
        + json.dumps(schema, separators=(",", ":"))
    )


def _object(message: str) -> dict[str, JsonValue] | None:
    text = message.removeprefix("```json").removeprefix("```").removesuffix("```")
    try:
        given = json.loads(text)
    except ValueError:
        return None
    return given if isinstance(given, dict) else None


def _not_found(why: str) -> JsonValue:
    return _answer("RETRIEVE", "NOT_FOUND_ERROR", None, why or UNDONE)


def _answer(task_type: str, status: str, data: list[JsonValue] | None, why: str | None) -> JsonValue:
    return {"task_type": task_type, "status": status, "retrieved_data": data, "error_details": why}
