"""Our agents in BrowserGym's own experiment loop, on stock MiniWoB pages, and their results as it reads them."""

import pickle
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsergym.experiments.loop import EnvArgs, ExpArgs, ExpResult, StepInfo, _aggregate_episode_stats

from agent.agent import AgentStep
from agent.decision_models import AgentConfigError
from benchmark.browsergym_agent import LabAgent, LabAgentArgs, call_stats
from benchmark.measure.stock import same_browser
from benchmark.miniwob.pages import URL_VARIABLE, miniwob_pages
from benchmark.miniwob.tasks import ACTIONS
from benchmark.models.chat_options import ChatOptions
from browser.actions import Click, Finish, GoBack, Navigate, Press, Scroll, Select, Type, Wait
from browser.observation import Box, InteractiveElement, Observation, SelectOption
from browser.process import acquire_driver, release_driver
from llm.decision import ModelCall, Usage

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "browsergym.md"
BOX = Box(x=0, y=0, width=10, height=10)
LIST = (SelectOption(label="red", selected=True), SelectOption(label="blue"))
PAGE = Observation(
    goal="Go", url="http://127.0.0.1/", title="A page",
    elements=(
        InteractiveElement(id=12, role="textbox", name="Name", editable=True, box=BOX),
        InteractiveElement(id=13, role="combobox", options=LIST, box=BOX),
        InteractiveElement(id=14, role="listbox", options=LIST, multiple=True, box=BOX),
    ),
)  # fmt: skip


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The pages for stock BrowserGym, our browser for it, and its log files closed, which it leaves open."""
    monkeypatch.delenv(URL_VARIABLE, raising=False)
    forget = ExpArgs._unset_logger
    monkeypatch.setattr(ExpArgs, "_unset_logger", lambda run: (forget(run), run.logging_file_handler.close()))
    acquire_driver()  # BrowserGym starts one and never stops it
    with miniwob_pages() as url, same_browser():
        monkeypatch.setenv(URL_VARIABLE, url)
        yield
    release_driver()


def run(args: LabAgentArgs, task: str, folder: Path) -> ExpResult:
    """Run a prepared experiment as another process would: from its pickle."""
    experiment = ExpArgs(args, EnvArgs(f"miniwob.{task}", task_seed=100, max_steps=5), save_screenshot=False)
    experiment.prepare(folder)
    pickle.loads((Path(experiment.exp_dir) / "exp_args.pkl").read_bytes()).run()
    return ExpResult(experiment.exp_dir)


def test_the_example_of_the_page_solves_its_task(
    pages: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    [source] = re.findall(r"^```python\n(.*?)^```$", DOCUMENT.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(source, DOCUMENT.name, "exec"), {})
    assert capsys.readouterr().out == "1.0 1.0\n"


@pytest.mark.parametrize(("task", "word"), [("click-option", "click("), ("enter-text", "fill(")])
def test_jev_solves_a_stock_task_in_browsergyms_loop(pages: None, tmp_path: Path, task: str, word: str) -> None:
    result = run(LabAgentArgs(agent="jev", actions=ACTIONS), task, tmp_path)
    record = result.get_exp_record()
    assert (result.status, record["cum_reward"], record["err_msg"]) == ("done", 1, None), record["stack_trace"]
    assert record["agent_args.agent"] == "jev"
    first = result.steps_info[0]
    name, bid = first.action.split('"')[:2]
    assert name == word
    seen = Observation.model_validate(first.obs["observation"], strict=False)
    assert seen.element(int(bid))
    assert (seen.goal, seen.can_scroll) == (first.obs["goal_object"][0]["text"], ())
    assert seen.title
    assert seen.axtree
    assert "InlineTextBox" not in seen.axtree
    assert first.agent_info.think
    assert record["stats.cum_unpriced_calls"] == 0
    assert record["stats.max_decide_ms"] > 0


class Scripted:
    """An agent that plays a list of steps."""

    name = "scripted"

    def __init__(self, *steps: AgentStep) -> None:
        self.steps = list(steps)

    def reset(self) -> None:
        pass

    def step(self, observation: Observation) -> AgentStep:
        assert observation == PAGE
        return self.steps.pop(0)


def ask(step: AgentStep) -> tuple[LabAgent, str | None, Any]:
    agent = LabAgent(Scripted(step))
    seen = PAGE.model_dump(mode="json", exclude_defaults=True)
    return agent, *agent.get_action({"observation": seen, "screenshot": np.zeros((200, 100, 3), np.uint8)})


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Click(element_id=12), 'click("12")'),
        (Type(element_id=12, text='a "b"\n\U0001f600'), 'fill("12", "a \\"b\\"\\n\U0001f600")'),
        (Select(element_id=13, option="blue"), 'select_option("13", ["blue"])'),
        (Select(element_id=14, option="blue"), 'select_option("14", ["red", "blue"])'),
        (Select(element_id=14, option="red"), 'select_option("14", [])'),
        (Press(element_id=12, key="Enter"), 'press("12", "Enter")'),
        (Press(key="Tab"), 'keyboard_press("Tab")'),
        (Scroll(direction="down"), "scroll_at(50, 100, 0, 160)"),
        (Scroll(direction="left"), "scroll_at(50, 100, -80, 0)"),
        (Navigate(url="http://127.0.0.1/a"), 'goto("http://127.0.0.1/a")'),
        (GoBack(), "go_back()"),
        (Wait(), "noop(1000)"),
        (Finish(message="it's done"), 'send_msg_to_user("it\'s done")'),
    ],
)
def test_an_action_is_said_in_words_that_browsergym_takes(action: Any, words: str) -> None:
    agent, said, _ = ask(AgentStep(action=action))
    assert said == words
    code = agent.action_set.to_python_code(said)
    if isinstance(action, Type):
        assert repr(action.text) in code


@pytest.mark.parametrize(
    ("end", "words"),
    [("infeasible_reported", 'report_infeasible("there isn\'t one")'), ("blocked", None), ("loop", None)],
)
def test_an_end_without_an_action(end: Any, words: str | None) -> None:
    agent, said, info = ask(AgentStep(action=None, end=end, reason="there isn't one"))
    assert said == words
    assert said is None or agent.action_set.to_python_code(said)
    assert (info.extra_info["end"], info.think) == (end, "there isn't one")


PRICED = ModelCall(kind="chat", model="m", usage=Usage(input_tokens=7, cached_tokens=1, output_tokens=2), cost_usd=0.5)
UNKNOWN = ModelCall(kind="chat", model="m")


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([(), (PRICED,)], {"cum_cost_usd": 0.5, "cum_input_tokens": 7, "cum_unpriced_calls": 0}),
        ([(PRICED,), (PRICED, PRICED)], {"cum_cost_usd": 1.5, "cum_output_tokens": 6, "cum_model_calls": 3}),
        ([(UNKNOWN,)], {"cum_cost_usd": None, "cum_input_tokens": None, "cum_unpriced_calls": 1}),
        ([(PRICED,), (PRICED, UNKNOWN)], {"cum_unpriced_calls": 1, "cum_uncounted_calls": 1}),
    ],
)
def test_browsergym_sums_what_is_known_and_never_an_unknown_as_0(
    steps: Sequence[Sequence[ModelCall]], expected: dict[str, Any]
) -> None:
    sums = _aggregate_episode_stats([StepInfo(step=i, stats=call_stats(calls)) for i, calls in enumerate(steps)])
    assert {name: sums.get(name) for name in expected} == expected


def test_a_wrong_name_is_told_before_anything_runs() -> None:
    with pytest.raises(AgentConfigError, match="No agent 'jav'"):
        LabAgentArgs(agent="jav").prepare()


def test_agentlab_asks_for_the_benchmarks_own_actions() -> None:
    class Benchmark:
        name = "miniwob_tiny_test"

    args = LabAgentArgs(agent="random")
    args.set_benchmark(Benchmark(), demo_mode=False)
    assert (args.agent_name, args.actions) == ("random", ACTIONS)


def test_an_agent_that_chats_takes_its_model_from_the_arguments() -> None:
    chat = ChatOptions(model="m", base_url="http://127.0.0.1:1/v1")
    args = pickle.loads(pickle.dumps(LabAgentArgs(agent="direct", actions=ACTIONS, chat=chat)))
    assert args.agent_name == "direct-m"
    args.prepare()
    assert args.make_agent()._agent.config["endpoint"]["endpoint"] == "127.0.0.1/v1"
    with pytest.raises(AgentConfigError, match="asks a chat model, and none is given"):
        LabAgentArgs(agent="direct").prepare()
