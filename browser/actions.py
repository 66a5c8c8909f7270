"""What an agent can do: one definition that gives the validator, the JSON schema and the prompt text.

Knows nothing of Playwright (see execute.py), of models or of benchmarks.
"""

import re
from typing import Annotated, Any, Literal, get_args
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError, WithJsonSchema
from pydantic_core import PydanticCustomError

from browser.errors import ActionRejected
from browser.observation import Frozen, InteractiveElement, Observation

# Long enough for an e-mail or a form's letter; a runaway answer is refused before it reaches a page.
TEXT_LIMIT = 10_000
URL_LIMIT = 2_000
# The largest whole number that a page's JavaScript holds exactly; thousands of digits would only fill an error message.
ID_LIMIT = 2**53 - 1
# Characters of a value that an error message quotes.
QUOTE_LIMIT = 60

# Wider than any screen; a drag beyond it is a mistake.
PIXEL_LIMIT = 20_000
# Modifiers, then one key of the keyboard: a character, "+" among them, or a name.
CHORD = (
    r"^(?:(?:Control|Shift|Alt|Meta)\+){0,4}"
    r"(?:[!-~]|F(?:[1-9]|1[0-2])|Enter|Tab|Escape|Backspace|Delete|Insert|Space|Home|End|PageUp|PageDown|"
    r"Arrow(?:Up|Down|Left|Right))$"
)
CHORD_HINT = "such as Control+A, Shift+Tab or F2"

# No backslash before the path: a browser takes one for a slash, Python does not, so that they see different hosts.
_WEB_ADDRESS = re.compile(r"https?://[^\s/?#\\]+([/?#]\S*)?")

Direction = Literal["up", "down", "left", "right"]
Key = Literal[
    "Enter", "Tab", "Escape", "Backspace", "Delete", "Space", "Home", "End", "PageUp", "PageDown",
    "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight",
]  # fmt: skip


def _chord(text: str) -> str:
    if re.fullmatch(CHORD, text) is None:
        raise PydanticCustomError("chord", f"Should be one key, after modifiers or alone, {CHORD_HINT}")
    return text


ElementId = Annotated[int, Field(ge=1, le=ID_LIMIT, description="id of an element of the current observation")]
OptionalId = Annotated[int | None, Field(ge=1, le=ID_LIMIT, description="element to focus first, or null")]
# Checked by hand for an error that quotes no pattern.
Chord = Annotated[
    str,
    AfterValidator(_chord),
    WithJsonSchema({"type": "string", "pattern": CHORD, "description": CHORD_HINT}),
    Field(description=CHORD_HINT),
]


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
    element_id: OptionalId = None
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


class Hover(Frozen):
    """Move the pointer onto an element and leave it there."""

    type: Literal["hover"] = "hover"
    element_id: ElementId


class DoubleClick(Frozen):
    """Double-click an element."""

    type: Literal["double_click"] = "double_click"
    element_id: ElementId


class ClickAt(Frozen):
    """Click at a place inside an element, such as a canvas, a picture or a slider."""

    type: Literal["click_at"] = "click_at"
    element_id: ElementId
    x: Annotated[int, Field(ge=0, le=PIXEL_LIMIT, description="pixels from the element's left edge")]
    y: Annotated[int, Field(ge=0, le=PIXEL_LIMIT, description="pixels from the element's top edge")]


class Drag(Frozen):
    """Drag an element onto another one."""

    type: Literal["drag"] = "drag"
    element_id: ElementId
    to_element_id: Annotated[int, Field(ge=1, le=ID_LIMIT, description="id of the element to drop it on")]


class DragBy(Frozen):
    """Press the mouse on an element, move by an offset, and let go."""

    type: Literal["drag_by"] = "drag_by"
    element_id: ElementId
    dx: Annotated[int, Field(ge=-PIXEL_LIMIT, le=PIXEL_LIMIT, description="pixels to the right")]
    dy: Annotated[int, Field(ge=-PIXEL_LIMIT, le=PIXEL_LIMIT, description="pixels down")]
    x: Annotated[int | None, Field(ge=0, le=PIXEL_LIMIT, description="where to press, from the left, or null")] = None
    y: Annotated[int | None, Field(ge=0, le=PIXEL_LIMIT, description="where to press, from the top, or null")] = None


class Keys(Frozen):
    """Press a key together with others, on an element or on whatever has the focus."""

    type: Literal["keys"] = "keys"
    element_id: OptionalId = None
    keys: Chord


class ScrollIn(Frozen):
    """Scroll inside an element, or the area around it, by most of its height or width."""

    type: Literal["scroll_in"] = "scroll_in"
    element_id: ElementId
    direction: Direction


class Finish(Frozen):
    """End the episode and answer the user; the message is the answer, empty where none is asked for."""

    type: Literal["finish"] = "finish"
    message: Annotated[str, Field(max_length=TEXT_LIMIT, description="the answer")]


BrowserAction = Annotated[
    Click | Type | Select | Scroll | Press | Navigate | GoBack | Wait | Finish
    | Hover | DoubleClick | ClickAt | Drag | DragBy | Keys | ScrollIn,
    Field(discriminator="type"),
]  # fmt: skip

ActionName = Literal[
    "click", "type", "select", "scroll", "press", "navigate", "go_back", "wait", "finish",
    "hover", "double_click", "click_at", "drag", "drag_by", "keys", "scroll_in",
]  # fmt: skip
ACTIONS: dict[ActionName, type[Frozen]] = {
    "click": Click, "type": Type, "select": Select, "scroll": Scroll, "press": Press,
    "navigate": Navigate, "go_back": GoBack, "wait": Wait, "finish": Finish,
    "hover": Hover, "double_click": DoubleClick, "click_at": ClickAt, "drag": Drag, "drag_by": DragBy,
    "keys": Keys, "scroll_in": ScrollIn,
}  # fmt: skip
CORE_ACTIONS: tuple[ActionName, ...] = (
    "click", "type", "select", "scroll", "press", "navigate", "go_back", "wait", "finish",
)  # fmt: skip
EXTENDED_ACTIONS: tuple[ActionName, ...] = get_args(ActionName)
"""The core actions and the finer ones of pointer and keyboard, which a run has to ask for."""
# Fields that hold the id of an element.
_ID_FIELDS = ("element_id", "to_element_id")

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
    named = [_present(element_id, observation) for element_id in _ids(action)]
    for element in named:
        if element.disabled:
            raise ActionRejected(f"Element {element.id} is disabled.")
    if not named:
        return None
    element = named[0]
    if isinstance(action, Drag) and action.element_id == action.to_element_id:
        raise ActionRejected("drag takes two elements; drag_by moves one by an offset.")
    if isinstance(action, DragBy) and (action.x is None) != (action.y is None):
        raise ActionRejected("drag_by takes both x and y, or neither.")
    if isinstance(action, Type) and not (element.editable and not element.readonly):
        raise ActionRejected(f"Element {element.id} ({element.role}) takes no text.")
    if isinstance(action, Select):
        _check_option(action, element)
    return element


def _ids(action: Any) -> list[int]:
    return [getattr(action, name) for name in _ID_FIELDS if getattr(action, name, None) is not None]


def check_permitted(
    action: Any,
    observation: Observation,
    *,
    allow_credentials: bool,
    allowed_hosts: tuple[str, ...] | None,
) -> None:
    """Refuse what a run does not allow on any page.

    Args:
        observation: the one that `check_action` was given.
        allow_credentials: text may go into fields that ask for a password, a code or card data.
        allowed_hosts: hosts that navigate may open, with their port where one is given; ".a.org" is all hosts below
            a.org; None is any host.

    Raises:
        ActionRejected
    """
    if not allow_credentials:
        for element in _receivers(action, observation):
            if element.credential:
                raise ActionRejected(
                    f"Element {element.id} asks for a password, a code or card data; this run puts nothing into such "
                    "fields."
                )
    if isinstance(action, Navigate) and allowed_hosts is not None and not _on_hosts(action.url, allowed_hosts):
        raise ActionRejected(f"navigate opens only addresses on {', '.join(allowed_hosts)} here.")


def _receivers(action: Any, observation: Observation) -> list[InteractiveElement]:
    """Return the elements that an action could put text into, or take text out of unseen."""
    named = [_present(element_id, observation) for element_id in _ids(action)]
    if isinstance(action, Type | Drag | DragBy):  # what is dragged may be a selected text
        return named
    if not isinstance(action, Press | Keys) or not _writes(action.key if isinstance(action, Press) else action.keys):
        return []
    # What takes no focus leaves the keys to whatever has it.
    return named if named and named[0].editable else [*named, *(e for e in observation.elements if e.focused)]


def _writes(keys: str) -> bool:
    """Tell whether a key types a character, or with its modifiers may paste or copy a text."""
    key = keys.rpartition("+")[2] or "+"
    return len(key) == 1 or key in ("Space", "Insert")


def _on_hosts(url: str, hosts: tuple[str, ...]) -> bool:
    try:
        parts = urlsplit(url)
        places = {str(parts.hostname).lower(), f"{parts.hostname}:{parts.port}".lower()}
    except ValueError:  # a port that is no number
        return False
    return any(
        host.lower() in places or (host.startswith(".") and str(parts.hostname).lower().endswith(host.lower()))
        for host in hosts
    )


def _present(element_id: int, observation: Observation) -> InteractiveElement:
    element = observation.element(element_id)
    if element is None:
        raise ActionRejected(f"No element {element_id} on this page; {_known_ids(observation)}.")
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
    for key in _ID_FIELDS:
        if ids is not None and key in properties:
            properties[key] = {"enum": ids if ACTIONS[name].model_fields[key].is_required() else [*ids, None]}
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
