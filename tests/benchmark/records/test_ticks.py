"""Ticks on disk: everything a decision was made from, whole or not at all. Policy rule R1."""

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent.agent import AgentStep
from agent.decision import DecisionAgent
from agent.decision_model import WireModel
from agent.embedded import EmbeddedModel
from benchmark.errors import RecordDamaged, RecordNotWritten, UsageError
from benchmark.records.rows import JobKey, StepRecord
from benchmark.records.store import STEPS, RecordStore, read_rows
from benchmark.records.ticks import FOLDER, TickRecord, append_tick, read_run, read_ticks, ticks_path
from benchmark.running.runner import Setup, Worker, run_one
from browser.actions import ActionName
from llm.scripted import ScriptedDecisions

OFFERED: tuple[ActionName, ...] = ("click", "type", "finish")
OUTCOMES = [(0.0, False, None), (0.0, False, None), (1.0, True, 1.0)]

KeptRun = Callable[..., Path]


def wire(**choices: str) -> DecisionAgent:
    return DecisionAgent(WireModel(ScriptedDecisions(lambda *_: choices)), OFFERED)


def the_file(run: Path) -> Path:
    [path] = (run / FOLDER).iterdir()
    return path


def test_each_step_keeps_page_past_candidates_request_and_answers(kept_run: KeptRun) -> None:
    client = ScriptedDecisions(lambda *_: {"target_CLICK": "3"})
    run = kept_run(DecisionAgent(WireModel(client), OFFERED), OUTCOMES)
    rows = read_ticks(the_file(run))
    steps = list(read_rows(run / STEPS, StepRecord))
    assert [row.index for row in rows] == [step.index for step in steps] == [0, 1, 2]
    assert [row.seen for row in rows] == [step.observation for step in steps]
    assert {row.episode_id for row in rows} == {step.episode_id for step in steps}
    assert {row.key for row in rows} == {step.key for step in steps}
    for number, row in enumerate(rows):
        assert row.decided is not None
        assert row.decided.exchange is not None
        assert len(row.decided.tick.history) == number
        told = row.decided.exchange
        assert (told.state, told.questions) == client.requests[number]
        assert set(told.answers["target_CLICK"].probabilities) == {"1", "2", "3"}
        assert row.decided.chosen is not None
        assert row.decided.chosen.element_id == 3
        assert row.config["offered"] == list(OFFERED)


def test_a_model_in_process_keeps_every_probability(kept_run: KeptRun) -> None:
    [first, *_] = read_run(kept_run(DecisionAgent(EmbeddedModel(), OFFERED), OUTCOMES))
    assert first.decided is not None
    assert first.decided.exchange is None
    assert len(first.decided.probabilities) == len(first.decided.tick.candidates) > 1


def test_an_agent_without_a_decision_model_keeps_the_page(
    tmp_path: Path, make_run: Callable[..., tuple[Setup, Worker]], make_job: Callable[..., JobKey], click: AgentStep
) -> None:
    setup, worker = make_run([click], OUTCOMES[2:])
    with RecordStore(tmp_path) as store:
        run_one(make_job(), replace(setup, keep_ticks=True), worker, store)
    [row] = read_run(tmp_path)
    assert row.decided is None
    assert row.seen.elements[0].name == "Go"


def test_nothing_is_kept_unasked(
    tmp_path: Path, make_run: Callable[..., tuple[Setup, Worker]], make_job: Callable[..., JobKey], click: AgentStep
) -> None:
    setup, worker = make_run([click], OUTCOMES[2:])
    with RecordStore(tmp_path) as store:
        run_one(make_job(), setup, worker, store)
    assert not (tmp_path / FOLDER).exists()
    with pytest.raises(UsageError, match="holds no ticks; run it with --keep-ticks"):
        read_run(tmp_path)


def test_a_tick_is_on_disk_before_the_next_one_is_decided(kept_run: KeptRun, tmp_path: Path) -> None:
    on_disk: list[int] = []

    def look(*_: Any) -> dict[str, str]:
        on_disk.append(sum(len(read_ticks(path)) for path in (tmp_path / "run" / FOLDER).glob("*")))
        return {}

    kept_run(DecisionAgent(WireModel(ScriptedDecisions(look)), OFFERED), OUTCOMES)
    assert on_disk == [0, 1, 2]


def test_a_kill_costs_at_most_the_row_it_falls_into(kept_run: KeptRun) -> None:
    path = the_file(kept_run(wire(), OUTCOMES))
    whole, content = read_ticks(path), path.read_bytes()
    lengths = []
    for end in range(0, len(content) + 1, 7):
        path.write_bytes(content[:end])
        rows = read_ticks(path)
        assert rows == whole[: len(rows)]
        lengths.append(len(rows))
    path.write_bytes(content)
    assert lengths == sorted(lengths)
    assert set(lengths) >= {0, 1, 2}
    assert read_ticks(path) == whole


def test_the_file_is_what_gzip_reads_line_by_line(kept_run: KeptRun) -> None:
    path = the_file(kept_run(wire(), OUTCOMES))
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    assert [json.loads(line)["index"] for line in lines] == [0, 1, 2]
    assert "covered_by" not in lines[0]  # what holds its default is not written
    assert path.stat().st_size < sum(map(len, lines)) / 2


def test_a_file_that_was_changed_is_named(kept_run: KeptRun) -> None:
    path = the_file(kept_run(wire(), OUTCOMES))
    path.write_bytes(b"not gzip" + path.read_bytes())
    with pytest.raises(RecordDamaged, match="is no gzip file"):
        read_ticks(path)
    path.write_bytes(gzip.compress(b'{"index": "x"}\n'))
    with pytest.raises(RecordDamaged, match="row 1 is not a tick of this release"):
        read_ticks(path)


def test_a_disk_that_takes_nothing_stops_the_run_in_one_sentence(kept_run: KeptRun, tmp_path: Path) -> None:
    [row, *_] = read_run(kept_run(wire(), OUTCOMES))
    (tmp_path / "other").mkdir()
    ticks_path(tmp_path / "other", row.episode_id).parent.write_text("in the way")
    with pytest.raises(RecordNotWritten, match="mend that and run the same command again"):
        append_tick(tmp_path / "other", row)


def test_rows_that_a_retry_adds_are_in_a_file_of_their_own(kept_run: KeptRun, make_job: Callable[..., JobKey]) -> None:
    run = kept_run(wire(), OUTCOMES, make_job(seed=4), make_job(seed=3), make_job(seed=4))
    assert len(list((run / FOLDER).iterdir())) == 3
    rows = read_run(run)
    assert [(row.seed, row.index) for row in rows] == [(3, 0), (3, 1), (3, 2), *[(4, 0), (4, 1), (4, 2)] * 2]


@pytest.mark.parametrize("name", ["press", "press:4"])
def test_an_episode_is_named_by_task_and_seed(kept_run: KeptRun, make_job: Callable[..., JobKey], name: str) -> None:
    run = kept_run(wire(), OUTCOMES[2:], make_job(seed=4), make_job(seed=3, task="other"))
    rows: list[TickRecord] = read_run(run, [name])
    assert [(row.task, row.seed) for row in rows] == [("press", 4)]
    assert read_run(run, [rows[0].episode_id]) == rows
    with pytest.raises(UsageError, match="no ticks of 'press:5'"):
        read_run(run, [name, "press:5"])
