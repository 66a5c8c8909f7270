"""What an agent sees: one frozen, typed picture of a page. Knows neither models nor benchmarks."""

import hashlib
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Frozen(BaseModel):
    """A value that crosses a folder's border: immutable, no unknown keys, no silent conversion."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Box(Frozen):
    """A rectangle in CSS pixels, relative to the viewport's top left corner."""

    x: int
    y: int
    width: int
    height: int


class SelectOption(Frozen):
    """One choice of a native select."""

    label: str
    selected: bool = False
    disabled: bool = False
    group: str | None = None


class InteractiveElement(Frozen):
    """One control of the page, as a person would name it."""

    id: int
    """The same for as long as the node lives; a replaced or cloned node gets a new one."""
    role: str
    """The ARIA role; "generic" for a node that only its listeners or its cursor show to be a control."""
    name: str = ""
    """The accessible name, or the node's own text where it has none."""
    tag: str = ""
    value: str | None = None
    """What a field holds. Always None for a credential field: those are never read."""
    filled: bool | None = None
    """For a field: whether it holds anything."""
    credential: bool = False
    """A field that asks for a password, a code or card data."""
    input_type: str | None = None
    placeholder: str | None = None
    autocomplete: str | None = None
    minimum: str | None = None
    maximum: str | None = None
    checked: bool | Literal["mixed"] | None = None
    selected: bool | None = None
    expanded: bool | None = None
    has_popup: bool = False
    """Opens a menu, list or dialog."""
    pressed: bool | None = None
    disabled: bool = False
    readonly: bool = False
    required: bool = False
    focused: bool = False
    editable: bool = False
    """Text can be typed into it."""
    draggable: bool = False
    aria_hidden: bool = False
    """Kept from assistive technology; a click may still land."""
    multiple: bool = False
    options: tuple[SelectOption, ...] = ()
    covered_by: str | None = None
    """What lies over it, in words; None where a click would land."""
    in_viewport: bool = True
    box: Box
    scope: str | None = None
    """The row, group or heading it belongs to; only where two elements share role and name."""
    frame: str = ""
    """The titles or names of the frames that lead to it, outermost first; empty in the page itself."""
    hint: str = ""
    """Words of its class and id, for an element without a name."""
    shape: str | None = None
    """For graphics: circle, rect, triangle, and so on."""
    color: str | None = None
    """For graphics and coloured boxes: the fill as a CSS colour."""
    before: str = ""
    """The nearest text before it in document order."""
    after: str = ""
    """The nearest text after it."""


class TextBlock(Frozen):
    """Visible text that belongs to no control."""

    text: str
    position: int
    """How many elements come before it in document order."""
    frame: str = ""
    """As for an element."""


class Tab(Frozen):
    index: int
    title: str
    url: str
    active: bool


class Scroll(Frozen):
    """The page's scroll offsets and how far they can go, in CSS pixels."""

    x: int = 0
    y: int = 0
    max_x: int = 0
    max_y: int = 0


class Omitted(Frozen):
    """What the page has and this observation does not."""

    elements: int = 0
    texts: int = 0
    frames: int = 0
    """Frames whose contents could not be read."""
    tabs: int = 0
    """Tabs that were closed at once since the last observation because the page opened too many."""
    dialogs: int = 0
    """Dialogs since the last observation beyond those that are told."""
    names: int = 0
    """Elements whose role and name are of the probe's own, shorter computation: the browser's took too long."""


class Dialog(Frozen):
    """A native dialog that the page opened, and what it got for an answer."""

    kind: Literal["alert", "confirm", "prompt", "beforeunload"]
    message: str
    answer: str
    """"OK", "Cancel", or the text that a prompt was given."""


class Observation(Frozen):
    """One settled look at the active page."""

    goal: str
    answer_form: str = ""
    """How the task wants its last message written, for whoever writes that; apart from the goal, whose words are things
    to find and texts to type."""
    url: str
    title: str
    elements: tuple[InteractiveElement, ...] = ()
    texts: tuple[TextBlock, ...] = ()
    tabs: tuple[Tab, ...] = ()
    scroll: Scroll = Scroll()
    can_scroll: tuple[Literal["up", "down", "left", "right"], ...] = ()
    """Directions in which the page or its main scroll area can still move."""
    can_go_back: bool = False
    axtree: str | None = None
    """BrowserGym's own accessibility tree as text, in the "axtree" mode only."""
    dialogs: tuple[Dialog, ...] = ()
    """Native dialogs since the last observation: each was answered at once, since it holds up its page."""
    last_action_error: str | None = None
    page_key: str = ""
    """A fingerprint of address, rows, states and text: the page changed if and only if it differs."""
    settled: bool = True
    """False where the page was still changing when the settle budget ran out."""
    settle_ms: float = 0.0
    omitted: Omitted = Omitted()

    def element(self, element_id: int) -> InteractiveElement | None:
        """Return the element with this id, or None."""
        return next((e for e in self.elements if e.id == element_id), None)

    def __eq__(self, other: object) -> bool:
        """Equal in everything but `settle_ms`, which is a measurement of this look, not of the page."""
        if not isinstance(other, Observation):
            return NotImplemented
        return self.__dict__ | {"settle_ms": 0} == other.__dict__ | {"settle_ms": 0}

    __hash__ = None  # type: ignore[assignment]


def page_key(
    url: str, elements: tuple[InteractiveElement, ...], texts: tuple[TextBlock, ...], scroll: Scroll | None = None
) -> str:
    """Return the fingerprint of a page: 16 hex digits over its address, scroll offsets, rows, states and text.

    Positions on screen do not count, so that an animation which only moves things is no change; nor do ids, so that a
    page which is loaded or drawn again just as it was is none either.
    """
    place = f"{url} {scroll.x},{scroll.y}" if scroll else url
    digest = hashlib.blake2b(place.encode("utf-8", "replace"), digest_size=8)
    for e in elements:
        options = [o.label for o in e.options if o.selected]
        row: list[Any] = [e.role, e.name, e.value, e.filled, e.checked, e.selected, e.expanded, e.pressed]
        row += [e.disabled, e.covered_by is not None, e.in_viewport, e.hint, options]
        digest.update(repr(row).encode("utf-8", "replace"))
    for t in texts:
        digest.update(f"\n{t.position} {t.text}".encode("utf-8", "replace"))
    return digest.hexdigest()


class Timings(Frozen):
    """Where the milliseconds of one reset or step went."""

    act_ms: float = 0.0
    """The action itself (a step; for a wait the waiting) or the task's setup (a reset)."""
    settle_ms: float = 0.0
    """Waiting in the page for it to come to rest."""
    probe_ms: float = 0.0
    """Describing the page, with the round trip to it."""
    validate_ms: float = 0.0
    """The task's own verdict."""
    total_ms: float = Field(default=0.0)
