"""The client against a server that votes by words of the options; the real model is at the end."""

import json
import logging
import math
import re
import socket
import time
import traceback
from collections.abc import Callable
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from llm.decision import ChoiceQuestion, DecisionError, InvalidAnswer, NotADecision, Reply
from llm.endpoint import Endpoint
from llm.logprobs import LISTED_LOCALLY, LogprobsClient
from llm.pricing import Price, Prices
from llm.weights import weights_path

PATH = "/v1/chat/completions"
KEY = "sk-planted-0452-key"
MARKER = "body-marker-0453"
RawServer = Callable[[Callable[[socket.socket], None]], str]
QUESTIONS = {
    "operation": ChoiceQuestion(instructions="What next?", criteria={"CLICK": "press", "TYPE": "write", "DONE": None}),
    "target_CLICK": ChoiceQuestion(instructions="Which?", criteria={"4": "Cancel", "9": "Save"}),
}
WEIGHTS = {"CLICK": 6.0, "TYPE": 3.0, "DONE": 1.0, "4": 1.0, "9": 4.0}


def client(server: HTTPServer | str, key: str | None = KEY, **fields: Any) -> LogprobsClient:
    base_url = server if isinstance(server, str) else server.url_for("/v1")
    listed, prices = fields.pop("listed", None), fields.pop("prices", None)
    chosen = {"model": "m-1", "base_url": base_url, "attempts": 2, "deadline_s": 10.0} | fields
    return LogprobsClient(Endpoint(**chosen), key, prices, listed=listed)


def completion(tokens: list[tuple[object, object]] | None, **fields: Any) -> dict[str, Any]:
    listed = [{"token": token, "logprob": logprob} for token, logprob in tokens or []]
    logprobs = None if tokens is None else {"content": [{"token": "A", "logprob": -0.1, "top_logprobs": listed}]}
    choice = {"finish_reason": "length", "message": {"role": "assistant", "content": "A"}, "logprobs": logprobs}
    usage = {"prompt_tokens": 90, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 64}}
    return {"model": "m-1-0451", "choices": [choice], "usage": usage} | fields


def voter(favour_first: float = 1.0, weights: dict[str, float] = WEIGHTS, bound: int = 20) -> Callable[..., Response]:
    """A server that votes by weights, favours the first letter, and lists no more tokens than its bound."""

    def answer(request: Request) -> Response:
        asked = json.loads(request.data)
        if asked["top_logprobs"] > bound:
            refusal = {"error": {"message": f"At most {bound}.", "param": "top_logprobs"}}
            return Response(json.dumps(refusal), 400, content_type="application/json")
        options = re.findall(r"^([A-Z])\. ([^:\n]+)", asked["messages"][-1]["content"].split("</state>")[1], re.M)
        votes = {letter: weights[option] * (favour_first if letter == "A" else 1) for letter, option in options}
        shares = sorted(((weight / sum(votes.values()), letter) for letter, weight in votes.items()), reverse=True)
        tokens = [(letter, math.log(share)) for share, letter in shares[: asked["top_logprobs"]]]
        return Response(json.dumps(completion(tokens)), content_type="application/json")

    return answer


def sent(server: HTTPServer) -> list[dict[str, Any]]:
    return [json.loads(request.data) for request, _ in server.log]


def ask(model: LogprobsClient, questions: dict[str, ChoiceQuestion] = QUESTIONS) -> Reply:
    return model.ask("a page", questions)


def test_the_letters_become_probabilities_of_the_options(httpserver: HTTPServer) -> None:
    httpserver.expect_request(PATH).respond_with_handler(voter())
    reply = ask(client(httpserver))
    assert reply.answers["operation"].choice == "CLICK"
    assert reply.answers["operation"].probabilities == pytest.approx({"CLICK": 0.6, "TYPE": 0.3, "DONE": 0.1})
    assert reply.answers["target_CLICK"].probabilities == pytest.approx({"4": 0.2, "9": 0.8})


def test_both_orders_are_asked_and_averaged(httpserver: HTTPServer) -> None:
    httpserver.expect_request(PATH).respond_with_handler(voter(favour_first=3.0))
    shares = ask(client(httpserver), {"t": QUESTIONS["target_CLICK"]}).answers["t"].probabilities
    assert shares["9"] == pytest.approx((4 / 7 + 12 / 13) / 2)
    first, second = (body["messages"][-1]["content"] for body in sent(httpserver))
    assert "A. 4: Cancel\nB. 9: Save" in first
    assert "A. 9: Save\nB. 4: Cancel" in second


def test_one_token_is_asked_for_and_the_state_stands_before_all_that_differs(httpserver: HTTPServer) -> None:
    httpserver.expect_request(PATH).respond_with_handler(voter())
    ask(client(httpserver, seed=7))
    bodies = sent(httpserver)
    assert len(bodies) == 4
    for body in bodies:
        assert (body["max_tokens"], body["logprobs"], body["top_logprobs"]) == (1, True, 20)
        assert (body["model"], body["temperature"], body["seed"]) == ("m-1", 0.0, 7)
        assert body["messages"][0] == bodies[0]["messages"][0]
        assert body["messages"][1]["content"].startswith("<state>\na page\n</state>\n\n")
    assert httpserver.log[0][0].headers["Authorization"] == f"Bearer {KEY}"


def test_all_requests_of_a_decision_are_one_call_with_their_sum(httpserver: HTTPServer) -> None:
    httpserver.expect_request(PATH).respond_with_handler(voter())
    prices = Prices(own={"m-1": Price(input=1.0, output=10.0)})
    model = client(httpserver, prices=prices)
    call = ask(model).call
    assert (call.kind, call.model, model.name) == ("decision", "m-1-0451", "logprobs:m-1")
    assert (call.usage.input_tokens, call.usage.cached_tokens, call.usage.output_tokens) == (360, 256, 4)
    assert call.cost_usd == pytest.approx((360 * 1.0 + 4 * 10.0) / 1e6)
    assert call.cost_source == "price file"


def test_one_request_of_unknown_price_makes_the_whole_unknown(httpserver: HTTPServer) -> None:
    sound = completion([("A", -0.1), ("B", -2.4)])
    httpserver.expect_ordered_request(PATH).respond_with_json(sound)
    httpserver.expect_ordered_request(PATH).respond_with_json(sound | {"usage": None})
    prices = Prices(own={"m-1": Price(input=1.0, output=10.0)})
    call = ask(client(httpserver, prices=prices), {"t": QUESTIONS["target_CLICK"]}).call
    assert (call.cost_usd, call.cost_source, call.usage.input_tokens) == (None, None, None)


def test_more_options_than_letters_are_a_tournament(httpserver: HTTPServer) -> None:
    weights = {str(n): 1.0 + n % 7 for n in range(50)}
    httpserver.expect_request(PATH).respond_with_handler(voter(weights=weights))
    question = ChoiceQuestion(instructions="Which?", criteria=dict.fromkeys(weights))
    answer = ask(client(httpserver), {"t": question}).answers["t"]
    total = sum(weights.values())
    assert answer.probabilities == pytest.approx({option: w / total for option, w in weights.items()})
    assert len(httpserver.log) == 2 * (3 + 1)


@pytest.mark.parametrize(("bound", "tried"), [(20, [20]), (8, [20, 8]), (5, [20, 8, 5])])
def test_as_many_tokens_as_an_endpoint_lists_are_found_once_and_remembered(
    httpserver: HTTPServer, bound: int, tried: list[int]
) -> None:
    httpserver.expect_request(PATH).respond_with_handler(voter(bound=bound))
    model = client(httpserver)
    for _ in range(2):
        assert ask(model).answers["operation"].choice == "CLICK"
    assert [body["top_logprobs"] for body in sent(httpserver)] == tried + [tried[-1]] * 7


def test_the_newer_name_of_the_limit_is_found(httpserver: HTTPServer) -> None:
    def answer(request: Request) -> Response:
        if "max_tokens" in json.loads(request.data):
            refusal = {"error": {"message": "No.", "param": "max_tokens"}}
            return Response(json.dumps(refusal), 400, content_type="application/json")
        return voter()(request)

    httpserver.expect_request(PATH).respond_with_handler(answer)
    ask(client(httpserver))
    assert [body.get("max_completion_tokens") for body in sent(httpserver)] == [None, 1, 1, 1, 1]


def test_a_local_server_is_asked_for_more_and_costs_nothing(httpserver: HTTPServer) -> None:
    httpserver.expect_request(PATH).respond_with_handler(voter(bound=1000))
    call = ask(client(httpserver, local=True)).call
    assert sent(httpserver)[0]["top_logprobs"] == LISTED_LOCALLY
    assert (call.cost_usd, call.cost_source) == (0.0, "local server")


def test_a_model_that_begins_with_no_letter_may_be_asked_again_and_is_charged(httpserver: HTTPServer) -> None:
    httpserver.expect_request(PATH).respond_with_json(completion([("The", -0.1), ("I", -3.0)]))
    with pytest.raises(InvalidAnswer, match="m-1 was about to begin with none") as caught:
        ask(client(httpserver))
    assert [call.usage.input_tokens for call in caught.value.calls] == [90]


@pytest.mark.parametrize(
    "body",
    [
        completion(None),
        completion([]),
        completion([("A", "-0.1"), (None, -0.2), ("B", True), ("C", math.nan), ("D", 5), ("A", 10**400)]),
        completion([("A", -0.1)]) | {"choices": [{"message": {"content": "A"}, "logprobs": {"content": []}}]},
        completion([("A", -0.1)]) | {"choices": [{"message": {"content": "A"}, "logprobs": "none"}]},
        completion([("A", -0.1)]) | {"choices": [{"message": {"content": "A"}, "logprobs": {"content": [[1]]}}]},
    ],
    ids=["null", "nothing listed", "nothing sound", "no token", "text", "list"],
)
def test_an_endpoint_that_tells_no_probabilities_is_named(httpserver: HTTPServer, body: dict[str, Any]) -> None:
    httpserver.expect_request(PATH).respond_with_json(body)
    with pytest.raises(NotADecision, match="without the probabilities of tokens") as caught:
        ask(client(httpserver))
    assert len(caught.value.calls) == 1
    assert len(httpserver.log) == 1


@pytest.mark.parametrize(
    ("response", "part"),
    [
        (Response("<html>", content_type="text/html"), "no chat completion"),
        (Response('{"choices": []}'), "no chat completion"),
        (Response("", 301, {"Location": "/elsewhere"}), "301"),
        (Response('{"error": {"message": "body-marker-0453"}}', 400), "refuses the request .400."),
        (Response('{"error": {"message": "body-marker-0453"}}', 401), "refuses the key in OPENAI_API_KEY"),
        (Response('{"error": {"message": "body-marker-0453"}}', 402), "no money left"),
        (Response('{"error": {"message": "body-marker-0453"}}', 404), "knows no model"),
        (Response("body-marker-0453", 429, {"Retry-After": "0"}), "asked too often"),
        (Response("body-marker-0453", 503, {"Retry-After": "0"}), "failed .503. in 2 attempts"),
        (Response('{"error": {"code": "context_length_exceeded"}}', 400), "does not fit the context"),
        (Response('{"error": {"code": "content_filter"}}', 400), "content filter"),
    ],
)
def test_a_server_that_answers_with_something_else_is_final(
    httpserver: HTTPServer, caplog: pytest.LogCaptureFixture, response: Response, part: str
) -> None:
    caplog.set_level(logging.INFO)
    httpserver.expect_request(PATH).respond_with_response(response)
    with pytest.raises(NotADecision, match=part) as caught:
        ask(client(httpserver))
    told = "".join(traceback.format_exception(caught.value)) + caplog.text
    assert KEY not in told
    assert MARKER not in told
    assert {request.path for request, _ in httpserver.log} == {PATH}


def silence(connection: socket.socket) -> None:
    while connection.recv(65536):  # until the client goes away
        pass


def test_a_server_that_is_not_reached_or_too_slow_is_no_decision_of_anyone(raw_server: RawServer) -> None:
    for model, part in (
        (client("http://127.0.0.1:1/v1"), "No connection"),
        (client(raw_server(silence), deadline_s=0.3), "within 0.3 seconds"),
    ):
        started = time.monotonic()
        with pytest.raises(DecisionError, match=part) as caught:
            ask(model)
        assert type(caught.value) is DecisionError
        assert time.monotonic() - started < 5


def test_what_was_asked_before_the_deadline_is_charged(httpserver: HTTPServer) -> None:
    def slow(request: Request) -> Response:
        time.sleep(0.0 if len(httpserver.log) < 2 else 1.0)
        return voter()(request)

    httpserver.expect_request(PATH).respond_with_handler(slow)
    with pytest.raises(DecisionError, match="within 0.6 seconds") as caught:
        ask(client(httpserver, deadline_s=0.6))
    assert [call.usage.input_tokens for call in caught.value.calls] == [180]


def test_what_cannot_work_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(ValueError, match="Responses API"):
        client("http://h/v1", api="responses")
    with pytest.raises(ValueError, match="at least 2"):
        client("http://h/v1", listed=1)
    with pytest.raises(ValueError, match="The key in OPENAI_API_KEY") as caught:
        client("http://h/v1", key=f"{KEY} x")
    assert KEY not in str(caught.value)


def test_a_real_model_answers_and_its_server_reads_the_state_once(local_llm: str, planted_key: str) -> None:
    endpoint = Endpoint(model=weights_path().stem, base_url=local_llm, local=True)
    state = "A form with a button Save and a button Cancel. " * 12
    options = {str(n): f"button {n}" for n in range(28)}
    questions = {"target_CLICK": QUESTIONS["target_CLICK"], "many": ChoiceQuestion(instructions="", criteria=options)}
    reply = LogprobsClient(endpoint, planted_key).ask(state, questions)
    assert set(reply.answers["many"].probabilities) == set(options)
    assert math.fsum(reply.answers["many"].probabilities.values()) == pytest.approx(1)
    assert reply.call.model == weights_path().stem
    usage = reply.call.usage
    assert usage.output_tokens == 2 * (1 + 2 + 1)
    # All but the first of eight find the state read; it is more than a third of each prompt.
    assert usage.cached_tokens is not None
    assert usage.input_tokens is not None
    assert usage.cached_tokens > usage.input_tokens / 3
