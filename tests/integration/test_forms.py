"""Generated pages in a real browser: each can be solved, by nothing but what its goal says, and an agent plays them."""

from pathlib import Path

import pytest

from benchmark.forms.pages import TASKS, make_page
from benchmark.forms.run import main
from benchmark.forms.task import form_task
from benchmark.records.rows import EpisodeRecord
from benchmark.records.store import EPISODES, read_rows
from browser.actions import Wait
from browser.environment import BrowserEnvironment
from browser.patience import Patience
from browser.session import BrowserSession

# Sets what a goal asks for as a person would, then presses what ends it; the page tells the task by itself.
SOLVE_JS = """
({values, pressed}) => {
  for (const [key, value] of Object.entries(values)) {
    const control = document.querySelector(`[data-key="${key}"]`);
    if (value === true) control.click(); else control.value = value;
  }
  document.querySelector(`[data-final="${pressed}"]`).click();
}
"""


@pytest.mark.parametrize("task", TASKS)
def test_a_page_is_solved_by_what_its_goal_asks_and_by_nothing_else(task: str, session: BrowserSession) -> None:
    env = BrowserEnvironment(
        form_task(task), session=session, actions=("wait",), patience=Patience(wait_pauses=(), unchanged=())
    )
    made = make_page(task, 1)
    for values in (dict(made.values), {}):
        observation, _ = env.reset(seed=1)
        assert observation.goal == made.goal
        _, reward, ended, *_ = env.step(Wait())
        assert (reward, ended) == (0.0, False)
        env.page.evaluate(SOLVE_JS, {"values": values, "pressed": made.pressed})
        _, reward, ended, *_ = env.step(Wait())
        assert (reward, ended) == (float(values == made.values), True)


def test_the_goal_of_an_other_page_never_uses_the_names_of_the_page() -> None:
    same, other = make_page("lead", 5), make_page("lead-other", 5)
    assert same.html != other.html or same.goal != other.goal
    assert make_page("lead-other", 5) == other


def test_an_agent_plays_them_and_its_ticks_are_kept(tmp_path: Path) -> None:
    command = ["--tasks", "lead", "--seeds", "1001,1002", "--out", str(tmp_path), "--keep-ticks", "--quiet"]
    assert main([*command, "--decision-model", "embedded-rules"]) == 0
    rows = list(read_rows(tmp_path / EPISODES, EpisodeRecord))
    assert [(row.benchmark, row.task, row.full_reward) for row in rows] == [("forms", "lead", 1.0)] * 2
    assert main([*command[:1], "nothing", *command[2:]]) == 2
