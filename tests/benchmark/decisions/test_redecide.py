"""Other models on the same frozen ticks: what agrees, what it is counted on, and that nothing else is asked."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from agent.decision import DecisionAgent
from agent.decision_model import WireModel
from agent.decision_models import CLIENTS
from agent.tick import Candidate
from benchmark.decisions.redecide import main
from benchmark.decisions.redecided import do_the_same
from benchmark.records.rows import CREDENTIAL_TEXT, JobKey
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


def script(*choices: Mapping[str, Any]) -> ScriptedDecisions:
    return ScriptedDecisions(choices)


def always(**choices: Any) -> ScriptedDecisions:
    return ScriptedDecisions(lambda *_: choices)


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Put other clients in the place of those that the names scripted, sparrow and laya stand for."""

    def put(**made: ScriptedDecisions) -> None:
        for name, client in made.items():
            monkeypatch.setitem(CLIENTS, name, lambda options, client=client: client)

    return put


@pytest.fixture
def a_run(kept_run: KeptRun, make_job: Callable[..., JobKey]) -> Path:
    """A solved episode of two steps on element 1, and one of two steps on element 3 that failed."""
    one = DecisionAgent(WireModel(always(operation="CLICK", target_CLICK="1")), OFFERED)
    run = kept_run(one, [GOES_ON, WON], make_job(seed=1))
    three = DecisionAgent(WireModel(always(operation="CLICK", target_CLICK="3")), OFFERED)
    return kept_run(three, [GOES_ON, LOST], make_job(seed=2), folder=run.name)


def test_agreement_is_counted_on_all_ticks_and_on_those_of_solved_episodes(
    a_run: Path, models: Callable[..., None]
) -> None:
    models(scripted=always(operation="CLICK", target_CLICK="1"), sparrow=always(operation="DONE"))
    assert main([str(a_run), "--model", "scripted", "--model", "sparrow", "--quiet"]) == 0
    table = pd.read_csv(a_run / "redecide" / "redecide.csv").set_index("model")
    assert table.loc["scripted", ["ticks", "answered", "solved_ticks"]].tolist() == [4, 4, 2]
    assert table.loc["scripted", ["same_choice", "same_operation"]].tolist() == [0.5, 1.0]
    assert table.loc["scripted", ["solved_same_choice", "solved_same_operation"]].tolist() == [1.0, 1.0]
    assert table.loc["sparrow", ["same_choice", "same_operation", "solved_same_choice"]].tolist() == [0.0, 0.0, 0.0]
    assert table.loc["scripted", "mean_probability"] == pytest.approx(0.9 * 0.9)
    assert 0 < table.loc["scripted", "ms_p50"] <= table.loc["scripted", "ms_p95"]


def test_two_models_are_paired_tick_by_tick(a_run: Path, models: Callable[..., None]) -> None:
    """R1"""
    first = [{"operation": "CLICK", "target_CLICK": choice} for choice in ("1", "1", "1", "3")]
    second = [{"operation": "CLICK", "target_CLICK": choice} for choice in ("1", "2", "1", "1")]
    models(scripted=script(*first), sparrow=script(*second))
    assert main([str(a_run), "--model", "scripted", "--model", "sparrow", "--quiet"]) == 0
    [pair] = pd.read_csv(a_run / "redecide" / "redecide_pairs.csv").to_dict("records")
    assert pair == {
        "model": "scripted", "other": "sparrow", "ticks": 4, "same_choice": 0.5, "same_operation": 1.0,
        "only_model_as_stored": 2, "only_other_as_stored": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"operation": "DRAG_BY", "by": (40, 0)}, {"operation": "DRAG_BY", "by": (0, 40)}, False),
        ({"operation": "DRAG", "to_element_id": 2}, {"operation": "DRAG", "to_element_id": 3}, False),
        ({"operation": "CLICK_AT", "at": (4, 5)}, {"operation": "CLICK_AT", "at": (5, 4)}, False),
        ({"operation": "DRAG_BY", "by": (40, 0), "value": "a"}, {"operation": "DRAG_BY", "by": (40, 0)}, True),
        ({"operation": "TYPE", "value": "a", "value_kind": "quoted"}, {"operation": "TYPE", "value": "a"}, True),
    ],
)
def test_choices_are_the_same_where_they_do_the_same(one: dict[str, Any], other: dict[str, Any], same: bool) -> None:
    assert do_the_same(Candidate(element_id=1, **one), Candidate(element_id=1, **other)) is same


def test_a_model_that_gives_no_answer_is_counted_and_the_others_go_on(a_run: Path, models: Callable[..., None]) -> None:
    def silent(state: str, questions: Mapping[str, ChoiceQuestion]) -> dict[str, Any]:
        raise DecisionError("nobody there")

    models(scripted=ScriptedDecisions(silent), sparrow=always(operation="DANCE"), laya=always())
    arguments = ["--model", "scripted", "--model", "sparrow", "--model", "laya", "--quiet"]
    assert main([str(a_run), *arguments]) == 0
    table = pd.read_csv(a_run / "redecide" / "redecide.csv").set_index("model")
    assert table["answered"].to_dict() == {"scripted": 0, "sparrow": 0, "laya": 4}
    assert table.loc[["scripted", "sparrow"], "ms_p50"].isna().all()
    ticks = pd.read_csv(a_run / "redecide" / "redecide_ticks.csv")
    faults = ticks.dropna(subset="fault").groupby("model")["fault"].unique().map(list).to_dict()
    assert faults == {"sparrow": ["unusable answer"], "scripted": ["no answer"]}


def test_the_table_of_ticks_holds_the_run_beside_the_models(a_run: Path, models: Callable[..., None]) -> None:
    models(sparrow=always(operation="DONE"))
    assert main([str(a_run), "--model", "sparrow", "--quiet"]) == 0
    ticks = pd.read_csv(a_run / "redecide" / "redecide_ticks.csv")
    first = ticks[(ticks["seed"] == 1) & (ticks["index"] == 0)].set_index("model")
    assert first["choice"].to_dict() == {"stored": 'CLICK [1] button "Go"', "sparrow": "DONE"}
    assert first["as_stored"].to_dict() == {"stored": True, "sparrow": False}
    assert not (a_run / "redecide" / "redecide_pairs.csv").exists()


def test_a_text_for_a_credential_field_is_in_no_table(kept_run: KeptRun, models: Callable[..., None]) -> None:
    types = always(operation="TYPE")
    agent = DecisionAgent(WireModel(types), ("type",), allow_goal_credentials=True)
    run = kept_run(agent, [WON], goal='Log in with the password "x7y"', elements=(PASSWORD,))
    models(scripted=types)
    assert main([str(run), "--model", "scripted", "--quiet"]) == 0
    written = "".join(path.read_text() for path in (run / "redecide").iterdir())
    assert CREDENTIAL_TEXT in written
    assert "x7y" not in written


def test_the_figures_say_where_they_come_from(a_run: Path, models: Callable[..., None], tmp_path: Path) -> None:
    models(sparrow=always(operation="DONE"))
    assert main([str(a_run), "--model", "sparrow", "--limit", "2", "--out", str(tmp_path / "out"), "--quiet"]) == 0
    made = json.loads((tmp_path / "out" / "redecide.json").read_text())
    assert made["command"] == "python -m benchmark.decisions.redecide RUN --model sparrow --limit 2"
    assert (made["ticks"], made["episodes"], made["decided_by"]) == (2, 2, ["scripted"])
    assert made["models"] == {"sparrow": "scripted"}
    assert made["versions"]["python"]
    assert made["per_model"][0]["ticks"] == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--model", "nobody"], "No decision model 'nobody'"),
        ([], "--model"),
        (["--model", "embedded:small"], "The weights in small cannot be read"),
        (["--model", "scripted:small"], "has no meaning for the decision model scripted"),
        (["--model", "logprobs"], "name it as logprobs:NAME or logprobs:local"),
        (["--model", "typesafe"], "There is no key in TYPESAFE_API_KEY"),
        (["--model", "embedded", "--base-url", "http://127.0.0.1:1"], "--base-url has no meaning for embedded"),
        (["--model", "embedded", "--episode", "press:9"], "no ticks of 'press:9'"),
        (["--model", "embedded", "--limit", "-1"], "--limit"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_2(
    a_run: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("TYPESAFE_API_KEY", "TYPESAFE_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)
    assert main([str(a_run), *arguments]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
