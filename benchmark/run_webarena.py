"""Run an agent on WebArena and print a table: `python benchmark/run_webarena.py --agent react --tasks subset`.

`--preflight` only says what is missing; `--rescore DIR` scores the answers of an earlier run again, without a browser.
"""

import json
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from agent.react import MAX_PROMPT_TOKENS
from agent.registry import AGENTS, observation_mode
from benchmark.agent_model import ModelName, job_model, model_options
from benchmark.agent_options import PolicyText, Threshold, chosen_policy, chosen_threshold, patience_of
from benchmark.chat_options import (
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
from benchmark.command import (
    ALL_SCORED,
    run_command,
)
from benchmark.decision_options import DecisionDeadline, DecisionModelName
from benchmark.errors import UsageError
from benchmark.provenance import provenance
from benchmark.run_jobs import (
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
from benchmark.runner import plan
from benchmark.webarena import SELECTORS, SETS, SITES, as_original, ids_hash, select_tasks
from benchmark.webarena_install import evaluator_python
from benchmark.webarena_judge import EvaluatorName, opened_judge
from benchmark.webarena_login import LoginMode
from benchmark.webarena_original import original_faults
from benchmark.webarena_sites import Selected, addresses, faults, left_out, without_left_out
from benchmark.webarena_verdict import rescore_answers, submissions_in
from benchmark.webarena_words import rescored_lines, run_notes
from benchmark.webarena_worker import PACKAGES, Sites, webarena_setup, webarena_worker

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def run(
    agent: Annotated[str, typer.Option(help=f"One of {', '.join(AGENTS)}.")] = "jev",
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
    chosen = _ready(tasks, evaluator)
    if preflight:
        typer.echo(f"Ready: {len(chosen.tasks)} tasks on {', '.join(chosen.sites)}.")
        return ALL_SCORED
    chat, decision = model_options(
        agent, model, decision_model, writer, decision_deadline, base_url=base_url, api_key_env=api_key_env,
        temperature=temperature, api=api, max_prompt_tokens=max_prompt_tokens, llm_cache=llm_cache,
        llm_cache_dir=llm_cache_dir, max_cost=max_cost, max_cost_episode=max_cost_episode, prices=prices,
    )  # fmt: skip
    going = Going(out, fresh, repair_first, dry_run, quiet, retry_errors, max_cost)
    rules = chosen_policy(agent, policy)
    sites = Sites(addresses(chosen.sites), login)
    with opened_judge(evaluator, sites.addresses, out.resolve()) as judge:
        make_setup = partial(
            webarena_setup, agent, max_steps, login, judge.identity, provenance(PACKAGES), policy=rules,
            threshold=chosen_threshold(agent, threshold), keep_ticks=keep_ticks,
        )  # fmt: skip
        setup = make_setup(chat, decision)
        names = [str(task.id) for task in chosen.tasks]
        jobs = plan(
            judge.identity["name"],
            names,
            [0],
            agent=agent,
            model=job_model(agent, model, decision),
            settings=setup.settings,
        )
        worker = partial(
            webarena_worker, chosen.tasks, sites, judge, out.resolve(), observation_mode(setup.agent), final_picture,
            patience_of(rules),
        )  # fmt: skip
        return run_jobs(
            jobs,
            make_setup,
            worker,
            (chat, decision),
            going,
            where=f" on {', '.join(chosen.sites)}",
            title=f"{judge.identity['name']}, {len(jobs)} episodes: tasks {tasks}",
            notes=run_notes(setup, tasks, chosen, rules, threshold),
            begin=partial(_write_tasks, out, tasks, chosen),
        )


def _ready(tasks: str, evaluator: EvaluatorName) -> Selected:
    """Return the tasks that can run.

    Raises:
        UsageError: no such tasks, or something is missing: all of it is said.
    """
    try:
        evaluator_python()
    except UsageError:
        # The tasks are in its package: which sites they need is unknown, and all are looked at.
        raise _missing(faults([site for site in SITES if site not in left_out()])) from None
    chosen = without_left_out(select_tasks(tasks))
    if evaluator == "original":
        chosen = chosen._replace(tasks=tuple(map(as_original, chosen.tasks)))
    found = faults(chosen.sites) + (original_faults(chosen.tasks) if evaluator == "original" else [])
    if found:
        raise _missing(found)
    if chosen.left_out:
        typer.echo(f"{len(chosen.left_out)} tasks need a site that is left out, and do not run.")
    return chosen


def _missing(found: list[str]) -> UsageError:
    return UsageError(f"WebArena cannot run: {'; '.join(found)}.")


def _write_tasks(out: Path, text: str, chosen: Selected) -> None:
    """Keep which tasks were asked for, in the run's folder."""
    listed = {
        "tasks": text,
        "ids": [task.id for task in chosen.tasks],
        "sha256": ids_hash(chosen.tasks),
        "left_out": [task.id for task in chosen.left_out],
    }
    path = out / "tasks.json"
    try:
        path.write_text(json.dumps(listed) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"Cannot write {path}: {error.strerror}; give another --out.") from None


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
