"""The probe of one page: scripts that run in an isolated world of its frames, where the page cannot tamper with them.

An isolated world shares the document with the page and none of its objects: what a page puts in place of built-ins, or
writes over the window, is not there. Knows neither tasks, models nor benchmarks.
"""

import json
import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Page
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from browser.errors import ObservationFailed, one_sentence
from browser.observation import Box

# The files of the probe, in the order in which they build on each other.
PROBE_FILES = (
    "rest", "identity", "controls", "names", "graphics", "frames", "landing", "walk", "table", "scroll", "act", "press",
    "probe",
)  # fmt: skip
# The name of the probe and of its questions to the watcher; unknown to any page, so that none can answer for them.
SECRET = f"p{secrets.token_hex(12)}"
WORLD_NAME = "browser-agent-lab"
# A page that navigates again and again, or does not load what it went to, is tried for this long.
NAVIGATING_S = 10.0
TITLE_LIMIT = 200
EVERY_ELEMENT = 100_000
# Frames of other origins take two round trips each.
FOREIGN_FRAMES = 30
FOREIGN_DEPTH = 6
# The probe reads no more documents than this in one pass.
PREPARED_FRAMES = 200
# Where on the screen an element in one of them is brought to, as in act.js.
BLOCKS = ("center", "start", "end")

_LOST = ("Cannot find context", "context was destroyed", "navigated or closed", "No frame for given id")


class FrameLost(Exception):
    """A frame is not there any more, or runs in a process of its own."""


@dataclass
class Frame:
    """A document with a probe of its own: the page's, or one of another origin inside it."""

    id: str | None = None
    """The driver's name of the frame; None until it is asked for."""
    context: int | None = None
    parent: "Frame | None" = None
    number: int = 0
    """What the parent's probe calls it."""
    inner: dict[int, "Frame"] = field(default_factory=dict)


@dataclass
class _Room:
    """What one look may still take in."""

    frames: int
    elements: int


@cache
def probe_source() -> str:
    """Return the probe as one script; its value tells whether the probe was not there yet."""
    folder = Path(__file__).parent / "page"
    parts = [(folder / f"{name}.js").read_text(encoding="utf-8") for name in PROBE_FILES]
    body = "\n".join(parts)
    once = f"'use strict'; const SECRET = '{SECRET}'; if (globalThis[SECRET]) return false;"
    return f"(() => {{ {once}\n{body}\nreturn true; }})()"


@cache
def watcher_source() -> str:
    """Return the script for the page's own world, to be installed before the page's scripts."""
    source = (Path(__file__).parent / "page" / "watch.js").read_text(encoding="utf-8")
    return source.replace("__SECRET__", SECRET)


class World:
    """The probe of one page: its ids hold for all frames, and an action is carried to the frame of its element."""

    def __init__(self, page: Page) -> None:
        self.page = page
        # Never detached: on current Chromium a detached session takes the viewport emulation with it.
        self.cdp: CDPSession = page.context.new_cdp_session(page)
        self._top = Frame()
        self._last = 0
        self._frame_of: dict[int, Frame] = {}
        self._old_document = True
        page.on("framenavigated", lambda frame: self._navigated() if frame == page.main_frame else None)

    def _navigated(self) -> None:
        self._top = Frame(id=self._top.id)

    def look(self, options: dict[str, Any]) -> str:
        """Settle and describe the page with its frames; the result is the probe's, with all rows in one list, as JSON.

        Raises:
            ObservationFailed: it kept navigating away.
            playwright.sync_api.Error: the page or the browser is gone.
        """
        fault, end = "", time.monotonic() + NAVIGATING_S
        while (left := end - time.monotonic()) > 0:
            try:
                self._frame_of = {}
                return self._look(self._top, options, _Room(FOREIGN_FRAMES, options["maxElements"]), 0)
            except (FrameLost, PlaywrightError) as error:
                fault = one_sentence(error)
                if self.page.is_closed() or not isinstance(error, FrameLost) and not _is_lost(error):
                    raise
                self._navigated()
                with suppress(PlaywrightTimeout):
                    self.page.wait_for_load_state("domcontentloaded", timeout=left * 1000)
        raise ObservationFailed(f"The page kept navigating for {NAVIGATING_S:g} s: {fault}")

    def act(self, function: str, element_id: int, *arguments: object) -> dict[str, Any]:
        """Call a function of the probe on an element, wherever it is; points come back in the page's viewport."""
        frame = self._frame_of.get(element_id, self._top)
        gone = {"lost": True, "error": f"Element {element_id} is no longer on the page; look at its rows again."}
        try:
            answer = self._answer(frame, function, element_id, *arguments)
            # A frame of another origin does not see that it is itself out of view, or under something. Where "aim" is
            # told how far it may scroll, nothing is moved here.
            for block in BLOCKS if frame.parent is not None and len(arguments) < 2 else ():
                if answer is None or not answer.keys() & {"outside", "cover"}:
                    break
                self._call(frame, "bring", element_id, block)
                answer = self._answer(frame, function, element_id, *arguments)
        except FrameLost:
            return gone
        except PlaywrightError as error:
            if self.page.is_closed() or not _is_lost(error):
                raise
            return gone
        if answer is None:
            return gone
        if answer.get("outside"):
            return {"error": f"Element {element_id} cannot be scrolled into view."}
        if "cover" in answer:
            covered = f"Element {element_id} is covered by {answer['cover']}; close or move that first."
            return {"error": covered, "covered": True}
        return answer

    def _answer(self, frame: Frame, function: str, *arguments: object) -> dict[str, Any] | None:
        """Call the probe of a frame and carry a point out to the page's viewport; None where the frame is gone."""
        answer: dict[str, Any] = self._call(frame, function, *arguments)
        while "x" in answer and frame.parent is not None:
            carried = self._call(frame.parent, "through", frame.number, [{"at": answer}])
            if carried is None:
                return None
            answer, frame = carried[0], frame.parent
        return answer

    def call(self, function: str, *arguments: object) -> Any:
        """Call a function of the page's own probe."""
        try:
            return self._call(self._top, function, *arguments)
        except FrameLost as error:
            raise ObservationFailed("The page went away while it was asked.") from error

    def credential_boxes(self) -> tuple[Box, ...]:
        """Return where the page and its frames show fields whose content must not be seen."""
        options = {"quiet": 0, "cap": 0, "wait": 0, "maxElements": EVERY_ELEMENT, "maxTexts": 0}
        rows = json.loads(self.look(options))["elements"]
        return tuple(Box(**row["box"]) for row in rows if row.get("credential"))

    def title(self) -> str:
        """Return the page's title as the browser knows it, also where its scripts do not let go."""
        info = self.cdp.send("Target.getTargetInfo")["targetInfo"]
        return " ".join(str(info["title"]).split())[:TITLE_LIMIT]

    def measure(self, element_id: int | None, function: str) -> Any:
        """Return what a JavaScript function says of an element (its `this`), or of what scrolls where no id is given.

        None where there is none. For measurements beside other tools.
        """
        frame = self._frame_of.get(element_id, self._top) if element_id is not None else self._top
        node = self._send(frame, "nodeOf", [element_id], by_value=False)
        if "objectId" not in node:
            return None
        call = {"functionDeclaration": function, "objectId": node["objectId"], "returnByValue": True}
        return self.cdp.send("Runtime.callFunctionOn", call)["result"].get("value")

    def page_value(self, expression: str) -> Any:
        """Evaluate in the page's own world; None where the page does not know what the expression names."""
        guarded = f"(() => {{ try {{ return {expression} }} catch {{ return null }} }})()"
        answer = self.cdp.send("Runtime.evaluate", {"expression": guarded, "returnByValue": True})
        return answer["result"].get("value")

    def _look(self, frame: Frame, options: dict[str, Any], room: "_Room", depth: int) -> str:
        """Return the description of a document and everything in it, as JSON text."""
        if frame.context is None:
            frame.context = self._enter(frame)  # a new document begins its numbers again
        options = options | {"last": self._last, "maxElements": room.elements}
        answer = self._call(frame, "look", options)
        if "rest" in answer:
            self._prepare_frames()
            answer = self._call(frame, "look", options | answer)
        self._last = answer["last"]
        room.elements -= answer["count"]
        if not answer["foreign"] and frame.parent is None:
            return str(answer["seen"])
        seen = json.loads(answer["seen"])
        self._frame_of.update((row["id"], frame) for row in seen["elements"])
        inside = [(place, self._look_inside(frame, place, options, room, depth)) for place in answer["foreign"]]
        # From the end, so that the positions of the others still hold.
        for place, inner in reversed(inside):
            if inner is None:
                seen["omitted"]["frames"] += 1
            else:
                _merge(seen, inner, place)
        return json.dumps(seen)

    def _look_inside(
        self, frame: Frame, place: dict[str, Any], options: dict[str, Any], room: "_Room", depth: int
    ) -> dict[str, Any] | None:
        """Return what a frame of another origin shows, in its parent's coordinates; None where it cannot be read."""
        room.frames -= 1
        if depth >= FOREIGN_DEPTH or room.frames < 0:
            return None
        inside = options | {"quiet": 0, "wait": 0, "clip": place["clip"], "hard": place["hard"]}
        text = self._look_again(frame, place["number"], inside, room, depth)
        if text is None:
            return None
        seen: dict[str, Any] = json.loads(text)
        rows = seen["elements"]
        places = self._call(
            frame, "through", place["number"], [{"box": r["box"], "at": r.pop("at", None)} for r in rows]
        )
        for row, out in zip(rows, places or [], strict=True):
            _carry_out(row, out, further=frame.parent is not None)
        return seen

    def _look_again(self, frame: Frame, number: int, options: dict[str, Any], room: "_Room", depth: int) -> str | None:
        """Look into a frame of another origin, once more where it has a new document; None where it cannot be read."""
        for known in (number in frame.inner, False):
            inner = frame.inner.setdefault(number, Frame(parent=frame, number=number))
            try:
                return self._look(inner, options, room, depth + 1)
            except (FrameLost, PlaywrightError) as error:
                frame.inner.pop(number)
                if not isinstance(error, FrameLost) and not _is_lost(error):
                    raise
                if not known:
                    break
        return None

    def _call(self, frame: Frame, function: str, *arguments: object) -> Any:
        return self._send(frame, function, list(arguments), by_value=True).get("value")

    def _send(self, frame: Frame, function: str, arguments: list[object], *, by_value: bool) -> dict[str, Any]:
        for attempt in (0, 1):
            if frame.context is None:
                frame.context = self._enter(frame)
            try:
                answer = self.cdp.send(
                    "Runtime.callFunctionOn",
                    {
                        "functionDeclaration": f"function (...a) {{ return globalThis['{SECRET}'].{function}(...a) }}",
                        "executionContextId": frame.context,
                        "arguments": [{"value": value} for value in arguments],
                        "awaitPromise": True,
                        "returnByValue": by_value,
                    },
                )
                break
            except PlaywrightError as error:
                if not _is_lost(error) or attempt or frame.parent is not None:
                    raise
                frame.context = None
                frame.inner.clear()
        if "exceptionDetails" in answer:
            raise ObservationFailed(f"The probe failed in {function}: {_reason(answer['exceptionDetails'])}")
        result: dict[str, Any] = answer["result"]
        return result

    def _enter(self, frame: Frame) -> int:
        """Make the isolated world of a frame with the probe in it, and return the number of its context.

        Raises:
            FrameLost: the frame is gone, or not of this page's process.
        """
        if frame.id is None:
            frame.id = self._frame_id(frame)
        try:
            context = self._make_world(frame.id)
        except PlaywrightError as error:
            if not _is_lost(error) or frame.parent is not None:
                raise
            # A page can get another main frame when it changes its process.
            frame.id = self._frame_id(frame)
            context = self._make_world(frame.id)
        if frame.parent is not None:
            self._make_names_quick(frame.id)
        elif self._old_document:
            # Without it the browser works out every accessible name anew: 270 ms for 120 controls instead of 1 ms. Not
            # sooner than here: a page whose script hangs does not answer.
            self.cdp.send("Accessibility.enable")
            # Names are quick only in documents that were made after that, or asked for like this.
            self._make_names_quick(frame.id)
            self._old_document = False
        installed = self.cdp.send("Runtime.evaluate", {"expression": probe_source(), "contextId": context})["result"]
        if frame is self._top and installed.get("value"):
            self._last = 0
        return context

    def _make_names_quick(self, frame_id: str) -> None:
        self.cdp.send("Accessibility.getRootAXNode", {"frameId": frame_id})

    def _prepare_frames(self) -> None:
        """Make names quick in all frames: unasked, a frame's document takes 17 ms a name, whenever it was made."""
        tree = self.cdp.send("Page.getFrameTree")["frameTree"]
        for frame_id in list(_frame_ids(tree))[:PREPARED_FRAMES]:
            with suppress(PlaywrightError):  # it is gone again
                self._make_names_quick(frame_id)

    def _make_world(self, frame_id: str) -> int:
        made = self.cdp.send("Page.createIsolatedWorld", {"frameId": frame_id, "worldName": WORLD_NAME})
        return int(made["executionContextId"])

    def _frame_id(self, frame: Frame) -> str:
        if frame.parent is None:
            return str(self.cdp.send("Page.getFrameTree")["frameTree"]["frame"]["id"])
        element = self._send(frame.parent, "frameElement", [frame.number], by_value=False)
        if "objectId" not in element:
            raise FrameLost
        node = self.cdp.send("DOM.describeNode", {"objectId": element["objectId"]})["node"]
        if "frameId" not in node:
            raise FrameLost
        return str(node["frameId"])


def _frame_ids(tree: dict[str, Any]) -> Iterator[str]:
    for child in tree.get("childFrames", ()):
        yield child["frame"]["id"]
        yield from _frame_ids(child)


def _is_lost(error: BaseException) -> bool:
    return any(words in str(error) for words in _LOST)


def _reason(details: dict[str, Any]) -> str:
    """The first line of an exception in the probe: its own words, nothing of the page."""
    text = str(details.get("exception", {}).get("description", details.get("text", "")))
    return " ".join(text.splitlines()[0].split())[:200] if text else "no reason given"


def _carry_out(row: dict[str, Any], out: dict[str, Any], *, further: bool) -> None:
    """Give a row the box it has in the page around its frame, and say what hides it there.

    Args:
        further: that page is itself in a frame of another origin, so that the row is carried on.
    """
    if "box" in out:
        row["box"] = out["box"]
    if out.get("outside"):
        row["in_viewport"] = False
    elif "cover" in out:
        row["covered_by"] = out["cover"]
    elif "x" in out and further:
        row["at"] = {"x": out["x"], "y": out["y"]}


def _merge(seen: dict[str, Any], inner: dict[str, Any], place: dict[str, Any]) -> None:
    """Put the rows and texts of a frame where the frame stands in its parent."""
    at, count = place["position"], len(inner["elements"])
    for part in (*inner["elements"], *inner["texts"]):
        part["frame"] = " > ".join(label for label in (place["label"], part.get("frame")) if label)
    seen["elements"][at:at] = inner["elements"]
    before, after = seen["texts"][: place["texts"]], seen["texts"][place["texts"] :]
    inner_texts = [t | {"position": t["position"] + at} for t in inner["texts"]]
    seen["texts"] = [*before, *inner_texts, *(t | {"position": t["position"] + count} for t in after)]
    for name, number in inner["omitted"].items():
        seen["omitted"][name] += number
    for flag in ("opening", "closing"):
        seen[flag] = seen[flag] or inner[flag]
