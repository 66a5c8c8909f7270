"""Ticks of real episodes, frozen: what a decision model was asked, to be decided again by others without a browser."""

import gzip
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from agent.decision import DecisionAgent
from agent.decision_model import Decision, DecisionModel
from agent.decision_models import EMBEDDED, make_decision_model
from agent.loop import Limits, run_episode
from agent.tick import Tick
from benchmark.errors import UsageError
from benchmark.miniwob.pages import miniwob_pages
from benchmark.miniwob.task import miniwob_task
from benchmark.miniwob.tasks import ACTIONS
from browser.environment import BrowserEnvironment
from browser.session import BrowserSession

# Of one episode, so that a long one does not outweigh the others.
PER_EPISODE = 3
MAX_STEPS = 6


class Keeping:
    """A decision model that keeps the ticks another one is asked."""

    def __init__(self, inner: DecisionModel) -> None:
        self.name = inner.name
        self.ticks: list[Tick] = []
        self._inner = inner

    def decide(self, tick: Tick) -> Decision:
        """Return the inner model's decision."""
        self.ticks.append(tick)
        return self._inner.decide(tick)


def collect(tasks: Sequence[str], seeds: Sequence[int]) -> list[Tick]:
    """Return the first ticks of each of these episodes, as the embedded model plays them with the core actions."""
    found: list[Tick] = []
    with miniwob_pages(0) as url, BrowserSession() as session:
        for task in tasks:
            for seed in seeds:
                model = Keeping(make_decision_model(EMBEDDED))
                agent = DecisionAgent(model, ACTIONS, allow_goal_credentials=True)
                environment = BrowserEnvironment(
                    miniwob_task(task), task_kwargs={"base_url": url}, actions=ACTIONS, allow_credentials=True,
                    session=session,
                )  # fmt: skip
                try:
                    run_episode(agent, environment, Limits(max_steps=MAX_STEPS), lambda *_: None, seed=seed)
                finally:
                    environment.close()
                found += model.ticks[:PER_EPISODE]
    return found


def write_ticks(path: Path, ticks: Iterable[Tick]) -> None:
    """Write ticks as gzipped JSON, one a line; the same ticks make the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(tick.model_dump(mode="json")) for tick in ticks]
    # No time of writing in it.
    path.write_bytes(gzip.compress("\n".join(lines).encode("ascii"), mtime=0))


def read_ticks(path: Path) -> list[Tick]:
    """Return the ticks in a file.

    Raises:
        UsageError: it cannot be read, or is none.
    """
    try:
        lines = gzip.decompress(path.read_bytes()).decode("ascii").splitlines()
        # Not strict: JSON has no tuples.
        ticks = [Tick.model_validate(json.loads(line), strict=False) for line in lines]
        if not ticks:
            raise ValueError("nothing in it")
        return ticks
    except (OSError, EOFError, ValueError):
        raise UsageError(f"The ticks in {path} cannot be read; collect them anew with --collect.") from None
