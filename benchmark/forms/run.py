"""Play generated pages: `python -m benchmark.forms.run --tasks form,form-other --seeds 100-104`.

No benchmark: to see what an agent makes of names that a goal and a page do not share, and to train on pages that are
not MiniWoB's. With --keep-ticks, benchmark.training.fit reads what was played by its --also.
"""

import fnmatch
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import JsonValue

from agent.loop import Limits
from agent.policy import Policy
from benchmark.command import run_command
from benchmark.errors import UsageError
from benchmark.forms.pages import TASKS
from benchmark.forms.task import form_task
from benchmark.miniwob.tasks import ACTIONS, parse_seeds
from benchmark.models.agent import job_model, model_options, opened_agent
from benchmark.models.agent_options import PolicyText, chosen_policy, patience_of
from benchmark.models.chat_options import ChatOptions
from benchmark.models.decision_options import DecisionModelName, DecisionOptions
from benchmark.records.provenance import Provenance, package_version, provenance
from benchmark.records.rows import JobKey
from benchmark.running.jobs import Fresh, Going, KeepTicks, Quiet, RecordFolder, run_jobs
from benchmark.running.runner import Setup, Worker, plan
from browser.environment import BrowserEnvironment
from browser.patience import Patience
from browser.session import BrowserSession, PageSettings

BENCHMARK = "forms"
AGENT = "jev"
PACKAGES = ("playwright", "gymnasium", "browsergym-core")
EPISODE_S = 300.0
# Raise it when the same task and seed make another page: older records no longer compare.
PAGES_VERSION = 1

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def run(
    tasks: Annotated[str, typer.Option(help=f"Names and globs by commas, of {', '.join(TASKS)}.")] = "*",
    seeds: Annotated[str, typer.Option(help='A count ("5" is seeds 0 to 4) or a list ("7,9,100-104").')] = "100-104",
    decision_model: DecisionModelName = None,
    max_steps: Annotated[int, typer.Option(help="Actions an episode may take.", min=1)] = 10,
    policy: PolicyText = "",
    out: RecordFolder = Path("results/runs/forms"),
    workers: Annotated[int, typer.Option(help="Browsers at once, each in a process of its own; above 1 by Ray.")] = 1,
    keep_ticks: KeepTicks = False,
    fresh: Fresh = False,
    quiet: Quiet = False,
) -> int:
    """Play these pages, leave out what is done, and print a table."""
    chosen, rules = select(tasks), chosen_policy(AGENT, policy)
    _, decision = model_options(AGENT, None, decision_model, None, None)
    make_setup = partial(_setup, max_steps, rules, provenance(PACKAGES), keep_ticks)
    jobs = plan(
        BENCHMARK, chosen, parse_seeds(seeds), agent=AGENT, model=job_model(AGENT, None, decision),
        settings=make_setup(None, decision).settings,
    )  # fmt: skip
    return run_jobs(
        jobs,
        make_setup,
        partial(form_worker, patience=patience_of(rules)),
        (None, decision),
        Going(out, fresh, quiet=quiet, workers=workers),
        where="",
        title=f"Generated pages, {len(jobs)} episodes: tasks {tasks}, seeds {seeds}",
        notes=["No benchmark: the pages were written beside the agent."],
    )


def select(text: str) -> list[str]:
    """Return the tasks that these names and globs stand for.

    Raises:
        UsageError: one stands for none.
    """
    found: list[str] = []
    for name in filter(None, (part.strip() for part in text.split(","))):
        matches = fnmatch.filter(TASKS, name)
        if not matches:
            raise UsageError(f"No generated page is called {name!r}; there are {', '.join(TASKS)}.")
        found += [task for task in matches if task not in found]
    return found


def _setup(
    max_steps: int, policy: Policy, made_with: Provenance, keep_ticks: bool, chat: ChatOptions | None,
    decision: DecisionOptions | None,
) -> Setup:  # fmt: skip
    agent, begin = opened_agent(
        AGENT, chat, decision, offered=ACTIONS, allow_goal_credentials=False, policy=policy
    )  # fmt: skip
    environment: dict[str, JsonValue] = {
        "actions": list(ACTIONS),
        "action_set": "core",
        "max_steps": max_steps,
        "pages": PAGES_VERSION,
        "browsergym-core": package_version("browsergym-core"),
        "patience": patience_of(policy).model_dump(mode="json"),
    }
    return Setup(
        agent=agent,
        limits=Limits(max_steps=max_steps, episode_s=EPISODE_S),
        settings={"agent": agent.config, "environment": environment},
        provenance=made_with,
        raw_reward=_raw_reward,
        begin=begin,
        keep_ticks=keep_ticks,
    )


def _raw_reward(info: dict[str, Any]) -> float | None:
    reward: float | None = info["task_info"].get("raw_reward")
    return reward


@contextmanager
def form_worker(patience: Patience) -> Iterator[Worker]:
    """Yield one browser of this process that shows generated pages."""
    with BrowserSession() as session:

        def environment(job: JobKey) -> BrowserEnvironment:
            return BrowserEnvironment(form_task(job.task), actions=ACTIONS, session=session, patience=patience)

        yield Worker(
            environment=environment,
            browser_version=lambda: session.browser_version,
            start=lambda: session.open_page(PageSettings(), "page"),
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 all scored, 1 not all, 2 wrong usage, 130 interrupted."""
    return run_command(app, argv, "forms.run")


if __name__ == "__main__":
    raise SystemExit(main())
