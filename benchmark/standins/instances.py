"""Starts, finds and ends instances of the stand-in sites. Knows no task."""

import fcntl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import psutil

from benchmark.errors import BenchmarkError
from benchmark.records.provenance import ROOT
from benchmark.standins.environment import CACHE, build
from benchmark.standins.instance import KEEP, LOG, START_S, STATED, Instance
from browser.process import kill_tree

KEPT = CACHE / "instances"
POLL_S = 0.05
# A worker that was killed lets go of its instance at once; its successor may look before that.
CLAIM_S = 10.0
# It ends two servers that hold nothing.
STOP_S = 10.0

# Held so that nothing takes it for an oversight that they still run when this process ends.
_OUTLIVING: list[subprocess.Popen[bytes]] = []


@contextmanager
def opened_instances(count: int) -> Iterator[tuple[Instance, ...]]:
    """Yield so many instances, each on databases of its own; they end with the block, or with this process.

    Raises:
        UsageError: the sites are not installed.
        BenchmarkError: one does not start.
    """
    build()
    with tempfile.TemporaryDirectory(prefix="standins-") as home, ExitStack() as running:
        folders = [Path(home) / str(number) for number in range(count)]
        processes = [running.enter_context(_started(folder)) for folder in folders]
        yield tuple(_stated(folder, process) for folder, process in zip(folders, processes, strict=True))


@contextmanager
def _started(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = _start(folder)
    try:
        yield process
    finally:
        assert process.stdin is not None
        process.stdin.close()  # which ends it
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            kill_tree({psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)})
            process.wait()


def _start(folder: Path, kept: bool = False) -> subprocess.Popen[bytes]:
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "benchmark.standins.instance", str(folder.resolve()), *([KEEP] if kept else [])]
    stdin = subprocess.DEVNULL if kept else subprocess.PIPE
    with (folder / LOG).open("wb") as log:
        return subprocess.Popen(
            command, cwd=ROOT, stdin=stdin, stdout=subprocess.DEVNULL, stderr=log, start_new_session=kept
        )


def _stated(folder: Path, process: subprocess.Popen[bytes]) -> Instance:
    """Wait for an instance and return where it is."""
    end = time.monotonic() + START_S
    while not (folder / STATED).is_file():
        if process.poll() is not None or time.monotonic() > end:
            said = (folder / LOG).read_text(encoding="utf-8", errors="replace").strip().splitlines()
            raise BenchmarkError(f"The stand-in sites did not start: {said[-1] if said else 'no reason given'}.")
        time.sleep(POLL_S)
    return Instance.model_validate_json((folder / STATED).read_text(encoding="utf-8"))


def start_kept(number: int) -> Instance:
    """Start an instance that outlives this process, unless it runs already, and return where it is.

    Raises:
        UsageError, BenchmarkError: as `opened_instances`.
    """
    running = kept().get(number)
    if running is not None:
        return running
    build()
    folder = KEPT / str(number)
    (folder / STATED).unlink(missing_ok=True)
    process = _start(folder, kept=True)
    _OUTLIVING.append(process)
    return _stated(folder, process)


def kept() -> dict[int, Instance]:
    """Return the instances that `start_kept` started and that still run, by number."""
    found = {}
    for path in sorted(KEPT.glob(f"*/{STATED}")):
        instance = Instance.model_validate_json(path.read_text(encoding="utf-8"))
        if _process(instance) is not None:
            found[int(path.parent.name)] = instance
    return found


def stop_kept(instance: Instance) -> None:
    """End an instance and its servers."""
    process = _process(instance)
    if process is None:
        return
    tree = {process, *process.children(recursive=True)}
    process.terminate()
    if psutil.wait_procs([process], timeout=STOP_S)[1]:
        kill_tree(tree)


def _process(instance: Instance) -> psutil.Process | None:
    try:
        process = psutil.Process(instance.pid)
        return process if process.create_time() == instance.started else None
    except psutil.NoSuchProcess:
        return None


@contextmanager
def claimed(instances: Sequence[Instance]) -> Iterator[Instance]:
    """Yield one of these instances that no other process uses; it is this one's until the block or the process ends.

    Raises:
        BenchmarkError: all are in use.
    """
    end = time.monotonic() + CLAIM_S
    while True:
        for instance in instances:
            with (Path(instance.folder) / "claimed").open("w") as mark:
                try:
                    fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue
                yield instance
                return
        if time.monotonic() > end:
            raise BenchmarkError(f"All {len(instances)} instances of the stand-in sites are in use; start another.")
        time.sleep(POLL_S)


def changes(instance: Instance) -> list[str]:
    """Return what an instance holds that it did not begin with, as site and table.

    Raises:
        BenchmarkError: it does not answer.
    """
    try:
        answer = httpx2.get(f"{instance.control}/changes", timeout=STOP_S, trust_env=False)
        answer.raise_for_status()
        return [str(name) for name in answer.json()]
    except (httpx2.HTTPError, ValueError) as error:
        raise BenchmarkError(f"The stand-in sites do not answer ({type(error).__name__}); start them again.") from None
