"""Ray, imported, started and ended: quiet, on loopback, nothing left behind. Knows neither jobs nor records."""

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psutil

from benchmark.errors import UsageError
from benchmark.running.reaper import reaped
from browser.process import descendants, kill_tree

# Read by Ray when it is imported: nothing sent home, nothing on the user's screen, nothing uploaded.
RAY_VARIABLES = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",
}
# With this name Ray turns its guess of a reachable address off, on every system; it then listens on loopback alone.
LOCAL_VARIABLES = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
# Ray takes 30 % of the memory unless told; a row is about 10 kB. It accepts no less than 75 MiB.
ROWS_BYTES = 80 * 2**20
# Ray itself asks a dead address for over a minute.
CONNECT_S = 5.0


def load_ray(local: bool = True) -> Any:
    """Return the package, imported only where it is used.

    Raises:
        UsageError: it is not installed.
    """
    for name, value in (RAY_VARIABLES | (LOCAL_VARIABLES if local else {})).items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise UsageError(
            "More than one worker needs Ray: make miniwob WORKERS=2 installs it, or pip install ray."
        ) from None
    return ray


@contextmanager
def ray_at(address: str | None, workers: int) -> Iterator[Any]:
    """Yield Ray, connected to the cluster at the address, or to a local one that ends with the block."""
    ray = load_ray(local=address is None)
    quiet = {"log_to_driver": False, "logging_level": "CRITICAL"}
    # Ray's own default keeps the logs of every run for ever. Its sockets lie there: their paths must be short.
    with (
        tempfile.TemporaryDirectory(prefix="lab-ray-", dir="/tmp", ignore_cleanup_errors=True) as folder,
        reaped(folder),
    ):
        before = descendants()
        try:
            if address is not None:
                connect(ray, address, quiet)
            else:
                ray.init(
                    "local", num_cpus=workers, num_gpus=0, include_dashboard=False, _node_ip_address="127.0.0.1",
                    object_store_memory=ROWS_BYTES, _temp_dir=folder, **quiet,
                )  # fmt: skip
            yield ray
        finally:
            started = {process for process in descendants() - before if not is_python_own(process)}
            ray.shutdown()
            kill_tree(started)


def is_python_own(process: psutil.Process) -> bool:
    """Tell whether this is the helper that Python's multiprocessing starts once and keeps: it ends with its parent."""
    try:
        return any("multiprocessing.resource_tracker" in word for word in process.cmdline())
    except psutil.NoSuchProcess:
        return False


def connect(ray: Any, address: str, options: dict[str, Any]) -> None:
    """Connect Ray to a running cluster.

    Raises:
        UsageError: none answers there.
    """
    host, _, port = address.rpartition(":")
    try:
        if port.isdigit() and "/" not in host:
            socket.create_connection((host, int(port)), CONNECT_S).close()
        ray.init(address, **options)
    except OSError:
        raise UsageError(
            f"No Ray cluster answers at {address}; start one there, or leave out --ray-address to use this machine."
        ) from None
