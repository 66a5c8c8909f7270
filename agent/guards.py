"""Pure detectors over the past of an episode: what repeats, stands still or goes round (rules G1 and G2).

Knows no model and no page but the past; what a model reads of it is in prompt.py.
"""

from collections.abc import Hashable, Sequence

from agent.policy import Policy
from agent.prompt import NOTE_ARRIVED, NOTE_FINISH, NOTE_IDLE, NOTE_REPEATED, NOTE_ROUND, NOTE_WAITED
from agent.tick import PastStep
from browser.actions import ActionName, GoBack, Keys, Navigate, Press, Scroll, Wait
from browser.observation import Frozen


class Advice(Frozen):
    """What the guards say before a decision."""

    note: str = ""
    """For the model to read; "" where nothing is wrong."""
    finish_only: bool = False
    """The next request offers nothing but to finish."""
    wait_spent: bool = False
    """Waiting has been tried and is withheld."""
    signal: str = ""
    """The stop signal that is on, for recovery and for the record: idle, round, arrivals or waits; "" for none."""
    stop: str = ""
    """Why to end the episode now as a loop; "" to go on."""


NO_ADVICE = Advice()


def advise(past: Sequence[PastStep], policy: Policy) -> Advice:
    """Return what to tell and what to withhold after these actions; nothing where the guards are switched off.

    A signal is first told to the model. It ends the episode only where it goes on until its second count.
    """
    if not policy.guards or not past:
        return NO_ADVICE
    signals = (
        ("round", alternating(past), policy.round_told, policy.round_ended, NOTE_ROUND),
        ("arrivals", arrivals(past), policy.arrivals_told, policy.arrivals_ended, NOTE_ARRIVED),
        ("idle", idle(past), policy.idle_told, policy.idle_ended, NOTE_IDLE),
    )
    on = [(name, note.format(count=count)) for name, count, told, _, note in signals if count >= told]
    stop = next((note.format(count=count) for _, count, _, ended, note in signals if count >= ended), "")
    repeated, wait_spent = repeats(past), waits(past) >= policy.waits or _is_waited_out(past[-1])
    if wait_spent:
        on.append(("waits", NOTE_WAITED))
    notes = [note for _, note in on]
    if repeated >= policy.repeats_told:
        notes.insert(0, NOTE_REPEATED.format(count=repeated))
    finish_only = repeated >= policy.repeats_ended
    return Advice(
        note=NOTE_FINISH.format(count=repeated) if finish_only else " ".join(notes[:1]),
        finish_only=finish_only,
        wait_spent=wait_spent,
        signal=on[0][0] if on else "",
        stop=stop,
    )


def still_offered(offered: tuple[ActionName, ...], advice: Advice) -> tuple[ActionName, ...]:
    """Return the actions that remain; none where only finishing is left and no run may finish."""
    if advice.finish_only:
        return tuple(name for name in offered if name == "finish")
    return tuple(name for name in offered if not (advice.wait_spent and name == "wait"))


def repeats(past: Sequence[PastStep]) -> int:
    """Return how many times in a row, up to now, the same action had the same result.

    A scroll or a wait that changed nothing is the same as any other such: what it was asked for in detail only makes a
    loop look like progress. A wait on a page that counts did change it: that is what it was for.
    """
    last = _doing(past[-1])
    count = next((n for n, step in enumerate(reversed(past)) if _doing(step) != last), len(past))
    return count // CARET_STEPS if _moves_caret(past[-1]) else count


def idle(past: Sequence[PastStep]) -> int:
    """Return how many actions in a row, up to now, changed nothing, without those that moved a caret."""
    seen = [step for step in past if not _moves_caret(step)]
    return next((n for n, step in enumerate(reversed(seen)) if step.page_changed), len(seen))


def waits(past: Sequence[PastStep]) -> int:
    """Return how many waits in a row, up to now, changed nothing."""
    return next((n for n, step in enumerate(reversed(past)) if not _is_idle_wait(step)), len(past))


def alternating(past: Sequence[PastStep]) -> int:
    """Return how many actions in a row, up to now, went to and fro between two pages or two addresses; 0 for none.

    An address counts beside the page's key, because a page that is come back to may show something else that is new.
    """
    return max(_to_and_fro([step.page_key for step in past]), _to_and_fro([step.url for step in past]))


def arrivals(past: Sequence[PastStep]) -> int:
    """Return how often the episode came to the address where it is now, if the last action led there."""
    came = [after.url for before, after in zip(past, past[1:], strict=False) if after.url != before.url]
    here = past[-1].url
    if len(past) < 2 or not here or past[-2].url == here:
        return 0
    return came.count(here) + (past[0].url == here)


def _to_and_fro(places: Sequence[str]) -> int:
    run = 0
    for n in range(len(places) - 1, 1, -1):
        if not places[n] or places[n] != places[n - 2] or places[n] == places[n - 1]:
            break
        run += 1
    return run + 2 if run else 0


# How often in a row a caret may be moved by the same keys for once that anything else is repeated: a word is reached
# by as many jumps as there are words before it.
CARET_STEPS = 4


def _moves_caret(step: PastStep) -> bool:
    """Tell whether keys went to where a page shows nothing of what they did: they moved a caret, what it selects, or
    the place in a menu."""
    if not isinstance(step.action, Keys | Press) or step.page_changed or step.error is not None:
        return False
    keys = step.action.keys if isinstance(step.action, Keys) else step.action.key
    return keys.rpartition("+")[2].startswith(("Arrow", "Home", "End", "Page"))


def _doing(step: PastStep) -> Hashable:
    """Return what tells an action with its result from another."""
    if not step.page_changed and isinstance(step.action, Scroll | Wait):
        return "a scroll or wait that changed nothing"
    # Ids die with their nodes: on a page that is loaded again, the link pressed again has another.
    action = step.action.model_copy(update={"element_id": 0}) if step.name else step.action
    done = (repr(action), step.role, step.name, step.error, step.url)
    # To open an address again is the same again, whatever else stands there by now.
    return done if isinstance(step.action, GoBack | Navigate) else (*done, step.page_changed, step.page_key)


def _is_waited_out(step: PastStep) -> bool:
    """Tell whether the environment said that this wait used up the time it gives, or refused it."""
    return _is_idle_wait(step) and step.error is not None


def _is_idle_wait(step: PastStep) -> bool:
    return isinstance(step.action, Wait) and not step.page_changed
