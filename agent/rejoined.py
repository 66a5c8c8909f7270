"""The past of an episode, told by the elements of the page as it is now: a page that is loaded again has new ones.

Knows no model.
"""

from collections import Counter

from agent.tick import PastStep
from browser.actions import Click
from browser.observation import Observation


def rejoined(history: tuple[PastStep, ...], observation: Observation) -> tuple[PastStep, ...]:
    """Return the history, in which an element that is gone is the one that stands in its place now.

    On a page that is as it was then, that is the element of the same row; else, at the same address, the only one of
    the same role and name. What was done elsewhere stays as it was, and so does a click that drew its own target anew:
    "Continue" leads on from the next page too.
    """
    here = {element.id for element in observation.elements}
    named = Counter((element.role, element.name) for element in observation.elements)
    alone = {what: e.id for e in observation.elements if e.name and named[what := (e.role, e.name)] == 1}
    return tuple(_now(step, observation, here, alone) for step in history)


def _now(step: PastStep, observation: Observation, here: set[int], alone: dict[tuple[str, str], int]) -> PastStep:
    was = getattr(step.action, "element_id", None)
    if was is None or was in here or step.from_url != observation.url:
        return step
    led_on = step.page_changed and isinstance(step.action, Click)
    now = None if led_on else alone.get((step.role, step.name))
    if step.row is not None and step.from_key == observation.page_key:
        now = observation.elements[step.row].id
    if now is None:
        return step
    return step.model_copy(update={"action": step.action.model_copy(update={"element_id": now})})
