"""Decisions made up again: an untouched run is equal, a changed one says what differs first. Rules R1, R2."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent.decision import DecisionAgent
from agent.decision_model import WireModel
from agent.embedded import EmbeddedModel
from benchmark.decisions.replay import main
from benchmark.records.rows import JobKey
from benchmark.records.ticks import FOLDER
from browser.actions import ActionName
from llm.scripted import ScriptedDecisions

OFFERED: tuple[ActionName, ...] = ("click", "type", "finish")
GOES_ON, WON = (0.0, False, None), (1.0, True, 1.0)

KeptRun = Callable[..., Path]
Row = dict[str, Any]


def wire(**choices: str) -> DecisionAgent:
    return DecisionAgent(WireModel(ScriptedDecisions(lambda *_: choices)), OFFERED)


def change(run: Path, edit: Callable[[Row], None], index: int = 1) -> None:
    """Rewrite the ticks of a run with one row changed."""
    [path] = (run / FOLDER).iterdir()
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    edit(rows[index])
    path.write_bytes(b"".join(gzip.compress(json.dumps(row).encode() + b"\n") for row in rows))


@pytest.mark.parametrize("agent", [wire(), DecisionAgent(EmbeddedModel(), OFFERED)], ids=["wire", "embedded"])
def test_an_untouched_run_is_equal_at_every_step(
    kept_run: KeptRun, agent: DecisionAgent, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(kept_run(agent, [GOES_ON, GOES_ON, WON]))]) == 0
    assert capsys.readouterr().out.splitlines() == [
        *(f"press seed 3 step {n}: equal" for n in range(3)), "3 of 3 steps are equal."
    ]  # fmt: skip


def _other_name(row: Row) -> None:
    row["decided"]["tick"]["observation"]["elements"][0]["name"] = "Gone"


def _other_goal(row: Row) -> None:
    row["decided"]["tick"]["observation"]["goal"] = "Press nothing."


def _disabled(row: Row) -> None:
    row["decided"]["tick"]["observation"]["elements"][0]["disabled"] = True


def _other_past(row: Row) -> None:
    row["decided"]["tick"]["history"][0]["page_changed"] = False


def _other_option(row: Row) -> None:
    row["decided"]["exchange"]["questions"]["target_CLICK"]["criteria"]["1"] = "another button"


def _other_rules(row: Row) -> None:
    row["decided"]["exchange"]["questions"]["operation"]["instructions"] = "Guess."


def _no_question(row: Row) -> None:
    del row["decided"]["exchange"]["questions"]["target_CLICK"]


def _other_choice(row: Row) -> None:
    row["decided"]["chosen"]["element_id"] = 9


def _other_settings(row: Row) -> None:
    del row["config"]["offered"]


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (_other_name, "line 6 of the state was"),
        (_other_goal, "candidate 4 was TYPE element_id=3 value='Go'"),
        (_disabled, "candidate 1 was CLICK element_id=1 and is CLICK element_id=2"),
        (_other_past, "line 3 of the state was"),
        (_other_option, "option 1 of target_CLICK"),
        (_other_rules, "the instructions of operation were 'Guess.' and are"),
        (_no_question, "the questions were operation and are operation, target_CLICK"),
        (_other_choice, "the chosen candidate is none of the tick's"),
        (_other_settings, "the agent's settings are of another release"),
    ],
)
def test_what_differs_first_is_said(
    kept_run: KeptRun, capsys: pytest.CaptureFixture[str], edit: Callable[[Row], None], said: str
) -> None:
    run = kept_run(wire(), [GOES_ON, GOES_ON, WON])
    change(run, edit)
    assert main([str(run), "--quiet"]) == 1
    line, count = capsys.readouterr().out.splitlines()
    assert line.startswith(f"press seed 3 step 1: different: {said}")
    assert count == "2 of 3 steps are equal."


def test_one_episode_can_be_replayed_alone(
    kept_run: KeptRun, make_job: Callable[..., JobKey], capsys: pytest.CaptureFixture[str]
) -> None:
    run = kept_run(wire(), [WON], make_job(seed=1), make_job(seed=2))
    assert main([str(run), "--episode", "press:2"]) == 0
    assert capsys.readouterr().out.splitlines() == ["press seed 2 step 0: equal", "1 of 1 steps are equal."]


def test_the_acted_on_elements_are_found_again_in_the_same_pages(
    kept_run: KeptRun, capsys: pytest.CaptureFixture[str]
) -> None:
    one = kept_run(wire(), [GOES_ON, WON])
    other = kept_run(wire(), [GOES_ON, WON], folder="other")
    assert main([str(one), "--against", str(other)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        'press seed 3 step 0: [1] button "Go": ok', 'press seed 3 step 1: [1] button "Go": ok', "2 elements: ok 2."
    ]  # fmt: skip


def test_an_element_that_is_not_found_is_told_and_exit_1(kept_run: KeptRun, capsys: pytest.CaptureFixture[str]) -> None:
    one = kept_run(wire(), [GOES_ON, GOES_ON, WON])
    other = kept_run(wire(), [GOES_ON, WON], folder="other")
    change(other, _other_name)
    change(other, lambda row: row["decided"]["tick"]["observation"]["elements"][0].update(id=5), index=0)
    assert main([str(one), "--against", str(other)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        'press seed 3 step 0: [1] button "Go": ok, now [5]',
        'press seed 3 step 1: [1] button "Go": changed',
        'press seed 3 step 2: [1] button "Go": error, there is no such step',
        "3 elements: ok 1, changed 1, error 1.",
    ]


def test_what_cannot_be_replayed_is_exit_2_and_one_sentence(
    kept_run: KeptRun, make_job: Callable[..., JobKey], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path)]) == 2
    twice = kept_run(wire(), [WON], make_job(), make_job())
    assert main([str(twice), "--against", str(twice)]) == 2
    done = kept_run(wire(operation="DONE"), [WON], folder="done")
    assert main([str(done), "--against", str(done)]) == 2
    no_ticks, attempts, no_element = capsys.readouterr().err.splitlines()
    assert "holds no ticks" in no_ticks
    assert "several attempts at one episode" in attempts
    assert "No step in" in no_element
