"""Recovery from a stop signal (rule G3, off by default): look once more, then have a chat model plan.

It never acts on a page: it waits, it plans, or it gives up. What it may spend is never given back.
"""

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooLate

from agent.agent import AgentStep, Plan, RecoveryEvent, RecoveryKind
from agent.ask import RunOver, Unanswered, ask
from agent.guards import Advice
from agent.messages import messages
from agent.plan import PLAN_SCHEMA, STEPS_LIMIT, parse_plan
from agent.policy import Policy
from agent.prompt import NEXT_RECOVERY, RECOVERY_QUESTION, RECOVERY_RULES
from agent.tick import PastStep
from browser.actions import ActionName, Wait
from browser.observation import Frozen, Observation
from llm.chat import ChatError, ChatModel, ChatRequest, Message
from llm.decision import ModelCall

# As any other question about a page.
PROMPT_TOKENS = 2_800
ANSWER_TOKENS = 400


class Recovered(Frozen):
    """What recovery makes of a turn."""

    step: AgentStep | None = None
    """Taken in place of a decision; None where the model decides as on any turn."""
    plan: Plan | None = None
    """Rides into the next request alone."""
    events: tuple[RecoveryEvent, ...] = ()
    calls: tuple[ModelCall, ...] = ()


class Recovery:
    """Attempts and seconds of one run."""

    def __init__(self, model: ChatModel, policy: Policy, offered: tuple[ActionName, ...]) -> None:
        self._model, self._policy, self._offered = model, policy, offered
        self._attempts, self._seconds = 0, 0.0
        self._looking: tuple[str, str, float] | None = None
        self.since = 0
        """Where in the past the guards begin to count: an attempt gives what follows it a fair start."""

    def turn(self, observation: Observation, past: Sequence[PastStep], advice: Advice) -> Recovered:
        """Return what to do about a signal, or about the page that the last look shows; nothing where all is well.

        Raises:
            RunOver: the run's money is spent.
        """
        if self._looking is not None:
            return self._after_look(observation, past)
        if not advice.signal:
            return Recovered()
        if self._attempts >= self._policy.recovery_attempts or self._left() <= 0:
            return self._end(advice.signal, "exhausted")
        self._attempts += 1
        if "wait" not in self._offered:
            self.since = len(past)
            return self._plan(observation, past, advice.signal)
        self._looking = (advice.signal, observation.page_key, time.monotonic())
        events = (self._event(advice.signal, "reprobe"),)
        step = AgentStep(action=Wait(), reason=f"Recovery looks again: {advice.note}", recovery=events)
        return Recovered(step=step, events=events)

    def _after_look(self, observation: Observation, past: Sequence[PastStep]) -> Recovered:
        assert self._looking is not None
        (signal, page_key, started), self._looking = self._looking, None
        self._seconds += time.monotonic() - started
        self.since = len(past)
        if observation.page_key != page_key:
            return Recovered(events=(self._event(signal, "delayed_progress"),))
        if self._left() <= 0:
            return self._end(signal, "exhausted")
        return self._plan(observation, past, signal)

    def _plan(self, observation: Observation, past: Sequence[PastStep], signal: str) -> Recovered:
        started = time.monotonic()
        pool = ThreadPoolExecutor(1, thread_name_prefix="recovery")
        asked: Future[tuple[Plan, tuple[ModelCall, ...]]] = pool.submit(self._ask, observation, tuple(past))
        failure = ""
        calls: tuple[ModelCall, ...] = (self._unknown_call(),)
        try:
            plan, calls = asked.result(timeout=self._left())
        except TooLate:
            failure = "the planner took too long"
        except RunOver:
            raise
        except Unanswered as error:
            failure, calls = "the planner's answers were of no use", error.calls or calls
        except ChatError as error:
            failure, calls = f"the planner did not answer ({type(error).__name__})", error.calls or calls
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            self._seconds += time.monotonic() - started
        calls = tuple(call.model_copy(update={"kind": "planner"}) for call in calls)
        if failure:
            return self._end(signal, "failed", failure, calls)
        return Recovered(plan=plan, events=(self._event(signal, "planned"),), calls=calls)

    def _ask(self, observation: Observation, past: Sequence[PastStep]) -> tuple[Plan, tuple[ModelCall, ...]]:
        system = Message(role="system", content=RECOVERY_RULES)

        def build(max_tokens: int) -> ChatRequest:
            question = RECOVERY_QUESTION.format(limit=STEPS_LIMIT)
            asked = messages(system, observation, past, question, self._offered, max_tokens)
            return ChatRequest(messages=asked, json_schema=PLAN_SCHEMA, max_output_tokens=ANSWER_TOKENS)

        return ask(self._model, build, parse_plan, PROMPT_TOKENS)

    def _unknown_call(self) -> ModelCall:
        """Return what is charged for a call that told nothing: it was made, and its tokens are not known to be 0."""
        return ModelCall(kind="planner", model=self._model.name)

    def _left(self) -> float:
        return self._policy.recovery_s - self._seconds

    def _event(self, signal: str, kind: RecoveryKind, why: str = "") -> RecoveryEvent:
        return RecoveryEvent(signal=signal, attempt=self._attempts, kind=kind, seconds=self._seconds, why=why)

    def _end(self, signal: str, kind: RecoveryKind, why: str = "", calls: tuple[ModelCall, ...] = ()) -> Recovered:
        spent = f"{self._attempts} of {self._policy.recovery_attempts} attempts and {self._seconds:.1f} s"
        reason = f"Recovery is {kind} after {spent}{f': {why}' if why else ''}; the signal was {signal}."
        events = (self._event(signal, kind, why),)
        step = AgentStep(action=None, end="blocked", reason=reason, next_action=NEXT_RECOVERY, recovery=events)
        return Recovered(step=step, events=events, calls=calls)
