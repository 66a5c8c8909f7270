"""WebArena-Verified's verdicts, from its evaluator in a process and an environment of its own. Starts no browser."""

import json
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from pydantic import JsonValue, ValidationError

from benchmark.errors import EvaluatorFailed
from benchmark.webarena.install import PACKAGE, evaluator_python
from browser.observation import Frozen

SCRIPT = Path(__file__).with_name("evaluator.py")
# It reads its package in 3 s and scores a trace of some MB in one; beyond this it hangs.
REPLY_S = 120.0

Reply = TypeVar("Reply", bound=Frozen)


class Identity(Frozen):
    """Which evaluator and which tasks gave a verdict, by their own checksums, and the form answers must have."""

    version: str
    evaluator_checksum: str
    data_checksum: str
    answer_schema: dict[str, JsonValue]

    def named(self) -> dict[str, str]:
        """Return all but the schema, for records."""
        parts = ("version", "evaluator_checksum", "data_checksum")
        return {"name": PACKAGE} | {part: getattr(self, part) for part in parts}


class Check(Frozen):
    """One of a task's checks: of the answer, or of the requests that were sent."""

    evaluator: str
    score: float
    said: tuple[str, ...]
    """What was not as expected. It quotes expected answers: for people, never for agents."""


class Score(Frozen):
    """The verdict on one task: 1.0 if all checks passed, else 0.0."""

    task_id: int
    score: float
    status: str
    """success, failure, or error: where the evaluator itself failed, which it counts as 0."""
    checks: tuple[Check, ...]
    error: str | None


class Verified:
    """One process of the evaluator, started with the sites' addresses by placeholder."""

    def __init__(self, addresses: Mapping[str, tuple[str, ...]], tasks: Path | None = None) -> None:
        """Start it and wait for it.

        Args:
            addresses: of each site one, or several where instances of it stand side by side.
            tasks: a file of tasks beside the package's own, in its form.

        Raises:
            UsageError: it is not installed.
            EvaluatorFailed: it does not start.
        """
        # -I: neither this folder nor the project's packages are on its path.
        self._process = subprocess.Popen(
            [str(evaluator_python()), "-I", str(SCRIPT)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8",
        )  # fmt: skip
        named = None if tasks is None else str(tasks)
        try:
            self.identity = _parsed(Identity, self._ask({"environments": environments(addresses), "tasks": named}))
        except BaseException:
            self.close()
            raise

    def score(self, task_id: int, answer: JsonValue, requests: Path | list[Any]) -> Score:
        """Return the verdict on an answer and the requests sent: a HAR file, or its entries.

        Raises:
            EvaluatorFailed: there is no verdict.
        """
        trace: dict[str, Any] = {"har": str(requests)} if isinstance(requests, Path) else {"entries": requests}
        score = _parsed(Score, self._ask({"task_id": task_id, "answer": answer} | trace))
        if not score.checks:
            raise EvaluatorFailed(f"WebArena-Verified's evaluator failed: {score.error}.")
        return score

    def _ask(self, request: Mapping[str, Any]) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        timer = threading.Timer(REPLY_S, self._process.kill)
        timer.start()
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            reply = self._process.stdout.readline()
        except (OSError, ValueError):
            reply = ""
        finally:
            timer.cancel()
        if not reply:
            raise EvaluatorFailed("WebArena-Verified's evaluator ended without a verdict; run the command again.")
        return reply

    def close(self) -> None:
        """End the process; safe to call twice."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def environments(addresses: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """Return the "environments" of the evaluator's configuration: each placeholder with its site's addresses."""
    return {placeholder: {"urls": list(urls)} for placeholder, urls in addresses.items()}


def _parsed(kind: type[Reply], line: str) -> Reply:
    try:
        return kind.model_validate_json(line)
    except ValidationError:
        raise EvaluatorFailed(f"WebArena-Verified's evaluator failed: {_said(line)}.") from None


def _said(line: str) -> str:
    try:
        return str(json.loads(line)["error"])
    except (ValueError, LookupError, TypeError):
        return "its reply cannot be read"
