"""A plan in words, and a chat model's answers about it as text -> Plan or ParseError. Knows no actions."""

from collections.abc import Sequence
from typing import Any, Literal, get_args

from agent.agent import Plan, PlanStep
from agent.parser import ParseError, read_json
from agent.prompt import PLAN_ALL_DONE

# More steps than this are low-level actions, which are not the plan's to name.
STEPS_LIMIT = 6
# Characters; a step is a short sentence, and the plan goes into every prompt.
STEP_CHARS = 120

Progress = Literal["done", "open", "impossible"]

_PLAN_SHAPE = 'Answer with exactly one JSON object {"steps": ["...", ...]} and nothing else'
_PROGRESS_SHAPE = (
    'Answer with exactly one JSON object {"current_step": "done"}, or "open" or "impossible", and nothing else'
)

PLAN_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "steps": {
            "type": "array",
            "items": {"type": "string", "minLength": 1, "maxLength": STEP_CHARS},
            "minItems": 1,
            "maxItems": STEPS_LIMIT,
        }
    },
    "required": ["steps"],
    "additionalProperties": False,
}
PROGRESS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"current_step": {"type": "string", "enum": list(get_args(Progress))}},
    "required": ["current_step"],
    "additionalProperties": False,
}


def plan_text(plan: Plan) -> str:
    """Return the plan as a prompt shows it: the numbered steps, those completed, and the current one."""
    lines = [f"{number}. {step.text}" for number, step in enumerate(plan.steps, start=1)]
    completed = ", ".join(str(number) for number in range(1, plan.completed + 1)) or "none"
    current = f"{plan.completed + 1}. {plan.current.text}" if plan.current else PLAN_ALL_DONE
    return "\n".join(["Plan:", *lines, f"Completed: {completed}", f"Current: {current}"])


def parse_plan(text: str) -> Plan:
    """Return the plan that a model's answer states exactly, nothing of it completed.

    Raises:
        ParseError: anything but one JSON object with 1 to STEPS_LIMIT short steps.
    """
    steps = _only(read_json(text, _PLAN_SHAPE), "steps", _PLAN_SHAPE)
    if not isinstance(steps, list) or not all(isinstance(step, str) for step in steps):
        raise ParseError(f'"steps" must be a list of strings. {_PLAN_SHAPE}.')
    lines = [" ".join(step.split()) for step in steps]
    if not 1 <= len(lines) <= STEPS_LIMIT or not all(lines):
        raise ParseError(f'"steps" must hold 1 to {STEPS_LIMIT} sentences, none of them empty.')
    if too_long := [line for line in lines if len(line) > STEP_CHARS]:
        raise ParseError(f"Step {lines.index(too_long[0]) + 1} is longer than {STEP_CHARS} characters; say it shorter.")
    return Plan(steps=tuple(PlanStep(text=line) for line in lines))


def parse_progress(text: str) -> Progress:
    """Return the judgement that a model's answer states exactly.

    Raises:
        ParseError: anything but one JSON object with one of the three words.
    """
    value = _only(read_json(text, _PROGRESS_SHAPE), "current_step", _PROGRESS_SHAPE)
    words: Sequence[Progress] = get_args(Progress)
    for word in words:
        if value == word:
            return word
    raise ParseError(f'"current_step" must be one of {", ".join(words)}.')


def _only(value: Any, key: str, shape: str) -> Any:
    if not isinstance(value, dict) or list(value) != [key]:
        raise ParseError(f'The answer is not an object with the one key "{key}". {shape}.')
    return value[key]
