"""One episode, one plain function: what is written when, and what happens when things break."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent.agent import AgentStep, Plan, PlanStep, RecoveryEvent
from agent.ask import RunOver
from agent.loop import EpisodeResult
from benchmark.records.pictures import NO_PICTURE, Picture
from benchmark.records.rows import CREDENTIAL_TEXT, EpisodeRecord, JobKey, StepRecord, settings_hash
from benchmark.records.store import EPISODES, STEPS, RecordStore, read_rows
from benchmark.running.runner import MAX_UNSCORED_IN_A_ROW, Setup, Worker, plan, run_jobs, run_one, with_retries
from browser.actions import Finish, Type
from browser.errors import BrowserCrashed, ObservationFailed
from browser.observation import Timings
from llm.decision import DecisionError, ModelCall, Usage

MakeRun = Callable[..., tuple[Setup, Worker]]
MakeJob = Callable[..., JobKey]

GOES_ON = (0.0, False, 0.0)
WON = (1.0, True, 1.0)
LOST = (0.0, True, -1.0)


def steps_of(folder: Path) -> list[StepRecord]:
    return list(read_rows(folder / STEPS, StepRecord))


def episodes_of(folder: Path) -> list[EpisodeRecord]:
    return list(read_rows(folder / EPISODES, EpisodeRecord))


def test_an_episode_and_its_steps_are_recorded(
    tmp_path: Path, make_run: MakeRun, make_job: MakeJob, click: AgentStep
) -> None:
    setup, worker = make_run([click, click], [GOES_ON, WON])
    with RecordStore(tmp_path) as store:
        returned = run_one(make_job(), setup, worker, store)
    (row,) = episodes_of(tmp_path)
    assert row == returned
    assert row.key == make_job()
    expected = {
        "end": "success", "reward": 1.0, "raw_reward": 1.0, "full_reward": 1.0, "steps": 2, "models": ("m-1",),
        "cost_usd": 1.0, "input_tokens": None, "goal": "Press Go.", "error": None, "reset_ms": 50.0, "act_ms": 4.0,
        "decisions_ms": (2.0, 2.0), "git_commit": "c0ffee", "versions": {"python": "3.11", "browser": "1.2"},
    }  # fmt: skip
    assert {key: getattr(row, key) for key in expected} == expected
    steps = steps_of(tmp_path)
    assert [(s.index, s.page_key, s.page_changed, s.reward) for s in steps] == [
        (0, "page 0", True, 0.0), (1, "page 1", True, 1.0)
    ]  # fmt: skip
    assert {s.episode_id for s in steps} == {row.episode_id}
    assert {s.key for s in steps} == {row.key}
    assert steps[1].observation is not None
    assert steps[1].observation.page_key == "page 1"


def test_observations_can_be_left_out(tmp_path: Path, make_run: MakeRun, make_job: MakeJob, click: AgentStep) -> None:
    setup, worker = make_run([click], [WON])
    lean = Setup(**vars(setup) | {"keep_observations": False})
    with RecordStore(tmp_path) as store:
        run_one(make_job(), lean, worker, store)
    assert [(s.observation, s.n_elements) for s in steps_of(tmp_path)] == [(None, 3)]


def test_what_guards_recovery_and_endings_say_is_recorded(
    tmp_path: Path, make_run: MakeRun, make_job: MakeJob, click: AgentStep
) -> None:
    """G1, G3, E1, E2"""
    event = RecoveryEvent(signal="idle", attempt=1, kind="reprobe", seconds=0.5)
    said = {"note": "This repeats.", "recovery": (event,), "next_action": "Look.", "evidence": "12 euros"}
    setup, worker = make_run([click.model_copy(update=said)], [WON])
    with RecordStore(tmp_path) as store:
        run_one(make_job(), setup, worker, store)
    [step] = steps_of(tmp_path)
    assert {name: getattr(step, name) for name in said} == said


def test_a_decision_to_stop_is_recorded_and_charged(
    tmp_path: Path, make_run: MakeRun, make_job: MakeJob, click: AgentStep
) -> None:
    stop = AgentStep(action=None, end="blocked", reason="stuck", calls=click.calls, decide_ms=7.0)
    setup, worker = make_run([click, stop], [GOES_ON])
    with RecordStore(tmp_path) as store:
        row = run_one(make_job(), setup, worker, store)
    assert (row.end, row.steps, row.cost_usd, row.decisions_ms) == ("blocked", 1, 1.0, (2.0, 7.0))
    last = steps_of(tmp_path)[-1]
    assert (last.action, last.end, last.page_changed, last.timings) == (None, "blocked", False, Timings())
    assert row.act_ms == 2.0


@pytest.mark.parametrize(
    ("calls", "tokens", "cost"),
    [
        ((), (0, 0, 0), 0.0),
        (
            (ModelCall(kind="chat", model="m", usage=Usage(input_tokens=5, output_tokens=1), cost_usd=0.0),),
            (5, None, 1),
            0.0,
        ),
        (
            (
                ModelCall(
                    kind="chat", model="m", usage=Usage(input_tokens=5, cached_tokens=2, output_tokens=1), cost_usd=0.5
                ),
                ModelCall(kind="writer", model="w"),
            ),
            (None, None, None),
            None,
        ),
    ],
)
def test_tokens_and_cost_are_unknown_as_soon_as_one_call_is(
    tmp_path: Path, make_run: MakeRun, make_job: MakeJob, click: AgentStep, calls: Any, tokens: Any, cost: Any
) -> None:
    setup, worker = make_run([click.model_copy(update={"calls": calls})], [WON])
    with RecordStore(tmp_path) as store:
        row = run_one(make_job(), setup, worker, store)
    assert (row.input_tokens, row.cached_tokens, row.output_tokens) == tokens
    assert row.cost_usd == cost


def test_the_last_raw_reward_counts_where_a_page_no_longer_tells(
    tmp_path: Path, make_run: MakeRun, make_job: MakeJob, click: AgentStep
) -> None:
    setup, worker = make_run([click, click], [(0.0, False, 0.25), (0.0, True, None)])
    with RecordStore(tmp_path) as store:
        row = run_one(make_job(), setup, worker, store)
    assert (row.end, row.raw_reward, row.full_reward) == ("failed", 0.25, 0.0)


@pytest.mark.parametrize(
    ("steps", "outcomes", "end", "error"),
    [
        (1, [GOES_ON, BrowserCrashed("The browser is gone.")], "browser_crash", "The browser is gone."),
        (1, [GOES_ON, ObservationFailed("No look.")], "environment_error", "No look."),
        (DecisionError("No answer."), [GOES_ON], "model_error", "No answer."),
    ],
)
def test_failures_of_browser_and_model_keep_the_steps_so_far(
    tmp_path: Path,
    make_run: MakeRun,
    make_job: MakeJob,
    click: AgentStep,
    steps: Any,
    outcomes: Any,
    end: str,
    error: str,
) -> None:
    setup, worker = make_run([click, click if steps == 1 else steps], outcomes)
    with RecordStore(tmp_path) as store:
        row = run_one(make_job(), setup, worker, store)
        assert not store.done(make_job())
    assert (row.end, row.error, row.reward, row.steps) == (end, error, 0.0, 1)
    assert len(steps_of(tmp_path)) == 1


def test_a_bug_propagates_without_an_episode_row_and_closes_the_environment(
    tmp_path: Path, make_run: MakeRun, make_job: MakeJob, click: AgentStep
) -> None:
    setup, worker = make_run([click, click], [GOES_ON, ZeroDivisionError()])
    environment: Any = worker.environment(make_job())
    with RecordStore(tmp_path) as store, pytest.raises(ZeroDivisionError):
        run_one(make_job(), setup, Worker(lambda job: environment, lambda: ""), store)
    assert environment.closed
    assert (len(steps_of(tmp_path)), len(episodes_of(tmp_path))) == (1, 0)


def test_no_text_typed_into_a_credential_field_reaches_the_disk(
    tmp_path: Path, make_run: MakeRun, make_job: MakeJob
) -> None:
    secret = AgentStep(action=Type(element_id=2, text="hunter2"), reason='type "hunter2"')
    setup, worker = make_run([secret], [WON])
    with RecordStore(tmp_path) as store:
        run_one(make_job(), setup, worker, store)
    assert b"hunter2" not in (tmp_path / STEPS).read_bytes() + (tmp_path / EPISODES).read_bytes()
    assert steps_of(tmp_path)[0].action == Type(element_id=2, text=CREDENTIAL_TEXT)


def test_what_is_scored_is_left_out_and_what_infrastructure_ended_runs_again(
    tmp_path: Path, make_run: MakeRun, make_job: MakeJob, click: AgentStep
) -> None:
    jobs = [make_job(seed=seed) for seed in range(3)]
    seen: list[EpisodeRecord] = []
    with RecordStore(tmp_path) as store:
        run_one(jobs[0], *make_run([click], [LOST]), store)
        run_one(jobs[1], *make_run([click], [BrowserCrashed("Gone.")]), store)
    with RecordStore(tmp_path) as store:
        run_jobs(jobs, *make_run([click], [WON]), store, seen.append)
        assert [row.end for row in store.episodes()] == ["failed", "success", "success"]
    assert [row.seed for row in seen] == [1, 2]
    assert [row.end for row in episodes_of(tmp_path)] == ["failed", "browser_crash", "success", "success"]


def test_a_run_stops_when_nothing_but_infrastructure_ends_comes(
    tmp_path: Path, make_run: MakeRun, make_job: MakeJob, click: AgentStep
) -> None:
    jobs = [make_job(seed=seed) for seed in range(MAX_UNSCORED_IN_A_ROW + 5)]
    with RecordStore(tmp_path) as store:
        assert not run_jobs(jobs, *make_run([click], [BrowserCrashed("Gone.")]), store, lambda row: None)
    assert len(episodes_of(tmp_path)) == MAX_UNSCORED_IN_A_ROW


@pytest.mark.parametrize(
    ("retries", "crashes", "ends"),
    [
        (0, 1, ["browser_crash", "success"]),
        (1, 0, ["success", "success"]),
        (1, 1, ["browser_crash", "success", "success"]),
        (1, 9, ["browser_crash", "success", "browser_crash"]),
        (2, 9, ["browser_crash", "success", "browser_crash", "browser_crash"]),
    ],
)
def test_what_infrastructure_ended_is_tried_again_at_the_end(
    tmp_path: Path, make_run: MakeRun, make_job: MakeJob, click: AgentStep, retries: int, crashes: int, ends: list[str]
) -> None:
    """The first job's browser crashes so many times; the second job's never."""
    jobs = [make_job(seed=seed) for seed in range(2)]
    sound, broken = make_run([click], [WON]), make_run([click], [BrowserCrashed("Gone.")])
    left = [broken] * crashes

    def run(jobs: list[JobKey], store: RecordStore) -> bool:
        for job in jobs:
            run_one(job, *(left.pop() if job.seed == 0 and left else sound), store)
        return True

    with RecordStore(tmp_path) as store:
        with_retries(lambda jobs: run(jobs, store), jobs, store, retries)
    assert [row.end for row in episodes_of(tmp_path)] == ends


def test_a_run_that_gave_up_is_not_tried_again(tmp_path: Path, make_job: MakeJob) -> None:
    asked: list[list[JobKey]] = []

    def gives_up(jobs: list[JobKey]) -> bool:
        asked.append(jobs)
        return False

    with RecordStore(tmp_path) as store:
        with_retries(gives_up, [make_job()], store, 3)
    assert asked == [[make_job()]]


@pytest.mark.parametrize("looks", range(6))
def test_an_interrupted_run_goes_on_where_it_stopped(
    tmp_path: Path, make_run: MakeRun, make_job: MakeJob, click: AgentStep, looks: int
) -> None:
    jobs = [make_job(seed=seed) for seed in range(2)]
    left = [False] * looks + [True]
    interrupted = make_run([click, click], [GOES_ON, WON], interrupted=lambda: left.pop(0))
    with RecordStore(tmp_path) as store, pytest.raises(KeyboardInterrupt):
        run_jobs(jobs, *interrupted, store, lambda row: None)
    with RecordStore(tmp_path) as store:
        run_jobs(jobs, *make_run([click, click], [GOES_ON, WON]), store, lambda row: None)
    rows = episodes_of(tmp_path)
    assert [(row.seed, row.end) for row in rows] == [(0, "success"), (1, "success")]
    for row in rows:
        assert len([s for s in steps_of(tmp_path) if s.episode_id == row.episode_id]) == 2


def test_a_crash_that_the_interrupt_itself_caused_is_not_recorded(
    tmp_path: Path, make_run: MakeRun, make_job: MakeJob, click: AgentStep
) -> None:
    left = [False, False, True]
    run = make_run([click], [BrowserCrashed("Gone.")], interrupted=lambda: left.pop(0))
    with RecordStore(tmp_path) as store, pytest.raises(KeyboardInterrupt):
        run_one(make_job(), *run, store)
    assert episodes_of(tmp_path) == []


def test_a_plan_has_one_job_for_each_task_and_seed() -> None:
    jobs = plan("toy", ["a", "b"], [1, 5], agent="jev", model="m", settings={"x": 1})
    twice = plan("toy", ["a"], [1, 5], agent="jev", model="m", settings={"x": 1}, trials=2)
    assert [(job.seed, job.trial) for job in twice] == [(1, 0), (1, 1), (5, 0), (5, 1)]
    assert [(job.task, job.seed) for job in jobs] == [("a", 1), ("a", 5), ("b", 1), ("b", 5)]
    assert {(job.benchmark, job.agent, job.model, job.settings_hash) for job in jobs} == {
        ("toy", "jev", "m", settings_hash({"x": 1}))
    }


def test_an_episode_is_told_what_the_run_has_cost_before_it(
    tmp_path: Path, make_run: MakeRun, make_job: MakeJob, click: AgentStep
) -> None:
    told: list[tuple[int, float]] = []
    setup, worker = make_run([click, click], [GOES_ON, WON])
    setup = replace(setup, begin=lambda job, spent_usd: told.append((job.seed, spent_usd)))
    with RecordStore(tmp_path) as store:
        run_jobs([make_job(seed=seed) for seed in (1, 2)], setup, worker, store, lambda record: None)
    assert told == [(1, 0.0), (2, 1.0)]


def test_the_end_of_the_runs_money_ends_the_run(
    tmp_path: Path, make_run: MakeRun, make_job: MakeJob, click: AgentStep
) -> None:
    setup, worker = make_run([RunOver("The money is spent.", click.calls)], [WON])
    jobs = [make_job(seed=seed) for seed in (1, 2, 3)]
    with RecordStore(tmp_path) as store:
        with_retries(lambda left: run_jobs(left, setup, worker, store, lambda record: None), jobs, store, 5)
        assert not any(store.done(job) for job in jobs)
    (row,) = episodes_of(tmp_path)
    assert (row.seed, row.end, row.error, row.cost_usd) == (1, "cancelled", "The money is spent.", 0.5)


def test_a_plan_is_recorded_with_its_step(
    tmp_path: Path, make_run: MakeRun, make_job: MakeJob, click: AgentStep
) -> None:
    followed = Plan(steps=(PlanStep(text="Press Go"),))
    setup, worker = make_run([click.model_copy(update={"plan": followed})], [WON])
    with RecordStore(tmp_path) as store:
        run_one(make_job(), setup, worker, store)
    assert [row.plan for row in steps_of(tmp_path)] == [followed]


@pytest.mark.parametrize(("judged", "end"), [(True, "wrong_finish"), (False, "finished")])
def test_a_finish_that_nothing_judges_is_neither_right_nor_wrong(
    tmp_path: Path, make_run: MakeRun, make_job: MakeJob, judged: bool, end: str
) -> None:
    setup, worker = make_run([AgentStep(action=Finish(message="done"))], [LOST])
    with RecordStore(tmp_path) as store:
        record = run_one(make_job(), replace(setup, judged=judged), worker, store)
    assert (record.end, record.scored) == (end, True)


@pytest.mark.parametrize("outcome", [WON, BrowserCrashed("Gone.")])
def test_the_last_look_is_taken_while_the_page_is_open_and_recorded(
    tmp_path: Path, make_run: MakeRun, make_job: MakeJob, click: AgentStep, outcome: Any
) -> None:
    setup, worker = make_run([click], [outcome])
    opened: list[Any] = []

    def environment(job: JobKey) -> Any:
        opened.append(worker.environment(job))
        return opened[-1]

    def last_look(episode_id: str) -> Picture:
        return Picture(path=f"{episode_id} closed={opened[-1].closed}")

    with RecordStore(tmp_path) as store:
        record = run_one(make_job(), setup, replace(worker, environment=environment, last_look=last_look), store)
    assert record.picture == f"{record.episode_id} closed=False"
    assert opened[-1].closed


def test_a_verdict_from_outside_comes_after_the_last_look_and_only_on_what_the_agent_did(
    tmp_path: Path, make_run: MakeRun, make_job: MakeJob, click: AgentStep
) -> None:
    told: list[object] = []

    def look(episode_id: str) -> Picture:
        told.append("look")
        return NO_PICTURE

    def judge(job: JobKey, result: EpisodeResult, last: AgentStep | None) -> EpisodeResult:
        told.append((job.task, result.end, last))
        return result.model_copy(update={"end": "success", "reward": 1.0})

    setup, worker = make_run([click], [(0.0, True, None)], judge=judge, last_look=look)
    with RecordStore(tmp_path) as store:
        row = run_one(make_job(), setup, worker, store)
        assert (row.end, row.reward, told) == ("success", 1.0, ["look", ("press", "failed", click)])
        setup, worker = make_run([click], [BrowserCrashed("Gone.")], judge=judge)
        assert run_one(make_job(seed=4), setup, worker, store).end == "browser_crash"
    assert len(told) == 2
