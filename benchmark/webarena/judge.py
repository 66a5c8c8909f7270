"""Which evaluator judges a WebArena run, and all that depends on it: the answer's form, the files, the verdict."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.sync_api import Page

from benchmark.errors import EvaluatorFailed
from benchmark.records.rows import JobKey
from benchmark.standins.tasks import VERIFIED_FILE, standin_rows
from benchmark.webarena.answer import answer_rules
from benchmark.webarena.original import RULES, Original, original_identity
from benchmark.webarena.sites import side_by_side
from benchmark.webarena.tasks import original_rows
from benchmark.webarena.verdict import GiveVerdict, begin_answer, judge_original, judge_verified
from benchmark.webarena.verified import Verified
from browser.errors import ObservationFailed, SiteSpoiled

EvaluatorName = Literal["verified", "original"]


def nothing_to_check(job: JobKey, page: Page) -> None:
    """Let every job begin."""


class Judge(NamedTuple):
    """An evaluator that is ready."""

    identity: Mapping[str, str]
    """Its name, version and checksums, for records."""
    rules: str
    """The form of the answer, which is told beside the goal."""
    begin: Callable[[JobKey], Path]
    """Makes room for a job's files and returns where its requests are to be kept."""
    verdict: GiveVerdict
    check: Callable[[JobKey, Page], None] = nothing_to_check
    """Looks at the first page of a job and raises SiteSpoiled where its task is done before anything was done."""


@contextmanager
def opened_judge(
    name: EvaluatorName,
    run: Path,
    addresses: Mapping[str, str],
    *,
    standins: bool = False,
    elsewhere: Sequence[Mapping[str, str]] = (),
) -> Iterator[Judge]:
    """Yield the evaluator of this name for sites at these addresses; its files go into the run's folder.

    Args:
        standins: the tasks are those of the stand-in sites.
        elsewhere: addresses of further instances that other workers of the run use.

    Raises:
        UsageError: it is not installed.
        EvaluatorFailed: it does not start.
    """
    if name == "original":
        original = Original(addresses, rows=standin_rows() if standins else None)
        begin = partial(begin_answer, run, addresses={})
        check = partial(not_done, original) if standins else nothing_to_check
        yield Judge(original.identity(), RULES, begin, partial(judge_original, run, original), check)
        return
    everywhere = side_by_side(addresses, elsewhere)
    with Verified(everywhere, VERIFIED_FILE if standins else None) as verified:
        rules = answer_rules(verified.identity.answer_schema)
        begin = partial(begin_answer, run, addresses=everywhere)
        yield Judge(verified.identity.named(), rules, begin, partial(judge_verified, run, verified))


def judge_identity(name: EvaluatorName, standins: bool) -> Mapping[str, str]:
    """Return the name, version and checksums of an evaluator, without sites.

    Raises:
        UsageError, EvaluatorFailed: as `opened_judge`.
    """
    if name == "original":
        return original_identity(standin_rows() if standins else original_rows())
    with Verified({}, VERIFIED_FILE if standins else None) as verified:
        return verified.identity.named()


def not_done(original: Original, job: JobKey, page: Page) -> None:
    """Let a job begin if its task scores 0 on its first page, with nothing said.

    Raises:
        SiteSpoiled: it scores already.
        ObservationFailed: there is no verdict.
    """
    try:
        score = original.score(int(job.task), page, "")
    except EvaluatorFailed as error:
        raise ObservationFailed(f"Before the first step: {error}") from error
    if score > 0:
        raise SiteSpoiled(f"Task {job.task} scores {score:g} before its first step; reset the sites.")
