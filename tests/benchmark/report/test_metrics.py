"""The numbers people will quote: over what they are taken, and what they are when something is unknown."""

import math
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from benchmark.records.rows import EpisodeRecord
from benchmark.report.metrics import per_task, readable, summarize, to_markdown, to_terminal, wilson

MakeEpisode = Callable[..., EpisodeRecord]


# Checked by hand with (p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n), z = 1.959964.
@pytest.mark.parametrize(
    ("successes", "episodes", "low", "high"),
    [(8, 10, 0.4902, 0.9433), (0, 20, 0.0, 0.1611), (20, 20, 0.8389, 1.0), (344, 625, 0.5112, 0.5890)],
)
def test_wilson(successes: int, episodes: int, low: float, high: float) -> None:
    assert wilson(successes, episodes) == pytest.approx((low, high), abs=5e-5)


# Newcombe, Two-sided confidence intervals for the single proportion, Statistics in Medicine 17 (1998), table I,
# method 3, the score interval without continuity correction.
@pytest.mark.parametrize(
    ("successes", "episodes", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_as_published(successes: int, episodes: int, low: float, high: float) -> None:
    assert wilson(successes, episodes) == pytest.approx((low, high), abs=5.1e-5)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_its_rate_and_stays_within_0_and_1(case: tuple[int, int]) -> None:
    successes, episodes = case
    low, high = wilson(successes, episodes)
    assert -1e-12 <= low <= successes / episodes + 1e-12
    assert successes / episodes - 1e-12 <= high <= 1 + 1e-12


def test_no_episodes_have_no_interval() -> None:
    assert all(math.isnan(bound) for bound in wilson(0, 0))


def test_a_summary_is_over_scored_episodes(make_episode: MakeEpisode) -> None:
    records = [
        make_episode(seed=0, raw_reward=1.0, steps=1, seconds=1.0, decisions_ms=(1.0,)),
        make_episode(seed=1, raw_reward=0.1, steps=3, seconds=2.0, decisions_ms=(2.0, 3.0, 100.0), input_tokens=30),
        make_episode(seed=2, end="failed", reward=0.0, raw_reward=-1.0, steps=2, seconds=3.0, decisions_ms=(4.0,)),
        make_episode(
            seed=3,
            end="browser_crash",
            error="Gone.",
            reward=0.0,
            raw_reward=None,
            steps=9,
            seconds=99.0,
            decisions_ms=(),
        ),
    ]
    (row,) = summarize(records).to_dict("records")
    expected = {
        "agent": "jev", "model": "m-1", "episodes": 3, "unscored": 1, "success": 2 / 3, "full": 1 / 3, "steps": 2.0,
        "input_tokens": 50 / 3, "output_tokens": 2.0, "seconds": 2.0, "decide_ms": 3.0,
        "cost_usd": pytest.approx(0.004), "ends": "success 2, failed 1, browser_crash 1",
    }  # fmt: skip
    assert {key: row[key] for key in expected} == expected
    assert (row["success_low"], row["success_high"]) == wilson(2, 3)
    assert (row["full_low"], row["full_high"]) == wilson(1, 3)


@pytest.mark.parametrize(
    ("fields", "column", "text"),
    [
        ({"cost_usd": None}, "cost", "unpriced"),
        ({"cost_usd": 0.0}, "cost", "$0.0000"),
        ({"cost_usd": 0.25}, "cost", "$0.2510"),
        ({"input_tokens": None}, "tokens in", "unknown"),
        ({"output_tokens": None}, "out", "unknown"),
        ({"cached_tokens": None}, "cached", "unknown"),
        ({"cached_tokens": 9}, "cached", "4"),
        ({"input_tokens": 30}, "tokens in", "20"),
        ({"raw_reward": None}, "full", "1.000 [0.21, 1.00]"),
        ({"end": "cancelled"}, "episodes", "1 (+1 unscored)"),
        ({}, "success", "1.000 [0.34, 1.00]"),
    ],
)
def test_what_is_unknown_is_said_and_never_0(
    make_episode: MakeEpisode, fields: dict[str, Any], column: str, text: str
) -> None:
    other = {"cost_usd": 0.0} if fields.get("cost_usd") == 0.0 else {}
    table = readable(summarize([make_episode(**other), make_episode(seed=4, **fields)]))
    assert table[column].tolist() == [text]


def test_only_unscored_episodes_have_no_rate(make_episode: MakeEpisode) -> None:
    record = make_episode(end="model_error", error="No.", reward=0.0, raw_reward=None, models=(), decisions_ms=())
    (row,) = readable(summarize([record])).to_dict("records")
    assert (row["episodes"], row["success"], row["steps"], row["decide ms"]) == (
        "0 (+1 unscored)",
        "-",
        "-",
        "-",
    )


def test_the_model_that_answered_is_told_apart_from_the_one_asked_for(make_episode: MakeEpisode) -> None:
    records = [
        make_episode(seed=0, model="jev-latest", models=("jev-1.13",)),
        make_episode(seed=1, model="jev-latest", models=("jev-1.13", "writer-2")),
        make_episode(seed=2, model="jev-latest", models=("jev-1.14",)),
        make_episode(seed=3, model="jev-latest", models=(), end="browser_crash"),
        make_episode(seed=4, agent="random", model=None, models=()),
    ]
    summary = summarize(records)
    rows = list(zip(summary["agent"], summary["model"], summary["episodes"], summary["unscored"], strict=True))
    assert rows == [("jev", "jev-1.13, writer-2", 2, 1), ("jev", "jev-1.14", 1, 0), ("random", "none", 1, 0)]


def test_settings_tell_rows_apart_only_where_nothing_else_does(make_episode: MakeEpisode) -> None:
    records = [
        make_episode(settings_hash="aaaaaaaa"),
        make_episode(settings_hash="bbbbbbbb"),
        make_episode(settings_hash="cccccccc", agent="random", models=()),
    ]
    assert list(summarize(records)["agent"]) == ["jev [aaaaaa]", "jev [bbbbbb]", "random"]


def test_per_task(make_episode: MakeEpisode) -> None:
    records = [
        make_episode(task="a", seed=0),
        make_episode(task="b", seed=0, end="failed", reward=0.0, raw_reward=0.0),
        make_episode(task="a", seed=1, end="failed", reward=0.0, raw_reward=0.0),
    ]
    frame = per_task(records)
    assert list(zip(frame["task"], frame["episodes"], frame["success"], strict=True)) == [("a", 2, 0.5), ("b", 1, 0.0)]
    assert set(frame["model"]) == {"m-1"}
    assert readable(frame)["task"].tolist() == ["a", "b"]


def test_markdown_has_one_line_a_row_and_keeps_bars_inside_cells() -> None:
    table = pd.DataFrame({"agent": ["a|b", "c"], "steps": ["1.0", "2.0"]})
    assert to_markdown(table).split("\n") == [
        "| agent | steps |", "| --- | --- |", "| a\\|b | 1.0 |", "| c | 2.0 |"
    ]  # fmt: skip


def test_the_terminal_shows_every_cell_and_takes_no_cell_for_markup(make_episode: MakeEpisode) -> None:
    table = readable(summarize([make_episode(), make_episode(settings_hash="bold")]))
    console = Console(width=200)
    with console.capture() as printed:
        console.print(to_terminal(table, "Title [bold]"))
    assert "Title [bold]" in printed.get()
    assert "jev [bold]" in printed.get()
    assert all(cell in printed.get() for cell in table.iloc[0])
