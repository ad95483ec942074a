"""Providers, each in its own wire format, against endpoints that speak it: errors, limits, secrets as for OpenAI's."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from qcg_neo4j.cli.models import api_key
from qcg_neo4j.core.errors import LanguageModelError
from qcg_neo4j.core.records import Usage
from qcg_neo4j.evaluation.settings import JudgeSettings
from qcg_neo4j.models.llm import BatchModel, Endpoint, LanguageModelSettings, LiveModel
from qcg_neo4j.models.llm.provider import PROVIDERS
from qcg_neo4j.models.llm.translation import PermanentError
from qcg_neo4j.models.prompts import Message, Task
from qcg_neo4j.models.replies import ReplyStore

KEY, MODEL = "secret-key-4711", "a model"
SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}}
CLOSED = {**SCHEMA, "required": ["answer"], "additionalProperties": False}
TASK = Task("test/answer", "Reply in JSON.", "Why?", SCHEMA)
MESSAGES: list[Message] = [
    {"role": "system", "content": "Reply in JSON."},
    {"role": "user", "content": "Why?"},
    {"role": "assistant", "content": "What?"},
    {"role": "user", "content": "Why, naïve 🎉?"},
]
Body = dict[str, Any]


@dataclass(frozen=True)
class Format:
    """How a provider's own interface is called and answers, as its documentation has it."""

    path: str
    stream_path: str
    key: tuple[str, str]
    reply: Callable[[str, str], Body]  # a text, and how it ended: "stop", "length" or "refusal"
    stream: Callable[[list[str]], str]
    error: Callable[[int, str], Body]
    read: Callable[[Body], dict[str, Any]]  # what of a call every provider is told


def _events(*events: Body) -> str:
    return "".join(f"event: {event.get('type', 'x')}\ndata: {json.dumps(event)}\n\n" for event in events)


def _anthropic(text: str, ended: str) -> Body:
    reason = {"stop": "end_turn", "length": "max_tokens", "refusal": "refusal"}[ended]
    content = [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": text}]
    usage = {"input_tokens": 4, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 0, "output_tokens": 5}
    return {"type": "message", "role": "assistant", "content": content, "stop_reason": reason, "usage": usage}


def _anthropic_stream(texts: list[str]) -> str:
    usage = {"input_tokens": 7, "output_tokens": 1}
    pieces = [{"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}} for text in texts]
    return _events(
        {"type": "message_start", "message": {"usage": usage}},
        {"type": "content_block_start", "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        *pieces,
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    )


def _gemini(text: str, ended: str) -> Body:
    usage = {"promptTokenCount": 7, "candidatesTokenCount": 2, "thoughtsTokenCount": 3}
    if ended == "refusal":
        return {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": usage}
    parts = [{"text": "Let me think", "thought": True}, {"text": text}]
    reason = {"stop": "STOP", "length": "MAX_TOKENS"}[ended]
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": reason}
    return {"candidates": [candidate], "usageMetadata": usage}


def _gemini_stream(texts: list[str]) -> str:
    return "".join(f"data: {json.dumps(_gemini(text, 'stop'))}\r\n\r\n" for text in texts)


def _ollama(text: str, ended: str) -> Body:
    message = {"role": "assistant", "content": text}
    return {"message": message, "done": True, "done_reason": ended, "prompt_eval_count": 7, "eval_count": 5}


def _ollama_stream(texts: list[str]) -> str:
    pieces = [{"message": {"role": "assistant", "content": text}, "done": False} for text in texts]
    return "".join(json.dumps(event) + "\n" for event in (*pieces, _ollama("", "stop")))


def _azure(text: str, ended: str) -> Body:
    message = {"role": "assistant", "content": text, "refusal": "no" if ended == "refusal" else None}
    reason = "length" if ended == "length" else "stop"
    usage = {"prompt_tokens": 7, "completion_tokens": 5}
    return {"choices": [{"index": 0, "message": message, "finish_reason": reason}], "usage": usage}


def _azure_stream(texts: list[str]) -> str:
    pieces: list[Body] = [{"choices": [{"index": 0, "delta": {"content": text}}]} for text in texts]
    usage = {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 5}}
    return "".join(f"data: {json.dumps(event)}\n\n" for event in (*pieces, usage)) + "data: [DONE]\n\n"


FORMATS = {
    "anthropic": Format(
        "/v1/messages",
        "/v1/messages",
        ("x-api-key", KEY),
        _anthropic,
        _anthropic_stream,
        lambda status, message: {"type": "error", "error": {"type": f"error {status}", "message": message}},
        lambda body: {
            "system": body["system"],
            "turns": [(turn["role"], turn["content"]) for turn in body["messages"]],
            "limit": body["max_tokens"],
            "temperature": body.get("temperature"),
            "schema": (body.get("output_config") or {}).get("format", {}).get("schema"),
        },
    ),
    "gemini": Format(
        "/v1beta/models/a model:generateContent",
        "/v1beta/models/a model:streamGenerateContent",
        ("x-goog-api-key", KEY),
        _gemini,
        _gemini_stream,
        lambda status, message: {"error": {"code": status, "message": message, "status": "X"}},
        lambda body: {
            "system": body["systemInstruction"]["parts"][0]["text"],
            "turns": [
                ("assistant" if turn["role"] == "model" else turn["role"], turn["parts"][0]["text"])
                for turn in body["contents"]
            ],
            "limit": body["generationConfig"]["maxOutputTokens"],
            "temperature": body["generationConfig"].get("temperature"),
            "schema": body["generationConfig"].get("responseJsonSchema"),
        },
    ),
    "ollama": Format(
        "/api/chat",
        "/api/chat",
        ("Authorization", f"Bearer {KEY}"),
        _ollama,
        _ollama_stream,
        lambda _, message: {"error": message},
        lambda body: {
            "system": body["messages"][0]["content"],
            "turns": [(turn["role"], turn["content"]) for turn in body["messages"][1:]],
            "limit": body["options"]["num_predict"],
            "temperature": body["options"].get("temperature"),
            "schema": body.get("format"),
        },
    ),
    "azure": Format(
        "/openai/deployments/a model/chat/completions",
        "/openai/deployments/a model/chat/completions",
        ("api-key", KEY),
        _azure,
        _azure_stream,
        lambda status, message: {"error": {"code": str(status), "message": message}},
        lambda body: {
            "system": body["messages"][0]["content"],
            "turns": [(turn["role"], turn["content"]) for turn in body["messages"][1:]],
            "limit": body["max_tokens"],
            "temperature": body.get("temperature"),
            "schema": (body.get("response_format") or {}).get("json_schema", {}).get("schema"),
        },
    ),
}
NAMES = {"anthropic": "output_config", "gemini": "response_json_schema", "ollama": "format", "azure": "response_format"}


@pytest.fixture(params=FORMATS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def served(name: str) -> Format:
    return FORMATS[name]


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


def test_a_call_and_its_reply(served: Format, name: str, endpoint: Endpoint, httpserver: HTTPServer) -> None:
    seen: list[Request] = []

    def reply(request: Request) -> Response:
        seen.append(request)
        return Response(json.dumps(served.reply('{"answer": "so"}', "stop")), mimetype="application/json")

    httpserver.expect_request(served.path, method="POST").respond_with_handler(reply)
    completion = endpoint.complete(MESSAGES, TASK)
    assert (completion.text, completion.cut_off, completion.refusal) == ('{"answer": "so"}', False, None)
    assert completion.usage == Usage(1, 7, 5)
    told = served.read(seen[0].get_json())
    assert told["system"] == "Reply in JSON."
    assert told["turns"] == [("user", "Why?"), ("assistant", "What?"), ("user", "Why, naïve 🎉?")]
    assert (told["limit"], told["temperature"], told["schema"]) == (100, 0.7, CLOSED)
    assert seen[0].headers[served.key[0]] == served.key[1]
    if name == "anthropic":
        assert seen[0].headers["anthropic-version"] == "2023-06-01"
    if name == "azure":
        assert seen[0].args["api-version"] == "2024-10-21"
    sent = {header: value for header, value in seen[0].headers.items() if KEY in value}
    assert KEY not in seen[0].url
    assert served.key[0].lower() in {header.lower() for header in sent}


def test_how_a_reply_ends(name: str, served: Format, endpoint: Endpoint, httpserver: HTTPServer) -> None:
    httpserver.expect_ordered_request(served.path).respond_with_json(served.reply('{"ans', "length"))
    cut_off = endpoint.complete(MESSAGES, TASK)
    assert (cut_off.cut_off, cut_off.refusal) == (True, None)
    if name != "ollama":  # which does not tell a refusal
        httpserver.expect_ordered_request(served.path).respond_with_json(served.reply('{"ans', "refusal"))
        refused = endpoint.complete(MESSAGES, TASK)
        assert (refused.cut_off, bool(refused.refusal)) == (False, True)


def test_pieces_of_an_answer(served: Format, endpoint: Endpoint, httpserver: HTTPServer) -> None:
    httpserver.expect_request(served.stream_path).respond_with_data(
        served.stream(["So ", "naïve", " 🎉"]), content_type="text/event-stream"
    )
    stream = endpoint.stream(MESSAGES)
    assert list(stream) == ["So ", "naïve", " 🎉"]
    assert stream.usage == Usage(1, 7, 5)


def test_an_error_in_the_middle_of_an_answer(served: Format, endpoint: Endpoint, httpserver: HTTPServer) -> None:
    broken = json.dumps({"type": "error", **served.error(529, f"overloaded, {KEY}")})
    begun = served.stream(["So"]).partition("data: [DONE]")[0]
    separator = "" if begun.startswith("{") else "data: "
    httpserver.expect_request(served.stream_path).respond_with_data(
        f"{begun}{separator}{broken}\n\n", content_type="text/event-stream"
    )
    with pytest.raises(LanguageModelError, match="overloaded") as failed:
        list(endpoint.stream(MESSAGES))
    assert KEY not in str(failed.value)


def test_a_wrong_key(name: str, served: Format, endpoint: Endpoint, httpserver: HTTPServer) -> None:
    httpserver.expect_request(served.path).respond_with_json(served.error(401, f"the key {KEY} is wrong"), 401)
    with pytest.raises(PermanentError, match=r"refuses the key \(401\): the key \*\*\* is wrong") as refused:
        endpoint.complete(MESSAGES, TASK)
    assert (PROVIDERS[name].key or "the key") in (refused.value.remedy or "")
    assert KEY not in str(refused.value)


def test_an_unknown_model(served: Format, endpoint: Endpoint, httpserver: HTTPServer) -> None:
    httpserver.expect_request(served.path).respond_with_json(served.error(404, "no such model"), 404)
    with pytest.raises(PermanentError, match=r"does not know the model 'a model'.*no such model"):
        endpoint.complete(MESSAGES, TASK)


@pytest.mark.parametrize("status", [429, 503, 529])
def test_a_busy_endpoint_is_asked_again(
    status: int, served: Format, endpoint: Endpoint, httpserver: HTTPServer
) -> None:
    error = json.dumps(served.error(status, "busy"))
    httpserver.expect_ordered_request(served.path).respond_with_data(error, status, {"Retry-After": "0.01"})
    httpserver.expect_ordered_request(served.path).respond_with_json(served.reply("{}", "stop"))
    assert endpoint.complete(MESSAGES, TASK).text == "{}"


def test_one_that_stays_broken_is_one_clear_error(served: Format, endpoint: Endpoint, httpserver: HTTPServer) -> None:
    error = json.dumps(served.error(500, "out of order"))
    httpserver.expect_request(served.path).respond_with_data(error, 500, {"Retry-After": "0.01"})
    with pytest.raises(LanguageModelError, match="failed with status 500: out of order"):
        endpoint.complete(MESSAGES, TASK)
    assert len(httpserver.log) == 2


def test_no_reply_in_time(served: Format, settings: LanguageModelSettings, httpserver: HTTPServer) -> None:
    def late(_: Request) -> Response:
        time.sleep(2)
        return Response("{}")

    httpserver.expect_request(served.path).respond_with_handler(late)
    short = replace(settings, timeout_seconds=1, retries=0)
    with closing(Endpoint(short, KEY)) as opened, pytest.raises(LanguageModelError, match="did not reply in time"):
        opened.complete(MESSAGES, TASK)


def test_a_reply_without_end(served: Format, settings: LanguageModelSettings, httpserver: HTTPServer) -> None:
    httpserver.expect_request(served.path).respond_with_json(served.reply("x" * 5000, "stop"))
    small = replace(settings, largest_reply=2000)
    with closing(Endpoint(small, KEY)) as opened, pytest.raises(LanguageModelError, match="sent more than 2,000 bytes"):
        opened.complete(MESSAGES, TASK)


@pytest.mark.parametrize("body", ["{}", "[]", "null", "hello", '{"content": 3}', '{"candidates": []}', "[" * 20_000])
def test_what_is_no_completion(body: str, served: Format, endpoint: Endpoint, httpserver: HTTPServer) -> None:
    httpserver.expect_request(served.path).respond_with_data(body, content_type="application/json")
    with pytest.raises(LanguageModelError, match=r"sent (no choices|what is no JSON|.*nested too deep)") as refused:
        endpoint.complete(MESSAGES, TASK)
    assert len(str(refused.value)) < 300


def test_a_parameter_that_a_model_refuses_is_left_out(
    name: str, served: Format, endpoint: Endpoint, httpserver: HTTPServer
) -> None:
    asked: list[Body] = []

    def reply(request: Request) -> Response:
        asked.append(served.read(request.get_json()))
        if asked[-1]["schema"]:
            return Response(json.dumps(served.error(400, f"{NAMES[name]}: not supported")), 400)
        if asked[-1]["temperature"] is not None:
            return Response(json.dumps(served.error(400, "temperature is deprecated for this model")), 400)
        return Response(json.dumps(served.reply("{}", "stop")), mimetype="application/json")

    httpserver.expect_request(served.path).respond_with_handler(reply)
    endpoint.complete(MESSAGES, TASK)
    endpoint.complete(MESSAGES, TASK)
    assert [(bool(one["schema"]), one["temperature"] is not None) for one in asked] == [
        (True, True),
        (False, True),
        (False, False),
        (False, False),
    ]


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
        ("anthropic", "https://api.anthropic.com"),
        ("gemini", "https://generativelanguage.googleapis.com"),
        ("ollama", "http://localhost:11434"),
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
