"""What runs MiniWoB's episodes, made in whichever process runs them: the agent with its limits, and the browser.

Its functions take plain values, so that a call of them can be sent to another process.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from pydantic import JsonValue

from agent.agent import ObservationMode
from agent.cascade import THRESHOLD
from agent.loop import Limits
from agent.policy import DEFAULT_POLICY, Policy
from benchmark.miniwob.pages import miniwob_pages, pages_name
from benchmark.miniwob.task import miniwob_task
from benchmark.miniwob.tasks import ACTION_SETS, ActionSet, raw_reward
from benchmark.models.agent import opened_agent
from benchmark.models.agent_options import patience_of
from benchmark.models.chat_options import ChatOptions
from benchmark.models.decision_options import DecisionOptions
from benchmark.records.pictures import keep_picture, no_picture
from benchmark.records.provenance import Provenance, package_version
from benchmark.records.rows import JobKey
from benchmark.records.traces import TraceMode, keep_trace
from benchmark.running.runner import Setup, Worker
from browser.environment import BrowserEnvironment
from browser.patience import Patience
from browser.session import BrowserOptions, BrowserSession, PageSettings

# Raise it when the environment changes what agents see or how actions land: older records no longer compare.
ENVIRONMENT_VERSION = 5
# An episode here takes seconds; this only ends one that a slow model drags on.
EPISODE_S = 300.0
# A local language model on a busy processor takes a minute a step, two where it plans.
CHAT_EPISODE_S = 1800.0


def miniwob_setup(
    agent: str,
    max_steps: int,
    strict_url: bool,
    made_with: Provenance,
    chat: ChatOptions | None = None,
    decision: DecisionOptions | None = None,
    actions: ActionSet = "core",
    policy: Policy = DEFAULT_POLICY,
    threshold: float = THRESHOLD,
    keep_ticks: bool = False,
) -> Setup:
    """Return what all episodes of a run share; `chat` and `decision` are the models that the agent asks.

    Raises:
        AgentConfigError: no such agent or model.
        UsageError: the model cannot be made.
    """
    # The tasks that log in quote the password in their goal; there is no other way to solve them.
    offered = ACTION_SETS[actions]
    slow = chat is not None or (decision is not None and decision.chat is not None)
    chosen, begin = opened_agent(
        agent, chat, decision, offered=offered, allow_goal_credentials=True, policy=policy, threshold=threshold
    )
    return Setup(
        agent=chosen,
        limits=Limits(max_steps=max_steps, episode_s=CHAT_EPISODE_S if slow else EPISODE_S),
        settings={"agent": chosen.config, "environment": _environment_settings(max_steps, strict_url, actions, policy)},
        provenance=made_with,
        raw_reward=raw_reward,
        begin=begin,
        keep_ticks=keep_ticks,
    )


def _environment_settings(max_steps: int, strict_url: bool, actions: ActionSet, policy: Policy) -> dict[str, JsonValue]:
    return {
        "action_set": actions,
        "actions": list(ACTION_SETS[actions]),
        "max_steps": max_steps,
        "strict_url": strict_url,
        "pages": pages_name(),
        "browsergym-core": package_version("browsergym-core"),
        "patience": patience_of(policy).model_dump(mode="json"),
        "version": ENVIRONMENT_VERSION,
    }


@contextmanager
def miniwob_worker(
    strict_url: bool = False,
    port: int = 0,
    trace: TraceMode = "off",
    out: Path = Path(),
    observe: ObservationMode = "table",
    actions: ActionSet = "core",
    final_picture: bool = False,
    patience: Patience | None = None,
) -> Iterator[Worker]:
    """Yield one browser and the pages for it, both of this process; traces and pictures go into the run's folder `out`.

    `observe` is what the agent reads of a page.

    Raises:
        UsageError: the port is taken or out of bounds, or MINIWOB_URL is no address.
    """
    options = BrowserOptions(trace=trace != "off")
    with miniwob_pages(port) as url, BrowserSession(options) as session:

        def environment(job: JobKey) -> BrowserEnvironment:
            task = miniwob_task(job.task, strict_url=strict_url)
            return BrowserEnvironment(
                task,
                task_kwargs={"base_url": url},
                actions=ACTION_SETS[actions],
                observation_mode=observe,
                allow_credentials=True,
                session=session,
                patience=patience,
            )

        yield Worker(
            environment=environment,
            browser_version=lambda: session.browser_version,
            start=lambda: session.open_page(PageSettings(), "page"),
            last_look=partial(keep_picture, session, out) if final_picture else no_picture,
            on_end=partial(keep_trace, session, trace, out),
        )
