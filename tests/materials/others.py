"""What other applications keep in the same database: nodes under labels that ours have, with indexes of their own."""

from __future__ import annotations

from graph_dump import query

from qcg_neo4j.database.graph import Graph

WORD = "outlandish"  # in each of their texts
# As LangChain's Neo4jVector (a constraint and a vector index), neo4j-graphrag and llm-graph-builder make them.
_SCHEMA = {
    "others_id": "CREATE CONSTRAINT others_id IF NOT EXISTS FOR (n:Chunk) REQUIRE n.id IS UNIQUE",
    "others_file": "CREATE CONSTRAINT others_file IF NOT EXISTS FOR (n:Document) REQUIRE n.fileName IS UNIQUE",
    "vector": "CREATE VECTOR INDEX vector IF NOT EXISTS FOR (n:Chunk) ON (n.embedding) OPTIONS {indexConfig: "
    "{`vector.dimensions`: 384, `vector.similarity_function`: 'cosine'}}",
    "entity_vector": "CREATE VECTOR INDEX entity_vector IF NOT EXISTS FOR (n:Entity) ON (n.embedding) OPTIONS "
    "{indexConfig: {`vector.dimensions`: 384, `vector.similarity_function`: 'cosine'}}",
    "keyword": "CREATE FULLTEXT INDEX keyword IF NOT EXISTS FOR (n:Chunk) ON EACH [n.text]",
}
_NODES = """
CREATE (document:Document:ForOthers {fileName: 'a.pdf', id: 'd', title: 'outlandish title', status: 'Completed'})
CREATE (nameless:Document:ForOthers {text: 'outlandish text without id'})
CREATE (report:Community:ForOthers {id: '0-1', title: 'outlandish', summary: 'outlandish report', level: 0})
WITH document, report
UNWIND range(0, 9) AS n
CREATE (chunk:Chunk:ForOthers {id: 'f' + n, text: 'An outlandish gym, Wolfgang says ' + n, index: n, position: n})
  -[:FROM_DOCUMENT]->(document)
CREATE (entity:Entity:ForOthers {id: 'e' + n, name: 'Outlandish Wolfgang ' + n, description: 'outlandish'})
  -[:FROM_CHUNK]->(chunk)
CREATE (other:Entity:ForOthers {name: 'Outlandish gym ' + n})-[:FROM_CHUNK]->(chunk)
CREATE (entity)-[triple:RELATED_TO {id: 'r', chunkId: 'f' + n, ttr: 'outlandish triple', strength: 5.0}]->(other)
CREATE (entity)-[:IN_COMMUNITY]->(report)
CREATE (atom:Atom:ForOthers {id: 'a' + n, text: 'outlandish atom'})-[:FROM_CHUNK]->(chunk)
CREATE (atom)-[:MENTIONS]->(entity)
CREATE (question:Query:ForOthers {id: 'q' + n, question: 'outlandish?', text: 'outlandish?'})-[:FROM_CHUNK]->(chunk)
CREATE (question)-[:SIMILAR_TO {score: 0.9, rank: 1}]->(question)
WITH chunk, entity, triple, atom, question
UNWIND [chunk, entity, atom, question] AS node
CALL db.create.setNodeVectorProperty(node, 'embedding', $vector)
CALL db.create.setRelationshipVectorProperty(triple, 'embedding', $vector)
"""
_HELD = """
MATCH (node:ForOthers)
RETURN elementId(node) AS id, labels(node) AS labels, properties(node) AS properties,
       COLLECT { MATCH (node)-[joined]->(other)
                 RETURN type(joined) + elementId(other) + toString(joined.strength) AS one ORDER BY one } AS joined
ORDER BY id
"""


def settle(graph: Graph, vector: list[float]) -> None:
    """Let others in; their vectors are near to whatever is asked."""
    for statement in _SCHEMA.values():
        query(graph, statement)
    query(graph, _NODES, vector=vector)


def held(graph: Graph) -> list[str]:
    """All that others have, as plain values, with their constraints and indexes."""
    schema = query(graph, "SHOW INDEXES YIELD name, labelsOrTypes, properties, state WHERE name IN $names RETURN *",
                   names=list(_SCHEMA))  # fmt: skip
    return [repr(row) for row in query(graph, _HELD)] + sorted(map(repr, schema))


def evict(graph: Graph) -> None:
    """Take others away again, with their constraints and indexes."""
    query(graph, "MATCH (node:ForOthers) DETACH DELETE node")
    for name, statement in _SCHEMA.items():
        query(graph, f"DROP {'CONSTRAINT' if 'CONSTRAINT' in statement else 'INDEX'} {name} IF EXISTS")
