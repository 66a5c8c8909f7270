"""Agents that chat, from the command line on: an endpoint on loopback, a real small model, records, replay, money."""

import json
import logging
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import psutil
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from benchmark.measure import cascade_curve
from benchmark.miniwob.pages import URL_VARIABLE
from benchmark.records.rows import EpisodeRecord, StepRecord
from benchmark.records.store import EPISODES, STEPS, read_rows
from benchmark.report import pages
from benchmark.run_miniwob import main
from llm.weights import WeightsError, fetch_weights

KEY_VARIABLE = "LAB_TEST_KEY"
KEY = "sk-planted-7d1f0c5e9b"
TASKS = "click-test,click-button"
# Dollars that the endpoint below says each call has cost.
PRICE = 0.01


@pytest.fixture(autouse=True)
def _pages_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(URL_VARIABLE, raising=False)


class Endpoint:
    """Clicks the last id of a page, plans one step, and writes down what it was asked."""

    def __init__(self, server: HTTPServer) -> None:
        self.base_url = server.url_for("/v1")
        self.keys: list[str | None] = []
        self.status = 200
        self.cost: float | None = PRICE
        server.expect_request("/v1/chat/completions", method="POST").respond_with_handler(self._respond)

    def _respond(self, request: Request) -> Response:
        self.keys.append(request.headers.get("Authorization"))
        if self.status != 200:
            body = {"error": {"message": f"Wrong key {self.keys[-1]}"}}
            return Response(json.dumps(body), self.status, content_type="application/json")
        content = request.json["messages"][-1]["content"]
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 40}}
        answer = {
            "id": "1", "object": "chat.completion", "created": 1, "model": "m-2026",
            "choices": [{"index": 0, "finish_reason": "stop",
                         "message": {"role": "assistant", "content": self._answer(content)}}],
            "usage": usage | ({} if self.cost is None else {"cost": self.cost}),
        }  # fmt: skip
        return Response(json.dumps(answer), content_type="application/json")

    def _answer(self, content: str) -> str:
        if '{"steps"' in content:
            return '{"steps": ["Click the button"]}'
        if "Which text goes into" in content:
            return '{"text": "a polite answer"}'
        if '{"current_step"' in content:
            return '{"current_step": "open"}'
        ids = re.findall(r"\[(\d+)\] button", content)
        return json.dumps({"reason": "the last button", "action": {"type": "click", "element_id": int(ids[-1])}})


@pytest.fixture
def endpoint(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Endpoint:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    return Endpoint(httpserver)


@pytest.fixture
def command(endpoint: Endpoint, tmp_path: Path) -> Callable[..., list[str]]:
    def make(*more: str, agent: str = "react", out: str = "run", tasks: str = TASKS) -> list[str]:
        return [
            "--agent", agent, "--model", "asked-for", "--base-url", endpoint.base_url, "--api-key-env", KEY_VARIABLE,
            "--tasks", tasks, "--seeds", "1", "--max-steps", "2", "--quiet", "--out", str(tmp_path / out), *more,
        ]  # fmt: skip

    return make


Command = Callable[..., list[str]]


def episodes(out: Path) -> list[EpisodeRecord]:
    return list(read_rows(out / EPISODES, EpisodeRecord))


def steps(out: Path) -> list[StepRecord]:
    return list(read_rows(out / STEPS, StepRecord))


def files_with(folder: Path, text: str) -> list[str]:
    return [str(p) for p in folder.rglob("*") if p.is_file() and text.encode() in p.read_bytes()]


def test_a_run_keeps_what_the_model_took(command: Command, endpoint: Endpoint, tmp_path: Path) -> None:
    assert main(command()) == 0
    rows = episodes(tmp_path / "run")
    assert [row.end for row in rows[:2]] == ["success", "success" if rows[1].reward else "failed"]
    for row in rows:
        calls = len(row.decisions_ms)
        assert (row.model, row.models) == ("asked-for", ("m-2026",))
        assert (row.input_tokens, row.cached_tokens, row.output_tokens) == (100 * calls, 40 * calls, 10 * calls)
        assert (row.cost_usd, row.cost_sources) == (pytest.approx(PRICE * calls), ("provider",))
    assert "$0.0" in (tmp_path / "run" / "summary.md").read_text()
    assert rows[0].settings["agent"]["endpoint"]["temperature"] == 0.0  # type: ignore[index, call-overload]


def test_a_cascades_curve_is_made_from_the_records_of_its_runs(
    command: Command, endpoint: Endpoint, tmp_path: Path
) -> None:
    arguments = command(agent="", tasks="click-test")[2:-2]
    thresholds = ["--thresholds", "1.01,0,0.95", "--out", str(tmp_path)]
    assert cascade_curve.main([*thresholds, *arguments]) == 0
    table = pd.read_csv(tmp_path / "curve.csv").set_index("threshold")
    assert list(table.index) == [0, 0.95, 1.01]
    assert list(table["episodes"]) == [1] * 3
    assert (table["chat_calls"][0], table["chat_share"][0], table["input_tokens"][0]) == (0, 0, 0)
    assert (table["chat_share"][1.01], table["input_tokens"][1.01]) == (1, 100 * table["chat_calls"][1.01])
    assert table["chat_share"].is_monotonic_increasing
    assert len(endpoint.keys) == table["chat_calls"].sum()
    assert len(json.loads((tmp_path / "curve.json").read_text())) == 3
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    configs = {
        t: [row.settings["agent"]["threshold"] for row in episodes(tmp_path / f"threshold-{t}")]  # type: ignore[index, call-overload]
        for t in ("0", "1.01")
    }
    assert configs == {"0": [0.0], "1.01": [1.01]}
    before = len(endpoint.keys)
    assert cascade_curve.main([*thresholds, *arguments]) == 0  # all is done: the curve is drawn again from the records
    assert len(endpoint.keys) == before


def test_a_decision_agent_has_a_writer_beside_its_model(command: Command, endpoint: Endpoint, tmp_path: Path) -> None:
    arguments = ["--agent", "jev", "--writer", "asked-for", *command(tasks="search-engine")[4:]]
    assert main(arguments) == 0
    [row] = episodes(tmp_path / "run")
    assert row.models[0].startswith("embedded")
    config = row.settings["agent"]
    assert config["writer"]["model"] == "asked-for"  # type: ignore[index, call-overload]
    assert config["writer"]["endpoint"]["temperature"] == 0.0  # type: ignore[index, call-overload]
    calls = [call.kind for step in steps(tmp_path / "run") for call in step.calls]
    assert set(calls) <= {"decision", "writer"}
    assert calls.count("writer") <= len(endpoint.keys)


@pytest.mark.parametrize("agent", ["direct", "react", "planner"])
def test_a_recorded_run_is_replayed_without_key_endpoint_or_cost(
    command: Command, endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    cache = ["--llm-cache-dir", str(tmp_path / "cache")]
    assert main(command("--llm-cache", "record", *cache, agent=agent, out="first")) == 0
    asked = len(endpoint.keys)
    monkeypatch.delenv(KEY_VARIABLE)
    endpoint.status = 500
    assert main(command("--llm-cache", "replay", *cache, agent=agent, out="again")) == 0
    assert len(endpoint.keys) == asked > 0
    assert "Answers were replayed from a recording" in capsys.readouterr().out
    first, again = ([row.model_dump() for row in steps(tmp_path / out)] for out in ("first", "again"))
    for name in ("task", "action", "reason", "plan", "reward", "page_changed", "settings_hash"):
        assert [row[name] for row in again] == [row[name] for row in first], name
    assert all(row.cost_usd == 0 and row.cost_sources == ("replayed",) for row in episodes(tmp_path / "again"))
    assert [row.input_tokens for row in episodes(tmp_path / "again")] == [
        row.input_tokens for row in episodes(tmp_path / "first")
    ]
    if agent == "planner":
        assert all(row["plan"] is not None for row in first)


def test_a_replay_that_lacks_an_answer_calls_nobody(
    command: Command, endpoint: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    replay = ["--llm-cache", "replay", "--llm-cache-dir", str(tmp_path / "cache"), "--retry-errors", "0"]
    assert main(command(*replay, tasks="click-test")) == 1
    assert endpoint.keys == []
    assert {row.end for row in episodes(tmp_path / "run")} == {"model_error"}
    assert "model_error 1" in capsys.readouterr().err


def test_the_key_is_in_nothing_that_is_kept_or_said(
    command: Command, endpoint: Endpoint, tmp_path: Path, capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    caplog.set_level(logging.DEBUG)
    cache = ["--llm-cache", "record", "--llm-cache-dir", str(tmp_path / "cache")]
    assert main(command(*cache)) == 0
    endpoint.status = 401
    assert main(command("--retry-errors", "0", *cache, agent="planner")) == 1
    assert pages.main([str(tmp_path / "run"), "--quiet"]) == 0
    assert set(endpoint.keys) == {f"Bearer {KEY}"}
    said = capfd.readouterr()
    assert KEY_VARIABLE in said.err, "the way out"
    assert {row.end for row in episodes(tmp_path / "run") if row.agent == "planner"} == {"model_error"}
    assert KEY not in said.out + said.err + caplog.text
    assert KEY not in "".join(map(str, (record.__dict__ for record in caplog.records)))
    assert files_with(tmp_path, "asked-for"), "there is something to search"
    assert files_with(tmp_path, KEY) == []


def test_the_runs_money_is_a_limit_that_keeps_what_is_done(
    command: Command, endpoint: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def limited(dollars: float) -> int:
        return main(command("--max-cost", str(dollars), tasks="click-test,click-test-2,click-button"))

    assert limited(PRICE / 2) == 1  # the first call is made, since nothing is spent before it
    rows = episodes(tmp_path / "run")
    assert [(row.task, row.end) for row in rows] == [("click-test", "success"), ("click-test-2", "cancelled")]
    assert "The run has spent its limit of $0.005" in capsys.readouterr().err
    assert len(endpoint.keys) == 1
    assert limited(PRICE / 2) == 1
    assert len(endpoint.keys) == 1, "the limit holds for the folder, not for the command"
    assert limited(1.0) == 0
    assert len(endpoint.keys) > 1
    assert sum(row.scored for row in episodes(tmp_path / "run")) == 3


def test_an_episodes_money_ends_the_episode(command: Command, tmp_path: Path) -> None:
    assert main(command("--max-cost-episode", str(PRICE / 2), agent="planner", tasks="click-test")) == 0
    [row] = episodes(tmp_path / "run")
    assert (row.end, row.scored, row.cost_usd) == ("cost_limit", True, pytest.approx(PRICE))


def test_money_is_not_limited_where_prices_are_unknown(
    command: Command, endpoint: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.cost = None
    limit = ["--max-cost", "1"]
    assert main(command(*limit)) == 1
    assert [row.end for row in episodes(tmp_path / "run")] == ["cancelled"]
    assert "What m-2026 costs is unknown" in capsys.readouterr().err
    assert main(command(*limit)) == 2
    assert "--max-cost cannot be kept; give another --out." in capsys.readouterr().err
    (tmp_path / "prices.toml").write_text('["m-2026"]\ninput = 1.0\noutput = 10.0\n')
    assert main(command(*limit, "--prices", str(tmp_path / "prices.toml"), out="priced")) == 0
    assert all(row.cost_sources == ("price file",) for row in episodes(tmp_path / "priced"))
    assert main(command(out="free", tasks="click-test")) == 0
    assert "unpriced" in (tmp_path / "free" / "summary.md").read_text()


@pytest.fixture
def small_model(monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("LOCAL_MODEL", raising=False)
    try:
        return fetch_weights()
    except WeightsError as error:
        pytest.skip(str(error))


def local(out: Path, agent: str, *more: str, tasks: str = "click-test") -> list[str]:
    return [
        "--agent", agent, "--model", "local", "--tasks", tasks, "--seeds", "1", "--max-steps", "2", "--quiet",
        "--out", str(out), *more,
    ]  # fmt: skip


@pytest.mark.parametrize("agent", ["direct", "planner"])  # react has the same below, with two workers
def test_a_model_on_this_machine_needs_nothing_else(tmp_path: Path, small_model: Path, agent: str) -> None:
    before = set(psutil.Process().children())  # other tests of this process may serve the model too
    assert main(local(tmp_path, agent)) == 0
    [row] = episodes(tmp_path)
    assert (row.model, row.models) == ("local", (small_model.stem,))
    assert row.input_tokens
    assert row.output_tokens
    assert (row.cost_usd, row.cost_sources) == (0.0, ("local server",))
    assert all(step.end != "bad_output" for step in steps(tmp_path)) or agent == "planner"
    assert not [p for p in set(psutil.Process().children()) - before if "llm.serve" in p.cmdline()]


def test_two_workers_share_one_server(tmp_path: Path, small_model: Path) -> None:
    command = local(tmp_path, "react", "--workers", "2", tasks="click-test,click-test-2")
    done = subprocess.run(
        [sys.executable, "-m", "benchmark.run_miniwob", *command], capture_output=True, text=True, timeout=110,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert len(episodes(tmp_path)) == 2


@pytest.fixture
def started(tmp_path: Path, small_model: Path) -> "Iterator[subprocess.Popen[str]]":
    """A run with a model of its own that has just decided once."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmark.run_miniwob", *local(tmp_path, "react", "--seeds", "50")],
        start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not ((tmp_path / STEPS).exists() and (tmp_path / STEPS).stat().st_size):
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline, "no step within 60 s"
        time.sleep(0.05)
    yield process
    process.kill()
    process.communicate()


def test_the_server_ends_with_a_run_that_is_interrupted(tmp_path: Path, started: "subprocess.Popen[str]") -> None:
    below = psutil.Process(started.pid).children(recursive=True)
    assert any("llm.serve" in process.cmdline() for process in below)
    begun = time.monotonic()
    os.killpg(started.pid, signal.SIGINT)  # as a terminal does: it reaches the server too
    said = started.communicate(timeout=60)[1]
    assert (said, started.returncode) == ("Interrupted; the same command goes on where this one stopped.\n", 130)
    assert time.monotonic() - begun < 30
    assert not psutil.wait_procs(below, timeout=10)[1]
    assert {row.end for row in episodes(tmp_path)} <= {"success", "failed", "max_steps", "bad_output"}
