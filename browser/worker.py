"""The environment in a process of its own: for notebooks, whose running event loop Playwright's sync API refuses.

Knows neither models nor benchmarks.
"""

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import gymnasium

from browser.actions import BrowserAction
from browser.environment import RESET_S, STEP_S, BrowserEnvironment
from browser.errors import BrowserCrashed
from browser.observation import Observation
from browser.session import CLOSE_S, START_S

# The worker's own deadlines come first; past them and this it does not answer at all.
GRACE_S = 10.0


class WorkerEnvironment(gymnasium.Env[Observation, BrowserAction]):
    """A BrowserEnvironment whose browser lives in another process; everything else is the same.

    Args:
        make: returns the environment there; a picklable callable, such as
            `functools.partial(browser.make_environment, "openended", task_kwargs={...})`.
    """

    metadata = {"render_modes": []}

    def __init__(self, make: Callable[[], BrowserEnvironment]) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, make), name="browser-worker")
        self._process.start()
        theirs.close()
        self.observation_space, self.action_space = self._call("spaces", START_S)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """As BrowserEnvironment.reset, with the same errors."""
        super().reset(seed=seed)
        result: tuple[Observation, dict[str, Any]] = self._call("reset", START_S + RESET_S, seed=seed, options=options)
        return result

    def step(self, action: BrowserAction) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """As BrowserEnvironment.step, with the same errors."""
        result: tuple[Observation, float, bool, bool, dict[str, Any]] = self._call("step", STEP_S, action=action)
        return result

    def close(self) -> None:
        """Close the environment there and end its process. Safe to call twice, and after a crash."""
        if self._process.is_alive():
            try:
                self._call("close", CLOSE_S)
            except BrowserCrashed:
                self._process.kill()
        self._process.join()
        self._pipe.close()

    def _call(self, name: str, seconds: float, **arguments: Any) -> Any:
        """Return what the worker's method returns, or raise what it raised."""
        try:
            self._pipe.send((name, arguments))
            if not self._pipe.poll(seconds + GRACE_S):
                self._process.kill()
                raise BrowserCrashed(f"The environment's process did not answer {name}() and was killed.")
            answer, error = self._pipe.recv()
        except (EOFError, OSError) as gone:
            raise BrowserCrashed("The environment's process is gone; make a new environment.") from gone
        if error is not None:
            raise error
        return answer


def serve(pipe: Connection, make: Callable[[], BrowserEnvironment]) -> None:
    """Answer calls until `close`, or until the caller is gone; the browser goes with this process."""
    env = make()
    try:
        while True:
            name, arguments = pipe.recv()
            try:
                answer = (
                    (env.observation_space, env.action_space) if name == "spaces" else getattr(env, name)(**arguments)
                )
            except Exception as error:
                pipe.send((None, error))
                continue
            pipe.send((answer, None))
            if name == "close":
                return
    except (EOFError, KeyboardInterrupt):
        pass
    finally:
        env.close()
