"""Providers by name: the address, the key and the parameters of a call; all speak OpenAI's format."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from endpoint import USAGE
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from qcg_neo4j.cli.models import api_key
from qcg_neo4j.core.errors import LanguageModelError
from qcg_neo4j.core.records import Usage
from qcg_neo4j.evaluation.settings import JudgeSettings
from qcg_neo4j.models.llm import BatchModel, Endpoint, LanguageModelSettings, LiveModel
from qcg_neo4j.models.llm.settings import PROVIDERS
from qcg_neo4j.models.prompts import Message, Task
from qcg_neo4j.models.refusals import PermanentError
from qcg_neo4j.models.replies import ReplyStore

KEY, MODEL = "secret-key-4711", "a model"
SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}}
TASK = Task("test/answer", "Reply in JSON.", "Why?", SCHEMA)
MESSAGES: list[Message] = [
    {"role": "system", "content": "Reply in JSON."},
    {"role": "user", "content": "Why, naïve 🎉?"},
]
EVERYTHING = {"model", "messages", "max_tokens", "temperature", "top_p", "response_format"}
PLAIN = ("/chat/completions", "Authorization", f"Bearer {KEY}")
CALLS = {
    "openai": (*PLAIN, EVERYTHING),
    "anthropic": (*PLAIN, EVERYTHING - {"top_p", "response_format"}),
    "gemini": (*PLAIN, EVERYTHING),
    "ollama": (*PLAIN, EVERYTHING),
    "azure": ("/openai/deployments/a model/chat/completions", "api-key", KEY, EVERYTHING),
}


@pytest.fixture(params=CALLS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def settings(name: str, httpserver: HTTPServer) -> LanguageModelSettings:
    address = httpserver.url_for("").rstrip("/")
    return LanguageModelSettings(
        provider=name, endpoint=address, model=MODEL, retries=1, timeout_seconds=5, max_output_tokens=100
    )


@pytest.fixture
def endpoint(settings: LanguageModelSettings) -> Iterator[Endpoint]:
    with closing(Endpoint(settings, KEY)) as opened:
        yield opened


def test_every_provider_has_a_call_here() -> None:
    assert PROVIDERS.keys() == CALLS.keys()


def test_a_call_and_its_reply(name: str, endpoint: Endpoint, httpserver: HTTPServer) -> None:
    path, header, key, parameters = CALLS[name]
    seen: list[Request] = []

    def reply(request: Request) -> Response:
        seen.append(request)
        body = {"choices": [{"message": {"content": '{"answer": "so"}'}, "finish_reason": "stop"}], "usage": USAGE}
        return Response(json.dumps(body), mimetype="application/json")

    httpserver.expect_request(path, method="POST").respond_with_handler(reply)
    completion = endpoint.complete(MESSAGES, TASK)
    assert (completion.text, completion.usage) == ('{"answer": "so"}', Usage(1, 100, 40))
    sent = seen[0].get_json()
    assert (sent.keys(), sent["messages"], sent["max_tokens"]) == (parameters, MESSAGES, 100)
    assert seen[0].headers[header] == key
    assert KEY not in seen[0].url
    assert seen[0].args.get("api-version") == ("2024-10-21" if name == "azure" else None)


def test_a_wrong_key(name: str, endpoint: Endpoint, httpserver: HTTPServer) -> None:
    error = {"error": {"message": f"the key {KEY} is wrong"}}
    httpserver.expect_request(CALLS[name][0]).respond_with_json(error, 401)
    with pytest.raises(PermanentError, match=r"refuses the key \(401\): the key \*\*\* is wrong") as refused:
        endpoint.complete(MESSAGES, TASK)
    assert (PROVIDERS[name].key or "the key") in (refused.value.remedy or "")
    assert KEY not in str(refused.value)


@pytest.mark.parametrize("name", sorted(PROVIDERS.keys() - {"openai"}))
def test_batches_are_openais_alone(settings: LanguageModelSettings, tmp_path: Any) -> None:
    with (
        ReplyStore(tmp_path / "store") as store,
        closing(LiveModel(settings, store, KEY)) as live,
        pytest.raises(LanguageModelError, match=r"takes no batches here\.\nThey need an OpenAI-compatible"),
    ):
        BatchModel(live, store)


# Settings


@pytest.mark.parametrize(
    ("provider", "address"),
    [
        ("openai", "https://api.openai.com/v1"),
        ("anthropic", "https://api.anthropic.com/v1"),
        ("gemini", "https://generativelanguage.googleapis.com/v1beta/openai"),
        ("ollama", "http://localhost:11434/v1"),
    ],
)
def test_a_provider_has_an_address(provider: str, address: str) -> None:
    with closing(Endpoint(LanguageModelSettings(provider=provider, model="m"))) as opened:
        assert opened.address == address


def test_what_is_missing_is_named() -> None:
    with pytest.raises(LanguageModelError, match=r"such as https://NAME\.openai\.azure\.com"):
        Endpoint(LanguageModelSettings(provider="azure", model="m"))
    with pytest.raises(LanguageModelError, match="The provider gemini is given, but not which of its models"):
        Endpoint(LanguageModelSettings(provider="gemini"))


def test_each_provider_has_its_own_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in PROVIDERS.values():
        if provider.key:
            monkeypatch.setenv(provider.key, f"key of {provider.name}")
    assert api_key() == api_key(LanguageModelSettings()) == "key of openai"
    assert api_key(JudgeSettings(provider="anthropic")) == "key of anthropic"
    assert api_key(LanguageModelSettings(provider="azure")) == "key of azure"
    assert api_key(LanguageModelSettings(provider="ollama")) is None
