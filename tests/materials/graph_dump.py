"""A graph as plain values, to compare two ways of making it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from qcg_neo4j.database.corpora import corpus_of, is_mark, plain_name
from qcg_neo4j.database.graph import Graph

_NODES = "MATCH (n) WHERE NOT n:Stage AND NOT n:Corpus RETURN labels(n) AS labels, properties(n) AS properties"
_RELATIONSHIPS = (
    "MATCH (a)-[r]->(b) "
    "RETURN type(r) AS type, a.id AS source, b.id AS target, properties(r) AS properties, labels(a) AS labels"
)


def dump(graph: Graph) -> list[str]:
    """Every node and relationship of the corpus in one order; vectors to three digits, which batches do not change."""
    rows = [_plain(record) for text in (_NODES, _RELATIONSHIPS) for record in _own(graph, text)]
    return sorted(rows)


def _own(graph: Graph, text: str) -> Iterator[dict[str, Any]]:
    """The rows that are of the graph's corpus, by names that do not tell it."""
    for row in query(graph, text):
        if {corpus_of(label) for label in row["labels"] if is_mark(label)} <= {graph.corpus}:
            labels = sorted(map(plain_name, row.pop("labels")))
            yield row | ({"type": plain_name(row["type"])} if "type" in row else {"labels": labels})


def told(graph: Graph, *labels: str) -> list[str]:
    """Nodes with these labels and the relationships between them, each named by what it says instead of by its id.

    What is taken over by another chunk with the same text keeps the id that it was made with.
    """
    nodes = [record for record in _own(graph, _NODES) if set(labels) & set(record["labels"])]
    names = {node["properties"]["id"]: _said(node) for node in nodes}
    between = [row for row in _own(graph, _RELATIONSHIPS) if row["source"] in names and row["target"] in names]
    for row in between:
        row |= {end: names[row[end]] for end in ("source", "target")}
        row["properties"] = {name: value for name, value in row["properties"].items() if name not in ("id", "chunkId")}
    return sorted([*names.values(), *map(_plain, between)])


def _said(node: dict[str, Any]) -> str:
    said = {name: value for name, value in node["properties"].items() if name != "id" or "Document" in node["labels"]}
    return _plain({"labels": sorted(node["labels"]), "properties": said})


def query(graph: Graph, text: str, **parameters: Any) -> list[dict[str, Any]]:
    """Rows of a statement that only a test needs."""
    with graph.driver.session() as session:
        return [dict(record) for record in session.run(text, parameters)]


def _plain(record: dict[str, Any]) -> str:
    properties = {
        name: (np.round(value, 3) + 0.0).tobytes() if name == "embedding" else value
        for name, value in record.pop("properties").items()
        if name != "trainedAt"  # says when, not what
    }
    return repr((sorted(record.items()), sorted(properties.items())))
