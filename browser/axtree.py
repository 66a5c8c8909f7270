"""BrowserGym's own observation, its accessibility tree, for agents that are to see what stock BrowserGym shows.

Knows neither models, prompts nor benchmarks. BrowserGym marks the page its own way: never use it on a page that the
element table was read from.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from browsergym.core import observation as stock
from browsergym.utils.obs import flatten_axtree_to_str
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page

from browser.errors import ObservationFailed, one_sentence
from browser.look import URL_LIMIT, Look, LookOptions, Request, ask_probe, tabs
from browser.observation import (
    Box,
    InteractiveElement,
    Observation,
    Omitted,
    Scroll,
    SelectOption,
    Tab,
    TextBlock,
    page_key,
)
from browser.session import BrowserSession

# Chromium since 2025 repeats every line of text as boxes; BrowserGym's published trees have none.
REPEATS = "InlineTextBox"
CHECKED: dict[str, bool | Literal["mixed"]] = {"true": True, "false": False, "mixed": "mixed"}
EDITABLE = frozenset({"textbox", "searchbox", "spinbutton", "combobox"})
# BrowserGym marks and reads in several calls; a page that changes in between gets this many tries.
ATTEMPTS = 5


def look_axtree(session: BrowserSession, options: LookOptions, request: Request) -> Look:
    """Settle, then observe through BrowserGym: the tree as text, and its nodes with a numeric id as elements.

    Raises:
        ObservationFailed: BrowserGym could not mark or read the page within a few tries.
    """
    bare = options.model_copy(update={"max_elements": 0, "max_texts": 0})
    seen, state = ask_probe(session, bare, request, marks=True)
    dialogs, more_dialogs, refused_tabs = session.told()
    page = session.page()
    raw = _without_repeats(extract(page))
    size = page.viewport_size or {"width": 0, "height": 0}
    text, (elements, framed) = _text(raw), _elements(raw, size["width"], size["height"])
    return Look(
        Observation(
            goal=request.goal,
            answer_form=request.answer_form,
            url=seen.url[:URL_LIMIT],
            title=seen.title,
            elements=elements,
            tabs=tabs(session),
            scroll=seen.scroll,
            can_scroll=seen.can_scroll,
            can_go_back=seen.can_go_back,
            axtree=text,
            dialogs=dialogs,
            last_action_error=request.last_action_error,
            page_key=page_key(seen.url, elements, (TextBlock(text=text, position=0),), seen.scroll),
            settled=seen.settled,
            settle_ms=round(seen.settle_ms, 2),
            omitted=Omitted(elements=framed, frames=seen.omitted.frames, dialogs=more_dialogs, tabs=refused_tabs),
        ),
        state,
        raw,
        seen.waited_ms,
    )


def read_observation(raw: Mapping[str, Any]) -> Observation:
    """Return stock BrowserGym's observation, as its environment gives it, as ours; ids are its own (bids).

    Boxes are in pixels of its screenshot. What it lacks is not claimed: no way back, and no scrolling but back to where
    the page was, since it does not tell the viewport. `settled` is True, since BrowserGym waits and does not look.
    """
    raw = _without_repeats(raw)
    height, width = raw["screenshot"].shape[:2]
    active = int(raw["active_page_index"][0])
    pages = list(zip(raw["open_pages_titles"], raw["open_pages_urls"], strict=True))
    text, (elements, framed) = _text(raw), _elements(raw, width, height)
    scroll = _scrolled(raw["dom_object"]["documents"][0])
    failed = raw["last_action_error"]
    return Observation(
        goal="\n".join(goal_texts(raw["goal_object"])),
        url=raw["url"],
        title=pages[active][0],
        elements=elements,
        tabs=tuple(Tab(index=i, title=t, url=u, active=i == active) for i, (t, u) in enumerate(pages) if pages[1:]),
        scroll=scroll,
        can_scroll=_back(scroll),
        axtree=text,
        last_action_error=one_sentence(Exception(failed)) if failed else None,
        page_key=page_key(raw["url"], elements, (TextBlock(text=text, position=0),), scroll),
        omitted=Omitted(elements=framed),
    )


def goal_texts(goal: str | Iterable[Mapping[str, Any]] | None) -> list[str]:
    """Return the parts of a BrowserGym goal, a text or a list of messages, as texts."""
    parts = [{"type": "text", "text": goal}] if isinstance(goal, str) else goal or []
    return [str(p["text"]) if p["type"] == "text" else "[an image, which this agent does not see]" for p in parts]


def _scrolled(document: Mapping[str, Any]) -> Scroll:
    x, y = round(document.get("scrollOffsetX", 0)), round(document.get("scrollOffsetY", 0))
    return Scroll(x=x, y=y, max_x=x, max_y=y)


def _back(scroll: Scroll) -> tuple[Literal["up", "left"], ...]:
    offsets: dict[Literal["up", "left"], int] = {"up": scroll.y, "left": scroll.x}
    return tuple(direction for direction, offset in offsets.items() if offset)


def _without_repeats(raw: Mapping[str, Any]) -> dict[str, Any]:
    nodes = [node for node in raw["axtree_object"]["nodes"] if _role(node) != REPEATS]
    return {**raw, "axtree_object": raw["axtree_object"] | {"nodes": nodes}}


def tree_text(raw: Mapping[str, Any]) -> str:
    """Return the tree of a raw observation as text, without the lines that newer browsers repeat."""
    return _text(_without_repeats(raw))


def _text(raw: Mapping[str, Any]) -> str:
    return str(flatten_axtree_to_str(raw["axtree_object"], raw["extra_element_properties"], with_clickable=True))


def extract(page: Page) -> dict[str, Any]:
    """Return BrowserGym's raw observation of a page, read as its environment reads it, but for the screenshot.

    Raises:
        ObservationFailed: BrowserGym could not mark or read the page within a few tries.
    """
    fault = ""
    for attempt in range(ATTEMPTS):
        try:
            stock._pre_extract(page, lenient=attempt == ATTEMPTS - 1)
            dom = stock.extract_dom_snapshot(page)
            raw = {
                "dom_object": dom,
                "axtree_object": stock.extract_merged_axtree(page),
                "focused_element_bid": stock.extract_focused_element_bid(page),
                "extra_element_properties": stock.extract_dom_extra_properties(dom, scale_factor=1.0),
            }
            stock._post_extract(page)
            return raw
        except (PlaywrightError, stock.MarkingError) as error:
            if page.is_closed():
                raise
            fault = one_sentence(error)
    raise ObservationFailed(f"BrowserGym could not read the page in {ATTEMPTS} tries: {fault}")


def _elements(raw: Mapping[str, Any], width: int, height: int) -> tuple[tuple[InteractiveElement, ...], int]:
    """Return the tree's nodes with an id as elements, and how many have ids inside frames, which are no numbers."""
    properties = raw["extra_element_properties"]
    by_id = {node["nodeId"]: node for node in raw["axtree_object"]["nodes"]}
    elements, framed = [], 0
    for node in raw["axtree_object"]["nodes"]:
        bid = node.get("browsergym_id")
        box = properties.get(bid, {}).get("bbox") if bid else None
        if not box or node.get("ignored"):
            continue
        if bid.isdecimal():
            elements.append(_element(node, int(bid), box, (width, height), by_id))
        else:
            framed += 1
    return tuple(elements), framed


def _element(
    node: dict[str, Any], element_id: int, box: list[float], viewport: tuple[int, int], by_id: dict[str, Any]
) -> InteractiveElement:
    facts = {p["name"]: p["value"].get("value") for p in node.get("properties", [])}
    role = _role(node)
    x, y, width, height = (round(v) for v in box)
    value = node.get("value", {}).get("value")
    return InteractiveElement(
        id=element_id,
        role=role,
        name=str(node.get("name", {}).get("value", "")),
        value=None if value is None else str(value),
        checked=CHECKED.get(str(facts.get("checked"))),
        selected=facts.get("selected"),
        expanded=facts.get("expanded"),
        disabled=bool(facts.get("disabled")),
        readonly=bool(facts.get("readonly")),
        required=bool(facts.get("required")),
        focused=bool(facts.get("focused")),
        editable=bool(facts.get("editable")) and role in EDITABLE,
        multiple=bool(facts.get("multiselectable")),
        options=_options(node, by_id),
        in_viewport=x < viewport[0] and y < viewport[1] and x + width > 0 and y + height > 0,
        box=Box(x=x, y=y, width=width, height=height),
    )


def _options(node: dict[str, Any], by_id: dict[str, Any]) -> tuple[SelectOption, ...]:
    """The options below a native select; Chromium hangs them under a menu node that has no box."""
    if _role(node) not in ("combobox", "listbox"):
        return ()
    found, open_ids = [], list(node.get("childIds", []))
    while open_ids:
        child = by_id.get(open_ids.pop(0))
        if child is None:
            continue
        if _role(child) == "option":
            facts = {p["name"]: p["value"].get("value") for p in child.get("properties", [])}
            label = " ".join(str(child.get("name", {}).get("value", "")).split())
            found.append(SelectOption(label=label, selected=bool(facts.get("selected"))))
        else:
            open_ids = [*child.get("childIds", []), *open_ids]
    return tuple(found)


def _role(node: dict[str, Any]) -> str:
    return str(node["role"]["value"])
