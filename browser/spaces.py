"""Gymnasium spaces of typed observations and actions."""

from typing import Any

import gymnasium
import numpy as np

from browser.actions import ACTIONS, ActionName, BrowserAction, parse_action
from browser.observation import Observation

# A space does not see the page, so sampled ids are small numbers; an id that is not there is refused in words.
SAMPLED_IDS = 20


class ObservationSpace(gymnasium.Space[Observation]):
    """All observations."""

    def sample(self, mask: Any = None, probability: Any = None) -> Observation:
        """Return an observation of an empty page: pages cannot be drawn at random."""
        return Observation(goal="", url="about:blank", title="")

    def contains(self, x: Any) -> bool:
        return isinstance(x, Observation)

    @property
    def is_np_flattenable(self) -> bool:
        return False


class ActionSpace(gymnasium.Space[BrowserAction]):
    """The offered actions, on any element."""

    def __init__(self, offered: tuple[ActionName, ...], seed: int | None = None) -> None:
        unknown = [name for name in offered if name not in ACTIONS]
        if unknown or not offered:
            raise ValueError(f"Unknown actions {unknown}; there are {', '.join(ACTIONS)}.")
        self.offered = offered
        super().__init__(seed=seed)

    def sample(self, mask: Any = None, probability: Any = None) -> BrowserAction:
        """Return an offered action with made-up arguments, for checks of the interface; it may be refused."""
        rng: np.random.Generator = self.np_random
        name = self.offered[int(rng.integers(len(self.offered)))]
        element_id = int(rng.integers(1, SAMPLED_IDS))
        samples: dict[str, dict[str, Any]] = {
            "click": {"element_id": element_id},
            "type": {"element_id": element_id, "text": "text"},
            "select": {"element_id": element_id, "option": "option"},
            "scroll": {"direction": "down"},
            "press": {"key": "Tab"},
            "navigate": {"url": "http://127.0.0.1/"},
            "finish": {"message": ""},
            "hover": {"element_id": element_id},
            "double_click": {"element_id": element_id},
            "click_at": {"element_id": element_id, "x": 1, "y": 1},
            "drag": {"element_id": element_id, "to_element_id": int(rng.integers(1, SAMPLED_IDS))},
            "drag_by": {"element_id": element_id, "dx": 10, "dy": 0},
            "keys": {"keys": "Shift+Tab"},
            "scroll_in": {"element_id": element_id, "direction": "down"},
        }
        return parse_action({"type": name} | samples.get(name, {}), self.offered)

    def contains(self, x: Any) -> bool:
        return type(x) in ACTIONS.values() and x.type in self.offered

    @property
    def is_np_flattenable(self) -> bool:
        return False
