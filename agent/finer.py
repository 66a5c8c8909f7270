"""The finer actions of pointer and keyboard, drawn at random. Knows neither models nor benchmarks."""

from typing import Any

import numpy as np

from browser.actions import CORE_ACTIONS, EXTENDED_ACTIONS, ActionName, BrowserAction, parse_action
from browser.observation import InteractiveElement, Observation

FINER_ACTIONS: tuple[ActionName, ...] = tuple(name for name in EXTENDED_ACTIONS if name not in CORE_ACTIONS)
# Chords that select, move, edit and go on, as pages and fields know them.
CHORDS = (
    "Control+A",
    "Shift+ArrowRight",
    "Control+ArrowLeft",
    "Shift+End",
    "Control+Home",
    "Shift+Tab",
    "Control+Z",
    "+",
)
# About the size of what is dragged and drawn on; farther ends mostly lie outside.
OFFSET_PX = 80

_DIRECTIONS = ("up", "down", "left", "right")


def possible(offered: tuple[ActionName, ...], observation: Observation, *, credentials: bool) -> tuple[ActionName, ...]:
    """Return the offered finer actions for which the page has the elements."""
    there = len(_targets(observation, credentials=credentials))
    return tuple(name for name in offered if name in FINER_ACTIONS and there >= (2 if name == "drag" else 1))


def draw(
    name: ActionName, observation: Observation, random: np.random.Generator, *, credentials: bool
) -> tuple[BrowserAction, int]:
    """Return one of the `possible` actions, on an element at random, and how many elements there were."""
    targets = _targets(observation, credentials=credentials)
    element = targets[random.integers(len(targets))]
    arguments: dict[str, Any] = {"type": name, "element_id": element.id}
    match name:
        case "click_at":
            arguments |= _place(element, random)
        case "drag":
            others = [other for other in targets if other is not element]
            arguments["to_element_id"] = others[random.integers(len(others))].id
        case "drag_by":
            dx, dy = (int(n) for n in random.integers(-OFFSET_PX, OFFSET_PX + 1, size=2))
            arguments |= {"dx": dx, "dy": dy} | (_place(element, random) if random.integers(2) else {})
        case "keys":
            arguments["keys"] = CHORDS[random.integers(len(CHORDS))]
        case "scroll_in":
            arguments["direction"] = _DIRECTIONS[random.integers(len(_DIRECTIONS))]
    return parse_action(arguments, FINER_ACTIONS), len(targets)


def _targets(observation: Observation, *, credentials: bool) -> list[InteractiveElement]:
    live = (e for e in observation.elements if not e.disabled and e.covered_by is None)
    return [e for e in live if credentials or not e.credential]


def _place(element: InteractiveElement, random: np.random.Generator) -> dict[str, int]:
    box = element.box
    return {"x": int(random.integers(max(1, box.width))), "y": int(random.integers(max(1, box.height)))}
