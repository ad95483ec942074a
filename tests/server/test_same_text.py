"""A text that two documents hold is one passage with both of them, by every method and through every stage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest
from conftest import SAMPLE, TestServer, emptied
from graph_dump import dump, query
from small_embedder import SmallEmbedder

from qcg_neo4j.core.records import NamedDocument, SourceDocument
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.status import status
from qcg_neo4j.indexing.build import BuildSettings, build_atoms, build_communities, build_queries
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.generate import GenerateSettings, generate_queries
from qcg_neo4j.indexing.load import LoadSettings, delete_documents, load_documents, read_documents
from qcg_neo4j.indexing.report import ReportSettings, write_reports
from qcg_neo4j.models.replies import Recording
from qcg_neo4j.retrieval import METHODS, method

EMBEDDER = SmallEmbedder()
READ = islice(read_documents((str(SAMPLE / "passages.jsonl"),)), 4)
DOCUMENTS = [document for document in READ if isinstance(document, SourceDocument)]
FIRST = DOCUMENTS[0]
COPY = replace(FIRST, id="copy", title="The copy")
QUESTION = FIRST.passages[0].splitlines()[-1]
COUNTS = "MATCH (n) WHERE NOT n:Stage AND NOT n:Corpus RETURN head(labels(n)) AS kind, count(*) AS number ORDER BY kind"


def filled(graph: Graph, documents: list[SourceDocument]) -> Graph:
    load_documents(graph, EMBEDDER, documents, LoadSettings())
    recording = Recording([SAMPLE / "pairs.jsonl"], "generate/pairs")
    generate_queries(graph, EMBEDDER, GenerateSettings(source="replies"), recording, with_baselines=True)
    extract_graph(graph, EMBEDDER, ExtractSettings(source="replies"), Recording([SAMPLE / "graph.jsonl"]))
    build_queries(graph, BuildSettings())
    build_atoms(graph)
    build_communities(graph)
    write_reports(graph, EMBEDDER, ReportSettings(source="extractive"))
    graph.embedder = EMBEDDER
    return graph


@pytest.fixture(scope="module")
def doubled(server_2026: TestServer) -> Iterator[Graph]:
    """Four documents of the sample, and a copy of the first in the same run."""
    with Graph.connect(server_2026.uri, server_2026.user, server_2026.password) as graph:
        yield filled(emptied(graph), [*DOCUMENTS, COPY])


def found(graph: Graph, name: str) -> dict[str, tuple[NamedDocument, ...]]:
    """The documents of each passage, by its text."""
    passages = method(name, {"passages": 20, "context_tokens": 1_000_000}).retrieve(graph, QUESTION).passages
    assert len({item.text for item in passages}) == len(passages)
    return {item.text: item.documents for item in passages}


@pytest.mark.rest
@pytest.mark.parametrize("name", [name for name in METHODS if name != "lp"])
def test_every_method_finds_the_text_once_with_both_documents(name: str, doubled: Graph) -> None:
    both = {NamedDocument(FIRST.id, FIRST.title), NamedDocument(COPY.id, COPY.title)}
    documents = found(doubled, name)
    assert {text for text, held in documents.items() if set(held) == both} == set(documents) & set(FIRST.passages)
    assert set(documents) & set(FIRST.passages)


def test_nothing_is_made_twice_of_it_and_nothing_is_missing(doubled: Graph) -> None:
    texts = {text for document in DOCUMENTS for text in document.passages}
    (row,) = query(doubled, "MATCH (c:Chunk) RETURN count(c) AS chunks, count(c.embedding) AS vectors")
    assert row == {"chunks": len(texts) + len(FIRST.passages), "vectors": len(texts)}
    assert not any(status(doubled).missing.values())
    before = dump(doubled)
    filled(doubled, [*DOCUMENTS, COPY])
    assert dump(doubled) == before


@pytest.mark.rest
def test_the_copy_takes_the_place_of_what_is_deleted(graph: Graph) -> None:
    filled(graph, DOCUMENTS)
    before = query(graph, COUNTS)
    load_documents(graph, EMBEDDER, [COPY], LoadSettings())
    stages = ("Query", "Entity", "Atom")
    delete_documents(graph, [FIRST.id])
    assert query(graph, COUNTS) == before
    for kind in stages:
        lost = query(graph, f"MATCH (n:{kind}) WHERE NOT (n)-[:FROM_CHUNK]->(:Chunk) RETURN n.id AS id")
        assert lost == []
    stated = "MATCH ()-[r:RELATED_TO]->() WHERE NOT EXISTS { (:Chunk {id: r.chunkId}) } RETURN r.id AS id"
    assert query(graph, stated) == []
    for name in ("vector", "qcg", "fulltext", "layers"):
        documents = found(graph, name)
        assert {held for text in FIRST.passages for held in documents[text]} == {NamedDocument(COPY.id, COPY.title)}
    assert load_documents(graph, EMBEDDER, [COPY], LoadSettings()).unchanged == 1


def test_the_copy_is_found_by_its_own_headings(graph: Graph) -> None:
    long = "".join(f"Sentence number {number} of the section is here.\n\n" for number in range(30))
    both = [SourceDocument(name, f"# {name}\n\n{long}", markdown=True) for name in ("Cats", "Dogs")]
    load_documents(graph, EMBEDDER, both, LoadSettings(chunk_tokens=60, overlap_tokens=5))
    held = "MATCH (c:Chunk) WHERE c.text CONTAINS 'number 29' RETURN c.headings AS h, left(c.words, 4) AS w ORDER BY h"
    assert query(graph, held) == [{"h": ["Cats"], "w": "cats"}, {"h": ["Dogs"], "w": None}]
    delete_documents(graph, ["Cats"])
    assert query(graph, held) == [{"h": ["Dogs"], "w": "dogs"}]


def test_a_copy_that_goes_leaves_the_rest(graph: Graph) -> None:
    graph.embedder = EMBEDDER
    load_documents(graph, EMBEDDER, DOCUMENTS, LoadSettings())
    before = dump(graph)
    load_documents(graph, EMBEDDER, [COPY], LoadSettings())
    changed = replace(COPY, passages=("Something else.", *COPY.passages[1:]))
    load_documents(graph, EMBEDDER, [changed], LoadSettings())
    assert NamedDocument(COPY.id, COPY.title) not in found(graph, "vector")[FIRST.passages[0]]
    delete_documents(graph, [COPY.id])
    assert dump(graph) == before


def test_a_text_twice_in_one_document_is_one_passage(graph: Graph) -> None:
    document = SourceDocument("d", passages=("Li Hua met Wolfgang.", "They had lunch.", "Li Hua met Wolfgang."))
    load_documents(graph, EMBEDDER, [document], LoadSettings())
    graph.embedder = EMBEDDER
    passages = method("vector").retrieve(graph, "Whom did Li Hua meet?").passages
    assert sorted(item.text for item in passages) == ["Li Hua met Wolfgang.", "They had lunch."]
    assert {item.also for item in passages} == {()}


def test_a_copy_stays_one_when_its_document_changes(graph: Graph) -> None:
    graph.embedder = EMBEDDER
    first = SourceDocument("first", passages=("Li Hua met Wolfgang.", "They had lunch."))
    load_documents(graph, EMBEDDER, [first, replace(first, id="copy")], LoadSettings())
    longer = replace(first, id="copy", passages=(*first.passages, "It rained."))
    assert load_documents(graph, EMBEDDER, [longer], LoadSettings()).chunks == 1
    kept = "MATCH (c:Chunk)-[:SAME_TEXT_AS]->() RETURN count(c) AS n, count(c.words) AS words, count(c.embedding) AS v"
    assert query(graph, kept) == [{"n": 2, "words": 0, "v": 0}]
    assert set(found(graph, "vector")["Li Hua met Wolfgang."]) == {NamedDocument("first"), NamedDocument("copy")}
