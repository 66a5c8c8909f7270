"""Rules G1 and G2: what repeats, stands still or goes round is told, withheld and at last ended."""

from collections.abc import Callable
from typing import Any

import pytest

from agent.agent import AgentStep
from agent.cascade import CascadeAgent
from agent.decision import DecisionAgent
from agent.decision_model import WireModel
from agent.guards import CARET_STEPS, NO_ADVICE, advise, alternating, arrivals, idle, repeats, still_offered, waits
from agent.planner import PlannerAgent
from agent.policy import DEFAULT_POLICY, Policy
from agent.react import ReActAgent
from agent.tick import PastStep
from browser.actions import BrowserAction, Click, GoBack, Keys, Scroll, Type, Wait
from browser.observation import Observation
from llm.chat import ChatRequest
from llm.scripted import ScriptedChat, ScriptedDecisions

MakePage = Callable[..., Observation]
OFF = Policy(guards=False)
GO = Click(element_id=1)


def did(
    action: BrowserAction = GO, key: str = "k", changed: bool = False, url: str = "http://a/", **more: Any
) -> PastStep:
    return PastStep(action=action, page_changed=changed, page_key=key, url=url, **more)


def moved(key: str, url: str = "http://a/", action: BrowserAction = GO) -> PastStep:
    return did(action, key, True, url)


# What the detectors count


@pytest.mark.parametrize(
    ("past", "count"),
    [
        ([did()], 1),
        ([did(), did(), did()], 3),
        ([did(), did(Click(element_id=2)), did()], 1),
        ([did(error="It is covered."), did(error="It is covered.")], 2),
        ([did(), did(error="It is covered.")], 1),
        ([moved("a"), moved("b"), moved("c")], 1),  # the same button pages on
        ([did(Type(element_id=2, text="1")), did(Type(element_id=2, text="2"))], 1),
        ([did(Scroll(direction="down")), did(Scroll(direction="up")), did(Wait())], 3),
        ([moved("a", action=Wait()), moved("b", action=Wait())], 1),  # a page that counts was waited for
        ([moved("a", action=Scroll(direction="down")), moved("b", action=Scroll(direction="down"))], 1),
        ([moved("a", action=GoBack()), moved("b", action=GoBack())], 2),  # the same address, and something new there
        ([did(Click(element_id=n), role="link", name="Home") for n in (1, 7, 13)], 3),  # a link to its own page
        ([did(Click(element_id=n), role="link", name=str(n)) for n in (1, 7, 13)], 1),
    ],
)
def test_the_same_action_with_the_same_result_is_counted(past: list[PastStep], count: int) -> None:
    """G1"""
    assert repeats(past) == count


def test_actions_without_a_change_are_counted_up_to_the_last_change() -> None:
    """G2"""
    assert idle([did(), moved("a"), did(), did(Wait())]) == 2
    assert waits([did(Wait()), did(), did(Wait()), did(Wait())]) == 2
    assert waits([did(Wait()), moved("a", action=Wait())]) == 0


@pytest.mark.parametrize(
    ("keys", "urls", "count"),
    [
        ("abab", "", 4),
        ("babab", "", 5),
        ("xabab", "", 4),
        ("abc", "", 0),
        ("aaaa", "", 0),
        ("abba", "", 0),
        ("abcd", "uvuv", 4),
        ("abcd", "uvww", 0),
    ],
)
def test_going_to_and_fro_is_seen_by_page_or_by_address(keys: str, urls: str, count: int) -> None:
    """G2: A-B-A-B"""
    past = [moved(key, f"http://{url}/") for key, url in zip(keys, urls or "s" * len(keys), strict=True)]
    assert alternating(past) == count


def test_arrivals_at_one_address_are_counted_when_it_is_reached() -> None:
    """G2: the fourth arrival"""
    past = [moved(str(n), url) for n, url in enumerate("lalblcl")]
    assert [arrivals(past[: n + 1]) for n in range(len(past))] == [0, 1, 2, 1, 3, 1, 4]
    assert arrivals([*past, did(url="l")]) == 0  # it stays there


# What they say


def test_nothing_is_said_before_its_count_nor_where_guards_are_off() -> None:
    assert advise([], DEFAULT_POLICY) == advise([did(), did()], DEFAULT_POLICY) == NO_ADVICE
    assert advise([did()] * 20, OFF) == NO_ADVICE


def test_a_third_repeat_is_told_and_after_the_fifth_only_finishing_is_offered() -> None:
    """G1"""
    for count in (3, 4):
        told = advise([did()] * count, DEFAULT_POLICY)
        assert f"{count} times" in told.note
        assert "answer now or do something else" in told.note
        assert not told.finish_only
        assert still_offered(("click", "finish"), told) == ("click", "finish")
    last = advise([did()] * 5, DEFAULT_POLICY)
    assert last.finish_only
    assert "Only finishing is left" in last.note
    assert still_offered(("click", "finish"), last) == ("finish",)
    assert still_offered(("click",), last) == ()


@pytest.mark.parametrize(
    ("make", "signal", "told", "ended"),
    [
        (lambda n: [did(Click(element_id=i + 1)) for i in range(n)], "idle", 4, 8),
        (lambda n: [moved("ab"[i % 2], action=Click(element_id=i % 2 + 1)) for i in range(n)], "round", 4, 8),
        (lambda n: [moved(f"{i}", "l" if i % 2 == 0 else f"u{i}") for i in range(2 * n - 1)], "arrivals", 4, 12),
    ],
    ids=["idle", "round", "arrivals"],
)
def test_a_signal_is_told_first_and_ends_the_episode_only_where_it_goes_on(
    make: Callable[[int], list[PastStep]], signal: str, told: int, ended: int
) -> None:
    """G2"""
    assert advise(make(told - 1), DEFAULT_POLICY).signal == ""
    for count in range(told, ended):
        advice = advise(make(count), DEFAULT_POLICY)
        assert (advice.signal, advice.stop) == (signal, "")
        assert str(count) in advice.note
    assert str(ended) in advise(make(ended), DEFAULT_POLICY).stop


def test_after_five_waits_no_other_is_offered_until_something_else_was_done() -> None:
    """G2, W1: the count of verdicts"""
    assert not advise([did(Wait())] * 4, Policy(repeats_ended=9)).wait_spent
    spent = advise([did(Wait())] * 5, Policy(repeats_ended=9))
    assert (spent.wait_spent, still_offered(("click", "wait"), spent)) == (True, ("click",))
    assert not advise([*[did(Wait())] * 5, did()], Policy(repeats_ended=9)).wait_spent
    assert advise([did(Wait())] * 5, Policy(repeats_ended=9, repeats_told=9, idle_told=9)).signal == "waits"


def test_a_wait_that_used_up_the_environments_time_is_the_last_until_something_else_was_done() -> None:
    """W1, G2: an exhausted wait"""
    gone = did(Wait(), error="The page did not change in 3 s of waiting; waiting longer is of no use.")
    spent = advise([gone], DEFAULT_POLICY)
    assert (spent.wait_spent, spent.signal, spent.stop) == (True, "waits", "")
    assert "Waiting changed nothing" in spent.note
    assert still_offered(("click", "wait"), spent) == ("click",)
    assert advise([gone, did()], DEFAULT_POLICY) == NO_ADVICE


# What the agents do with it


def clicking(answer: Callable[..., str]) -> tuple[ScriptedChat, list[str]]:
    """A chat that clicks what it clicked before until the schema has no click; and the notes it was told."""
    told: list[str] = []

    def reply(request: ChatRequest) -> str:
        told.append(request.messages[-1].content.split("</page>\n\n")[-1])
        if '"steps"' in told[-1]:
            return '{"steps": ["Press Go"]}'
        return (
            answer("click", element_id=1)
            if '"click"' in str(request.json_schema).replace("'", '"')
            else answer("finish", message="stuck")
        )

    return ScriptedChat(reply), told


def run(agent: Any, observation: Observation, limit: int = 12) -> list[AgentStep]:
    """Return the steps on a page that never changes, up to the end."""
    steps: list[AgentStep] = []
    while len(steps) < limit:
        steps.append(agent.step(observation))
        if steps[-1].action is None or steps[-1].action.type == "finish":
            break
    return steps


@pytest.mark.parametrize("make", [ReActAgent, lambda model: PlannerAgent(ReActAgent(model))], ids=["react", "planner"])
def test_a_chat_agent_is_told_of_repeats_and_then_may_only_finish(
    make: Callable[[ScriptedChat], Any], page: MakePage, answer: Callable[..., str]
) -> None:
    """G1"""
    model, told = clicking(answer)
    steps = run(make(model), page())
    assert [step.action.type for step in steps if step.action] == ["click"] * 5 + ["finish"]
    assert [bool(step.note) for step in steps] == [False, False, False, True, True, True]
    assert "had the same result 3 times" in steps[3].note
    assert any(steps[3].note in question for question in told)


def test_a_chat_agent_that_may_not_finish_ends_as_a_loop_without_another_call(
    page: MakePage, answer: Callable[..., str]
) -> None:
    model, _ = clicking(answer)
    steps = run(ReActAgent(model, ("click",)), page())
    assert (len(steps), steps[-1].end, len(model.requests)) == (6, "loop", 5)


def test_guards_off_lets_a_chat_agent_go_on(page: MakePage, answer: Callable[..., str]) -> None:
    model, _ = clicking(answer)
    assert len(run(ReActAgent(model, policy=OFF), page())) == 12


def test_a_decision_agent_reads_the_note_and_then_is_offered_only_the_endings(page: MakePage) -> None:
    """G1"""
    client = ScriptedDecisions(
        lambda state, questions: {"operation": "WAIT"} if "WAIT" in questions["operation"].criteria else {}
    )
    steps = run(DecisionAgent(WireModel(client)), page())
    assert [step.action.type for step in steps if step.action] == ["wait"] * 5 + ["finish"]
    states = [state for state, _ in client.requests]
    assert ["Note: " in state for state in states] == [False, False, False, True, True, True]
    assert list(client.requests[-1][1]["operation"].criteria) == ["DONE", "BLOCKED"]


def test_a_decision_agent_that_stands_still_ends_as_a_loop(page: MakePage) -> None:
    """G2"""
    targets = iter(range(100))

    def other(state: str, questions: Any) -> dict[str, object]:
        ids = list(questions["target_CLICK"].criteria) if "target_CLICK" in questions else ["1"]
        return {"operation": "CLICK", "target_CLICK": ids[next(targets) % len(ids)]}

    subject = DecisionAgent(WireModel(ScriptedDecisions(other)), policy=Policy(dead_targets=False))
    steps = run(subject, page())
    assert (len(steps), steps[-1].end) == (9, "loop")
    assert "The last 8 actions changed nothing" in steps[-1].reason
    assert steps[-1].calls == ()


def test_a_cascade_ends_as_a_loop_without_asking_either(page: MakePage, answer: Callable[..., str]) -> None:
    model, _ = clicking(answer)
    decisions = ScriptedDecisions(lambda state, questions: {})
    subject = CascadeAgent(DecisionAgent(WireModel(decisions), ("click",)), ReActAgent(model, ("click",)), 0.9)
    steps = run(subject, page())
    assert (steps[-1].end, steps[-1].calls) == ("loop", ())


def test_keys_that_move_a_caret_are_no_standing_still_and_few_repeats() -> None:
    jump = PastStep(action=Keys(element_id=1, keys="Control+ArrowRight"), page_changed=False)
    policy = Policy()
    assert idle((jump,) * 20) == 0
    assert advise((jump,) * 11, policy) == NO_ADVICE
    assert advise((jump,) * (policy.repeats_ended * CARET_STEPS), policy).finish_only
    copied = PastStep(action=Keys(element_id=1, keys="Control+C"), page_changed=False)
    assert idle((copied, jump, copied)) == 2
