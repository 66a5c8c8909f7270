"""A chat model's answer as text -> AgentDecision, or ParseError. It never guesses and never repairs."""

import json
from functools import partial
from typing import Any

from agent.agent import AgentDecision
from browser.actions import TEXT_LIMIT, ActionName, action_schema, check_action, parse_action
from browser.errors import ActionRejected
from browser.observation import InteractiveElement, Observation

# Characters; a reason is a sentence or two, and every reason is sent back with the history.
REASON_LIMIT = 2_000
# Characters; the longest valid decision still fits with every character written as a pair of \uXXXX escapes (12 each).
ANSWER_LIMIT = 12 * (TEXT_LIMIT + REASON_LIMIT) + 1_000
# Characters of a model's own words quoted back in a reason.
QUOTE_LIMIT = 60

_SHAPE = 'Answer with exactly one JSON object {"reason": "...", "action": {...}} and nothing else'


class ParseError(Exception):
    """The text is not a decision; the message says why in words fit to send back to the model."""


def parse_decision(text: str, observation: Observation, offered: tuple[ActionName, ...]) -> AgentDecision:
    """Return the decision that a text states exactly.

    Raises:
        ParseError: anything but one JSON object with a reason and an action that the observation allows.
    """
    value = read_json(text, _SHAPE)
    if not isinstance(value, dict):
        raise ParseError(f"The answer is not an object. {_SHAPE}.")
    unknown = [key for key in value if key not in ("reason", "action")]
    if unknown:
        raise ParseError(f"The key {_quote(unknown[0])} does not belong in the answer. {_SHAPE}.")
    missing = [key for key in ("reason", "action") if key not in value]
    if missing:
        raise ParseError(f'The key "{missing[0]}" is missing. {_SHAPE}.')
    reason = value["reason"]
    if not isinstance(reason, str):
        raise ParseError('"reason" must be a string.')
    if len(reason) > REASON_LIMIT:
        raise ParseError(f'"reason" is longer than {REASON_LIMIT} characters; say it shorter.')
    if not isinstance(value["action"], dict):
        raise ParseError('"action" must be an object with a "type".')
    try:
        action = parse_action(value["action"], offered)
        check_action(action, observation, offered)
    except ActionRejected as error:
        raise ParseError(str(error)) from None
    return AgentDecision(reason=reason, action=action)


def decision_schema(
    offered: tuple[ActionName, ...], observation: Observation | None = None, reason_limit: int = REASON_LIMIT
) -> dict[str, Any]:
    """Return the JSON schema of a whole decision; with an observation, an action's ids are those that can take it.

    `reason_limit` may ask for shorter reasons than `parse_decision` takes.
    """
    return {
        "type": "object",
        "properties": {
            "reason": {"type": "string", "maxLength": reason_limit},
            "action": _action_schema(offered, observation),
        },
        "required": ["reason", "action"],
        "additionalProperties": False,
    }


def _action_schema(offered: tuple[ActionName, ...], observation: Observation | None) -> dict[str, Any]:
    if observation is None:
        return action_schema(offered)
    variants: list[Any] = []
    for name in offered:
        able = tuple(element for element in observation.elements if _can_take(name, element))
        variants += action_schema((name,), observation.model_copy(update={"elements": able})).get("anyOf", [])
    return {"anyOf": variants} if variants else action_schema((), observation)


def _can_take(name: ActionName, element: InteractiveElement) -> bool:
    """Tell whether `check_action` would let an element take an action of this name."""
    if name == "type":
        return element.editable and not element.readonly and not element.disabled
    if name == "select":
        return bool(element.options) and not element.disabled
    return not element.disabled


def read_json(text: str, shape: str) -> Any:
    """Return the JSON value of a text, refusing what JSON readers commonly let pass.

    Raises:
        ParseError: anything else; the message ends with `shape`, a sentence on what is wanted.
    """
    if not text.strip():
        raise ParseError(f"The answer is empty. {shape}.")
    if len(text) > ANSWER_LIMIT:
        raise ParseError(f"The answer is longer than {ANSWER_LIMIT} characters. {shape}.")
    if text.startswith("\ufeff"):
        raise ParseError(f"The answer begins with a byte order mark. {shape}.")
    if text.lstrip().startswith("```"):
        raise ParseError(f"The answer is wrapped in a code fence. {shape}.")

    def no_constant(name: str) -> Any:
        raise ParseError(f"{name} is not JSON. {shape}.")

    try:
        return json.loads(text, object_pairs_hook=partial(_unique, shape), parse_constant=no_constant)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            raise ParseError(f"There is text after the JSON object. {shape}.") from None
        raise ParseError(f"Not JSON: {error.msg} at character {error.pos}. {shape}.") from None
    except RecursionError:
        raise ParseError(f"The answer is nested too deeply. {shape}.") from None
    except ValueError:  # the interpreter refuses to read integers of thousands of digits
        raise ParseError("A number in the answer has too many digits.") from None


def _unique(shape: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, item in pairs:
        if key in value:
            raise ParseError(f"The key {_quote(key)} is there twice. {shape}.")
        for part in (key, *item) if isinstance(item, list) else (key, item):
            if isinstance(part, str):
                _require_text(part)
        value[key] = item
    return value


def _require_text(text: str) -> None:
    """Refuse half a surrogate pair, which JSON can escape and nothing after it can encode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ParseError("The answer holds half of a surrogate pair, which is not a character.") from None


def _quote(key: str) -> str:
    return ascii(key if len(key) <= QUOTE_LIMIT else key[:QUOTE_LIMIT] + "...")
