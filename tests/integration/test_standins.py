"""The stand-in sites themselves: built, served, put back; each of their tasks done by its script and judged."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import httpx2
import psutil
import pytest

from agent.loop import Limits
from benchmark.errors import BenchmarkError, UsageError
from benchmark.records.provenance import Provenance
from benchmark.records.rows import EpisodeRecord, JobKey
from benchmark.records.store import RecordStore
from benchmark.running.runner import Setup, Worker, run_one
from benchmark.standins import instances as kept_instances
from benchmark.standins.__main__ import main as standins
from benchmark.standins.agents import STANDIN_AGENTS
from benchmark.standins.environment import SITE_NAMES, build_site, built_folder, database, sites_python
from benchmark.standins.instance import Instance
from benchmark.standins.instances import changes, claimed, kept, opened_instances
from benchmark.standins.tasks import STANDIN, standin_tasks
from benchmark.webarena.install import evaluator_python
from benchmark.webarena.judge import opened_judge
from benchmark.webarena.places import standin_place
from benchmark.webarena.reset import ALREADY, reset_sites
from benchmark.webarena.verdict import rescore_answers, submissions_in
from benchmark.webarena.worker import webarena_worker

try:
    sites_python()
    evaluator_python()
except UsageError as missing:
    pytest.skip(str(missing), allow_module_level=True)

# One task of each kind of answer and site, on which an agent that does another thing is judged.
SOME = (1001, 1004, 1005, 1012, 1015, 1018)
RunTask = Callable[[str, int], EpisodeRecord]


@pytest.fixture(scope="module")
def instance() -> Iterator[Instance]:
    with opened_instances(1) as (opened,):
        yield opened


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("answers")


def opened_worker(instance: Instance, run: Path, reset: bool) -> AbstractContextManager[Worker]:
    """A worker on the sites, judged by Verified."""
    return webarena_worker(
        standin_tasks(),
        run,
        open_place=partial(standin_place, [instance], reset),
        open_judge=partial(opened_judge, "verified", run, standins=True),
    )


def run_with(worker: Worker, store: RecordStore, agent: str, task: int) -> EpisodeRecord:
    setup = Setup(
        agent=STANDIN_AGENTS[agent](),
        limits=Limits(max_steps=30),
        settings={"agent": {}, "environment": {}},
        provenance=Provenance(git_commit=None, git_dirty=None, versions={}),
        raw_reward=lambda info: None,
    )
    job = JobKey(benchmark=STANDIN, task=str(task), seed=0, agent=agent, model=None, settings_hash="abc")
    return run_one(job, setup, worker, store)


@pytest.fixture(scope="module")
def run_task(instance: Instance, answers: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunTask]:
    store = tmp_path_factory.mktemp("records")
    with opened_worker(instance, answers, reset=True) as worker, RecordStore(store) as rows:
        yield partial(run_with, worker, rows)


@pytest.mark.timeout(300)
def test_each_task_is_done_by_its_script_after_a_reset_of_its_own(run_task: RunTask, answers: Path) -> None:
    rows = [run_task("oracle", task.id) for task in standin_tasks()]
    assert {row.task: (row.end, row.error) for row in rows} == {
        str(task.id): ("success", None) for task in standin_tasks()
    }
    assert len({row.reset_id for row in rows} - {None}) == len(rows)
    [submission] = submissions_in(answers)
    again = rescore_answers(submission)
    assert (sum(score.score for score in again.scores), again.differing) == (len(rows), ())


@pytest.mark.timeout(240)
@pytest.mark.parametrize("agent", ["wrong-object", "answer-everything", "noop"])
def test_who_does_something_else_wins_nothing(run_task: RunTask, agent: str) -> None:
    tasks = SOME if agent == "wrong-object" else SOME[::2]
    assert {row.task: row.reward for row in (run_task(agent, task) for task in tasks)} == {
        str(task): 0.0 for task in tasks
    }


def test_without_a_reset_a_changed_site_ends_the_episode_unscored(tmp_path: Path) -> None:
    with (
        opened_instances(1) as (fresh,),
        opened_worker(fresh, tmp_path, reset=False) as worker,
        RecordStore(tmp_path) as store,
    ):
        # Looking changes nothing that counts; a comment does.
        ends = [run_with(worker, store, "oracle", task) for task in (1015, 1016, 1016, 1001)]
    assert [(row.end, row.scored) for row in ends] == [
        ("success", True), ("success", True), ("contaminated", False), ("contaminated", False),
    ]  # fmt: skip
    assert "forum spirit_comment_comment" in (ends[2].error or "")
    assert [row.steps for row in ends[2:]] == [0, 0]
    assert {row.reset_id for row in ends} == {None}


def test_a_reset_undoes_what_was_changed_under_the_running_site(instance: Instance) -> None:
    reset_sites(instance.control)
    assert changes(instance) == []
    with httpx2.Client(base_url=instance.shop, follow_redirects=True) as client:
        page = client.get("/catalogue/granite-kettle_1/")
        token = client.cookies["shop_csrf"]
        added = client.post("/basket/add/1/", data={"csrfmiddlewaretoken": token, "quantity": "1"})
    assert (page.status_code, added.status_code) == (200, 200)
    assert changes(instance) == ["shop basket_basket", "shop basket_line"]
    reset_sites(instance.control)
    assert changes(instance) == []


def test_the_address_for_resets_speaks_webarenas_protocol(instance: Instance) -> None:
    answered = [httpx2.get(f"{instance.control}/reset").status_code for _ in range(3)]
    assert answered[0] == 200
    assert set(answered) <= {200, ALREADY}
    reset_sites(instance.control)
    assert httpx2.get(f"{instance.control}/status").text == "Ready for duty!"
    assert httpx2.get(f"{instance.control}/other").status_code == 404


def test_nothing_of_a_site_comes_from_elsewhere(run_task: RunTask, answers: Path, instance: Instance) -> None:
    run_task("oracle", 1012)
    run_task("oracle", 1018)
    hosts = {instance.shop, instance.forum}
    recorded = list(answers.glob("submissions/*/*/network.har"))
    urls = [e["request"]["url"] for har in recorded for e in json.loads(har.read_text())["log"]["entries"]]
    assert urls
    assert {url for url in urls if not url.startswith((*hosts, "data:"))} == set()


def test_an_instance_is_used_by_one_worker_at_a_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(kept_instances, "CLAIM_S", 0.2)
    places = [tmp_path / name for name in ("first", "second")]
    for place in places:
        place.mkdir()
    first, second = (
        Instance(folder=str(place), pid=1, started=0.0, shop="http://s", forum="http://f", control="http://c")
        for place in places
    )
    with claimed([first, second]) as mine, claimed([first, second]) as theirs:
        assert (mine, theirs) == (first, second)
        with pytest.raises(BenchmarkError, match="All 2 instances"), claimed([first, second]):
            pass
    with claimed([first, second]) as again:
        assert again == first


def test_each_build_is_the_same_to_the_byte(instance: Instance, tmp_path: Path) -> None:
    for site in SITE_NAMES:
        build_site(sites_python(), site, tmp_path)
        assert database(tmp_path, site).read_bytes() == database(built_folder(), site).read_bytes()


def test_sites_are_started_and_ended_by_hand(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], instance: Instance
) -> None:
    monkeypatch.setattr(kept_instances, "KEPT", tmp_path)
    assert standins(["up"]) == 0
    said = capsys.readouterr().out
    named = dict(line.removeprefix("export ").split("=") for line in said.splitlines())
    assert named["WA_SHOPPING_ADMIN"] == f"{named['WA_SHOPPING']}/dashboard"
    assert named["WA_MAP"] == "todo"
    assert httpx2.get(named["WA_REDDIT"]).status_code == 200
    assert standins(["reset"]) == 0
    assert standins(["status"]) == 0
    assert "as built" in capsys.readouterr().out
    running = kept()[0]
    assert standins(["up"]) == 0
    assert kept()[0] == running
    assert standins(["down"]) == 0
    assert kept() == {}
    assert standins(["status"]) == 1
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(named["WA_REDDIT"])
    left = [" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])]
    assert not [command for command in left if str(tmp_path) in command]
