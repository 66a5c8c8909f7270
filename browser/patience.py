"""How long the environment itself waits for a page to change, so that no model is asked about the same page twice.

Knows neither models nor benchmarks. Rules W1 and W2 of the policy.
"""

from pydantic import Field

from browser.actions import BrowserAction
from browser.observation import Frozen

WAITED_OUT = "The page did not change in {seconds:g} s of waiting; waiting longer is of no use."


class Patience(Frozen):
    """What is waited, in milliseconds; a change of `page_key` ends each wait at once."""

    wait_pauses: tuple[int, ...] = (500, 1_000, 1_500)
    """Between the looks of a wait action: a page that changes without touching its document is seen when they end.
    Empty: a wait action is one look, and whoever waits is asked again."""
    wait_streak: int = Field(default=3_000, ge=0)
    """For all wait actions in a row, until the page changes or something else is done; it is not granted again."""
    unchanged: tuple[int, ...] = (250, 500, 1_000)
    """After the first action that changed nothing, the second in a row, and all later ones. Empty: none."""
    options: int = Field(default=900, ge=0)
    """After typing into a combobox, for its options to be seen: a server may have to be asked for them (rule P1)."""


class Waiting:
    """What is left of a patience in one episode."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._waited = 0
        self._unchanged = 0

    def pauses(self, action: BrowserAction) -> tuple[int, ...]:
        """Return how long to wait for a change after this action, pause by pause, if none is seen at once."""
        if action.type == "finish":
            return ()
        if action.type != "wait":
            self._waited = 0
            steps = self._patience.unchanged
            return steps[min(self._unchanged, len(steps) - 1) :][:1] if steps else ()
        left = self._patience.wait_streak - self._waited
        pauses = []
        for pause in self._patience.wait_pauses:
            pauses.append(min(pause, left))
            left -= pauses[-1]
        return tuple(pause for pause in pauses if pause > 0)

    def ended(self, action: BrowserAction, waited: float, *, changed: bool) -> str | None:
        """Take in what came of an action; return what to tell whoever waited in vain until nothing is left."""
        if changed:
            self._waited = self._unchanged = 0
            return None
        if action.type != "wait":
            self._unchanged += 1
            return None
        self._waited += round(waited)
        if not self._patience.wait_pauses or self._waited < self._patience.wait_streak:
            return None
        return WAITED_OUT.format(seconds=self._patience.wait_streak / 1000)
