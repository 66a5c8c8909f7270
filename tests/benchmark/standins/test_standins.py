"""The stand-in tasks, their scripts and what a command says of them, before anything is started."""

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from benchmark.errors import UsageError
from benchmark.records.rows import JobKey
from benchmark.run_webarena import main
from benchmark.standins.agents import STANDIN_AGENTS, finish
from benchmark.standins.environment import PYTHON_VARIABLE, built_folder, sites_python
from benchmark.standins.scripted import Said
from benchmark.standins.scripts import PLANS
from benchmark.standins.state import changed_tables, put_back
from benchmark.standins.tasks import STANDIN, are_standins, select_standins, standin_rows, standin_tasks
from benchmark.webarena.model import as_original
from benchmark.webarena.original import RULES
from benchmark.webarena.ready import check_alone
from benchmark.webarena.tasks import COUNT
from benchmark.webarena.verdict import begin_answer
from browser.observation import Observation


def test_there_are_twenty_tasks_in_both_forms_and_none_has_an_id_of_webarenas() -> None:
    tasks = standin_tasks()
    ids = [task.id for task in tasks]
    assert len(ids) == 20
    assert ids == sorted(set(ids))
    assert ids[0] >= COUNT
    assert set(standin_rows()) == set(ids) == set(PLANS)
    assert Counter(task.type for task in tasks) == {"mutate": 12, "retrieve": 6, "navigate": 2}
    assert Counter(task.sites for task in tasks) == {
        ("shopping",): 10, ("shopping_admin",): 4, ("reddit",): 5, ("shopping", "reddit"): 1,
    }  # fmt: skip
    assert len({task.intent for task in tasks}) == 20


def test_both_forms_of_a_task_begin_alike_and_no_language_model_judges() -> None:
    for task in standin_tasks():
        other = as_original(task, standin_rows()[task.id])
        assert (other.sites, other.start_urls) == (task.sites, task.start_urls)
        assert not task.needs_judge


def test_no_answer_is_looked_for_among_others() -> None:
    """An agent that says all it sees must not win: the original's must_include would be content with that."""
    for row in standin_rows().values():
        assert set(row["eval"]["reference_answers"] or {"exact_match"}) == {"exact_match"}


def test_right_and_wrong_differ_in_each_plan() -> None:
    assert all(right != wrong and right.keys() == wrong.keys() for _, right, wrong in PLANS.values())


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("standin", 20),
        ("standin & type:navigate", 2),
        ("site:reddit & standin", 5),
        ("standin & ids:1001-1003,1020", 4),
    ],
)
def test_stand_ins_are_chosen_by_their_own_set_alone(text: str, count: int) -> None:
    assert are_standins(text)
    assert len(select_standins(text)) == count
    assert not are_standins("site:shopping")


@pytest.mark.parametrize(
    ("text", "words"),
    [("standin & hard", "No set of WebArena's is called 'hard'"), ("standin & ids:2000", "no task id")],
)
def test_webarenas_sets_are_not_for_them(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        select_standins(text)


def test_a_missing_environment_is_said_with_the_way_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(PYTHON_VARIABLE, "/no/such/python")
    with pytest.raises(UsageError, match="not installed for /no/such/python"):
        sites_python()
    assert main(["--agent", "oracle", "--tasks", "standin"]) == 2
    [message] = capsys.readouterr().err.splitlines()
    assert "run python -m benchmark.standins build" in message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("agent", STANDIN_AGENTS)
def test_agents_that_know_the_tasks_are_for_these_alone(agent: str) -> None:
    check_alone(agent, "standin", 2, share_sites=False)
    with pytest.raises(UsageError, match=f"The agent {agent} knows the stand-in tasks alone"):
        check_alone(agent, "subset", 1, share_sites=False)


def test_workers_share_sites_only_where_that_is_said() -> None:
    with pytest.raises(UsageError, match="--share-sites"):
        check_alone("jev", "subset", 2, share_sites=False)
    check_alone("jev", "subset", 2, share_sites=True)


@pytest.mark.parametrize(
    ("goal", "said", "message"),
    [
        (RULES, Said("RETRIEVE", (22.4,), "$22.40"), "$22.40"),
        (RULES, Said("RETRIEVE", found=False), "N/A"),
        (RULES, Said("MUTATE"), ""),
        ("JSON", Said("RETRIEVE", (6,), "6"), {"task_type": "RETRIEVE", "status": "SUCCESS", "retrieved_data": [6]}),
        ("JSON", Said("NAVIGATE"), {"task_type": "NAVIGATE", "status": "SUCCESS", "retrieved_data": None}),
        (
            "JSON",
            Said("RETRIEVE", found=False),
            {"task_type": "RETRIEVE", "status": "NOT_FOUND_ERROR", "retrieved_data": None},
        ),
    ],
)
def test_a_script_answers_in_the_form_that_the_goal_asks_for(goal: str, said: Said, message: object) -> None:
    given = finish(f"Do it.\n\n{goal}", said).message
    if isinstance(message, dict):
        answer = json.loads(given)
        assert {name: answer[name] for name in message} == message
    else:
        assert given == message


def test_a_script_stops_where_the_page_is_another_or_the_goal_unknown() -> None:
    agent = STANDIN_AGENTS["oracle"]()
    for goal in (standin_tasks()[0].intent, "Something else."):
        agent.reset()
        step = agent.step(Observation(goal=goal, url="http://shop.test/", title="Soon"))
        assert (step.action, step.end) == (None, "blocked")


def test_what_is_built_has_a_place_for_each_version_of_its_sources(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sources = tmp_path / "sites"
    sources.mkdir()
    (sources / "data.py").write_text("ITEMS = ()\n")
    monkeypatch.setattr("benchmark.standins.environment.SOURCES", sources)
    before = built_folder()
    (sources / "data.py").write_text("ITEMS = (1,)\n")
    assert built_folder() != before


def test_a_database_is_put_back_and_says_what_was_changed(tmp_path: Path) -> None:
    built, live = tmp_path / "built.sqlite3", tmp_path / "live.sqlite3"
    with closing(sqlite3.connect(built)) as database:
        database.executescript(
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT);"
            "CREATE TABLE django_session (id INTEGER PRIMARY KEY);"
            "CREATE TABLE auth_user (id INTEGER PRIMARY KEY, name TEXT, last_login TEXT);"
            "INSERT INTO orders VALUES (1, 'Pending'); INSERT INTO auth_user VALUES (1, 'ella', NULL);"
        )
    put_back(built, live)
    assert changed_tables(built, live) == ()
    # A connection of the site's, open all the time.
    with closing(sqlite3.connect(live)) as site:
        site.executescript("INSERT INTO django_session VALUES (1); UPDATE auth_user SET last_login = 'now';")
        assert changed_tables(built, live) == ()
        site.executescript("UPDATE orders SET status = 'Shipped'; UPDATE auth_user SET name = 'mara';")
        assert changed_tables(built, live) == ("auth_user", "orders")
        put_back(built, live)
        assert site.execute("SELECT status FROM orders").fetchall() == [("Pending",)]
        site.executescript("DELETE FROM orders")
        assert changed_tables(built, live) == ("orders",)


def test_answers_of_an_earlier_start_of_the_sites_can_still_be_scored(tmp_path: Path) -> None:
    job = JobKey(benchmark=STANDIN, task="1", seed=0, agent="a", model=None, settings_hash="b")
    for port in (1, 2, 1):
        begin_answer(tmp_path, job, {"__REDDIT__": (f"http://127.0.0.1:{port}",)})
    config = json.loads((tmp_path / "submissions" / "a-b" / "config.json").read_text())
    assert config == {"environments": {"__REDDIT__": {"urls": ["http://127.0.0.1:1", "http://127.0.0.1:2"]}}}
