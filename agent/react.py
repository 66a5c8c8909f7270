"""ReActAgent: sees the page, says why, takes one action. As `direct` it reads the tree, as `react` the element table.

Knows models only as `ChatModel`, and no benchmark.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agent.agent import AgentDecision, AgentStep, ObservationMode
from agent.ask import Found, Unanswered, ask
from agent.guards import advise, still_offered
from agent.history import History, action_words
from agent.messages import harmless, messages, system_message
from agent.parser import ParseError, decision_schema, parse_decision
from agent.policy import DEFAULT_POLICY, GUARDS, Policy
from agent.prompt import CHAT_OTHER_QUESTION, CHAT_QUESTION, CHAT_VERSION, NEXT_LOOP
from agent.tick import PastStep
from browser.actions import CORE_ACTIONS, ActionName, BrowserAction, Type
from browser.observation import Observation
from llm.chat import ChatModel, ChatRequest
from llm.decision import ModelCall

# With an answer, and a refused one sent back, this fits the 4,096 tokens that a small local model is served with.
MAX_PROMPT_TOKENS = 2_800
# A reason, and an action that types a few sentences.
MAX_ANSWER_TOKENS = 400
# Characters that the schema allows a reason: a sentence or two; a small model fills what it is given.
REASON_CHARS = 240
# The ids of a page stand in the schema once for each action that takes one; providers take some 1,000 such values.
SCHEMA_IDS = 120


class ReActAgent:
    """One call a step: rules, goal, past and page in, a reason and an action out."""

    def __init__(
        self,
        model: ChatModel,
        offered: tuple[ActionName, ...] = CORE_ACTIONS,
        name: str = "react",
        *,
        observation_mode: ObservationMode = "table",
        allow_goal_credentials: bool = False,
        max_prompt_tokens: int = MAX_PROMPT_TOKENS,
        endpoint: Mapping[str, Any] | None = None,
        policy: Policy = DEFAULT_POLICY,
    ) -> None:
        """Make an agent.

        Args:
            observation_mode: what the agent reads of a page; whoever makes the environment obeys.
            allow_goal_credentials: a credential field may take a text that the goal itself quotes.
            max_prompt_tokens: an estimate; the page is cut to fit it, and says so.
            endpoint: all else that decides the model's answers, such as its temperature; for `config`.
            policy: only its guards hold here.
        """
        self.name = name
        self.observation_mode: ObservationMode = observation_mode
        self.config: dict[str, Any] = {
            "agent": name,
            "model": model.name,
            "endpoint": dict(endpoint or {}),
            "offered": list(offered),
            "allow_goal_credentials": allow_goal_credentials,
            "observation_mode": observation_mode,
            "max_prompt_tokens": max_prompt_tokens,
            "max_answer_tokens": MAX_ANSWER_TOKENS,
            "prompts": CHAT_VERSION,
            "policy": policy.model_dump(mode="json", include=set(GUARDS)),
        }
        self._model = model
        self._offered = offered
        self._allow_goal_credentials = allow_goal_credentials
        self._policy = policy
        self._max_prompt_tokens = max_prompt_tokens
        self._system = system_message(offered, observation_mode)
        self.history = History()

    def reset(self) -> None:
        """Forget the last episode."""
        self.history.clear()

    def step(self, observation: Observation) -> AgentStep:
        """Return the next action; without one, end "bad_output", "cost_limit" or "loop" and say why.

        Raises:
            ChatError: the endpoint gave no answer; its `calls` were made for this step.
        """
        started = time.perf_counter()
        self.see(observation)
        step = self.decide(observation)
        return step.model_copy(update={"decide_ms": (time.perf_counter() - started) * 1000})

    def see(self, observation: Observation) -> Sequence[PastStep]:
        """Take in what the last action did, and return the past of this episode."""
        self.history.see(observation)
        return tuple(self.history.steps)

    def decide(self, observation: Observation, advice: str = "") -> AgentStep:
        """Return the next action on a page that was seen, with advice before the question; see `step`."""
        guard = advise(self.history.steps, self._policy)
        offered = still_offered(self._offered, guard)
        if guard.stop or (guard.finish_only and not offered):
            self.history.decided(None, observation)
            return AgentStep(action=None, end="loop", reason=guard.stop or guard.note, next_action=NEXT_LOOP)
        question = "\n".join(filter(None, (advice, guard.note, self._question())))
        shown = observation if len(observation.elements) <= SCHEMA_IDS else None
        schema = decision_schema(offered, shown, REASON_CHARS)
        try:
            decision, calls = self.ask(
                observation, question, schema, lambda text: self._read(text, observation, offered)
            )
        except Unanswered as error:
            self.history.decided(None, observation)
            return AgentStep(action=None, end=error.end, reason=str(error), calls=error.calls, note=guard.note)
        self.history.decided(decision.action, observation)
        return AgentStep(action=decision.action, reason=decision.reason, calls=calls, note=guard.note)

    def _question(self) -> str:
        """Return the question; after an action that did nothing, one that says so, since models read the end best."""
        last = self.history.steps[-1] if self.history.steps else None
        if last is None or (last.page_changed and not last.error):
            return CHAT_QUESTION
        return CHAT_OTHER_QUESTION.format(action=harmless(action_words(last)))

    def ask(
        self, observation: Observation, question: str, schema: Mapping[str, Any], read: Callable[[str], Found]
    ) -> tuple[Found, tuple[ModelCall, ...]]:
        """Put a question about a page that was seen, with its goal and past; see `agent.ask.ask`."""

        def build(max_tokens: int) -> ChatRequest:
            return ChatRequest(
                messages=messages(self._system, observation, self.history.steps, question, self._offered, max_tokens),
                json_schema=dict(schema),
                max_output_tokens=MAX_ANSWER_TOKENS,
            )

        return ask(self._model, build, read, self._max_prompt_tokens)

    def _read(self, text: str, observation: Observation, offered: tuple[ActionName, ...]) -> AgentDecision:
        decision = parse_decision(text, observation, offered)
        self._check_credential(decision.action, observation)
        return decision

    def _check_credential(self, action: BrowserAction, observation: Observation) -> None:
        """Refuse what a page could talk a model into: a credential that the user did not give with the goal."""
        element = observation.element(action.element_id) if isinstance(action, Type) else None
        if element is None or not element.credential:
            return
        if not self._allow_goal_credentials:
            raise ParseError(f"Element {element.id} asks for a credential, and this run types none.")
        if isinstance(action, Type) and action.text not in observation.goal:
            raise ParseError(f"Element {element.id} asks for a credential; type only what the goal quotes for it.")
