"""Stock BrowserGym beside ours: parity on a few tasks, a difference that is noticed, and the speed command."""

import json

import pytest

from benchmark.measure import parity, speed
from benchmark.measure.parity import Outcome, deviation
from browser.session import PageSettings


def outcome(**fields):
    return Outcome(
        **{"goal": "g", "reward": 0.0, "done": False, "raw_reward": 0, "reason": None, "error": None} | fields
    )


def test_equal_actions_get_equal_verdicts(tmp_path):
    out = tmp_path / "parity.json"
    code = parity.main(["--tasks", "click-test,choose-list,click-scroll-list,use-slider", "--out", str(out)])
    found = json.loads(out.read_text())
    assert (code, found["mismatches"], found["not_comparable"]) == (0, 0, [])
    assert found["steps_compared"] >= 6


@pytest.mark.parametrize("field", Outcome._fields)
def test_outcomes_differ_in_any_part(field):
    assert outcome() == outcome()
    assert outcome(**{field: "other"}) != outcome()


def test_a_difference_is_a_mismatch_and_ends_with_1(tmp_path, monkeypatch):
    real = parity.play_stock

    def differing(env, played, seed, actions):
        for step, words, said in real(env, played, seed, actions):
            yield step, words, said._replace(reason="other") if step else said

    monkeypatch.setattr(parity, "play_stock", differing)
    out = tmp_path / "parity.json"
    assert parity.main(["--tasks", "click-test", "--out", str(out)]) == 1
    (mismatch,) = json.loads(out.read_text())["unexplained"]
    assert (mismatch["task"], mismatch["stock"]["reason"]) == ("click-test", "other")


def test_equal_finer_actions_leave_equal_pages(tmp_path):
    out = tmp_path / "parity.json"
    tasks = ["--tasks", "drag-box,use-slider", "--seeds", "100-101"]
    code = parity.main(["--actions", "extended", *tasks, "--out", str(out)])
    found = json.loads(out.read_text())
    assert (code, found["unexplained"]) == (0, [])
    assert found["steps_compared"] >= 8
    assert "--actions extended" in found["command"]


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        ("document.querySelector('p').setAttribute('bid', '7')", False),
        ("document.querySelector('input').setAttribute('value', '')", False),
        ("document.querySelector('input').value = 'b'", True),
        ("document.querySelector('p').style.marginLeft = '3px'", True),
        ("document.querySelector('canvas').getContext('2d').fillRect(0, 0, 1, 1)", True),
        ("document.querySelector('p').textContent = 'other'", True),
        ("getSelection().selectAllChildren(document.querySelector('p'))", True),
    ],
)
def test_the_state_of_a_page_is_what_its_area_holds_and_not_what_stock_writes_there(session, change, differs):
    page = session.open_page(PageSettings(), "context")
    page.set_content("<div id=area><p>text</p><input><canvas width=9 height=9></canvas></div>")
    before = parity.state_of(page, "extended")
    page.evaluate(change)
    assert (parity.state_of(page, "extended") != before) is differs
    assert parity.state_of(page, "core") == ""


def test_only_stocks_own_address_rule_is_explained():
    stopped = outcome(done=True, error="invalid url, terminating task", raw_reward=None)
    assert deviation(outcome(reward=1.0, done=True), stopped) == "fragment"
    assert deviation(outcome(reward=1.0), outcome()) is None


def test_the_speed_command_measures_both(tmp_path):
    out = tmp_path / "speed.json"
    assert speed.main(["--rounds", "1", "--tasks", "click-test,choose-list", "--out", str(out)]) == 0
    found = json.loads(out.read_text())
    for side in ("ours", "stock"):
        assert found[side]["episodes"] == 2
        assert found[side]["steps"] == 3
        assert found[side]["success"] == 1.0
    assert 0 < found["ours"]["settle_ms"] < found["ours"]["step_ms"]
    assert found["ratio"]["step_ms"] > 5, "our step is a click and 20 ms; stock sleeps 500 ms in each"
    assert speed.main(["--tasks", "drag-box", "--out", str(out)]) == 2
