"""Agents that know the stand-in tasks: one that does each, and three that must win none. They measure the measure.

"oracle" follows a task's script; "wrong-object" does the same to another object; "answer-everything" says all that it
reads; "noop" says at once that it is done. All act through the same environment as any agent.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from agent.agent import AgentStep
from agent.registry import ConfiguredAgent
from benchmark.standins.scripted import Said, Script
from benchmark.standins.scripts import PLANS
from benchmark.standins.tasks import standin_rows, standin_tasks
from benchmark.webarena.original import NOT_POSSIBLE, RULES
from browser.actions import CORE_ACTIONS, Finish
from browser.observation import Observation

# Raise it when a script changes what it does: older records no longer compare.
SCRIPTS_VERSION = 1
# "answer-everything" says these too: a judge that only looks whether the right one is among them would be content.
NUMBERS = 400


def finish(goal: str, said: Said) -> Finish:
    """Return what was said in the form that the goal asks for: WebArena-Verified's object, or the original's text."""
    if goal.endswith(RULES):
        return Finish(message=said.text if said.found else NOT_POSSIBLE)
    status = "SUCCESS" if said.found else "NOT_FOUND_ERROR"
    answer = {"task_type": said.kind, "status": status, "retrieved_data": list(said.data) or None}
    return Finish(message=json.dumps(answer | {"error_details": None if said.found else "there is no such thing"}))


class ScriptedAgent:
    """Follows the script of the task whose words the goal begins with."""

    def __init__(self, name: str, right: bool) -> None:
        self.name, self._right = name, right
        self.config: dict[str, Any] = {
            "agent": name, "model": None, "offered": list(CORE_ACTIONS), "scripts": SCRIPTS_VERSION
        }  # fmt: skip
        self._script: Script | None = None

    def reset(self) -> None:
        """Begin a new episode."""
        self._script = None

    def step(self, observation: Observation) -> AgentStep:
        """Return the script's next action, or its answer; blocked where the page is not what the script expects."""
        try:
            if self._script is None:
                self._script = self._begun(observation)
                return AgentStep(action=next(self._script), reason="as scripted")
            return AgentStep(action=self._script.send(observation), reason="as scripted")
        except StopIteration as end:
            return AgentStep(action=finish(observation.goal, end.value), reason="the script ends")
        except (LookupError, ValueError) as lost:
            return AgentStep(action=None, end="blocked", reason=str(lost))

    def _begun(self, observation: Observation) -> Script:
        how, right, wrong = PLANS[_task(observation.goal)]
        return how(observation, **(right if self._right else wrong))


def _task(goal: str) -> int:
    intent = goal.split("\n\n")[0]
    for task in standin_tasks():
        if intent in (task.intent, standin_rows()[task.id]["intent"]):
            return task.id
    raise LookupError("no stand-in task has this goal")


class SayingAgent:
    """Says one thing on the first page, whatever the task."""

    def __init__(self, name: str, says: Callable[[Observation], Finish]) -> None:
        self.name, self._says = name, says
        self.config: dict[str, Any] = {"agent": name, "model": None, "offered": list(CORE_ACTIONS)}

    def reset(self) -> None:
        """Do nothing: there is nothing to forget."""

    def step(self, observation: Observation) -> AgentStep:
        """Return the end of the episode."""
        return AgentStep(action=self._says(observation), reason="whatever the task")


def everything(observation: Observation) -> Finish:
    """Return all that stands on the page and all small numbers, as an answer."""
    read = [block.text for block in observation.texts] + [e.name for e in observation.elements if e.name]
    said = [*read, *map(str, range(NUMBERS + 1))]
    return finish(observation.goal, Said("RETRIEVE", tuple(said), " ".join(said)))


STANDIN_AGENTS: Mapping[str, Callable[[], ConfiguredAgent]] = {
    "oracle": lambda: ScriptedAgent("oracle", right=True),
    "wrong-object": lambda: ScriptedAgent("wrong-object", right=False),
    "answer-everything": lambda: SayingAgent("answer-everything", everything),
    "noop": lambda: SayingAgent("noop", lambda seen: Finish(message="")),
}
