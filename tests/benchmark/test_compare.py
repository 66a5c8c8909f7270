"""The comparison of runs: who is picked, when it refuses, what it says and writes."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from benchmark.compare import main
from benchmark.errors import UsageError
from benchmark.records.rows import EpisodeRecord
from benchmark.records.store import RecordStore
from benchmark.report.compared import (
    cost_source,
    mean_pass_at_k,
    measured,
    pair_up,
    per_group,
    side_by_side,
    times,
    verdict,
)
from benchmark.report.contenders import Contender, differences, in_common, pick, provenance_notes

MakeEpisode = Callable[..., EpisodeRecord]
Write = Callable[..., Path]
ENVIRONMENT = {"agent": {}, "environment": {"max_steps": 10, "pages": {"name": "miniwob 1.1.0"}}}


@pytest.fixture
def write(tmp_path: Path, make_episode: MakeEpisode) -> Write:
    """Return a function that adds an agent's episodes to a run folder, one for each task and raw reward."""

    def add(name: str, agent: str, raw: dict[str, Sequence[float | None]], **fields: Any) -> Path:
        defaults: dict[str, Any] = {"models": (), "settings": ENVIRONMENT, "settings_hash": f"{agent}-hash"}
        with RecordStore(tmp_path / name) as store:
            for task, rewards in raw.items():
                for seed, reward in enumerate(rewards):
                    own: dict[str, Any] = {"agent": agent, "task": task, "seed": seed, "raw_reward": reward}
                    own |= {"reward": float((reward or 0) > 0), "end": "success" if (reward or 0) > 0 else "failed"}
                    if reward is None:
                        own |= {"end": "browser_crash", "error": "Gone.", "full_reward": None}
                    store.append_episode(make_episode(**defaults | own | fields))
        return tmp_path / name

    return add


def labels(contenders: Sequence[Contender]) -> list[str]:
    return [contender.label for contender in contenders]


def test_one_folder_is_all_its_agents_and_parts_of_its_name_pick_some(write: Write) -> None:
    folder = write("r", "jev", {"a": [1.0, 0.0]}, models=("m-1",))
    write("r", "jev", {"a": [1.0, 0.0]}, model="m:2", models=("m:2",), settings_hash="jev-2")
    write("r", "random", {"a": [1.0, 0.0]})
    assert labels(pick([str(folder)])) == ["jev (m-1, jev-ha)", "jev (m:2, jev-2)", "random"]
    assert labels(pick([f"{folder}:random", f"{folder}:jev:m:2"])) == ["random", "jev"]
    assert labels(pick([f"{folder}:random", str(folder)])) == ["random", "jev (m-1, jev-ha)", "jev (m:2, jev-2)"]


def test_the_same_agent_of_two_runs_is_told_apart_by_the_run(write: Write) -> None:
    folders = [write(name, "jev", {"a": [1.0]}, models=("m-1",)) for name in ("old", "new")]
    assert labels(pick([str(folder) for folder in folders])) == ["jev (old)", "jev (new)"]


def test_the_same_agent_by_two_names_of_its_model_is_numbered(write: Write) -> None:
    folder = write("r", "jev", {"a": [1.0]}, models=("m-1",))
    write("r", "jev", {"a": [1.0]}, model="m-latest", models=("m-1",))
    assert labels(pick([str(folder)])) == ["jev #1", "jev #2"]


@pytest.mark.parametrize(
    ("suffixes", "message"),
    [
        ([":nobody"], "holds no episodes of nobody; it has jev:m-1, random:none."),
        ([":jev:m-9"], "holds no episodes of jev:m-9; it has jev:m-1, random:none."),
        ([":jev"], "Only jev is in"),
        ([":jev", ":jev:m-1"], "Only jev is in"),
        (["-gone:jev"], "-gone'; give the --out folder of a run."),
    ],
)
def test_what_cannot_be_picked_is_said(write: Write, suffixes: list[str], message: str) -> None:
    folder = write("r", "jev", {"a": [1.0]}, models=("m-1",))
    write("r", "random", {"a": [1.0]})
    with pytest.raises(UsageError) as error:
        pick([f"{folder}{suffix}" for suffix in suffixes])
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("raw", "fields", "expected"),
    [
        ({"a": [1, 1], "b": [1, 1]}, {}, []),
        ({"a": [0, None], "b": [0, 0]}, {"settings": ENVIRONMENT | {"agent": {"temperature": 1}}}, []),
        ({"a": [1, 1]}, {}, ["random lacks 1 task (b)"]),
        ({"a": [1, 1], "b": [1, 1], "c": [1, 1]}, {}, ["random also has 1 task (c)"]),
        ({"c": [1]}, {}, ["random lacks 2 tasks (a, b)", "random also has 1 task (c)"]),
        ({"a": [1, 1, 1], "b": [1, 1, 1]}, {}, ["random has seeds 0-2 where jev has 0-1"]),
        ({"a": [1], "b": [1]}, {}, ["random has seeds 0 where jev has 0-1"]),
        ({"a": [1, 1], "b": [1, 1]}, {"trial": 1}, ["random has trials 1 where jev has 0"]),
        ({"a": [1, 1], "b": [1]}, {}, ["random lacks 1 episode (b seed 1)"]),
        (
            {"a": [1, 1], "b": [1, 1]},
            {"settings": {"agent": {}, "environment": {"max_steps": 20, "pages": {"name": "other"}}}},
            [
                "random ran with environment.max_steps 20 where jev had 10",
                "random ran with environment.pages.name other where jev had miniwob 1.1.0",
            ],
        ),
        (
            {"a": [1, 1], "b": [1, 1]},
            {"settings": ENVIRONMENT | {"wait_s": 3}},
            ["random ran with wait_s 3 where jev had nothing"],
        ),
        (
            {"a": [1, 1], "b": [1, 1]},
            {"benchmark": "other"},
            ["random lacks 2 tasks (a, b)", "random also has 2 tasks (a, b)"],
        ),
    ],
)  # fmt: skip
def test_differences_are_named(
    write: Write, raw: dict[str, Sequence[float | None]], fields: dict[str, Any], expected: list[str]
) -> None:
    folder = write("r", "jev", {"a": [1, 1], "b": [1, 1]})
    write("r", "random", raw, **fields)
    assert differences(pick([str(folder)])) == expected


def test_runs_that_differ_are_refused_unless_told(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = write("r", "jev", {"a": [1, 1], "b": [1, 1]}), tmp_path / "out"
    write("r", "random", {"a": [0, 1, 0]}, settings={"agent": {}, "environment": {"max_steps": 20}})
    assert main([str(folder), "--out", str(out)]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    for part in ("lacks 1 task (b)", "seeds 0-2 where jev has 0-1", "environment.max_steps 20", "--anyway"):
        assert part in captured.err
    assert captured.out == ""
    assert not out.exists()
    assert main([str(folder), "--out", str(out), "--anyway"]) == 0
    shown = capsys.readouterr().out
    assert "Compared on the 2 episodes that all have (--anyway)." in shown
    assert "On 2 pairs jev solves 1 that random does not" in shown
    assert "seeds 0-2 where jev has 0-1" in (out / "compare.md").read_text()
    assert pd.read_csv(out / "compare.csv")["episodes"].tolist() == [2, 2]
    # These tasks are not MiniWoB's, so that no groups are known.
    assert sorted(file.name for file in out.iterdir()) == ["compare.csv", "compare.md", "compare_tasks.csv"]


def test_nothing_in_common_is_refused_anyway(write: Write) -> None:
    folder = write("r", "jev", {"a": [1]})
    write("r", "random", {"b": [1]})
    with pytest.raises(UsageError, match="No episode is in all of jev, random"):
        in_common(pick([str(folder)]))


def test_the_verdict_is_one_sentence_and_leaves_out_unscored_pairs(write: Write) -> None:
    folder = write("r", "jev", {"a": [1.0, 1.0, None, 1.0], "b": [0.5, 1.0, 0.0, 1.0]})
    write("r", "random", {"a": [0.0, 0.0, 1.0, 0.3], "b": [0.0, None, 0.2, 0.1]})
    comparison = pair_up(*pick([str(folder)]))
    assert comparison.success[:3] == (6, 3, 1)
    assert comparison.full[:3] == (6, 4, 0)
    interval, at_full = ((side.low, side.high) for side in (comparison.success, comparison.full))
    assert verdict(comparison) == (
        "On 6 pairs jev solves 3 that random does not, random 1 that jev does not; "
        f"difference 0.33 [{interval[0]:.2f}, {interval[1]:.2f}], exact McNemar p = 0.62; at full reward 4 and 0, "
        f"difference 0.67 [{at_full[0]:.2f}, {at_full[1]:.2f}], exact McNemar p = 0.12; "
        "2 of 8 pairs left out as unscored."
    )


def test_a_verdict_without_raw_reward_one_task_or_any_pair_claims_nothing(write: Write) -> None:
    folder = write("r", "jev", {"a": [1.0, 0.0]}, full_reward=None)
    write("r", "random", {"a": [0.0, 0.0]}, full_reward=None)
    write("r", "dead", {"a": [None, None]})
    jev, random, dead = pick([str(folder)])
    assert verdict(pair_up(jev, random)) == (
        "On 2 pairs jev solves 1 that random does not, random 0 that jev does not; "
        "difference 0.50 [no interval from one task], exact McNemar p = 1."
    )
    assert verdict(pair_up(jev, dead)) == "jev and dead have no pair that is scored on both sides (2 left out)."


def test_the_order_of_a_pair_only_turns_its_sign(write: Write) -> None:
    folder = write("r", "jev", {"a": [1.0, 1.0], "b": [0.0, 1.0], "c": [1.0, 1.0]})
    write("r", "random", {"a": [0.0, 0.0], "b": [1.0, 1.0], "c": [0.0, 1.0]})
    jev, random = pick([str(folder)])
    there, back = pair_up(jev, random).success, pair_up(random, jev).success
    assert (there.first_only, there.second_only, there.p_value) == (back.second_only, back.first_only, back.p_value)
    assert (there.difference, there.low, there.high) == pytest.approx((-back.difference, -back.high, -back.low))


def test_the_mean_over_groups_weighs_groups_and_not_tasks(write: Write) -> None:
    folder = write("r", "jev", {"a": [1.0, 1.0], "b": [1.0, 0.5], "c": [0.0, None]})
    write("r", "random", {"a": [0.0, 0.0], "b": [0.0, 0.0], "c": [1.0, 1.0]})
    contenders, groups = pick([str(folder)]), {"a": 0, "b": 0, "c": 1}
    rows = per_group(contenders, groups)
    columns = ("label", "group", "tasks", "episodes", "unscored", "success", "full")
    assert list(rows[list(columns)].itertuples(index=False, name=None)) == [
        ("jev", 0, "a, b", 4, 0, 1.0, 0.75), ("jev", 1, "c", 1, 1, 0.0, 0.0),
        ("random", 0, "a, b", 4, 0, 0.0, 0.0), ("random", 1, "c", 2, 0, 1.0, 1.0),
    ]  # fmt: skip
    frame = measured(contenders, [pair_up(*contenders)], groups)
    assert frame["success_by_group"].tolist() == [0.5, 0.5]
    assert frame["full_by_group"].tolist() == [0.375, 0.5]
    assert frame["success"].tolist() == [0.8, pytest.approx(1 / 3)]
    assert side_by_side(frame)["mean of groups"].tolist() == ["0.500 (0.375)", "0.500 (0.500)"]
    assert "mean of groups" not in side_by_side(measured(contenders, [], {}))


def test_numbers_of_the_pair_stand_beside_the_other(write: Write) -> None:
    folder = write("r", "jev", {"a": [1.0, 1.0], "b": [0.5, 0.0]})
    write("r", "random", {"a": [0.0, 0.0], "b": [0.0, None]})
    contenders = pick([str(folder)])
    first, other = measured(contenders, [pair_up(*contenders)], {}).to_dict("records")
    assert pd.isna(first["against"])
    assert pd.isna(first["success_pairs"])
    expected = {
        "against": "jev", "left_out": 1, "success_pairs": 3, "success_first_only": 3, "success_second_only": 0,
        "success_difference": 1.0, "success_p_value": 0.25, "full_pairs": 3, "full_first_only": 2,
        "full_difference": pytest.approx(2 / 3), "unscored": 1,
    }  # fmt: skip
    assert {name: other[name] for name in expected} == expected


def test_times_are_split_by_part_and_the_rest_is_shown(write: Write) -> None:
    folder = write("r", "jev", {"a": [1.0]})
    write("r", "random", {"a": [None]})
    jev, random = times(measured(pick([str(folder)]), [], {})).to_dict("records")
    assert jev == {
        "agent": "jev", "model": "none", "all": "0.500", "reset": "0.080", "act": "0.010", "settle": "0.020",
        "probe": "0.005", "validate": "0.001", "decide": "0.004", "other": "0.380", "ends": "success 1",
    }  # fmt: skip
    assert (random["all"], random["decide"], random["other"], random["ends"]) == ("-", "-", "-", "browser_crash 1")


@pytest.mark.parametrize(
    ("fields", "source", "text"),
    [
        ([{"cost_usd": 0.0, "models": ("m",)}] * 2, "known to be 0", "$0.0000 (known to be 0)"),
        ([{"cost_usd": 0.0, "models": ()}] * 2, "no model", "$0.0000 (no model)"),
        ([{"cost_usd": 0.25, "cost_sources": ("provider",)}, {"cost_usd": 0.5}], "provider", "$0.7500 (provider)"),
        ([{"cost_usd": 0.25}, {"cost_usd": 0.5}], "told per call", "$0.7500 (told per call)"),
        ([{"cost_usd": 0.25}, {"cost_usd": None}], "unpriced in 1 of 2", "unpriced in 1 of 2"),
    ],
)
def test_a_cost_has_its_source(make_episode: MakeEpisode, fields: list[dict[str, Any]], source: str, text: str) -> None:
    records = [make_episode(seed=seed, **each) for seed, each in enumerate(fields)]
    assert cost_source(records) == source
    contender = Contender("jev", "r", "jev", "m", "m", "h", {record.episode: record for record in records})
    assert side_by_side(measured([contender], [], {}))["cost"].tolist() == [text]


def test_unknown_tokens_are_not_0(make_episode: MakeEpisode) -> None:
    records = [make_episode(cached_tokens=None, input_tokens=1200), make_episode(seed=4, input_tokens=1300)]
    contender = Contender("jev", "r", "jev", "m", "m", "h", {record.episode: record for record in records})
    row = side_by_side(measured([contender], [], {})).iloc[0]
    assert (row["tokens in"], row["cached"], row["out"]) == ("1250", "unknown", "2")


def test_pass_at_k_is_over_tasks_and_seeds_with_enough_scored_trials(make_episode: MakeEpisode) -> None:
    won = {"a": [1, 0, 0], "b": [1, 1, None]}
    records = [
        make_episode(task=task, trial=trial, reward=float(reward or 0), end="cancelled" if reward is None else "failed")
        for task, rewards in won.items()
        for trial, reward in enumerate(rewards)
    ]
    episodes = {record.episode: record for record in records}
    # Two of the three pairs of a's trials hold its one success; of b, two trials are scored and both succeed.
    assert mean_pass_at_k(episodes, 1) == pytest.approx((1 / 3 + 1) / 2)
    assert mean_pass_at_k(episodes, 2) == pytest.approx((2 / 3 + 1) / 2)
    assert mean_pass_at_k(episodes, 3) == 1.0
    assert mean_pass_at_k(episodes, 4) is None
    contender = Contender("jev", "r", "jev", "m", "m", "h", episodes)
    assert side_by_side(measured([contender], [], {}))["pass@3"].tolist() == ["1.000"]
    assert side_by_side(measured([contender], [], {}, k=2))["pass@2"].tolist() == ["0.833"]


def test_what_may_differ_beside_the_agents_is_said(write: Write) -> None:
    folder = write("r", "jev", {"a": [1.0]}, git_commit="a" * 40, versions={"python": "3.11", "browser": "1"})
    write("r", "random", {"a": [1.0]}, git_commit="b" * 40, git_dirty=True, versions={"python": "3.11", "browser": "2"})
    contenders = pick([str(folder)])
    assert provenance_notes(contenders) == [
        "Made by different commits of the code: aaaaaaa, bbbbbbb.",
        "Made from a checkout with uncommitted changes: random.",
        "Versions differ: browser 1 and 2.",
    ]
    assert provenance_notes(contenders[:1]) == []


def test_the_files_are_the_same_each_time_and_for_each_order_of_rows(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {"choose-date": [1.0, 0.0, 1.0], "choose-date-easy": [1.0, 1.0, 0.0], "enter-text": [0.2, 1.0, 1.0]}
    folder = write("r", "jev", names, benchmark="miniwob", models=("m-1",))
    write("r", "random", {name: [0.0, 1.0, 0.0] for name in names}, benchmark="miniwob")
    assert main([str(folder), "--out", str(tmp_path / "one")]) == 0
    printed = capsys.readouterr().out
    path = folder / "episodes.jsonl"
    rows = path.read_text().splitlines(keepends=True)
    # The first row stays: it says which agent the others are compared with.
    path.write_text(rows[0] + "".join(reversed(rows[1:])))
    assert main([str(folder), "--out", str(tmp_path / "two")]) == 0
    files = sorted(file.name for file in (tmp_path / "one").iterdir())
    assert files == ["compare.csv", "compare.md", "compare_groups.csv", "compare_tasks.csv"]
    for name in files:
        assert (tmp_path / "one" / name).read_text() == (tmp_path / "two" / name).read_text()
    markdown = (tmp_path / "one" / "compare.md").read_text()
    assert "On 9 pairs jev solves 5 that random does not, random 1 that jev does not" in markdown
    assert "On 9 pairs jev solves 5" in printed
    assert "| enter-text | 1.00 (0.67) | 0.33 (0.33) |" in markdown
    assert len(pd.read_csv(tmp_path / "one" / "compare_tasks.csv")) == 6
    assert set(pd.read_csv(tmp_path / "one" / "compare_groups.csv")["tasks"]) == {
        "choose-date, choose-date-easy",
        "enter-text",
    }
    assert "From only 3 tasks" in printed


def test_a_folder_that_cannot_be_written_is_said(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write("r", "jev", {"a": [1.0]})
    write("r", "random", {"a": [1.0]})
    (tmp_path / "file").write_text("")
    assert main([str(folder), "--out", str(tmp_path / "file")]) == 2
    assert "give another folder with --out." in capsys.readouterr().err
