"""The command line before any browser starts: what is wrong is one sentence and an exit code."""

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.policy import DEFAULT_POLICY, Policy
from benchmark.miniwob.pages import URL_VARIABLE
from benchmark.miniwob.tasks import ACTION_SETS, BENCHMARK
from benchmark.miniwob.worker import miniwob_setup
from benchmark.records.provenance import provenance
from benchmark.records.rows import EpisodeRecord
from benchmark.records.store import EPISODES, RecordStore
from benchmark.run_miniwob import main
from benchmark.running.runner import Setup, plan


@pytest.fixture(autouse=True)
def _no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test here that gets as far as a browser fails at once."""
    monkeypatch.setenv("BROWSER_EXECUTABLE", "/no/such/browser")
    monkeypatch.delenv(URL_VARIABLE, raising=False)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--agent", "nobody"], "No agent 'nobody'"),
        (["--agent", "jev", "--decision-model", "nothing"], "No decision model 'nothing'"),
        (["--agent", "random", "--model", "embedded"], "random"),
        (["--tasks", "clik-test"], "did you mean click-test"),
        (["--tasks", ""], "No tasks given"),
        (["--seeds", "five"], "--seeds has 'five', which is not a seed"),
        (["--seeds", "0"], "--seeds 0 asks for no episode"),
        (["--max-steps", "0"], "--max-steps is 0"),
        (["--max-steps", "many"], "--max-steps"),
        (["--actions", "all"], "--actions"),
        (["--workers", "0"], "--workers is 0"),
        (["--workers", "2", "--port", "8000"], "each worker has its own"),
        (["--ray-address", "auto"], "--ray-address is for more than one worker"),
        (["--agent", "jev", "--policy", "guads=off"], "no switch 'guads' here"),
        (["--agent", "jev", "--policy", "recovery=on"], "Recovery asks a chat model for a plan"),
        (
            ["--agent", "react", "--model", "m", "--policy", "recovery=on"],
            "no switch 'recovery' here; there are guards.",
        ),
        (["--agent", "random", "--policy", "joint=on"], "The agent random has no policy"),
        (["--agent", "jev", "--threshold", "0.5"], "--threshold is for the agent cascade; leave it out for jev."),
        (["--agent", "cascade", "--model", "m", "--threshold", "-1"], "--threshold is -1; give a probability"),
        (["--agent", "cascade", "--model", "m", "--threshold", "nan"], "--threshold is nan"),
        (["--agent", "cascade"], "The agent cascade needs a chat model"),
        (["--retry-errors", "-1"], "--retry-errors is -1"),
        (["--port", "99999"], "Cannot serve pages on port 99999"),
        (["--surprise"], "--surprise"),
        (["extra"], "extra"),
    ],
)
def test_wrong_usage_is_one_sentence_and_exit_2(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = [] if "--agent" in arguments else ["--agent", "random"]
    assert main([*agent, *arguments, "--out", str(tmp_path / "run")]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert not list(tmp_path.glob("run/*.jsonl")) or "port" in words


def test_an_out_folder_that_cannot_be_written_is_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main(["--agent", "random", "--out", str(tmp_path / "file" / "run")]) == 2
    assert capsys.readouterr().err == (
        f"Cannot write records to {tmp_path}/file/run: Not a directory; give another folder.\n"
    )


def test_a_port_that_is_taken_is_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["--agent", "random", "--out", str(tmp_path), "--port", port]) == 2
    said = capsys.readouterr().err
    assert f"port {port}: Address already in use" in said
    assert said.count("\n") == 1


def test_a_browser_that_is_not_there_is_exit_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--agent", "random", "--out", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "/no/such/browser" in said
    assert said.count("\n") == 1
    assert (tmp_path / EPISODES).read_bytes() == b""


def test_a_damaged_record_file_is_exit_1_until_repaired(
    tmp_path: Path, make_episode: Callable[..., EpisodeRecord], capsys: pytest.CaptureFixture[str]
) -> None:
    with RecordStore(tmp_path) as store:
        store.append_episode(make_episode())
    half = (tmp_path / EPISODES).read_bytes()[:200]
    (tmp_path / EPISODES).write_bytes(half)
    command = ["--agent", "random", "--out", str(tmp_path)]
    assert main(command) == 1
    said = capsys.readouterr().err
    assert f"{tmp_path / EPISODES} line 1 is cut off" in said
    assert "--repair" in said
    assert said.count("\n") == 1
    assert (tmp_path / EPISODES).read_bytes() == half
    assert main([*command, "--repair"]) == 1
    assert "/no/such/browser" in capsys.readouterr().err
    assert (tmp_path / f"{EPISODES}.damaged").read_bytes() == half + b"\n"


def test_a_dry_run_says_what_would_run_and_touches_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["--agent", "random", "--tasks", "click-test,enter-text", "--seeds", "7,9", "--dry-run"]
    assert main([*command, "--out", str(tmp_path / "new")]) == 0
    said = capsys.readouterr().out
    assert said == "4 of 4 episodes would run.\nclick-test: seeds 7, 9\nenter-text: seeds 7, 9\n"
    assert not (tmp_path / "new").exists()


def test_starting_over_keeps_the_earlier_records(
    tmp_path: Path, make_episode: Callable[..., EpisodeRecord], capsys: pytest.CaptureFixture[str]
) -> None:
    with RecordStore(tmp_path) as store:
        store.append_episode(make_episode())
    before = (tmp_path / EPISODES).read_bytes()
    assert main(["--agent", "random", "--out", str(tmp_path), "--fresh"]) == 1
    said = capsys.readouterr()
    assert f"Renamed the earlier records to {tmp_path / EPISODES}.old." in said.out
    assert "/no/such/browser" in said.err
    assert (tmp_path / f"{EPISODES}.old").read_bytes() == before
    assert (tmp_path / EPISODES).read_bytes() == b""


def test_help_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    said = capsys.readouterr().out
    for option in (
        "agent", "model", "decision-model", "tasks", "seeds", "max-steps", "out", "strict-url", "port", "workers",
        "ray-address", "retry-errors", "fresh", "dry-run", "repair", "quiet", "policy",
    ):  # fmt: skip
        assert f"--{option}" in said


def test_runs_with_another_policy_are_other_runs() -> None:
    policies = (DEFAULT_POLICY, Policy(press_enter=False), Policy(joint=True), Policy(joint=False))
    jobs = [
        plan(BENCHMARK, ("click-test",), (0,), agent="jev", model=None, settings=setup.settings)
        for setup in (miniwob_setup("jev", 3, False, provenance([]), policy=policy) for policy in policies)
    ]
    assert len(set(jobs)) == len(policies)


def test_runs_with_other_actions_are_other_runs_and_their_agents_are_told() -> None:
    made: dict[str, Setup] = {
        name: miniwob_setup("random", 3, False, provenance([]), actions=name) for name in ACTION_SETS
    }
    jobs = {
        name: plan(BENCHMARK, ("click-test",), (0,), agent="random", model=None, settings=setup.settings)
        for name, setup in made.items()
    }
    assert jobs["core"] != jobs["extended"]
    for name, setup in made.items():
        environment, agent = setup.settings["environment"], setup.settings["agent"]
        assert isinstance(environment, dict)
        assert isinstance(agent, dict)
        assert environment["action_set"] == name
        assert environment["actions"] == agent["offered"] == list(ACTION_SETS[name])
