"""The graph's schema, as far as people look at it: properties of labels, ends of relationships, indexes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from qcg_neo4j.database.statements import paths, statement

# Label -> the properties that are for people, with their types as Bloom names them. Vectors are for programs.
PROPERTIES: dict[str, dict[str, str]] = {
    "Document": {"title": "string", "id": "string", "source": "string", "publishedAt": "string"},
    "Chunk": {"text": "string", "id": "string", "index": "bigint", "tokenCount": "bigint"},
    "Window": {"index": "bigint", "start": "bigint", "end": "bigint", "id": "string"},
    "Query": {
        "question": "string",
        "answer": "string",
        "similarity": "number",
        "source": "string",
        "text": "string",
        "id": "string",
    },
    "SyntheticQuery": {"text": "string", "source": "string", "id": "string"},
    "Entity": {"name": "string", "type": "string", "description": "string", "id": "string"},
    "Atom": {"text": "string", "source": "string", "id": "string"},
    "Claim": {
        "description": "string",
        "type": "string",
        "status": "string",
        "startDate": "string",
        "endDate": "string",
        "id": "string",
    },
    "Community": {
        "title": "string",
        "summary": "string",
        "level": "bigint",
        "size": "bigint",
        "rating": "number",
        "report": "string",
        "reportSource": "string",
        "id": "string",
    },
}
# Type of relationship -> the labels that it joins, and its properties for people.
SEGMENTS: dict[str, tuple[tuple[str, str], ...]] = {
    "FROM_DOCUMENT": (("Chunk", "Document"),),
    "NEXT_CHUNK": (("Chunk", "Chunk"),),
    "SAME_TEXT_AS": (("Chunk", "Chunk"),),
    "FROM_CHUNK": tuple((label, "Chunk") for label in ("Window", "Query", "Entity", "Atom", "Claim")),
    "SIMILAR_TO": (("Query", "Query"), ("Atom", "Atom")),
    "ANSWERED_BY": (("SyntheticQuery", "Atom"),),
    "RELATED_TO": (("Entity", "Entity"),),
    "MENTIONS": (("Atom", "Entity"),),
    "ABOUT": (("Claim", "Entity"),),
    "SYNONYM_OF": (("Entity", "Entity"),),
    "IN_COMMUNITY": (("Entity", "Community"),),
    "PARENT": (("Community", "Community"),),
}
RELATIONSHIP_PROPERTIES: dict[str, dict[str, str]] = {
    "SIMILAR_TO": {"score": "number"},
    "RELATED_TO": {"predicate": "string", "strength": "number", "ttr": "string", "chunkId": "string", "id": "string"},
    "SYNONYM_OF": {"score": "number"},
}
_ON_NODES = re.compile(r"FOR \((?P<node>\w+):(?P<label>\w+)\)\s+(?:ON|REQUIRE) (?P<properties>.*)")


def indexes() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Label and properties of every index and constraint on nodes that finds whole values, as the schema has them."""
    for path in paths():
        found = _ON_NODES.search(statement(path).body) if path.startswith("schema/index/") else None
        if found:
            yield found["label"], tuple(re.findall(rf"{found['node']}\.(\w+)", found["properties"]))
