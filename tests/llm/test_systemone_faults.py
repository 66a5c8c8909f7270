"""Every fault of a decision server, and how an ask of it ends: a sound answer, one to ask for again, or no decision.

A planted key and a mark in the bodies must not be in any message, log or exception that is chained.
"""

import contextlib
import gzip
import json
import logging
import socket
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Literal

import pytest
from jevcompat.mock import FAULTS, MockConfig, Running
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from llm.connection import ANSWER_BYTES
from llm.decision import ChoiceQuestion, DecisionError, InvalidAnswer, NotADecision, Usage
from llm.systemone import ServiceName, SystemOneClient, openrouter, typesafe

Ending = Literal["sound", "invalid", "no decision", "no server"]
ENDINGS: dict[Ending, type[DecisionError]] = {
    "invalid": InvalidAnswer,
    "no decision": NotADecision,
    "no server": DecisionError,
}
KEY = "ts-planted-0461-key"
MARKER = "body-marker-0462"
RawHandler = Callable[[socket.socket], None]
RawServer = Callable[[RawHandler], str]
PATHS: dict[ServiceName, str] = {"typesafe": "/v1/systemone", "openrouter": "/api/alpha/decisions"}
# An id that is not ASCII, a description that is none, and more options than some servers take.
QUESTIONS = {
    "operation": ChoiceQuestion(instructions="What next?", criteria={"CLICK": "press", "DONE": None}),
    "target_CLICK": ChoiceQuestion(instructions="Which?", criteria={"Café": "a link", "Bar": "a button"}),
    "many": ChoiceQuestion(instructions="Which?", criteria={str(n): f"link {n}" for n in range(100)}),
}
MATRIX: dict[str, Ending] = dict.fromkeys(FAULTS, "sound") | {
    "wrong-route": "no decision",
    "xssi-200": "no decision",
    "text-errors": "no decision",
    "auth-rejects-header": "no decision",
    "auth-x-api-key": "no decision",
    "auth-plain": "no decision",
    "auth-invalid-403-text": "no decision",
    "reject-jev-latest": "no decision",
    "no-null-description": "no decision",
    "cap-64": "no decision",
    "validation-400": "no decision",
    "error-flat": "no decision",
    "first-question-only": "invalid",
    "extra-answer": "invalid",
    "nfd-keys": "invalid",
    "choice-key-case": "invalid",
    "choice-sum": "invalid",
    "choice-second": "invalid",
}
# What the server must be asked for a fault to show: the key it takes, and the model.
ASKED: dict[str, tuple[str | None, str]] = {
    "auth-rejects-header": (None, "jev-1.13.0"),
    "auth-plain": (KEY, "jev-1.13.0"),
    "auth-invalid-403-text": ("another", "jev-1.13.0"),
    "reject-jev-latest": (KEY, "jev-latest"),
    "text-errors": (KEY, "jev-0"),
    "error-flat": (KEY, "jev-0"),
}


@contextlib.contextmanager
def ends(ending: Ending, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Expect this end of the block, and that nobody tells the key or the mark."""
    caplog.set_level(logging.DEBUG)
    told = ""
    if ending == "sound":
        yield
    else:
        with pytest.raises(DecisionError) as caught:
            yield
        assert type(caught.value) is ENDINGS[ending]
        told = "".join(traceback.format_exception(caught.value)) + repr(chained(caught.value))
    told += "".join(f"{record.getMessage()} {record.args}" for record in caplog.records)
    assert KEY not in told
    assert MARKER not in told


def chained(error: BaseException | None) -> list[object]:
    """Return all that hangs on an exception, as a debugger would show it."""
    found: list[object] = []
    while error is not None:
        found += [error, error.args, vars(error)]
        error = error.__cause__ or error.__context__
    return found


def test_the_matrix_has_every_fault_that_the_tool_knows() -> None:
    assert len(FAULTS) == 47
    assert set(MATRIX) == set(FAULTS)
    assert set(ASKED) < set(FAULTS)


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_of_a_served_answer_ends_as_it_should(fault: str, caplog: pytest.LogCaptureFixture) -> None:
    """Q4"""
    takes, model = ASKED.get(fault, (KEY, "jev-1.13.0"))
    sent = None if fault == "auth-plain" else KEY
    # It is about the words of a refusal, for which another fault has to refuse.
    faults = {fault, "cap-64"} if fault == "validation-400" else {fault}
    with Running(MockConfig(key=takes, faults=frozenset(faults))) as server:
        client = SystemOneClient("typesafe", typesafe(server.url, model), sent)
        with ends(MATRIX[fault], caplog):
            reply = client.ask(f"{MARKER}: a page", QUESTIONS)
            assert {key: set(answer.probabilities) for key, answer in reply.answers.items()} == {
                key: set(question.criteria) for key, question in QUESTIONS.items()
            }
            assert reply.call.model == "jevcompat-mock-0.1"
            if fault in ("no-usage", "float-usage"):
                assert (reply.call.usage, reply.call.cost_usd) == (Usage(), None)
            else:
                assert reply.call.usage.input_tokens


def test_an_invalid_answer_is_charged() -> None:
    with Running(MockConfig(faults=frozenset({"choice-sum"}))) as server, pytest.raises(InvalidAnswer) as caught:
        SystemOneClient("typesafe", typesafe(server.url)).ask("a page", QUESTIONS)
    (call,) = caught.value.calls
    assert call.usage.input_tokens


def test_a_busy_server_is_asked_again_once(caplog: pytest.LogCaptureFixture) -> None:
    with Running(MockConfig(busy_every=2)) as server, ends("sound", caplog):
        client = SystemOneClient("typesafe", typesafe(server.url), KEY)
        for _ in range(4):
            client.ask("a page", QUESTIONS)
    with Running(MockConfig(busy_every=1)) as server, ends("no decision", caplog):
        SystemOneClient("typesafe", typesafe(server.url), KEY).ask("a page", QUESTIONS)


SOUND = {
    "model": "m",
    "answers": {
        key: {"choice": next(iter(q.criteria)), "probabilities": {o: float(not n) for n, o in enumerate(q.criteria)}}
        for key, q in QUESTIONS.items()
    },
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
JSON = "application/json"


def told(status: int, **headers: str) -> Response:
    detail = {"detail": {"message": MARKER}, "error": {"message": MARKER, "code": MARKER}}
    return Response(json.dumps(detail), status, headers, content_type=JSON)


RESPONSES: dict[str, tuple[Response, int]] = {
    "400": (told(400), 1),
    "401": (told(401), 1),
    "402": (told(402), 1),
    "403": (told(403), 1),
    "404": (told(404), 1),
    "408": (told(408, **{"Retry-After": "0"}), 0),
    "413": (told(413), 1),
    "422": (told(422), 1),
    "429": (told(429, **{"Retry-After": "0"}), 2),
    "429 for an hour": (told(429, **{"Retry-After": "3600"}), 1),
    "500": (told(500, **{"Retry-After": "0"}), 2),
    "503": (told(503, **{"Retry-After": "0"}), 2),
    "503 as a page": (Response(f"<html>{MARKER}</html>", 503, {"Retry-After": "0"}, content_type="text/html"), 2),
    "redirect": (Response(MARKER, 307, {"Location": "/elsewhere"}), 1),
    "another place": (Response(MARKER, 301, {"Location": "/elsewhere"}), 1),
    "a page": (Response(f"<html>{MARKER}</html>", content_type="text/html"), 1),
    "nothing": (Response("", content_type=JSON), 1),
    "no content": (Response("", 204), 1),
    "half": (Response('{"model": "m", "answers": {"' + MARKER, content_type=JSON), 1),
    "a list": (Response(f'["{MARKER}"]', content_type=JSON), 1),
    "null": (Response("null", content_type=JSON), 1),
    "no answers": (Response(json.dumps({"model": "m", "state": MARKER}), content_type=JSON), 1),
    "answers as a list": (Response(json.dumps({"model": "m", "answers": [MARKER]}), content_type=JSON), 1),
    "deep": (Response("[" * 100_000, content_type=JSON), 1),
    "no text": (Response(b"\xff\xfe\x00", content_type=JSON), 1),
    "too large": (Response('{"answers": "' + "x" * ANSWER_BYTES + '"}', content_type=JSON), 1),
    "packed": (Response(gzip.compress(json.dumps(SOUND).encode()), 200, {"Content-Encoding": "gzip"}), 1),
}


def asked(service: ServiceName, root: str, deadline_s: float = 5.0) -> SystemOneClient:
    if service == "typesafe":
        return SystemOneClient(service, typesafe(root, deadline_s=deadline_s), KEY)
    return SystemOneClient(service, openrouter(base_url=f"{root}/api/alpha", deadline_s=deadline_s), KEY)


@pytest.mark.parametrize("service", PATHS)
@pytest.mark.parametrize("name", RESPONSES)
def test_a_server_that_answers_with_something_else_ends_the_turn(
    httpserver: HTTPServer, caplog: pytest.LogCaptureFixture, service: ServiceName, name: str
) -> None:
    """Q7"""
    response, requests = RESPONSES[name]
    httpserver.expect_request(PATHS[service]).respond_with_response(response)
    with ends("no decision", caplog):
        asked(service, httpserver.url_for("").rstrip("/")).ask("a page", QUESTIONS)
    assert {request.path for request, _ in httpserver.log} == {PATHS[service]}
    assert len(httpserver.log) == requests or requests == 0


@pytest.mark.parametrize("service", PATHS)
def test_a_server_that_fails_once_is_asked_again(
    httpserver: HTTPServer, caplog: pytest.LogCaptureFixture, service: ServiceName
) -> None:
    httpserver.expect_ordered_request(PATHS[service]).respond_with_response(RESPONSES["503"][0])
    httpserver.expect_ordered_request(PATHS[service]).respond_with_json(SOUND)
    with ends("sound", caplog):
        asked(service, httpserver.url_for("").rstrip("/")).ask("a page", QUESTIONS)


def silence(connection: socket.socket) -> None:
    while connection.recv(65536):  # until the client goes away
        pass


def drip(connection: socket.socket) -> None:
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n")
    for _ in range(100):
        connection.sendall(b" ")
        time.sleep(0.05)


@pytest.mark.parametrize("service", PATHS)
@pytest.mark.parametrize("handler", [silence, drip])
def test_a_slow_server_is_left_at_the_deadline(
    raw_server: RawServer, caplog: pytest.LogCaptureFixture, service: ServiceName, handler: RawHandler
) -> None:
    started = time.monotonic()
    with ends("no server", caplog):
        asked(service, raw_server(handler).removesuffix("/v1"), deadline_s=0.4).ask("a page", QUESTIONS)
    assert 0.3 < time.monotonic() - started < 2


@pytest.mark.parametrize("service", PATHS)
@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{", b"no HTTP\r\n\r\n"])
def test_a_connection_that_breaks_is_tried_once_more(
    raw_server: RawServer, caplog: pytest.LogCaptureFixture, service: ServiceName, said: bytes
) -> None:
    connections = []

    def handle(connection: socket.socket) -> None:
        connections.append(connection)
        connection.recv(65536)
        connection.sendall(said)
        connection.shutdown(socket.SHUT_WR)
        silence(connection)

    with ends("no server", caplog):
        asked(service, raw_server(handle).removesuffix("/v1")).ask("a page", QUESTIONS)
    assert len(connections) == 2


@pytest.mark.parametrize("service", PATHS)
def test_where_nobody_listens_there_is_no_server(caplog: pytest.LogCaptureFixture, service: ServiceName) -> None:
    with ends("no server", caplog):
        asked(service, "http://127.0.0.1:1").ask("a page", QUESTIONS)


@pytest.mark.parametrize("service", PATHS)
def test_the_clients_words_say_what_to_do(httpserver: HTTPServer, service: ServiceName) -> None:
    variable = {"typesafe": "TYPESAFE_API_KEY", "openrouter": "OPENROUTER_API_KEY"}[service]
    for name, part in (("401", variable), ("402", "no money left"), ("a page", "no decision; is the base URL right")):
        httpserver.clear()
        httpserver.expect_request(PATHS[service]).respond_with_response(RESPONSES[name][0])
        with pytest.raises(NotADecision, match=part):
            asked(service, httpserver.url_for("").rstrip("/")).ask("a page", QUESTIONS)


def test_an_endless_answer_is_broken_off(httpserver: HTTPServer, caplog: pytest.LogCaptureFixture) -> None:
    sent: list[int] = []

    def endless(request: Request) -> Response:
        def parts() -> Iterator[bytes]:
            while len(sent) < 10_000:
                sent.append(1)
                yield b"x" * 65_536

        return Response(parts(), content_type=JSON)

    httpserver.expect_request(PATHS["typesafe"]).respond_with_handler(endless)
    with ends("no decision", caplog):
        asked("typesafe", httpserver.url_for("").rstrip("/")).ask("a page", QUESTIONS)
    assert len(sent) < 1_000
