"""Tokens of an endpoint's model: counted as OpenAI's models do, else estimated; and what a graph remembers of it."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tiktoken
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from qcg_neo4j.core.errors import EmbeddingError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.database.embedder import open_embedder_of, open_question_embedder
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.load import LoadSettings, load_documents
from qcg_neo4j.indexing.load.chunks import Chunker
from qcg_neo4j.models.embedding import open_embedder, windows
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings

SAMPLE = (Path(__file__).parents[2] / "qcg_neo4j/samples/lihuaworld/passages.jsonl").read_text(encoding="utf-8")
TEXTS = [
    SAMPLE[:20_000],
    "naïve \r\n\r\n  x\t\u00a0 'LL don't 1234567 12:30\u2028 İstanbul 👨\u200d👩\u200d👧 李华昨天在健身房遇到了亚当。",
    "Die Donaudampfschifffahrtsgesellschaft stellte viele Kapitäne ein. Вчера я встретил друга.",
]


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of tokenizers that another package carries, so that nothing is fetched."""
    folder = files("llama_index.core") / "_static" / "tiktoken_cache"
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
    windows._known.cache_clear()


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> object:
        raise OSError("no network")

    monkeypatch.setattr(tiktoken, "get_encoding", refuse)
    windows._known.cache_clear()


@pytest.mark.rest
@pytest.mark.usefixtures("tables")
def test_models_of_openai_are_counted_as_they_count() -> None:
    found = windows.counting_of("text-embedding-3-small", None)
    assert found.name == "cl100k_base"
    theirs = tiktoken.get_encoding("cl100k_base")
    for text in TEXTS:
        assert found.tokenizer.encode(text).ids == theirs.encode(text)


@pytest.mark.usefixtures("offline")
def test_without_its_table_and_for_other_models_there_is_an_estimate_that_is_named() -> None:
    for model in ("text-embedding-3-small", "nomic-embed-text"):
        assert windows.counting_of(model, None).name == "estimated"
    estimate = windows.estimating()
    pieces = ["Retri", "eval", ",", "202", "6", ":", "Gr", "öß", "e", "李", "华", "!"]
    text = "Retrieval, 2026: Größe 李华!"
    assert [text[start:end] for start, end in estimate.encode(text).offsets] == pieces


def test_documents_are_cut_by_the_estimate() -> None:
    text = SAMPLE[:20_000]
    chunks = Chunker(windows.estimating(), 200, 20).chunks(SourceDocument("d", text))
    assert len(chunks) > 10
    assert all(0 < chunk.token_count <= 200 and chunk.text in text for chunk in chunks)


def test_what_models_read() -> None:
    def reads(model: str) -> int:
        return open_embedder(EmbeddingSettings(model=model, endpoint="http://localhost:9/v1")).window_tokens

    assert [reads(model) for model in ("text-embedding-3-large", "other")] == [8191, 512]


def test_asking_needs_no_options_but_the_key(graph: Graph, httpserver: HTTPServer) -> None:
    keys: list[str | None] = []

    def reply(request: Request) -> Response:
        keys.append(request.headers["Authorization"])
        data = [
            {"index": index, "embedding": [float(len(text)), 4.0]}
            for index, text in enumerate(request.get_json()["input"])
        ]
        return Response(json.dumps({"data": data}), mimetype="application/json")

    httpserver.expect_request("/v1/embeddings").respond_with_handler(reply)
    address = httpserver.url_for("/v1").replace("http://", "http://me:hidden@")
    settings = EmbeddingSettings(model="remote", endpoint=address, window_tokens=40)
    load_documents(
        graph, open_embedder(settings, "sk-first"), [SourceDocument("d", "Li met Adam. " * 50)], LoadSettings()
    )
    recorded = graph.rows("schema/model")[0]
    assert (recorded["model"], recorded["endpoint"]) == ("remote", httpserver.url_for("/v1"))
    assert "hidden" not in str(recorded)
    assert "sk-first" not in str(recorded)
    for opened in (open_question_embedder, open_embedder_of):
        embedder = opened(graph, EmbeddingSettings(), "sk-second")
        assert (embedder.name, embedder.window_tokens) == ("remote", 40)
        np.testing.assert_allclose(embedder.embed(["abc"]), [[0.6, 0.8]], atol=1e-6)
        assert keys[-1] == "Bearer sk-second"


RECORDED = {"model": "remote", "question_prefix": "", "passage_prefix": "", "tokenizer": None, "window_tokens": 40}


@pytest.mark.parametrize("address", ["https://there/v1", "http://localhost@there/v1", "http://[::1/v1"])
def test_no_key_goes_to_an_address_that_the_graph_alone_names(address: str) -> None:
    graph: Any = SimpleNamespace(recorded={**RECORDED, "endpoint": address})
    for settings in (EmbeddingSettings(), EmbeddingSettings(model="remote")):
        with pytest.raises(EmbeddingError, match=r"Name it to send your key there: --embedding remote@"):
            open_question_embedder(graph, settings, "sk-mine")
        assert open_question_embedder(graph, settings).name == "remote"  # keyless servers need no name


@pytest.mark.parametrize(
    ("address", "settings"),
    [
        ("https://api.openai.com/v1/", EmbeddingSettings()),
        ("http://localhost:11434/v1", EmbeddingSettings()),
        ("http://[::1]:1/v1", EmbeddingSettings()),
        ("https://there/v1", EmbeddingSettings(model="remote", endpoint="https://me:hidden@there/v1")),
    ],
)
def test_a_key_goes_to_openai_to_this_machine_and_to_what_is_named(address: str, settings: EmbeddingSettings) -> None:
    graph: Any = SimpleNamespace(recorded={**RECORDED, "endpoint": address})
    assert open_embedder_of(graph, settings, "sk-mine").window_tokens == 40
