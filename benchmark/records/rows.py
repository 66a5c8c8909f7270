"""What is kept of a run: one row per step, one per episode. Knows no benchmark; see store.py for the files."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeVar

from pydantic import JsonValue, field_serializer

from agent.agent import AgentEnd, AgentStep, DecisionDetail, Plan, RecoveryEvent
from agent.loop import INFRASTRUCTURE_ENDS, EndReason
from browser.actions import BrowserAction, Type
from browser.observation import Frozen, Observation, Timings
from llm.decision import ModelCall

# Raise it when a field of a row, or the default of a field of Observation, changes its meaning.
FORMAT_VERSION: Literal[1] = 1
# A reward this close to 1 is full: MiniWoB's are sums of fractions.
FULL_REWARD = 0.99
# What stands for everything a step says about a text that went into a credential field.
CREDENTIAL_TEXT = "(credential)"

Number = TypeVar("Number", int, float)


class JobKey(Frozen):
    """What makes two episodes the same experiment."""

    benchmark: str
    task: str
    seed: int
    trial: int = 0
    agent: str
    model: str | None
    """The model asked for; None where the agent chose its own. The one that answered is in `models`."""
    settings_hash: str

    @property
    def episode(self) -> tuple[str, str, int, int]:
        """Benchmark, task, seed and trial: what two agents are compared on."""
        return self.benchmark, self.task, self.seed, self.trial


class Row(JobKey):
    """What step rows and episode rows share."""

    format_version: Literal[1]
    episode_id: str
    """One attempt at a job: a retry has the same key and another id."""

    @property
    def key(self) -> JobKey:
        """The key alone, for use in sets and dicts."""
        return JobKey(**{name: getattr(self, name) for name in JobKey.model_fields})


class StepRecord(Row):
    """One decision, what it was made from and what it led to."""

    index: int
    """0 for the first step of the episode."""
    url: str
    """With `page_key`, `n_elements` and `observation`: the page that was decided on."""
    page_key: str
    n_elements: int
    observation: Observation | None
    """Everything the agent saw, so that it can be decided again; None where the run keeps no observations."""
    action: BrowserAction | None
    end: AgentEnd | None
    """Why the agent stopped; set exactly where there is no action."""
    reason: str
    detail: DecisionDetail | None
    plan: Plan | None = None
    """The plan that was followed, where the agent makes one."""
    note: str = ""
    """With the three below: as in `AgentStep`."""
    recovery: tuple[RecoveryEvent, ...] = ()
    next_action: str = ""
    evidence: str = ""
    calls: tuple[ModelCall, ...]
    decide_ms: float
    reward: float
    """With the fields below: what the action led to."""
    page_changed: bool
    settled: bool
    last_action_error: str | None
    timings: Timings

    @field_serializer("observation", when_used="json")
    def _without_defaults(self, value: Observation | None) -> dict[str, Any] | None:
        # An element has some thirty fields and most hold their default: a fifth of the bytes.
        return None if value is None else value.model_dump(mode="json", exclude_defaults=True)

    @field_serializer("action", when_used="json")
    def _with_its_type(self, value: Any) -> dict[str, Any] | None:
        return None if value is None else dict(value.model_dump(mode="json"))


class EpisodeRecord(Row):
    """One episode: how it ended, what it cost, and all that is needed to run it again."""

    started_at: str
    """ISO 8601, UTC."""
    goal: str | None
    """None where the episode never began."""
    end: EndReason
    error: str | None
    """One sentence, for infrastructure ends only."""
    reward: float
    """The environment's; for MiniWoB 1.0 as soon as the raw reward is above 0."""
    raw_reward: float | None
    full_reward: float | None
    """1.0 if the raw reward is at least 0.99, else 0.0; None where the benchmark has no raw reward."""
    steps: int
    models: tuple[str, ...]
    """The names that answered, in order of their first answer."""
    input_tokens: int | None
    """Tokens and dollars are None as soon as one call's are unknown, and 0 where no model was called."""
    cached_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    cost_sources: tuple[str, ...] = ()
    """Where the dollars of its calls come from; empty where no model was called or none said."""
    seconds: float
    """Wall clock from before the reset to the end."""
    reset_ms: float
    """The whole reset; the other sums are over the steps alone."""
    act_ms: float
    settle_ms: float
    probe_ms: float
    validate_ms: float
    decisions_ms: tuple[float, ...]
    """One number for each step row, so that a median over decisions can be taken."""
    settings: dict[str, JsonValue]
    """What `settings_hash` is the hash of."""
    git_commit: str | None
    """None where the code does not run from a git checkout."""
    git_dirty: bool | None
    versions: dict[str, str]
    picture: str | None = None
    """The last look at the page, in the run's folder; None where none was asked for, or it failed."""
    picture_error: str | None = None
    """The name of the exception where it failed."""
    reset_id: str | None = None
    """Which reset of its sites the episode came after: episodes with the same one shared what it left. None where there
    was none, or the benchmark has no sites."""

    @property
    def scored(self) -> bool:
        """Whether the end says something about the agent."""
        return self.end not in INFRASTRUCTURE_ENDS

    @property
    def decide_ms(self) -> float:
        """All decisions together."""
        return sum(self.decisions_ms)


def settings_hash(settings: Mapping[str, JsonValue]) -> str:
    """Return 16 hex digits of the SHA-256 of the settings as canonical JSON."""
    text = json.dumps(settings, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def total(parts: Iterable[Number | None]) -> Number | None:
    """Return the sum; None as soon as one part is unknown, 0 without parts."""
    known = []
    for part in parts:
        if part is None:
            return None
        known.append(part)
    return sum(known, start=0)


def full_reward(reward: float, raw_reward: float | None) -> float | None:
    """Return 1.0 if a rewarded episode's raw reward is full, 0.0 if not, None where there is no raw reward."""
    return None if raw_reward is None else float(reward > 0 and raw_reward >= FULL_REWARD)


def without_credentials(step: AgentStep, observation: Observation) -> AgentStep:
    """Return the step as it may be written to disk.

    Where text went into a credential field, the text, the reason, the plan and the labels of the other choices are all
    masked: an agent may quote the text in any of them, whole or shortened.
    """
    if not isinstance(step.action, Type):
        return step
    element = observation.element(step.action.element_id)
    if element is None or not element.credential:
        return step
    masked: dict[str, Any] = {
        "action": step.action.model_copy(update={"text": CREDENTIAL_TEXT}),
        "reason": CREDENTIAL_TEXT if step.reason else "",
        "plan": None,
    }
    if step.detail is not None:
        others = tuple(c.model_copy(update={"label": CREDENTIAL_TEXT}) for c in step.detail.runners_up)
        masked["detail"] = step.detail.model_copy(update={"runners_up": others})
    return step.model_copy(update=masked)
