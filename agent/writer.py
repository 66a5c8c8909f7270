"""Text for a field that neither the goal nor the page holds: one question to a chat model (rules T1, T2).

It is never asked about a credential field, and writes into no page: an agent types what it gets, or does not.
"""

import re
from collections.abc import Sequence
from typing import Any

from agent.ask import Unanswered, ask
from agent.history import NAME_CHARS, one_line, quoted
from agent.messages import harmless, messages
from agent.parser import ParseError, read_json
from agent.prompt import WRITER_FORMATS, WRITER_QUESTION, WRITER_RULES
from agent.tick import PastStep
from agent.values import TextSource, TextValue, field_text
from browser.actions import TEXT_LIMIT
from browser.observation import Frozen, InteractiveElement, Observation
from llm.chat import ChatError, ChatModel, ChatRequest, Message
from llm.decision import ModelCall

# A page, a goal and a past, far below what the smallest model is served with.
PROMPT_TOKENS = 2_800
# A letter of some hundred words.
ANSWER_TOKENS = 400

_SHAPE = 'Answer with exactly one JSON object {"text": "..."} or {"text": null} and nothing else'
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"text": {"anyOf": [{"type": "string", "maxLength": TEXT_LIMIT}, {"type": "null"}]}},
    "required": ["text"],
    "additionalProperties": False,
}
# What a date or a time is read as, to be written as the field takes it.
_MOMENTS = {"date": "date", "datetime-local": "date", "month": "date", "week": "date", "time": "time"}


class Written(Frozen):
    """What the writer gave for a field."""

    text: str | None
    """None where it declined or its answers were of no use."""
    source: TextSource
    """writer, writer_declined or writer_error."""
    calls: tuple[ModelCall, ...] = ()


class Writer:
    """Writes the text of one field, as a person with this goal would."""

    def __init__(self, model: ChatModel) -> None:
        self.name = model.name
        self._model = model

    def write(self, observation: Observation, past: Sequence[PastStep], field: InteractiveElement) -> Written:
        """Return a text in the form that the field takes, or why there is none; asked again once if it is malformed.

        Raises:
            ValueError: a credential field, for which nobody is asked.
            ChatError: no answer from the endpoint, with the calls made.
            Unanswered: the money is spent.
        """
        if field.credential:
            raise ValueError(f"Element {field.id} asks for a credential; no writer is asked for one.")
        question = WRITER_QUESTION.format(field=harmless(described(field)))
        system = Message(role="system", content=WRITER_RULES)

        def build(max_tokens: int) -> ChatRequest:
            return ChatRequest(
                messages=messages(system, observation, past, question, (), max_tokens),
                json_schema=_SCHEMA,
                max_output_tokens=ANSWER_TOKENS,
            )

        try:
            text, calls = ask(self._model, build, lambda answer: parse_text(answer, field), PROMPT_TOKENS)
        except Unanswered as error:
            error.calls = as_writers(error.calls)
            if error.end == "cost_limit":
                raise
            return Written(text=None, source="writer_error", calls=error.calls)
        except ChatError as error:
            error.calls = as_writers(error.calls)
            raise
        return Written(text=text, source="writer_declined" if text is None else "writer", calls=as_writers(calls))


def as_writers(calls: tuple[ModelCall, ...]) -> tuple[ModelCall, ...]:
    """Return the calls as a record tells them apart: made to write, not to decide."""
    return tuple(call.model_copy(update={"kind": "writer"}) for call in calls)


def described(field: InteractiveElement) -> str:
    """Return a field in words: its number, role, name, the label before it, and the form of what it takes."""
    name = field.name or field.placeholder or field.hint
    words = [f"[{field.id}] {field.role}", quoted(name) if name else ""]
    words += [f"after the text {quoted(field.before)}"] if field.before and field.before != name else []
    words += [f"with the placeholder {quoted(field.placeholder)}"] if field.placeholder not in (None, name) else []
    words += [WRITER_FORMATS[field.input_type]] if field.input_type in WRITER_FORMATS else []
    words += [f"at least {one_line(field.minimum, NAME_CHARS)}"] if field.minimum else []
    words += [f"at most {one_line(field.maximum, NAME_CHARS)}"] if field.maximum else []
    words += [f"autocomplete {one_line(field.autocomplete, NAME_CHARS)}"] if field.autocomplete else []
    words += [f"which holds {quoted(field.value)} now"] if field.value else []
    return ", ".join(filter(None, (" ".join(filter(None, words[:2])), *words[2:])))


def parse_text(answer: str, field: InteractiveElement) -> str | None:
    """Return the text that an answer states exactly, as this field takes it; None where it declines.

    Raises:
        ParseError: another shape, an empty text, or one that the field cannot hold.
    """
    value = read_json(answer, _SHAPE)
    if not isinstance(value, dict) or list(value) != ["text"]:
        raise ParseError(f'The answer is not an object with the one key "text". {_SHAPE}.')
    text = value["text"]
    if text is None:
        return None
    if not isinstance(text, str) or not text.strip():
        raise ParseError('"text" must be a text, or null where nothing should be typed.')
    if len(text) > TEXT_LIMIT:
        raise ParseError(f'"text" is longer than {TEXT_LIMIT} characters.')
    if field.tag != "textarea" and re.search(r"[\r\n]", text):
        raise ParseError('"text" has a line break, and the field is a single line.')
    kind = _MOMENTS.get(field.input_type or "", "written")
    fitting = field_text(TextValue(text=text, source="writer", kind=kind), field)
    if fitting is None:
        raise ParseError(f'"text" does not fit a field of type {field.input_type}.')
    return fitting
