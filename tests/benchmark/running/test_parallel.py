"""What of the parallel runner needs no Ray; with it, see tests/integration/test_parallel.py."""

import sys
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from agent.agent import AgentStep
from benchmark.errors import UsageError
from benchmark.records.rows import EpisodeRecord, JobKey
from benchmark.records.store import RecordStore
from benchmark.running.actor import Recipe
from benchmark.running.parallel import episode_runner
from benchmark.running.ray_start import LOCAL_VARIABLES, RAY_VARIABLES, connect, load_ray
from benchmark.running.runner import Setup, Worker
from browser.errors import BrowserNotFound

MakeRun = Callable[..., tuple[Setup, Worker]]
MakeJob = Callable[..., JobKey]

WON = (1.0, True, 1.0)


def test_without_ray_there_is_one_sentence_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    for name in RAY_VARIABLES | LOCAL_VARIABLES:
        monkeypatch.setenv(name, "0")
    with pytest.raises(UsageError, match="WORKERS=2 installs it, or pip install ray"):
        load_ray()


def test_one_worker_runs_in_this_process_without_ray(
    tmp_path: Path, make_run: MakeRun, make_job: MakeJob, click: AgentStep, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    setup, worker = make_run([click], [WON])
    recipe = Recipe(setup=lambda: setup, worker=lambda: nullcontext(worker))
    seen: list[EpisodeRecord] = []
    with (
        RecordStore(tmp_path) as store,
        episode_runner(recipe, 1, None, lambda: False) as run_all,
    ):
        assert run_all([make_job(seed=seed) for seed in (1, 2)], store, seen.append)
        assert [row.seed for row in store.episodes()] == [1, 2]
    assert [row.end for row in seen] == ["success", "success"]


def test_one_worker_stops_where_it_is_told_to(
    tmp_path: Path, make_run: MakeRun, make_job: MakeJob, click: AgentStep
) -> None:
    setup, worker = make_run([click], [WON])
    recipe = Recipe(setup=lambda: setup, worker=lambda: nullcontext(worker))
    with (
        RecordStore(tmp_path) as store,
        episode_runner(recipe, 1, None, lambda: True) as run_all,
        pytest.raises(KeyboardInterrupt),
    ):
        run_all([make_job()], store, lambda record: None)


def test_a_browser_that_is_not_there_is_told_before_the_first_episode(make_run: MakeRun) -> None:
    def nowhere() -> None:
        raise BrowserNotFound("No browser.")

    setup, worker = make_run([], [])
    recipe = Recipe(setup=lambda: setup, worker=lambda: nullcontext(replace(worker, start=nowhere)))
    with pytest.raises(BrowserNotFound), episode_runner(recipe, 1, None, lambda: False):
        pass


@pytest.mark.parametrize("address", ["127.0.0.1:1", "no-such-host.invalid:6379"])
def test_a_cluster_that_does_not_answer_is_one_sentence(address: str) -> None:
    with pytest.raises(UsageError, match=f"No Ray cluster answers at {address}; start one there, or leave out"):
        connect(None, address, {})
