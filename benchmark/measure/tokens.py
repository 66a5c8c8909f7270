"""Prompt tokens a step: the element table (`react`) against the accessibility tree (`direct`), on the same pages.

The embedded agent plays, the same actions are repeated where the tree is read, and both prompts are counted by a
tokenizer; no model is asked. `make bench-tokens` prints the table and writes results/bench/tokens.json.
"""

import json
import urllib.request
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from os.path import commonprefix
from pathlib import Path
from statistics import fmean, median
from typing import Annotated, Any, NamedTuple

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from agent.registry import make_agent, observation_mode
from benchmark.command import run_command
from benchmark.measure.stock import NODE_JS, Place, place_of
from benchmark.miniwob.pages import miniwob_pages
from benchmark.miniwob.task import miniwob_task
from benchmark.miniwob.tasks import ACTIONS, PACKAGES, parse_seeds, select_tasks, task_infos
from benchmark.models.chat import local_model, reachable
from benchmark.models.chat_options import LOCAL, ChatOptions
from benchmark.records.provenance import provenance, write_figures
from browser.actions import BrowserAction, Wait
from browser.environment import BrowserEnvironment
from browser.observation import Observation
from browser.session import BrowserSession
from llm.chat import ChatRequest
from llm.scripted import ScriptedChat

# Of BrowserGym's 78 groups of similar tasks, the first task of every third one, up to this many.
TASKS, STRIDE = 25, 3
MAX_STEPS = 6
# Stands for an action on a page that is only looked at: the last of an episode, or where the tree has no such element.
SEEN = Wait()
PARTS = ("rules", "past", "page", "question")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

Count = Callable[[str], int]


class Decided(NamedTuple):
    """A page, and the action taken on it."""

    observation: Observation
    action: BrowserAction
    place: Place | None = None


class Prompt(NamedTuple):
    """One prompt in tokens, by part, and what of it an endpoint that remembers the last one reads anew."""

    rules: int
    past: int
    page: int
    question: int
    new: int

    @property
    def total(self) -> int:
        """The whole prompt, without what a chat template adds."""
        return self.rules + self.past + self.page + self.question


def default_tasks() -> str:
    """Return the names of the tasks that are measured unless others are named."""
    first = {info.group: info.name for info in reversed(task_infos())}
    return ",".join([first[group] for group in sorted(first)[::STRIDE]][:TASKS])


def play(env: BrowserEnvironment, seed: int) -> list[Decided]:
    """Return what the embedded agent decided in one episode on the element table."""
    agent, played = make_agent("jev", offered=ACTIONS, allow_goal_credentials=True), []
    agent.reset()
    observation, _ = env.reset(seed=seed)
    for _ in range(MAX_STEPS):
        action = agent.step(observation).action
        if action is None:
            played.append(Decided(observation, SEEN))
            break
        played.append(Decided(observation, action, place_of(env.session.world(), action)))
        observation, _, done, _, _ = env.step(action)
        if done or observation.last_action_error:
            break
    return played


def repeat(env: BrowserEnvironment, played: Iterable[Decided], seed: int) -> list[Decided]:
    """Return the same actions on the pages as the tree shows them, as far as it has their elements."""
    repeated: list[Decided] = []
    observation, _ = env.reset(seed=seed)
    for _, action, place in played:
        if hasattr(action, "element_id") and place is not None:
            node = env.page.evaluate(NODE_JS, place.path)
            bid = node["bid"] if node else None
            if not (bid and bid.isdigit() and observation.element(int(bid))):
                # A drawn shape or a bare text, which has no number in the tree.
                repeated.append(Decided(observation, SEEN))
                break
            action = action.model_copy(update={"element_id": int(bid)})
        repeated.append(Decided(observation, action))
        observation, _, done, _, _ = env.step(action)
        if done or observation.last_action_error:
            break
    return repeated


def prompts(agent: str, decided: Sequence[Decided], count: Count, before: str) -> tuple[list[Prompt], str]:
    """Return what an agent asks on each of these pages, in tokens, and its last prompt; `before` is the one before."""
    answers = iter([json.dumps({"reason": "", "action": each.action.model_dump(mode="json")}) for each in decided])
    model = ScriptedChat(lambda request: next(answers))
    chosen = make_agent(agent, offered=ACTIONS, allow_goal_credentials=True, chat=model)
    counted = []
    for each in decided:
        chosen.step(each.observation)
        parts = split(model.requests[-1])
        text = "".join(parts)
        new = count(text[len(commonprefix([before, text])) :])
        rules, past, page, question = map(count, parts)
        counted.append(Prompt(rules, past, page, question, new))
        before = text
    return counted, before


def split(request: ChatRequest) -> tuple[str, str, str, str]:
    """Return a prompt's rules, its goal and past, its page, and its question."""
    rules, user = (message.content for message in request.messages)
    past, rest = user.split("<page>", 1)
    page, question = rest.rsplit("</page>", 1)
    return rules, past, f"<page>{page}</page>", question


def tokenizer(base_url: str) -> Count:
    """Return a function that counts a text's tokens with the model that llama.cpp serves at this address."""
    address = base_url.removesuffix("/v1") + "/tokenize"

    @cache
    def count(text: str) -> int:
        body = json.dumps({"content": text}).encode()
        request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return len(json.load(answer)["tokens"])

    return count


def measure(tasks: Sequence[str], seeds: Sequence[int], count: Count) -> dict[str, dict[str, list[Prompt]]]:
    """Return the prompts of both agents by task, on the pages that both reached."""
    found: dict[str, dict[str, list[Prompt]]] = {}
    last = {"react": "", "direct": ""}
    with miniwob_pages() as url, BrowserSession() as table_browser, BrowserSession() as tree_browser:
        browsers = {"react": table_browser, "direct": tree_browser}
        for task, seed in track([(t, s) for t in tasks for s in seeds], description="episodes"):
            envs = {
                agent: BrowserEnvironment(
                    miniwob_task(task), task_kwargs={"base_url": url}, actions=ACTIONS, session=browser,
                    observation_mode=observation_mode(make_agent(agent, chat=ScriptedChat([]))),
                )
                for agent, browser in browsers.items()
            }  # fmt: skip
            played = play(envs["react"], seed)
            repeated = repeat(envs["direct"], played, seed)
            pairs = {"react": played[: len(repeated)], "direct": repeated}
            for agent, decided in pairs.items():
                counted, last[agent] = prompts(agent, decided, count, last[agent])
                found.setdefault(task, {}).setdefault(agent, []).extend(counted)
                envs[agent].close()
    return found


def summary(found: dict[str, dict[str, list[Prompt]]]) -> dict[str, Any]:
    """Return means over all steps for both agents, and how many times as much the tree takes."""
    result: dict[str, Any] = {}
    for agent in ("react", "direct"):
        steps = [prompt for task in found.values() for prompt in task[agent]]
        result[agent] = {
            "total": round(fmean(p.total for p in steps), 1),
            "new": round(fmean(p.new for p in steps), 1),
            **{part: round(fmean(getattr(p, part) for p in steps), 1) for part in PARTS},
            "page_median": median(p.page for p in steps),
        }
    table, tree = result["react"], result["direct"]
    result["direct_over_react"] = {name: round(tree[name] / table[name], 2) for name in table if table[name]}
    pages = [
        [fmean(p.page for p in task[agent]) for agent in ("direct", "react")]
        for task in found.values()
        if task["react"]
    ]
    result["direct_over_react"]["page_median_of_tasks"] = round(median(tree / table for tree, table in pages), 2)
    return result


@app.command()
def run(
    tasks: Annotated[str, typer.Option(help="Names, globs and sets, by commas; without it, 25 by a rule.")] = "",
    seeds: Annotated[str, typer.Option(help="A count or a list.")] = "2",
    out: Annotated[Path, typer.Option(help="Where the figures go.")] = Path("results/bench/tokens.json"),
) -> int:
    """Count both prompts on the same pages and print what they take."""
    names, seed_list = select_tasks(tasks or default_tasks()), parse_seeds(seeds)
    options = ChatOptions(model=LOCAL)
    with reachable(options) as ready:
        assert ready is not None
        assert ready.served_at is not None
        found = measure(names, seed_list, tokenizer(ready.served_at))
    made = provenance(PACKAGES)
    result = {
        "command": f"python -m benchmark.measure.tokens --seeds {seeds}" + (f" --tasks {tasks}" if tasks else ""),
        "tokenizer": local_model().stem,
        "tasks": len(names), "episodes": len(names) * len(seed_list),
        "steps": sum(len(task["react"]) for task in found.values()),
        "tokens_per_step": summary(found),
        "per_task": {task: _per_task(agents) for task, agents in found.items()},
    }  # fmt: skip
    write_figures(out, result, made)
    _print(result)
    return 0


def _per_task(agents: dict[str, list[Prompt]]) -> dict[str, Any]:
    steps = len(agents["react"])
    pages = {
        f"{agent}_page": round(fmean(p.page for p in found), 1) if found else None for agent, found in agents.items()
    }
    return {"steps": steps} | pages


def _print(result: dict[str, Any]) -> None:
    found = result["tokens_per_step"]
    table = Table(
        title=f"Prompt tokens a step, {result['steps']} steps of {result['tasks']} tasks ({result['tokenizer']})"
    )
    for head in ("", "react (table)", "direct (tree)", "tree over table"):
        table.add_column(head, justify="right" if head else "left")
    for name in ("total", *PARTS, "new"):
        ratio = found["direct_over_react"].get(name, "")
        table.add_row(name, str(found["react"][name]), str(found["direct"][name]), str(ratio))
    Console().print(table)


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, argv, "tokens")


if __name__ == "__main__":
    raise SystemExit(main())
