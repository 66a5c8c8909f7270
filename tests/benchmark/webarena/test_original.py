"""The original evaluator's surroundings; libwebarena is too heavy for a test, so that an object of its shape judges."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent.agent import AgentStep
from benchmark.errors import EvaluatorFailed, UsageError
from benchmark.webarena.install import evaluator_python
from benchmark.webarena.model import as_original
from benchmark.webarena.original import JUDGE_KEY, Original, original_answer, original_faults
from benchmark.webarena.tasks import original_rows, select_tasks
from browser.actions import Click, Finish

try:
    evaluator_python()
except UsageError as missing:
    pytest.skip(str(missing), allow_module_level=True)

ADDRESSES = {"gitlab": "http://git.test", "map": "http://map.test"}


class Tab:
    """As much of a Playwright page as is looked at here."""

    def __init__(self, *urls: str) -> None:
        self.context = self
        self.pages = [self]
        self.url = urls[0]
        self.pages += [Tab(url) for url in urls[1:]]


class Router:
    """Judges as libwebarena does: by what stands in the file it is given. Keeps what it was called with."""

    def __init__(self, verdict: float | Exception) -> None:
        self.verdict, self.calls = verdict, []  # type: ignore[var-annotated]

    def __call__(self, path: str) -> Any:
        config = json.loads(Path(path).read_text())

        def judge(*, trajectory: Any, config_file: str, page: Any, client: None) -> float:
            self.calls.append((config, trajectory[-1]["answer"], config_file == path, page))
            if isinstance(self.verdict, Exception):
                raise self.verdict
            return self.verdict

        return judge


def test_it_is_asked_about_the_tasks_own_page_with_real_addresses() -> None:
    router, page = Router(1.0), Tab("http://git.test/dashboard", "about:blank")
    assert Original(ADDRESSES, router).score(44, page, "done") == 1.0  # type: ignore[arg-type]
    [(config, answer, same_file, seen)] = router.calls
    assert (config["task_id"], answer, same_file, seen) == (44, "done", True, page)
    assert config["eval"]["reference_url"] == "http://git.test/dashboard/todos"


def test_who_has_left_the_sites_has_lost_without_a_verdict() -> None:
    router = Router(1.0)
    page = Tab("http://git.test/", "http://elsewhere.test/")
    assert Original(ADDRESSES, router).score(44, page, "") == 0.0  # type: ignore[arg-type]
    assert router.calls == []


def test_an_undecided_judge_is_a_loss_and_a_broken_one_no_verdict() -> None:
    page: Any = Tab("http://git.test/")
    assert Original(ADDRESSES, Router(AssertionError("neither"))).score(44, page, "") == 0.0
    with pytest.raises(EvaluatorFailed, match="failed on task 44 with ValueError") as raised:
        Original(ADDRESSES, Router(ValueError("sk-secret"))).score(44, page, "")
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("last", "answer"),
    [
        (AgentStep(action=Finish(message="12 euros")), "12 euros"),
        (AgentStep(action=None, end="infeasible_reported"), "N/A"),
        (AgentStep(action=None, end="blocked"), ""),
        (AgentStep(action=Click(element_id=1)), ""),
        (None, ""),
    ],
)
def test_an_answer_is_what_was_said(last: AgentStep | None, answer: str) -> None:
    assert original_answer(last) == answer


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def key_faults(tasks: str) -> list[str]:
        return [fault for fault in original_faults(select_tasks(tasks)) if JUDGE_KEY in fault]

    monkeypatch.delenv(JUDGE_KEY, raising=False)
    assert "judges 118 of these tasks" in key_faults("full")[0]
    assert key_faults("nojudge") == []
    monkeypatch.setenv(JUDGE_KEY, "k")
    assert key_faults("full") == []
    monkeypatch.setattr("benchmark.webarena.original.PACKAGE", "no-such-package")
    assert original_faults(()) == ["no-such-package is not installed; run make setup EXTRA=webarena"]
    assert Original(ADDRESSES, Router(1.0)).identity()["version"] == "not installed"


def test_the_originals_words_and_pages_are_taken() -> None:
    [task] = select_tasks("ids:0")
    rows = original_rows()
    assert as_original(task, rows[0]).intent == "What is the top-1 best-selling product in 2022" != task.intent
    assert {len(as_original(t, rows[t.id]).start_urls) for t in select_tasks("full")} == {1, 2, 3}
    assert all(as_original(t, rows[t.id]).sites == t.sites for t in select_tasks("full"))
    assert len(rows) == 812
