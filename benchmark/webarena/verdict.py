"""The files that WebArena-Verified scores an agent by, and their scores: after the episode, or any time later.

<run>/submissions/<agent>-<settings>/ holds config.json and, per task, agent_response.json and network.har. It is what
the evaluator's own command line takes too. score.json beside them is its verdict; it quotes expected answers.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import JsonValue

from agent.agent import AgentStep
from agent.loop import EpisodeResult
from benchmark.errors import EvaluatorFailed, RecordNotWritten, UsageError
from benchmark.records.rows import JobKey
from benchmark.standins.tasks import VERIFIED_FILE, standin_tasks
from benchmark.webarena.answer import says_impossible, verified_answer
from benchmark.webarena.original import NOT_POSSIBLE, Original, original_answer
from benchmark.webarena.verified import Score, Verified, environments
from browser.errors import BrowserCrashed
from browser.session import BrowserSession

SUBMISSIONS = "submissions"
CONFIG, ANSWER, HAR, SCORE, RESCORED = (
    "config.json", "agent_response.json", "network.har", "score.json", "rescored.json",
)  # fmt: skip

# Up to ten pages at 3 s and more each, and a judge that is asked.
ORIGINAL_S = 300.0


def task_folder(run: Path, job: JobKey) -> Path:
    """Return where the files of a job go."""
    return run / SUBMISSIONS / f"{job.agent}-{job.settings_hash}" / job.task


def begin_answer(run: Path, job: JobKey, addresses: Mapping[str, tuple[str, ...]]) -> Path:
    """Return where a job's requests are to be kept, its folder made and emptied of an earlier attempt's files.

    The addresses are the sites', by placeholder. Without them it is no submission that can be scored again.

    Raises:
        RecordNotWritten: the disk does not take it.
    """
    folder = task_folder(run, job)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in (ANSWER, HAR, SCORE):
            (folder / name).unlink(missing_ok=True)
        if addresses:
            _name_sites(folder.parent / CONFIG, addresses)
    except OSError as error:
        raise _unwritten(folder, error) from None
    return folder / HAR


def _name_sites(path: Path, addresses: Mapping[str, tuple[str, ...]]) -> None:
    """Write where the sites are; where they were for tasks that ran before stays, as their requests went there."""
    before = _addresses(path) if path.is_file() else {}
    merged = {name: dict.fromkeys((*addresses.get(name, ()), *before.get(name, ()))) for name in (*before, *addresses)}
    _write(path, {"environments": environments({name: tuple(urls) for name, urls in merged.items()})})


Judged = tuple[float, bool, dict[str, Any]]
"""A score, whether the agent said that the task cannot be done, and what is kept of the verdict."""
GiveVerdict = Callable[[BrowserSession, JobKey, EpisodeResult, AgentStep | None], EpisodeResult]
"""Takes an episode that has ended, its pages still open, and returns its result with the verdict, as `Worker.judge`."""


def judge_verified(
    run: Path, evaluator: Verified, session: BrowserSession, job: JobKey, result: EpisodeResult, last: AgentStep | None
) -> EpisodeResult:
    """Close the pages, keep what the agent answered, and return the result with Verified's verdict.

    Raises:
        RecordNotWritten: the disk does not take the answer or the score.
    """

    def score(folder: Path) -> Judged:
        answer = verified_answer(last)
        session.close_pages()
        _write(folder / ANSWER, answer)
        given = evaluator.score(int(job.task), answer, folder / HAR)
        return (
            given.score,
            says_impossible(answer),
            {"evaluator": evaluator.identity.named()} | given.model_dump(mode="json"),
        )

    return _judged(task_folder(run, job), result, score)


def judge_original(
    run: Path, evaluator: Original, session: BrowserSession, job: JobKey, result: EpisodeResult, last: AgentStep | None
) -> EpisodeResult:
    """Return the result with the original's verdict on the pages as they stand, then close them.

    Raises:
        RecordNotWritten: the disk does not take the score.
    """

    def score(folder: Path) -> Judged:
        answer = original_answer(last)
        with session.deadline(ORIGINAL_S, "the verdict"):
            given = evaluator.score(int(job.task), session.page(), answer)
        session.close_pages()
        said = {"task_id": int(job.task), "answer": answer, "score": given}
        return given, answer == NOT_POSSIBLE, {"evaluator": evaluator.identity()} | said

    return _judged(task_folder(run, job), result, score)


def _judged(folder: Path, result: EpisodeResult, score: Callable[[Path], Judged]) -> EpisodeResult:
    try:
        given, impossible, said = score(folder)
        _write(folder / SCORE, said)
    except BrowserCrashed as error:
        return result.model_copy(update={"end": "browser_crash", "reward": 0.0, "error": str(error)})
    except EvaluatorFailed as error:
        return result.model_copy(update={"end": "environment_error", "reward": 0.0, "error": str(error)})
    except OSError as error:
        raise _unwritten(folder, error) from None
    if given == 1.0:
        return result.model_copy(update={"end": "success", "reward": 1.0})
    # It finished, but with the word that there is nothing to finish.
    wrongly = impossible and result.end == "wrong_finish"
    return result.model_copy(update={"end": "infeasible_reported"}) if wrongly else result


class Rescored(NamedTuple):
    """The verdicts on one submission, given again."""

    folder: Path
    scores: tuple[Score, ...]
    """In order of the tasks' ids."""
    differing: tuple[int, ...]
    """Tasks whose verdict was another one before."""
    incomplete: tuple[int, ...]
    """Tasks without an answer or without requests, which have no verdict."""


def submissions_in(folder: Path) -> list[Path]:
    """Return the submissions in a folder: itself, or those of the run that it is.

    Raises:
        UsageError: there is none.
    """
    found = [path.parent for path in (folder / CONFIG, *sorted(folder.glob(f"{SUBMISSIONS}/*/{CONFIG}")))]
    found = [path for path in found if (path / CONFIG).is_file()]
    if not found:
        raise UsageError(
            f"{folder} holds no answers to score; give the folder of a run, or one below its submissions/."
        )
    return found


def rescore_answers(submission: Path) -> Rescored:
    """Score the files of a submission again, without a browser, and write the verdicts to its rescored.json.

    Raises:
        UsageError: a file cannot be read or written, or the evaluator is not installed.
        EvaluatorFailed: it gives no verdict.
    """
    tasks = sorted(int(path.name) for path in submission.iterdir() if path.is_dir() and path.name.isdecimal())
    whole = [task for task in tasks if all((submission / str(task) / name).is_file() for name in (ANSWER, HAR))]
    scores, differing = [], []
    with Verified(_addresses(submission / CONFIG), _other_tasks(whole)) as evaluator:
        for task in whole:
            folder = submission / str(task)
            score = evaluator.score(task, _read(folder / ANSWER), folder / HAR)
            before = _read(folder / SCORE) if (folder / SCORE).is_file() else None
            if isinstance(before, dict) and before.get("score") != score.score:
                differing.append(task)
            scores.append(score)
        verdicts = [score.model_dump(mode="json") for score in scores]
        try:
            _write(submission / RESCORED, {"evaluator": evaluator.identity.named(), "scores": verdicts})
        except OSError as error:
            raise UsageError(f"Cannot write {submission / RESCORED}: {error.strerror}; free it.") from None
    return Rescored(submission, tuple(scores), tuple(differing), tuple(sorted(set(tasks) - set(whole))))


def _other_tasks(ids: Iterable[int]) -> Path | None:
    return None if {task.id for task in standin_tasks()}.isdisjoint(ids) else VERIFIED_FILE


def _addresses(path: Path) -> dict[str, tuple[str, ...]]:
    config: Any = _read(path)
    try:
        return {name: (str(site["urls"][0]), *site["urls"][1:]) for name, site in config["environments"].items()}
    except (KeyError, TypeError, IndexError, AttributeError):
        raise UsageError(
            f"{path} does not name the sites; it holds environments as the evaluator takes them."
        ) from None


def _read(path: Path) -> JsonValue:
    try:
        read: JsonValue = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"Cannot read {path}: {type(error).__name__}; run its task again.") from None
    return read


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _unwritten(folder: Path, error: OSError) -> RecordNotWritten:
    return RecordNotWritten(f"Cannot write to {folder}: {error.strerror}; mend that and run the same command again.")
