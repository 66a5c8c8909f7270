"""The environment in a process of its own, called where an event loop runs."""

import asyncio
import multiprocessing
import os
import signal
from functools import partial

import gymnasium
import psutil
import pytest

from browser import make_environment
from browser.actions import Click, Finish
from browser.errors import BrowserCrashed, BrowserStartFailed, ObservationFailed
from browser.session import BrowserSession, PageSettings
from browser.worker import WorkerEnvironment


@pytest.fixture
def make(httpserver):
    httpserver.expect_request("/").respond_with_data("<button>Go</button>", content_type="text/html")
    return partial(make_environment, "openended", task_kwargs={"start_url": httpserver.url_for("/"), "goal": "g"})


def test_it_works_where_an_event_loop_runs_and_the_plain_one_says_so(make):
    async def notebook():
        with pytest.raises(BrowserStartFailed, match=r"use browser.worker.WorkerEnvironment"):
            BrowserSession().open_page(PageSettings(), "page")
        env = WorkerEnvironment(make)
        observation, info = env.reset(seed=0)
        assert (observation.goal, observation.elements[0].name, info["finished"]) == ("g", "Go", False)
        assert env.action_space.contains(Click(element_id=1))
        _, _, terminated, _, info = env.step(Finish(message=""))
        assert (terminated, info["finished"]) == (True, True)
        env.close()
        env.close()

    asyncio.run(notebook())
    assert multiprocessing.active_children() == []


def test_errors_arrive_as_they_were_raised(make):
    env = WorkerEnvironment(make)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(Click(element_id=1))
    assert env.reset(seed=0)[0].elements
    env.close()
    broken = WorkerEnvironment(partial(make_environment, "openended", task_kwargs={"start_url": "http://[/"}))
    with pytest.raises(ObservationFailed, match="did not open"):
        broken.reset(seed=0)
    broken.close()


def test_a_killed_worker_takes_its_browser_along(make):
    env = WorkerEnvironment(make)
    env.reset(seed=0)
    below = psutil.Process(env._process.pid).children(recursive=True)
    assert below
    os.kill(env._process.pid, signal.SIGKILL)
    with pytest.raises(BrowserCrashed, match="process is gone"):
        env.step(Click(element_id=1))
    env.close()
    _, alive = psutil.wait_procs(below, timeout=10)
    assert alive == []
