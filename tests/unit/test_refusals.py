"""What endpoints refuse, in the forms in which they say it, and what follows from it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from endpoint import Body, Fail, Manner, Say, Script, endpoint, pairs, request
from pytest_httpserver import HTTPServer
from werkzeug import Request as Call
from werkzeug import Response

from qcg_neo4j.core.addresses import is_address
from qcg_neo4j.core.errors import EmbeddingError, LanguageModelError, MissingPackageError, RerankError, SettingsError
from qcg_neo4j.models.bounded_client import Pace
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings, UnembeddableError
from qcg_neo4j.models.embedding.endpoint import EndpointEmbedder
from qcg_neo4j.models.llm import Endpoint, LanguageModelSettings, LiveModel
from qcg_neo4j.models.refusals import names_text
from qcg_neo4j.models.replies import Failure, Reply, ReplyStore, Result
from qcg_neo4j.retrieval import EndpointScorer
from qcg_neo4j.retrieval.catalogue import AroundSettings, compose

REASON = "top_p is not supported"
FORMS: dict[str, Any] = {
    "OpenAI": {"error": {"message": REASON}},
    "vLLM": {"object": "error", "message": REASON, "code": 400},
    "FastAPI": {"detail": [{"loc": ["body", "top_p"], "msg": "extra fields not permitted"}]},
    "FastAPI, a sentence": {"detail": REASON},
    "TEI, TGI, LM Studio": {"error": REASON, "error_type": "validation"},
    "Mistral": {"object": "error", "message": {"detail": [{"loc": ["body", "top_p"], "msg": "Extra inputs"}]}},
    "several": {"errors": [{"message": REASON}, {"message": "and more"}]},
    "Gemini": [{"error": {"code": 400, "message": REASON, "status": "INVALID_ARGUMENT"}}],
    "problem details": {"type": "about:blank", "title": "Bad Request", "detail": REASON},
    "plain": REASON,
    "a page": f"<html><head><title>422</title></head><body><p>{REASON}</p></body></html>",
}
FILTERED = Fail(400, "The response was filtered due to the content management policy.", code="content_filter")
TOO_LONG = Fail(400, "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens.")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReplyStore]:
    with ReplyStore(tmp_path / "replies.sqlite") as opened:
        yield opened


def refusing(form: Any, status: int = 422) -> Callable[[Call], Response]:
    """Refuses top_p in this form."""
    told = form if isinstance(form, str) else json.dumps(form)

    def reply(call: Call) -> Response:
        body: Body = call.get_json()
        if "top_p" in body or "input" in body:
            return Response(told, status, mimetype="text/html" if isinstance(form, str) else "application/json")
        message = {"role": "assistant", "content": pairs(body)}
        return Response(json.dumps({"choices": [{"message": message}]}), mimetype="application/json")

    return reply


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_a_refused_parameter_is_left_out_whatever_the_form(
    form: Any, httpserver: HTTPServer, store: ReplyStore
) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(refusing(form))
    settings = LanguageModelSettings(endpoint=httpserver.url_for("/v1"), model="small", retries=0)
    with closing(LiveModel(settings, store)) as model:
        results = list(model.replies([request("Text 1."), request("Text 2.")]))
    assert all(isinstance(result, Reply) for result in results), results


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_the_reason_is_shown_for_embeddings_too(form: Any, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/v1/embeddings").respond_with_handler(refusing(form, 401))
    settings = EmbeddingSettings(endpoint=httpserver.url_for("/v1"), model="small")
    with pytest.raises(EmbeddingError, match=r"answered 401: .*(top_p is not supported|top_p: [Ee]xtra)"):
        EndpointEmbedder(settings).embed(["Text."])


@pytest.mark.parametrize(
    "status_and_reason",
    [(400, "System role not supported"), (500, "Only user, assistant: roles must alternate user/assistant")],
)
def test_a_template_without_system_messages(store: ReplyStore, status_and_reason: tuple[int, str]) -> None:
    def script(_: int, body: Body) -> Manner:
        if body["messages"][0]["role"] == "system":
            return Fail(*status_and_reason)
        return Say(pairs(body))

    with endpoint(script) as fake, closing(live(fake.url, store)) as model:
        results = list(model.replies([request("Text 1."), request("Text 2.")]))
    assert all(isinstance(result, Reply) for result in results), results
    assert "You write study questions" in fake.calls[-1]["messages"][0]["content"]
    assert len(fake.calls) == 3


def live(url: str, store: ReplyStore, model: str = "small", **more: Any) -> LiveModel:
    values = {"retries": 0, "concurrency": 1, **more}
    return LiveModel(LanguageModelSettings(endpoint=url, model=model, **values), store)


def poisoned(refusal: Fail) -> Script:
    return lambda _, body: refusal if "poison" in str(body["messages"]) else Say(pairs(body))


@pytest.mark.parametrize("refusal", [FILTERED, TOO_LONG, Fail(413, "payload")])
def test_texts_that_a_model_refuses_block_nothing_and_are_asked_once(store: ReplyStore, refusal: Fail) -> None:
    bad = [request(f"The poison of chapter {number}.") for number in range(20)]
    good = [request(f"Text {number}.") for number in range(3)]

    def run(url: str, name: str, *more: str) -> list[Result]:
        with closing(live(url, store, name)) as model:
            return list(model.replies([*bad, *good, *map(request, more)]))

    with endpoint(poisoned(refusal)) as fake:
        for number, more in enumerate([(), ("Text new.",)]):
            results = run(fake.url, "small", *more)
            assert sum(isinstance(result, Reply) for result in results) == 3 + number
            reasons = [result.reason for result in results if isinstance(result, Failure)]
            assert len(reasons) == 20
            assert all(refusal.message in reason for reason in reasons)
        assert len(fake.calls) == 20 + 3 + 1
        run(fake.url, "large")
        assert len(fake.calls) == 24 + 23


def test_refusals_of_another_kind_stop_a_run_that_has_no_reply_yet(store: ReplyStore) -> None:
    many = [request(f"Text {number}.") for number in range(30)]
    with endpoint(lambda *_: Fail(400, "no such tone")) as fake, closing(live(fake.url, store)) as model:
        with pytest.raises(LanguageModelError, match="5 calls in a row failed"):
            list(model.replies(many))
        assert len(fake.calls) < 10

    def later(number: int, body: Body) -> Manner:
        return Say(pairs(body)) if number in (1, 30) else Fail(400, "no such tone")

    with endpoint(later) as fake, closing(live(fake.url, store)) as model:
        assert sum(isinstance(result, Reply) for result in model.replies(many)) == 2


@pytest.mark.parametrize(
    "reason",
    [
        "the request exceeds the available context size",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
        "`inputs` tokens + `max_new_tokens` must be <= 4096",
        "Input blocked by the safety settings",
    ],
)
def test_reasons_about_a_text(reason: str) -> None:
    assert names_text(reason)


@pytest.mark.parametrize("reason", ["max_tokens is too large: 8192", "temperature must be 1", "no such model", "busy"])
def test_reasons_about_something_else(reason: str) -> None:
    assert not names_text(reason)


# Embedding


def embedding(httpserver: HTTPServer, refuse: Callable[[list[str]], Response | None]) -> list[int]:
    """An endpoint that embeds; gives the sizes of its batches."""
    sizes: list[int] = []

    def reply(call: Call) -> Response:
        texts = call.get_json()["input"]
        sizes.append(len(texts))
        vectors = [{"index": place, "embedding": [1.0, len(text)]} for place, text in enumerate(texts)]
        return refuse(texts) or Response(json.dumps({"data": vectors}), mimetype="application/json")

    httpserver.expect_request("/v1/embeddings").respond_with_handler(reply)
    return sizes


def embedder(httpserver: HTTPServer) -> EndpointEmbedder:
    return EndpointEmbedder(EmbeddingSettings(endpoint=httpserver.url_for("/v1"), model="small"))


def test_the_text_that_cannot_be_embedded_is_found(httpserver: HTTPServer) -> None:
    def refuse(texts: list[str]) -> Response | None:
        told = {"error": {"message": "unsupported value: NaN"}}
        return Response(json.dumps(told), 400) if any("mill" in text for text in texts) else None

    embedding(httpserver, refuse)
    texts = [f"The {'mill' if number == 17 else 'bakery'} of house {number}." for number in range(40)]
    with pytest.raises(
        UnembeddableError,
        match=r"cannot embed 1 of 40 texts, the first 'The mill of house 17.': unsupported value: NaN",
    ) as found:
        embedder(httpserver).embed(texts)
    assert found.value.reasons == {17: "unsupported value: NaN"}
    lengths = np.linalg.norm(found.value.vectors, axis=1)
    assert [place for place, length in enumerate(lengths) if length < 0.5] == [17]
    assert np.allclose(np.delete(lengths, 17), 1)


def test_a_batch_that_is_too_large_is_halved_and_that_is_remembered(httpserver: HTTPServer) -> None:
    def refuse(texts: list[str]) -> Response | None:
        told = {"error": {"message": "batch size is invalid, it should not be larger than 10."}}
        return Response(json.dumps(told), 400) if len(texts) > 10 else None

    sizes = embedding(httpserver, refuse)
    assert embedder(httpserver).embed([f"Text {number}." for number in range(96)]).shape == (96, 2)
    assert max(sizes[-8:]) == 8


def test_an_endpoint_that_embeds_nothing_is_one_error(httpserver: HTTPServer) -> None:
    sizes = embedding(httpserver, lambda _: Response('{"error": "no such model"}', 400))
    with pytest.raises(EmbeddingError, match="answered 400: no such model"):
        embedder(httpserver).embed([f"Text {number}." for number in range(96)])
    assert len(sizes) == 2


def test_the_password_of_the_address_is_not_repeated(httpserver: HTTPServer) -> None:
    embedding(httpserver, lambda _: Response('{"error": "s3cret is wrong"}', 401))
    address = httpserver.url_for("/v1").replace("://", "://ann:s3cret@")
    with pytest.raises(EmbeddingError, match=r"answered 401: \*\*\* is wrong"):
        EndpointEmbedder(EmbeddingSettings(endpoint=address, model="small")).embed(["Text."])
    with pytest.raises(SettingsError) as found:
        EmbeddingSettings(endpoint=address, model="small", embedder="database")
    assert "s3cret" not in found.value.problem


@pytest.mark.parametrize("place", ["database", "local"])
def test_an_endpoint_and_another_place_do_not_go_together(place: str) -> None:
    with pytest.raises(SettingsError, match=f"'{place}' and the endpoint http://localhost/v1 cannot be combined"):
        EmbeddingSettings(endpoint="http://localhost/v1", embedder=place)


def test_a_reranker_does_not_repeat_it_either(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/v1/rerank").respond_with_json({"error": "a/b and a%2Fb are wrong"}, 401)
    address = httpserver.url_for("/v1").replace("://", "://ann:a%2Fb@")
    with pytest.raises(RerankError, match=r"answered 401: \*\*\* and \*\*\* are wrong"):
        EndpointScorer(address, "small").scores("Who?", ["Text."])
    with pytest.raises(SettingsError, match="no model is named") as found:
        compose("vector", {}, AroundSettings(rerank_endpoint=address), None)
    assert "a%2Fb" not in found.value.problem


# Addresses and proxies


@pytest.mark.parametrize("address", ["http://localhost:abc/v1", "http://localhost:99999/v1", "http://:80", "file:///x"])
def test_what_is_no_address(address: str) -> None:
    assert not is_address(address)
    with pytest.raises(LanguageModelError, match="is not the address of an endpoint"):
        Endpoint(LanguageModelSettings(endpoint=address, model="small"))
    with pytest.raises(EmbeddingError, match="is not the address of an endpoint"):
        EndpointEmbedder(EmbeddingSettings(endpoint=address, model="small")).embed(["Text."])
    with pytest.raises(RerankError, match="is not the address of an endpoint"):
        EndpointScorer(address, "small")


def test_a_wrong_address_of_a_reranker_is_told_without_its_password() -> None:
    with pytest.raises(RerankError, match="'ftp://host/v1' is not the address of an endpoint"):
        EndpointScorer("ftp://user:password@host/v1", "small")


@pytest.mark.parametrize(
    ("proxy", "error"),
    [
        ("http://me:hidden@localhost:abc", SettingsError),
        ("ftp://me:hidden@localhost:21", SettingsError),
        ("socks5://me:hidden@localhost:1080", MissingPackageError),
    ],
)
def test_a_proxy_that_cannot_be_used_is_named(
    proxy: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(error, match="The proxy of HTTPS_PROXY") as found:
        Endpoint(LanguageModelSettings(endpoint="http://localhost:1/v1", model="small"))
    assert "hidden" not in str(found.value)
    assert "NO_PROXY" in str(found.value)
    monkeypatch.setenv("NO_PROXY", "*")
    Endpoint(LanguageModelSettings(endpoint="http://localhost:1/v1", model="small")).close()


# Time-outs


def test_time_outs_are_said_and_halve_the_calls_at_once(store: ReplyStore) -> None:
    heard: list[str] = []

    def script(number: int, body: Body) -> Manner:
        return Say(pairs(body), seconds=3.0 if number <= 4 else 0.0)

    with endpoint(script) as fake:
        settings = LanguageModelSettings(
            endpoint=fake.url, model="small", concurrency=4, timeout_seconds=1.0, retries=3
        )
        with closing(LiveModel(settings, store, notice=heard.append)) as model:
            results = list(model.replies([request(f"Text {number}.") for number in range(4)]))
    assert all(isinstance(result, Reply) for result in results), results
    assert "Now 2 instead of 4 at once." in heard[0]
    assert "llm.timeout_seconds" in heard[0]


def test_the_calls_at_once_grow_again() -> None:
    import httpx2

    pace = Pace(8, lambda _: None)
    for _ in range(2):
        with pytest.raises(httpx2.ReadTimeout), pace.call():
            raise httpx2.ReadTimeout("late")
    assert pace.allowed == 2
    for _ in range(2 + 3 + 4):
        with pace.call():
            pass
    assert pace.allowed == 5
