"""What an agent is: an object with `reset` and `step`. Knows neither limits, records nor benchmarks.

To add one, write a class with these two methods and name it in `registry.py`.
"""

from typing import Literal, Protocol

from pydantic import Field

from agent.decided import DecidedTick
from agent.values import TextSource
from browser.actions import BrowserAction
from browser.observation import Frozen, Observation
from llm.decision import ModelCall

AgentEnd = Literal["bad_output", "blocked", "loop", "infeasible_reported", "cost_limit"]
"""Why an agent may end an episode by itself, without an action."""


ObservationMode = Literal["table", "axtree"]
"""What an agent reads of a page: the element table, or BrowserGym's accessibility tree. An agent that reads the tree
says so in an attribute `observation_mode`; see `registry.observation_mode`."""


class AgentDecision(Frozen):
    """What a chat model must answer with, exactly: a reason and one action."""

    reason: str
    action: BrowserAction


class Choice(Frozen):
    """One option a decision model weighed, in words, with its probability."""

    label: str
    probability: float


class WithoutText(Frozen):
    """An empty field for which there was no text, or none but loose words of the goal, and why."""

    element_id: int
    why: TextSource
    """writer_declined, writer_error, refused_credential or no_writer."""


class DecisionDetail(Frozen):
    """How a decision model came to an action: for the record, never for the environment."""

    operation: str
    operation_probability: float
    target_probability: float
    text_source: str | None = None
    """Where typed text came from: goal_value, page_value or writer. Where nothing is typed, why the first field of
    `without_text` has none; None where there is no such field."""
    without_text: tuple[WithoutText, ...] = ()
    runners_up: tuple[Choice, ...] = ()
    candidates: int = 0
    left_out: int = 0
    """Candidates that were not offered to the model because they exceed its options."""
    taken: bool = True
    """False where a cascade found it too unsure: the step's action is then the chat model's."""

    @property
    def probability(self) -> float:
        """Of the chosen candidate among all: operation times target."""
        return self.operation_probability * self.target_probability


class PlanStep(Frozen):
    """One thing to achieve on the way to the goal."""

    text: str


class Plan(Frozen):
    """Steps in their order, of which the first `completed` are done."""

    steps: tuple[PlanStep, ...]
    completed: int = 0

    @property
    def current(self) -> PlanStep | None:
        """The step to work on; None where all are completed."""
        return self.steps[self.completed] if self.completed < len(self.steps) else None

    def advanced(self) -> "Plan":
        """Return the plan with its current step completed."""
        return self.model_copy(update={"completed": min(self.completed + 1, len(self.steps))})


RecoveryKind = Literal["reprobe", "delayed_progress", "planned", "failed", "exhausted"]


class RecoveryEvent(Frozen):
    """Something that recovery did, or why it ended."""

    signal: str
    """What called it: idle, round, arrivals or waits."""
    attempt: int
    kind: RecoveryKind
    seconds: float
    """Spent in all looks and plans of the run so far."""
    why: str = ""
    """The kind of failure in a few words; no text of a page or a provider."""


class AgentStep(Frozen):
    """One decision of an agent: an action, or the reason to stop without one."""

    action: BrowserAction | None
    reason: str = ""
    end: AgentEnd | None = None
    """Set exactly where `action` is None."""
    calls: tuple[ModelCall, ...] = ()
    detail: DecisionDetail | None = None
    plan: Plan | None = None
    """The plan that the action follows, where the agent makes one."""
    note: str = ""
    """What a guard told the model with this decision."""
    recovery: tuple[RecoveryEvent, ...] = ()
    next_action: str = ""
    """Where the run is blocked: what the person who reads this can do."""
    evidence: str = ""
    """Where the run is said to be done: the beginning of the page's text that this was said on."""
    decided: DecidedTick | None = None
    """What was decided on and all that was answered, where the agent asks a decision model."""
    decide_ms: float = Field(default=0.0, ge=0)


class Agent(Protocol):
    """Decides one action at a time from observations of one episode."""

    name: str

    def reset(self) -> None:
        """Forget the last episode; the next `step` begins a new one."""
        ...

    def step(self, observation: Observation) -> AgentStep:
        """Return the next action, or why there is none."""
        ...
