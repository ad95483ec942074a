"""Graphs as others make them: what `qcg adopt` is for. Those of packages that are here are in `graphs_by_packages`."""

from __future__ import annotations

import json
from collections.abc import Sequence

import neo4j
from graph_dump import query
from small_embedder import SmallEmbedder

from qcg_neo4j.database.graph import Graph

SMALL = SmallEmbedder()
TALKS = {
    "gym.txt": "Ann says that the gym closes at ten. Bob has the key of the gym and locks its door every evening.",
    "kitchen.txt": "Carl cleans the kitchen on Mondays. Dora brings the soup at noon, and Emil brings the bread.",
}


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
