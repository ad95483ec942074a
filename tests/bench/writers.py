"""The writers that are compared: the product's, and that of `neo4j_graphrag`; each is given the same content."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from bench.synthetic import Topic, Vectors, chunk_rows, document_row
from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.core.records import SourceDocument, content_id
from qcg_neo4j.database.corpora import mark
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.load import Chunk, LoadSettings, load_documents
from qcg_neo4j.indexing.load.chunks import EmbeddedChunk
from qcg_neo4j.indexing.load.transactions import Part, SideBySide, successor_rows
from qcg_neo4j.models.embedding.embedder import Embedder

PRODUCT, LIBRARY = "qcg load", "neo4j_graphrag Neo4jWriter"
EMBEDDED_AS = "whole"


class Writer(Protocol):
    """Writes its content once into an empty graph."""

    @property
    def name(self) -> str:
        """What the table calls it."""

    def write(self) -> None:
        """Write everything; only this is timed."""


class ProductWriter:
    """The transactions of the stage `load`, vectors at hand."""

    name = PRODUCT

    def __init__(self, graph: Graph, topics: Sequence[Topic]) -> None:
        at_once = max(1, LoadSettings().chunks_per_transaction // len(topics[0].chunk_ids))
        self._graph = graph
        self._parts = [part_of(topics[start : start + at_once]) for start in range(0, len(topics), at_once)]

    def write(self) -> None:
        """Write everything; only this is timed."""
        with SideBySide(self._graph) as writing:
            for part in self._parts:
                writing.write(part)


class LibraryWriter:
    """`Neo4jWriter` with its own defaults; without APOC it can write no relationships and is given none."""

    name = LIBRARY

    def __init__(self, graph: Graph, topics: Sequence[Topic], *, relationships: bool) -> None:
        from neo4j_graphrag.components.kg_writer import Neo4jWriter

        self._writer = Neo4jWriter(graph.driver, graph.address.database)
        self._content = library_graph(topics, relationships=relationships)

    def write(self) -> None:
        """Write everything; only this is timed."""
        outcome = asyncio.run(self._writer.run(self._content))
        if outcome.status != "SUCCESS":
            reason = (outcome.metadata or {}).get("error")
            raise GraphError(f"{self.name} has failed: {reason}")


@dataclass(frozen=True)
class ProductStage:
    """The whole stage `load`: cutting, comparing, embedding, writing."""

    graph: Graph
    embedder: Embedder
    topics: Sequence[Topic]
    name: str = f"{PRODUCT}, with embedding"

    def write(self) -> None:
        """Write everything; only this is timed."""
        documents = [SourceDocument(topic.id, passages=topic.chunk_texts) for topic in self.topics]
        report = load_documents(self.graph, self.embedder, documents)
        if report.windows:
            raise GraphError("The synthetic chunks are longer than the model reads; the writers would do unlike work.")


@dataclass(frozen=True)
class LibraryWithEmbedding:
    """The same texts through the same model in one go, then `Neo4jWriter`."""

    graph: Graph
    embedder: Embedder
    topics: Sequence[Topic]
    relationships: bool
    name: str = f"{LIBRARY}, with embedding"

    def write(self) -> None:
        """Write everything; only this is timed."""
        vectors = self.embedder.embed([text for topic in self.topics for text in topic.chunk_texts])
        LibraryWriter(self.graph, _with_vectors(self.topics, vectors), relationships=self.relationships).write()


def _with_vectors(topics: Sequence[Topic], vectors: Vectors) -> list[Topic]:
    each = np.split(vectors, len(topics))
    return [replace(topic, chunk_vectors=own) for topic, own in zip(topics, each, strict=True)]


def part_of(topics: Sequence[Topic]) -> Part:
    """What `qcg load` writes of topics in one transaction."""
    chunks = [(topic.id, chunk) for topic in topics for chunk in _embedded(topic)]
    by_document = [[chunk.chunk.id for chunk in _embedded(topic)] for topic in topics]
    return Part(
        documents=[document_row(topic) for topic in topics],
        chunks=[(document, EMBEDDED_AS, chunk) for document, chunk in chunks],
        successors=[row for ids in by_document for row in successor_rows(ids)],
    )


def _embedded(topic: Topic) -> list[EmbeddedChunk]:
    return [
        EmbeddedChunk(Chunk(row["id"], row["index"], row["text"], row["token_count"]), row["embedding"])
        for row in chunk_rows(topic)
    ]


def library_graph(topics: Sequence[Topic], *, relationships: bool) -> Any:
    """The same documents, chunks and relationships in the library's own classes."""
    from neo4j_graphrag.components.types import Neo4jGraph

    return Neo4jGraph(
        nodes=[node for topic in topics for node in _nodes(topic)],
        relationships=[edge for topic in topics for edge in _relationships(topic)] if relationships else [],
    )


def _nodes(topic: Topic) -> list[Any]:
    from neo4j_graphrag.components.types import Neo4jNode

    document = {"id": topic.id, "title": document_row(topic)["title"], "contentHash": topic.id}
    chunks = [
        Neo4jNode(
            id=row["id"],
            label=mark("Chunk"),
            properties={
                "id": row["id"],
                "index": row["index"],
                "text": row["text"],
                "tokenCount": row["token_count"],
                "embeddedAs": EMBEDDED_AS,
                "textHash": content_id(row["text"]),
                "words": row["text"],  # synthetic words have no sign to part at
            },
            embedding_properties={"embedding": row["embedding"].tolist()},
        )
        for row in chunk_rows(topic)
    ]
    return [Neo4jNode(id=topic.id, label=mark("Document"), properties=document), *chunks]


def _relationships(topic: Topic) -> list[Any]:
    from neo4j_graphrag.components.types import Neo4jRelationship

    names = topic.chunk_ids
    up = [Neo4jRelationship(start_node_id=name, end_node_id=topic.id, type="FROM_DOCUMENT") for name in names]
    along = [
        Neo4jRelationship(start_node_id=name, end_node_id=after, type="NEXT_CHUNK") for name, after in pairwise(names)
    ]
    return up + along
