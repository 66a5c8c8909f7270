"""Rule Q4 with a served decision model and the whole loop: which of its faults end an episode, how, and what is kept.

How each fault ends one ask is in tests/llm/test_systemone_faults.py.
"""

from collections.abc import Callable
from typing import Any

import pytest
from jevcompat.mock import FAULTS, MockConfig, Running

from agent.agent import AgentStep
from agent.decision import DecisionAgent
from agent.decision_model import WireModel
from agent.loop import EpisodeResult, Limits, run_episode
from browser.observation import Box, InteractiveElement, Observation
from llm.systemone import SystemOneClient, typesafe

KEY = "ts-planted-0471-key"
# More links than some servers take options.
LINKS = tuple(
    InteractiveElement(id=n, role="link", name=f"Link {n}", box=Box(x=0, y=0, width=9, height=9)) for n in range(1, 81)
)
ASKED_TWICE = {"first-question-only", "extra-answer", "choice-key-case", "choice-sum", "choice-second"}
REFUSED = {"wrong-route", "xssi-200", "auth-x-api-key", "cap-64", "auth-plain", "auth-invalid-403-text"}
WRONG_KEY = {"auth-plain", "auth-invalid-403-text"}


class TwoPages:
    """Shows a page, and after any action the same page again, for two actions."""

    def __init__(self, page: Observation) -> None:
        self.page, self.actions = page, 0

    def reset(self, *, seed: int | None = None) -> tuple[Observation, dict[str, Any]]:
        return self.page, {}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        self.actions += 1
        return self.page, 0.0, False, self.actions == 2, {}


def play(url: str, page: Observation) -> tuple[EpisodeResult, list[tuple[AgentStep, Observation]]]:
    rows: list[tuple[AgentStep, Observation]] = []
    agent = DecisionAgent(WireModel(SystemOneClient("typesafe", typesafe(url, deadline_s=3.0), KEY)))
    environment = TwoPages(page)

    def on_step(step: AgentStep, observation: Observation, *_: object) -> None:
        rows.append((step, observation))

    return run_episode(agent, environment, Limits(), on_step, seed=0), rows


@pytest.mark.parametrize("fault", [*FAULTS, None])
def test_q4_a_fault_ends_the_turn_blocked_or_leaves_it(fault: str | None, page: Callable[..., Observation]) -> None:
    config = MockConfig(key="another" if fault in WRONG_KEY else KEY, faults=frozenset({fault} if fault else ()))
    with Running(config) as server:
        result, rows = play(server.url, page(elements=LINKS))
    if fault in ASKED_TWICE | REFUSED:
        ((step, observation),) = rows
        assert (result.end, result.error) == ("blocked", None)
        assert (step.action, step.end) == (None, "blocked")
        assert step.reason.startswith("No usable decision: ")
        assert (observation.url, observation.title) == ("http://127.0.0.1:8000/login", "Log in")
        # Those that are refused for their key or their route are not counted.
        assert config.requests in ((2,) if fault in ASKED_TWICE else (0, 1))
        assert len(step.calls) == (2 if fault in ASKED_TWICE else 0)
        assert KEY not in repr(rows)
    else:
        # BLOCKED is an operation too, and this server chooses by chance.
        assert result.end in ("max_steps", "blocked")
        assert all(step.detail is not None for step, _ in rows)


def test_q4_where_no_server_answers_the_episode_is_infrastructures(page: Callable[..., Observation]) -> None:
    result, rows = play("http://127.0.0.1:1", page())
    assert (result.end, rows) == ("model_error", [])
    assert result.error is not None
    assert "127.0.0.1:1" in result.error
    assert KEY not in result.error
