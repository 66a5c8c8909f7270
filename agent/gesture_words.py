"""A gesture in few words and as a short id, for a question to a decision model and for a record. Knows no model."""

from collections.abc import Callable

from agent.tick import Candidate

# What the kinds of gestures are for, in words; a kind that is not here says nothing beyond its operation.
_PURPOSES = {
    "left": "to the left", "right": "to the right", "up": "up", "down": "down",
    "wider": "to make it wider", "narrower": "to make it narrower", "taller": "to make it taller",
    "shorter": "to make it shorter", "horizontal": "to draw a horizontal line", "vertical": "to draw a vertical line",
    "computed_midpoint": "at the midpoint", "computed_right_angle": "for a right angle",
    "computed_bisector": "on the bisector", "computed_center": "at the centre",
}  # fmt: skip


def gesture_id(candidate: Candidate) -> str:
    """Return the option id of a gesture among those of its operation: "7>9", "7@10,20", "7+40,0", "7=Control+A"."""
    parts = [str(candidate.element_id)]
    parts += [f"@{candidate.at[0]},{candidate.at[1]}"] if candidate.at else []
    parts += [f"+{candidate.by[0]},{candidate.by[1]}"] if candidate.by else []
    parts += [f">{candidate.to_element_id}"] if candidate.to_element_id is not None and not candidate.at else []
    if candidate.value is not None and candidate.by is None:
        parts.append(f"={candidate.value}")
    return "".join(parts)


def gesture_words(candidate: Candidate, named: Callable[[int], str], quoted: Callable[[str], str]) -> str:
    """Return what a gesture is done to and how, without its operation.

    Args:
        named: words for the element of an id.
        quoted: a text in quotes that it cannot close.
    """
    element = named(candidate.element_id or 0)
    words = [f"{quoted(candidate.value)} in {element}" if candidate.value is not None else element]
    kind = candidate.value_kind or ""
    if kind == "onto" and candidate.to_element_id is not None:
        words.append(f"onto {named(candidate.to_element_id)}")
    elif kind.startswith("row_"):
        words.append(f"to place {kind.removeprefix('row_')}")
    elif kind in _PURPOSES:
        words.append(_PURPOSES[kind])
    words += [f"from {candidate.at[0]},{candidate.at[1]}"] if candidate.at and candidate.by else []
    words += [f"by {candidate.by[0]},{candidate.by[1]}"] if candidate.by else []
    words += [f"at {candidate.at[0]},{candidate.at[1]}"] if candidate.at and not candidate.by else []
    return " ".join(words)
