"""Run an agent on MiniWoB and print a table: `python benchmark/run_miniwob.py --agent jev --tasks quick --seeds 5`."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from pydantic import JsonValue

from agent.loop import Limits
from agent.registry import AGENTS, make_agent
from benchmark.command import comparable, interruptible, progress_bar, report, run_command, verdict
from benchmark.errors import UsageError
from benchmark.miniwob import ACTIONS, BENCHMARK, PACKAGES, SETS, parse_seeds, raw_reward, select_tasks
from benchmark.miniwob_pages import miniwob_pages, pages_name
from benchmark.miniwob_task import miniwob_task
from benchmark.provenance import package_version, provenance
from benchmark.records import JobKey
from benchmark.runner import Setup, Worker, plan, run_jobs
from benchmark.store import RecordStore, repair
from browser.environment import BrowserEnvironment
from browser.session import BrowserOptions, BrowserSession, PageSettings

# Raise it when the environment changes what agents see or how actions land: older records no longer compare.
ENVIRONMENT_VERSION = 1
# An episode here takes seconds; this only ends one that a slow model drags on.
EPISODE_S = 300.0

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def run(
    agent: Annotated[str, typer.Option(help=f"One of {', '.join(AGENTS)}.")] = "jev",
    model: Annotated[str | None, typer.Option(help="The agent's model; without it, the agent's own choice.")] = None,
    tasks: Annotated[str, typer.Option(help=f"Names, globs and the sets {', '.join(SETS)}, by commas.")] = "quick",
    seeds: Annotated[str, typer.Option(help='A count ("5" is seeds 0 to 4) or a list ("7,9,100-104").')] = "1",
    max_steps: Annotated[int, typer.Option(help="Actions an episode may take.")] = 10,
    out: Annotated[Path, typer.Option(help="Folder of the records; what is done there is not run again.")] = Path(
        "results/runs/miniwob"
    ),
    strict_url: Annotated[
        bool, typer.Option("--strict-url", help="Judge addresses as stock BrowserGym does, fragments included.")
    ] = False,
    port: Annotated[int, typer.Option(help="Port of the local page server; 0 takes a free one.")] = 0,
    repair_first: Annotated[
        bool, typer.Option("--repair", help="Set damaged record lines aside and run their episodes again.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> int:
    """Run an agent on MiniWoB tasks, leave out what is done, and print a table."""
    if max_steps < 1:
        raise UsageError(f"--max-steps is {max_steps}; an episode takes at least 1.")
    # The tasks that log in quote the password in their goal; there is no other way to solve them.
    chosen = make_agent(agent, model, offered=ACTIONS, allow_goal_credentials=True)
    setup = Setup(
        agent=chosen,
        limits=Limits(max_steps=max_steps, episode_s=EPISODE_S),
        settings={"agent": chosen.config, "environment": _environment_settings(max_steps, strict_url)},
        provenance=provenance(PACKAGES),
        raw_reward=raw_reward,
    )
    jobs = plan(BENCHMARK, select_tasks(tasks), parse_seeds(seeds), agent=agent, model=model, settings=setup.settings)
    if repair_first:
        repaired = repair(out)
        typer.echo(f"Set aside {repaired.lines} damaged lines and {repaired.episodes} episodes whose steps are lost.")
    with RecordStore(out) as store:
        _run_pending(jobs, setup, store, strict_url=strict_url, port=port, quiet=quiet)
        title = f"MiniWoB, {len(jobs)} episodes: tasks {tasks}, seeds {seeds}"
        report(comparable(store.episodes(), jobs), store, title, _notes(setup, tasks, seeds))
        return verdict(jobs, store)


def _environment_settings(max_steps: int, strict_url: bool) -> dict[str, JsonValue]:
    return {
        "actions": list(ACTIONS),
        "max_steps": max_steps,
        "strict_url": strict_url,
        "pages": pages_name(),
        "browsergym-core": package_version("browsergym-core"),
        "version": ENVIRONMENT_VERSION,
    }


def _run_pending(
    jobs: Sequence[JobKey], setup: Setup, store: RecordStore, *, strict_url: bool, port: int, quiet: bool
) -> None:
    """Run what is not done; the page server and the browser are started only if there is anything to run."""
    pending = [job for job in jobs if not store.done(job)]
    if not pending:
        typer.echo(f"All {len(jobs)} episodes are done.")
        return
    typer.echo(f"{len(pending)} of {len(jobs)} episodes to run; pages: {pages_name()}.")
    with interruptible() as interrupted, miniwob_pages(port) as url, BrowserSession(BrowserOptions()) as session:
        session.open_page(PageSettings(), "page")  # a browser that cannot start must say so before the first episode

        def environment(job: JobKey) -> BrowserEnvironment:
            task = miniwob_task(job.task, strict_url=strict_url)
            return BrowserEnvironment(task, task_kwargs={"base_url": url}, actions=ACTIONS, session=session)

        worker = Worker(
            environment=environment, browser_version=lambda: session.browser_version, interrupted=interrupted
        )
        with progress_bar(len(pending), quiet) as on_episode:
            run_jobs(pending, setup, worker, store, on_episode)


def _notes(setup: Setup, tasks: str, seeds: str) -> list[str]:
    settings = setup.settings["environment"]
    assert isinstance(settings, dict)
    strict = bool(settings["strict_url"])
    options = ["--tasks", tasks, "--seeds", seeds, "--max-steps", str(settings["max_steps"])]
    options += ["--strict-url"] if strict else []
    address = (
        "Addresses are compared with their fragment, as in stock BrowserGym (--strict-url)."
        if strict
        else "Addresses are compared without their fragment; stock's rule (--strict-url) fails search-engine."
    )
    return [
        f"Command: python benchmark/run_miniwob.py --agent AGENT {shlex.join(options)}",
        "Success is BrowserGym's, a raw reward above 0, which partial credit and luck reach; full is at least 0.99. "
        "In brackets: Wilson 95 % intervals. Episodes that infrastructure ended are unscored and in no rate.",
        address,
    ]


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 all scored, 1 not all, 2 wrong usage, 130 interrupted."""
    return run_command(app, argv, "run_miniwob")


if __name__ == "__main__":
    raise SystemExit(main())
