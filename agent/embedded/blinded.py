"""An embedded model that does not see a part of what there is, to measure what that part is worth. No benchmark."""

from collections.abc import Callable

from agent.decision_model import Decision, DecisionModel
from agent.tick import Tick

Blindfold = Callable[[Tick], Tick]


class Blinded:
    """Decides each tick as if a part of it were not there.

    Args:
        hide: returns the tick without that part; it may take candidates away but adds and changes none.
    """

    def __init__(self, inner: DecisionModel, hide: Blindfold, name: str) -> None:
        self.name = name
        self._inner, self._hide = inner, hide

    def decide(self, tick: Tick) -> Decision:
        """Return the inner model's decision; a candidate that it did not see has the probability 0."""
        seen = self._hide(tick)
        decision = self._inner.decide(seen)
        told = dict(zip(seen.candidates, decision.probabilities, strict=True))
        call = decision.call and decision.call.model_copy(update={"model": self.name})
        shares = tuple(told.get(candidate, 0.0) for candidate in tick.candidates)
        return decision.model_copy(update={"probabilities": shares, "call": call})


def without_hints(tick: Tick) -> Tick:
    """Return the tick without class and id words, as an accessibility tree would show the page."""
    elements = tuple(e.model_copy(update={"hint": ""}) if e.hint else e for e in tick.observation.elements)
    return tick.model_copy(update={"observation": tick.observation.model_copy(update={"elements": elements})})


def without_computed(tick: Tick) -> Tick:
    """Return the tick without the texts that code worked out; as it is where nothing else is left."""
    read = tuple(c for c in tick.candidates if not (c.value_kind or "").startswith("computed_"))
    return tick.model_copy(update={"candidates": read}) if read else tick
