"""An episode in words: what was decided, why, what it did and took; and nothing that could drive a terminal."""

from collections.abc import Callable
from typing import get_args

import pytest

from agent.agent import Choice, DecisionDetail, Plan, PlanStep
from agent.loop import EndReason
from benchmark.page.words import ENDS, Line, ending_lines, step_lines
from benchmark.records.rows import EpisodeRecord, StepRecord
from browser.actions import Finish, Type
from browser.observation import Observation, Timings
from llm.decision import ModelCall, Usage

MakeStep = Callable[..., StepRecord]
MakeEpisode = Callable[..., EpisodeRecord]
MakePage = Callable[..., Observation]

DETAIL = DecisionDetail(
    operation="TYPE",
    operation_probability=0.8,
    target_probability=0.5,
    text_source="goal_value",
    runners_up=(Choice(label="DONE", probability=0.2), Choice(label="WAIT", probability=0.1)),
    candidates=7,
)
CALL = ModelCall(
    kind="chat", model="m", usage=Usage(input_tokens=1500, cached_tokens=1000, output_tokens=20), cost_usd=0.01
)


def said(row: StepRecord, *, table: bool = False) -> list[str]:
    return [line.text for line in step_lines(row, table=table)]


def test_a_decision_models_step_says_how_sure_it_was(make_step: MakeStep, make_observation: MakePage) -> None:
    row = make_step(
        observation=make_observation(title="Sign up"),
        action=Type(element_id=3, text="ada"),
        detail=DETAIL,
        timings=Timings(total_ms=41.7),
    )
    assert said(row) == [
        "",
        'Step 1  http://127.0.0.1/  ("Sign up", 3 elements)',
        '  type [3] textbox "User" "ada"',
        "  why:  p 0.40 (TYPE 0.80 x its target 0.50) of 7 candidates; text: goal value; "
        "rather than DONE 0.20, WAIT 0.10",
        "  did:  the page changed",
        "  took: 1.0 ms to decide, 42 ms in the browser",
    ]


def test_a_chat_models_step_says_its_reason_plan_tokens_and_cost(make_step: MakeStep) -> None:
    plan = Plan(steps=(PlanStep(text="Open it"), PlanStep(text="Press Go")), completed=1)
    lines = said(make_step(reason="it says Go", plan=plan, calls=(CALL, CALL), decide_ms=2345.0))
    assert lines[3:5] == ["  why:  it says Go", "  plan: Press Go (1 of 2 done)"]
    assert lines[-1] == (
        "  took: 2.3 s to decide, 0.0 ms in the browser, 2 calls, 3,000 tokens in (2,000 cached), 40 out, $0.0200"
    )


def test_what_is_unknown_is_said_to_be(make_step: MakeStep) -> None:
    lines = said(make_step(calls=(ModelCall(kind="chat", model="m"),)))
    assert lines[-1].endswith("1 call, tokens unknown, cost unknown")


def test_an_action_that_failed_stands_out(make_step: MakeStep) -> None:
    lines = list(step_lines(make_step(last_action_error="It is covered.", page_changed=False), table=False))
    assert Line("  did:  failed: It is covered.", "bad") in lines


def test_a_stop_says_why_and_does_nothing(make_step: MakeStep) -> None:
    lines = said(make_step(action=None, end="blocked", reason="Nothing on this page can be acted on."))
    assert lines[2:4] == ["  stop: blocked", "  why:  Nothing on this page can be acted on."]
    assert not any("did:" in line for line in lines)


def test_the_table_is_what_the_agent_saw(make_step: MakeStep) -> None:
    assert '    [1] button "Go"' in said(make_step(), table=True)
    assert not any("[2]" in line for line in said(make_step()))


@pytest.mark.parametrize("nasty", ["\x1b[2J\x1b]0;title\x07", "a\nStep 9  fake", "\u202egnp"])
def test_a_page_can_neither_drive_the_terminal_nor_begin_a_line(
    make_step: MakeStep, make_observation: MakePage, nasty: str
) -> None:
    page = make_observation(title=nasty, url=f"http://127.0.0.1/{nasty}")
    others = (Choice(label=nasty, probability=0.1),)
    row = make_step(
        observation=page, url=page.url, last_action_error=nasty, action=Type(element_id=3, text=nasty),
        detail=DETAIL.model_copy(update={"runners_up": others}),
    )  # fmt: skip
    lines = said(row, table=True)
    assert not any(mark in line for line in lines for mark in ("\x1b", "\x07", "\u202e", "\n"))


def test_an_ending_says_answer_reason_and_cost(make_episode: MakeEpisode) -> None:
    lines = [line.text for line in ending_lines(make_episode(end="finished", reward=0.0), "Three\nbooks.")]
    assert lines == [
        "",
        "Answer   Three books.",
        "End      finished - the agent says that it is done; nothing here checks that",
        "Took     2 steps, 0.5 s, 10 tokens in, 2 out, $0.0010",
    ]


def test_an_ending_without_a_finish_has_no_answer_and_free_calls_no_cost(make_episode: MakeEpisode) -> None:
    record = make_episode(end="max_steps", reward=0.0, input_tokens=0, output_tokens=0, cost_usd=0.0)
    assert [line.text for line in ending_lines(record, None)] == [
        "",
        "End      max steps - all steps are used up; --max-steps allows more",
        "Took     2 steps, 0.5 s",
    ]


def test_a_page_that_did_not_open_says_what_to_look_at(make_episode: MakeEpisode) -> None:
    record = make_episode(end="environment_error", error="It did not open.", goal=None, reward=0.0)
    [_, end, _] = ending_lines(record, None)
    assert end.kind == "bad"
    assert end.text.endswith("It did not open. Is the address right, and its server running?")


def test_every_end_has_its_words() -> None:
    assert set(ENDS) == set(get_args(EndReason))


def test_a_finish_without_words_says_so(make_episode: MakeEpisode) -> None:
    assert next(line for line in ending_lines(make_episode(), "") if line.text).text == (
        "Answer   (the agent gave no words)"
    )


def test_a_finish_is_a_step_like_any_other(make_step: MakeStep) -> None:
    assert said(make_step(action=Finish(message="ok")))[2] == "  finish"
