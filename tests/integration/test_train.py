"""Training from nothing to weights that play, on a small task or two; and again, where nothing is left to do."""

import json
from pathlib import Path

import pytest

from agent.embedded.scorer import load
from benchmark.records.rows import EpisodeRecord
from benchmark.records.store import EPISODES, read_rows
from benchmark.training import collect, leave_groups_out
from benchmark.training.train import main


def test_a_training_explores_fits_and_is_measured_on_development_seeds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("jax")
    command = [
        "--out",
        str(tmp_path),
        "--split",
        "click-test",
        "--rounds",
        "2",
        "--episodes",
        "5",
        "--no-check",
        "--quiet",
    ]
    assert main(command) == 0
    capsys.readouterr()
    rounds = [list(read_rows(tmp_path / f"round-{n}" / EPISODES, EpisodeRecord)) for n in (1, 2)]
    assert [sorted(row.seed for row in rows) for rows in rounds] == [[*range(n, n + 5)] for n in (1000, 3000)]
    first, last = load(tmp_path / "weights-1.npz"), load(tmp_path / "weights.npz")
    assert {row.models for row in rounds[0]} == {("embedded-rules-4",)}
    assert {row.models for row in rounds[1]} == {(f"embedded-4-{first.digest}",)}
    card = json.loads((tmp_path / "weights.json").read_text())
    assert card["weights"] == last.digest
    assert card["dev"]["seeds"] == "100-104"
    models = {figures["model"]: figures["episodes"] for figures in card["dev"]["models"]}
    assert models == {f"embedded-4-{last.digest}": 5, "embedded-rules-4": 5}
    written = (tmp_path / "weights.npz").read_bytes()
    assert main(command) == 0
    assert capsys.readouterr().out.count("episodes are done") == 4
    assert (tmp_path / "weights.npz").read_bytes() == written


def test_each_task_is_played_by_weights_that_never_saw_its_like(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    tasks = ["--tasks", "click-test,focus-text", "--quiet"]
    assert collect.main(["--out", str(tmp_path / "round"), "--episodes", "4", *tasks]) == 0
    out = tmp_path / "left"
    assert leave_groups_out.main([str(tmp_path / "round"), "--out", str(out), "--parts", "2", *tasks]) == 0
    fitted, rules = json.loads((out / "left_out.json").read_text())["models"]
    assert (fitted["episodes"], fitted["groups"]) == (rules["episodes"], rules["groups"]) == (10, 2)
    assert rules["model"] == "embedded-rules"
    of_part = [list(read_rows(out / f"part-{n}" / EPISODES, EpisodeRecord)) for n in (0, 1)]
    assert [{row.task for row in rows} for rows in of_part] == [{"click-test"}, {"focus-text"}]
    assert of_part[0][0].models != of_part[1][0].models
