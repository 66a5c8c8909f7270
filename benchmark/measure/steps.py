"""What one step costs beside the decision: on MiniWoB as jev plays it, and on a page of 120 controls.

`make bench-steps` prints the table and writes results/bench/steps.json.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from browsergym.core.task import AbstractBrowserTask
from playwright.sync_api import Page
from rich.console import Console
from rich.progress import track
from rich.table import Table

from agent.agent import Agent, AgentStep
from agent.loop import Limits, run_episode
from agent.registry import make_agent
from benchmark.command import run_command
from benchmark.measure.perception_pages import controls_page
from benchmark.measure.perception_time import summary
from benchmark.miniwob.pages import miniwob_pages
from benchmark.miniwob.task import miniwob_task
from benchmark.miniwob.tasks import ACTIONS, PACKAGES, parse_seeds, select_tasks
from benchmark.records.provenance import provenance, write_figures
from browser.actions import BrowserAction, Click, Select, Type
from browser.environment import BrowserEnvironment
from browser.observation import Observation, Timings
from browser.session import BrowserSession

CONTROLS = 120
MAX_STEPS = 10
PARTS = tuple(Timings.model_fields)

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


class ShownPage(AbstractBrowserTask):  # type: ignore[misc]  # BrowserGym ships no types
    """A page of controls, without goal or reward."""

    def setup(self, page: Page) -> tuple[str, dict[str, Any]]:
        """Show the page."""
        page.set_content(controls_page(CONTROLS).html)
        return "", {}

    def validate(self, page: Page, chat_messages: list[str]) -> tuple[float, bool, str, dict[str, Any]]:
        """Judge nothing."""
        return 0.0, False, "", {}

    def teardown(self) -> None:
        """There is nothing to take down."""


@app.command()
def run(
    tasks: Annotated[str, typer.Option(help="MiniWoB tasks: names, globs and sets, by commas.")] = "quick",
    seeds: Annotated[str, typer.Option(help='A count ("5" is seeds 0 to 4) or a list ("7,9,100-104").')] = "100-104",
    rounds: Annotated[int, typer.Option(help="Times that the page of 120 controls is filled in.", min=1)] = 5,
    out: Annotated[Path, typer.Option(help="Where the figures go.")] = Path("results/bench/steps.json"),
) -> int:
    """Measure steps of both kinds and print where their time goes."""
    made = provenance(PACKAGES)
    with BrowserSession() as session, miniwob_pages() as url:
        played = [
            _played(session, task, seed, url)
            for task in track(select_tasks(tasks), description="MiniWoB")
            for seed in parse_seeds(seeds)
        ]
        filled = [_filled_in(session) for _ in track(range(rounds), description=f"{CONTROLS} controls")]
        result = {
            "command": f"python -m benchmark.measure.steps --tasks {tasks} --seeds {seeds} --rounds {rounds}",
            "miniwob": _parts(played),
            f"controls_{CONTROLS}": _parts(filled),
        }
        browser = session.browser_version
    write_figures(out, result, made, browser=browser)
    _print(result)
    return 0


def _played(session: BrowserSession, task: str, seed: int, url: str) -> list[Timings]:
    """Return the times of the steps of one episode of jev with its embedded model."""
    agent: Agent = make_agent("jev", offered=ACTIONS, allow_goal_credentials=True)
    env = BrowserEnvironment(
        miniwob_task(task), task_kwargs={"base_url": url}, actions=ACTIONS, allow_credentials=True, session=session
    )
    times: list[Timings] = []

    def on_step(step: AgentStep, seen: Observation, reward: float, info: dict[str, Any]) -> None:
        if step.action is not None:
            times.append(info["timings"])

    run_episode(agent, env, Limits(max_steps=MAX_STEPS), on_step, seed=seed)
    env.close()
    return times


def _filled_in(session: BrowserSession) -> list[Timings]:
    """Return the times of the steps that fill in every field of the page."""
    env = BrowserEnvironment(ShownPage, session=session)
    observation, _ = env.reset(seed=0)
    times = []
    for action in list(_changes(observation)):
        seen, _, _, _, info = env.step(action)
        assert seen.page_key != observation.page_key, f"{action} changed nothing"
        observation = seen
        times.append(info["timings"])
    env.close()
    return times


def _changes(observation: Observation) -> Iterator[BrowserAction]:
    for element in observation.elements:
        if element.role == "textbox":
            yield Type(element_id=element.id, text="12")
        elif element.role in ("checkbox", "radio"):
            yield Click(element_id=element.id)
        elif element.role == "combobox":
            yield Select(element_id=element.id, option="courier")


def _parts(episodes: Iterable[list[Timings]]) -> dict[str, Any]:
    steps = [times for episode in episodes for times in episode]
    return {part: summary([getattr(times, part) for times in steps]) for part in PARTS}


def _print(result: dict[str, Any]) -> None:
    table = Table(title="Milliseconds of one step without its decision: median / p95")
    for column in ("steps of", "n", *PARTS):
        table.add_column(column, justify="right")
    for name in ("miniwob", f"controls_{CONTROLS}"):
        row = result[name]
        figures = [f"{row[part]['median']} / {row[part]['p95']}" for part in PARTS]
        table.add_row(name, str(row["total_ms"]["n"]), *figures)
    Console().print(table)


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, argv, "steps")


if __name__ == "__main__":
    raise SystemExit(main())
