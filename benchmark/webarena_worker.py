"""What runs WebArena's episodes: the agent with its limits, and one browser, since all of them share the sites."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from pydantic import JsonValue

from agent.agent import ObservationMode
from agent.cascade import THRESHOLD
from agent.loop import Limits
from agent.policy import DEFAULT_POLICY, Policy
from benchmark.agent_model import opened_agent
from benchmark.agent_options import patience_of
from benchmark.chat_options import ChatOptions
from benchmark.decision_options import DecisionOptions
from benchmark.pictures import keep_picture, no_picture
from benchmark.provenance import Provenance, package_version
from benchmark.records import JobKey
from benchmark.runner import Setup, Worker
from benchmark.webarena import WebArenaTask
from benchmark.webarena_judge import Judge
from benchmark.webarena_login import LoginMode
from benchmark.webarena_task import SiteTask
from browser.actions import CORE_ACTIONS
from browser.environment import BrowserEnvironment
from browser.patience import Patience
from browser.session import BrowserOptions, BrowserSession, PageSettings

PACKAGES = ("playwright", "gymnasium", "browsergym-core")
# Raise it when the environment changes what agents see or how actions land: older records no longer compare.
ENVIRONMENT_VERSION = 1
# Thirty steps on heavy pages; with a language model on a busy processor, a minute or two each.
EPISODE_S = 3600.0


class Sites(NamedTuple):
    """Where the sites are, and how to log in there."""

    addresses: Mapping[str, str]
    login: LoginMode


def webarena_setup(
    agent: str,
    max_steps: int,
    login: LoginMode,
    evaluator: Mapping[str, str],
    made_with: Provenance,
    chat: ChatOptions | None = None,
    decision: DecisionOptions | None = None,
    policy: Policy = DEFAULT_POLICY,
    threshold: float = THRESHOLD,
    keep_ticks: bool = False,
) -> Setup:
    """Return what all episodes of a run share; `evaluator` is what names the one that judges them.

    Raises:
        AgentConfigError: no such agent or model.
        UsageError: the model cannot be made.
    """
    chosen, begin = opened_agent(
        agent, chat, decision, offered=CORE_ACTIONS, allow_goal_credentials=False, policy=policy, threshold=threshold
    )
    environment: dict[str, JsonValue] = {
        "actions": list(CORE_ACTIONS),
        "max_steps": max_steps,
        "login": login,
        "evaluator": dict(evaluator),
        "browsergym-core": package_version("browsergym-core"),
        "patience": patience_of(policy).model_dump(mode="json"),
        "version": ENVIRONMENT_VERSION,
    }
    return Setup(
        agent=chosen,
        limits=Limits(max_steps=max_steps, episode_s=EPISODE_S),
        settings={"agent": chosen.config, "environment": environment},
        provenance=made_with,
        raw_reward=lambda info: None,
        begin=begin,
        keep_ticks=keep_ticks,
    )


@contextmanager
def webarena_worker(
    tasks: tuple[WebArenaTask, ...],
    sites: Sites,
    judge: Judge,
    run: Path,
    observe: ObservationMode = "table",
    final_picture: bool = False,
    patience: Patience | None = None,
) -> Iterator[Worker]:
    """Yield one browser for these tasks; answers, requests and scores go into the run's folder.

    `observe` is what the agent reads of a page.
    """
    known = {str(task.id): task for task in tasks}
    hosts = tuple(sorted({urlsplit(address).netloc for address in sites.addresses.values()}))
    with BrowserSession(BrowserOptions()) as session:

        def environment(job: JobKey) -> BrowserEnvironment:
            task = known[job.task]
            given = {
                "task": task, "addresses": sites.addresses, "rules": judge.rules, "login": sites.login,
                "har": judge.begin(job),
            }  # fmt: skip
            return BrowserEnvironment(
                SiteTask,
                task_kwargs=given,
                actions=CORE_ACTIONS,
                observation_mode=observe,
                allowed_hosts=hosts,
                session=session,
                patience=patience,
            )

        yield Worker(
            environment=environment,
            browser_version=lambda: session.browser_version,
            start=lambda: session.open_page(PageSettings(), "context"),
            last_look=partial(keep_picture, session, run) if final_picture else no_picture,
            judge=partial(judge.verdict, session),
        )
