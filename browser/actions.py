"""What an agent can do: one definition that gives the validator, the JSON schema and the prompt text.

Knows nothing of Playwright (see execute.py), of models or of benchmarks.
"""

import re
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, TypeAdapter, ValidationError

from browser.errors import ActionRejected
from browser.observation import Frozen, InteractiveElement, Observation

# Long enough for an e-mail or a form's letter; a runaway answer is refused before it reaches a page.
TEXT_LIMIT = 10_000
URL_LIMIT = 2_000
# The largest whole number that a page's JavaScript holds exactly; thousands of digits would only fill an error message.
ID_LIMIT = 2**53 - 1
# Characters of a value that an error message quotes.
QUOTE_LIMIT = 60

_WEB_ADDRESS = re.compile(r"https?://[^\s/?#]\S*")

Direction = Literal["up", "down", "left", "right"]
Key = Literal[
    "Enter", "Tab", "Escape", "Backspace", "Delete", "Space", "Home", "End", "PageUp", "PageDown",
    "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight",
]  # fmt: skip

ElementId = Annotated[int, Field(ge=1, le=ID_LIMIT, description="id of an element of the current observation")]


class Click(Frozen):
    """Click an element."""

    type: Literal["click"] = "click"
    element_id: ElementId


class Type(Frozen):
    """Replace what an editable element holds with a text."""

    type: Literal["type"] = "type"
    element_id: ElementId
    text: Annotated[str, Field(max_length=TEXT_LIMIT, description="the new text; empty clears the field")]


class Select(Frozen):
    """Choose an option of a select element by its label."""

    type: Literal["select"] = "select"
    element_id: ElementId
    option: Annotated[str, Field(max_length=TEXT_LIMIT, description="label of one of the listed options")]


class Scroll(Frozen):
    """Scroll the page, or its main scroll area, by most of a screen."""

    type: Literal["scroll"] = "scroll"
    direction: Direction


class Press(Frozen):
    """Press a key, on an element or on whatever has the focus."""

    type: Literal["press"] = "press"
    element_id: Annotated[int | None, Field(ge=1, le=ID_LIMIT, description="element to focus first, or null")] = None
    key: Key


class Navigate(Frozen):
    """Open an http or https address in the active tab."""

    type: Literal["navigate"] = "navigate"
    url: Annotated[str, Field(max_length=URL_LIMIT, description="absolute address")]


class GoBack(Frozen):
    """Go back one page in the active tab's history."""

    type: Literal["go_back"] = "go_back"


class Wait(Frozen):
    """Wait for the page to change by itself."""

    type: Literal["wait"] = "wait"


class Finish(Frozen):
    """End the episode and answer the user; the message is the answer, empty where none is asked for."""

    type: Literal["finish"] = "finish"
    message: Annotated[str, Field(max_length=TEXT_LIMIT, description="the answer")]


BrowserAction = Annotated[
    Click | Type | Select | Scroll | Press | Navigate | GoBack | Wait | Finish,
    Field(discriminator="type"),
]

ActionName = Literal["click", "type", "select", "scroll", "press", "navigate", "go_back", "wait", "finish"]
ACTIONS: dict[ActionName, type[Frozen]] = {
    "click": Click, "type": Type, "select": Select, "scroll": Scroll, "press": Press,
    "navigate": Navigate, "go_back": GoBack, "wait": Wait, "finish": Finish,
}  # fmt: skip
CORE_ACTIONS: tuple[ActionName, ...] = get_args(ActionName)

_ADAPTER: TypeAdapter[Any] = TypeAdapter(BrowserAction)


def parse_action(value: object, offered: tuple[ActionName, ...] = CORE_ACTIONS) -> BrowserAction:
    """Return the BrowserAction that a decoded JSON object stands for.

    Raises:
        ActionRejected: anything but exactly the fields of one offered action.
    """
    name = value.get("type") if isinstance(value, dict) else None
    if not isinstance(name, str) or name not in offered:
        raise ActionRejected(f"action.type must be one of {', '.join(offered)}; got {_short(name)}.")
    try:
        action: BrowserAction = _ADAPTER.validate_python(value)
        return action
    except ValidationError as error:
        raise ActionRejected(f"action {name}: {first_fault(error)}") from None


def first_fault(error: ValidationError) -> str:
    """Return the first fault of a pydantic error as one sentence that quotes no value longer than a word."""
    fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
    parts = [str(part) for part in fault["loc"]]
    if parts and parts[0] in ACTIONS:  # the union puts the action's name before the field
        parts = parts[1:]
    field = ".".join(
        part if part.replace("_", "").isalnum() and len(part) <= QUOTE_LIMIT else _short(part) for part in parts
    )
    return f"{field or 'value'}: {fault['msg']}."


def check_action(
    action: Any, observation: Observation, offered: tuple[ActionName, ...] = CORE_ACTIONS
) -> InteractiveElement | None:
    """Return the element an action addresses (None where it needs none) if the observation allows the action.

    Raises:
        ActionRejected: the action is not offered, the id is not on the page, the element is disabled or cannot take
            this action, or the option is not listed.
    """
    if action.type not in offered:
        raise ActionRejected(f"{action.type} is not offered here; offered are {', '.join(offered)}.")
    if isinstance(action, Navigate) and not _WEB_ADDRESS.fullmatch(action.url):
        raise ActionRejected("navigate takes an absolute http or https address.")
    element_id = getattr(action, "element_id", None)
    if element_id is None:
        return None
    element = observation.element(element_id)
    if element is None:
        raise ActionRejected(f"No element {element_id} on this page; {_known_ids(observation)}.")
    if element.disabled:
        raise ActionRejected(f"Element {element_id} is disabled.")
    if isinstance(action, Type) and not (element.editable and not element.readonly):
        raise ActionRejected(f"Element {element_id} ({element.role}) takes no text.")
    if isinstance(action, Select):
        _check_option(action, element)
    return element


def _check_option(action: Select, element: InteractiveElement) -> None:
    if not element.options:
        raise ActionRejected(f"Element {element.id} ({element.role}) has no options; click it instead.")
    matches = [option for option in element.options if option.label == action.option]
    if not matches:
        labels = ", ".join(_short(option.label) for option in element.options[:20])
        more = f" and {len(element.options) - 20} more" if len(element.options) > 20 else ""
        raise ActionRejected(
            f"Element {element.id} has no option {_short(action.option)}; its options are {labels}{more}."
        )
    if all(option.disabled for option in matches):
        raise ActionRejected(f"Option {_short(action.option)} of element {element.id} is disabled.")


def action_schema(offered: tuple[ActionName, ...], observation: Observation | None = None) -> dict[str, Any]:
    """Return the JSON schema of one offered action; with an observation, ids are limited to those on the page."""
    ids = [e.id for e in observation.elements] if observation is not None else None
    possible = [name for name in offered if ids != [] or not _needs_element(name)]
    return {"anyOf": [_variant(name, ids) for name in possible]} if possible else {"not": {}}


def _needs_element(name: ActionName) -> bool:
    field = ACTIONS[name].model_fields.get("element_id")
    return field is not None and field.is_required()


def _variant(name: ActionName, ids: list[int] | None) -> dict[str, Any]:
    schema = ACTIONS[name].model_json_schema()
    properties: dict[str, Any] = schema["properties"]
    properties["type"] = {"type": "string", "const": name}
    if ids is not None and "element_id" in properties:
        properties["element_id"] = {"enum": ids if _needs_element(name) else [*ids, None]}
    return {
        "type": "object",
        "properties": {key: _bare(value) for key, value in properties.items()},
        "required": list(properties),
        "additionalProperties": False,
    }


def _bare(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in ("title", "default")}


def action_prompt(offered: tuple[ActionName, ...]) -> str:
    """Return one line per offered action, with its fields and what it does, for a prompt."""
    return "\n".join(_prompt_line(name) for name in offered)


def _prompt_line(name: ActionName) -> str:
    model = ACTIONS[name]
    fields = [f'"type": "{name}"']
    for key, field in model.model_fields.items():
        if key != "type":
            choices = get_args(field.annotation) if key in ("direction", "key") else ()
            kind = "|".join(choices) if choices else field.description or "text"
            fields.append(f'"{key}": <{kind}>')
    return f"{{{', '.join(fields)}}}  {model.__doc__}"


def _known_ids(observation: Observation) -> str:
    ids = [e.id for e in observation.elements]
    if not ids:
        return "it has no elements"
    if ids == list(range(ids[0], ids[-1] + 1)):
        return f"ids run {ids[0]} to {ids[-1]}"
    shown = ", ".join(str(i) for i in ids[:40])
    return f"ids are {shown}" + (f" and {len(ids) - 40} more" if len(ids) > 40 else "")


def _short(value: object) -> str:
    """Return a value as a message quotes it: a text as its first characters, nothing else in full."""
    if not isinstance(value, str):
        return "nothing" if value is None else f"a value of type {type(value).__name__}"
    return repr(value if len(value) <= QUOTE_LIMIT else value[: QUOTE_LIMIT - 3] + "...")
