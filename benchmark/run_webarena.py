"""Run an agent on WebArena and print a table: `python benchmark/run_webarena.py --agent react --tasks subset`.

`--preflight` only says what is missing; `--rescore DIR` scores the answers of an earlier run again, without a browser.
"""

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from agent.react import MAX_PROMPT_TOKENS
from agent.registry import AGENTS, observation_mode
from benchmark.command import ALL_SCORED, run_command
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
from benchmark.running.runner import plan
from benchmark.standins.agents import STANDIN_AGENTS
from benchmark.standins.tasks import STANDIN, are_standins
from benchmark.webarena.arranged import on_sites, on_standins
from benchmark.webarena.judge import EvaluatorName, judge_identity
from benchmark.webarena.login import LoginMode
from benchmark.webarena.ready import check_alone, ready, write_tasks
from benchmark.webarena.tasks import SELECTORS, SETS
from benchmark.webarena.verdict import rescore_answers, submissions_in
from benchmark.webarena.words import rescored_lines, run_notes
from benchmark.webarena.worker import PACKAGES, webarena_setup, webarena_worker

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def run(
    agent: Annotated[
        str, typer.Option(help=f"One of {', '.join(AGENTS)}; on stand-ins also {', '.join(STANDIN_AGENTS)}.")
    ] = "jev",
    model: ModelName = None,
    decision_model: DecisionModelName = None,
    tasks: Annotated[
        str, typer.Option(help=f"One of {', '.join(SETS)}, or {SELECTORS}; joined by & where all must hold.")
    ] = "subset",
    evaluator: Annotated[
        EvaluatorName, typer.Option(help="WebArena-Verified, or the original (extra webarena), which may ask a judge.")
    ] = "verified",
    max_steps: Annotated[int, typer.Option(help="Actions an episode may take.", min=1)] = 30,
    login: Annotated[
        LoginMode, typer.Option(help="By the sites' forms, or by the header that Verified's images take.")
    ] = "ui",
    out: RecordFolder = Path("results/runs/webarena"),
    reset: Annotated[
        bool, typer.Option(help="Reset the sites first: stand-ins before each task, others where WA_FULL_RESET says.")
    ] = True,
    workers: Annotated[int, typer.Option(help="Browsers at once; each has stand-in sites of its own.")] = 1,
    share_sites: Annotated[
        bool, typer.Option("--share-sites", help="Let several workers run on the same sites, one under another.")
    ] = False,
    preflight: Annotated[bool, typer.Option("--preflight", help="Only say what is missing for these tasks.")] = False,
    rescore: Annotated[
        Path | None, typer.Option(help="Score the answers in a run's folder again; starts no browser.")
    ] = None,
    retry_errors: RetryErrors = 1,
    fresh: Fresh = False,
    dry_run: DryRun = False,
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
    """Run an agent on WebArena tasks, leave out what is done, and print a table."""
    if rescore is not None:
        return _rescored(rescore)
    check_alone(agent, tasks, workers, share_sites)
    chosen = ready(tasks, evaluator)
    if preflight:
        typer.echo(f"Ready: {len(chosen.tasks)} tasks on {', '.join(chosen.sites)}.")
        return ALL_SCORED
    chat, decision = model_options(
        agent, model, decision_model, writer, decision_deadline, base_url=base_url, api_key_env=api_key_env,
        temperature=temperature, api=api, max_prompt_tokens=max_prompt_tokens, llm_cache=llm_cache,
        llm_cache_dir=llm_cache_dir, max_cost=max_cost, max_cost_episode=max_cost_episode, prices=prices,
    )  # fmt: skip
    going = Going(out, fresh, repair_first, dry_run, quiet, retry_errors, max_cost, workers)
    rules = chosen_policy(agent, policy)
    standins = are_standins(tasks)
    identity = judge_identity(evaluator, standins)
    make_setup = partial(
        webarena_setup, agent, max_steps, "ui" if standins else login, identity, provenance(PACKAGES), policy=rules,
        threshold=chosen_threshold(agent, threshold), keep_ticks=keep_ticks,
    )  # fmt: skip
    setup = make_setup(chat, decision)
    benchmark = STANDIN if standins else identity["name"]
    jobs = plan(
        benchmark,
        [str(task.id) for task in chosen.tasks],
        [0],
        agent=agent,
        model=job_model(agent, model, decision),
        settings=setup.settings,
    )
    run_folder = out.resolve()
    worker = partial(
        webarena_worker, chosen.tasks, run_folder, observation_mode(setup.agent), final_picture, patience_of(rules)
    )  # fmt: skip
    with ExitStack() as opened:
        prepare = (
            partial(on_standins, opened, evaluator, run_folder, workers, reset)
            if standins
            else partial(on_sites, evaluator, run_folder, chosen.sites, login, reset)
        )
        return run_jobs(
            jobs,
            make_setup,
            worker,
            (chat, decision),
            going,
            where=f" on {'stand-in sites' if standins else ', '.join(chosen.sites)}",
            title=f"{benchmark}, {len(jobs)} episodes: tasks {tasks}",
            notes=run_notes(setup, tasks, chosen, rules, threshold, standins=standins, reset=reset),
            begin=partial(write_tasks, out, tasks, chosen),
            prepare=prepare,
        )


def _rescored(folder: Path) -> int:
    for submission in submissions_in(folder):
        for line in rescored_lines(rescore_answers(submission)):
            typer.echo(line)
    return ALL_SCORED


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 all scored, 1 not all, 2 wrong usage, 130 interrupted."""
    return run_command(app, argv, "run_webarena")


if __name__ == "__main__":
    raise SystemExit(main())
