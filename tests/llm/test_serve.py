import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import psutil
import pytest

from llm.serve import ServerError, local_server, require

# A process that starts a server and says where it is and which process it is, then waits to be killed.
OWNER = """
import sys, time, psutil
from pathlib import Path
from llm.serve import local_server
with local_server(Path(sys.argv[1]), context=256) as base_url:
    print(base_url, psutil.Process().children()[0].pid, flush=True)
    time.sleep(60)
"""


def answers(base_url: str) -> bool:
    try:
        return httpx2.get(f"{base_url}/models", trust_env=False, timeout=20).is_success
    except httpx2.HTTPError:
        return False


@contextmanager
def started(*arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """A Python process that does not outlive its test."""
    command = [sys.executable, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def gone(pid: int, within_s: float = 10) -> bool:
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.05)
    return False


def test_a_server_answers_at_once_and_is_gone_after_the_block(weights: Path) -> None:
    with local_server(weights, context=256) as base_url:
        assert base_url.startswith("http://127.0.0.1:")
        assert base_url.endswith("/v1")
        listed = httpx2.get(f"{base_url}/models", trust_env=False).json()["data"]
        assert [model["id"] for model in listed] == [weights.stem]
        assert listed[0]["meta"]["n_ctx"] == 256
    assert not answers(base_url)


def test_each_slot_has_the_whole_context(weights: Path) -> None:
    with local_server(weights, context=512, slots=2) as base_url:
        prompt = {"messages": [{"role": "user", "content": "word " * 400}], "max_tokens": 1}
        done = httpx2.post(f"{base_url}/chat/completions", json=prompt, trust_env=False, timeout=60)
    assert done.status_code == 200, done.text


def test_the_block_ends_its_server_when_it_fails(weights: Path) -> None:
    with pytest.raises(ZeroDivisionError), local_server(weights, context=256) as base_url:
        raise ZeroDivisionError
    assert not answers(base_url)


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_ends_with_its_owner(weights: Path, end: signal.Signals) -> None:
    with started("-c", OWNER, str(weights)) as owner:
        assert owner.stdout is not None
        base_url, pid = owner.stdout.readline().split()
        assert answers(base_url)
        owner.send_signal(end)
        owner.wait()
        assert gone(int(pid))
    assert not answers(base_url)


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_the_command_prints_its_address_and_stops_when_asked_to(weights: Path, end: signal.Signals) -> None:
    with started("-m", "llm.serve", "--model", str(weights), "--context", "256") as server:
        assert server.stdout is not None
        base_url = server.stdout.readline().strip()
        assert answers(base_url)
        server.send_signal(end)
        out, err = server.communicate(timeout=60)
    assert (server.returncode, out, err) == (0, "", "")


def test_what_is_no_model_says_so_without_being_loaded(tmp_path: Path) -> None:
    text = tmp_path / "model.gguf"
    text.write_text("# not a model")
    with pytest.raises(ServerError, match=r"model.gguf is no GGUF file."):
        require(text)
    with (
        pytest.raises(ServerError, match=r"none.gguf cannot be read: No such file"),
        local_server(tmp_path / "none.gguf"),
    ):
        pass


def test_half_a_model_says_so(weights: Path, tmp_path: Path) -> None:
    half = tmp_path / "half.gguf"
    with weights.open("rb") as file:
        half.write_bytes(file.read(3_000_000))
    with pytest.raises(ServerError, match=r"^llama.cpp cannot load .*half.gguf\.$"), local_server(half):
        pass


def test_a_server_that_is_too_slow_is_ended(weights: Path) -> None:
    before = set(psutil.Process().children())
    with pytest.raises(ServerError, match="in time"), local_server(weights, ready_s=0.01):
        pass
    assert set(psutil.Process().children()) <= before


def test_without_the_extra_the_way_to_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tmp_path / "m.gguf"
    model.write_bytes(b"GGUF")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ServerError, match=r"make local-llm"):
        require(model)


def test_the_key_is_no_argument_and_not_inherited(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_SERVE_KEY", "sk-of-another")
    with local_server(weights, context=256) as base_url:
        assert answers(base_url)
    others = set(psutil.Process().children())
    with local_server(weights, context=256, key="sk-own-0451") as base_url:
        (process,) = set(psutil.Process().children()) - others
        assert "llm.serve" in process.cmdline()
        assert "sk-own-0451" not in " ".join(process.cmdline())
        prompt = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 1}
        for key, status in (("sk-of-another", 401), ("sk-own-0451", 200)):
            headers = {"Authorization": f"Bearer {key}"}
            done = httpx2.post(f"{base_url}/chat/completions", json=prompt, headers=headers, trust_env=False)
            assert done.status_code == status
    assert os.environ["LLM_SERVE_KEY"] == "sk-of-another"
