"""Any agent on any page, as a person would run it: what is printed, how it exits, and what is kept."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from benchmark.decisions.replay import main as replay
from benchmark.records.rows import EpisodeRecord, StepRecord
from benchmark.records.store import EPISODES, STEPS, read_rows
from benchmark.records.ticks import read_run
from benchmark.run_page import main

FORM = """<!doctype html><title>Search</title>
<form action=/found><label>Query <input name=q></label><button>Search</button></form>"""
FOUND = "<!doctype html><title>Results</title><p>3 results</p>"
LOGIN = """<!doctype html><title>Log in</title>
<form action=/found><input type=password aria-label=Password name=p><button>Log in</button></form>"""
GOAL = 'Enter "gardens" and press Search'
KEY = "sk-planted-3f9a"


@pytest.fixture
def site(httpserver: HTTPServer) -> HTTPServer:
    for path, body in (("/", FORM), ("/found", FOUND), ("/login", LOGIN)):
        httpserver.expect_request(path, method="GET").respond_with_data(body, content_type="text/html")
    return httpserver


class Endpoint:
    """Types into the first field, presses the button, then says what it found."""

    def __init__(self, server: HTTPServer) -> None:
        self.base_url = server.url_for("/v1")
        server.expect_request("/v1/chat/completions", method="POST").respond_with_handler(self._respond)

    def _respond(self, request: Request) -> Response:
        page = request.json["messages"][-1]["content"]
        action: dict[str, object] = {"type": "finish", "message": "There are 3 results."}
        if field := re.search(r"\[(\d+)\] textbox[^\n]*empty", page):
            action = {"type": "type", "element_id": int(field[1]), "text": "gardens"}
        elif button := re.search(r"\[(\d+)\] button", page):
            action = {"type": "click", "element_id": int(button[1])}
        answer = {
            "id": "1", "object": "chat.completion", "created": 1, "model": "m-2026",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {
                "role": "assistant", "content": json.dumps({"reason": "as asked", "action": action})}}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10},
        }  # fmt: skip
        return Response(json.dumps(answer), content_type="application/json")


def the_episode(out: Path) -> EpisodeRecord:
    [record] = read_rows(out / EPISODES, EpisodeRecord)
    return record


def test_jev_fills_a_form_and_finishes(site: HTTPServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([site.url_for("/"), "--goal", GOAL, "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert f"Goal     {GOAL}\nPage     {site.url_for('/')}\nAgent    jev with embedded" in said
    assert re.search(
        r'Step 1 .*\("Search", 2 elements\)\n  type \[1\] textbox "Query" "gardens"\n  why:  p 0\.\d\d', said
    )
    assert "Step 3" in said
    assert "End      finished - the agent says that it is done" in said
    record = the_episode(tmp_path)
    assert (record.end, record.goal, record.reward) == ("finished", GOAL, 0.0)
    assert (tmp_path / str(record.picture)).read_bytes().startswith(b"\x89PNG")
    assert f"Picture  {tmp_path}/{record.picture}\nRecords  {tmp_path}\nReport   {tmp_path}/report/index.html" in said
    assert (tmp_path / "report" / "index.html").exists()
    assert len(read_run(tmp_path)) == 3
    assert replay([str(tmp_path)]) == 0


def test_a_chat_agents_answer_and_cost_are_told(
    site: HTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("A_KEY", KEY)
    chat = ["--agent", "react", "--model", "asked", "--base-url", Endpoint(site).base_url, "--api-key-env", "A_KEY"]
    assert main([site.url_for("/"), "--goal", GOAL, *chat, "--show-table", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert '    [2] button "Search"' in said
    assert "  why:  as asked" in said
    assert "1 call, 100 tokens in, 10 out, cost unknown" in said
    assert "Answer   There are 3 results.\nEnd      finished" in said
    assert "Took     3 steps" in said
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY not in said
    assert KEY.encode() not in kept


def test_steps_that_run_out_are_exit_1(site: HTTPServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([site.url_for("/"), "--goal", GOAL, "--max-steps", "1", "--out", str(tmp_path)]) == 1
    assert "End      max steps - all steps are used up; --max-steps allows more" in capsys.readouterr().out
    assert (tmp_path / str(the_episode(tmp_path).picture)).exists()


def test_an_address_where_nothing_answers_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["http://127.0.0.1:9/", "--goal", "x", "--out", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    assert "Is the address right, and its server running?" in said
    assert "Step" not in said
    assert the_episode(tmp_path).end == "environment_error"


@pytest.mark.parametrize(("more", "typed"), [([], False), (["--allow-credentials"], True)])
def test_a_password_goes_into_its_field_only_where_it_is_allowed(
    site: HTTPServer, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], typed: bool
) -> None:
    goal = 'Enter the password "x7y" and press Log in'
    main([site.url_for("/login"), "--goal", goal, "--max-steps", "2", "--out", str(tmp_path), *more])
    said = capsys.readouterr().out
    assert ('type [1] textbox "Password" "(credential)"' in said) is typed
    steps = (tmp_path / STEPS).read_text()
    assert ('"text":"(credential)"' in steps) is typed
    assert all(json.loads(line)["action"].get("text") != "x7y" for line in steps.splitlines())


def test_a_run_into_the_same_folder_goes_beside_the_first(site: HTTPServer, tmp_path: Path) -> None:
    for _ in range(2):
        assert main([site.url_for("/"), "--goal", GOAL, "--out", str(tmp_path)]) == 0
    rows = list(read_rows(tmp_path / EPISODES, EpisodeRecord))
    assert len({row.episode_id for row in rows}) == len(rows) == 2
    assert len(list((tmp_path / "pictures").iterdir())) == 2


def test_ctrl_c_is_exit_130_and_keeps_the_steps_and_a_picture(site: HTTPServer, tmp_path: Path) -> None:
    command = [site.url_for("/"), "--goal", "Wait", "--agent", "random", "--max-steps", "1000", "--out", str(tmp_path)]
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmark.run_page", *command],
        start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_for(lambda: (tmp_path / STEPS).exists() and (tmp_path / STEPS).stat().st_size > 0)
    os.killpg(process.pid, signal.SIGINT)
    said, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.splitlines() == [
        "Stopping after this step; Ctrl-C again stops at once.", "Interrupted; the steps so far are recorded."
    ]  # fmt: skip
    assert "Step 1 " in said
    assert said.endswith(f"\nRecords  {tmp_path}\n")
    assert len(list((tmp_path / "pictures").iterdir())) == 1
    assert list(read_rows(tmp_path / STEPS, StepRecord))


def wait_for(there: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not there():
        assert time.monotonic() < deadline, "nothing within 60 s"
        time.sleep(0.05)
