"""What the documents show is run as it stands there."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent.agent import Agent
from agent.loop import Limits, run_episode
from agent.registry import AGENTS, make_agent
from browser.actions import Click
from browser.observation import Box, InteractiveElement, Observation

ROOT = Path(__file__).resolve().parent.parent


def blocks(document: str, language: str) -> list[str]:
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def page(*names: str) -> Observation:
    box = Box(x=0, y=0, width=10, height=10)
    elements = tuple(InteractiveElement(id=i, role="button", name=n, box=box) for i, n in enumerate(names, start=1))
    return Observation(goal="Press Save and then Close", url="about:blank", title="", elements=elements)


class TwoButtons:
    """A page of three buttons that pays for Save, then Close."""

    def reset(self, *, seed: int | None = None) -> tuple[Observation, dict[str, Any]]:
        self.clicked: list[int] = []
        return page("Cancel", "Save", "Close"), {}

    def step(self, action: Click) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        self.clicked.append(action.element_id)
        done = self.clicked == [2, 3]
        return page("Cancel", "Save", "Close"), float(done), done, False, {}


@pytest.fixture
def named_agent(monkeypatch: pytest.MonkeyPatch) -> Agent:
    """The agent of CONTRIBUTING.md, made by the registry with the line that the page gives for it."""
    source, entry = blocks("CONTRIBUTING.md", "python")
    names: dict[str, Any] = {}
    exec(compile(source, "CONTRIBUTING.md", "exec"), names)
    for name, factory in eval(f"{{{entry.strip()}}}", names).items():
        monkeypatch.setitem(AGENTS, name, factory)
    return make_agent("named")


def test_the_agent_of_the_guide_is_20_lines() -> None:
    source, _ = blocks("CONTRIBUTING.md", "python")
    code = source.split('"""\n', 1)[1]
    assert len([line for line in code.splitlines() if line.strip()]) <= 20


def test_the_agent_of_the_guide_decides(named_agent: Agent) -> None:
    named_agent.reset()
    assert named_agent.step(page("Cancel", "Save")).action == Click(element_id=2)
    last = named_agent.step(page("Cancel", "Save"))
    assert (last.action, last.end) == (None, "blocked")
    named_agent.reset()
    assert named_agent.step(page("Cancel", "Save")).action == Click(element_id=2)


def test_the_agent_of_the_guide_goes_through_the_loop(named_agent: Agent) -> None:
    result = run_episode(named_agent, TwoButtons(), Limits(), lambda *_: None, seed=0)
    assert (result.end, result.reward, result.steps) == ("success", 1.0, 2)


def test_the_agent_of_the_guide_passes_the_type_check(tmp_path: Path) -> None:
    source, _ = blocks("CONTRIBUTING.md", "python")
    module = tmp_path / "named.py"
    module.write_text(f"{source}\nfrom agent.registry import ConfiguredAgent\nmade: ConfiguredAgent = NamedAgent()\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(module)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_the_environment_of_the_readme_runs(tmp_path: Path) -> None:
    [source] = [block for block in blocks("README.md", "python") if "gymnasium.make" in block]
    done = subprocess.run(
        [sys.executable, "-c", f"{source}\nprint(reward, terminated)"], cwd=tmp_path, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == "True"
