"""Speed of stock BrowserGym and of ours, alternating in one process: same tasks, seeds, scripted actions and browser.

`make bench` prints the table and writes results/bench/speed.json.
"""

import json
import platform
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import psutil
import typer
from browsergym.core.env import BrowserEnv
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmark.command import run_command
from benchmark.miniwob import ACTIONS, PACKAGES
from benchmark.miniwob_pages import miniwob_pages
from benchmark.miniwob_task import miniwob_task
from benchmark.provenance import provenance
from benchmark.solutions import SOLUTIONS
from benchmark.stock import Place, in_stock_words, place_of, same_browser, stock_environment
from browser.actions import BrowserAction
from browser.environment import BrowserEnvironment
from browser.session import BrowserSession

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

Script = list[tuple[BrowserAction, Place | None]]


class Clock:
    """Collects durations in milliseconds, by name."""

    def __init__(self) -> None:
        self.ms: dict[str, list[float]] = {"reset": [], "step": [], "settle": [], "episode": []}
        self.rewards: list[float] = []

    def time(self, what: str, call: Callable[[], Any]) -> Any:
        started = time.perf_counter()
        try:
            return call()
        finally:
            self.ms[what].append((time.perf_counter() - started) * 1000)

    def summary(self) -> dict[str, Any]:
        """Return medians, and episodes per second as the inverse of the median episode."""
        return {
            "episodes": len(self.ms["episode"]),
            "steps": len(self.ms["step"]),
            "success": sum(r > 0 for r in self.rewards) / len(self.rewards),
            "reset_ms": round(median(self.ms["reset"]), 1),
            "step_ms": round(median(self.ms["step"]), 1),
            "settle_ms": round(median(self.ms["settle"]), 1) if self.ms["settle"] else None,
            "episodes_per_s": round(len(self.ms["episode"]) / sum(self.ms["episode"]) * 1000, 3),
        }


def ours_episode(name: str, seed: int, url: str, session: BrowserSession, clock: Clock) -> Script:
    """Run the scripted solution once and return its actions with the places of their elements."""
    env = BrowserEnvironment(miniwob_task(name), task_kwargs={"base_url": url}, actions=ACTIONS, session=session)
    observation, _ = clock.time("reset", partial(env.reset, seed=seed))
    spent, script, reward = clock.ms["reset"][-1], [], 0.0
    for action in SOLUTIONS[name](observation):
        script.append((action, place_of(env.page, action)))
        _, reward, _, _, info = clock.time("step", partial(env.step, action))
        clock.ms["settle"].append(info["timings"].settle_ms)
        spent += clock.ms["step"][-1]
    clock.ms["episode"].append(spent)
    clock.rewards.append(reward)
    env.close()
    return script


def stock_episode(env: BrowserEnv, seed: int, script: Script, clock: Clock) -> None:
    """Run the same actions through stock BrowserGym, as it comes."""
    clock.time("reset", partial(env.reset, seed=seed))
    spent, reward = clock.ms["reset"][-1], 0.0
    for action, place in script:
        words = in_stock_words(action, place, env.page)
        _, reward, *_ = clock.time("step", partial(env.step, words))
        spent += clock.ms["step"][-1]
    clock.ms["episode"].append(spent)
    clock.rewards.append(float(reward))


@app.command()
def run(
    rounds: Annotated[int, typer.Option(help="Seeds per task.")] = 3,
    out: Annotated[Path, typer.Option(help="Where the figures go.")] = Path("results/bench/speed.json"),
) -> int:
    """Measure both and print the ratio."""
    ours, stock = Clock(), Clock()
    pairs = [(name, seed) for seed in range(rounds) for name in SOLUTIONS]
    with miniwob_pages() as url, same_browser(), BrowserSession() as session:
        environments = {name: stock_environment(name, url) for name in SOLUTIONS}
        for name, seed in track(pairs, description="episodes of both"):
            script = ours_episode(name, seed, url, session, ours)
            stock_episode(environments[name], seed, script, stock)
            environments[name].close()
        browser = session.browser_version
    result = _result(ours.summary(), stock.summary(), browser, rounds)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    _print(result)
    return 0


def _result(ours: dict[str, Any], stock: dict[str, Any], browser: str, rounds: int) -> dict[str, Any]:
    made = provenance(PACKAGES)
    return {
        "command": f"python -m benchmark.bench_speed --rounds {rounds}",
        "tasks": list(SOLUTIONS),
        "ours": ours,
        "stock": stock,
        "ratio": {
            "reset_ms": round(stock["reset_ms"] / ours["reset_ms"], 1),
            "step_ms": round(stock["step_ms"] / ours["step_ms"], 1),
            "episodes_per_s": round(ours["episodes_per_s"] / stock["episodes_per_s"], 1),
        },
        "machine": {
            "system": f"{platform.system()} {platform.machine()}",
            "cpus": psutil.cpu_count(),
            "memory_gib": round(psutil.virtual_memory().total / 2**30),
        },
        "git_commit": made.git_commit,
        "git_dirty": made.git_dirty,
        "versions": {**made.versions, "browser": browser},
    }


def _print(result: dict[str, Any]) -> None:
    table = Table(title="Medians; episodes/s is episodes over their summed time")
    for column in ("", "reset ms", "step ms", "of it settle", "episodes/s", "success", "episodes", "steps"):
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
    return run_command(app, argv, "bench_speed")


if __name__ == "__main__":
    raise SystemExit(main())
