"""One instance of WebArena's sites as a worker uses it: where they are, how to log in, how a task begins there."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from benchmark.errors import BenchmarkError
from benchmark.standins.instance import Instance
from benchmark.standins.instances import changes, claimed
from benchmark.standins.logins import STANDIN_LOGINS
from benchmark.webarena.login import Login, LoginMode, webarena_logins
from benchmark.webarena.reset import reset_sites
from browser.errors import ObservationFailed, SiteSpoiled


def as_it_is() -> None:
    """Begin a task on the sites as they are."""


class Place(NamedTuple):
    """An instance of the sites that no other worker uses, unless the user said so."""

    addresses: Mapping[str, str]
    logins: Mapping[str, Login]
    login: LoginMode
    begin: Callable[[], str | None] = as_it_is
    """Brings the sites to where a task begins, and returns the id of that reset, or None."""


@contextmanager
def webarena_place(addresses: Mapping[str, str], login: LoginMode, reset_id: str | None = None) -> Iterator[Place]:
    """Yield WebArena's own sites, which were reset once for the whole run, or not at all."""
    yield Place(addresses, webarena_logins(addresses), login, lambda: reset_id)


@contextmanager
def standin_place(instances: Sequence[Instance], reset: bool) -> Iterator[Place]:
    """Yield stand-in sites that no other worker uses; unless told otherwise, they are reset for each task.

    Raises:
        BenchmarkError: all instances are in use.
    """
    with claimed(instances) as instance:
        yield Place(standin_addresses(instance), STANDIN_LOGINS, "ui", partial(_begin, instance, reset))


def standin_addresses(instance: Instance) -> dict[str, str]:
    """Return the addresses of an instance by the names of the sites that it stands in for."""
    return {"shopping": instance.shop, "shopping_admin": f"{instance.shop}/dashboard", "reddit": instance.forum}


def _begin(instance: Instance, reset: bool) -> str | None:
    try:
        reset_id = reset_sites(instance.control) if reset else None
        changed = changes(instance)
    except BenchmarkError as error:
        raise ObservationFailed(str(error)) from error
    if changed:
        raise SiteSpoiled(f"Before the first step the sites hold what was not built: {', '.join(changed)}; reset them.")
    return reset_id
