"""Sizes of what a reader gets: the element table as text, beside BrowserGym's tree of the same page as text."""

from statistics import median
from typing import Any

from benchmark.measure.perception_pages import GeneratedPage
from benchmark.measure.perception_time import DEFAULT_LIMITS, REQUEST, WHOLE, opened
from benchmark.miniwob.pages import miniwob_pages
from benchmark.miniwob.solutions import SOLUTIONS
from benchmark.miniwob.task import miniwob_task
from benchmark.miniwob.tasks import ACTIONS, task_infos
from browser.axtree import extract, tree_text
from browser.environment import BrowserEnvironment, ObservationMode
from browser.look import look_table
from browser.observation import Observation
from browser.render import CHARACTERS_PER_TOKEN, render, rows
from browser.session import BrowserSession

# Every fifth task in the order of BrowserGym's metadata: 25, whatever is easy for anyone.
STRIDE = 5
SEED = 100


def generated_sizes(session: BrowserSession, page: GeneratedPage) -> dict[str, Any]:
    """Return the sizes of a generated page, and how many of its controls have no row of their role and name."""
    with opened(session, page) as other:
        whole = look_table(session, WHOLE, REQUEST).observation
        shown = {line.partition(" ")[0] for line in rows(whole)}
        missing = page.missing((e.role, e.name) for e in whole.elements if f"[{e.id}]" in shown)
        default = look_table(session, DEFAULT_LIMITS, REQUEST).observation
        return _sizes(whole, default, tree_text(extract(other)), missing.total())


def miniwob_sizes(session: BrowserSession) -> dict[str, dict[str, Any]]:
    """Return the sizes of the first pages of 25 MiniWoB tasks."""
    found = {}
    with miniwob_pages() as url:
        for info in task_infos()[::STRIDE]:
            table = _first_look(session, info.name, url, "table")
            tree = _first_look(session, info.name, url, "axtree").axtree
            assert tree is not None
            found[info.name] = _sizes(table, table, tree, None)
    return found


def _first_look(session: BrowserSession, name: str, url: str, mode: ObservationMode) -> Observation:
    task = miniwob_task(name)
    env = BrowserEnvironment(task, task_kwargs={"base_url": url}, observation_mode=mode, session=session)
    try:
        return env.reset(seed=SEED)[0]
    finally:
        env.close()


def _sizes(whole: Observation, default: Observation, tree: str, missing: int | None) -> dict[str, Any]:
    # Without address and title, which BrowserGym gives beside its tree.
    text = "\n".join(rows(whole))
    return {
        "table": tokens(text),
        "rendered_within_default_limits": tokens(render(default)),
        "tree": tokens(tree),
        "ratio": round(len(text) / len(tree), 3),
        "missing": missing,
    }


def tokens(text: str) -> int:
    """Return about how many tokens a text has, counted as `render` counts them: no tokenizer comes with the project."""
    return round(len(text) / CHARACTERS_PER_TOKEN)


def halved(sizes: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the size of the table over that of the tree: the median over all pages, the worst, and how many pages."""
    found = [row["ratio"] for row in sizes.values()]
    return {"median": round(median(found), 3), "max": max(found), "pages": len(found)} if found else {}


def solved(session: BrowserSession) -> dict[str, Any]:
    """Return how many scripted solutions still find every control they need in the table, and which do not."""
    failed = []
    with miniwob_pages() as url:
        for name, solution in SOLUTIONS.items():
            task = miniwob_task(name)
            env = BrowserEnvironment(
                task, task_kwargs={"base_url": url}, actions=ACTIONS, allow_credentials=True, session=session
            )
            observation, _ = env.reset(seed=SEED)
            reward = 0.0
            try:
                for action in solution(observation):
                    _, reward, *_ = env.step(action)
            except LookupError:
                pass  # a control is not in the table
            env.close()
            failed += [] if reward > 0 else [name]
    return {"solved": len(SOLUTIONS) - len(failed), "of": len(SOLUTIONS), "failed": failed}
