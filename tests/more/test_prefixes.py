"""Prefixes: which there are, that questions and passages get theirs everywhere, that a graph keeps its own."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SAMPLE, TestServer, emptied
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from qcg_neo4j.core.errors import ModelMismatchError
from qcg_neo4j.database.embedder import DatabaseEmbedder, open_embedder_of, open_question_embedder
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import check_model, use_model
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.load import LoadSettings, load_documents, read_documents
from qcg_neo4j.models.embedding import model_files, open_embedder
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
from qcg_neo4j.models.embedding.known_models import Prefixes, prefixes_by_name
from qcg_neo4j.models.embedding.local import LocalEmbedder
from qcg_neo4j.models.embedding.windows import embed_whole
from qcg_neo4j.models.replies import Recording
from qcg_neo4j.retrieval import Hybrid

MODEL = "all-MiniLM-L6-v2"
E5 = Prefixes("query: ", "passage: ")
SETTINGS = EmbeddingSettings(question_prefix=E5.question, passage_prefix=E5.passage)
QUESTION = "Which gym did Wolfgang recommend?"
LONG = " ".join(f"Which of the {number} gyms, № {number * 7}, did he naïvely recommend?" for number in range(60))


@pytest.mark.parametrize(
    ("model", "question", "passage"),
    [
        ("intfloat/e5-small-v2", "query: ", "passage: "),
        ("multilingual-e5-large", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large-instruct", "Instruct: Given a web search query, ", ""),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("bge-small-zh-v1.5", "为这个句子生成表示", ""),
        ("BAAI/bge-m3", "", ""),
        ("snowflake-arctic-embed2", "query: ", ""),
        ("Snowflake/snowflake-arctic-embed-m-v2.0", "query: ", ""),
        ("snowflake-arctic-embed:110m", "Represent this sentence", ""),
        ("nomic-embed-text", "search_query: ", "search_document: "),
        ("text-embedding-3-small", "", ""),
        (MODEL, "", ""),
    ],
)
def test_prefixes_by_name(model: str, question: str, passage: str) -> None:
    found = prefixes_by_name(model)
    assert found.question.startswith(question) if question else not found.question
    assert found.passage == passage


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real model, in a folder whose files name prompts as sentence-transformers has them."""
    folder, own = tmp_path_factory.mktemp("models") / "told", Path(model_files.location(MODEL))
    folder.mkdir()
    for file in own.iterdir():
        (folder / file.name).symlink_to(file)
    name = "config_sentence_transformers.json"
    (folder / name).unlink()
    prompts = {"query": "Ask: ", "document": "Text: ", "classification": "Kind: "}
    given = {**json.loads((own / name).read_text("utf-8")), "prompts": prompts, "default_prompt_name": "classification"}
    (folder / name).write_text(json.dumps(given))
    return folder


def test_a_models_own_prompts_are_those_of_sentence_transformers(told: Path) -> None:
    embedder = open_embedder(EmbeddingSettings(model=str(told)))
    assert embedder.prefixes == Prefixes("Ask: ", "Text: ")
    assert (embedder.window_tokens, embedder.question_tokens) == (252, 252)
    assert isinstance(embedder, LocalEmbedder)
    theirs = embedder._model
    texts = [QUESTION, "a cat", "x " * 300]
    np.testing.assert_allclose(embedder.embed(texts), theirs.encode_document(texts), atol=1e-6)
    np.testing.assert_allclose(embedder.embed_questions(texts), theirs.encode_query(texts), atol=1e-6)
    plain = open_embedder(EmbeddingSettings(model=str(told), question_prefix="", passage_prefix=""))
    np.testing.assert_allclose(plain.embed_questions(["a cat"]), theirs.encode(["a cat"], prompt=""), atol=1e-6)
    assert np.abs(plain.embed(["a cat"]) - embedder.embed(["a cat"])).max() > 1e-3


def test_a_long_question_has_its_prefix_before_each_part(told: Path) -> None:
    embedder = open_embedder(EmbeddingSettings(model=str(told)))
    assert isinstance(embedder, LocalEmbedder)
    parts = [part for part in LONG.split("?") if part]
    assert len(embedder.tokenizer.encode(LONG).ids) > 2 * embedder.question_tokens
    whole = embed_whole(LONG, embedder)
    unmarked = open_embedder(EmbeddingSettings(model=str(told), question_prefix=""))
    assert whole @ embed_whole(LONG, unmarked) < 0.9999
    assert whole @ embed_whole(LONG, embedder, as_passage=True) < 0.9999
    assert embed_whole(parts[0], embedder) == pytest.approx(embedder.embed_questions([parts[0]])[0], abs=1e-6)


def test_an_endpoint_is_sent_the_prefixes(httpserver: HTTPServer) -> None:
    sent: list[str] = []

    def reply(request: Request) -> Response:
        sent.extend(request.get_json()["input"])
        data: list[Any] = [{"index": place, "embedding": [1.0]} for place, _ in enumerate(request.get_json()["input"])]
        return Response(json.dumps({"data": data}), mimetype="application/json")

    httpserver.expect_request("/v1/embeddings").respond_with_handler(reply)
    settings = EmbeddingSettings(
        model="multilingual-e5-small", endpoint=httpserver.url_for("/v1"), tokenizer=MODEL, window_tokens=12
    )
    embedder = open_embedder(settings)
    embedder.embed(["x " * 20])
    embedder.embed_questions(["who?"])
    assert sent == ["passage: " + ("x " * 10).rstrip(), "query: who?"]


# In a graph


@pytest.fixture
def prefixed(graph: Graph) -> Graph:
    """A part of the sample by the database's own model, with the prefixes of e5."""
    emptied(graph)
    embedder = open_embedder_of(graph, SETTINGS)
    assert isinstance(embedder, DatabaseEmbedder)
    documents = read_documents((str(SAMPLE / "passages.jsonl"),), LoadSettings().largest_document)
    load_documents(graph, embedder, islice(documents, 4))
    extract_graph(graph, embedder, ExtractSettings(source="replies"), Recording([SAMPLE / "graph.jsonl"]))
    graph.embedder = None
    return graph


def test_passages_names_and_questions_have_theirs(prefixed: Graph) -> None:
    def kept(label: str, text: str) -> tuple[str, np.ndarray[Any, Any]]:
        cypher = f"MATCH (node:{label}) RETURN node ORDER BY size(node.{text}) LIMIT 1"
        node = prefixed.driver.execute_query(cypher).records[0]["node"]
        return node[text], np.asarray(node["embedding"], np.float32)

    plain = open_embedder(EmbeddingSettings())
    for label, text in (("QcgChunk", "text"), ("QcgEntity", "name"), ("QcgAtom", "text")):
        words, vector = kept(label, text)
        assert vector @ plain.embed([f"passage: {words}"])[0] > 0.9999, label
        assert vector @ plain.embed([words])[0] < 0.9999
    name, vector = kept("QcgEntity", "name")
    assert prefixed.question_embedder().embed([name])[0] @ vector > 0.9999
    assert prefixed.embed_question(QUESTION) @ plain.embed([f"query: {QUESTION}"])[0] > 0.9999
    assert prefixed.question_embedder().embed_questions([QUESTION])[0] @ prefixed.embed_question(QUESTION) > 0.9999
    assert prefixed.embed_passage(QUESTION) @ plain.embed([f"passage: {QUESTION}"])[0] > 0.9999


def test_a_long_question_is_embedded_as_on_this_machine(prefixed: Graph) -> None:
    local = open_embedder(SETTINGS)
    assert prefixed.embed_question(LONG) @ embed_whole(LONG, local) > 0.9999
    assert prefixed.embed_passage(LONG) @ embed_whole(LONG, local, as_passage=True) > 0.9999


def test_a_procedure_takes_the_prefix_of_the_graph(prefixed: Graph) -> None:
    cypher = "CALL qcg.retrieve.hybrid($question) YIELD chunk, score RETURN chunk.id AS id, score"
    rows = prefixed.driver.execute_query(cypher, question=QUESTION).records
    found = Hybrid().retrieve(prefixed, QUESTION)
    assert [row["id"] for row in rows] == [passage.id for passage in found.passages]
    assert [row["score"] for row in rows] == pytest.approx([passage.score for passage in found.passages], abs=1e-4)
    unmarked = Hybrid().retrieve(prefixed, QUESTION, open_embedder(EmbeddingSettings()).embed([QUESTION])[0])
    assert abs(unmarked.passages[0].score - found.passages[0].score) > 1e-4


def test_a_graph_keeps_its_prefixes(prefixed: Graph, server: TestServer) -> None:
    for opened in (open_embedder_of(prefixed, EmbeddingSettings()), open_question_embedder(prefixed)):
        assert opened.prefixes == E5
    check_model(prefixed, MODEL, 384, E5)
    with pytest.raises(ModelMismatchError) as refused:
        use_model(prefixed, MODEL, 384, Prefixes(question="query: "))
    assert refused.value.problem == (
        f"The graph was made by {MODEL!r} with prefixes: question 'query: ', passage 'passage: '; "
        "in use are prefixes: question 'query: ', passage ''."
    )
    assert "--set embedding.passage_prefix" in (refused.value.remedy or "")
    embedder = open_embedder_of(prefixed, EmbeddingSettings(passage_prefix=""))
    with pytest.raises(ModelMismatchError):
        load_documents(prefixed, embedder, [])


def test_a_graph_without_a_model_takes_the_prefixes_of_the_model_that_is_named(graph: Graph) -> None:
    settings = EmbeddingSettings(model="bge-small-en-v1.5", endpoint="http://127.0.0.1:9/v1")
    emptied(graph)
    assert open_embedder_of(graph, settings).prefixes.question.startswith("Represent")
