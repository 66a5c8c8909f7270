"""Other models on the same frozen ticks: what agrees, what it is counted on, and that nothing else is asked."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from agent.decision import DecisionAgent, WireModel
from agent.decision_models import make_decision_model
from benchmark import redecide
from benchmark.records import CREDENTIAL_TEXT, JobKey
from benchmark.redecide import main
from browser.actions import ActionName
from browser.observation import Box, InteractiveElement
from llm.decision import ChoiceQuestion, DecisionError
from llm.scripted import ScriptedDecisions

OFFERED: tuple[ActionName, ...] = ("click", "finish")
GOES_ON, WON, LOST = (0.0, False, None), (1.0, True, 1.0), (0.0, True, None)

PASSWORD = InteractiveElement(
    id=2, role="textbox", name="Password", credential=True, editable=True, box=Box(x=0, y=0, width=10, height=10)
)

KeptRun = Callable[..., Path]


def wire(*choices: Mapping[str, Any]) -> WireModel:
    return WireModel(ScriptedDecisions(choices or (lambda *_: {})))


def always(**choices: Any) -> WireModel:
    return WireModel(ScriptedDecisions(lambda *_: choices))


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Give decision models names."""

    def name(**made: WireModel) -> None:
        monkeypatch.setattr(redecide, "make_decision_model", lambda name: made.get(name) or make_decision_model(name))

    return name


@pytest.fixture
def a_run(kept_run: KeptRun, make_job: Callable[..., JobKey]) -> Path:
    """A solved episode of two steps on element 1, and one of two steps on element 3 that failed."""
    one = DecisionAgent(always(operation="CLICK", target_CLICK="1"), OFFERED)
    run = kept_run(one, [GOES_ON, WON], make_job(seed=1))
    three = DecisionAgent(always(operation="CLICK", target_CLICK="3"), OFFERED)
    return kept_run(three, [GOES_ON, LOST], make_job(seed=2), folder=run.name)


def test_agreement_is_counted_on_all_ticks_and_on_those_of_solved_episodes(
    a_run: Path, models: Callable[..., None]
) -> None:
    models(same=always(operation="CLICK", target_CLICK="1"), ends=always(operation="DONE"))
    assert main([str(a_run), "--model", "same", "--model", "ends", "--quiet"]) == 0
    table = pd.read_csv(a_run / "redecide" / "redecide.csv").set_index("model")
    assert table.loc["same", ["ticks", "answered", "solved_ticks"]].tolist() == [4, 4, 2]
    assert table.loc["same", ["same_choice", "same_operation"]].tolist() == [0.5, 1.0]
    assert table.loc["same", ["solved_same_choice", "solved_same_operation"]].tolist() == [1.0, 1.0]
    assert table.loc["ends", ["same_choice", "same_operation", "solved_same_choice"]].tolist() == [0.0, 0.0, 0.0]
    assert table.loc["same", "mean_probability"] == pytest.approx(0.9 * 0.9)
    assert 0 < table.loc["same", "ms_p50"] <= table.loc["same", "ms_p95"]


def test_two_models_are_paired_tick_by_tick(a_run: Path, models: Callable[..., None]) -> None:
    """R1"""
    first = [{"operation": "CLICK", "target_CLICK": choice} for choice in ("1", "1", "1", "3")]
    second = [{"operation": "CLICK", "target_CLICK": choice} for choice in ("1", "2", "1", "1")]
    models(one=wire(*first), other=wire(*second))
    assert main([str(a_run), "--model", "one", "--model", "other", "--quiet"]) == 0
    [pair] = pd.read_csv(a_run / "redecide" / "redecide_pairs.csv").to_dict("records")
    assert pair == {
        "model": "one", "other": "other", "ticks": 4, "same_choice": 0.5, "same_operation": 1.0,
        "only_model_as_stored": 2, "only_other_as_stored": 0,
    }  # fmt: skip


def test_a_model_that_gives_no_answer_is_counted_and_the_others_go_on(a_run: Path, models: Callable[..., None]) -> None:
    def silent(state: str, questions: Mapping[str, ChoiceQuestion]) -> dict[str, Any]:
        raise DecisionError("nobody there")

    models(silent=WireModel(ScriptedDecisions(silent)), bad=always(operation="DANCE"), good=always())
    arguments = ["--model", "silent", "--model", "bad", "--model", "good", "--quiet"]
    assert main([str(a_run), *arguments]) == 0
    table = pd.read_csv(a_run / "redecide" / "redecide.csv").set_index("model")
    assert table["answered"].to_dict() == {"silent": 0, "bad": 0, "good": 4}
    assert table.loc[["silent", "bad"], "ms_p50"].isna().all()
    ticks = pd.read_csv(a_run / "redecide" / "redecide_ticks.csv")
    faults = ticks.dropna(subset="fault").groupby("model")["fault"].unique().map(list).to_dict()
    assert faults == {"bad": ["unusable answer"], "silent": ["no answer"]}


def test_the_table_of_ticks_holds_the_run_beside_the_models(a_run: Path, models: Callable[..., None]) -> None:
    models(ends=always(operation="DONE"))
    assert main([str(a_run), "--model", "ends", "--quiet"]) == 0
    ticks = pd.read_csv(a_run / "redecide" / "redecide_ticks.csv")
    first = ticks[(ticks["seed"] == 1) & (ticks["index"] == 0)].set_index("model")
    assert first["choice"].to_dict() == {"stored": 'CLICK [1] button "Go"', "ends": "DONE"}
    assert first["as_stored"].to_dict() == {"stored": True, "ends": False}
    assert not (a_run / "redecide" / "redecide_pairs.csv").exists()


def test_a_text_for_a_credential_field_is_in_no_table(kept_run: KeptRun, models: Callable[..., None]) -> None:
    types = always(operation="TYPE")
    agent = DecisionAgent(types, ("type",), allow_goal_credentials=True)
    run = kept_run(agent, [WON], goal='Log in with the password "x7y"', elements=(PASSWORD,))
    models(types=types)
    assert main([str(run), "--model", "types", "--quiet"]) == 0
    written = "".join(path.read_text() for path in (run / "redecide").iterdir())
    assert CREDENTIAL_TEXT in written
    assert "x7y" not in written


def test_the_figures_say_where_they_come_from(a_run: Path, models: Callable[..., None], tmp_path: Path) -> None:
    models(ends=always(operation="DONE"))
    assert main([str(a_run), "--model", "ends", "--limit", "2", "--out", str(tmp_path / "out"), "--quiet"]) == 0
    made = json.loads((tmp_path / "out" / "redecide.json").read_text())
    assert made["command"] == "python benchmark/redecide.py RUN --model ends --limit 2"
    assert (made["ticks"], made["episodes"], made["decided_by"]) == (2, 2, ["scripted"])
    assert made["models"] == {"ends": "scripted"}
    assert made["versions"]["python"]
    assert made["per_model"][0]["ticks"] == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--model", "nobody"], "No decision model 'nobody'"),
        ([], "--model"),
        (["--model", "embedded", "--episode", "press:9"], "no ticks of 'press:9'"),
        (["--model", "embedded", "--limit", "-1"], "--limit"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_2(
    a_run: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(a_run), *arguments]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
