"""The decision wire over HTTP: what is sent, what is read, and which key goes where; test_systemone_faults.py has what
goes wrong."""

import asyncio
import json
from typing import Any

import pytest
from jevcompat.mock import MockConfig, Running
from pytest_httpserver import HTTPServer

from llm.decision import ChoiceQuestion, NotADecision, Usage
from llm.pricing import Price, Prices
from llm.systemone import (
    OPENROUTER_MODEL,
    OPENROUTER_URL,
    TYPESAFE_MODEL,
    TYPESAFE_URL,
    ServiceName,
    SystemOneClient,
    openrouter,
    typesafe,
)

QUESTIONS = {
    "operation": ChoiceQuestion(instructions="What next?", criteria={"CLICK": "press", "DONE": None}),
    "target_CLICK": ChoiceQuestion(instructions="Which?", criteria={"4": "Cancel", "9": "Save"}),
}
ANSWERS = {
    "operation": {"type": "choice", "choice": "CLICK", "confidence": 0.5,
                  "probabilities": {"CLICK": 0.75, "DONE": 0.25}},
    "target_CLICK": {"type": "choice", "choice": "9", "confidence": 0.6, "probabilities": {"4": 0.2, "9": 0.8}},
}  # fmt: skip
PATHS: dict[ServiceName, str] = {"typesafe": "/v1/systemone", "openrouter": "/api/alpha/decisions"}
SERVICES: tuple[ServiceName, ...] = ("typesafe", "openrouter")


def client(service: ServiceName, server: HTTPServer, key: str | None = "ts-1", prices: Prices | None = None) -> Any:
    root = server.url_for("").rstrip("/")
    address = typesafe(root) if service == "typesafe" else openrouter(base_url=f"{root}/api/alpha")
    return SystemOneClient(service, address, key, prices)


def body(**fields: Any) -> dict[str, Any]:
    return {"model": "jev-1.13.0-b", "answers": ANSWERS, "usage": {"input_tokens": 120, "output_tokens": 12}} | fields


@pytest.mark.parametrize("service", SERVICES)
def test_all_questions_are_one_request(httpserver: HTTPServer, service: ServiceName) -> None:
    httpserver.expect_request(PATHS[service], method="POST").respond_with_json(body())
    reply = client(service, httpserver).ask("a page", QUESTIONS)
    assert reply.answers["operation"].probabilities == {"CLICK": 0.75, "DONE": 0.25}
    assert reply.answers["target_CLICK"].choice == "9"
    assert (reply.call.kind, reply.call.model) == ("decision", "jev-1.13.0-b")
    assert reply.call.usage == Usage(input_tokens=120, output_tokens=12)
    ((request, _),) = httpserver.log
    asked = json.loads(request.data)
    nothing = "DONE" if service == "openrouter" else None
    assert asked == {
        "model": TYPESAFE_MODEL if service == "typesafe" else OPENROUTER_MODEL,
        "state": "a page",
        "questions": {
            "operation": {
                "type": "choice", "instructions": "What next?", "criteria": {"CLICK": "press", "DONE": nothing},
            },
            "target_CLICK": {"type": "choice", "instructions": "Which?", "criteria": {"4": "Cancel", "9": "Save"}},
        },
    }  # fmt: skip
    assert request.headers["Authorization"] == "Bearer ts-1"


@pytest.mark.parametrize("service", SERVICES)
def test_without_a_key_none_is_sent_though_the_environment_has_one(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, service: ServiceName
) -> None:
    for name in ("TYPESAFE_API_KEY", "OPENROUTER_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "of-the-environment")
    for name, value in (("TYPESAFE_BASE_URL", "http://127.0.0.1:1"), ("TYPESAFE_DEFAULT_MODEL", "jev-latest")):
        monkeypatch.setenv(name, value)
    httpserver.expect_request(PATHS[service]).respond_with_json(body())
    client(service, httpserver, key=None).ask("a page", QUESTIONS)
    request = httpserver.log[0][0]
    assert "Authorization" not in request.headers
    assert "of-the-environment" not in str(request.headers)
    assert json.loads(request.data)["model"] in (TYPESAFE_MODEL, OPENROUTER_MODEL)


@pytest.mark.parametrize("service", SERVICES)
def test_it_works_where_an_event_loop_runs(httpserver: HTTPServer, service: ServiceName) -> None:
    async def inside() -> str:
        return str(client(service, httpserver).ask("a page", QUESTIONS).answers["operation"].choice)

    httpserver.expect_request(PATHS[service]).respond_with_json(body())
    assert asyncio.run(inside()) == "CLICK"


@pytest.mark.parametrize("service", SERVICES)
def test_half_a_surrogate_pair_of_a_page_is_sent_as_a_replacement(httpserver: HTTPServer, service: ServiceName) -> None:
    httpserver.expect_request(PATHS[service]).respond_with_json(body(answers={"q": ANSWERS["operation"]}))
    question = ChoiceQuestion(instructions="a\ud83d?", criteria={"CLICK": "b\ud83d", "DONE": None})
    client(service, httpserver).ask("c\ud83d", {"q": question})
    asked = json.loads(httpserver.log[0][0].data)
    assert asked["state"] == "c\ufffd"
    assert asked["questions"]["q"]["instructions"] == "a\ufffd?"
    assert asked["questions"]["q"]["criteria"]["CLICK"] == "b\ufffd"


def test_what_openrouter_says_it_cost_is_believed(httpserver: HTTPServer) -> None:
    usage = {"input_tokens": 120, "output_tokens": 12, "cost": 0.0003}
    httpserver.expect_request(PATHS["openrouter"]).respond_with_json(body(usage=usage))
    call = client("openrouter", httpserver).ask("a page", QUESTIONS).call
    assert (call.cost_usd, call.cost_source) == (0.0003, "provider")


def test_a_server_of_ones_own_has_no_price_but_that_of_the_users_file(httpserver: HTTPServer) -> None:
    httpserver.expect_request(PATHS["typesafe"]).respond_with_json(body())
    call = client("typesafe", httpserver).ask("a page", QUESTIONS).call
    assert (call.cost_usd, call.cost_source) == (None, None)
    prices = Prices(own={TYPESAFE_MODEL: Price(input=1.0, output=2.0)})
    call = client("typesafe", httpserver, prices=prices).ask("a page", QUESTIONS).call
    assert (call.cost_usd, call.cost_source) == (pytest.approx(144e-6), "price file")


def test_typesafes_own_price_is_configuration_and_unknown_tokens_cost_an_unknown_sum() -> None:
    price = SystemOneClient("typesafe", typesafe(), "ts-1")._price
    assert price is not None
    known = Usage(input_tokens=1_000_000, output_tokens=5_000)
    assert Prices().cost((TYPESAFE_MODEL,), known, TYPESAFE_URL, price) == (0.042, "configuration")
    assert Prices().cost((TYPESAFE_MODEL,), Usage(), TYPESAFE_URL, price) == (None, None)
    own = Prices(own={TYPESAFE_MODEL: Price(input=1.0, output=0.0)})
    assert own.cost((TYPESAFE_MODEL,), known, TYPESAFE_URL, price) == (1.0, "price file")
    assert SystemOneClient("openrouter", openrouter(), "or-1")._price is None


@pytest.mark.parametrize(
    ("service", "base_url", "key", "part"),
    [
        ("typesafe", OPENROUTER_URL, "ts-1", "a key of its own"),
        ("typesafe", "https://eu.openrouter.ai", "ts-1", "a key of its own"),
        ("typesafe", TYPESAFE_URL, "sk-or-v1-planted", "one of OpenRouter's"),
        ("openrouter", TYPESAFE_URL, "planted", "on openrouter.ai alone"),
        ("openrouter", "https://openrouter.ai.example.com/api", "planted", "on openrouter.ai alone"),
        ("typesafe", TYPESAFE_URL, "planted key", "The key in TYPESAFE_API_KEY"),
        ("openrouter", OPENROUTER_URL, "planted\n", "The key in OPENROUTER_API_KEY"),
        ("typesafe", "https://user:planted@api.typesafe.ai", "k", "holds a user"),
        ("typesafe", "ftp://planted", "k", "no http|not an http"),
    ],
)
def test_a_key_never_goes_to_the_other_service(service: ServiceName, base_url: str, key: str, part: str) -> None:
    """Q7"""
    address = typesafe(base_url) if service == "typesafe" else openrouter(base_url=base_url)
    with pytest.raises(ValueError, match=part) as caught:
        SystemOneClient(service, address, key)
    assert "planted" not in str(caught.value)


def test_its_name_and_identity_say_which_model_of_which_service() -> None:
    model = SystemOneClient("typesafe", typesafe(), "ts-1")
    assert model.name == f"typesafe:{TYPESAFE_MODEL}"
    assert model.identity == {"endpoint": "api.typesafe.ai", "model": TYPESAFE_MODEL, "api": "typesafe"}
    other = SystemOneClient("openrouter", openrouter(), "or-1")
    assert other.name == f"openrouter:{OPENROUTER_MODEL}"
    assert other.identity["api"] == "openrouter"


def test_a_model_that_the_server_does_not_serve_is_named() -> None:
    with Running(MockConfig()) as server, pytest.raises(NotADecision, match="400"):
        SystemOneClient("typesafe", typesafe(server.url, "jev-0"), "ts-1").ask("a page", QUESTIONS)
