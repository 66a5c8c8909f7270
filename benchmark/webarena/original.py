"""The original WebArena's verdicts, by libwebarena in this process, on the pages that an episode left open.

It runs code out of the tasks' own configurations, opens pages anew at 3 s each, and for some tasks asks a language
model of OpenAI's. Nothing of it can be judged again later.
"""

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Page

from agent.agent import AgentStep
from benchmark.errors import EvaluatorFailed, UsageError
from benchmark.records.provenance import ROOT
from benchmark.webarena.model import SITES, WebArenaTask
from benchmark.webarena.sites import with_addresses
from benchmark.webarena.tasks import original_rows

PACKAGE = "libwebarena"
EXTRA = "webarena"
JUDGE_KEY = "OPENAI_API_KEY"
RULES = 'When you are done, finish with the answer alone as the message; where the task cannot be done, with "N/A".'
NOT_POSSIBLE = "N/A"
# The package asks for an address of every site as it is imported, of those too that no task here needs.
NOWHERE = "http://left-out.invalid"
# An empty model splits sentences well enough for the 31 tasks that look for a single character; with no files at all,
# the tokenizer raises.
TOKENIZER = ROOT / ".cache" / "nltk_data"
TOKENIZER_FILES = ("collocations.tab", "sent_starters.txt", "abbrev_types.txt", "ortho_context.tab")

# Takes the path of a task's configuration; what it returns takes trajectory, that path, page and client.
Router = Callable[[str], Callable[..., float]]


def original_faults(tasks: Iterable[WebArenaTask]) -> list[str]:
    """Return what stands in the way of judging these tasks, each with its way out."""
    found = []
    try:
        metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        found.append(f"{PACKAGE} is not installed; run make setup EXTRA={EXTRA}")
    judged = sum(task.needs_judge for task in tasks)
    if judged and not os.environ.get(JUDGE_KEY):
        found.append(
            f"{JUDGE_KEY} is not set, and a language model judges {judged} of these tasks; set it, or choose among "
            "those without: --tasks '... & nojudge'"
        )
    return found


def original_answer(last: AgentStep | None) -> str:
    """Return the answer of an agent whose last step this is: its message as it is, "N/A", or nothing."""
    if last is None:
        return ""
    if last.action is None:
        return NOT_POSSIBLE if last.end == "infeasible_reported" else ""
    return last.action.message if last.action.type == "finish" else ""


def original_identity(rows: Mapping[int, Mapping[str, Any]]) -> dict[str, str]:
    """Return which evaluator gives the verdicts, and a checksum of the tasks that it gives them on, for records."""
    data = json.dumps(rows, sort_keys=True).encode()
    try:
        version = metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        version = "not installed"
    return {"name": "webarena", "version": version, "data_checksum": hashlib.sha256(data).hexdigest()}


class Original:
    """The evaluator, with the sites' addresses."""

    def __init__(
        self,
        addresses: Mapping[str, str],
        router: Router | None = None,
        rows: Mapping[int, Mapping[str, Any]] | None = None,
    ) -> None:
        """Make it ready; `router` is libwebarena's and `rows` are WebArena's own tasks unless others are given.

        Raises:
            UsageError: libwebarena is not installed.
        """
        self._addresses = dict(addresses)
        self._hosts = {urlsplit(address).netloc for address in addresses.values()} | {""}
        self._router = router or _libwebarena(addresses)
        self._rows = original_rows() if rows is None else rows

    def identity(self) -> dict[str, str]:
        """Return which evaluator and which tasks give the verdicts, for records."""
        return original_identity(self._rows)

    def score(self, task_id: int, page: Page, answer: str) -> float:
        """Return the verdict, 0.0 or 1.0, on the pages as they stand and an answer.

        Raises:
            EvaluatorFailed: there is none.
        """
        # As BrowserGym has it: who has left the sites has lost.
        if any(urlsplit(tab.url).netloc not in self._hosts for tab in page.context.pages):
            return 0.0
        config = with_addresses(json.dumps(self._rows[task_id]), self._addresses)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "task.json"
            path.write_text(config, encoding="utf-8")
            # Only the answer in it is looked at.
            trajectory: list[Any] = [{}, {"answer": answer}]
            try:
                judge = self._router(str(path))
                return float(judge(trajectory=trajectory, config_file=str(path), page=page, client=None))
            except AssertionError:
                return 0.0  # a judge that says neither correct nor incorrect: BrowserGym counts that as lost
            except Exception as error:
                # Its message may hold an answer of the judge's service.
                raise EvaluatorFailed(
                    f"WebArena's evaluator failed on task {task_id} with {type(error).__name__}."
                ) from error


def prepare_package(addresses: Mapping[str, str]) -> None:
    """Set what libwebarena reads as it is imported: the sites' addresses, and a tokenizer that needs no download."""
    for site in (*SITES, "homepage"):
        os.environ[site.upper()] = addresses.get(site, NOWHERE)
    folder = TOKENIZER / "tokenizers" / "punkt_tab" / "english"
    folder.mkdir(parents=True, exist_ok=True)
    for name in TOKENIZER_FILES:
        (folder / name).touch()
    os.environ["NLTK_DATA"] = os.pathsep.join(filter(None, (os.environ.get("NLTK_DATA"), str(TOKENIZER))))


def _libwebarena(addresses: Mapping[str, str]) -> Router:
    prepare_package(addresses)
    # A script of benchmark/ has that folder first on its path, where a module of ours would hide the package.
    path, sys.path = sys.path, [entry for entry in sys.path if Path(entry).resolve() != Path(__file__).parents[1]]
    try:
        from webarena.evaluation_harness.evaluators import evaluator_router
    except ImportError as error:
        raise UsageError(f"{PACKAGE} cannot be imported ({error}); run make setup EXTRA={EXTRA}.") from None
    finally:
        sys.path = path
    router: Router = evaluator_router
    return router
