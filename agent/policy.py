"""Every switch and number of the policy in one value, and that value as a command line writes it.

Knows no page, model or benchmark. `docs/policy.md` says what each rule (A2, G1, ...) does.
"""

from collections.abc import Collection
from typing import Any

from pydantic import Field, ValidationError

from browser.observation import Frozen

_WORDS = {"on": True, "off": False}


class PolicyError(Exception):
    """A text that states no policy; the message says what there is."""


class Policy(Frozen):
    """What a run switches off or changes to measure a rule; the defaults are what we found to work."""

    guards: bool = True
    """G1, G2: what repeats, stands still or goes round is told to the model, and ended where it goes on."""
    repeats_told: int = Field(default=3, ge=2)
    """Times that the same action had the same result, after which the model is told: twice may be a second try."""
    repeats_ended: int = Field(default=5, ge=2)
    """Times after which nothing but finishing is offered."""
    idle_told: int = Field(default=4, ge=1)
    """Actions in a row without a change; no success of the embedded model on MiniWoB had more than three."""
    idle_ended: int = Field(default=8, ge=1)
    """The same, after which the episode ends as a loop: the note was read four times."""
    round_told: int = Field(default=4, ge=3)
    """Actions in a row to and fro between two pages: A-B-A-B."""
    round_ended: int = Field(default=8, ge=3)
    arrivals_told: int = Field(default=4, ge=2)
    """Arrivals at one address; a list whose items are read one by one is come back to, so that it is only told."""
    arrivals_ended: int = Field(default=12, ge=2)
    """A list of more items than this is not read by opening each."""
    waits: int = Field(default=5, ge=1)
    """Waits in a row that changed nothing, after which none is offered until something else was done."""
    wait_in_page: bool = True
    """W1: whoever makes the environment lets it look again by itself while an agent waits."""
    settle_unchanged: bool = True
    """W2: and gives a page more time after an action that changed nothing."""
    press_enter: bool = True
    """A2: Enter is offered on a field that holds a value. Some pages can be submitted in no other way."""
    dead_targets: bool = True
    """A3: a click, or a key on a field, that changed nothing is withheld after `dead_after` tries; the row says so."""
    dead_after: int = Field(default=2, ge=1)
    """Clicks in a row without a change: one may have met a busy page, a third would not help either."""
    toggle_guard: bool = True
    """A4: no click that would undo a state which the goal asks for."""
    recovery: bool = False
    """G3: a signal is first met by another look and a chat model's plan, and ends the run only when these are spent."""
    recovery_attempts: int = Field(default=3, ge=1)
    recovery_s: float = Field(default=15.0, gt=0)
    """Seconds of all looks and plans of a run, never given back."""
    prefetch: bool = True
    """T3: the writer begins a text as soon as its field is seen, so that typing seldom waits for it."""
    joint: bool | None = None
    """On: one question over all candidates. Off: the operation first, then its target. None leaves it to the model: a
    decision model over a wire is asked heads, the embedded one takes the most probable candidate of all."""


DEFAULT_POLICY = Policy()
GUARDS = (
    "guards", "repeats_told", "repeats_ended", "idle_told", "idle_ended", "round_told", "round_ended",
    "arrivals_told", "arrivals_ended", "waits",
)  # fmt: skip
"""What of it holds for agents that only chat."""
WAITING = ("wait_in_page", "settle_unchanged")
"""What of it is the environment's to do, whatever the agent."""
NEEDS_WRITER = ("recovery", "recovery_attempts", "recovery_s", "prefetch")
"""What of it means something only where a chat model helps the decision model."""
SWITCHES = tuple(Policy.model_fields)
"""The names that `parse_policy` knows."""


def parse_policy(text: str, allowed: Collection[str] = SWITCHES) -> Policy:
    """Return the policy that a text such as "press_enter=off,dead_after=3" states; what it leaves out is the default.

    Raises:
        PolicyError: anything else, or a name that is not among those `allowed`.
    """
    stated: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if name not in allowed:
            raise PolicyError(f"The policy has no switch {name!r} here; there are {', '.join(allowed)}.")
        if not equals:
            raise PolicyError(f"The policy's {name} has no value; write {name}=on, {name}=off or {name}=NUMBER.")
        if name in stated:
            raise PolicyError(f"The policy's {name} is given twice; leave one out.")
        stated[name] = _value(name, value)
    try:
        return Policy(**stated)
    except ValidationError as error:
        first = error.errors()[0]
        wrong = str(first["loc"][0])
        raise PolicyError(f"The policy's {wrong} cannot be {_written(stated[wrong])}: {first['msg']}.") from None


def policy_text(policy: Policy) -> str:
    """Return what `parse_policy` reads back as this policy: what differs from the defaults, "" where nothing does."""
    stated = policy.model_dump()
    changed = {name: value for name, value in stated.items() if value != getattr(DEFAULT_POLICY, name)}
    return ",".join(f"{name}={_written(value)}" for name, value in changed.items())


def _value(name: str, text: str) -> bool | int | float:
    if text in _WORDS:
        return _WORDS[text]
    try:
        return int(text) if text.isdecimal() else float(text)
    except ValueError:
        raise PolicyError(f"The policy's {name} is {text!r}; give on, off or a number.") from None


def _written(value: bool | float) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
