"""WebArena's tasks and sets, resolved from the packages' own files as they are installed."""

import importlib.resources
import re
from collections import Counter
from pathlib import Path

import pytest

from benchmark.errors import UsageError
from benchmark.webarena.install import PYTHON_VARIABLE, evaluator_python, installed_version
from benchmark.webarena.tasks import (
    COUNT,
    SETS,
    SUBSET_SITES,
    TINY,
    TRIVIAL,
    UNWINNABLE,
    all_tasks,
    ids_hash,
    select_tasks,
)

try:
    evaluator_python()
except UsageError as missing:
    pytest.skip(str(missing), allow_module_level=True)

# The sets of 1.2.3 and browsergym-experiments 0.14.3; another count or hash means that the data changed.
COUNTS = {
    "tiny": 6, "subset": 36, "lite": 165, "hard": 258, "full": 812, "readonly": 438, "train": 431, "test": 381,
    "nojudge": 694,
}  # fmt: skip
HASHES = {
    "subset": "34214fb4a71465827b42a6bab8f53140de02e188414fe6cc03f1d024b713f151",
    "hard": "be467edc7b3fd2024ac4c7f3ebd2dbe0a90aabdbb6464465f74c882f3bfd223c",
    "full": "6ca1478ec06babc1643e5d96ce31822d0eaf7b269136065d2dac32275bf38f46",
}


def test_all_812_tasks_resolve() -> None:
    tasks = all_tasks()
    assert [task.id for task in tasks] == list(range(COUNT))
    assert Counter(task.type for task in tasks) == {"mutate": 374, "retrieve": 325, "navigate": 113}
    assert Counter(task.sites[0] if len(task.sites) == 1 else "several" for task in tasks) == {
        "shopping": 187, "shopping_admin": 182, "gitlab": 180, "map": 109, "reddit": 106, "several": 48,
    }  # fmt: skip
    assert all(task.intent and task.start_urls for task in tasks)
    assert {mark for task in tasks for url in task.start_urls for mark in re.findall("__[A-Z_]+__", url)} == {
        "__SHOPPING__", "__SHOPPING_ADMIN__", "__REDDIT__", "__GITLAB__", "__WIKIPEDIA__", "__MAP__",
    }  # fmt: skip


def test_the_sets_have_their_published_sizes() -> None:
    assert {name: len(select_tasks(name)) for name in SETS} == COUNTS
    assert {name: ids_hash(select_tasks(name)) for name in HASHES} == HASHES


def test_tiny_is_browsergyms() -> None:
    source = importlib.resources.files("browsergym").joinpath("experiments/benchmark/configs.py").read_text()
    block = source.split('"webarena_tiny"', 2)[2].split("max_steps")[0]
    assert tuple(map(int, re.findall(r'"webarena\.(\d+)"', block))) == TINY


def test_the_subset_is_even_over_sites_and_has_each_template_once() -> None:
    tasks = select_tasks("subset")
    assert Counter(task.sites for task in tasks) == {(site,): 9 for site in SUBSET_SITES}
    assert len({(task.sites, task.template) for task in tasks}) == 36
    assert not {task.id for task in tasks} & (UNWINNABLE | TRIVIAL)


def test_selectors_narrow_each_other(tmp_path: Path) -> None:
    assert {task.sites for task in select_tasks("site:shopping,reddit")} == {
        ("shopping",), ("reddit",), ("shopping", "reddit"),
    }  # fmt: skip
    assert {task.type for task in select_tasks("type:retrieve,navigate")} == {"retrieve", "navigate"}
    assert [task.id for task in select_tasks("ids:9,1,5,7-9")] == [1, 5, 7, 8, 9]
    both = select_tasks("hard & site:gitlab & type:retrieve")
    assert both
    assert {(task.sites, task.type) for task in both} == {(("gitlab",), "retrieve")}
    listing = tmp_path / "ids.txt"
    listing.write_text("3\n1, 2\n")
    assert [task.id for task in select_tasks(f"@{listing}")] == [1, 2, 3]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("all", "No set of WebArena's is called 'all'"),
        ("", "No set of WebArena's is called ''"),
        ("site:ebay", "site: takes shopping"),
        ("site:", "site: takes shopping"),
        ("type:read", "type: takes retrieve"),
        ("ids:812", "ids run from 0 to 811"),
        ("ids:9-7", "'9-7' is no task id"),
        ("ids:", "No task ids given"),
        ("@/no/such/file", "Cannot read task ids from"),
        ("tiny & type:retrieve", "No WebArena task is in all of"),
    ],
)
def test_a_wrong_selector_says_what_there_is(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=re.escape(words)):
        select_tasks(text)


def test_the_hash_is_of_the_ids_alone() -> None:
    tasks = select_tasks("ids:1,2,30")
    assert ids_hash(reversed(tasks)) == ids_hash(tasks) != ids_hash(tasks[:2])


def test_an_interpreter_without_the_evaluator_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert installed_version(evaluator_python()) == "1.2.3"
    python = tmp_path / "bin" / "python"
    monkeypatch.setenv(PYTHON_VARIABLE, str(python))
    with pytest.raises(UsageError, match=re.escape(f"webarena-verified is not installed for {python}")):
        evaluator_python()
