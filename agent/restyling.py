"""A text that gets a style by being written again, for where nothing can be selected. Knows no model."""

import re

from agent.values import TextValue
from browser.observation import Observation

RESTYLED = "restyled"
"""The kind of such a value."""
ASKS_ALL = re.compile(
    r"\b(?:everything|all (?:of )?(?:the |its )?(?:text|words)|the (?:whole|entire) text|all of it)\b", re.IGNORECASE
)
_STYLE = re.compile(r"\b(?:style|bold|italic\w*|underlin\w*|colou?r|font|format)\b", re.IGNORECASE)


def restyled(goal: str, observation: Observation) -> tuple[TextValue, ...]:
    """Return the texts of the editors on the page, each for its own editor, where the goal wants all of it in a style.

    What is typed after a style was chosen has it, and typing replaces what was there.
    """
    if not (ASKS_ALL.search(goal) and _STYLE.search(goal)):
        return ()
    return tuple(
        TextValue(text=e.value, source="page_value", kind=RESTYLED, field_id=e.id)
        for e in observation.elements
        # Inputs and text areas have no styles.
        if e.editable and e.value and not e.credential and e.tag not in ("input", "textarea")
    )
