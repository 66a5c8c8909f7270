"""The page server: the package's files byte by byte, fast on kept connections, and nothing else of the disk."""

import http.client
import socket
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from benchmark.errors import UsageError
from benchmark.miniwob.pages import (
    CONTENT_TYPES,
    URL_VARIABLE,
    PageServer,
    miniwob_pages,
    pages_folder,
    pages_name,
)
from benchmark.miniwob.tasks import task_infos


@pytest.fixture(autouse=True)
def _no_address_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(URL_VARIABLE, raising=False)


@pytest.fixture
def connection() -> Iterator[http.client.HTTPConnection]:
    with miniwob_pages() as url:
        opened = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
        yield opened
        opened.close()


def get(connection: http.client.HTTPConnection, path: str, method: str = "GET") -> tuple[int, str | None, bytes]:
    connection.request(method, path)
    response = connection.getresponse()
    return response.status, response.getheader("Content-Type"), response.read()


def test_every_file_of_the_package_is_served_as_it_is_on_one_connection(connection: http.client.HTTPConnection) -> None:
    files = [path for path in pages_folder().rglob("*") if path.is_file()]
    assert len(files) > 300
    for path in files:
        expected = 200, CONTENT_TYPES[path.suffix], path.read_bytes()
        assert get(connection, "/" + path.relative_to(pages_folder()).as_posix()) == expected


def test_every_task_has_its_page_under_the_address_yielded(connection: http.client.HTTPConnection) -> None:
    assert {get(connection, f"/miniwob/{info.name}.html")[0] for info in task_infos()} == {200}


def test_a_query_is_ignored(connection: http.client.HTTPConnection) -> None:
    assert get(connection, "/miniwob/click-test.html?a=1#b") == get(connection, "/miniwob/click-test.html")


def test_head_has_the_length_and_no_body(connection: http.client.HTTPConnection) -> None:
    connection.request("HEAD", "/core/core.js")
    response = connection.getresponse()
    assert response.read() == b""
    assert response.getheader("Content-Length") == str((pages_folder() / "core/core.js").stat().st_size)
    assert get(connection, "/core/core.js")[0] == 200


@pytest.mark.parametrize(
    "path",
    ["/", "/miniwob", "/miniwob/nothing.html", "/../environment.py", "/%2e%2e/environment.py", "/..%2fenvironment.py",
     "//etc/hostname", "/miniwob/%00.html", "/miniwob/" + "x" * 300 + ".html"],
)  # fmt: skip
def test_nothing_else_of_the_disk_is_served(connection: http.client.HTTPConnection, path: str) -> None:
    assert get(connection, path)[0] == 404
    assert get(connection, "/miniwob/click-test.html")[0] == 200


def test_no_answer_waits_for_a_delayed_acknowledgement(connection: http.client.HTTPConnection) -> None:
    def seconds() -> float:
        started = time.perf_counter()
        get(connection, "/core/core.js")
        return time.perf_counter() - started

    assert statistics.median(seconds() for _ in range(50)) < 0.02


def test_a_page_is_read_from_disk_once(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(b"first")
    with PageServer(tmp_path) as server:
        connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=10)
        assert get(connection, "/page.html") == (200, "text/html", b"first")
        (tmp_path / "page.html").unlink()
        assert get(connection, "/page.html") == (200, "text/html", b"first")
        connection.close()


def test_the_port_is_free_again_after_the_block() -> None:
    with miniwob_pages() as url:
        port = urlsplit(url).port
        assert port is not None
    with miniwob_pages(port) as again:
        assert again == url


def test_a_port_that_is_taken_is_a_usage_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with (
            pytest.raises(UsageError, match=f"Cannot serve pages on port {port}: Address already in use"),
            miniwob_pages(port),
        ):
            pass


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_is_none_is_a_usage_error(port: int) -> None:
    with pytest.raises(UsageError, match=f"port {port}: a port is 0 to 65535"), miniwob_pages(port):
        pass


def test_pages_served_elsewhere_are_used_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pages_name().startswith("miniwob ")
    monkeypatch.setenv(URL_VARIABLE, "http://127.0.0.1:9/miniwob")
    with miniwob_pages() as url:
        assert url == pages_name() == "http://127.0.0.1:9/miniwob/"


def test_an_address_that_is_none_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(URL_VARIABLE, "/somewhere/miniwob")
    with pytest.raises(UsageError, match="MINIWOB_URL is '/somewhere/miniwob', which is no http"):
        pages_name()
