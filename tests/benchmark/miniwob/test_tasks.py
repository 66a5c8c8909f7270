"""Which tasks and seeds a command line stands for, and what it says when it stands for none."""

import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.errors import UsageError
from benchmark.miniwob.task import miniwob_task
from benchmark.miniwob.tasks import (
    ACTION_SETS,
    ACTIONS,
    MAX_SEED,
    MAX_SEEDS,
    SETS,
    parse_seeds,
    raw_reward,
    select_tasks,
    task_infos,
)
from browser.actions import CORE_ACTIONS, EXTENDED_ACTIONS

NAMES = [info.name for info in task_infos()]


@pytest.mark.parametrize(("name", "size"), [("quick", 20), ("webgum", 56), ("train", 62), ("test", 63), ("all", 125)])
def test_a_set_has_its_size_and_only_known_distinct_tasks(name: str, size: int) -> None:
    tasks = select_tasks(name)
    assert len(tasks) == len(set(tasks)) == size
    assert set(tasks) <= set(NAMES)


def test_every_task_has_a_browsergym_class() -> None:
    assert {miniwob_task(name).subdomain for name in NAMES} == set(NAMES)


def test_train_and_test_share_no_task_and_no_group() -> None:
    groups = {split: {info.group for info in task_infos() if info.split == split} for split in ("train", "test")}
    assert groups["train"].isdisjoint(groups["test"])
    assert sorted(select_tasks("train,test")) == sorted(NAMES)


def test_quick_is_what_its_rule_says() -> None:
    by_name = {info.name: info for info in task_infos()}
    quick = [by_name[name] for name in select_tasks("quick")]
    assert [info.group for info in quick] == list(range(0, 80, 4))
    assert all(info.name == next(i.name for i in task_infos() if i.group == info.group) for info in quick)
    # What the rule is for: no kind of task is left out.
    assert {info.split for info in quick} == {"train", "test"}
    assert {"original", "hidden test", "debug"} <= {info.category for info in quick}


@pytest.mark.parametrize(
    ("text", "tasks"),
    [
        ("click-test", ("click-test",)),
        ("miniwob.click-test", ("click-test",)),
        (" use-slider , click-test ,", ("use-slider", "click-test")),
        ("click-tab,click-tab", ("click-tab",)),
        ("click-tab*", ("click-tab", "click-tab-2", "click-tab-2-easy", "click-tab-2-hard", "click-tab-2-medium")),
        ("use-s?????r", ("use-spinner",)),
        ("enter-text,enter-t*", ("enter-text", "enter-text-2", "enter-text-dynamic", "enter-time")),
        ("use-spinner,quick", ("use-spinner", *[name for name in SETS["quick"]() if name != "use-spinner"])),
        ("*", tuple(NAMES)),
    ],
)
def test_select_tasks(text: str, tasks: tuple[str, ...]) -> None:
    assert select_tasks(text) == tasks


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("clik-test", "No MiniWoB task is called 'clik-test'; did you mean click-test"),
        ("quik", "did you mean quick"),
        ("click-test,zzz*", "No MiniWoB task is called 'zzz*'; the sets are quick, webgum, train, test or all."),
        ("", "No tasks given; give task names"),
        (" , ", "No tasks given; give task names"),
    ],
)
def test_a_name_that_stands_for_no_task_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        select_tasks(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "seeds"),
    [
        ("5", (0, 1, 2, 3, 4)),
        (" 1 ", (0,)),
        ("7,", (7,)),
        ("0,", (0,)),
        ("3-5", (3, 4, 5)),
        ("7,9,100-104", (7, 9, 100, 101, 102, 103, 104)),
        ("9, 7 , 7, 6 - 8", (6, 7, 8, 9)),
        (f"{MAX_SEED},", (MAX_SEED,)),
        (str(MAX_SEEDS), tuple(range(MAX_SEEDS))),
    ],
)
def test_parse_seeds(text: str, seeds: tuple[int, ...]) -> None:
    assert parse_seeds(text) == seeds


@given(st.lists(st.integers(0, MAX_SEED), min_size=1, max_size=30))
def test_a_list_of_seeds_is_taken_as_it_is_once_each(seeds: list[int]) -> None:
    assert parse_seeds(",".join(map(str, seeds)) + ",") == tuple(sorted(set(seeds)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", "--seeds has 'x', which is not a seed; give a count"),
        ("1,two", "--seeds has 'two', which is not a seed"),
        ("-1", "--seeds has '-1', which is not a seed"),
        ("1.5", "--seeds has '1.5', which is not a seed"),
        ("\u0661,", "which is not a seed"),
        ("5-1", "--seeds has '5-1', which runs backwards; write 1-5."),
        (f"{MAX_SEED + 1},", f"a seed is at most {MAX_SEED}."),
        (f"0-{MAX_SEED + 1}", f"a seed is at most {MAX_SEED}."),
        ("0", "--seeds 0 asks for no episode"),
        ("", "--seeds is empty; give a count"),
        (",", "--seeds is empty; give a count"),
        (str(MAX_SEEDS + 1), f"--seeds asks for {MAX_SEEDS + 1} seeds a task; at most {MAX_SEEDS}"),
        ("0-4000000000", "at most 1000"),
        ("0-599,1000-1599", "--seeds asks for 1200 seeds a task"),
    ],
)
def test_seeds_that_cannot_be_run_are_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_seeds(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("info", "expected"),
    [({"RAW_REWARD_GLOBAL": 1}, 1.0), ({"RAW_REWARD_GLOBAL": -1.0}, -1.0), ({"error": "invalid url"}, None)],
)
def test_raw_reward(info: dict[str, object], expected: float | None) -> None:
    assert raw_reward({"task_info": info}) == expected


@pytest.mark.parametrize("leaves", ["navigate", "go_back", "finish"])
def test_no_action_is_offered_that_ends_an_episode_for_nothing(leaves: str) -> None:
    assert not [name for name, actions in ACTION_SETS.items() if leaves in actions]


def test_the_extended_set_is_the_core_one_and_all_finer_actions() -> None:
    assert ACTION_SETS["core"] == ACTIONS
    assert ACTION_SETS["extended"][: len(ACTIONS)] == ACTIONS
    assert set(ACTION_SETS["extended"]) - set(ACTIONS) == set(EXTENDED_ACTIONS) - set(CORE_ACTIONS)


def test_reading_the_metadata_imports_no_agents_of_browsergym(modules_after: Callable[[str], set[str]]) -> None:
    loaded = modules_after("from benchmark.miniwob.tasks import select_tasks; select_tasks('all')")
    assert "benchmark.miniwob.tasks" in loaded
    assert not {"browsergym.experiments", "selenium", "miniwob"} & loaded


@pytest.fixture
def modules_after() -> Callable[[str], set[str]]:
    def run(code: str) -> set[str]:
        listing = f"{code}; import sys; print(' '.join(sys.modules))"
        done = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True)
        return set(done.stdout.split())

    return run
