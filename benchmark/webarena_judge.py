"""Which evaluator judges a WebArena run, and all that depends on it: the answer's form, the files, the verdict."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from benchmark.records import JobKey
from benchmark.verified import Verified
from benchmark.webarena_answer import answer_rules
from benchmark.webarena_original import RULES, Original
from benchmark.webarena_sites import placeholders
from benchmark.webarena_verdict import GiveVerdict, begin_answer, judge_original, judge_verified

EvaluatorName = Literal["verified", "original"]


class Judge(NamedTuple):
    """An evaluator that is ready."""

    identity: Mapping[str, str]
    """Its name, version and checksums, for records."""
    rules: str
    """What the goal ends with: the form of the answer."""
    begin: Callable[[JobKey], Path]
    """Makes room for a job's files and returns where its requests are to be kept."""
    verdict: GiveVerdict


@contextmanager
def opened_judge(name: EvaluatorName, addresses: Mapping[str, str], run: Path) -> Iterator[Judge]:
    """Yield the evaluator of this name for sites at these addresses; its files go into the run's folder.

    Raises:
        UsageError: it is not installed.
        EvaluatorFailed: it does not start.
    """
    if name == "original":
        original = Original(addresses)
        begin = partial(begin_answer, run, addresses={})
        yield Judge(original.identity(), RULES, begin, partial(judge_original, run, original))
        return
    with Verified(placeholders(addresses)) as verified:
        rules = answer_rules(verified.identity.answer_schema)
        begin = partial(begin_answer, run, addresses=addresses)
        yield Judge(verified.identity.named(), rules, begin, partial(judge_verified, run, verified))
