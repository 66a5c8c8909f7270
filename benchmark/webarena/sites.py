"""WebArena's sites on this network: their addresses from variables, and whether what is there is what tasks expect."""

import os
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx2

from benchmark.errors import UsageError
from benchmark.webarena.install import evaluator_python, installed_version
from benchmark.webarena.login import ADAPTERS, account
from benchmark.webarena.model import SITES, WebArenaTask
from benchmark.webarena.reset import VARIABLE as RESET
from benchmark.webarena.reset import reset_fault

VARIABLES: Mapping[str, str] = {site: f"WA_{site.upper()}" for site in SITES}
# What a variable says where a site is deliberately not there.
LEFT_OUT = "todo"
# The version that this code was tested with; another may judge, and call its parts, otherwise.
TESTED_VERSION = "1.2.3"
# A site that is there takes a connection at once; one that has just been started may think about its first page.
REACH = httpx2.Timeout(45.0, connect=3.0)

# What BrowserGym gives a site after a reset: three tries of a minute.
TRIES, PAUSE_S = 3, 20.0


class Selected(NamedTuple):
    """The tasks of a run, with the sites they need."""

    tasks: tuple[WebArenaTask, ...]
    left_out: tuple[WebArenaTask, ...]
    """Those that need a site whose variable says "todo"."""
    sites: tuple[str, ...]


def left_out() -> frozenset[str]:
    """Return the sites whose variables say that they are not there."""
    return frozenset(site for site, name in VARIABLES.items() if os.environ.get(name, "").strip() == LEFT_OUT)


def without_left_out(tasks: Iterable[WebArenaTask]) -> Selected:
    """Return the tasks whose sites are not said to be left out.

    Raises:
        UsageError: none is left.
    """
    absent = left_out()
    tasks = tuple(tasks)
    kept = tuple(task for task in tasks if absent.isdisjoint(task.sites))
    if not kept:
        names = ", ".join(VARIABLES[site] for site in SITES if site in absent)
        raise UsageError(f"All {len(tasks)} tasks need a site that is left out; give {names} an address.")
    return selected(kept)._replace(left_out=tuple(task for task in tasks if task not in kept))


def selected(tasks: Sequence[WebArenaTask]) -> Selected:
    """Return tasks with the sites they need, none left out."""
    needed = {site for task in tasks for site in task.sites}
    return Selected(tuple(tasks), (), tuple(site for site in SITES if site in needed))


def addresses(sites: Iterable[str]) -> dict[str, str]:
    """Return the address of each site, without a slash at its end; those that are not set are missing."""
    found = {site: os.environ.get(VARIABLES[site], "").strip().rstrip("/") for site in sites}
    return {site: address for site, address in found.items() if address}


def side_by_side(own: Mapping[str, str], others: Iterable[Mapping[str, str]] = ()) -> dict[str, tuple[str, ...]]:
    """Return the addresses by placeholder of one instance of the sites, each followed by those of other instances."""
    named = [placeholders(each) for each in (own, *others)]
    return {name: tuple(dict.fromkeys(each[name] for each in named)) for name in named[0]}


def reset_address() -> str | None:
    """Return where a reset of the sites can be asked for; None where the variable is not set."""
    return os.environ.get(RESET, "").strip().rstrip("/") or None


def placeholders(found: Mapping[str, str]) -> dict[str, str]:
    """Return the addresses by the placeholders that stand for them in tasks, such as __SHOPPING__."""
    return {f"__{site.upper()}__": address for site, address in found.items()}


def with_addresses(text: str, found: Mapping[str, str]) -> str:
    """Return a text with the sites' addresses for their placeholders."""
    for placeholder, address in placeholders(found).items():
        text = text.replace(placeholder, address)
    return text


def faults(sites: Collection[str]) -> list[str]:
    """Return what of the evaluator's package and these sites stands in the way of a run, each with its way out.

    Quick where the sites are not there.
    """
    found = evaluator_faults()
    there = addresses(sites)
    unset = [VARIABLES[site] for site in sites if site not in there]
    if unset:
        found.append(
            f"{', '.join(unset)} {'is' if len(unset) == 1 else 'are'} not set; give each the address of its site, "
            f'or "{LEFT_OUT}" to leave its tasks out'
        )
    found += [fault for site in there for fault in _account_faults(site)]
    found += filter(None, [reset_fault(address) if (address := reset_address()) else None])
    return found + _site_faults(there)


def evaluator_faults() -> list[str]:
    """Return what of the evaluator's package stands in the way of a run, with its way out."""
    try:
        return [*_version_faults(evaluator_python())]
    except UsageError as missing:
        return [str(missing).rstrip(".")]


def wait_for_sites(sites: Collection[str]) -> None:
    """Wait until sites answer that were just reset.

    Raises:
        UsageError: one does not, in a few tries.
    """
    for _ in range(TRIES - 1):
        if not _site_faults(sites):
            return
        time.sleep(PAUSE_S)
    if found := _site_faults(sites):
        raise UsageError(f"After the reset, {'; '.join(found)}.")


def _site_faults(sites: Iterable[str]) -> list[str]:
    there = addresses(sites)
    with ThreadPoolExecutor(len(SITES)) as pool:
        return [fault for fault in pool.map(_site_fault, there, there.values()) if fault]


def _account_faults(site: str) -> list[str]:
    try:
        account(site)
    except UsageError as wrong:
        return [str(wrong).rstrip(".")]
    return []


def _version_faults(python: Path) -> Iterable[str]:
    version = installed_version(python)
    if version != TESTED_VERSION:
        yield f"webarena-verified is {version}, and only {TESTED_VERSION} was tested; install that one"


def _site_fault(site: str, address: str) -> str | None:
    name = VARIABLES[site]
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return f"{name} is no address; write one such as http://127.0.0.1:7770"
    if "@" in parts.netloc:
        return f"{name} holds a user name or password, which records would repeat; leave it out"
    adapter = ADAPTERS[site]
    try:
        page = httpx2.get(address + adapter.path, timeout=REACH, follow_redirects=True)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        return f"{name} ({address}) does not answer ({type(error).__name__}); start the site or correct the address"
    if page.status_code >= 400:
        return f"{name} ({address}{adapter.path}) answers {page.status_code}; start {adapter.software} there"
    if not any(mark in page.text.lower() for mark in adapter.marks):
        return f"{name} ({address}{adapter.path}) is not {adapter.software}; correct the address"
    return None
