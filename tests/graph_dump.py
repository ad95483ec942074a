"""A graph as plain values, to compare two ways of making it."""

from __future__ import annotations

from typing import Any

from qcg_neo4j.graph import Graph

_NODES = "MATCH (n) WHERE NOT n:Stage AND NOT n:Corpus RETURN labels(n) AS labels, properties(n) AS properties"
_RELATIONSHIPS = (
    "MATCH (a)-[r]->(b) RETURN type(r) AS type, a.id AS source, b.id AS target, properties(r) AS properties"
)


def dump(graph: Graph) -> list[str]:
    """Every node and relationship in one order; vectors to three digits, which batches do not change."""
    rows = [_plain(record) for text in (_NODES, _RELATIONSHIPS) for record in query(graph, text)]
    return sorted(rows)


def query(graph: Graph, text: str, **parameters: Any) -> list[dict[str, Any]]:
    """Rows of a statement that only a test needs."""
    with graph.driver.session() as session:
        return [dict(record) for record in session.run(text, parameters)]


def _plain(record: dict[str, Any]) -> str:
    properties = {
        name: [round(number, 3) + 0.0 for number in value] if name == "embedding" else value
        for name, value in record.pop("properties").items()
    }
    return repr((sorted(record.items()), sorted(properties.items())))
