"""MiniWoB through our environment: solved without a model, equal to stock's tasks, and without stock's faults."""

import browsergym.miniwob.all as stock
import pytest

from agent.agent import AgentStep
from agent.loop import Limits, run_episode
from benchmark.miniwob.pages import miniwob_pages
from benchmark.miniwob.solutions import SOLUTIONS
from benchmark.miniwob.task import DEVIATIONS, miniwob_task
from benchmark.miniwob.tasks import ACTIONS, raw_reward
from benchmark.records.rows import full_reward
from browser.actions import Click, Type
from browser.environment import BrowserEnvironment


@pytest.fixture(scope="module")
def pages():
    with miniwob_pages() as url:
        yield url


@pytest.fixture
def make_env(pages, session):
    made = []

    def make(task, **kwargs):
        made.append(
            BrowserEnvironment(task, task_kwargs={"base_url": pages}, session=session, allow_credentials=True, **kwargs)
        )
        return made[-1]

    yield make
    for env in made:
        env.close()


class Scripted:
    """Plays a hard-coded solution through the agent interface."""

    name = "solution"

    def __init__(self, task):
        self.solve = SOLUTIONS[task]

    def reset(self):
        self.actions = None

    def step(self, observation):
        self.actions = self.actions or self.solve(observation)
        return AgentStep(action=next(self.actions))


@pytest.mark.parametrize("task", SOLUTIONS)
def test_hard_coded_solutions_complete_their_tasks(make_env, task):
    env = make_env(miniwob_task(task), actions=ACTIONS)
    for seed in (100, 101):
        rewards = []
        result = run_episode(
            Scripted(task), env, Limits(), lambda *step, kept=rewards: kept.append(raw_reward(step[3])), seed=seed
        )
        assert (result.end, result.reward, result.steps) == ("success", 1.0, len(rewards))
        assert rewards[-1] >= 0.99


@pytest.mark.parametrize("name", ["ClickTest2Task", "BookFlightTask", "EmailInboxTask", "UseSliderTask", "DragBoxTask"])
def test_one_call_start_equals_stocks_set_up(make_env, name):
    theirs_class = getattr(stock, name)
    ours, theirs = make_env(miniwob_task(theirs_class.subdomain)), make_env(theirs_class)
    for seed in (200, 201):
        mine, my_info = ours.reset(seed=seed)
        other, other_info = theirs.reset(seed=seed)
        assert mine == other
        assert my_info["task_info"] == other_info["task_info"]


def test_a_fragment_in_the_address_does_not_end_the_episode_unless_strict(make_env):
    for strict, expected in ((False, (1.0, True)), (True, (0, True))):
        env = make_env(miniwob_task("click-test", strict_url=strict))
        env.reset(seed=0)
        env.page.evaluate("location.hash = 'page'")
        _, reward, terminated, _, _ = env.step(Click(element_id=1))
        assert (reward, terminated) == expected
    assert "fragment" in DEVIATIONS


def test_leaving_the_page_ends_the_episode_without_reward(make_env, pages):
    env = make_env(miniwob_task("click-test"))
    env.reset(seed=0)
    env.page.goto(pages + "click-test-2.html")
    _, reward, terminated, _, info = env.step(Click(element_id=1))
    assert (reward, terminated, info["task_info"]["error"]) == (0, True, "invalid url, terminating task")


def test_reloading_the_page_buys_no_second_episode(make_env):
    def play(task):
        env = make_env(task)
        env.reset(seed=0)
        env.page.reload()
        env.page.click("#sync-task-cover")
        env.page.click("#subbtn")
        _, reward, terminated, _, _ = env.step(Click(element_id=99))
        return reward, terminated

    assert play(stock.ClickTestTask) == (1.0, True), "stock's fault is gone: drop the deviation"
    assert play(miniwob_task("click-test")) == (0, True)
    assert "reload" in DEVIATIONS


def test_the_layout_keeps_the_tasks_viewport(make_env):
    for mode in ("table", "axtree"):
        env = make_env(miniwob_task("click-button"), observation_mode=mode)
        for seed in (0, 1):
            env.reset(seed=seed)
            env.page.screenshot()
            assert env.page.evaluate("[innerWidth, innerHeight]") == [332, 214]
    assert "viewport" in DEVIATIONS


def test_partial_credit_is_kept_apart_from_full_reward(make_env):
    env = make_env(miniwob_task("ascending-numbers"))
    observation, _ = env.reset(seed=0)
    one, five = (next(e for e in observation.elements if e.name == name) for name in ("1", "5"))
    observation, *_ = env.step(Click(element_id=one.id))
    hidden = min(observation.elements, key=lambda e: abs(e.box.x - five.box.x) + abs(e.box.y - five.box.y))
    _, reward, terminated, _, info = env.step(Click(element_id=hidden.id))
    assert (reward, terminated) == (1.0, True)
    assert full_reward(reward, raw_reward(info)) == 0.0


def test_a_teardown_that_fails_leaves_no_browser(pages):
    from browser.process import descendants

    class Failing(miniwob_task("click-test")):
        def teardown(self):
            raise RuntimeError("teardown failed")

    before = descendants()
    env = BrowserEnvironment(Failing, task_kwargs={"base_url": pages})
    env.reset(seed=0)
    with pytest.raises(RuntimeError, match="teardown failed"):
        env.close()
    assert {p for p in descendants() - before if p.is_running()} == set()


def test_typing_reaches_fields_that_take_values(make_env):
    env = make_env(miniwob_task("enter-time"))
    observation, _ = env.reset(seed=0)
    field = next(e for e in observation.elements if e.input_type == "time")
    seen, *_ = env.step(Type(element_id=field.id, text="09:05"))
    assert seen.element(field.id).value == "09:05"
