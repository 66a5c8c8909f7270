"""One instance of the stand-in sites: `python -m benchmark.standins.instance FOLDER`. Knows no task.

It serves the shop and the forum on databases of its own in the folder, and beside them an address for resets, which
speaks WebArena's protocol: GET /reset begins one (418 where one is under way), GET /status says "Ready for duty!".
GET /changes lists the tables that hold other rows than those that were built. All of it ends with its input, or with
`kept` after the folder by SIGTERM alone.
"""

import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import IO, Any

import httpx2
import psutil

from benchmark.standins.environment import SITE_NAMES, SOURCES, SiteName, build, database, site_variables, sites_python
from benchmark.standins.state import changed_tables, put_back
from benchmark.webarena.reset import ALREADY, READY
from browser.observation import Frozen

STATED = "instance.json"
LOG = "sites.log"
KEEP = "kept"
# Both sites answer after two seconds on an idle machine.
START_S = 90.0
POLL_S = 0.1


class Instance(Frozen):
    """Where a running instance is."""

    folder: str
    pid: int
    started: float
    """When its process began, as psutil tells it: another process may get the number later."""
    shop: str
    forum: str
    control: str
    """Where resets and changes are asked for; the addresses have no slash at their end."""


class Sites:
    """The two servers and their databases."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.built, self._resetting = folder, build(), threading.Lock()
        self.failed = ""
        for site in SITE_NAMES:
            put_back(database(self.built, site), database(folder, site))
        self.ports = {site: _free_port() for site in SITE_NAMES}
        with (folder / LOG).open("ab") as log:
            self.servers = [self._serve(site, log) for site in SITE_NAMES]

    def _serve(self, site: SiteName, log: IO[bytes]) -> subprocess.Popen[bytes]:
        command = [str(sites_python()), "-W", "ignore", str(SOURCES / "serve.py"), site, str(self.ports[site])]
        variables = site_variables(database(self.folder, site), self.built)
        # Its input is this process's to close: it ends with it, however it ends.
        return subprocess.Popen(command, env=variables, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log)

    def address(self, site: SiteName) -> str:
        return f"http://127.0.0.1:{self.ports[site]}"

    def wait(self) -> None:
        """Wait until both answer.

        Raises:
            RuntimeError: one does not.
        """
        pages: dict[SiteName, str] = {"shop": "/catalogue/", "forum": "/"}
        end = time.monotonic() + START_S
        for site, page in pages.items():
            while not _answers(self.address(site) + page):
                if time.monotonic() > end or any(server.poll() is not None for server in self.servers):
                    raise RuntimeError(f"the {site} does not answer; {self.folder / LOG} says more")
                time.sleep(POLL_S)

    def begin_reset(self) -> bool:
        """Begin to put the databases back; return False where that is under way."""
        if not self._resetting.acquire(blocking=False):
            return False
        threading.Thread(target=self._reset).start()
        return True

    def _reset(self) -> None:
        try:
            for site in SITE_NAMES:
                put_back(database(self.built, site), database(self.folder, site))
            self.failed = ""
        except sqlite3.Error as error:
            self.failed = f"{type(error).__name__}: {error}"
        finally:
            self._resetting.release()

    def status(self) -> str:
        if self._resetting.locked():
            return "Resetting"
        return f"Failed: {self.failed}" if self.failed else READY

    def changes(self) -> list[str]:
        """Return what was changed since the last reset, as site and table."""
        return [
            f"{site} {table}"
            for site in SITE_NAMES
            for table in changed_tables(database(self.built, site), database(self.folder, site))
        ]

    def close(self) -> None:
        """End both servers."""
        for server in self.servers:
            server.kill()
            server.wait()


class _Control(BaseHTTPRequestHandler):
    sites: Sites

    def do_GET(self) -> None:  # the name that the base class calls
        if self.path == "/reset":
            begun = self.sites.begin_reset()
            self._answer(200 if begun else ALREADY, "Reset begun" if begun else "A reset is under way")
        elif self.path == "/status":
            self._answer(200, self.sites.status())
        elif self.path == "/changes":
            self._answer(200, json.dumps(self.sites.changes()))
        else:
            self._answer(404, "There are /reset, /status and /changes")

    def _answer(self, status: int, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


def main(folder: Path, kept: bool) -> int:
    """Serve until the input ends or SIGTERM comes; return 0, or 1 where the sites do not start."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    # A terminal's Ctrl-C is for the run, which still needs the sites to end its episode.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sites = Sites(folder)
    try:
        sites.wait()
        with ThreadingHTTPServer(("127.0.0.1", 0), type("Control", (_Control,), {"sites": sites})) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            _state(folder, sites, server.server_port)
            signal.pause() if kept else sys.stdin.read()
            server.shutdown()
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        sites.close()
        (folder / STATED).unlink(missing_ok=True)
    # Only the input's end leads here; whoever held it may be gone.
    shutil.rmtree(folder, ignore_errors=True)
    return 0


def _state(folder: Path, sites: Sites, control: int) -> None:
    me = psutil.Process()
    stated = Instance(
        folder=str(folder), pid=os.getpid(), started=me.create_time(), shop=sites.address("shop"),
        forum=sites.address("forum"), control=f"http://127.0.0.1:{control}",
    )  # fmt: skip
    new = folder / f"{STATED}.new"
    new.write_text(stated.model_dump_json() + "\n", encoding="utf-8")
    new.replace(folder / STATED)


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _answers(address: str) -> bool:
    try:
        return httpx2.get(address, timeout=START_S, follow_redirects=True, trust_env=False).status_code < 400
    except httpx2.HTTPError:
        return False


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), KEEP in sys.argv[2:]))
