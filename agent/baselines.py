"""Agents without a model: what chance and one blind press score, beside which any other number is read."""

import hashlib
import re
import time
from typing import Any

import numpy as np

from agent.agent import AgentStep, DecisionDetail
from agent.candidates import build_candidates
from agent.carrying_out import to_action
from agent.finer import FINER_ACTIONS, draw, possible
from agent.questions import describe
from agent.tick import Candidate
from browser.actions import CORE_ACTIONS, ActionName, Click
from browser.observation import InteractiveElement, Observation

# Chance has no notion of being done or stuck: it acts until the environment or a limit stops it.
_ENDINGS = frozenset({"DONE", "BLOCKED"})
_SUBMIT_WORD = re.compile(
    r"\b(submit|ok|okay|done|search|go|send|log ?in|sign ?in|book|buy|order|save|next|continue|confirm|apply|start)\b",
    re.IGNORECASE,
)


class RandomAgent:
    """An operation at random, then one of its candidates at random: operations with many targets are not preferred.

    The draws of an episode depend on the seed, the goal and the first page's controls alone, so that an episode has
    the same result whatever ran before it.
    """

    name = "random"

    def __init__(
        self, seed: int = 0, offered: tuple[ActionName, ...] = CORE_ACTIONS, *, allow_goal_credentials: bool = False
    ) -> None:
        self.config: dict[str, Any] = {
            "agent": self.name,
            "model": None,
            "seed": seed,
            "offered": list(offered),
            "allow_goal_credentials": allow_goal_credentials,
        }
        self._allow_goal_credentials = allow_goal_credentials
        self._seed = seed
        self._offered = offered
        self._random: np.random.Generator | None = None

    def reset(self) -> None:
        """Draw anew from the next episode's first observation."""
        self._random = None

    def step(self, observation: Observation) -> AgentStep:
        """Return a random action; end "blocked" where nothing can be done."""
        started = time.perf_counter()
        if self._random is None:
            self._random = np.random.default_rng([self._seed, _episode_key(observation)])
        plain = tuple(name for name in self._offered if name not in FINER_ACTIONS)  # the finer ones are drawn anew
        candidates = build_candidates(
            observation.goal, observation, (), plain, allow_goal_credentials=self._allow_goal_credentials
        )
        by_operation: dict[str, list[Candidate]] = {}
        for candidate in candidates:
            if candidate.operation not in _ENDINGS:
                by_operation.setdefault(candidate.operation, []).append(candidate)
        finer = possible(self._offered, observation, credentials=self._allow_goal_credentials)
        operations = len(by_operation) + len(finer)
        if not operations:
            return AgentStep(action=None, end="blocked", reason="Nothing on this page can be acted on.")
        drawn = self._random.integers(operations)
        if drawn >= len(by_operation):
            return self._finer(finer[drawn - len(by_operation)], observation, operations, started)
        targets = list(by_operation.values())[drawn]
        candidate = targets[self._random.integers(len(targets))]
        return AgentStep(
            action=to_action(candidate),
            reason=describe(candidate, observation),
            detail=DecisionDetail(
                operation=candidate.operation,
                operation_probability=1 / operations,
                target_probability=1 / len(targets),
                text_source=candidate.text_source,
                candidates=len(candidates),
            ),
            decide_ms=(time.perf_counter() - started) * 1000,
        )

    def _finer(self, name: ActionName, observation: Observation, operations: int, started: float) -> AgentStep:
        assert self._random is not None
        action, targets = draw(name, observation, self._random, credentials=self._allow_goal_credentials)
        words = " ".join(f"{key}={value}" for key, value in action.model_dump(exclude={"type"}).items())
        return AgentStep(
            action=action,
            reason=f"{name.upper()} {words}",
            detail=DecisionDetail(
                operation=name.upper(),
                operation_probability=1 / operations,
                target_probability=1 / targets,
                candidates=targets,
            ),
            decide_ms=(time.perf_counter() - started) * 1000,
        )


class SubmitOnceAgent:
    """One click on the most submit-like control, or else on the first; then it gives up."""

    name = "submit-once"

    def __init__(self, offered: tuple[ActionName, ...] = CORE_ACTIONS) -> None:
        self.config: dict[str, Any] = {"agent": self.name, "model": None, "offered": list(offered)}
        self._offered = offered
        self._pressed = False

    def reset(self) -> None:
        """Allow the one click again."""
        self._pressed = False

    def step(self, observation: Observation) -> AgentStep:
        """Return the click, the first time; after it, or where nothing can be clicked, end "blocked"."""
        if self._pressed:
            return AgentStep(action=None, end="blocked", reason="The one click is spent.")
        clickable = [e for e in observation.elements if not e.disabled and e.covered_by is None]
        if not clickable or "click" not in self._offered:
            return AgentStep(action=None, end="blocked", reason="Nothing on this page can be clicked.")
        self._pressed = True
        target = max(clickable, key=_submit_likeness)
        return AgentStep(
            action=Click(element_id=target.id), reason=f'CLICK [{target.id}] {target.role} "{target.name}"'
        )


def _submit_likeness(element: InteractiveElement) -> tuple[bool, bool, bool]:
    """Order: a control that submits by its type, then one that says so, then any button; ties go to the first."""
    button = element.role == "button" or element.tag == "button"
    submits = element.input_type in ("submit", "image")
    says_so = bool(_SUBMIT_WORD.search(f"{element.name} {element.value or ''} {element.hint}"))
    return (button or submits) and says_so, submits, button


def _episode_key(observation: Observation) -> int:
    """Return a number for an episode's start that leaves out addresses and ids, which change from run to run."""
    parts = [observation.goal, *(f"{e.role} {e.name}" for e in observation.elements)]
    return int.from_bytes(hashlib.blake2b("\n".join(parts).encode("utf-8", "replace"), digest_size=8).digest(), "big")
