"""Decisions that stray from a model's best on purpose, so that what it would never try is seen. No benchmark."""

import hashlib

import numpy as np

from agent.decision_model import Decision, DecisionModel
from agent.embedded.model import decision_for
from agent.tick import Tick

# How an episode strays: the temperature of its choices (0 takes the best), and how often any candidate is taken. A
# quarter strays not at all: what becomes of the model's own choices is what its certainty is learned from.
WAYS = (
    (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (0.0, 0.1), (0.5, 0.1), (1.0, 0.1), (0.0, 0.2),
    (0.5, 0.2), (1.0, 0.2),
)  # fmt: skip
# Not tried at random: an episode that is given up teaches nothing, and waiting is seldom what was not thought of.
_NEVER_TRIED = frozenset({"DONE", "BLOCKED", "WAIT"})


class Exploring:
    """Draws among a model's candidates. The draws follow from the episode's key alone, whatever ran before it."""

    def __init__(self, inner: DecisionModel, name: str) -> None:
        self.name = f"{name}-{inner.name}"
        self._inner = inner
        self.begin_episode("")

    def begin_episode(self, key: str, again: bool = False) -> None:
        """Draw how the next episode strays, and begin its draws anew; one that is tried again always strays."""
        seed = hashlib.blake2b(key.encode(), digest_size=8).digest()
        self._random = np.random.default_rng(int.from_bytes(seed, "big"))
        ways = [way for way in WAYS if any(way) or not again]
        self.temperature, self.epsilon = ways[self._random.integers(len(ways))]

    def decide(self, tick: Tick) -> Decision:
        """Return the inner model's decision or, with its probabilities, one for another candidate."""
        decision = self._inner.decide(tick)
        if self._random.random() < self.epsilon:
            index = self._any(tick)
        elif self.temperature:
            index = self._drawn(tick, decision)
        else:
            return decision
        drawn = decision_for(tick, np.array(decision.probabilities), index)
        return drawn.model_copy(update={"call": decision.call})

    def _any(self, tick: Tick) -> int:
        """Draw an operation, then one of its candidates: operations with many targets are not preferred."""
        places: dict[str, list[int]] = {}
        for i, candidate in enumerate(tick.candidates):
            if candidate.operation not in _NEVER_TRIED:
                places.setdefault(candidate.operation, []).append(i)
        offered = list(places.values()) or [list(range(len(tick.candidates)))]
        of_operation = offered[self._random.integers(len(offered))]
        return int(of_operation[self._random.integers(len(of_operation))])

    def _drawn(self, tick: Tick, decision: Decision) -> int:
        logs = np.log(np.maximum(np.array(decision.probabilities), 1e-12)) / self.temperature
        shares = np.exp(logs - logs.max())
        return int(self._random.choice(len(tick.candidates), p=shares / shares.sum()))
