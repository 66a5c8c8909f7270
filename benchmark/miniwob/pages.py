"""Serves the MiniWoB pages that the `miniwob` package ships, on this machine only. Knows no browser."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from pathlib import Path
from socketserver import TCPServer
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

from benchmark.errors import UsageError

URL_VARIABLE = "MINIWOB_URL"
HOST = "127.0.0.1"
# What the package ships. No charset: the pages are made for servers that name none.
CONTENT_TYPES = {
    ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json",
    ".gif": "image/gif", ".png": "image/png", ".woff": "font/woff",
}  # fmt: skip
# Pages are asked for anew at each reset; what they load never changes while a browser lives.
CACHE_S = 86_400

# How often the server looks whether it is to end.
POLL_S = 0.05


def pages_folder() -> Path:
    """Return the folder of the package's pages, found without importing it, which would import Selenium."""
    return Path(str(metadata.distribution("miniwob").locate_file("miniwob/html")))


def pages_name() -> str:
    """Return which pages a run uses, for its settings: the package's version or the address given by MINIWOB_URL."""
    return _given_url() or f"miniwob {metadata.version('miniwob')}"


@contextmanager
def miniwob_pages(port: int = 0) -> Iterator[str]:
    """Yield the base address of the pages: MINIWOB_URL where it is set, else a server that lives as long as the block.

    Raises:
        UsageError: the port is taken or out of bounds, or MINIWOB_URL is no address.
    """
    given = _given_url()
    if given is not None:
        yield given
        return
    with PageServer(pages_folder(), port) as server:
        yield server.url


def _given_url() -> str | None:
    url = os.environ.get(URL_VARIABLE, "").strip()
    if not url:
        return None
    if urlsplit(url).scheme not in ("http", "https", "file"):
        raise UsageError(f"{URL_VARIABLE} is {url!r}, which is no http, https or file address; unset it or correct it.")
    return url if url.endswith("/") else url + "/"


class PageServer:
    """A folder served over HTTP/1.1 from memory, by a thread that ends with the block."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        """Bind the port; 0 takes a free one.

        Raises:
            UsageError: the port is taken or out of bounds.
        """
        try:
            self._server = _Server((HOST, port), _Request)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or "a port is 0 to 65535"
            raise UsageError(
                f"Cannot serve pages on port {port}: {reason}; give another --port, or 0 for a free one."
            ) from None
        self._server.folder = folder.resolve()
        self.url = f"http://{HOST}:{self._server.server_address[1]}/miniwob/"
        self._thread = Thread(target=self._server.serve_forever, args=(POLL_S,), name="miniwob-pages", daemon=True)

    def __enter__(self) -> "PageServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # A browser keeps its connections open: waiting for their threads would be waiting for the browser.
    block_on_close = False
    request_queue_size = 64
    folder: Path

    def __init__(self, *arguments: Any) -> None:
        self.responses: dict[str, bytes] = {}
        super().__init__(*arguments)

    def response(self, target: str) -> bytes:
        """Return the whole response to a request for this target, headers and body."""
        path = unquote(urlsplit(target).path)
        if path not in self.responses:
            found = self._read(path)
            if found is None:
                return _response("404 Not Found", "text/plain", b"not found", "no-store")
            content_type, body = found
            caching = "no-cache" if content_type == "text/html" else f"max-age={CACHE_S}"
            self.responses[path] = _response("200 OK", content_type, body, caching)
        return self.responses[path]

    def _read(self, path: str) -> tuple[str, bytes] | None:
        try:
            file = (self.folder / path.lstrip("/")).resolve()
            if not file.is_relative_to(self.folder) or file.suffix not in CONTENT_TYPES:
                return None
            return CONTENT_TYPES[file.suffix], file.read_bytes()
        except (OSError, ValueError):
            return None

    def server_bind(self) -> None:
        # Past HTTPServer's own, which asks the name service who we are and may wait seconds for it.
        TCPServer.server_bind(self)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a dropped connection: a browser drops them whenever a page is left."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Request(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    # Without this, the second small packet of a kept connection waits up to 40 ms for an acknowledgement.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.wfile.write(self.server.response(self.path))

    def do_HEAD(self) -> None:
        head, end, _ = self.server.response(self.path).partition(b"\r\n\r\n")
        self.wfile.write(head + end)

    def log_message(self, *_: object) -> None:
        pass


def _response(status: str, content_type: str, body: bytes, caching: str) -> bytes:
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n"
        f"Cache-Control: {caching}\r\n\r\n"
    )
    return head.encode("ascii") + body
