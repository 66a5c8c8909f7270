"""Run an agent on any page and watch it: `python benchmark/run_page.py URL --goal "..." --agent jev`.

Each step is told as it happens, then the answer, the end, the last picture of the page and the folder of the records.
"""

from collections.abc import Iterable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from agent.react import MAX_PROMPT_TOKENS
from agent.registry import AGENTS, observation_mode
from benchmark.command import interruptible, run_command
from benchmark.errors import UsageError
from benchmark.models.agent import ModelName, job_model, model_options
from benchmark.models.agent_options import PolicyText, Threshold, chosen_policy, chosen_threshold, patience_of
from benchmark.models.chat import reachable
from benchmark.models.chat_options import (
    Api,
    ApiKeyEnv,
    BaseUrl,
    MaxCostEpisode,
    MaxPromptTokens,
    PriceFile,
    Temperature,
    Writer,
)
from benchmark.models.decision import decidable
from benchmark.models.decision_options import DecisionDeadline, DecisionModelName
from benchmark.page.words import Line, ending_lines, step_lines
from benchmark.page.worker import PACKAGES, PageOptions, TellingRows, check_url, page_job, page_setup, page_worker
from benchmark.records.provenance import provenance
from benchmark.records.rows import EpisodeRecord, JobKey
from benchmark.records.store import RecordStore
from benchmark.report.pages import write_report
from benchmark.running.runner import Setup, run_one
from browser.actions import CORE_ACTIONS, EXTENDED_ACTIONS
from browser.patience import Patience

FINISHED = 0
NOT_FINISHED = 1
RUNS = Path("results/runs/page")
INTERRUPTED = "Interrupted; the steps so far are recorded."
STOPPING = "Stopping after this step; Ctrl-C again stops at once."
STYLES = {"head": "bold cyan", "main": "bold", "soft": "", "bad": "red"}

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def run(
    url: Annotated[str, typer.Argument(help="Address of the page to begin on.")],
    goal: Annotated[str, typer.Option(help="What is to be done there, in words.")],
    agent: Annotated[str, typer.Option(help=f"One of {', '.join(AGENTS)}.")] = "jev",
    model: ModelName = None,
    decision_model: DecisionModelName = None,
    writer: Writer = None,
    policy: PolicyText = "",
    threshold: Threshold = None,
    headed: Annotated[bool, typer.Option("--headed", help="Show the browser.")] = False,
    show_table: Annotated[bool, typer.Option("--show-table", help="Print the page as the agent sees it.")] = False,
    max_steps: Annotated[int, typer.Option(help="Actions the agent may take.", min=1)] = 30,
    actions: Annotated[
        Literal["core", "extended"], typer.Option(help="extended adds drag, hover, double click, key chords and more.")
    ] = "core",
    allowed_hosts: Annotated[str, typer.Option(help="Hosts that navigate may open, by commas; any without it.")] = "",
    allow_credentials: Annotated[
        bool, typer.Option("--allow-credentials", help="Type into fields for passwords, codes and card data.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="Folder of the records; a new one below results/runs/page.")] = None,
    base_url: BaseUrl = None,
    api_key_env: ApiKeyEnv = None,
    temperature: Temperature = 0.0,
    api: Api = "chat",
    max_prompt_tokens: MaxPromptTokens = MAX_PROMPT_TOKENS,
    max_cost_episode: MaxCostEpisode = None,
    prices: PriceFile = None,
    decision_deadline: DecisionDeadline = None,
) -> int:
    """Run an agent on a page towards a goal; exit 0 if it finished, else 1."""
    chat, decision = model_options(
        agent, model, decision_model, writer, decision_deadline, base_url=base_url, api_key_env=api_key_env,
        temperature=temperature, api=api, max_prompt_tokens=max_prompt_tokens, max_cost_episode=max_cost_episode,
        prices=prices,
    )  # fmt: skip
    options = _page_options(url, goal, max_steps, actions, allowed_hosts, allow_credentials)
    folder = out or RUNS / datetime.now().strftime("%Y-%m-%d-%H%M%S")
    rules = chosen_policy(agent, policy)
    make_setup = partial(page_setup, agent, options, provenance(PACKAGES), rules, chosen_threshold(agent, threshold))
    make_setup(chat, decision)  # what is wrong is said before anything starts
    with reachable(chat) as asked, decidable(decision) as decided:
        setup = make_setup(asked, decided)
        _tell(_beginning(options, setup))
        job = page_job(agent, job_model(agent, model, decision), options, setup)
        record, answer = _run(job, setup, options, folder, patience_of(rules), headed, show_table)
    _tell(_ending(record, answer, folder))
    return FINISHED if record.end in ("finished", "success") else NOT_FINISHED


def _page_options(
    url: str, goal: str, max_steps: int, actions: str, allowed_hosts: str, allow_credentials: bool
) -> PageOptions:
    if not goal.strip():
        raise UsageError(
            'There is no goal; say what is to be done: GOAL="Find the page on gardens", or --goal without make.'
        )
    hosts = tuple(host.strip() for host in allowed_hosts.split(",") if host.strip())
    return PageOptions(
        url=check_url(url),
        goal=goal.strip(),
        max_steps=max_steps,
        offered=EXTENDED_ACTIONS if actions == "extended" else CORE_ACTIONS,
        allowed_hosts=hosts or None,
        allow_credentials=allow_credentials,
    )


def _run(
    job: JobKey, setup: Setup, options: PageOptions, folder: Path, patience: Patience, headed: bool, table: bool
) -> tuple[EpisodeRecord, str | None]:
    """Run the episode, telling its steps; return its record and the agent's answer, if it finished."""
    observe = observation_mode(setup.agent)
    with (
        interruptible(INTERRUPTED, STOPPING) as interrupted,
        page_worker(options, observe, folder, patience=patience, headed=headed, interrupted=interrupted) as worker,
        RecordStore(folder) as store,  # last: without a browser there is no folder
    ):
        rows = TellingRows(store, lambda row: _tell(step_lines(row, table=table)))
        try:
            return run_one(job, setup, worker, rows), rows.answer
        except KeyboardInterrupt:
            _tell([Line(""), Line(f"Records  {folder}")])
            raise


def _beginning(options: PageOptions, setup: Setup) -> Iterable[Line]:
    config = setup.settings["agent"]
    assert isinstance(config, dict)
    model = f" with {config['model']}" if config["model"] else ""
    yield Line(f"Goal     {options.goal}", "main")
    yield Line(f"Page     {options.url}")
    yield Line(f"Agent    {config['agent']}{model}, at most {options.max_steps} steps; Ctrl-C stops it")


def _ending(record: EpisodeRecord, answer: str | None, folder: Path) -> Iterable[Line]:
    yield from ending_lines(record, answer)
    picture = folder / record.picture if record.picture else f"none: {record.picture_error}"
    yield Line(f"Picture  {picture}")
    yield Line(f"Records  {folder}")
    yield Line(f"Report   {write_report(folder, folder / 'report').start}")


def _tell(lines: Iterable[Line]) -> None:
    console = Console(highlight=False)
    for line in lines:
        console.print(line.text, style=STYLES[line.kind], markup=False, emoji=False, soft_wrap=True)


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 finished, 1 not, 2 wrong usage, 130 interrupted."""
    return run_command(app, argv, "run_page", INTERRUPTED)


if __name__ == "__main__":
    raise SystemExit(main())
