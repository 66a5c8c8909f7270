"""Sees and acts: a Gymnasium environment over BrowserGym. Knows neither models nor prompts.

Importing it registers `browser/task` (any task BrowserGym knows, by its id) and `browser/openended` (any page):

    gymnasium.make("browser/openended", task_kwargs={"start_url": "https://example.org", "goal": "..."})
    gymnasium.make("browser/task", task_id="package.task")
"""

import importlib
from typing import TYPE_CHECKING, Any

import gymnasium

if TYPE_CHECKING:
    from browser.environment import BrowserEnvironment


def make_environment(task_id: str, **kwargs: Any) -> "BrowserEnvironment":
    """Return an environment for a task registered with BrowserGym, such as "openended" or "<package>.<task>".

    Args:
        task_id: BrowserGym's id without its "browsergym/" prefix; the package before the dot is imported if need be.
        kwargs: those of BrowserEnvironment.

    Raises:
        gymnasium.error.NameNotFound: BrowserGym has no such task, or its package is not installed.
    """
    # Here and not above, so that `python -m browser.install` and whoever wants a type load no browser driver.
    from browser.environment import BrowserEnvironment

    package = task_id.partition(".")[0]
    if f"browsergym/{task_id}" not in gymnasium.registry and "." in task_id:
        try:
            importlib.import_module(f"browsergym.{package}")
        except ModuleNotFoundError as error:
            raise gymnasium.error.NameNotFound(f"Install browsergym-{package} to use {task_id}.") from error
    spec = gymnasium.spec(f"browsergym/{task_id}")
    assert callable(spec.entry_point)
    # BrowserGym hides the task class in a closure; its environment starts nothing until reset.
    stock: Any = spec.entry_point(task_kwargs=kwargs.pop("task_kwargs", {}))
    return BrowserEnvironment(stock.task_entrypoint, task_kwargs=stock.task_kwargs, **kwargs)


def _register(name: str, **defaults: Any) -> None:
    # Spaces of typed objects have no dtype to check, and order is enforced by step() itself.
    gymnasium.register(
        id=f"browser/{name}", entry_point="browser:make_environment", kwargs=defaults, nondeterministic=True
    )


_register("task")
_register("openended", task_id="openended")
