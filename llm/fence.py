"""The fence around text that a model must take for data: words of a page, or of a state. Knows no page."""

import re

# Where a text closes or opens the fence, or what servers read as the end of a turn in any text.
_CONTROL = r"<(?=\s*/?\s*{fence}\b|\s*\||/?s>|\w+_of_\w+>)|\[(?=/?INST\])"
_BROKEN = {"<": "‹", "[": "("}


def harmless(text: str, fence: str) -> str:
    """Return a text that can neither open or close <fence> nor begin a turn of a chat; it keeps its words."""
    return re.sub(_CONTROL.format(fence=fence), lambda found: _BROKEN[found[0]], text, flags=re.IGNORECASE)
