"""Where the time of one reset or step went. Knows nothing else."""

import time
from dataclasses import dataclass

from browser.look import Look
from browser.observation import Timings


@dataclass
class Spent:
    """Where the time of a reset or a step goes; `acted` and `looked` are when that was done, in seconds."""

    acted: float
    looked: float = 0.0
    settle_ms: float = 0.0
    waited_ms: float = 0.0

    def add(self, seen: Look) -> None:
        """Count a look in."""
        self.settle_ms += seen.observation.settle_ms
        self.waited_ms += seen.waited_ms

    def timings(self, started: float) -> Timings:
        """Return the times until now, of what began at `started`."""
        ended = time.perf_counter()
        return Timings(
            act_ms=(self.acted - started) * 1000 + self.waited_ms,
            settle_ms=self.settle_ms,
            probe_ms=max(0.0, (self.looked - self.acted) * 1000 - self.settle_ms - self.waited_ms),
            validate_ms=(ended - self.looked) * 1000,
            total_ms=(ended - started) * 1000,
        )
