"""Decisions as training rows: what the wire would have been asked, what was chosen, what became of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent.decision import DecisionAgent
from agent.decision_model import WireModel
from agent.policy import Policy
from benchmark.decisions.export import main
from benchmark.records.rows import JobKey
from browser.actions import ActionName
from llm.decision import ChoiceQuestion, validate
from llm.scripted import ScriptedDecisions

OFFERED: tuple[ActionName, ...] = ("click", "finish")
OUTCOMES = [(0.0, False, None), (1.0, True, 1.0)]

KeptRun = Callable[..., Path]


def agent(client: ScriptedDecisions, **policy: Any) -> DecisionAgent:
    return DecisionAgent(WireModel(client), OFFERED, policy=Policy(**policy))


def exported(run: Path, *options: str) -> list[dict[str, Any]]:
    out = run / "out" / "decisions.jsonl"
    assert main([str(run), "--out", str(out), *options]) == 0
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def test_a_row_is_the_request_as_it_was_asked_with_its_choice_and_outcome(kept_run: KeptRun) -> None:
    client = ScriptedDecisions(lambda *_: {"operation": "CLICK", "target_CLICK": "3"})
    rows = exported(kept_run(agent(client), OUTCOMES), "--model", "mine")
    assert [row["outcome"]["step"] for row in rows] == [0, 1]
    for row, (state, questions) in zip(rows, client.requests, strict=True):
        asked = {key: question.raw() for key, question in questions.items()}
        assert row["request"] == {"model": "mine", "state": state, "questions": asked}
        assert row["chosen"] == {"operation": "CLICK", "target_CLICK": "3"}
        # A server that had answered so would have been believed.
        for key, choice in row["chosen"].items():
            options = row["request"]["questions"][key]["criteria"]
            question = ChoiceQuestion(instructions="x", criteria=options)
            answer = {"type": "choice", "choice": choice, "probabilities": {o: float(o == choice) for o in options}}
            assert validate({key: answer}, {key: question})[key].choice == choice
    assert rows[0]["outcome"] | {"step": 0} == {
        "step": 0, "steps": 2, "end": "success", "reward": 1.0, "raw_reward": 1.0, "full_reward": 1.0,
        "page_changed": True,
    }  # fmt: skip
    assert rows[1]["outcome"]["page_changed"] is None
    assert rows[0]["source"]["task"] == "press"


def test_a_joint_question_has_one_choice(kept_run: KeptRun) -> None:
    client = ScriptedDecisions(lambda *_: {"action": "CLICK 2"})
    rows = exported(kept_run(agent(client, joint=True), OUTCOMES))
    assert [row["chosen"] for row in rows] == [{"action": "CLICK 2"}] * 2


def test_failures_are_kept_unless_only_solved_ones_are_asked_for(
    kept_run: KeptRun, make_job: Callable[..., JobKey]
) -> None:
    client = ScriptedDecisions(lambda *_: {})
    run = kept_run(agent(client), OUTCOMES, make_job(seed=1))
    kept_run(agent(client), [(1.0, True, 0.2)], make_job(seed=2))
    assert [row["outcome"]["full_reward"] for row in exported(run)] == [1.0, 1.0, 0.0]
    assert [row["source"]["seed"] for row in exported(run, "--solved-only")] == [1, 1]


def test_what_cannot_be_read_or_written_is_one_sentence(
    kept_run: KeptRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = kept_run(agent(ScriptedDecisions(lambda *_: {})), OUTCOMES)
    (tmp_path / "file").write_text("")
    for arguments, words in (
        ([str(tmp_path / "none"), "--out", str(tmp_path / "o")], "holds no ticks"),
        ([str(run), "--out", str(tmp_path / "file" / "o")], "give another --out"),
    ):
        assert main(arguments) == 2
        said = capsys.readouterr().err
        assert words in said
        assert said.count("\n") == 1
