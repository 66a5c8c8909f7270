"""Speed of stock BrowserGym and of ours, alternating episode by episode: same tasks, seeds, actions and browser.

`make bench` prints the table and writes results/bench/speed.json.
"""

import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmark.command import run_command
from benchmark.errors import UsageError
from benchmark.measure.stock import Place, in_stock_words, place_of, same_browser, stock_environment
from benchmark.miniwob.pages import miniwob_pages
from benchmark.miniwob.solutions import SOLUTIONS
from benchmark.miniwob.task import miniwob_task
from benchmark.miniwob.tasks import ACTIONS, PACKAGES, select_tasks
from benchmark.records.provenance import provenance, write_figures
from browser.actions import BrowserAction
from browser.environment import BrowserEnvironment
from browser.session import BrowserSession

# Browsers that were just closed keep the machine busy for a moment; that is not charged to whoever comes next.
PAUSE_S = 0.3

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

Script = list[tuple[BrowserAction, Place | None]]


class Spent(NamedTuple):
    """One episode: durations in milliseconds, and the reward."""

    reset_ms: float
    step_ms: list[float]
    settle_ms: list[float]
    reward: float


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return how many milliseconds a call took, and what it returned."""
    started = time.perf_counter()
    result = call()
    return (time.perf_counter() - started) * 1000, result


# Each side runs in a process of its own, so that neither pays for what the other leaves in memory; ours keeps its
# browser there between episodes, which is the point of it.
_session: BrowserSession | None = None


def ours_episode(name: str, seed: int, url: str) -> tuple[Script, Spent]:
    """Run the scripted solution once and return its actions, with the places of their elements, and what it took."""
    global _session
    _session = _session or BrowserSession()
    env = BrowserEnvironment(
        miniwob_task(name), task_kwargs={"base_url": url}, actions=ACTIONS, allow_credentials=True, session=_session
    )
    reset_ms, (observation, _) = timed(partial(env.reset, seed=seed))
    spent, script = Spent(reset_ms, [], [], 0.0), []
    for action in SOLUTIONS[name](observation):
        script.append((action, place_of(env.session.world(), action)))
        ms, (_, reward, _, _, info) = timed(partial(env.step, action))
        spent.step_ms.append(ms)
        spent.settle_ms.append(info["timings"].settle_ms)
        spent = spent._replace(reward=reward)
    env.close()
    return script, spent


def stop_ours() -> str:
    """Close the browser of `ours_episode` and return its version."""
    assert _session is not None
    _session.close()
    return _session.browser_version


def stock_episode(name: str, seed: int, url: str, script: Script) -> Spent:
    """Run the same actions through stock BrowserGym, as it comes; its closing at the end is not counted."""
    with same_browser():
        env = stock_environment(name, url)
        reset_ms, _ = timed(partial(env.reset, seed=seed))
        spent = Spent(reset_ms, [], [], 0.0)
        for action, place in script:
            words = in_stock_words(action, place, env.page)
            ms, (_, reward, *_) = timed(partial(env.step, words))
            spent.step_ms.append(ms)
            spent = spent._replace(reward=float(reward))
        env.close()
    return spent


def summary(episodes: list[Spent]) -> dict[str, Any]:
    """Return medians, and episodes per second of resets and steps together."""
    steps = [ms for e in episodes for ms in e.step_ms]
    settles = [ms for e in episodes for ms in e.settle_ms]
    return {
        "episodes": len(episodes),
        "steps": len(steps),
        "success": sum(e.reward > 0 for e in episodes) / len(episodes),
        "reset_ms": round(median(e.reset_ms for e in episodes), 1),
        "step_ms": round(median(steps), 1),
        "settle_ms": round(median(settles), 1) if settles else None,
        "episodes_per_s": round(len(episodes) / (sum(e.reset_ms for e in episodes) + sum(steps)) * 1000, 3),
    }


@app.command()
def run(
    rounds: Annotated[int, typer.Option(help="Seeds per task.")] = 5,
    tasks: Annotated[str, typer.Option(help=f"Of {', '.join(SOLUTIONS)}, by commas.")] = ",".join(SOLUTIONS),
    out: Annotated[Path, typer.Option(help="Where the figures go.")] = Path("results/bench/speed.json"),
) -> int:
    """Measure both and print the ratio."""
    names = [name for name in select_tasks(tasks) if name in SOLUTIONS]
    pairs = [(name, seed) for seed in range(rounds) for name in names]
    if not pairs:
        raise UsageError(f"Nothing to measure: there are solutions for {', '.join(SOLUTIONS)}.")
    ours: list[Spent] = []
    stock: list[Spent] = []
    with miniwob_pages() as url, own_process() as our_process, own_process() as stock_process:
        for name, seed in track(pairs, description="episodes of both"):
            time.sleep(PAUSE_S)
            script, spent = our_process.submit(ours_episode, name, seed, url).result()
            ours.append(spent)
            time.sleep(PAUSE_S)
            stock.append(stock_process.submit(stock_episode, name, seed, url, script).result())
        browser = our_process.submit(stop_ours).result()
    result = _result(summary(ours), summary(stock), rounds, names)
    write_figures(out, result, provenance(PACKAGES), browser=browser)
    _print(result)
    return 0


def own_process() -> ProcessPoolExecutor:
    """Return a process for one side alone."""
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"))


def _result(ours: dict[str, Any], stock: dict[str, Any], rounds: int, names: list[str]) -> dict[str, Any]:
    return {
        "command": f"python -m benchmark.measure.speed --rounds {rounds}",
        "tasks": names,
        "ours": ours,
        "stock": stock,
        "ratio": {
            "reset_ms": round(stock["reset_ms"] / ours["reset_ms"], 1),
            "step_ms": round(stock["step_ms"] / ours["step_ms"], 1),
            "episodes_per_s": round(ours["episodes_per_s"] / stock["episodes_per_s"], 1),
        },
    }


def _print(result: dict[str, Any]) -> None:
    table = Table(title="Medians; eps/s is episodes over their summed time")
    for column in ("", "reset ms", "step ms", "settle", "eps/s", "success", "n", "steps"):
        table.add_column(column, justify="right")
    for name in ("stock", "ours"):
        row = result[name]
        settle = "-" if row["settle_ms"] is None else str(row["settle_ms"])
        figures = [row["reset_ms"], row["step_ms"], settle, row["episodes_per_s"], f"{row['success']:.2f}"]
        table.add_row(name, *map(str, figures), str(row["episodes"]), str(row["steps"]))
    ratio = result["ratio"]
    table.add_row(
        "ratio", f"{ratio['reset_ms']}x", f"{ratio['step_ms']}x", "", f"{ratio['episodes_per_s']}x", "", "", ""
    )
    Console().print(table)


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, argv, "speed")


if __name__ == "__main__":
    raise SystemExit(main())
