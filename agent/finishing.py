"""The last word of a run (rule E1): DONE is a claim, so that what it is claimed on is kept, and a chat model answers.

The verdict is the environment's alone.
"""

from collections.abc import Sequence

from agent.ask import Unanswered, ask
from agent.messages import messages
from agent.parser import ParseError, read_json
from agent.prompt import FINISH_QUESTION, FINISH_RULES
from agent.tick import PastStep
from browser.actions import TEXT_LIMIT
from browser.observation import Observation
from llm.chat import ChatError, ChatModel, ChatRequest, Message
from llm.decision import ModelCall

# Characters of the page that a record keeps beside the claim.
EVIDENCE_CHARS = 2_000
# Of about 20,000 characters of page, more than an observation holds of most; halved where a model cannot take it.
PROMPT_TOKENS = 7_000
ANSWER_TOKENS = 400

_SHAPE = 'Answer with exactly one JSON object {"message": "..."} and nothing else'
_SCHEMA = {
    "type": "object",
    "properties": {"message": {"type": "string", "minLength": 1, "maxLength": TEXT_LIMIT}},
    "required": ["message"],
    "additionalProperties": False,
}


def evidence(observation: Observation) -> str:
    """Return the beginning of the page's text, a block on each line; fields are not in it."""
    return "\n".join(block.text for block in observation.texts)[:EVIDENCE_CHARS]


def last_message(
    model: ChatModel, observation: Observation, past: Sequence[PastStep]
) -> tuple[str, tuple[ModelCall, ...]]:
    """Return what a chat model answers the user with on the last page, "" where that is of no use; and its calls.

    It reads all that the observation holds of the page. That is what was looked at after the last action: bounded text
    blocks and rows, not the whole of a long page.

    Raises:
        ChatError: no answer from the endpoint, with the calls made.
    """
    system = Message(role="system", content=FINISH_RULES)

    def build(max_tokens: int) -> ChatRequest:
        asked = messages(system, observation, past, FINISH_QUESTION, (), max_tokens)
        return ChatRequest(messages=asked, json_schema=_SCHEMA, max_output_tokens=ANSWER_TOKENS)

    try:
        message, calls = ask(model, build, parse_message, PROMPT_TOKENS)
    except Unanswered as error:
        return "", _as_finishing(error.calls)
    except ChatError as error:
        error.calls = _as_finishing(error.calls)
        raise
    return message, _as_finishing(calls)


def parse_message(answer: str) -> str:
    """Return the message that an answer states exactly.

    Raises:
        ParseError: another shape, an empty message or one that is too long.
    """
    value = read_json(answer, _SHAPE)
    if not isinstance(value, dict) or list(value) != ["message"]:
        raise ParseError(f'The answer is not an object with the one key "message". {_SHAPE}.')
    message = value["message"]
    if not isinstance(message, str) or not message.strip() or len(message) > TEXT_LIMIT:
        raise ParseError(f'"message" must be a text of 1 to {TEXT_LIMIT} characters.')
    return message


def _as_finishing(calls: tuple[ModelCall, ...]) -> tuple[ModelCall, ...]:
    return tuple(call.model_copy(update={"kind": "finish"}) for call in calls)
