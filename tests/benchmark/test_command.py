"""What every command line does alike: exit codes, one sentence, which records stand in a table, Ctrl-C."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from agent.decision_models import AgentConfigError
from benchmark.command import comparable, interruptible, report, run_command, verdict
from benchmark.errors import RecordDamaged, RecordNotWritten, UsageError
from benchmark.records.rows import EpisodeRecord, JobKey
from benchmark.records.store import RecordStore
from browser.errors import BrowserNotFound, BrowserStartFailed

MakeEpisode = Callable[..., EpisodeRecord]
MakeJob = Callable[..., JobKey]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("No such task."), 2),
        (AgentConfigError("No such agent."), 2),
        (typer.BadParameter("no good"), 2),
        (RecordDamaged("Line 3 is cut off."), 1),
        (RecordNotWritten("No space."), 1),
        (BrowserNotFound("No browser."), 1),
        (BrowserStartFailed("It did not start."), 1),
        (KeyboardInterrupt(), 130),
    ],
)
def test_what_goes_wrong_on_purpose_is_one_sentence_and_a_code(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    app = typer.Typer(add_completion=False)

    @app.command()
    def fail() -> int:
        raise error

    assert run_command(app, [], "fail") == code
    said = capsys.readouterr().err.strip()
    assert said
    assert "\n" not in said


def test_a_bug_keeps_its_traceback() -> None:
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

    @app.command()
    def fail() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_command(app, [], "fail")


def test_all_scored_is_0(tmp_path: Path, make_episode: MakeEpisode, capsys: pytest.CaptureFixture[str]) -> None:
    with RecordStore(tmp_path) as store:
        store.append_episode(make_episode(end="failed", reward=0.0))
        assert verdict([make_episode().key], store) == 0
    assert capsys.readouterr().err == ""


def test_what_is_left_to_do_is_1_and_told(
    tmp_path: Path, make_episode: MakeEpisode, make_job: MakeJob, capsys: pytest.CaptureFixture[str]
) -> None:
    with RecordStore(tmp_path) as store:
        store.append_episode(make_episode(seed=0))
        store.append_episode(make_episode(seed=1, end="browser_crash", error="The browser is gone."))
        assert verdict([make_job(seed=seed) for seed in range(3)], store) == 1
    said = capsys.readouterr().err
    assert said == (
        "2 of 3 episodes are not scored: browser_crash 1, not run 1 (the first: press seed 1: The browser is gone.); "
        "the same command tries them again.\n"
    )


def test_a_table_holds_the_same_episodes_in_the_same_environment(make_episode: MakeEpisode, make_job: MakeJob) -> None:
    ours = {"agent": {"agent": "jev"}, "environment": {"max_steps": 10}}
    records = {
        "own": make_episode(settings=ours),
        "own, not asked for": make_episode(seed=4, settings=ours),
        "other agent": make_episode(agent="random", settings_hash="r", settings=ours | {"agent": {}}),
        "other agent, other task": make_episode(agent="random", task="x", settings_hash="r", settings=ours),
        "other limits": make_episode(
            agent="random", settings_hash="s", settings=ours | {"environment": {"max_steps": 5}}
        ),
    }
    found = comparable(records.values(), [make_job()])
    assert found == [records["own"], records["other agent"]]


def test_a_report_is_printed_and_written(
    tmp_path: Path, make_episode: MakeEpisode, capsys: pytest.CaptureFixture[str]
) -> None:
    with RecordStore(tmp_path) as store:
        report([make_episode()], store, "Title", ["Command: run --tasks click-[ab]"])
    printed = capsys.readouterr().out
    assert all(word in printed for word in ("Title", "jev", "m-1", "click-[ab]"))
    assert (tmp_path / "summary.md").read_text().startswith("# Title\n\n| agent | model |")
    assert (tmp_path / "summary.csv").read_text().count("\n") == 2
    assert (tmp_path / "per_task.csv").read_text().splitlines()[1].startswith("jev,m-1,abc,press,1,0,1.0")
    assert {path.name for path in tmp_path.iterdir()} == {
        ".lock", "episodes.jsonl", "steps.jsonl", "summary.md", "summary.csv", "per_task.csv"
    }  # fmt: skip


def test_a_table_that_cannot_be_written_is_said(tmp_path: Path, make_episode: MakeEpisode) -> None:
    (tmp_path / "summary.md").mkdir()
    with RecordStore(tmp_path) as store, pytest.raises(UsageError, match=r"Cannot write .*summary\.md: Is a directory"):
        report([make_episode()], store, "Title", [])


def test_ctrl_c_only_sets_a_flag_inside_the_block() -> None:
    before = signal.getsignal(signal.SIGINT)
    with interruptible() as interrupted:
        assert not interrupted()
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupted()
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_ctrl_c_ends_the_program_at_once() -> None:
    code = (
        "import os, signal\nfrom benchmark.command import interruptible\n"
        "with interruptible():\n    os.kill(os.getpid(), signal.SIGINT)\n    os.kill(os.getpid(), signal.SIGINT)\n"
        "    while True: pass\n"
    )
    done = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 130
    assert done.stderr == "Interrupted; the same command goes on where this one stopped.\n"


def test_another_thread_may_run_a_command_too() -> None:
    seen = []

    def run() -> None:
        with interruptible() as interrupted:
            seen.append(interrupted())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [False]
