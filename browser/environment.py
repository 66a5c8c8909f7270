"""BrowserEnvironment: a gymnasium.Env over BrowserGym's tasks. Knows neither models, prompts nor benchmarks.

The task, its reward and its termination are BrowserGym's; the browser, the observation and the actions are ours.
"""

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import gymnasium
from browsergym.core.task import AbstractBrowserTask
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page

from browser.actions import CORE_ACTIONS, ActionName, BrowserAction, check_action, check_permitted
from browser.axtree import goal_texts, look_axtree
from browser.errors import ActionFailed, ActionRejected, ElementLost, ObservationFailed, one_sentence
from browser.execute import execute
from browser.look import Look, LookOptions, Request, ask_probe, look_table
from browser.observation import Observation, Timings
from browser.patience import Patience, Waiting
from browser.refound import refound
from browser.session import BrowserSession, Chat, Isolation, PageSettings
from browser.spaces import ActionSpace, ObservationSpace
from browser.spent import Spent

ObservationMode = Literal["table", "axtree"]
Judged = tuple[Look, tuple[Any, ...]]
"""A look, and the task's verdict on the page as it was then."""

# BrowserGym's own greeting: some tasks count messages.
GREETING = "Hi! I am your UI assistant, I can perform web tasks for you. What can I help you with?"
# A task's set-up may load a heavy page; a step is a click and a probe, under 100 ms when nothing hangs.
RESET_S = 60.0
STEP_S = 45.0


class BrowserEnvironment(gymnasium.Env[Observation, BrowserAction]):
    """One task in one browser, observed as an element table.

    Args:
        task: BrowserGym task class, or any callable that takes `seed=` and `task_kwargs` and returns a task. A task
            may say `isolation = "page"` where a full reload resets all it uses (the default is a fresh context), and
            may name a JavaScript expression in `page_state_js`: its value is read in the same round trip as the
            observation and set as `page_state` before `validate`. A path in `har` records all requests there;
            `setup_s` seconds are given to its set-up in place of 60; `answer_form` says how its last message is to be
            written, and stands in the observation apart from the goal.
        task_kwargs: passed to `task`.
        actions: names of the actions offered.
        observation_mode: "table" (elements and text), or "axtree" (BrowserGym's accessibility tree; its raw
            observation is in `info["browsergym"]`).
        allow_credentials: text may be typed into fields that ask for a password, a code or card data.
        allowed_hosts: `navigate` opens only addresses on these hosts ("example.org", "127.0.0.1:8000"; a leading dot
            means all hosts below); None opens any. A link that a page offers is the page's to follow.
        session: a browser to share; without one the environment starts its own and closes it.
        look: settle times and limits of an observation.
        patience: how long the page is given to change by itself, in a wait action and after one that changed nothing.

    `info` holds `timings` (Timings), `task_info` (the task's own dict) and `finished` (the agent said so).
    """

    metadata = {"render_modes": []}

    def __init__(
        self,
        task: Callable[..., AbstractBrowserTask],
        *,
        task_kwargs: dict[str, Any] | None = None,
        actions: tuple[ActionName, ...] = CORE_ACTIONS,
        observation_mode: ObservationMode = "table",
        allow_credentials: bool = False,
        allowed_hosts: tuple[str, ...] | None = None,
        session: BrowserSession | None = None,
        look: LookOptions | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.actions = actions
        self.observation_mode = observation_mode
        self.allow_credentials = allow_credentials
        self.allowed_hosts = allowed_hosts
        self.observation_space = ObservationSpace()
        self.action_space = ActionSpace(actions)
        self.session = session or BrowserSession()
        self._owns_session = session is None
        self._make_task = task
        self._task_kwargs = task_kwargs or {}
        self._look_options = look or LookOptions()
        self._patience = patience or Patience()
        self._waiting = Waiting(self._patience)
        self._task: AbstractBrowserTask | None = None
        self._observation: Observation | None = None
        self.chat = Chat()
        self.goal = self.answer_form = ""

    @property
    def page(self) -> Page:
        """The active Playwright page, for tests and debugging."""
        return self.session.page()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Set the task up on a clean page and return the first observation.

        Raises:
            BrowserNotFound, BrowserStartFailed, BrowserCrashed, ObservationFailed
        """
        started = time.perf_counter()
        super().reset(seed=seed)
        self._teardown()
        task = self._make_task(seed=self._task_seed(seed), **self._task_kwargs)
        isolation: Isolation = getattr(task, "isolation", "context")
        page = self.session.open_page(_page_settings(task), isolation)
        self._task, self.chat = task, Chat()
        self._waiting = Waiting(self._patience)
        with self.session.deadline(getattr(task, "setup_s", RESET_S), "the task's set-up"):
            try:
                goal, task_info = task.setup(page=page)
            except PlaywrightError as error:
                raise ObservationFailed(f"The task's page did not open: {one_sentence(error)}") from error
            if isolation == "page":
                self.session.forget_history()
            self._greet(goal, getattr(task, "answer_form", ""))
            acted = time.perf_counter()
            seen = self._look()
        spent = Spent(acted=acted, looked=time.perf_counter())
        spent.add(seen)
        return seen.observation, _info(task_info, spent.timings(started), seen, finished=False)

    def step(self, action: BrowserAction) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Act, observe, and let the task judge.

        An action that cannot be carried out changes nothing and is told in `observation.last_action_error`.

        Raises:
            BrowserCrashed: the browser is gone or hung; the next `reset` starts a fresh one.
            ObservationFailed: the page could not be described.
        """
        if self._task is None or self._observation is None:
            raise gymnasium.error.ResetNeeded("Call reset() before step().")
        started = time.perf_counter()
        with self.session.deadline(STEP_S, f"the action {action.type}"):
            refused = self._refusal(action)
            error = refused or self._act(action)
            spent = Spent(acted=time.perf_counter())
            # What never reached the page is not waited after.
            seen, verdict = self._look_and_judge(error, 0, spent) if refused else self._see(action, error, spent)
        reward, done, message, task_info = verdict
        if message:
            self.chat.add_message("user", message)
        finished = action.type == "finish" and error is None
        info = _info(task_info, spent.timings(started), seen, finished=finished)
        return seen.observation, float(reward), bool(done) or finished, False, info

    def _see(self, action: BrowserAction, error: str | None, spent: Spent) -> Judged:
        """Return what the action led to and the task's verdict; an unchanged page is given time to change first."""
        assert self._observation is not None
        acted_on = self._observation
        is_other = partial(_is_other, before=acted_on.page_key)
        judged = self._look_and_judge(error, 0, spent)
        for pause in self._waiting.pauses(action):
            judged = self._look_until(is_other, pause, judged, error, spent)
        if _expects_options(action, acted_on):
            judged = self._look_until(_shows_options, self._patience.options, judged, error, spent)
        seen, verdict = judged
        told = self._waiting.ended(action, spent.waited_ms, changed=is_other(seen.observation))
        if told and not error:
            seen = seen._replace(observation=seen.observation.model_copy(update={"last_action_error": told}))
            self._observation = seen.observation
        return seen, verdict

    def _look_until(
        self, enough: Callable[[Observation], bool], ms: float, judged: Judged, error: str | None, spent: Spent
    ) -> Judged:
        """Look again, each time the page stirs, until that is enough, the task is over or `ms` have passed."""
        left = float(ms)
        while left > 0 and not (enough(judged[0].observation) or _told_once(judged[0].observation) or judged[1][1]):
            judged = self._look_and_judge(error, math.ceil(left), spent)
            left -= max(judged[0].waited_ms, 1.0)
        return judged

    def _look_and_judge(self, error: str | None, wait_ms: int, spent: Spent) -> Judged:
        assert self._task is not None
        seen = self._look(error, wait_ms=wait_ms)
        spent.add(seen)
        spent.looked = time.perf_counter()
        if hasattr(self._task, "page_state_js"):
            self._task.page_state = seen.page_state
        return seen, self._task.validate(self.session.page(), self.chat.messages)

    def close(self) -> None:
        """Tear the task down and, unless it is shared, close the browser. Safe to call twice."""
        try:
            self._teardown()
        finally:
            if self._owns_session:
                self.session.close()

    def _refusal(self, action: BrowserAction) -> str | None:
        """Return why the action is not carried out on this page or in this run, or None."""
        assert self._observation is not None
        try:
            check_action(action, self._observation, self.actions)
            check_permitted(
                action,
                self._observation,
                allow_credentials=self.allow_credentials,
                allowed_hosts=self.allowed_hosts,
            )
        except ActionRejected as error:
            return str(error)
        return None

    def _act(self, action: BrowserAction) -> str | None:
        """Carry the action out; return why it did not land, or None."""
        page = self.session.page()
        try:
            self._execute(action)
        except ActionFailed as error:
            return str(error)
        except PlaywrightError as error:
            if not page.is_closed():
                return one_sentence(error)
            self.session.page()  # raises BrowserCrashed where more than this page is gone
            return None
        if action.type == "finish":
            self.chat.add_message("assistant", action.message)
        return None

    def _execute(self, action: BrowserAction) -> None:
        """Carry the action out; where its element was replaced meanwhile, on the one that has its role and name now."""
        try:
            execute(self.session.world(), action)
        except ElementLost:
            again = None if self.observation_mode == "axtree" else self._refound(action)
            if again is None:
                raise
            execute(self.session.world(), again)

    def _refound(self, action: BrowserAction) -> BrowserAction | None:
        assert self._observation is not None
        lost = self._observation.element(getattr(action, "element_id", -1))
        if lost is None or hasattr(action, "to_element_id"):
            return None  # a drag may have begun
        seen, _ = ask_probe(self.session, self._look_options, Request(self.goal, self.answer_form))
        found = refound(lost, seen.elements)
        return None if found is None else action.model_copy(update={"element_id": found.id})

    def _look(self, error: str | None = None, wait_ms: int = 0) -> Look:
        look = look_table if self.observation_mode == "table" else look_axtree
        state_js: str | None = getattr(self._task, "page_state_js", None)
        seen = look(self.session, self._look_options, Request(self.goal, self.answer_form, error, state_js, wait_ms))
        self._observation = seen.observation
        return seen

    def _greet(self, goal: Any, answer_form: str) -> None:
        """Open the chat as BrowserGym does and keep the goal as text."""
        self.chat.add_message("assistant", GREETING)
        texts = goal_texts(goal)
        for text in (*texts, answer_form):
            if text:
                self.chat.add_message("user", text)
        self.goal, self.answer_form = "\n".join(texts), answer_form

    def _task_seed(self, seed: int | None) -> int:
        return seed if seed is not None else int(self.np_random.integers(2**31))

    def _teardown(self) -> None:
        task, self._task, self._observation = self._task, None, None
        if task is not None:
            task.teardown()


def _is_other(seen: Observation, before: str) -> bool:
    """Tell whether something came of an action: another page, or a dialog or tab that was told of once."""
    return seen.page_key != before or _told_once(seen)


def _told_once(seen: Observation) -> bool:
    """Tell whether a look was told what the next one would not be: dialogs, and tabs that were refused."""
    return bool(seen.dialogs or seen.omitted.dialogs or seen.omitted.tabs)


def _expects_options(action: BrowserAction, seen: Observation) -> bool:
    """Tell whether a text was typed into a field that says it opens a list; a <datalist> does not, and is not seen."""
    field = seen.element(action.element_id) if action.type == "type" else None
    return field is not None and field.role == "combobox" and field.expanded is not None


def _shows_options(seen: Observation) -> bool:
    return any(element.role == "option" for element in seen.elements)


def _page_settings(task: AbstractBrowserTask) -> PageSettings:
    return PageSettings(
        width=task.viewport["width"],
        height=task.viewport["height"],
        timeout_ms=task.timeout,
        locale=task.locale,
        timezone_id=task.timezone_id,
        har=getattr(task, "har", None),
    )


def _info(task_info: dict[str, Any], timings: Timings, seen: Look, *, finished: bool) -> dict[str, Any]:
    info: dict[str, Any] = {"task_info": task_info, "timings": timings, "finished": finished}
    return info if seen.browsergym is None else info | {"browsergym": seen.browsergym}
