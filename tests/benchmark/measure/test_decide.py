"""What is measured of decision models, on ticks made here; collecting them takes a browser and is at the end."""

import json
from pathlib import Path

import pytest
from jevcompat.mock import MockConfig, Running

from agent.candidates import build_candidates
from agent.tick import PastStep, Tick
from benchmark.decisions.frozen_ticks import PER_EPISODE, collect, read_ticks, write_ticks
from benchmark.errors import UsageError
from benchmark.measure.decide import main, measure, spread
from browser.actions import Type
from browser.observation import Box, InteractiveElement, Observation
from llm.decision import DecisionError, InvalidAnswer

BOX = Box(x=0, y=0, width=10, height=10)
KEYS = ("TYPESAFE_API_KEY", "TYPESAFE_BASE_URL", "OPENROUTER_API_KEY", "OPENAI_API_KEY")


def tick(number: int) -> Tick:
    elements = tuple(
        InteractiveElement(id=n, role="button", name=f"Go {n}", tag="button", box=BOX) for n in range(1, 4)
    )
    page = Observation(goal=f"Click Go {number}", url="http://a/", title="t", elements=elements)
    history = (PastStep(action=Type(element_id=1, text="é"), page_changed=True),)
    candidates = build_candidates(page.goal, page, history, ("click",))
    return Tick(goal=page.goal, observation=page, history=history, candidates=candidates)


@pytest.fixture
def frozen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    path = tmp_path / "some" / "ticks.jsonl.gz"
    write_ticks(path, map(tick, range(1, 7)))
    return path


def test_ticks_are_read_as_they_were_written(frozen: Path) -> None:
    assert read_ticks(frozen) == [tick(n) for n in range(1, 7)]
    before = frozen.read_bytes()
    write_ticks(frozen, read_ticks(frozen))
    assert frozen.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"no gzip"])
def test_a_file_of_no_ticks_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "ticks").write_bytes(content)
    with pytest.raises(UsageError, match="--collect"):
        read_ticks(tmp_path / "ticks")


def test_ticks_are_taken_evenly() -> None:
    ticks = [tick(n) for n in range(10)]
    assert spread(ticks, 3) == [ticks[0], ticks[3], ticks[6]]
    assert spread(ticks, 60) == ticks


def test_invalid_answers_count_against_validity_and_missing_ones_do_not() -> None:
    ends: list[Exception | str | None] = ["m-1", InvalidAnswer("no"), DecisionError("no"), None, "m-2", "m-1"]

    def ask(_: Tick) -> str | None:
        end = ends.pop(0)
        if isinstance(end, Exception):
            raise end
        return end

    row = measure(ask, [tick(n) for n in range(6)])
    assert (row["asked"], row["answered"], row["invalid"], row["no_decision"]) == (5, 3, 1, 1)
    assert (row["valid"], row["answered_by"]) == (0.75, ["m-1", "m-2"])
    assert 0 <= row["p50_ms"] <= row["p95_ms"]


def test_models_are_measured_on_the_same_ticks_or_listed_with_a_reason(
    frozen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "decide.json"
    with Running(MockConfig()) as server:
        monkeypatch.setenv("TYPESAFE_BASE_URL", server.url)
        models = "embedded,scripted,typesafe,openrouter,logprobs,laya"
        assert main(["--models", models, "--ticks", str(frozen), "--states", "4", "--out", str(out), "--quiet"]) == 0
    result = json.loads(out.read_text())
    rows = {row["name"]: row for row in result["models"]}
    assert result["ticks"] == 4
    for name, options, answered_by in (
        ("scripted-first-option", 255, "scripted-first-option"),
        ("typesafe:jev-1.13.0", 255, "jevcompat-mock-0.1"),
    ):
        assert (rows[name]["options"], rows[name]["answered_by"]) == (options, [answered_by])
        assert (rows[name]["asked"], rows[name]["valid"]) == (4, 1.0)
        assert rows[name]["p50_ms"] > 0
    assert "OPENROUTER_API_KEY" in rows["openrouter"]["unavailable"]
    assert "--model" in rows["logprobs"]["unavailable"]
    assert "weights" in rows["laya"]["unavailable"]
    assert len(rows) == 6
    assert "jevcompat-mock-0.1" in capsys.readouterr().out


def test_an_unknown_model_is_wrong_usage(frozen: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--models", "gpt", "--ticks", str(frozen)]) == 2
    assert "No decision model 'gpt'" in capsys.readouterr().err


@pytest.mark.usefixtures("frozen")
def test_ticks_of_real_episodes_are_the_first_ones_of_each() -> None:
    ticks = collect(["click-test", "enter-text"], [100])
    assert {tick.goal for tick in ticks} == {ticks[0].goal, ticks[-1].goal}
    assert 2 <= len(ticks) <= 2 * PER_EPISODE
    assert all(tick.candidates for tick in ticks)
