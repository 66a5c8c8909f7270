"""A chat model's answer as text -> AgentDecision, or ParseError. It never guesses and never repairs."""

import json
from typing import Any

from agent.agent import AgentDecision
from browser.actions import TEXT_LIMIT, ActionName, action_schema, check_action, parse_action
from browser.errors import ActionRejected
from browser.observation import Observation

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
    value = _decode(text)
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


def decision_schema(offered: tuple[ActionName, ...], observation: Observation | None = None) -> dict[str, Any]:
    """Return the JSON schema of a whole decision; with an observation, ids are limited to those on the page."""
    return {
        "type": "object",
        "properties": {
            "reason": {"type": "string", "maxLength": REASON_LIMIT},
            "action": action_schema(offered, observation),
        },
        "required": ["reason", "action"],
        "additionalProperties": False,
    }


def _decode(text: str) -> Any:
    """Return the JSON value of a text, refusing what JSON readers commonly let pass."""
    if not text.strip():
        raise ParseError(f"The answer is empty. {_SHAPE}.")
    if len(text) > ANSWER_LIMIT:
        raise ParseError(f"The answer is longer than {ANSWER_LIMIT} characters. {_SHAPE}.")
    if text.startswith("\ufeff"):
        raise ParseError(f"The answer begins with a byte order mark. {_SHAPE}.")
    if text.lstrip().startswith("```"):
        raise ParseError(f"The answer is wrapped in a code fence. {_SHAPE}.")
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            raise ParseError(f"There is text after the JSON object. {_SHAPE}.") from None
        raise ParseError(f"Not JSON: {error.msg} at character {error.pos}. {_SHAPE}.") from None
    except RecursionError:
        raise ParseError(f"The answer is nested too deeply. {_SHAPE}.") from None
    except ValueError:  # the interpreter refuses to read integers of thousands of digits
        raise ParseError("A number in the answer has too many digits.") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, item in pairs:
        if key in value:
            raise ParseError(f"The key {_quote(key)} is there twice. {_SHAPE}.")
        for part in (key, item):
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


def _no_constant(name: str) -> Any:
    raise ParseError(f"{name} is not JSON. {_SHAPE}.")


def _quote(key: str) -> str:
    return ascii(key if len(key) <= QUOTE_LIMIT else key[:QUOTE_LIMIT] + "...")
