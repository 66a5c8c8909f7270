"""Serves a GGUF file on this machine: llama.cpp's server, which speaks OpenAI's protocol. Knows nothing of clients.

`python -m llm.serve --model FILE.gguf` prints the address to use as a base URL; `local_server` does it for the length
of a block. A server ends with the process that started it, however that one ends. Needs the extra `local-llm`.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import IO, Annotated, Any

import httpx2
import typer

from llm.decision import LLMError

HOST = "127.0.0.1"
# Where it is set, the server asks for this key. Not an argument: those are shown to every user of the machine.
KEY_VARIABLE = "LLM_SERVE_KEY"
MAGIC = b"GGUF"
# What the line begins with in which the server says why it did not start.
FAULT = "error: "
# MiB of memory for prompts that were asked before; 100 to 200 MiB each with a model of 1.5 billion parameters.
PROMPT_CACHE_MIB = 1024
# llama.cpp's: 1 tells of errors alone.
VERBOSITY = 1
WATCH_S = 0.5
POLL_S = 0.05
# Reading 2 GB from a slow disk takes 40 s.
READY_S = 120.0
STOP_S = 10.0

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


class ServerError(LLMError):
    """The server could not be started."""


@contextmanager
def local_server(
    model: Path, *, context: int = 4096, threads: int = 1, slots: int = 1, key: str | None = None,
    ready_s: float = READY_S,
) -> Iterator[str]:  # fmt: skip
    """Serve a model in a process of its own and yield the base URL, as soon as it answers.

    `context` are the tokens of one prompt with its answer, `slots` how many are answered at once; each slot has its own
    context and remembers its last prompt. One thread is best beside a browser on two cores: two took eight times as
    long there. The model's name is the file's, without its ending.

    Raises:
        ServerError
    """
    require(model)
    command = [sys.executable, "-m", "llm.serve", "--model", str(model), "--context", str(context)]
    command += ["--threads", str(threads), "--slots", str(slots), "--parent", str(os.getpid())]
    environment = {name: value for name, value in os.environ.items() if name != KEY_VARIABLE}
    if key is not None:
        environment[KEY_VARIABLE] = key
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained:
        # A session of its own: Ctrl-C is for the one who started it, who may have calls to finish.
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=said, stderr=complained, env=environment, start_new_session=True
        )
        try:
            yield _ready(process, said, complained, time.monotonic() + ready_s)
        finally:
            process.terminate()
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def require(model: Path) -> None:
    """Look, without loading it, whether a file can be served.

    Raises:
        ServerError: it is no GGUF file, or the extra is not installed.
    """
    try:
        with model.open("rb") as file:
            magic = file.read(len(MAGIC))
    except OSError as error:
        raise ServerError(f"The model file {model} cannot be read: {error.strerror}.") from None
    if magic != MAGIC:
        raise ServerError(f"{model} is no GGUF file.")
    _library()


def _ready(process: "subprocess.Popen[bytes]", said: IO[bytes], complained: IO[bytes], until: float) -> str:
    """Return the base URL once the server answers there."""
    while time.monotonic() < until:
        if process.poll() is not None:
            # llama.cpp writes lines of its own, before and after.
            told = [line.removeprefix(FAULT) for line in _text(complained).splitlines() if line.startswith(FAULT)]
            raise ServerError(told[-1] if told else "The model's server ended before it answered.")
        address = _text(said)
        if address.endswith("\n") and _answers(address.strip()):
            return address.strip()
        time.sleep(POLL_S)
    raise ServerError("The model's server did not answer in time; a smaller model loads faster.")


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def _answers(base_url: str) -> bool:
    try:
        return httpx2.get(base_url.removesuffix("/v1") + "/health", trust_env=False, timeout=POLL_S * 20).is_success
    except httpx2.HTTPError:
        return False


def _library() -> Any:
    try:
        import xllamacpp
    except ImportError:
        raise ServerError(
            "llama.cpp's server is not installed; `make local-llm` installs it, or pip install"
            " 'browser-agent-lab[local-llm]'."
        ) from None
    return xllamacpp


def _start(model: Path, context: int, threads: int, slots: int, port: int) -> Any:
    require(model)
    library = _library()
    params = library.CommonParams()
    params.model.path = str(model)
    # It answers with this name; without one, with the whole path.
    params.model_alias = {model.stem}
    params.hostnames = [HOST]
    params.port = port
    params.n_ctx = context * slots
    params.n_parallel = slots
    # Else one slot's long prompt could take another's room.
    params.kv_unified = False
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.cache_ram_mib = PROMPT_CACHE_MIB
    params.verbosity = VERBOSITY
    # It would load the model twice, to fit a graphics card.
    params.fit_params = False
    params.ui = False
    # Tells what is asked to whoever is on this machine.
    params.endpoint_slots = False
    if key := os.environ.get(KEY_VARIABLE):
        params.api_keys = [key]
    try:
        return library.Server(params)
    except RuntimeError:
        taken = f", or port {port} is taken" if port else ""
        raise ServerError(f"llama.cpp cannot load {model}{taken}.") from None


@app.command()
def main(
    model: Annotated[Path, typer.Option(help="A GGUF file.")],
    context: Annotated[int, typer.Option(min=256, help="Tokens of a prompt with its answer.")] = 4096,
    threads: Annotated[int, typer.Option(min=1, help="Processor threads.")] = 1,
    slots: Annotated[int, typer.Option(min=1, help="Prompts answered at once, each with a context of its own.")] = 1,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 0,
    parent: Annotated[int, typer.Option(hidden=True)] = 0,
) -> None:
    """Serve a model on this machine until Ctrl-C, and print its base URL. LLM_SERVE_KEY holds the key it asks for."""
    parent = parent or os.getppid()
    # Also where the one who started it ignores Ctrl-C, as a shell does for what it runs in the background.
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, _interrupt)
    try:
        server = _start(model, context, threads, slots, port)
        print(f"{server.listening_address}/v1", flush=True)
        while os.getppid() == parent:
            time.sleep(WATCH_S)
    except KeyboardInterrupt:
        pass
    except ServerError as error:
        print(f"{FAULT}{error}", file=sys.stderr)
        raise typer.Exit(1) from None


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    app()
