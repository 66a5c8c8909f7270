"""Ends what a killed runner leaves behind: `python -m benchmark.running.reaper` is its child and reads a pipe from it.

The kernel kills Ray's main processes with the runner, but two agents of Ray go on for minutes, waiting for them.
"""

import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

# How often it looks what there is to end; what was started later ends by itself.
LOOK_S = 1.0
# A killed process is gone in milliseconds; one in the middle of a disk's work takes longer.
KILL_WAIT_S = 3.0


@contextmanager
def reaped(folder: str) -> Iterator[None]:
    """While the block runs: should this process be killed, whatever it started is killed and the folder removed."""
    command = [sys.executable, "-m", "benchmark.running.reaper", folder]
    # A session of its own, out of reach of a terminal's Ctrl-C.
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) as reaper:
        try:
            yield
        finally:
            reaper.kill()


def main() -> int:
    """Note the parent's descendants until the input ends, then kill those that still run."""
    seen: set[psutil.Process] = set()
    me, parent = psutil.Process(), psutil.Process(os.getppid())
    while not select.select([sys.stdin], [], [], LOOK_S)[0]:
        try:
            seen.update(parent.children(recursive=True))
        except psutil.NoSuchProcess:
            break
    for process in seen - {me}:
        try:
            process.kill()  # psutil compares start times: a number that another process has by now is left alone
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(list(seen - {me}), timeout=KILL_WAIT_S)
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
