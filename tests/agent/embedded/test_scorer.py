"""Weights on disk and what a network makes of a tick: the same on both sides, and never silently the wrong ones."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agent.embedded.features import FEATURES, RULE_FEATURES
from agent.embedded.model import scored_features, softmax
from agent.embedded.scorer import LEARNED, PARTS, Scorer, WeightsError, feature_hash, forward, load, save
from agent.tick import Tick

Make = Callable[..., Any]


def network(names: tuple[str, ...] = FEATURES, seed: int = 0, **changes: Any) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    h, k = 6, 4
    shapes = {
        "w1": (len(names), h), "b1": (h,), "w2": (h, k), "p2": (2 * h, k), "b2": (k,), "w3": (k,),
        "w4": (2 * h + k + 2, k), "b4": (k,), "w5": (k,), "b5": (),
    }  # fmt: skip
    drawn = {part: random.standard_normal(shape).astype(np.float32) for part, shape in shapes.items()}
    return {"prior": np.float32(0.7), **drawn, **changes}


@pytest.fixture
def asked(element: Make, page: Make, tick: Make) -> Tick:
    made: Tick = tick("Click B2", page(*(element("button", f"B{n}") for n in range(4))))
    return made


def test_weights_come_back_as_they_were_written(asked: Tick, tmp_path: Path) -> None:
    one, other = tmp_path / "a.npz", tmp_path / "deep" / "b.npz"
    for path in (one, other):
        save(path, network(), FEATURES)
    assert one.read_bytes() == other.read_bytes()
    written, read = Scorer(network(), FEATURES), load(one)
    assert read.digest == written.digest != Scorer(network(seed=1), FEATURES).digest
    assert np.array_equal(read.probabilities(*scored_features(asked)), written.probabilities(*scored_features(asked)))


def test_what_is_left_to_one_is_that_none_of_them_helps(asked: Tick) -> None:
    sure, lost = (Scorer(network(w5=np.zeros(4), b5=np.float32(b)), FEATURES) for b in (30.0, -2.0))
    features, rules = scored_features(asked)
    assert sure.probabilities(features, rules).sum() == pytest.approx(1.0)
    share = lost.probabilities(features, rules)
    assert share.sum() == pytest.approx(1 / (1 + np.exp(2.0)))
    assert share / share.sum() == pytest.approx(sure.probabilities(features, rules), rel=1e-5)


def test_without_a_residual_the_choice_is_the_rules(asked: Tick) -> None:
    features, rules = scored_features(asked)
    plain = Scorer(network(w3=np.zeros(4), prior=np.float32(1.0), w5=np.zeros(4), b5=np.float32(30)), FEATURES)
    assert plain.probabilities(features, rules) == pytest.approx(softmax(rules), rel=1e-4)


def test_a_network_that_reads_some_features_gets_those_by_name(asked: Tick) -> None:
    names = (FEATURES[7], FEATURES[3], "rule_score")
    features, rules = scored_features(asked)
    columns = [FEATURES.index(name) for name in names]
    arrays = network(names)
    logs, _ = forward(arrays, features[:, columns], rules.astype(np.float32), np.ones(len(rules), np.float32))
    shares = Scorer(arrays, names).probabilities(features, rules)
    assert shares / shares.sum() == pytest.approx(np.exp(logs), rel=1e-4)


def test_rows_that_only_fill_up_change_nothing(asked: Tick) -> None:
    features, rules = scored_features(asked)
    n = len(rules)
    alone = forward(network(), features, rules, np.ones(n))
    filled = forward(network(), np.pad(features, ((0, 5), (0, 0))), np.pad(rules, (0, 5)), np.pad(np.ones(n), (0, 5)))
    assert filled[0][:n] == pytest.approx(alone[0])
    assert filled[1] == pytest.approx(alone[1])


def test_the_weights_of_the_package_fit_its_features() -> None:
    assert set(load().names) <= set(FEATURES)
    learned = load(LEARNED)
    assert not set(learned.names) & set(RULE_FEATURES)
    assert learned.arrays["prior"] == 0.0


def damaged(path: Path, **changes: Any) -> None:
    head = {"format": 1, "features": ["submit"], "feature_hash": feature_hash(["submit"])} | changes
    arrays: dict[str, Any] = {part: np.zeros(1) for part in PARTS}
    np.savez(path, head=np.frombuffer(json.dumps(head).encode(), dtype=np.uint8), **arrays)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"features": ["gone"], "feature_hash": feature_hash(["gone"])}, "read the feature 'gone', which this release"),
        ({"feature_hash": "0"}, "not the one its weights were made for"),
        ({"format": 9}, "of format 9, not 1"),
    ],
)
def test_weights_for_other_features_are_refused(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    damaged(tmp_path / "w.npz", **changes)
    with pytest.raises(WeightsError, match=words):
        load(tmp_path / "w.npz")


def test_what_is_no_file_of_weights_is_said_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="cannot be read: No such file"):
        load(tmp_path / "none.npz")
    (tmp_path / "text").write_text("no weights")
    np.savez(tmp_path / "other.npz", a=np.zeros(2))
    for name in ("text", "other.npz"):
        with pytest.raises(WeightsError, match="holds no weights|cannot be read"):
            load(tmp_path / name)
