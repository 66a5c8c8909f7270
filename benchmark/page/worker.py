"""One goal on one page: what it is run with. Knows no benchmark; nothing here judges what the agent does."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import JsonValue

from agent.agent import ObservationMode
from agent.loop import Limits
from agent.policy import Policy
from benchmark.errors import UsageError
from benchmark.models.agent import opened_agent
from benchmark.models.agent_options import patience_of
from benchmark.models.chat_options import ChatOptions
from benchmark.models.decision_options import DecisionOptions
from benchmark.records.pictures import keep_picture
from benchmark.records.provenance import Provenance, package_version
from benchmark.records.rows import EpisodeRecord, JobKey, StepRecord
from benchmark.records.store import RecordStore
from benchmark.records.ticks import TickRecord
from benchmark.running.runner import Setup, Worker, plan
from browser import make_environment
from browser.actions import ActionName
from browser.environment import BrowserEnvironment
from browser.observation import Frozen
from browser.patience import Patience
from browser.session import BrowserOptions, BrowserSession, PageSettings

BENCHMARK = "page"
PACKAGES = ("playwright", "gymnasium", "browsergym-core")
SCHEMES = ("http", "https", "file")
# A person watches, and can press Ctrl-C; this ends a run that was left alone.
EPISODE_S = 3600.0


class PageOptions(Frozen):
    """What a person asked for."""

    url: str
    goal: str
    max_steps: int
    offered: tuple[ActionName, ...]
    allowed_hosts: tuple[str, ...] | None
    allow_credentials: bool


def check_url(url: str) -> str:
    """Return the address if a browser can be sent there.

    Raises:
        UsageError: it has no scheme, another one than SCHEMES, no host, or holds a password.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise UsageError(f"{url!r} is no address; write one such as http://127.0.0.1:8000/.") from None
    if url == "about:blank":
        return url
    if "@" in parts.netloc:
        raise UsageError("The address holds a user name or password, which every record would repeat; leave it out.")
    if parts.scheme not in SCHEMES or not (parts.netloc or parts.scheme == "file"):
        raise UsageError(f"{url!r} is no address of a page; write it whole, such as http://127.0.0.1:8000/.")
    return url


def page_setup(
    agent: str,
    options: PageOptions,
    made_with: Provenance,
    policy: Policy,
    threshold: float,
    chat: ChatOptions | None,
    decision: DecisionOptions | None,
) -> Setup:
    """Return what the episode runs with.

    Raises:
        AgentConfigError: no such agent or model.
        UsageError: the chat model cannot be made.
    """
    chosen, begin = opened_agent(
        agent, chat, decision, offered=options.offered, allow_goal_credentials=options.allow_credentials,
        policy=policy, threshold=threshold,
    )  # fmt: skip
    environment: dict[str, JsonValue] = options.model_dump(mode="json")
    return Setup(
        agent=chosen,
        limits=Limits(max_steps=options.max_steps, episode_s=EPISODE_S),
        settings={
            "agent": chosen.config,
            "environment": environment
            | {
                "browsergym-core": package_version("browsergym-core"),
                "patience": patience_of(policy).model_dump(mode="json"),
            },
        },
        provenance=made_with,
        raw_reward=lambda info: None,
        judged=False,
        keep_ticks=True,
        begin=begin,
    )


def page_job(agent: str, model: str | None, options: PageOptions, setup: Setup) -> JobKey:
    """Return the one job of a run; its task is the page's address without what follows the path."""
    parts = urlsplit(options.url)
    task = f"{parts.netloc}{parts.path}" or options.url
    [job] = plan(BENCHMARK, [task], [0], agent=agent, model=model, settings=setup.settings)
    return job


@contextmanager
def page_worker(
    options: PageOptions,
    observe: ObservationMode,
    run: Path,
    *,
    patience: Patience,
    headed: bool,
    interrupted: Callable[[], bool],
) -> Iterator[Worker]:
    """Yield one browser, on screen or not, that keeps a last picture in the run's folder.

    Raises:
        BrowserNotFound, BrowserStartFailed: none that runs, or none that opens a window where one is asked for.
    """
    with BrowserSession(BrowserOptions(headless=not headed)) as session:
        session.open_page(PageSettings(), "context")  # starts it

        def environment(job: JobKey) -> BrowserEnvironment:
            return make_environment(
                "openended",
                task_kwargs={"start_url": options.url, "goal": options.goal},
                actions=options.offered,
                observation_mode=observe,
                allow_credentials=options.allow_credentials,
                allowed_hosts=options.allowed_hosts,
                session=session,
                patience=patience,
            )

        yield Worker(
            environment=environment,
            browser_version=lambda: session.browser_version,
            interrupted=interrupted,
            last_look=partial(keep_picture, session, run),
        )


class TellingRows:
    """Rows that are written to a store, and each step then told to whoever watches."""

    def __init__(self, store: RecordStore, tell: Callable[[StepRecord], None]) -> None:
        self._store, self._tell = store, tell
        self.answer: str | None = None
        """What the agent said when it finished; None until then."""

    def append_tick(self, row: TickRecord) -> None:
        """See `RecordStore`."""
        self._store.append_tick(row)

    def append_step(self, row: StepRecord) -> None:
        """Write a step, then tell of it."""
        self._store.append_step(row)
        if row.action is not None and row.action.type == "finish":
            self.answer = row.action.message
        self._tell(row)

    def append_episode(self, row: EpisodeRecord) -> None:
        """See `RecordStore`."""
        self._store.append_episode(row)
