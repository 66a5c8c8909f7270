"""The measurement of looks: its pages, its arithmetic, and a small run of it."""

import json
import re
from collections import Counter

import pytest

from benchmark.measure import perception_time
from benchmark.measure.perception import main
from benchmark.measure.perception_pages import SIZES, article_page, controls_page, generated_pages
from benchmark.measure.perception_size import halved, tokens
from benchmark.measure.perception_time import growth, measured, ratios, summary
from browser.render import CHARACTERS_PER_TOKEN
from browser.session import BrowserSession


@pytest.mark.parametrize("count", [0, 28, 120, 1000])
def test_a_page_has_as_many_controls_as_asked_for(count):
    page = controls_page(count)
    assert len(page.controls) == count
    assert len(re.findall(r"<(?:a|input|select|button) |<(?:select|button)>|role=button", page.html)) == count


def test_the_article_is_long_and_has_600_links():
    page = article_page()
    roles = Counter(role for role, _ in page.controls)
    assert roles["link"] == page.html.count("<a href=") == 600
    assert 290_000 < len(page.html) < 330_000
    assert page.html.count("<section>") == 60
    assert page.html.count("<img ") == 30
    assert page.html.count("<table>") == 20


def test_the_pages_are_the_same_each_time():
    first, again = list(generated_pages()), list(generated_pages())
    assert first == again
    assert [len(page.controls) for page in first] == [*SIZES, 602]


def test_a_control_that_is_not_shown_is_missed_once_for_each_time():
    page = controls_page(16)
    assert page.controls.count(("button", "Remove")) == 2
    shown = [control for control in page.controls if control != ("button", "Remove")]
    assert page.missing(iter(page.controls)).total() == 0
    assert page.missing([*shown, ("button", "Remove")]) == {("button", "Remove"): 1}
    assert page.missing([("link", name) for _, name in page.controls]).total() == 14


def test_summary_takes_the_nearest_rank():
    assert summary([3.0, 1.0, 2.0]) == {"median": 2.0, "p95": 3.0, "min": 1.0, "n": 3}
    assert summary([float(ms) for ms in range(100, 0, -1)]) == {"median": 50.5, "p95": 95.0, "min": 1.0, "n": 100}
    assert summary([]) is None


def test_a_ratio_is_theirs_over_ours_without_their_picture():
    row = {"probe": 4.0, "typed": 5.0, "browsergym": 100.0, "browsergym_with_picture": 300.0}
    assert ratios({kind: {"median": ms} for kind, ms in row.items()}) == {"probe": 25.0, "typed": 20.0}
    assert ratios({"probe": {"median": 4.0}, "browsergym": None}) is None


def times(**medians):
    return {name[1:]: {"controls": int(name[1:]), "probe": {"median": ms}} for name, ms in medians.items()}


def test_growth_is_counted_above_the_empty_page():
    linear = growth(times(_0=2.0, _100=3.0, _1000=12.0) | {"article": {"controls": 602, "probe": {"median": 90.0}}})
    assert linear == [{"from": 100, "to": 1000, "us_per_control": [10.0, 10.0], "exponent": 1.0}]
    assert growth(times(_0=2.0, _100=3.0, _1000=102.0))[0]["exponent"] == 2.0
    assert growth(times(_100=3.0, _1000=12.0)) == []


def test_the_size_ratio_is_the_middle_of_all_pages():
    assert halved({str(r): {"ratio": r} for r in (0.2, 0.9, 0.4)}) == {"median": 0.4, "max": 0.9, "pages": 3}
    assert tokens("x" * 240) == round(240 / CHARACTERS_PER_TOKEN)


def test_a_page_that_is_not_there_is_refused(capsys):
    assert main(["--pages", "29"]) == 2
    assert "There is no generated page '29'" in capsys.readouterr().err


def test_looks_that_take_too_long_keep_what_was_measured(monkeypatch):
    monkeypatch.setattr(perception_time, "DEADLINE_S", 3.0)
    with BrowserSession() as session:
        row = measured(session, controls_page(28), rounds=100_000, seconds=1e9)
        assert row["gave_up"].startswith("No answer to the looks at page 28 within 3 s")
        again = measured(session, controls_page(0), rounds=1, seconds=1.0)
    assert row["probe"] is None or row["probe"]["n"] < 100_000
    assert again["probe"]["n"] == 5


def test_a_small_run_finds_every_control_and_writes_what_it_took(tmp_path):
    out = tmp_path / "bench" / "perception.json"
    assert main(["--rounds", "2", "--pages", "0,28", "--no-miniwob", "--out", str(out)]) == 0
    result = json.loads(out.read_text(encoding="utf-8"))
    assert result["command"] == "python -m benchmark.measure.perception --rounds 2 --pages 0,28 --no-miniwob"
    assert set(result["times"]) == {"0", "28"}
    row = result["times"]["28"]
    assert row["controls"] == 28
    assert [row[kind]["n"] for kind in ("probe", "typed", "browsergym", "browsergym_with_picture")] == [10, 10, 10, 2]
    assert [row[kind]["n"] for kind in ("first_probe", "first_browsergym")] == [1, 1]
    assert row["browsergym"]["min"] <= row["browsergym_with_picture"]["min"]
    assert result["ratio"] == {"28": ratios(row)}
    assert result["sizes"]["28"]["missing"] == 0
    assert 0 < result["sizes"]["28"]["table"] < result["sizes"]["28"]["tree"]
    assert result["versions"]["browser"]
