"""Speed of BrowserGym's own WebArena task class and of ours, on the same episodes of the stand-in sites.

`make bench-webarena` prints the table and writes results/bench/webarena.json. The oracle's actions are played by both,
each on databases just put back; BrowserGym's environment judges at every step, as it does on WebArena.
"""

import os
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from browsergym.core.action.highlevel import HighLevelActionSet
from browsergym.core.env import BrowserEnv
from playwright.sync_api import Page
from rich.console import Console
from rich.progress import track
from rich.table import Table

from agent.agent import AgentStep
from benchmark.command import run_command
from benchmark.errors import UsageError
from benchmark.measure.speed import PAUSE_S, Script, Spent, own_process, summary, timed
from benchmark.measure.stock import in_stock_words, place_of, same_browser
from benchmark.measure.stock_words import stock_words
from benchmark.records.provenance import provenance, write_figures
from benchmark.standins.agents import STANDIN_AGENTS
from benchmark.standins.instance import Instance
from benchmark.standins.instances import opened_instances
from benchmark.standins.logins import STANDIN_LOGINS
from benchmark.standins.tasks import select_standins, standin_rows
from benchmark.webarena.login import log_in
from benchmark.webarena.model import WebArenaTask, as_original
from benchmark.webarena.original import RULES, Original, original_answer, original_faults, prepare_package
from benchmark.webarena.places import standin_addresses
from benchmark.webarena.reset import reset_sites
from benchmark.webarena.sites import LEFT_OUT, VARIABLES, with_addresses
from benchmark.webarena.task import SiteTask
from benchmark.webarena.worker import PACKAGES
from browser.actions import Finish
from browser.environment import BrowserEnvironment
from browser.session import BrowserSession

# One of each kind of check: an answer, a page's content, a page's address with content; none that opens two sites.
TASKS = "standin & ids:1001,1005,1011,1017"
# Any of WebArena's own ids: the class reads its configuration first, and then gets ours in its place.
ANY_TASK = 0

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

_session: BrowserSession | None = None


def ours_episode(task: WebArenaTask, instance: Instance) -> tuple[Script, Spent]:
    """Let the oracle do a task and return its actions, with the places of their elements, and what they took."""
    global _session
    _session = _session or BrowserSession()
    agent = STANDIN_AGENTS["oracle"]()
    agent.reset()
    with tempfile.TemporaryDirectory() as folder:
        given: dict[str, Any] = {
            "task": task, "addresses": standin_addresses(instance), "rules": RULES, "logins": STANDIN_LOGINS,
            "login": "ui", "har": Path(folder) / "network.har", "begin": partial(reset_sites, instance.control),
            "check": lambda page: None,
        }  # fmt: skip
        env = BrowserEnvironment(SiteTask, task_kwargs=given, session=_session)
        reset_ms, (observation, _) = timed(partial(env.reset, seed=0))
        spent, script = Spent(reset_ms, [], [], 0.0), []
        step: AgentStep = agent.step(observation)
        while step.action is not None:
            script.append((step.action, place_of(env.session.world(), step.action)))
            ms, (observation, _, done, _, info) = timed(partial(env.step, step.action))
            spent.step_ms.append(ms)
            spent.settle_ms.append(info["timings"].settle_ms)
            if done:
                break
            step = agent.step(observation)
        verdict = Original(standin_addresses(instance), rows=standin_rows())
        reward = verdict.score(task.id, _session.page(), original_answer(step))
        env.close()
        _session.close_pages()
    return script, spent._replace(reward=reward)


def stop_browser() -> str:
    """Close the browser of `ours_episode` and return its version."""
    assert _session is not None
    _session.close()
    return _session.browser_version


def stock_episode(task_id: int, instance: Instance, script: Script, slow_mo: int | None) -> Spent:
    """Play the same actions through BrowserGym, as it comes, up to where it ends the episode."""
    reset_sites(instance.control)
    to_code = HighLevelActionSet(["chat", "nav", "bid", "coord"], multiaction=True).to_python_code
    with same_browser():
        env = BrowserEnv(
            _stock_task(instance), {"task_id": task_id}, action_mapping=to_code, slow_mo=slow_mo
        )  # fmt: skip
        reset_ms, _ = timed(partial(env.reset, seed=0))
        spent = Spent(reset_ms, [], [], 0.0)
        for action, place in script:
            ends = isinstance(action, Finish)
            words = stock_words(action, None) if ends else in_stock_words(action, place, env.page)
            ms, (_, reward, done, *_) = timed(partial(env.step, words))
            spent.step_ms.append(ms)
            spent = spent._replace(reward=float(reward))
            if done:
                break
        env.close()
    return spent


def _stock_task(instance: Instance) -> Any:
    """BrowserGym's class, with a stand-in task's configuration and logins in place of WebArena's."""
    addresses = standin_addresses(instance)
    prepare_package(addresses)
    for site, name in VARIABLES.items():
        os.environ[name] = addresses.get(site, LEFT_OUT)
    os.environ["WA_HOMEPAGE"] = addresses["shopping"]
    from browsergym.webarena.task import GenericWebArenaTask

    class StandinTask(GenericWebArenaTask):  # type: ignore[misc]  # BrowserGym ships no types
        def __init__(self, seed: int, task_id: int) -> None:
            super().__init__(seed, task_id=ANY_TASK)
            row = standin_rows()[task_id]
            self.task_configs = [with_real_addresses(row, addresses)]
            self.webarena_instance.ui_login = _login

    def _login(site: str, page: Page) -> None:
        log_in(page.context, STANDIN_LOGINS[site], addresses[site], "ui")

    return StandinTask


def with_real_addresses(value: Any, addresses: dict[str, str]) -> Any:
    """Return a configuration with the sites' addresses for their placeholders."""
    if isinstance(value, dict):
        return {name: with_real_addresses(part, addresses) for name, part in value.items()}
    if isinstance(value, list):
        return [with_real_addresses(part, addresses) for part in value]
    return with_addresses(value, addresses) if isinstance(value, str) else value


@app.command()
def run(
    tasks: Annotated[str, typer.Option(help="Stand-in tasks, on one site each.")] = TASKS,
    rounds: Annotated[int, typer.Option(help="Episodes of each task and side.", min=1)] = 1,
    slow_mo: Annotated[
        int | None, typer.Option(help="Milliseconds BrowserGym waits at each call; its class asks for 1000.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Where the figures go.")] = Path("results/bench/webarena.json"),
) -> int:
    """Measure both and print the ratio."""
    chosen = [as_original(task, standin_rows()[task.id]) for task in select_standins(tasks)]
    if found := original_faults(chosen):
        raise UsageError(f"Nothing to measure beside: {'; '.join(found)}.")
    ours: list[Spent] = []
    stock: list[Spent] = []
    with opened_instances(1) as (instance,), own_process() as our_process, own_process() as stock_process:
        for task in track([task for task in chosen for _ in range(rounds)], description="episodes of both"):
            time.sleep(PAUSE_S)
            script, spent = our_process.submit(ours_episode, task, instance).result()
            ours.append(spent)
            time.sleep(PAUSE_S)
            stock.append(stock_process.submit(stock_episode, task.id, instance, script, slow_mo).result())
        browser = our_process.submit(stop_browser).result()
    result = _result(summary(ours), summary(stock), tasks, slow_mo)
    write_figures(out, result, provenance(PACKAGES), browser=browser)
    _print(result)
    return 0


def _result(ours: dict[str, Any], stock: dict[str, Any], tasks: str, slow_mo: int | None) -> dict[str, Any]:
    waits = "" if slow_mo is None else f" --slow-mo {slow_mo}"
    return {
        "command": f"python -m benchmark.measure.webarena --tasks {tasks!r}{waits}",
        "slow_mo_ms": "the class's own" if slow_mo is None else slow_mo,
        "ours": ours,
        "stock": stock,
        "ratio": {name: round(stock[name] / ours[name], 1) for name in ("reset_ms", "step_ms")},
    }


def _print(result: dict[str, Any]) -> None:
    table = Table("", "reset ms", "step ms", "success", "episodes", "steps", title="Medians on stand-in sites")
    for name in ("stock", "ours"):
        row = result[name]
        figures = (row["reset_ms"], row["step_ms"], f"{row['success']:.2f}", row["episodes"], row["steps"])
        table.add_row(name, *map(str, figures))
    table.add_row("ratio", f"{result['ratio']['reset_ms']}x", f"{result['ratio']['step_ms']}x", "", "", "")
    Console().print(table)


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, argv, "webarena")


if __name__ == "__main__":
    raise SystemExit(main())
