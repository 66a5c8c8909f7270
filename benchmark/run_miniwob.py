"""Run an agent on MiniWoB and print a table: `python benchmark/run_miniwob.py --agent jev --tasks quick --seeds 5`."""

import shlex
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from agent.policy import Policy, policy_text
from agent.react import MAX_PROMPT_TOKENS
from agent.registry import AGENTS, observation_mode
from benchmark.command import run_command
from benchmark.errors import UsageError
from benchmark.miniwob.pages import pages_name
from benchmark.miniwob.tasks import BENCHMARK, PACKAGES, SETS, ActionSet, parse_seeds, select_tasks
from benchmark.miniwob.worker import miniwob_setup, miniwob_worker
from benchmark.models.agent import ModelName, job_model, model_options
from benchmark.models.agent_options import PolicyText, Threshold, chosen_policy, chosen_threshold, patience_of
from benchmark.models.chat_options import (
    CACHE_FOLDER,
    Api,
    ApiKeyEnv,
    BaseUrl,
    Cache,
    CacheDir,
    MaxCost,
    MaxCostEpisode,
    MaxPromptTokens,
    PriceFile,
    Temperature,
    Writer,
)
from benchmark.models.decision_options import DecisionDeadline, DecisionModelName
from benchmark.records.provenance import provenance
from benchmark.records.traces import TraceMode
from benchmark.running.jobs import (
    DryRun,
    FinalPicture,
    Fresh,
    Going,
    KeepTicks,
    Quiet,
    RecordFolder,
    RepairFirst,
    RetryErrors,
    run_jobs,
)
from benchmark.running.runner import Setup, plan

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def run(
    agent: Annotated[str, typer.Option(help=f"One of {', '.join(AGENTS)}.")] = "jev",
    model: ModelName = None,
    decision_model: DecisionModelName = None,
    tasks: Annotated[str, typer.Option(help=f"Names, globs and the sets {', '.join(SETS)}, by commas.")] = "quick",
    seeds: Annotated[str, typer.Option(help='A count ("5" is seeds 0 to 4) or a list ("7,9,100-104").')] = "1",
    trials: Annotated[int, typer.Option(help="Repeats of each seed, for models that draw; compare gives pass@k.")] = 1,
    max_steps: Annotated[int, typer.Option(help="Actions an episode may take.")] = 10,
    actions: Annotated[
        ActionSet, typer.Option(help="What is offered; extended adds drag, hover, double click, key chords and more.")
    ] = "core",
    out: RecordFolder = Path("results/runs/miniwob"),
    strict_url: Annotated[
        bool, typer.Option("--strict-url", help="Judge addresses as stock BrowserGym does, fragments included.")
    ] = False,
    port: Annotated[int, typer.Option(help="Port of the local page server; 0 takes a free one.")] = 0,
    workers: Annotated[int, typer.Option(help="Browsers at once, each in a process of its own; above 1 by Ray.")] = 1,
    ray_address: Annotated[
        str | None, typer.Option(help="A running Ray cluster for --workers, such as auto; without it, this machine.")
    ] = None,
    retry_errors: RetryErrors = 1,
    fresh: Fresh = False,
    dry_run: DryRun = False,
    trace: Annotated[
        TraceMode, typer.Option(help="Episodes whose Playwright trace is kept; a trace shows passwords too.")
    ] = "off",
    keep_ticks: KeepTicks = False,
    final_picture: FinalPicture = False,
    repair_first: RepairFirst = False,
    quiet: Quiet = False,
    base_url: BaseUrl = None,
    api_key_env: ApiKeyEnv = None,
    temperature: Temperature = 0.0,
    api: Api = "chat",
    max_prompt_tokens: MaxPromptTokens = MAX_PROMPT_TOKENS,
    llm_cache: Cache = "off",
    llm_cache_dir: CacheDir = CACHE_FOLDER,
    max_cost: MaxCost = None,
    max_cost_episode: MaxCostEpisode = None,
    prices: PriceFile = None,
    writer: Writer = None,
    policy: PolicyText = "",
    threshold: Threshold = None,
    decision_deadline: DecisionDeadline = None,
) -> int:
    """Run an agent on MiniWoB tasks, leave out what is done, and print a table."""
    going = Going(out, fresh, repair_first, dry_run, quiet, retry_errors, max_cost, workers, ray_address)
    _check(max_steps=max_steps, workers=workers, port=port)
    chat, decision = model_options(
        agent, model, decision_model, writer, decision_deadline, base_url=base_url, api_key_env=api_key_env,
        temperature=temperature, api=api, max_prompt_tokens=max_prompt_tokens, llm_cache=llm_cache,
        llm_cache_dir=llm_cache_dir, max_cost=max_cost, max_cost_episode=max_cost_episode, prices=prices,
    )  # fmt: skip
    rules = chosen_policy(agent, policy)
    make_setup = partial(
        miniwob_setup, agent, max_steps, strict_url, provenance(PACKAGES), actions=actions, policy=rules,
        threshold=chosen_threshold(agent, threshold), keep_ticks=keep_ticks,
    )  # fmt: skip
    setup = make_setup(chat, decision)
    if trials < 1:
        raise UsageError(f"--trials is {trials}; each seed takes at least 1.")
    episodes = select_tasks(tasks), parse_seeds(seeds)
    jobs = plan(
        BENCHMARK,
        *episodes,
        agent=agent,
        model=job_model(agent, model, decision),
        settings=setup.settings,
        trials=trials,
    )
    worker = partial(
        miniwob_worker, strict_url, port, trace, out.resolve(), observation_mode(setup.agent), actions, final_picture,
        patience_of(rules),
    )  # fmt: skip
    return run_jobs(
        jobs,
        make_setup,
        worker,
        (chat, decision),
        going,
        where=f"; pages: {pages_name()}",
        title=f"MiniWoB, {len(jobs)} episodes: tasks {tasks}, seeds {seeds}",
        notes=_notes(setup, tasks, seeds, trials, rules, threshold),
    )


def _check(*, max_steps: int, workers: int, port: int) -> None:
    if max_steps < 1:
        raise UsageError(f"--max-steps is {max_steps}; an episode takes at least 1.")
    if workers > 1 and port:
        raise UsageError("--port is for one page server, and each worker has its own; leave it out.")


def _notes(setup: Setup, tasks: str, seeds: str, trials: int, rules: Policy, threshold: float | None) -> list[str]:
    settings = setup.settings["environment"]
    assert isinstance(settings, dict)
    strict = bool(settings["strict_url"])
    options = ["--tasks", tasks, "--seeds", seeds, "--max-steps", str(settings["max_steps"])]
    options += ["--actions", str(settings["action_set"])] if settings["action_set"] != "core" else []
    options += ["--trials", str(trials)] if trials > 1 else []
    options += ["--strict-url"] if strict else []
    options += ["--policy", text] if (text := policy_text(rules)) else []
    options += [] if threshold is None else ["--threshold", f"{threshold:g}"]
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
