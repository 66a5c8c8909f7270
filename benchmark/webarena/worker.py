"""What runs WebArena's episodes, made in whichever process runs them: the agent with its limits, and the browser."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import JsonValue

from agent.agent import ObservationMode
from agent.cascade import THRESHOLD
from agent.loop import Limits
from agent.policy import DEFAULT_POLICY, Policy
from agent.registry import ConfiguredAgent
from benchmark.models.agent import BeginEpisode, opened_agent
from benchmark.models.agent_options import patience_of
from benchmark.models.chat_options import ChatOptions
from benchmark.models.decision_options import DecisionOptions
from benchmark.records.pictures import keep_picture, no_picture
from benchmark.records.provenance import Provenance, package_version
from benchmark.records.rows import JobKey
from benchmark.running.runner import Setup, Worker, nothing_to_begin
from benchmark.standins.agents import STANDIN_AGENTS
from benchmark.webarena.judge import Judge
from benchmark.webarena.login import LoginMode
from benchmark.webarena.model import WebArenaTask
from benchmark.webarena.places import Place
from benchmark.webarena.task import SiteTask
from browser.actions import CORE_ACTIONS
from browser.environment import BrowserEnvironment
from browser.patience import Patience
from browser.session import BrowserOptions, BrowserSession, PageSettings

PACKAGES = ("playwright", "gymnasium", "browsergym-core")
# Raise it when the environment changes what agents see or how actions land: older records no longer compare.
ENVIRONMENT_VERSION = 2
# Thirty steps on heavy pages; with a language model on a busy processor, a minute or two each.
EPISODE_S = 3600.0


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
    chosen: ConfiguredAgent
    begin: BeginEpisode = nothing_to_begin
    if agent in STANDIN_AGENTS:
        chosen = STANDIN_AGENTS[agent]()
    else:
        chosen, begin = opened_agent(
            agent, chat, decision, offered=CORE_ACTIONS, allow_goal_credentials=False, policy=policy,
            threshold=threshold,
        )  # fmt: skip
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
    tasks: Sequence[WebArenaTask],
    run: Path,
    observe: ObservationMode = "table",
    final_picture: bool = False,
    patience: Patience | None = None,
    *,
    open_place: Callable[[], AbstractContextManager[Place]],
    open_judge: Callable[[Mapping[str, str]], AbstractContextManager[Judge]],
) -> Iterator[Worker]:
    """Yield one browser for these tasks; answers, requests and scores go into the run's folder.

    Args:
        observe: what the agent reads of a page.
        open_place: gives the sites that this worker uses; `open_judge` gives the evaluator for their addresses.
    """
    known = {str(task.id): task for task in tasks}
    with open_place() as place, open_judge(place.addresses) as judge, BrowserSession(BrowserOptions()) as session:
        hosts = tuple(sorted({urlsplit(address).netloc for address in place.addresses.values()}))

        def environment(job: JobKey) -> BrowserEnvironment:
            given = {
                "task": known[job.task], "addresses": place.addresses, "rules": judge.rules, "logins": place.logins,
                "login": place.login, "har": judge.begin(job), "begin": place.begin,
                "check": partial(judge.check, job),
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
