"""BrowserEnvironment as a Gymnasium environment over BrowserGym: interface, isolation, and the axtree mode."""

import importlib
import socket

import gymnasium
import pytest
from browsergym.core.task import AbstractBrowserTask, OpenEndedTask
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit

from browser.actions import Click, Finish, Scroll, Type
from browser.environment import BrowserEnvironment
from browser.errors import BrowserCrashed, ObservationFailed
from browser.patience import Patience
from browser.session import BrowserSession, Chat

FORM = "<!doctype html><title>Form</title><label>Name <input></label><button onclick='document.title = 1'>Go</button>"

# For pages that stay as they are whatever is done.
NONE = Patience(wait_pauses=(), unchanged=())


class PageTask(AbstractBrowserTask):
    """A task on a page that is reused; rewarded once the page's title is 1."""

    isolation = "page"
    page_state_js = "document.title"
    page_state = ""

    def __init__(self, seed: int, url: str) -> None:
        super().__init__(seed)
        self.url = url

    def setup(self, page):
        page.goto(self.url)
        return "Set the title", {"seed": int(self.random.randint(100))}

    def validate(self, page, chat_messages):
        done = self.page_state == "1"
        return float(done), done, "well done" if done else "", {"title": self.page_state}


class ChatWithoutWindow(Chat):
    def __init__(self, **window) -> None:
        super().__init__()

    def close(self) -> None:
        pass


@pytest.fixture
def form_url(httpserver):
    httpserver.expect_request("/form").respond_with_data(FORM, content_type="text/html")
    return httpserver.url_for("/form")


@pytest.fixture
def env(session, form_url):
    made = BrowserEnvironment(PageTask, task_kwargs={"url": form_url}, session=session)
    yield made
    made.close()


def test_check_env_passes(session, form_url):
    task = {"start_url": form_url, "goal": "look"}
    made = gymnasium.make(
        "browser/openended", task_kwargs=task, session=session, actions=("click", "scroll", "wait"), patience=NONE
    )
    check_env(made.unwrapped, skip_render_check=True, skip_close_check=True)
    made.close()


def test_ids_registered_by_import_browser(session, form_url):
    importlib.import_module("browser")
    assert {"browser/task", "browser/openended"} <= set(gymnasium.registry)
    made = gymnasium.make("browser/task", task_id="openended", task_kwargs={"start_url": form_url}, session=session)
    observation, _ = made.reset(seed=1)
    assert (observation.title, made.unwrapped.metadata["render_modes"]) == ("Form", [])
    made.close()
    with pytest.raises(gymnasium.error.NameNotFound, match="browsergym-nosuch"):
        gymnasium.make("browser/task", task_id="nosuch.task")


def test_standard_wrappers_count_and_truncate(env):
    wrapped = RecordEpisodeStatistics(TimeLimit(env, max_episode_steps=2))
    wrapped.reset(seed=1)
    wrapped.step(Scroll(direction="down"))
    *_, truncated, info = wrapped.step(Scroll(direction="down"))
    assert truncated
    assert info["episode"]["l"] == 2
    wrapped.reset(seed=1)
    _, reward, terminated, _, info = wrapped.step(Click(element_id=2))
    assert (reward, terminated, info["episode"]["r"]) == (1.0, True, 1.0)


def test_the_task_judges_and_its_message_reaches_the_chat(env):
    observation, info = env.reset(seed=3)
    assert (observation.goal, env.chat.messages[1]["message"]) == ("Set the title", "Set the title")
    assert info["task_info"] == env.reset(seed=3)[1]["task_info"]
    _, reward, terminated, _, info = env.step(Click(element_id=2))
    assert (reward, terminated, info["task_info"]) == (1.0, True, {"title": "1"})
    assert env.chat.messages[-1] == {"role": "user", "message": "well done"}


def test_finish_ends_the_episode_and_answers_in_the_chat(env):
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step(Finish(message="forty-two"))
    assert (reward, terminated, info["finished"]) == (0.0, True, True)
    assert env.chat.messages[-1] == {"role": "assistant", "message": "forty-two"}


def test_a_refused_action_changes_nothing_and_is_told(session, form_url):
    env = BrowserEnvironment(PageTask, task_kwargs={"url": form_url}, session=session, actions=("click",))
    before, _ = env.reset(seed=0)
    after, reward, terminated, _, _ = env.step(Finish(message=""))
    assert after.last_action_error == "finish is not offered here; offered are click."
    assert (after.page_key, reward, terminated) == (before.page_key, 0.0, False)
    env.close()


def test_a_refused_action_is_not_waited_after(session, form_url):
    patience = Patience(unchanged=(2_000,))
    env = BrowserEnvironment(PageTask, task_kwargs={"url": form_url}, session=session, patience=patience)
    env.reset(seed=0)
    _, _, _, _, info = env.step(Click(element_id=999))
    assert info["timings"].settle_ms < 1_000
    assert info["timings"].total_ms < 1_500
    env.close()


def test_step_before_reset_and_a_dead_address_are_refused_clearly(session, form_url):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        closed_port = taken.getsockname()[1]
    dead = {"url": f"http://127.0.0.1:{closed_port}/"}
    env = BrowserEnvironment(PageTask, task_kwargs=dead, session=session)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(Click(element_id=1))
    with pytest.raises(ObservationFailed, match="did not open.*CONNECTION"):
        env.reset(seed=0)
    env.close()


def test_timings_add_up(env):
    env.reset(seed=0)
    _, _, _, _, info = env.step(Click(element_id=1))
    spent = info["timings"]
    # Rest counts from the action on: a slow answer of the driver is part of the 20 ms.
    assert 0 < spent.settle_ms < spent.total_ms
    assert spent.total_ms - spent.validate_ms > 20
    parts = spent.act_ms + spent.settle_ms + spent.probe_ms + spent.validate_ms
    assert parts == pytest.approx(spent.total_ms, abs=5)


def test_a_reused_page_keeps_nothing_of_the_last_episode(env):
    env.reset(seed=0)
    page = env.page
    page.evaluate(
        "document.cookie = 'c=1; path=/'; localStorage.x = 1; sessionStorage.x = 1; window.left = 1;"
        " indexedDB.open('db'); history.pushState(0, '', '#other')"
    )
    page.evaluate("window.open('about:blank')")
    page.keyboard.down("Shift")
    page.keyboard.down("Control")
    page.mouse.down()
    observation, _ = env.reset(seed=0)
    assert env.page is page
    assert (observation.tabs, observation.can_go_back, observation.url.endswith("/form")) == ((), False, True)
    left = "[document.cookie, localStorage.x, sessionStorage.x, window.left, history.length]"
    assert page.evaluate(left) == ["", None, None, None, 1]
    assert page.evaluate("indexedDB.databases().then(found => found.length)") == 0
    page.evaluate("document.addEventListener('mousedown', e => window.held = [e.shiftKey, e.ctrlKey, e.buttons], true)")
    env.step(Click(element_id=1))
    assert page.evaluate("window.held") == [False, False, 1]
    env.step(Type(element_id=1, text="abc"))
    assert page.evaluate("document.querySelector('input').value") == "abc"


def test_a_context_task_gets_a_new_context_each_episode(session, form_url):
    env = BrowserEnvironment(OpenEndedTask, task_kwargs={"start_url": form_url}, session=session)
    env.reset(seed=0)
    context = env.page.context
    env.page.evaluate("document.cookie = 'c=1; path=/'")
    env.reset(seed=0)
    assert env.page.context is not context
    assert env.page.evaluate("document.cookie") == ""
    env.close()


def test_equal_resets_give_equal_observations(env):
    first, _ = env.reset(seed=5)
    second, _ = env.reset(seed=5)
    assert first == second
    env.action_space.seed(1)
    drawn = [env.action_space.sample() for _ in range(50)]
    assert {a.type for a in drawn} == set(env.actions)
    assert all(env.action_space.contains(a) for a in drawn)


def test_axtree_mode_shows_what_browsergym_shows(session, form_url):
    from browsergym.core.env import BrowserEnv
    from browsergym.utils.obs import flatten_axtree_to_str

    from browser.install import find_browser

    task = {"start_url": form_url, "goal": "look"}
    env = BrowserEnvironment(OpenEndedTask, task_kwargs=task, session=session, observation_mode="axtree")
    ours, info = env.reset(seed=0)
    stock = BrowserEnv(OpenEndedTask, task, pw_chromium_kwargs={"executable_path": str(find_browser())},
                       slow_mo=0, pre_observation_delay=0)  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        # BrowserGym opens a second browser for its chat and gives no way to say which.
        patch.setattr("browsergym.core.env.Chat", ChatWithoutWindow)
        theirs, _ = stock.reset(seed=0)
        tree = theirs["axtree_object"]
        tree["nodes"] = [n for n in tree["nodes"] if n["role"]["value"] != "InlineTextBox"]
        expected = flatten_axtree_to_str(tree, theirs["extra_element_properties"], with_clickable=True)
        stock.close()
    assert ours.axtree == expected
    assert "textbox 'Name'" in ours.axtree
    assert set(info["browsergym"]) >= {"dom_object", "axtree_object", "focused_element_bid", "extra_element_properties"}
    field = next(e for e in ours.elements if e.role == "textbox")
    button = next(e for e in ours.elements if e.role == "button")
    seen, *_ = env.step(Type(element_id=field.id, text="typed"))
    assert next(e.value for e in seen.elements if e.id == field.id) == "typed"
    seen, *_ = env.step(Click(element_id=button.id))
    assert seen.title == "1"
    env.close()


def test_axtree_mode_lists_options_and_refuses_what_is_not_there(open_page):
    from browser.actions import Select

    page = open_page("<select aria-label=Size><option>S<option>L</select>", observation_mode="axtree")
    (box,) = [e for e in page.observation.elements if e.role == "combobox"]
    assert [o.label for o in box.options] == ["S", "L"]
    seen = page.act(Select(element_id=box.id, option="L"))
    assert (seen.last_action_error, seen.element(box.id).value) == (None, "L")


@pytest.mark.parametrize("mode", ["table", "axtree"])
def test_a_picture_between_look_and_action_changes_neither(open_page, mode):
    page = open_page("<input type=password><button onclick='document.title = 1'>x</button>", observation_mode=mode)
    page.env.session.picture()
    seen = page.act(Click(element_id=page.id("x", "button")))
    assert (seen.last_action_error, seen.title) == (None, "1")


@pytest.mark.parametrize("mode", ["table", "axtree"])
def test_the_layout_keeps_the_viewport(open_page, mode):
    page = open_page("<button>x</button>", observation_mode=mode, patience=NONE)
    for _ in range(3):
        page.act(Scroll(direction="down"))
        assert page.js("[innerWidth, innerHeight]") == [1280, 720]
        page.env.page.screenshot()


def test_a_browser_that_died_is_told_and_the_next_reset_starts_another(form_url):
    with BrowserSession() as own:
        env = BrowserEnvironment(PageTask, task_kwargs={"url": form_url}, session=own)
        env.reset(seed=0)
        for process in own._processes:
            if process.is_running():
                process.kill()
        with pytest.raises(BrowserCrashed, match="went away|is gone"):
            env.step(Click(element_id=1))
        observation, _ = env.reset(seed=0)
        assert observation.title == "Form"
        env.close()


def test_a_page_that_hangs_is_cut_off_by_the_deadline(httpserver, monkeypatch):
    monkeypatch.setattr("browser.environment.STEP_S", 1.5)
    httpserver.expect_request("/hang").respond_with_data(
        "<button onclick='for (;;);'>hang</button>", content_type="text/html"
    )
    with BrowserSession() as own:
        task = {"start_url": httpserver.url_for("/hang")}
        env = BrowserEnvironment(OpenEndedTask, task_kwargs=task, session=own)
        env.reset(seed=0)
        with pytest.raises(BrowserCrashed, match=r"No answer to the action click within 1.5 s"):
            env.step(Click(element_id=1))
        assert env.reset(seed=0)[0].elements[0].name == "hang"
        env.close()


def test_any_failed_episode_gets_the_next_one_a_fresh_browser(form_url):
    with BrowserSession() as own:
        good = BrowserEnvironment(PageTask, task_kwargs={"url": form_url}, session=own)
        good.reset(seed=0)
        first = own._browser
        good.reset(seed=0)
        assert own._browser is first
        bad = BrowserEnvironment(PageTask, task_kwargs={"url": "http://[/"}, session=own)
        with pytest.raises(ObservationFailed):
            bad.reset(seed=0)
        good.reset(seed=0)
        assert own._browser is not first


def test_the_browser_is_renewed_after_its_episodes(form_url):
    from browser.session import BrowserOptions

    with BrowserSession(BrowserOptions(episodes_per_browser=2)) as own:
        env = BrowserEnvironment(PageTask, task_kwargs={"url": form_url}, session=own)
        pages = []
        for _ in range(4):
            env.reset(seed=0)
            pages.append(env.page)
        assert pages[0] is pages[1]
        assert pages[2] is pages[3]
        assert pages[1] is not pages[2]
        env.close()
