"""What is told of statements and models: spans by the conventions, a log by its levels, and nothing of any text."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import TestServer as ServerAddress
from endpoint import GOOD, KEY, Fail, Manner, Raw, Say, endpoint, request
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode, set_tracer_provider
from small_embedder import SmallEmbedder
from test_asynchronous import on_loop

from qcg_neo4j.core.errors import EmbeddingError, GraphError, LanguageModelError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.database.asynchronous import AsyncGraph
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.load import LoadSettings, load_documents
from qcg_neo4j.models.embedding import open_embedder
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
from qcg_neo4j.models.llm import Endpoint, LanguageModelSettings
from qcg_neo4j.retrieval import Layers
from qcg_neo4j.retrieval.layers import STATEMENT

QUESTION = "Which secret gym did Wolfgang recommend?"


@pytest.fixture(scope="session")
def provider() -> tuple[TracerProvider, InMemorySpanExporter]:
    """The process has one; it is set once."""
    made, exporter = TracerProvider(), InMemorySpanExporter()
    made.add_span_processor(SimpleSpanProcessor(exporter))
    set_tracer_provider(made)
    return made, exporter


@pytest.fixture
def exporter(provider: tuple[TracerProvider, InMemorySpanExporter]) -> Iterator[InMemorySpanExporter]:
    provider[1].clear()
    yield provider[1]
    provider[1].clear()


def model(url: str, **more: Any) -> Endpoint:
    return Endpoint(LanguageModelSettings(endpoint=url, model="small", retries=0, **more), KEY)


def only(exporter: InMemorySpanExporter) -> ReadableSpan:
    (span,) = exporter.get_finished_spans()
    return span


def test_a_question_is_one_span_for_each_statement(
    sample: Graph, exporter: InMemorySpanExporter, caplog: pytest.LogCaptureFixture
) -> None:
    vector, path = sample.embed_question(QUESTION), STATEMENT
    Layers().retrieve(sample, QUESTION, vector)  # asks the server once what it can
    exporter.clear()
    with caplog.at_level(logging.DEBUG, "qcg_neo4j"):
        evidence = Layers().retrieve(sample, QUESTION, vector)
    spans = exporter.get_finished_spans()
    (span,) = [each for each in spans if each.name == path]
    assert (span.kind, span.status.status_code) == (SpanKind.CLIENT, StatusCode.UNSET)
    assert dict(span.attributes or {}) == {
        "db.system.name": "neo4j",
        "db.query.summary": path,
        "server.address": "127.0.0.1",
        "server.port": int(sample.address.uri.rpartition(":")[2]),
        "db.response.returned_rows": len(evidence.passages),
    }
    told = [(record.levelno, record.getMessage()) for record in caplog.records]
    assert len(told) == len(spans)  # one for each statement
    assert any(text.startswith(f"{path}: {len(evidence.passages)} rows, ") for _, text in told)
    assert {level for level, _ in told} == {logging.DEBUG}
    assert "secret" not in caplog.text + "".join(each.to_json() for each in spans)


def test_a_question_on_a_loop_belongs_to_who_asks(
    sample_server: ServerAddress, sample: Graph, exporter: InMemorySpanExporter, provider: tuple[TracerProvider, Any]
) -> None:
    tracer = provider[0].get_tracer("test")

    async def one(graph: AsyncGraph, number: int) -> None:
        with tracer.start_as_current_span(f"question {number}"):
            await graph.rows("inspect/counts")

    async def ask(graph: AsyncGraph) -> None:
        exporter.clear()
        await asyncio.gather(*(one(graph, number) for number in range(8)))

    on_loop(sample_server, sample, ask)
    spans = exporter.get_finished_spans()
    asked = {span.context.span_id for span in spans if span.context and span.name.startswith("question")}
    found = [span.parent.span_id for span in spans if span.parent and span.name == "inspect/counts"]
    assert len(found) == len(asked) == 8
    assert set(found) == asked


def test_what_threads_do_belongs_to_who_asks(
    graph: Graph, exporter: InMemorySpanExporter, provider: tuple[TracerProvider, Any]
) -> None:
    documents = [SourceDocument(name, f"The gym of {name}.") for name in "abc"]
    with provider[0].get_tracer("test").start_as_current_span("load") as load:
        load_documents(graph, SmallEmbedder(), documents, LoadSettings(chunks_per_transaction=1))
    written = [span for span in exporter.get_finished_spans() if "load/chunks" in span.name]
    assert len(written) >= 3
    assert {span.parent and span.parent.span_id for span in written} == {load.get_span_context().span_id}


def test_an_error_is_told_by_its_kind_alone(
    sample: Graph, exporter: InMemorySpanExporter, caplog: pytest.LogCaptureFixture
) -> None:
    sample.has_procedures()
    exporter.clear()
    with caplog.at_level(logging.DEBUG, "qcg_neo4j"), pytest.raises(GraphError):
        sample.rows("schema/await_indexes", names=["qcg_chunk_id"], seconds="secret")
    span = only(exporter)
    told = dict(span.attributes or {})
    assert (span.status.status_code, span.status.description, span.events) == (StatusCode.ERROR, None, ())
    assert told["error.type"] == "GraphError"
    assert str(told["db.response.status_code"]).startswith("Neo.ClientError.")
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "schema/await_indexes refused after" in caplog.text
    assert "secret" not in caplog.text + span.to_json()


def test_a_call_of_a_model_is_a_span_with_its_tokens(exporter: InMemorySpanExporter) -> None:
    with endpoint(lambda _, __: Say(GOOD)) as fake:
        asked = request("A secret text.")
        model(fake.url).complete(asked.messages(), asked.task)
        told = dict(only(exporter).attributes or {})
        assert told == {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",
            "gen_ai.request.model": "small",
            "gen_ai.request.max_tokens": 4096,
            "gen_ai.request.temperature": 0.7,
            "gen_ai.request.top_p": 0.8,
            "gen_ai.response.finish_reasons": ("stop",),
            "gen_ai.usage.input_tokens": 100,
            "gen_ai.usage.output_tokens": 40,
            "server.address": "127.0.0.1",
            "server.port": fake.server.server_address[1],
            "qcg.task": "generate/pairs",
        }
        exporter.clear()
        assert "".join(model(fake.url).stream(asked.messages())) == GOOD
        span = only(exporter)
        assert (span.name, (span.attributes or {})["gen_ai.usage.output_tokens"]) == ("chat small", 40)
        assert "secret" not in span.to_json()


def test_refusals_of_a_model_are_warnings(exporter: InMemorySpanExporter, caplog: pytest.LogCaptureFixture) -> None:
    def script(number: int, _: Any) -> Manner:
        return Fail(400, "temperature: secret", param="temperature") if number == 1 else Fail(401, f"secret {KEY}")

    asked = request()
    with endpoint(script) as fake, caplog.at_level(logging.DEBUG, "qcg_neo4j"), pytest.raises(LanguageModelError):
        model(fake.url).complete(asked.messages(), asked.task)
    told = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert told[:3] == [
        "127.0.0.1 answers with status 400",
        "small does not take temperature: left out from now on",
        "127.0.0.1 answers with status 401",
    ]
    assert told[3].startswith("chat small failed after ")
    span = only(exporter)
    assert (span.attributes or {})["error.type"] == "PermanentError"
    for hidden in ("secret", KEY):
        assert hidden not in caplog.text + span.to_json()


def test_embeddings_at_an_endpoint_are_spans_too(exporter: InMemorySpanExporter) -> None:
    vectors = {"data": [{"index": 0, "embedding": [0.6, 0.8]}]}

    def script(number: int, _: Any) -> Manner:
        return Raw(json.dumps(vectors).encode()) if number == 1 else Fail(401, "secret")

    with endpoint(script) as fake:
        embedder = open_embedder(EmbeddingSettings(endpoint=fake.url, model="vectors", window_tokens=100), KEY)
        embedder.embed(["A secret text."])
        with pytest.raises(EmbeddingError):
            embedder.embed(["A secret text."])
    good, bad = exporter.get_finished_spans()
    assert (good.name, bad.status.status_code) == ("embeddings vectors", StatusCode.ERROR)
    assert "secret" not in good.to_json() + bad.to_json()


def test_without_the_package_all_is_as_ever(tmp_path: Path) -> None:
    code = """
import sys
sys.modules["opentelemetry"] = None
import logging
from qcg_neo4j.core.telemetry import observed_model, observed_statement
with observed_statement("inspect/counts", "bolt://localhost", None) as seen:
    seen.rows = 3
with observed_model("chat", "small", "http://localhost/v1", {}):
    pass
assert isinstance(logging.getLogger("qcg_neo4j").handlers[0], logging.NullHandler)
"""
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("", "")
