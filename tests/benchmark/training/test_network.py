"""From kept ticks to weights: what is learned from, what is not, and that a fit learns it, the same each time."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agent.decision import DecisionAgent
from agent.embedded import EmbeddedModel, RulesModel
from agent.embedded.exploring import Exploring
from agent.embedded.features import FEATURES, RULE_FEATURES
from agent.embedded.scorer import Scorer, load
from benchmark.errors import UsageError
from benchmark.records.rows import JobKey
from benchmark.training.fit import main
from benchmark.training.held_out import choose, measured
from benchmark.training.lessons import Lesson, read_lessons, read_played, tick_today, worth_imitating
from benchmark.training.network import FitSettings, fit, kept_features
from browser.actions import ActionName

OFFERED: tuple[ActionName, ...] = ("click", "type", "wait")
GOES_ON, WON, LOST, PART = (0.0, False, None), (1.0, True, 1.0), (0.0, True, 0.0), (1.0, True, 0.2)
QUICK = FitSettings(hidden=8, inner=4, epochs=60, rate=0.02, dropout=0.0)

KeptRun = Callable[..., Path]
Job = Callable[..., JobKey]


def exploring(temperature: float = 0.0, epsilon: float = 0.0) -> DecisionAgent:
    model = Exploring(RulesModel(), "exploring")
    model.temperature, model.epsilon = temperature, epsilon
    return DecisionAgent(model, OFFERED)


def test_only_the_full_reward_is_imitated_and_of_a_seed_the_shortest(kept_run: KeptRun, make_job: Job) -> None:
    agent = exploring()
    folder = kept_run(agent, [GOES_ON, WON], make_job(seed=1001))
    kept_run(agent, [WON], make_job(seed=1001, trial=1), make_job(seed=1002))
    kept_run(agent, [PART], make_job(seed=1003))
    kept_run(agent, [LOST], make_job(seed=1004))
    kept_run(agent, [WON], make_job(seed=1005, task="other"))
    played = read_played([folder], ["press"])
    assert [one.record.seed for one in played] == [1001, 1001, 1002, 1003, 1004]
    kept = worth_imitating(played)
    assert sorted((one.record.seed, one.record.trial) for one in kept) == [(1001, 1), (1002, 0)]
    with pytest.raises(UsageError, match="collect some first"):
        read_played([folder], ["nothing"])


def test_a_success_that_went_far_astray_is_not_imitated(kept_run: KeptRun, make_job: Job) -> None:
    agent = exploring()
    folder = kept_run(agent, [WON], *(make_job(seed=seed) for seed in (1001, 1002, 1003)))
    kept_run(agent, [GOES_ON] * 3 + [WON], make_job(seed=1004))
    assert {one.record.seed for one in worth_imitating(read_played([folder], ["press"]))} == {1001, 1002, 1003}


def test_what_a_failed_end_teaches_is_kept_apart(kept_run: KeptRun, make_job: Job) -> None:
    folder = kept_run(exploring(), [GOES_ON, WON], make_job(seed=1001))
    kept_run(exploring(), [GOES_ON, LOST], make_job(seed=1002))
    lessons = read_lessons(read_played([folder], ["press"]))
    told = {(lesson.seed, lesson.reached, lesson.imitate > 0, lesson.judge, lesson.avoid > 0) for lesson in lessons}
    assert told == {
        (1001, True, True, 0.25, False),
        (1002, False, False, 0.25, False),
        (1002, False, False, 0.25, True),
    }


def test_what_strayed_says_nothing_of_the_models_own_choices(kept_run: KeptRun, make_job: Job) -> None:
    folder = kept_run(exploring(epsilon=1.0), [GOES_ON] * 5 + [LOST], make_job(seed=1001))
    [played] = read_played([folder], ["press"])
    assert not played.is_greedy
    assert read_lessons([played]) == []


def test_a_stored_tick_gets_the_candidates_of_today(kept_run: KeptRun, make_job: Job) -> None:
    folder = kept_run(exploring(), [WON], make_job(seed=1001))
    [played] = read_played([folder], ["press"])
    decided = played.ticks[0].decided
    assert decided is not None
    assert tick_today(played.ticks[0]) == decided.tick
    older = decided.tick.model_copy(update={"candidates": decided.tick.candidates[:1]})
    record = played.ticks[0].model_copy(update={"decided": decided.model_copy(update={"tick": older})})
    assert tick_today(record).candidates == decided.tick.candidates


def made(seed: int, wanted: int, n: int = 4, **changes: Any) -> Lesson:
    """A decision in which the right candidate is marked by a feature that the rules do not weigh."""
    random = np.random.default_rng(seed)
    features = (random.random((n, len(FEATURES))) < 0.001).astype(np.float16)
    features[:, FEATURES.index("look_color")] = np.arange(n) == wanted
    rules = np.zeros(n, dtype=np.float32)
    told = {"imitate": 1.0, "judge": 1.0, "reached": True} | changes
    return Lesson("task", 1000 + seed % 5, features, rules, wanted, **told)


@pytest.fixture(scope="module")
def lessons() -> list[Lesson]:
    return [made(seed, seed % 4, n=4 if seed % 2 else 12) for seed in range(60)]


def test_a_fit_learns_what_the_rules_do_not_know_and_is_the_same_each_time(lessons: list[Lesson]) -> None:
    pytest.importorskip("jax")
    one, other = fit(lessons, QUICK), fit(lessons, QUICK)
    assert all(np.array_equal(one.arrays[part], other.arrays[part]) for part in one.arrays)
    fresh = [made(seed, seed % 4) for seed in range(100, 130)]
    result = measured(Scorer(one.arrays, one.names), fresh)
    assert result.best > 0.6 > result.best_of_rules
    unseen = [i for i, name in enumerate(one.names) if not any(lesson.features[:, i].any() for lesson in lessons)]
    assert not one.arrays["w1"][unseen].any()


def test_choices_that_ended_in_vain_become_unlikely_and_the_model_less_sure(lessons: list[Lesson]) -> None:
    pytest.importorskip("jax")
    vain = [replace(made(seed, 0), imitate=0.0, reached=False, avoid=1.0) for seed in range(300, 340)]
    for lesson in vain:
        lesson.features[:, FEATURES.index("tick_dialog")] = 1.0
    scorer = Scorer(*_parts(fit([*lessons, *vain], QUICK.model_copy(update={"avoid": 1.0}))))
    sure, unsure = (
        [scorer.probabilities(one.features.astype(np.float32), one.rules.astype(float)) for one in some]
        for some in (lessons, vain)
    )
    assert np.mean([p.sum() for p in sure]) > 0.8 > 0.6 > np.mean([p.sum() for p in unsure])
    assert np.mean([p[0] / p.sum() for p in unsure]) < 0.25


def _parts(fitted: Any) -> tuple[Any, Any]:
    return fitted.arrays, fitted.names


def test_groups_of_features_can_be_left_out(lessons: list[Lesson]) -> None:
    pytest.importorskip("jax")
    assert not set(kept_features(["rules"])) & set(RULE_FEATURES)
    assert not any(name.startswith(("goal_", "place_")) for name in kept_features(["goal", "place"]))
    with pytest.raises(UsageError, match="no group of features 'colour'; there are rules"):
        kept_features(["colour"])
    alone = fit(lessons, QUICK.model_copy(update={"leave_out": ("rules",)}))
    assert alone.arrays["prior"] == 0.0


def test_without_a_residual_every_choice_is_the_rules_and_only_surety_is_learned(lessons: list[Lesson]) -> None:
    pytest.importorskip("jax")
    random = np.random.default_rng(0)
    ruled = [replace(one, rules=random.standard_normal(len(one.rules)).astype(np.float32)) for one in lessons]
    vain = [replace(one, imitate=0.0, reached=False) for one in ruled[:20]]
    for lesson in vain:
        lesson.features[:, FEATURES.index("tick_dialog")] = 1.0
    scorer = Scorer(*_parts(fit([*ruled, *vain], QUICK.model_copy(update={"residual": False}))))
    shares = [scorer.probabilities(one.features.astype(np.float32), one.rules.astype(float)) for one in ruled]
    assert [int(p.argmax()) for p in shares] == [int(one.rules.argmax()) for one in ruled]
    assert len({round(float(p.sum()), 3) for p in shares}) > 1


def test_settings_are_chosen_by_what_was_held_out(lessons: list[Lesson]) -> None:
    pytest.importorskip("jax")
    blind = QUICK.model_copy(update={"leave_out": ("look",)})
    tried = []
    best = choose(lessons, [blind, QUICK], lambda one: one.seed, 2, lambda settings, result: tried.append(result))
    assert best == QUICK
    assert tried[1].best > tried[0].best
    assert [result.decisions for result in tried] == [60, 60]


def test_nothing_to_imitate_is_said(lessons: list[Lesson]) -> None:
    pytest.importorskip("jax")
    with pytest.raises(UsageError, match="nothing to imitate; collect more"):
        fit([replace(lesson, imitate=0.0) for lesson in lessons], QUICK)


def test_the_command_writes_weights_that_decide_and_their_card(
    kept_run: KeptRun, make_job: Job, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    pytest.importorskip("jax")
    folder = kept_run(exploring(), [WON], *(make_job(task="enter-text", seed=seed) for seed in range(1001, 1006)))
    kept_run(exploring(), [LOST], make_job(task="enter-text", seed=1006))
    rows = [json.loads(line) for line in (folder / "episodes.jsonl").read_text().splitlines()]
    for row in rows:
        row["settings"]["environment"] = {"action_set": "core"}
    (folder / "episodes.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    out = tmp_path / "weights.npz"
    assert main([str(folder), "--out", str(out), "--epochs", "3", "--quiet"]) == 0
    card = json.loads(out.with_suffix(".json").read_text())
    assert card["weights"] == load(out).digest
    assert card["data"] == {
        "benchmark": "toy", "tasks": "all", "tasks_seen": 1, "tasks_solved": 1, "seeds": [1001, 1006], "episodes": 6,
        "solved": 5, "imitated": 5, "decisions": 6, "action_sets": ["core"], "played_by": ["embedded-rules-4"],
    }  # fmt: skip
    assert card["held_out_seeds"]["decisions"] == 5
    assert EmbeddedModel(load(out)).name == f"embedded-4-{card['weights']}"
    assert main([str(folder), "--out", str(out), "--split", "click-test", "--quiet"]) == 2
    assert "collect some first" in capsys.readouterr().err
    for name in ("jax", "optax"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    assert main([str(folder), "--out", str(out), "--quiet"]) == 2
    assert "make train, or pip install jax optax" in capsys.readouterr().err


def test_episodes_of_other_pages_are_fitted_to_and_never_held_out(
    kept_run: KeptRun, make_job: Job, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("jax")
    folder = kept_run(exploring(), [GOES_ON, WON], *(make_job(seed=n, task="click-test") for n in range(1001, 1006)))
    others = tmp_path / "others"
    shutil.copytree(folder, others)
    for name in ("episodes.jsonl", "steps.jsonl"):
        (others / name).write_text((others / name).read_text().replace("click-test", "a page of ours"))
    out = tmp_path / "weights.npz"
    command = [str(folder), "--out", str(out), "--epochs", "2", "--quiet"]
    assert main(command) == 0
    alone = json.loads(out.with_suffix(".json").read_text())
    assert main([*command, "--also", str(others)]) == 0
    both = json.loads(out.with_suffix(".json").read_text())
    assert (alone["decisions_of_other_pages"], both["decisions_of_other_pages"]) == (0, 10)
    assert both["held_out_seeds"]["decisions"] == alone["held_out_seeds"]["decisions"] == 10
    assert both["weights"] != alone["weights"]
