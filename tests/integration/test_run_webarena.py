"""A WebArena task from its login to its verdict, on a page of this machine that answers as the task's site would."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from agent.agent import AgentEnd, AgentStep
from agent.loop import Limits
from benchmark.errors import UsageError
from benchmark.records.provenance import Provenance
from benchmark.records.rows import EpisodeRecord, JobKey, StepRecord
from benchmark.records.store import EPISODES, STEPS, RecordStore, read_rows
from benchmark.run_webarena import main
from benchmark.running.runner import Setup, Worker, run_one
from benchmark.webarena.install import evaluator_python
from benchmark.webarena.judge import Judge, not_done, opened_judge
from benchmark.webarena.model import SITES, as_original
from benchmark.webarena.original import RULES, Original
from benchmark.webarena.places import webarena_place
from benchmark.webarena.sites import VARIABLES
from benchmark.webarena.tasks import original_rows, select_tasks
from benchmark.webarena.verdict import RESCORED, begin_answer, judge_original, submissions_in, task_folder
from benchmark.webarena.worker import webarena_worker
from browser.actions import BrowserAction, Click, Finish
from browser.observation import Observation

try:
    evaluator_python()
except UsageError as missing:
    pytest.skip(str(missing), allow_module_level=True)

# "Open my todos page", on GitLab: won by going there and saying so.
TASK = 44
TODOS = Finish(message='{"task_type": "NAVIGATE", "status": "SUCCESS", "retrieved_data": null, "error_details": null}')
FORM = (
    '<form method=post><input name="user[login]"><input name="user[password]" type=password><button>In</button></form>'
)
JOB = JobKey(
    benchmark="webarena-verified", task=str(TASK), seed=0, agent="scripted", model=None, settings_hash="abc"
)  # fmt: skip

RunTask = Callable[[Sequence[object]], EpisodeRecord]


@pytest.fixture
def gitlab(httpserver: HTTPServer) -> str:
    html = {"content_type": "text/html"}
    httpserver.expect_request("/users/sign_in", method="GET").respond_with_data(FORM, **html)
    httpserver.expect_request("/users/sign_in", method="POST").respond_with_data("Welcome", **html)
    httpserver.expect_request("/").respond_with_data("<h1>Projects</h1><a href=/dashboard/todos>Todos</a>", **html)
    httpserver.expect_request("/dashboard/todos").respond_with_data("<h1>Nothing to do</h1>", **html)
    return httpserver.url_for("/").rstrip("/")


class Scripted:
    """Presses the links of these names, then takes the actions given, or ends as said."""

    name = "scripted"

    def __init__(self, script: Sequence[object]) -> None:
        self.script, self.next = script, 0

    def reset(self) -> None:
        self.next = 0

    def step(self, observation: Observation) -> AgentStep:
        self.next += 1
        what = self.script[self.next - 1]
        if what == "infeasible_reported":
            end: AgentEnd = "infeasible_reported"
            return AgentStep(action=None, end=end, reason="no such page")
        if isinstance(what, str):
            [element] = [e for e in observation.elements if e.name == what]
            return AgentStep(action=Click(element_id=element.id))
        action: BrowserAction = what  # type: ignore[assignment]
        return AgentStep(action=action)


def scripted_setup(script: Sequence[object]) -> Setup:
    return Setup(
        agent=Scripted(script),
        limits=Limits(max_steps=3),
        settings={"agent": {}, "environment": {}},
        provenance=Provenance(git_commit=None, git_dirty=None, versions={}),
        raw_reward=lambda info: None,
    )


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where answers and scores go: as a run's folder would be."""
    return tmp_path_factory.mktemp("answers")


@pytest.fixture(scope="module")
def worker(make_httpserver: HTTPServer, answers: Path) -> Iterator[Worker]:
    addresses = {"gitlab": make_httpserver.url_for("/").rstrip("/")}
    with webarena_worker(
        select_tasks(f"ids:{TASK}"),
        answers,
        open_place=partial(webarena_place, addresses, "ui", "r1"),
        open_judge=partial(opened_judge, "verified", answers),
    ) as opened:
        yield opened


@pytest.fixture
def run_task(gitlab: str, worker: Worker, tmp_path: Path) -> Iterator[RunTask]:
    with RecordStore(tmp_path) as store:
        yield lambda script: run_one(JOB, scripted_setup(script), worker, store)


def test_a_task_is_won_after_its_end_and_scored_again_without_a_browser(
    run_task: RunTask,
    answers: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    row = run_task(["Todos", TODOS])
    assert (row.end, row.reward, row.steps, row.error) == ("success", 1.0, 2, None)
    assert row.reset_id == "r1"
    steps = list(read_rows(tmp_path / STEPS, StepRecord))
    assert all(step.observation and '"retrieved_data"' in step.observation.answer_form for step in steps)
    # Nothing during the episode told how it goes.
    assert [step.reward for step in steps] == [0.0, 0.0]
    files = task_folder(answers, JOB)
    assert {path.name for path in files.iterdir()} == {"agent_response.json", "network.har", "score.json"}
    assert json.loads((files / "score.json").read_text())["evaluator"]["data_checksum"].startswith("d6527566")
    monkeypatch.setenv("BROWSER_EXECUTABLE", "/no/such/browser")
    assert main(["--rescore", str(answers)]) == 0
    assert f"{files.parent}: 1 of 1 tasks won, 1.000" in capsys.readouterr().out
    (files / "agent_response.json").write_text("null\n")
    (files.parent / "45").mkdir()
    assert main(["--rescore", str(files.parent)]) == 0
    said = capsys.readouterr().out
    assert "0 of 1 tasks won" in said
    assert f"Other than before: {TASK}." in said
    assert "not scored: 45." in said
    assert json.loads((files.parent / RESCORED).read_text())["scores"][0]["task_id"] == TASK
    assert json.loads((files / "score.json").read_text())["score"] == 1.0


@pytest.mark.parametrize(
    ("script", "end"),
    [
        ([TODOS], "wrong_finish"),
        (["Todos", Finish(message="I am there")], "wrong_finish"),
        (["Todos", "infeasible_reported"], "infeasible_reported"),
        (["Todos", Finish(message="")], "wrong_finish"),
        (["Todos", Finish(message="N/A")], "infeasible_reported"),
        ([Finish(message='{"task_type": "NAVIGATE", "status": "PERMISSION_DENIED_ERROR"}')], "infeasible_reported"),
    ],
)
def test_what_is_not_done_or_said_is_lost(run_task: RunTask, script: Sequence[object], end: str) -> None:
    row = run_task(script)
    assert (row.end, row.reward) == (end, 0.0)


def test_a_second_attempt_leaves_nothing_of_the_first(run_task: RunTask, answers: Path) -> None:
    assert run_task(["Todos", TODOS]).reward == 1.0
    assert run_task([TODOS]).reward == 0.0
    har = json.loads((task_folder(answers, JOB) / "network.har").read_text())
    assert not [e for e in har["log"]["entries"] if "todos" in e["request"]["url"]]


@pytest.mark.parametrize(("script", "end"), [(["Todos", TODOS], "success"), ([TODOS], "wrong_finish")])
def test_the_original_judges_the_pages_before_they_are_closed(
    gitlab: str, tmp_path: Path, script: Sequence[object], end: str
) -> None:
    """By an object of libwebarena's shape, which is too heavy for a test."""

    def router(path: str) -> Callable[..., float]:
        wanted = json.loads(Path(path).read_text())["eval"]["reference_url"]
        return lambda *, page, **_: float(page.url == wanted)

    original = Original({"gitlab": gitlab}, router)
    judge = Judge(original.identity(), RULES, partial(begin_answer, tmp_path, addresses={}),
                  partial(judge_original, tmp_path, original))  # fmt: skip
    tasks = [as_original(task, original_rows()[task.id]) for task in select_tasks(f"ids:{TASK}")]
    place = partial(webarena_place, {"gitlab": gitlab}, "ui")
    with (
        webarena_worker(tasks, tmp_path, open_place=place, open_judge=lambda _: nullcontext(judge)) as worker,
        RecordStore(tmp_path) as store,
    ):
        row = run_one(JOB, scripted_setup(script), worker, store)
    assert (row.end, row.error) == (end, None)
    assert row.goal == tasks[0].intent
    (step, *_) = read_rows(tmp_path / STEPS, StepRecord)
    assert step.observation is not None
    assert step.observation.answer_form == RULES
    files = task_folder(tmp_path, JOB)
    assert {path.name for path in files.iterdir()} == {"network.har", "score.json"}
    with pytest.raises(UsageError, match="holds no answers to score"):
        submissions_in(tmp_path)


@pytest.mark.parametrize(("before", "end"), [(1.0, "contaminated"), (0.0, "wrong_finish")])
def test_a_task_that_scores_before_its_first_step_is_not_begun(
    gitlab: str, tmp_path: Path, before: float, end: str
) -> None:
    scores = [before, 0.0]
    original = Original({"gitlab": gitlab}, lambda path: lambda **_: scores.pop(0))
    judge = Judge(original.identity(), RULES, partial(begin_answer, tmp_path, addresses={}),
                  partial(judge_original, tmp_path, original), partial(not_done, original))  # fmt: skip
    with (
        webarena_worker(
            select_tasks(f"ids:{TASK}"),
            tmp_path,
            open_place=partial(webarena_place, {"gitlab": gitlab}, "ui"),
            open_judge=lambda _: nullcontext(judge),
        ) as worker,
        RecordStore(tmp_path) as store,
    ):
        row = run_one(JOB, scripted_setup([TODOS]), worker, store)
    assert (row.end, row.scored) == (end, before == 0.0)
    assert ("scores 1 before its first step" in (row.error or "")) == (before == 1.0)


@pytest.mark.timeout(240)  # three starts of the evaluator
def test_the_command_runs_records_and_goes_on(
    gitlab: str,
    httpserver: HTTPServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    resets: list[str] = []
    httpserver.expect_request("/control/reset").respond_with_handler(
        lambda request: (resets.append(request.path), Response("begun"))[1]
    )
    httpserver.expect_request("/control/status").respond_with_data("Ready for duty!")
    monkeypatch.setenv("WA_FULL_RESET", httpserver.url_for("/control"))
    for site in SITES:
        monkeypatch.setenv(VARIABLES[site], gitlab if site == "gitlab" else "todo")
    command = [
        "--agent",
        "random",
        "--tasks",
        f"ids:{TASK},811,0",
        "--max-steps",
        "1",
        "--out",
        str(tmp_path),
        "--quiet",
    ]
    assert main([*command, "--preflight"]) == 0
    assert "Ready: 2 tasks on gitlab." in capsys.readouterr().out
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "1 tasks need a site that is left out" in said
    assert "Cannot be won with this evaluator: 811." in said
    listed = json.loads((tmp_path / "tasks.json").read_text())
    assert (listed["ids"], listed["left_out"]) == ([TASK, 811], [0])
    rows = list(read_rows(tmp_path / EPISODES, EpisodeRecord))
    assert len(resets) == 1
    assert len({row.reset_id for row in rows}) == 1
    assert rows[0].reset_id
    assert main(command) == 0
    assert "All 2 episodes are done." in capsys.readouterr().out
    # Nothing was to run, and nothing was reset.
    assert len(resets) == 1
