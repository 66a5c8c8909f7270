"""The measurement of steps: a small run of it."""

import json

from benchmark.measure.steps import PARTS, main


def test_a_small_run_says_where_the_time_of_each_kind_of_step_goes(tmp_path):
    out = tmp_path / "bench" / "steps.json"
    arguments = ["--tasks", "click-test,enter-text", "--seeds", "100-101", "--rounds", "1", "--out", str(out)]
    assert main(arguments) == 0
    result = json.loads(out.read_text(encoding="utf-8"))
    assert result["command"] == f"python -m benchmark.measure.steps {' '.join(arguments[:6])}"
    # Two episodes of a click, two of a text and a press; 15 cards with a field, a box, a list and a radio button.
    assert result["miniwob"]["total_ms"]["n"] == 6
    assert result["controls_120"]["total_ms"]["n"] == 60
    for kind in ("miniwob", "controls_120"):
        assert set(result[kind]) == set(PARTS)
        assert result[kind]["settle_ms"]["median"] < result[kind]["total_ms"]["median"]
