"""BrowserGym's MiniWoB tasks, started and judged with fewer round trips. The only place that knows their pages.

Held equal to stock by `make parity`; each deliberate deviation is listed in DEVIATIONS.
"""

from typing import Any, Literal
from urllib.parse import urldefrag

import browsergym.miniwob.all as stock
from browsergym.miniwob.base import AbstractMiniwobTask
from playwright.sync_api import Page

DEVIATIONS = {
    "fragment": "A `#...` added to the address does not end the episode (stock: reward 0); strict_url restores stock.",
    "reload": "A page reloaded in the middle of an episode ends it with reward 0 (stock: a new, unseeded episode runs"
    " and its reward counts).",
    "viewport": "The layout keeps the task's 332x214 viewport (stock on current Chromium: 780x493 after the first"
    " screenshot).",
}

# One call does what the task's own set-up does in three: hide the human display, seed, start, wait until ready. The
# page's functions are replaced as BrowserGym replaces them, under its names, which some of its tasks replace again.
START_JS = """
async ({seed, maxTime, nonce}) => {
  const ids = ['reward-display', 'click-canvas', 'sync-task-cover'];
  const kept = {};
  let query = null;
  const hide = () => {
    core.clearTimer();
    document.body.removeEventListener('click', core.canvasDrawClick);
    query = document.getElementById('query').cloneNode(true);
    document.getElementById('query').innerHTML = '';
    for (const id of ids) { kept[id] = document.getElementById(id); kept[id].remove(); }
  };
  const show = () => {
    document.getElementById('query').innerHTML = query.innerHTML;
    for (const id of ids) document.body.appendChild(kept[id]);
    core.createDisplay();
  };
  for (const name of ['endEpisode', 'startEpisodeReal', 'getUtterance']) {
    const inner = name + '_legacy';
    core[inner] = core[name];
    core[name] = (...args) => { show(); const out = core[inner](...args); hide(); return out; };
  }
  hide();
  Math.seedrandom(seed);
  core.EPISODE_MAX_TIME = maxTime;
  core.startEpisodeReal();
  while (!WOB_TASK_READY) await new Promise((done) => setTimeout(done, 5));
  window.__episode = nonce;
  const goal = core.getUtterance();
  return [typeof goal === 'string' ? goal : goal.utterance, STATE];
}
"""
STATE_JS = (
    "({REWARD_GLOBAL: WOB_REWARD_GLOBAL, RAW_REWARD_GLOBAL: WOB_RAW_REWARD_GLOBAL,"
    " REWARD_REASON: WOB_REWARD_REASON ?? null, DONE_GLOBAL: WOB_DONE_GLOBAL,"
    " EPISODE_ID: WOB_EPISODE_ID, TASK_READY: WOB_TASK_READY, NONCE: window.__episode ?? null})"
)


class MiniwobTask(AbstractMiniwobTask):  # type: ignore[misc]  # BrowserGym ships no types
    """A MiniWoB task on a page that is reused after a full reload."""

    isolation: Literal["page"] = "page"
    page_state_js = STATE_JS
    page_state: dict[str, Any] | None = None
    strict_url = False

    def setup(self, page: Page) -> tuple[str, dict[str, Any]]:
        """Open the page, start the seeded episode, and return its goal and state."""
        self.page = page
        page.goto(self.url)
        seed = self.random.randint(0, 1_000_000)
        self._nonce = f"{self.subdomain}-{seed}"
        arguments = {"seed": seed, "maxTime": self.episode_max_time, "nonce": self._nonce}
        goal, state = page.evaluate(START_JS.replace("STATE", STATE_JS), arguments)
        self.page_state = state
        return goal, _info(state)

    def validate(self, page: Page, chat_messages: list[Any]) -> tuple[float, bool, str, dict[str, Any]]:
        """Judge from the state that the last observation read, as BrowserGym judges."""
        if page != self.page:
            return 0, True, "", {"error": "invalid page, terminating task"}
        url = page.url if self.strict_url else urldefrag(page.url).url
        if url != self.url or self.page_state is None:
            return 0, True, "", {"error": "invalid url, terminating task"}
        if self.page_state["NONCE"] != self._nonce:
            return 0, True, "", {"error": "the page was reloaded, terminating task"}
        info = _info(self.page_state)
        return float(info["RAW_REWARD_GLOBAL"] > 0), info["DONE_GLOBAL"], "", info


def _info(state: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in state.items() if key != "NONCE"}


def miniwob_task(name: str, *, strict_url: bool = False) -> type[MiniwobTask]:
    """Return the task class of a MiniWoB page, such as "click-test".

    Raises:
        KeyError: BrowserGym has no such task.
    """
    for task in vars(stock).values():
        if isinstance(task, type) and getattr(task, "subdomain", None) == name:
            # The task first: a few add to the set-up, and reach ours through super().
            return type(task.__name__, (task, MiniwobTask), {"strict_url": strict_url})
    raise KeyError(name)
