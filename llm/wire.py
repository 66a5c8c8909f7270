"""The bodies of OpenAI's two APIs: what is sent, and what an answer says. Knows no connection, key or price."""

from collections.abc import Mapping
from typing import Any, Literal

from llm.chat import ChatRequest
from llm.decision import Frozen, Usage

Api = Literal["chat", "responses"]
Structured = Literal["json_schema", "json_object", "plain"]
Ending = Literal["whole", "cut", "filtered", "refused", "empty", "broken", "failed"]
# Characters; a provider's model name is copied into every record.
NAME_LIMIT = 200
# Tokens or dollars; no call takes more, and a number of a thousand digits cannot be reckoned with.
LARGEST = 10**9


class Dialect(Frozen):
    """What an endpoint takes, as far as it is known by now."""

    structured: Structured = "json_schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """Chat Completions' name for the limit of an answer: OpenAI's newer models refuse the one that all others know."""


class Charged(Frozen):
    """What a body says of who answered and what it took."""

    model: str | None
    usage: Usage
    cost_usd: float | None
    """Dollars, where the provider says so."""


class Answer(Charged):
    """What a body says; `text` is whole where the ending is."""

    ending: Ending
    text: str


class NotAnAnswer(Exception):
    """The body is no answer of this API."""


def simpler(structured: Structured) -> Structured | None:
    """Return the next way to ask for JSON, for an endpoint that does not take this one."""
    following: dict[Structured, Structured] = {"json_schema": "json_object", "json_object": "plain"}
    return following.get(structured)


def body(
    api: Api, request: ChatRequest, dialect: Dialect, *, model: str, temperature: float | None, seed: int | None
) -> dict[str, Any]:
    """Return the JSON to send. The Responses API knows no seed, so that it gets none."""
    messages = [{"role": message.role, "content": sendable(message.content)} for message in request.messages]
    sent: dict[str, Any] = {"model": model}
    if temperature is not None:
        sent["temperature"] = temperature
    schema = {"name": "answer", "schema": request.json_schema, "strict": True}
    form: dict[str, Any] | None = None
    if request.json_schema is not None and dialect.structured != "plain":
        form = {"type": dialect.structured}
    if api == "responses":
        sent |= {"input": messages, "max_output_tokens": request.max_output_tokens, "store": False}
        if form:
            sent["text"] = {"format": form | schema if dialect.structured == "json_schema" else form}
        return sent
    sent |= {"messages": messages, dialect.limit: request.max_output_tokens}
    if seed is not None:
        sent["seed"] = seed
    if form:
        sent["response_format"] = form | {"json_schema": schema} if dialect.structured == "json_schema" else form
    return sent


def read(api: Api, raw: object) -> Answer:
    """Return what the body of an answer says; nothing in it is trusted to have the right type.

    Raises:
        NotAnAnswer: it has no place where the text would be.
    """
    answer = _mapping(raw)
    ending, text = _responses_text(answer) if api == "responses" else _chat_text(answer)
    if ending == "whole" and not text.strip():
        ending = "empty"
    if not _is_text(text):
        ending, text = "broken", ""
    charged = read_charged(answer)
    return Answer(ending=ending, text=text, model=charged.model, usage=charged.usage, cost_usd=charged.cost_usd)


def read_charged(answer: Mapping[str, Any]) -> Charged:
    """Return who answered and what it took; what is not there or of another type is unknown."""
    usage = _mapping(answer.get("usage"))
    return Charged(model=_name(answer), usage=_usage(usage), cost_usd=_cost(usage))


def _chat_text(answer: Mapping[str, Any]) -> tuple[Ending, str]:
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(_mapping(choices[0]).get("message"), Mapping):
        raise NotAnAnswer
    choice, message = choices[0], choices[0]["message"]
    endings: dict[object, Ending] = {"length": "cut", "content_filter": "filtered", "error": "failed"}
    reason = choice.get("finish_reason")
    ending = endings.get(reason, "whole") if isinstance(reason, str) else "whole"
    if ending == "whole" and message.get("refusal"):
        ending = "refused"
    return ending, _joined(message.get("content"), "text")


def _responses_text(answer: Mapping[str, Any]) -> tuple[Ending, str]:
    output = answer.get("output")
    if not isinstance(output, list):
        raise NotAnAnswer
    messages = [item for item in output if _mapping(item).get("type") == "message"]
    text = "".join(_joined(item.get("content"), "output_text") for item in messages)
    if answer.get("status") == "failed":
        return "failed", text
    if answer.get("status") == "incomplete":
        why = _mapping(answer.get("incomplete_details")).get("reason")
        return ("filtered" if why == "content_filter" else "cut"), text
    parts = [_mapping(part) for item in messages for part in _list(item.get("content"))]
    return ("refused" if any(part.get("type") == "refusal" for part in parts) else "whole"), text


def _joined(content: object, kind: str) -> str:
    """Return a message's text, which is a string or a list of typed parts."""
    if isinstance(content, str):
        return content
    parts = [_mapping(part) for part in _list(content)]
    texts = [part.get("text") for part in parts if part.get("type") == kind]
    return "".join(text for text in texts if isinstance(text, str))


def _usage(raw: Mapping[str, Any]) -> Usage:
    # Chat Completions says prompt and completion where Responses says input and output.
    inputs = _mapping(raw.get("prompt_tokens_details", raw.get("input_tokens_details")))
    outputs = _mapping(raw.get("completion_tokens_details", raw.get("output_tokens_details")))
    return Usage(
        input_tokens=_count(raw.get("prompt_tokens", raw.get("input_tokens"))),
        cached_tokens=_count(inputs.get("cached_tokens")),
        output_tokens=_count(raw.get("completion_tokens", raw.get("output_tokens"))),
        reasoning_tokens=_count(outputs.get("reasoning_tokens")),
    )


def _cost(usage: Mapping[str, Any]) -> float | None:
    """Return OpenRouter's `usage.cost`."""
    cost = usage.get("cost")
    if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 <= cost <= LARGEST:
        return None
    return float(cost)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST else None


def _name(answer: Mapping[str, Any]) -> str | None:
    name = answer.get("model")
    return name[:NAME_LIMIT] if isinstance(name, str) and name and _is_text(name) else None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_text(text: str) -> bool:
    """Whether it can be encoded: JSON can escape half of a surrogate pair, and nothing after it can write that."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def sendable(text: str) -> str:
    """Return the text with U+FFFD for each half of a surrogate pair, which a page can hold and no JSON body can."""
    return text if _is_text(text) else "".join("\ufffd" if 0xD800 <= ord(c) <= 0xDFFF else c for c in text)
