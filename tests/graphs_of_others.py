"""Graphs as other packages make them, by these packages where that can be: what `qcg adopt` is for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import neo4j
from graph_dump import query
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_neo4j import Neo4jVector
from neo4j_graphrag.components.kg_writer import Neo4jWriter
from neo4j_graphrag.components.text_splitters.fixed_size_splitter import FixedSizeSplitter
from neo4j_graphrag.components.types import Neo4jRelationship
from neo4j_graphrag.embeddings import Embedder as GraphRagEmbedder
from neo4j_graphrag.experimental.pipeline.kg_builder import SimpleKGPipeline
from neo4j_graphrag.llm import LLMInterface, LLMResponse
from small_embedder import SmallEmbedder

from qcg_neo4j.graph import Graph

SMALL = SmallEmbedder()
TALKS = {
    "gym.txt": "Ann says that the gym closes at ten. Bob has the key of the gym and locks its door every evening.",
    "kitchen.txt": "Carl cleans the kitchen on Mondays. Dora brings the soup at noon, and Emil brings the bread.",
}


class TheirEmbedder(GraphRagEmbedder, Embeddings):  # type: ignore[misc] # one for both packages
    """The small embedder, as neo4j-graphrag and LangChain want it."""

    def embed_query(self, text: str) -> list[float]:
        return SMALL.embed([text])[0].tolist()  # type: ignore[no-any-return]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return SMALL.embed(texts).tolist()  # type: ignore[no-any-return]


class TheirModel(LLMInterface):
    """A model that finds the same two entities in every chunk."""

    def invoke(self, *args: Any, **options: Any) -> LLMResponse:
        nodes = [
            {"id": str(n), "label": "Person", "properties": {"name": name}} for n, name in enumerate(("Ann", "Bob"))
        ]
        knows = {"type": "KNOWS", "start_node_id": "0", "end_node_id": "1", "properties": {}}
        return LLMResponse(content=json.dumps({"nodes": nodes, "relationships": [knows]}))

    async def ainvoke(self, *args: Any, **options: Any) -> LLMResponse:
        return self.invoke(*args, **options)


class TheirWriter(Neo4jWriter):
    """Their writer; its one call of APOC, which the servers of the tests lack, is said in Cypher."""

    def _upsert_relationships(self, rels: list[Neo4jRelationship]) -> None:
        self.driver.execute_query(
            "UNWIND $rows AS row MATCH (start:__KGBuilder__ {__tmp_internal_id: row.start_node_id}), "
            "(end:__KGBuilder__ {__tmp_internal_id: row.end_node_id}) "
            "MERGE (start)-[rel:$(row.type)]->(end) SET rel += row.properties",
            rows=self._relationships_to_rows(rels),
        )


def by_graphrag(graph: Graph, talks: dict[str, str] = TALKS) -> None:
    """neo4j-graphrag's SimpleKGPipeline: chunks without id, documents by path, entities that lead FROM_CHUNK."""
    pipeline = SimpleKGPipeline(
        llm=TheirModel("scripted"),
        driver=graph.driver,
        embedder=TheirEmbedder(),
        from_file=False,
        text_splitter=FixedSizeSplitter(chunk_size=50, chunk_overlap=5),
        kg_writer=TheirWriter(graph.driver),
        perform_entity_resolution=False,
        schema="FREE",
    )
    for path, text in talks.items():
        asyncio.run(pipeline.run_async(file_path=path, text=text))


def by_langchain(graph: Graph, password: str, talks: dict[str, str] = TALKS) -> None:
    """LangChain's Neo4jVector: chunks with ids and a source, a constraint, a vector index, no documents."""
    documents = [
        Document(sentence, metadata={"source": path, "page": number})
        for path, text in talks.items()
        for number, sentence in enumerate(text.split(". "))
    ]
    address = graph.address
    store = Neo4jVector.from_documents(
        documents, TheirEmbedder(), url=address.uri, username=address.user, password=password
    )
    store._driver.close()  # which it leaves to the end of the process


# What llm-graph-builder's backend writes: graphDB_dataAccess.py, make_relationships.py, create_chunks.py.
_BUILDER = """
MERGE (d:Document {fileName: $file}) SET d.status = 'Completed', d.fileType = 'text', d.nodeCount = 2
WITH d UNWIND range(0, size($texts) - 1) AS n
MERGE (c:Chunk {id: $ids[n]})
SET c.text = $texts[n], c.position = n + 1, c.length = size($texts[n]), c.fileName = $file, c.content_offset = 0
MERGE (c)-[:PART_OF]->(d)
FOREACH (_ IN CASE WHEN n = 0 THEN [1] ELSE [] END | MERGE (d)-[:FIRST_CHUNK]->(c))
MERGE (e:__Entity__:Person {id: 'Ann'}) MERGE (c)-[:HAS_ENTITY]->(e)
WITH c, $vectors[n] AS vector CALL db.create.setNodeVectorProperty(c, 'embedding', vector)
WITH collect(c) AS chunks UNWIND range(0, size(chunks) - 2) AS n
WITH chunks[n] AS one, chunks[n + 1] AS next MERGE (one)-[:NEXT_CHUNK]->(next)
"""


def by_builder(graph: Graph, talks: dict[str, str] = TALKS) -> None:
    """llm-graph-builder's statements: the id is a hash of the text, so that files share chunks."""
    for path, text in talks.items():
        texts = text.split(". ")
        query(graph, _BUILDER, file=path, texts=texts, ids=[f"sha-{one}" for one in texts],
              vectors=SMALL.embed(texts).tolist())  # fmt: skip


def by_hand(graph: Graph, texts: Sequence[str]) -> None:
    """Passages of a book: no id, another name for the text, vectors of another model."""
    text = """
    CREATE (book:Book {name: 'Talks', id: 7})
    WITH book UNWIND $texts AS text
    CREATE (book)-[:HAS_PASSAGE]->(:Passage {content: text, embedding: [0.1, 0.2, 0.3]})
    """
    query(graph, text, texts=texts)


# Everything that a database holds, ids of the store included.
_NODES = "MATCH (n) RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties"
_JOINED = (
    "MATCH (a)-[r]->(b) RETURN elementId(r) AS id, type(r) AS type, elementId(a) AS start, elementId(b) AS end, "
    "properties(r) AS properties"
)
_SCHEMA = (
    "SHOW INDEXES YIELD name, type, labelsOrTypes, properties, options, owningConstraint RETURN *",
    "SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties RETURN *",
)


def whole(driver: neo4j.Driver) -> list[str]:
    """A dump of the whole database: nodes, relationships, indexes, constraints."""
    rows = [record.data() for text in (_NODES, _JOINED, *_SCHEMA) for record in driver.execute_query(text).records]
    return sorted(json.dumps(row, sort_keys=True, default=str) for row in rows)
