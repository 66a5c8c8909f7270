"""The Makefile and setup.sh, seen from outside; an interpreter that only writes down its calls stands in for Python."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
# Answers as far as setup.sh asks, makes the .venv it is asked for, and notes each call.
PYTHON = """#!/bin/sh
echo "$*" >>"$CALLS"
case "$*" in
    *"import ensurepip"*) exit ${ENSUREPIP:-0} ;;
    -c*) echo ${RELEASE:-3.12}; [ "${RELEASE:-3.12}" != 3.13 ] ;;
    "-m venv"*) mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
    "-m pip install"*) exit ${INSTALL:-0} ;;
esac
"""
TOOLS = ("sh", "cat", "cksum", "dirname", "id", "mkdir", "cp")


class Machine:
    """A folder with the project's set-up files, and a path with a few tools and no Python but those given."""

    def __init__(self, folder: Path) -> None:
        self.bin, self.calls, self.project = folder / "bin", folder / "calls", folder / "a project"
        self.bin.mkdir()
        self.project.mkdir()
        for name in ("setup.sh", "pyproject.toml", "constraints.txt"):
            shutil.copy(ROOT / name, self.project)
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found
            (self.bin / tool).symlink_to(found)

    def python(self, name: str, body: str = PYTHON) -> Path:
        path = self.bin / name
        path.write_text(body)
        path.chmod(0o755)
        return path

    def setup(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        self.calls.write_text("")
        environment = {"PATH": str(self.bin), "CALLS": str(self.calls)} | variables
        return subprocess.run(
            [self.bin / "sh", "setup.sh", *arguments], cwd=self.project, env=environment,
            capture_output=True, text=True, timeout=30, check=False,
        )  # fmt: skip

    def installs(self) -> list[str]:
        return [line.split(" -e ")[1] for line in self.calls.read_text().splitlines() if "pip install" in line]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_it_installs_only_what_changed(machine: Machine) -> None:
    machine.python("python3.12")
    assert machine.setup().stdout.splitlines() == ["Making .venv with Python 3.12 ...", "Installing the project ..."]
    assert machine.installs() == ["."]
    again = machine.setup()
    assert (again.stdout, again.returncode, machine.installs()) == ("", 0, [])
    machine.setup("dev")
    assert machine.installs() == [".[dev]"]
    machine.setup()
    assert machine.installs() == []
    with (machine.project / "constraints.txt").open("a") as file:
        file.write("another==1\n")
    machine.setup("dev")
    assert machine.installs() == [".[dev]"]


def test_a_failed_install_is_done_again(machine: Machine) -> None:
    machine.python("python3.12")
    assert machine.setup(INSTALL="1").returncode == 1
    assert machine.setup().returncode == 0
    assert machine.installs() == ["."]


def test_a_copied_folder_installs_its_own_code(machine: Machine) -> None:
    machine.python("python3.12")
    machine.setup()
    copy = machine.project.with_name("a copy")
    shutil.copytree(machine.project, copy)
    machine.project = copy
    machine.setup()
    assert machine.installs() == ["."]


def test_a_shim_that_fails_and_a_wrong_release_are_passed_over(machine: Machine) -> None:
    machine.python("python3.12", "#!/bin/sh\nexit 127\n")
    machine.python("python3.11", PYTHON.replace("3.12}", "3.13}"))
    machine.python("python3", PYTHON.replace("3.12}", "3.11}"))
    assert machine.setup().stdout.splitlines()[0] == "Making .venv with Python 3.11 ..."


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({}, "No Python 3.11 or 3.12 was found; install one"),
        ({"PYTHON": "/no/such/python"}, "PYTHON=/no/such/python is not a Python 3.11 or 3.12 that runs."),
        ({"PYTHON": "other", "RELEASE": "3.13"}, "PYTHON=other is not a Python 3.11 or 3.12 that runs."),
        ({"PYTHON": "other", "ENSUREPIP": "1"}, "sudo apt-get install python3.12-venv"),
    ],
)
def test_one_sentence_where_there_is_no_python(machine: Machine, variables: dict[str, str], said: str) -> None:
    machine.python("other")
    done = machine.setup(**variables)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr


def make(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run make without its set-up, and without what a make around this test hands down."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    }
    return subprocess.run(
        ["make", "-f", str(ROOT / "Makefile"), *arguments, "SETUP=:"], cwd=folder, env=environment | variables,
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_every_target_is_in_the_help(tmp_path: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE))
    phony = re.findall(r"^\.PHONY: (.*)$", makefile, flags=re.MULTILINE)
    assert targets == set(" ".join(phony).split())
    assert targets - {"help"} == set(re.findall(r"^make ([\w-]+)", make(tmp_path, "help").stdout, flags=re.MULTILINE))


@pytest.mark.parametrize(
    "target", ["setup", "miniwob", "run", "baselines", "debug", "bench", "bench-perception", "parity"]
)
def test_nothing_runs_without_a_browser(tmp_path: Path, target: str) -> None:
    runner = tmp_path / "python"
    runner.write_text(f'#!/bin/sh\n[ "$2" = browser.install ] || touch ran\nexec {sys.executable} "$@"\n')
    runner.chmod(0o755)
    done = make(tmp_path, target, f"PY={runner}", BROWSER_EXECUTABLE="/no/such/browser")
    assert done.returncode == 2
    assert "BROWSER_EXECUTABLE is /no/such/browser" in done.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("given", "installed"),
    [
        ([], ""),
        (["WORKERS=1"], ""),
        (["WORKERS=2"], "parallel"),
        (["EXTRA=sparrow"], "sparrow"),
        (["EXTRA=sparrow", "WORKERS=2"], "sparrow,parallel"),
        (["MODEL=local"], "local-llm"),
        (["MODEL=local", "EXTRA=sparrow", "WORKERS=2"], "sparrow,local-llm,parallel"),
        (["MODEL=localized"], ""),
        (["DECISION_MODEL=sparrow"], "sparrow"),
        (["DECISION_MODEL=logprobs", "MODEL=local"], "local-llm"),
    ],
)
@pytest.mark.parametrize("target", ["miniwob", "baselines"])
def test_what_a_run_needs_is_installed_first(tmp_path: Path, target: str, given: list[str], installed: str) -> None:
    would_run = make(tmp_path, target, "-n", *given).stdout.splitlines()
    assert would_run[0].split() == [":", *filter(None, [installed])]


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        ([], ["--agent", "jev"]),
        (["AGENT=random", "TASKS=click-*,x y", "SEEDS=5"],
         ["--agent", "random", "--tasks", "click-*,x y", "--seeds", "5"]),
        (["MODEL=m", "MAX_STEPS=3", "OUT=a b", "ARGS=--quiet --port 1"],
         ["--agent", "jev", "--model", "m", "--max-steps", "3", "--out", "a b", "--quiet", "--port", "1"]),
        (["WORKERS=2"], ["--agent", "jev", "--workers", "2"]),
        (["DECISION_MODEL=typesafe"], ["--agent", "jev", "--decision-model", "typesafe"]),
    ],
)  # fmt: skip
def test_only_what_is_set_is_passed_to_the_runner(tmp_path: Path, given: list[str], passed: list[str]) -> None:
    runner = tmp_path / "python"
    runner.write_text('#!/bin/sh\n[ "$2" = browser.install ] && echo /a/browser && exit\nprintf "%s\\n" "$@"\n')
    runner.chmod(0o755)
    done = make(tmp_path, "miniwob", f"PY={runner}", *given, TASKS="stray", MODEL="stray", DECISION_MODEL="stray")
    assert done.stdout.splitlines() == ["benchmark/run_miniwob.py", *passed]


@pytest.mark.parametrize(
    ("given", "installed"),
    [
        ([], ""),
        (["MODELS=embedded sparrow logprobs:m"], "sparrow"),
        (["MODELS=laya:a/folder sparrow"], "laya,sparrow"),
        (["MODELS=embedded logprobs:local"], "local-llm"),
    ],
)
def test_what_the_asked_models_need_is_installed_first(tmp_path: Path, given: list[str], installed: str) -> None:
    would_run = make(tmp_path, "redecide", "-n", *given).stdout.splitlines()
    assert would_run[0].split() == [":", *filter(None, [installed])]


PAGE = ["URL=http://a/?b=1&c=2", 'GOAL=Tom\'s "x" and $$HOME;']


@pytest.mark.parametrize(
    ("given", "browser", "passed"),
    [
        ([], "any", []),
        (["HEADED=0", "SHOW_TABLE=0"], "any", []),
        (["HEADED=1", "SHOW_TABLE=1"], "--window", ["--headed", "--show-table"]),
        (["MAX_STEPS=3", "OUT=a b", "ARGS=--allow-credentials"], "any",
         ["--max-steps", "3", "--out", "a b", "--allow-credentials"]),
        (["MODEL=m", "DECISION_MODEL=logprobs"], "any", ["--model", "m", "--decision-model", "logprobs"]),
    ],
)  # fmt: skip
def test_an_address_and_a_goal_are_passed_as_they_stand(
    tmp_path: Path, given: list[str], browser: str, passed: list[str]
) -> None:
    runner = tmp_path / "python"
    asked = '[ "$2" = browser.install ] && echo "${3:-any}" && exit'
    runner.write_text(f'#!/bin/sh\n{asked}\nprintf \'%s\\n\' "$BROWSER_EXECUTABLE" "$@"\n')
    runner.chmod(0o755)
    done = make(tmp_path, "run", f"PY={runner}", *PAGE, *given, GOAL="stray", MODEL="stray")
    page = ["benchmark/run_page.py", "http://a/?b=1&c=2", "--goal", 'Tom\'s "x" and $HOME;', "--agent", "jev"]
    assert done.stdout.splitlines() == [browser, *page, *passed]


@pytest.mark.parametrize(
    ("target", "given", "passed"),
    [
        ("replay", [], ["results/runs/miniwob"]),
        ("replay", ["RUN=a b", "AGAINST=c d"], ["a b", "--against", "c d"]),
        ("redecide", [], ["results/runs/miniwob", "--model", "embedded"]),
        ("redecide", ["MODELS=embedded sparrow", "OUT=a b"],
         ["results/runs/miniwob", "--model", "embedded", "--model", "sparrow", "--out", "a b"]),
    ],
)  # fmt: skip
def test_replay_and_redecide_take_a_run(tmp_path: Path, target: str, given: list[str], passed: list[str]) -> None:
    runner = tmp_path / "python"
    runner.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    runner.chmod(0o755)
    done = make(tmp_path, target, f"PY={runner}", *given)
    assert done.stdout.splitlines() == ["-m", f"benchmark.decisions.{target}", *passed]


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        ([], ["results/runs/miniwob"]),
        (["RUN=a b", "OUT=c d", "ARGS=--quiet"], ["a b", "--out", "c d", "--quiet"]),
    ],
)
def test_report_takes_a_run_and_a_folder(tmp_path: Path, given: list[str], passed: list[str]) -> None:
    runner = tmp_path / "python"
    runner.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    runner.chmod(0o755)
    done = make(tmp_path, "report", f"PY={runner}", *given)
    assert done.stdout.splitlines() == ["-m", "benchmark.report", *passed]


@pytest.mark.parametrize(
    ("given", "first"),
    [
        (["MODEL=local"], "-m llm.weights"),
        (["MODEL=local", "LOCAL_MODEL=a.gguf"], "-m browser.install"),
        (["MODEL=other"], "-m browser.install"),
    ],
)
def test_the_small_model_is_fetched_where_it_is_asked_for(tmp_path: Path, given: list[str], first: str) -> None:
    runner = tmp_path / "python"
    runner.write_text('#!/bin/sh\necho "$*" >>calls\n[ "$2" != browser.install ] || echo /a/browser\n')
    runner.chmod(0o755)
    assert make(tmp_path, "miniwob", f"PY={runner}", *given).returncode == 0
    assert (tmp_path / "calls").read_text().splitlines()[0] == first
