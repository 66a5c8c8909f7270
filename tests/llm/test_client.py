"""The client against servers that answer well, badly, late or not at all; test_local_model.py has the real model."""

import json
import logging
import socket
import time
import traceback
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from llm.cache import CachedChat
from llm.chat import (
    ChatError,
    ChatRequest,
    ContextOverflow,
    CutAnswer,
    EmptyAnswer,
    FilteredAnswer,
    Message,
    RefusedAnswer,
    UnusableAnswer,
)
from llm.client import ChatClient
from llm.decision import Usage
from llm.endpoint import Endpoint
from llm.pricing import Price, Prices

SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"], "additionalProperties": False}
PATH = "/v1/chat/completions"
RawServer = Callable[[Callable[[socket.socket], None]], str]


def ask(schema: dict[str, Any] | None = None, text: str = "Say hello.") -> ChatRequest:
    return ChatRequest(messages=(Message(role="user", content=text),), json_schema=schema, max_output_tokens=40)


def client(server: HTTPServer | str, key: str | None = "sk-1", **fields: Any) -> ChatClient:
    base_url = server if isinstance(server, str) else server.url_for("/v1")
    return ChatClient(
        Endpoint(**{"model": "m-1", "base_url": base_url, "attempts": 3, "deadline_s": 10.0} | fields), key
    )


def completion(content: object = "Hello.", finish: str | None = "stop", **fields: Any) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": content}}
    return {"model": "m-1-0451", "choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 2}} | fields


def sent(server: HTTPServer) -> list[dict[str, Any]]:
    return [json.loads(request.data) for request, _ in server.log]


def test_an_answer_comes_with_what_it_took(httpserver: HTTPServer) -> None:
    usage = {
        "prompt_tokens": 90, "completion_tokens": 20, "cost": 0.0123,
        "prompt_tokens_details": {"cached_tokens": 64}, "completion_tokens_details": {"reasoning_tokens": 15},
    }  # fmt: skip
    httpserver.expect_request(PATH, method="POST").respond_with_json(completion(usage=usage))
    reply = client(httpserver, temperature=0.5, seed=7).complete(ask())
    assert (reply.text, reply.call.kind, reply.call.model) == ("Hello.", "chat", "m-1-0451")
    assert reply.call.usage == Usage(input_tokens=90, cached_tokens=64, output_tokens=20, reasoning_tokens=15)
    assert (reply.call.cost_usd, reply.call.cost_source, reply.call.replayed) == (0.0123, "provider", False)
    assert 0 < reply.call.latency_ms < 5000
    body = sent(httpserver)[0]
    assert body == {
        "model": "m-1", "messages": [{"role": "user", "content": "Say hello."}],
        "temperature": 0.5, "seed": 7, "max_tokens": 40,
    }  # fmt: skip
    assert httpserver.log[0][0].headers["Authorization"] == "Bearer sk-1"


def test_without_a_key_none_is_sent_though_the_environment_has_one(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-provider")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    httpserver.expect_request(PATH).respond_with_json(completion())
    client(httpserver, key=None, temperature=None).complete(ask())
    request = httpserver.log[0][0]
    assert "Authorization" not in request.headers
    assert "sk-of-another-provider" not in str(request.headers)
    assert "temperature" not in sent(httpserver)[0]


def test_it_works_where_an_event_loop_runs(httpserver: HTTPServer) -> None:
    """Playwright's driver runs one in the thread that the agent is called in, and so does a notebook."""
    import asyncio

    async def inside() -> str:
        return client(httpserver).complete(ask()).text

    httpserver.expect_request(PATH).respond_with_json(completion())
    assert asyncio.run(inside()) == "Hello."


@pytest.mark.parametrize(
    ("body", "error", "part"),
    [
        (completion("Hel", "length"), CutAnswer, "limit of 40 tokens"),
        (completion(None, "content_filter"), FilteredAnswer, "filter"),
        (completion(None), EmptyAnswer, "empty"),
        (completion(" \n"), EmptyAnswer, "empty"),
        (completion([]), EmptyAnswer, "empty"),
        (completion(None, "tool_calls"), EmptyAnswer, "empty"),
        (completion("half a pair: \ud83d"), UnusableAnswer, "surrogate"),
        (
            completion() | {"choices": [{"finish_reason": "stop", "message": {"content": None, "refusal": "No."}}]},
            RefusedAnswer,
            "refused",
        ),
    ],
)
def test_an_answer_of_no_use_is_charged_and_not_asked_for_again(
    httpserver: HTTPServer, body: dict[str, Any], error: type[UnusableAnswer], part: str
) -> None:
    httpserver.expect_request(PATH).respond_with_json(body)
    with pytest.raises(UnusableAnswer, match=part) as caught:
        client(httpserver).complete(ask())
    assert type(caught.value) is error
    assert [call.usage.input_tokens for call in caught.value.calls] == [9]
    assert len(httpserver.log) == 1


def test_an_answer_is_never_repaired(httpserver: HTTPServer) -> None:
    text = '```json\n{"x": 1}\n```\n'
    httpserver.expect_request(PATH).respond_with_json(completion(text))
    assert client(httpserver).complete(ask(SCHEMA)).text == text


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
def test_a_passing_failure_is_tried_again(httpserver: HTTPServer, status: int) -> None:
    refusal = Response("{}", status, {"Retry-After": "0"}, content_type="application/json")
    httpserver.expect_ordered_request(PATH).respond_with_response(refusal)
    httpserver.expect_ordered_request(PATH).respond_with_json(completion())
    assert client(httpserver).complete(ask()).text == "Hello."
    assert len(httpserver.log) == 2


@pytest.mark.parametrize(("status", "part"), [(429, "asked too often"), (503, "failed")])
def test_a_storm_ends_after_so_many_attempts(httpserver: HTTPServer, status: int, part: str) -> None:
    httpserver.expect_request(PATH).respond_with_response(Response("", status, {"Retry-After": "0"}))
    with pytest.raises(
        ChatError, match=rf"{part} .*\({status}\).* 3 attempts|{part} \({status}\) in 3 attempts"
    ) as caught:
        client(httpserver).complete(ask())
    assert not isinstance(caught.value, UnusableAnswer)
    assert caught.value.calls == ()
    assert len(httpserver.log) == 3


def test_waits_double_where_the_endpoint_names_no_time(httpserver: HTTPServer) -> None:
    times: list[float] = []

    def refuse(request: Request) -> Response:
        times.append(time.monotonic())
        return Response("<html>busy</html>", 503)

    httpserver.expect_request(PATH).respond_with_handler(refuse)
    with pytest.raises(ChatError, match="503"):
        client(httpserver).complete(ask())
    first, second = times[1] - times[0], times[2] - times[1]
    assert 0.25 <= first < 0.9
    assert 0.5 <= second < 1.6


@pytest.mark.parametrize("as_date", [False, True])
def test_the_time_that_the_endpoint_asks_for_is_waited(httpserver: HTTPServer, as_date: bool) -> None:
    def refuse(request: Request) -> Response:
        # A date has whole seconds: two ahead is between one and two.
        until = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
        return Response("", 429, {"Retry-After": until if as_date else "1.2"})

    httpserver.expect_ordered_request(PATH).respond_with_handler(refuse)
    httpserver.expect_ordered_request(PATH).respond_with_json(completion())
    started = time.monotonic()
    client(httpserver).complete(ask())
    assert 1.0 <= time.monotonic() - started < 3.0


def test_a_wait_beyond_the_deadline_is_not_begun(httpserver: HTTPServer) -> None:
    httpserver.expect_request(PATH).respond_with_response(Response("", 429, {"Retry-After": "3600"}))
    started = time.monotonic()
    with pytest.raises(ChatError, match="wait 3600 seconds"):
        client(httpserver).complete(ask())
    assert time.monotonic() - started < 2
    assert len(httpserver.log) == 1


def test_an_account_without_money_is_not_asked_again(httpserver: HTTPServer) -> None:
    httpserver.expect_request(PATH).respond_with_json({"error": {"code": "insufficient_quota"}}, status=429)
    with pytest.raises(ChatError, match="no money left"):
        client(httpserver).complete(ask())
    assert len(httpserver.log) == 1


def test_a_failure_told_under_200_is_a_failure(httpserver: HTTPServer) -> None:
    late = {"error": {"code": 502, "message": "upstream"}}
    httpserver.expect_ordered_request(PATH).respond_with_json(late, headers={"Retry-After": "0"})
    httpserver.expect_ordered_request(PATH).respond_with_json(completion())
    assert client(httpserver).complete(ask()).text == "Hello."


@pytest.mark.parametrize(
    "response",
    [
        Response("<html>Welcome</html>", content_type="text/html"),
        Response('{"choices": [{"mess', content_type="application/json"),
        Response(b"\xff\xfe\x00", content_type="application/json"),
        Response("[" * 100_000, content_type="application/json"),
        Response("", content_type="application/json"),
        Response("null", content_type="application/json"),
        Response('{"choices": []}', content_type="application/json"),
        Response('{"choices": [{"message": 3}]}', content_type="application/json"),
        Response('{"error": "no such route"}', content_type="application/json"),
    ],
    ids=["html", "malformed", "no utf-8", "deep", "nothing", "null", "no choice", "no message", "error"],
)
def test_a_body_that_is_no_completion_names_the_way_out(httpserver: HTTPServer, response: Response) -> None:
    httpserver.expect_request(PATH).respond_with_response(response)
    with pytest.raises(ChatError, match=r"no chat completion; .*/v1") as caught:
        client(httpserver).complete(ask())
    assert not isinstance(caught.value, UnusableAnswer)
    assert len(httpserver.log) == 1


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary() | st.text().map(lambda text: json.dumps(completion(text)).encode()),
    status=st.just(200) | st.integers(200, 599),
)
def test_whatever_bytes_come_there_is_an_answer_or_a_chat_error(
    httpserver: HTTPServer, content: bytes, status: int
) -> None:
    httpserver.clear()
    answer = Response(content, status, {"Retry-After": "0"}, content_type="application/json")
    httpserver.expect_request(PATH).respond_with_response(answer)
    try:
        text = client(httpserver).complete(ask()).text
    except ChatError:
        return
    assert text == json.loads(content)["choices"][0]["message"]["content"]


@pytest.mark.parametrize("status", [301, 307])
def test_a_redirect_is_not_followed(httpserver: HTTPServer, status: int) -> None:
    elsewhere = Response("", status, {"Location": httpserver.url_for("/elsewhere")})
    httpserver.expect_request(PATH).respond_with_response(elsewhere)
    with pytest.raises(ChatError, match=str(status)):
        client(httpserver).complete(ask())
    assert [request.path for request, _ in httpserver.log] == [PATH]


@pytest.mark.parametrize(
    ("status", "key", "part"),
    [
        (401, None, "asks for a key .401.; set one in MY_KEY"),
        (401, "sk-1", "refuses the key in MY_KEY .401."),
        (403, "sk-1", "refuses the key in MY_KEY .403."),
        (402, "sk-1", "no money left .402."),
        (404, "sk-1", "knows no model m-1"),
        (405, "sk-1", "refuses the request .405."),
    ],
)
def test_a_refusal_says_what_to_set(httpserver: HTTPServer, status: int, key: str | None, part: str) -> None:
    httpserver.expect_request(PATH).respond_with_json({"error": {"message": "Secret words."}}, status=status)
    with pytest.raises(ChatError, match=part) as caught:
        client(httpserver, key=key, key_variable="MY_KEY").complete(ask())
    assert "Secret" not in str(caught.value)
    assert len(httpserver.log) == 1


def takes_only(*forms: str) -> Callable[[Request], Response]:
    """A server that refuses any response_format but these, in its own words."""

    def answer(request: Request) -> Response:
        form = json.loads(request.data).get("response_format", {}).get("type", "none")
        if form in forms:
            return Response(json.dumps(completion('{"x": 1}')), content_type="application/json")
        return Response(
            '{"error": {"message": "Extra inputs are not permitted"}}', 400, content_type="application/json"
        )

    return answer


@pytest.mark.parametrize(
    ("forms", "found", "tried"),
    [
        (("json_schema",), "json_schema", ["json_schema"]),
        (("json_object", "none"), "json_object", ["json_schema", "json_object"]),
        (("none",), "plain", ["json_schema", "json_object", "none"]),
    ],
)
def test_what_an_endpoint_takes_is_found_once_and_remembered(
    httpserver: HTTPServer, forms: tuple[str, ...], found: str, tried: list[str]
) -> None:
    httpserver.expect_request(PATH).respond_with_handler(takes_only(*forms))
    model = client(httpserver)
    assert [model.complete(ask(SCHEMA)).text for _ in range(2)] == ['{"x": 1}'] * 2
    assert model.structured == found
    asked = [body.get("response_format", {}).get("type", "none") for body in sent(httpserver)]
    assert asked == [*tried, tried[-1]]


def test_a_schema_is_sent_strict_and_a_request_without_one_is_plain(httpserver: HTTPServer) -> None:
    httpserver.expect_request(PATH).respond_with_json(completion())
    model = client(httpserver)
    model.complete(ask(SCHEMA))
    model.complete(ask())
    first, second = sent(httpserver)
    assert first["response_format"]["json_schema"] == {"name": "answer", "schema": SCHEMA, "strict": True}
    assert "response_format" not in second


def test_a_refusal_for_another_reason_teaches_nothing(httpserver: HTTPServer) -> None:
    httpserver.expect_request(PATH).respond_with_json({"error": {"message": "No."}}, status=400)
    model = client(httpserver)
    with pytest.raises(ChatError, match="refuses the request .400."):
        model.complete(ask(SCHEMA))
    assert model.structured == "json_schema"


def test_a_field_of_ours_that_is_refused_is_named(httpserver: HTTPServer) -> None:
    refusal = {"error": {"message": "Only 1 is supported.", "param": "temperature"}}
    httpserver.expect_request(PATH).respond_with_json(refusal, status=400)
    with pytest.raises(ChatError, match="for its 'temperature' .400."):
        client(httpserver).complete(ask(SCHEMA))
    assert len(httpserver.log) == 1


@pytest.mark.parametrize(
    "refusal",
    [
        {"message": "Use another.", "param": "max_tokens", "code": "unsupported_parameter"},
        {"message": "Unsupported parameter: use 'max_completion_tokens' instead."},
    ],
)
def test_the_newer_name_of_the_limit_is_found_and_remembered(httpserver: HTTPServer, refusal: dict[str, str]) -> None:
    def answer(request: Request) -> Response:
        if "max_tokens" not in json.loads(request.data):
            return Response(json.dumps(completion()), content_type="application/json")
        return Response(json.dumps({"error": refusal}), 400, content_type="application/json")

    httpserver.expect_request(PATH).respond_with_handler(answer)
    model = client(httpserver)
    assert [model.complete(ask(SCHEMA)).text for _ in range(2)] == ["Hello."] * 2
    assert [body.get("max_completion_tokens") for body in sent(httpserver)] == [None, 40, 40]
    assert model.structured == "json_schema"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"code": "context_length_exceeded", "message": "Too many."}),
        (400, {"type": "exceed_context_size_error", "message": "Too many."}),
        (400, {"message": "This model's maximum context length is 8192 tokens."}),
        (400, {"message": "prompt is too long: 9000 tokens > 8192 maximum"}),
        (400, {"message": "The input exceeds the maximum number of tokens allowed."}),
        (413, {}),
    ],
)
def test_a_prompt_that_does_not_fit_is_the_prompts_fault(
    httpserver: HTTPServer, status: int, error: dict[str, str]
) -> None:
    httpserver.expect_request(PATH).respond_with_json({"error": error}, status=status)
    with pytest.raises(ContextOverflow, match="m-1"):
        client(httpserver).complete(ask(SCHEMA))
    assert len(httpserver.log) == 1


def test_half_a_surrogate_pair_of_a_page_is_sent_as_a_replacement(httpserver: HTTPServer) -> None:
    httpserver.expect_request(PATH).respond_with_json(completion())
    client(httpserver).complete(ask(text="a\ud83db\U0001f600"))
    assert sent(httpserver)[0]["messages"][0]["content"] == "a\ufffdb\U0001f600"


def drip(connection: socket.socket) -> None:
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n")
    for _ in range(200):
        connection.sendall(b" ")
        time.sleep(0.05)


def drip_headers(connection: socket.socket) -> None:
    connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    for _ in range(200):
        connection.sendall(b"x")
        time.sleep(0.05)


def silence(connection: socket.socket) -> None:
    while connection.recv(65536):  # until the client goes away
        pass


@pytest.mark.parametrize("handler", [drip, drip_headers, silence])
def test_the_deadline_is_for_the_whole_call(raw_server: RawServer, handler: Callable[[socket.socket], None]) -> None:
    started = time.monotonic()
    with pytest.raises(ChatError, match="no whole answer within 0.5 seconds"):
        client(raw_server(handler), deadline_s=0.5).complete(ask())
    assert 0.4 < time.monotonic() - started < 2


def test_a_dropped_connection_is_tried_again(raw_server: RawServer) -> None:
    answers = [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
        % (len(body := json.dumps(completion()).encode()), body),
    ]

    def handle(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(answers.pop(0))

    assert client(raw_server(handle)).complete(ask()).text == "Hello."
    assert answers == []


def test_no_server_says_so() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ChatError, match=f"No connection to 127.0.0.1:{port} held in 2 attempts"):
        client(f"http://127.0.0.1:{port}/v1", attempts=2).complete(ask())


PARTS = [{"type": "output_text", "text": '{"x":'}, {"type": "output_text", "text": " 1}"}]
RESPONSE = {
    "model": "m-1-0451",
    "status": "completed",
    "output": [
        {"type": "reasoning", "summary": []},
        {"type": "message", "content": PARTS},
    ],
    "usage": {
        "input_tokens": 9, "output_tokens": 6,
        "input_tokens_details": {"cached_tokens": 3}, "output_tokens_details": {"reasoning_tokens": 4},
    },
}  # fmt: skip


def test_the_responses_api_is_asked_where_wanted(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/v1/responses").respond_with_json(RESPONSE)
    reply = client(httpserver, api="responses", seed=3).complete(ask(SCHEMA))
    assert reply.text == '{"x": 1}'
    assert reply.call.usage == Usage(input_tokens=9, cached_tokens=3, output_tokens=6, reasoning_tokens=4)
    assert sent(httpserver) == [
        {
            "model": "m-1", "input": [{"role": "user", "content": "Say hello."}], "temperature": 0.0,
            "max_output_tokens": 40, "store": False,
            "text": {"format": {"type": "json_schema", "name": "answer", "schema": SCHEMA, "strict": True}},
        }
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, CutAnswer),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, FilteredAnswer),
        ({"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]}, RefusedAnswer),
        ({"output": []}, EmptyAnswer),
        # As llama.cpp tells of an answer that it cut.
        ({"usage": {"input_tokens": 9, "output_tokens": 40}}, CutAnswer),
        ({"status": "failed", "error": {"code": "server_error"}}, ChatError),
    ],
)
def test_the_responses_api_tells_of_the_same_faults(
    httpserver: HTTPServer, change: dict[str, Any], error: type[ChatError]
) -> None:
    httpserver.expect_request("/v1/responses").respond_with_json(RESPONSE | change)
    with pytest.raises(ChatError) as caught:
        client(httpserver, api="responses").complete(ask())
    assert type(caught.value) is error
    assert [call.model for call in caught.value.calls] == ["m-1-0451"]


def test_a_price_file_prices_what_the_provider_does_not(httpserver: HTTPServer) -> None:
    httpserver.expect_request(PATH).respond_with_json(completion())
    endpoint = client(httpserver).endpoint
    call = ChatClient(endpoint, prices=Prices(own={"m-1": Price(input=1.0, output=10.0)})).complete(ask()).call
    assert call.cost_usd == pytest.approx(29e-6)
    assert call.cost_source == "price file"
    unpriced = ChatClient(endpoint).complete(ask()).call
    assert (unpriced.cost_usd, unpriced.cost_source) == (None, None)
    own = ChatClient(endpoint.model_copy(update={"local": True})).complete(ask()).call
    assert (own.cost_usd, own.cost_source) == (0.0, "local server")


def test_identity_names_no_port_and_no_password() -> None:
    endpoint = Endpoint(model="m-1", base_url="http://me:pw@127.0.0.1:4000/v1/?key=s", seed=1)
    assert endpoint.identity == {
        "endpoint": "127.0.0.1/v1", "model": "m-1", "api": "chat", "temperature": 0.0, "seed": 1,
    }  # fmt: skip
    assert endpoint.model_copy(update={"local": True}).identity["endpoint"] == "local"


@pytest.mark.parametrize(
    "base_url", ["ftp://h/v1", "h/v1", "https://me:hush@h/v1", "https://h/v1?key=hush", "http://h:hush/v1", "https://"]
)
def test_an_address_that_cannot_be_used_is_refused_unquoted(base_url: str) -> None:
    with pytest.raises(ValueError, match="base URL") as caught:
        ChatClient(Endpoint(model="m-1", base_url=base_url))
    assert "hush" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("key", ["", "sk-hush\n", "sk hush", "sk-hüsh", "sk-hush\x00"])
def test_a_key_that_cannot_be_sent_is_refused_unquoted(key: str) -> None:
    with pytest.raises(ValueError, match="MY_KEY") as caught:
        ChatClient(Endpoint(model="m-1", key_variable="MY_KEY"), key)
    assert "hush" not in str(caught.value)


def everything_about(error: BaseException | None) -> str:
    """All texts that an exception and those behind it hold."""
    texts = []
    while error is not None:
        texts += [*traceback.format_exception(error, chain=False), repr(error), repr(error.args), repr(vars(error))]
        error = error.__cause__ or error.__context__
    return "\n".join(texts)


def test_the_key_and_the_body_are_nowhere_after_any_failure(
    httpserver: HTTPServer, planted_key: str, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """The server repeats the key in all that it says, as some do."""
    caplog.set_level(logging.DEBUG)
    for name in ("openai", "httpx2", "httpcore2"):
        caplog.set_level(logging.DEBUG, logger=name)
    told = {"error": {"message": f"Incorrect API key: {planted_key}", "code": planted_key, "param": planted_key}}
    texts = []
    for number, status in enumerate([400, 401, 403, 404, 413, 422, 429, 500, 302, 200]):
        path = f"/{number}/v1"
        answer = Response(json.dumps(told), status, {"Retry-After": "0"}, content_type="application/json")
        httpserver.expect_request(f"{path}/chat/completions").respond_with_response(answer)
        inner = client(httpserver.url_for(path), key=planted_key)
        with pytest.raises(ChatError) as caught:
            CachedChat(inner, "record", tmp_path, inner.endpoint.identity).complete(ask(SCHEMA))
        texts += [everything_about(caught.value), repr(inner), repr(vars(inner))]
    httpserver.expect_request(PATH).respond_with_json(completion("cut", "length"))
    inner = client(httpserver, key=planted_key)
    with pytest.raises(CutAnswer):
        CachedChat(inner, "record", tmp_path, inner.endpoint.identity).complete(ask())
    assert httpserver.log[-1][0].headers["Authorization"] == f"Bearer {planted_key}"
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    texts += [path.read_text() for path in files]
    texts += [record.getMessage() + repr(vars(record)) for record in caplog.records]
    assert caplog.records
    assert "Say hello." in "".join(texts)
    for text in texts:
        assert planted_key not in text
        assert "Incorrect API key" not in text
