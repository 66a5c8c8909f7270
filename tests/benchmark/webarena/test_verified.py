"""The evaluator itself, asked about answers and requests made from its own expectations: no site, no browser."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from benchmark.errors import EvaluatorFailed, UsageError
from benchmark.webarena.install import dataset_folder, evaluator_python
from benchmark.webarena.model import SITES
from benchmark.webarena.tasks import REFUSABLE, TRIVIAL, UNWINNABLE
from benchmark.webarena.verified import Score, Verified

try:
    evaluator_python()
except UsageError as missing:
    pytest.skip(str(missing), allow_module_level=True)

ADDRESSES = {f"__{site.upper()}__": f"http://{site.replace('_', '-')}.test" for site in SITES}
ADDRESSES["__SHOPPING_ADMIN__"] += "/admin"
SINGLE = {placeholder: (address,) for placeholder, address in ADDRESSES.items()}
# What the synthesis below cannot make up: the patterns of the other 61 are beyond it, and 5 cannot be won at all.
ORACLE_WINS = 746


@pytest.fixture(scope="module")
def evaluator() -> Iterator[Verified]:
    with Verified(SINGLE) as started:
        yield started


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((dataset_folder() / "webarena-verified.json").read_text())
    return found


def test_it_says_which_evaluator_and_which_tasks_it_is(evaluator: Verified) -> None:
    named = evaluator.identity.named()
    assert (named["name"], named["version"]) == ("webarena-verified", "1.2.3")
    assert named["evaluator_checksum"].startswith("35c3385b")
    assert named["data_checksum"].startswith("d6527566")
    assert set(evaluator.identity.answer_schema["properties"] or ()) == {
        "task_type", "status", "retrieved_data", "error_details",
    }  # fmt: skip


@pytest.mark.timeout(240)
def test_expected_answers_and_requests_win_all_but_the_known_tasks(
    evaluator: Verified, rows: list[dict[str, Any]]
) -> None:
    scores = {row["task_id"]: evaluator.score(row["task_id"], _answer(row), _requests(row)) for row in rows}
    won = {number for number, score in scores.items() if score.score == 1.0}
    assert len(won) == ORACLE_WINS
    assert not won & UNWINNABLE
    broken = {number for number, score in scores.items() if score.status == "error"}
    assert broken == {699, 700, 811}
    assert all(any("Alternatives require 2+ items" in said for said in _said(scores[number])) for number in broken)


def test_a_claim_of_success_alone_wins_only_the_trivial_tasks(evaluator: Verified, rows: list[dict[str, Any]]) -> None:
    claim = {"status": "SUCCESS", "retrieved_data": None, "error_details": None}
    won = {
        row["task_id"]
        for row in rows
        if evaluator.score(row["task_id"], claim | {"task_type": _answer(row)["task_type"]}, _begun(row)).score == 1.0
    }
    assert won == TRIVIAL


def test_a_bare_refusal_wins_only_where_that_is_all_that_is_looked_at(
    evaluator: Verified, rows: list[dict[str, Any]]
) -> None:
    refusal = {"task_type": "MUTATE", "status": "ACTION_NOT_ALLOWED_ERROR", "retrieved_data": None}
    changing = [row for row in rows if _answer(row)["task_type"].lower() == "mutate"]
    won = {row["task_id"] for row in changing if evaluator.score(row["task_id"], refusal, _begun(row)).score == 1.0}
    assert won == REFUSABLE


def test_no_answer_wins_nothing(evaluator: Verified, rows: list[dict[str, Any]]) -> None:
    assert {evaluator.score(row["task_id"], None, _requests(row)).score for row in rows[::40]} == {0.0}


@pytest.mark.parametrize("data", [None, []])
def test_319_takes_its_own_expected_answer_for_wrong(evaluator: Verified, data: list[Any] | None) -> None:
    answer = {"task_type": "RETRIEVE", "status": "NOT_FOUND_ERROR", "retrieved_data": data, "error_details": "none"}
    row = {"start_urls": ["__SHOPPING__"]}
    assert evaluator.score(319, answer, _begun(row)).score == 0.0


def test_what_gives_no_verdict_is_said(evaluator: Verified, tmp_path: Path) -> None:
    with pytest.raises(EvaluatorFailed, match="HAR file not found|not found"):
        evaluator.score(21, None, tmp_path / "network.har")
    with pytest.raises(EvaluatorFailed, match="empty"):
        evaluator.score(21, None, [])


def test_an_evaluator_that_is_gone_is_said(rows: list[dict[str, Any]]) -> None:
    started = Verified(SINGLE)
    started.close()
    started.close()
    with pytest.raises(EvaluatorFailed, match="ended without a verdict"):
        started.score(21, None, _begun(rows[21]))


def _said(score: Score) -> list[str]:
    return [said for check in score.checks for said in check.said]


def _answer(row: dict[str, Any]) -> dict[str, Any]:
    [check] = [check for check in row["eval"] if check["evaluator"] == "AgentResponseEvaluator"]
    data = check["expected"].get("retrieved_data")
    return {
        "task_type": check["expected"]["task_type"],
        "status": check["expected"]["status"],
        "retrieved_data": None if data is None else [_example(item) for item in data],
        "error_details": None,
    }


def _requests(row: dict[str, Any]) -> list[dict[str, Any]]:
    checks = [check for check in row["eval"] if check["evaluator"] == "NetworkEventEvaluator"]
    return _begun(row) + [_entry(check["expected"]) for check in checks if not check.get("should_not_exist")]


def _begun(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [_entry({"url": url}) for url in row["start_urls"]]


def _entry(expected: dict[str, Any]) -> dict[str, Any]:
    """A HAR entry of a request as it is expected, with its response."""
    url = _address(expected["url"])
    if query := expected.get("query_params"):
        listed = {name: [_example(v) for v in (values if isinstance(values, list) else [values])]
                  for name, values in query.items()}  # fmt: skip
        url += ("&" if "?" in url else "?") + urlencode(listed, doseq=True)
    headers = [{"name": name, "value": _address(value)} for name, value in (expected.get("headers") or {}).items()]
    request: dict[str, Any] = {"method": expected.get("http_method", "GET"), "url": url}
    request["headers"] = [{"name": "Accept", "value": "text/html"}, *headers]
    if post := expected.get("post_data"):
        request["postData"] = {"mimeType": "application/json", "text": json.dumps(_nested(post))}
    status = expected.get("response_status", 200)
    cookies = (expected.get("response_cookies") or {}).items()
    response = {
        "status": status,
        "headers": [],
        "redirectURL": "/next" if 300 <= status < 400 else "",
        "content": {
            "mimeType": "application/json", "text": json.dumps(_nested(expected.get("response_content") or {})),
        },
        "cookies": [{"name": name, "value": quote(_example(value))} for name, value in cookies],
    }  # fmt: skip
    return {"request": request, "response": response}


def _address(url: Any) -> str:
    text = str(_example(url))
    for placeholder in sorted(ADDRESSES, key=len, reverse=True):
        text = text.replace(placeholder, ADDRESSES[placeholder])
    return text


def _example(expected: Any) -> Any:
    """The first of several accepted values; for a pattern, a text that it is likely to match."""
    value = expected[0] if isinstance(expected, list) else expected
    if not (isinstance(value, str) and value.startswith("^") and value.endswith("$")):
        return value
    ahead = " ".join(re.findall(r"\(\?=\.\*(.*?)\)", value))
    text = re.sub(r"\(\?[=!:][^()]*\)", "", value[1:-1])
    text = re.sub(r"\(([^()|]*)\|[^()]*\)", r"\1", text)
    for pattern, example in ((r"\d+", "7"), ("[0-9]+", "7"), ("[^/]+", "x"), (".*", ahead), (".+", "x"), (r"\s+", " ")):
        text = text.replace(pattern, example)
    return re.sub(r"\\(.)", r"\1", text.replace(r"\s*", " "))


def _nested(flat: dict[str, Any]) -> dict[str, Any]:
    """A JSON body in which each path such as $.items[0].name has its value."""
    body: dict[str, Any] = {}
    for path, value in flat.items():
        if path.startswith(("$.^", "^")):
            body[_example(path.removeprefix("$."))] = _example(value)
        elif path.startswith("$."):
            _put(body, re.findall(r"[^.\[\]]+|\[\d+\]", path[2:]), _example(value))
        else:
            body[path] = _example(value)
    return body


def _put(place: Any, parts: list[str], value: Any) -> None:
    head, *rest = parts
    inner: Any = value if not rest else ([] if rest[0].startswith("[") else {})
    if head.startswith("["):
        while len(place) <= int(head[1:-1]):
            place.append(inner)
        inner = place[int(head[1:-1])]
    elif rest:
        inner = place.setdefault(head, inner)
    else:
        place[head] = inner
    if rest:
        _put(inner, rest, value)
