"""Sites and evaluator as a run's workers get them, arranged once the run has an episode to run."""

from collections.abc import Collection
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from benchmark.standins.instances import opened_instances
from benchmark.webarena.judge import EvaluatorName, opened_judge
from benchmark.webarena.login import LoginMode
from benchmark.webarena.places import standin_addresses, standin_place, webarena_place
from benchmark.webarena.reset import reset_sites
from benchmark.webarena.sites import addresses, reset_address, wait_for_sites


def on_standins(opened: ExitStack, evaluator: EvaluatorName, run: Path, workers: int, reset: bool) -> dict[str, Any]:
    """Start stand-in sites for each worker, to end with `opened`; return what a worker takes.

    Raises:
        UsageError: they are not installed.
        BenchmarkError: they do not start.
    """
    instances = opened.enter_context(opened_instances(workers))
    everywhere = [standin_addresses(instance) for instance in instances]
    return {
        "open_place": partial(standin_place, instances, reset),
        "open_judge": partial(opened_judge, evaluator, run, standins=True, elsewhere=everywhere),
    }


def on_sites(
    evaluator: EvaluatorName, run: Path, sites: Collection[str], login: LoginMode, reset: bool
) -> dict[str, Any]:
    """Reset the sites that variables name, if that can be asked for; return what a worker takes.

    Raises:
        ResetFailed: the reset does not answer or end.
        UsageError: a site is not there after it.
    """
    address = reset_address() if reset else None
    reset_id = None
    if address is not None:
        reset_id = reset_sites(address)
        wait_for_sites(sites)
    return {
        "open_place": partial(webarena_place, addresses(sites), login, reset_id),
        "open_judge": partial(opened_judge, evaluator, run),
    }
