"""CascadeAgent: a decision model acts where it is sure, and a chat model where it is not. Knows no benchmark.

Both read the same observation and share one history, so that each knows what the other did.
"""

import time
from typing import Any

from agent.agent import AgentStep
from agent.decision import DecisionAgent
from agent.react import ReActAgent
from browser.observation import Observation
from llm.chat import ChatError

# Half the probability on one action of many: more than on all others together.
THRESHOLD = 0.5
# No probability reaches more than this: the decision model would be asked for nothing.
CERTAIN = 1.0


class CascadeAgent:
    """Takes the decision model's action while its probability is at or above the threshold, else asks the chat model.

    At 0 it acts as the decision agent does, above 1 as the chat agent does.
    """

    def __init__(
        self, decider: DecisionAgent, chat: ReActAgent, threshold: float = THRESHOLD, name: str = "cascade"
    ) -> None:
        """Make an agent of two, which belong to it from now on.

        Raises:
            ValueError: the threshold is below 0 or no number.
        """
        if not threshold >= 0:
            raise ValueError(f"The threshold is {threshold}; give a probability, or more than 1 for the chat alone.")
        self.name = name
        self.observation_mode = chat.observation_mode
        self.config: dict[str, Any] = chat.config | {"agent": name, "threshold": threshold, "decision": decider.config}
        self._decider = decider
        self._chat = chat
        self._threshold = threshold
        self._history = decider.history = chat.history

    def reset(self) -> None:
        """Forget the last episode."""
        self._history.clear()

    def step(self, observation: Observation) -> AgentStep:
        """Return the next action; `detail.taken` says whose it is where the decision model was asked.

        Raises:
            DecisionError: the decision model gave no answer at all.
            ChatError: the chat model gave none; its `calls` were made for this step, by both.
        """
        started = time.perf_counter()
        self._history.see(observation)
        step = self._decide(observation)
        self._history.decided(step.action, observation)
        return step.model_copy(update={"decide_ms": (time.perf_counter() - started) * 1000})

    def _decide(self, observation: Observation) -> AgentStep:
        if self._threshold > CERTAIN:
            return self._chat.decide(observation)
        proposal = self._decider.propose(observation)
        if _probability(proposal) >= self._threshold:
            return proposal
        try:
            step = self._chat.decide(observation)
        except ChatError as error:
            error.calls = proposal.calls + error.calls
            raise
        detail = proposal.detail and proposal.detail.model_copy(update={"taken": False})
        changed = {"calls": proposal.calls + step.calls, "detail": detail, "decided": proposal.decided}
        return step.model_copy(update=changed)


def _probability(proposal: AgentStep) -> float:
    """Return the probability of the proposed action, operation times target; 0 where there is no usable proposal."""
    return 0.0 if proposal.detail is None else proposal.detail.probability
