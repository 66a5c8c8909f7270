"""Parity with stock BrowserGym: the same actions on the same tasks and seeds, compared after every step.

Our agents choose the actions on our environment; stock BrowserGym then gets the same actions in its own words. Goal,
reward, done, raw reward and reason must be equal. `make parity` prints the table and writes results/bench/parity.json.

With `--actions extended` the tasks are those that drag and draw. The actions are drawn at random from clicks and the
finer ones of pointer and keyboard; on even seeds hard-coded drags solve what they can. What the task's area holds must
be equal too.
"""

import hashlib
import logging
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from browsergym.core.env import BrowserEnv
from playwright.sync_api import Page
from rich.console import Console
from rich.progress import track

from agent.agent import Agent
from agent.finer import FINER_ACTIONS
from agent.registry import make_agent
from benchmark.command import NOT_ALL_SCORED, run_command
from benchmark.measure.stock import Place, in_stock_words, place_of, reset_stock, same_browser, stock_environment
from benchmark.miniwob.finer_solutions import FINER_SOLUTIONS
from benchmark.miniwob.pages import miniwob_pages
from benchmark.miniwob.solutions import SOLUTIONS
from benchmark.miniwob.task import DEVIATIONS, miniwob_task
from benchmark.miniwob.tasks import ACTION_SETS, PACKAGES, ActionSet, parse_seeds, select_tasks
from benchmark.records.provenance import provenance, write_figures
from browser.actions import BrowserAction
from browser.environment import BrowserEnvironment
from browser.session import BrowserSession

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

# Long enough to solve what can be solved, short enough for stock's half second a step.
MAX_STEPS = 6
# Random actions often cannot land: nothing scrolls there, nothing is at that point.
TRIES: dict[ActionSet, int] = {"core": MAX_STEPS, "extended": 3 * MAX_STEPS}

# What is dragged, drawn, turned, marked or pointed at by place.
DRAG_AND_DRAW = (
    "drag-*,draw-*,use-slider*,use-colorwheel*,highlight-text*,right-angle,bisect-angle,circle-center,resize-textarea,"
    "grid-coordinate,click-color"
)
DEFAULTS: dict[ActionSet, tuple[str, str, Path]] = {
    "core": ("all", "1000,", Path("results/bench/parity.json")),
    "extended": (DRAG_AND_DRAW, "100-102", Path("results/bench/parity_extended.json")),
}

# What the task's area holds: its tree with all attributes but those that BrowserGym writes, what fields hold, what is
# drawn, and where things are in the area: how far the page itself can scroll is the listed deviation "viewport". Left
# out is what shows that a resting pointer is on it: when a page hears that something moved under one is chance.
STATE_JS = """
() => {
  const marks = /^(bid|browsergym_.*|aria-roledescription|aria-description|value|checked)$/;
  const area = document.getElementById('area');
  const from = area && area.getBoundingClientRect();
  const words = text => text.split(/\\s+/).filter(word => !word.includes('hover')).sort();
  const attribute = a => [a.name, a.name === 'class' ? words(a.value) : a.value];
  const tell = node => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.nodeType !== Node.ELEMENT_NODE) return null;
    const box = node.getBoundingClientRect();
    return [node.localName, Array.from(node.attributes, attribute).filter(([name]) => !marks.test(name)),
      node.value, node.checked, node.selected, node.scrollTop, node.scrollLeft, Math.round(box.x - from.x),
      Math.round(box.y - from.y), Math.round(box.width), Math.round(box.height),
      node.localName === 'canvas' ? node.toDataURL() : null,
      Array.from(node.childNodes, tell)];
  };
  const selected = String(getSelection());
  return JSON.stringify([selected, area && tell(area)]);
}
"""

# Tasks whose outcome is not a function of the actions alone, so that not even stock equals itself.
NONDETERMINISTIC = {
    "stock-market": "the price moves with the clock",
}


class Outcome(NamedTuple):
    """What the task said after a reset or a step."""

    goal: str
    reward: float
    done: bool
    raw_reward: Any
    reason: Any
    error: Any
    state: str = ""
    """A fingerprint of what the task's area holds, where that is compared."""

    @classmethod
    def of(cls, goal: str, reward: float, done: bool, task_info: dict[str, Any], state: str = "") -> "Outcome":
        raw, reason = task_info.get("RAW_REWARD_GLOBAL"), task_info.get("REWARD_REASON")
        return cls(goal, float(reward), bool(done), raw, reason, task_info.get("error"), state)


def state_of(page: Page, actions: ActionSet) -> str:
    """Return the fingerprint of a page's task area; nothing for the core actions, whose verdicts alone are compared."""
    if actions == "core":
        return ""
    return hashlib.blake2b(page.evaluate(STATE_JS).encode(), digest_size=8).hexdigest()


class Played(NamedTuple):
    """One episode of ours: the actions with the places of their elements, and the outcomes."""

    actions: list[tuple[BrowserAction, Place | None]]
    outcomes: list[Outcome]


class Mismatch(NamedTuple):
    task: str
    seed: int
    step: int
    action: str
    ours: Outcome
    stock: Outcome
    deviation: str | None

    def plain(self) -> dict[str, Any]:
        """Return it for JSON, names kept."""
        return self._asdict() | {"ours": self.ours._asdict(), "stock": self.stock._asdict()}


def play_ours(env: BrowserEnvironment, agent: Agent, name: str, seed: int, actions: ActionSet = "core") -> Played:
    """Let the hard-coded solution, or else the agent, act on our environment."""
    observation, info = env.reset(seed=seed)
    played = Played([], [Outcome.of(observation.goal, 0, False, info["task_info"], state_of(env.page, actions))])
    known = SOLUTIONS if actions == "core" else FINER_SOLUTIONS if seed % 2 == 0 else {}
    solution: Iterator[BrowserAction] | None = known[name](observation) if name in known else None
    agent.reset()
    for _ in range(TRIES[actions]):
        action = next(solution, None) if solution else agent.step(observation).action
        if action is None:
            break
        place = place_of(env.session.world(), action)
        observation, reward, done, _, info = env.step(action)
        if observation.last_action_error:
            if actions == "core":
                break
            continue  # it changed nothing; another is drawn
        played.actions.append((action, place))
        state = state_of(env.page, actions)
        played.outcomes.append(Outcome.of(observation.goal, reward, done, info["task_info"], state))
        if done or len(played.actions) == MAX_STEPS:
            break
    return played


def play_stock(
    env: BrowserEnv, played: Played, seed: int, actions: ActionSet = "core"
) -> Iterator[tuple[int, str, Outcome | str]]:
    """Yield stock's outcome after the reset and after each action, or why an action has no counterpart."""
    observation, info = reset_stock(env, seed)
    yield 0, "reset", Outcome.of(observation["goal"], 0, False, info["task_info"], state_of(env.page, actions))
    for i, (action, place) in enumerate(played.actions, 1):
        try:
            words = in_stock_words(action, place, env.page)
        except LookupError as error:
            yield i, str(error), str(error)
            return
        observation, reward, done, _, info = env.step(words)
        if observation["last_action_error"]:
            yield i, words, f"stock could not: {observation['last_action_error'].splitlines()[0]}"
            return
        state = state_of(env.page, actions)
        yield i, words, Outcome.of(observation["goal"], reward, done, info["task_info"], state)
        if done:
            return


def deviation(ours: Outcome, stock: Outcome) -> str | None:
    """Return the name of the listed deviation that explains a difference, or None."""
    if stock.error and "invalid url" in stock.error and not ours.error:
        return "fragment"
    return None


@app.command()
def run(
    actions: Annotated[
        ActionSet,
        typer.Option(help="core: our agents' own; extended: finer ones at random, and the page compared too."),
    ] = "core",
    tasks: Annotated[
        str | None, typer.Option(help="Names, globs and sets, by commas; else those of --actions.")
    ] = None,
    seeds: Annotated[str | None, typer.Option(help="A count or a list; else those of --actions.")] = None,
    out: Annotated[Path | None, typer.Option(help="Where the findings go; else the file of --actions.")] = None,
) -> int:
    """Compare, and end with 1 if there is a mismatch outside the listed deviations."""
    logging.getLogger("browsergym").setLevel(logging.ERROR)  # it warns at each reset that slow_mo is set
    usual_tasks, usual_seeds, usual_out = DEFAULTS[actions]
    tasks, seeds, out = tasks or usual_tasks, seeds or usual_seeds, out or usual_out
    names, seed_list = select_tasks(tasks), parse_seeds(seeds)
    offered = ACTION_SETS[actions]
    if actions == "core":
        agent = make_agent("jev", offered=offered, allow_goal_credentials=True)
    else:
        agent = make_agent("random", offered=("click", *FINER_ACTIONS))
    mismatches: list[Mismatch] = []
    skipped: list[str] = []
    steps = 0
    with miniwob_pages() as url, same_browser(), BrowserSession() as session:
        for name, seed in track([(n, s) for n in names for s in seed_list], description="episodes of both"):
            ours = BrowserEnvironment(
                miniwob_task(name),
                task_kwargs={"base_url": url},
                actions=offered,
                allow_credentials=True,
                session=session,
            )
            # Stock's own switch for the delay of each driver call; its half second before an observation stays.
            stock = stock_environment(name, url, slow_mo=0)
            played = play_ours(ours, agent, name, seed, actions)
            for step, words, outcome in play_stock(stock, played, seed, actions):
                steps += step > 0
                if isinstance(outcome, str):
                    skipped.append(f"{name} seed {seed} step {step}: {outcome}")
                elif outcome != played.outcomes[step]:
                    why = deviation(played.outcomes[step], outcome)
                    mismatches.append(Mismatch(name, seed, step, words, played.outcomes[step], outcome, why))
            stock.close()
            ours.close()
    chosen = ["--actions", actions] if actions != "core" else []
    command = f"python -m benchmark.measure.parity {shlex.join([*chosen, '--tasks', tasks, '--seeds', seeds])}"
    return _report(command, names, seed_list, steps, mismatches, skipped, out)


def _report(
    command: str,
    names: tuple[str, ...],
    seeds: tuple[int, ...],
    steps: int,
    mismatches: list[Mismatch],
    skipped: list[str],
    out: Path,
) -> int:
    open_ones = [m for m in mismatches if m.deviation is None and m.task not in NONDETERMINISTIC]
    made = provenance(PACKAGES)
    result = {
        "command": command,
        "tasks": len(names), "episodes": len(names) * len(seeds), "seeds": list(seeds), "steps_compared": steps,
        "mismatches": len(open_ones), "explained": [m.plain() for m in mismatches if m not in open_ones],
        "unexplained": [m.plain() for m in open_ones], "not_comparable": skipped,
        "deviations": DEVIATIONS, "nondeterministic": NONDETERMINISTIC,
    }  # fmt: skip
    write_figures(out, result, made)
    console = Console(soft_wrap=True)
    for m in mismatches:
        known = m.deviation or ("nondeterministic" if m.task in NONDETERMINISTIC else "MISMATCH")
        console.print(f"{m.task} seed {m.seed} step {m.step} {m.action}: {known}\n  ours  {m.ours}\n  stock {m.stock}")
    for line in skipped:
        console.print(f"not comparable: {line}")
    console.print(
        f"{len(names)} tasks, {result['episodes']} episodes, {steps} steps compared:"
        f" {len(open_ones)} mismatches outside the listed deviations, {len(mismatches) - len(open_ones)} explained,"
        f" {len(skipped)} steps not comparable."
    )
    return NOT_ALL_SCORED if open_ones else 0


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, argv, "parity")


if __name__ == "__main__":
    raise SystemExit(main())
