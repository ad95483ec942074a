"""Pictures of parts of the graph: all that was made from a document, a community, and a sample of the whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from qcg_neo4j.core.errors import GraphError, InputError
from qcg_neo4j.database.conversion import plain
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.interfaces.palette import LOOKS
from qcg_neo4j.interfaces.show.picture import Dot, Line, Picture

COLUMNS = {
    "Document": 0,
    "Chunk": 1,
    "Window": 2,
    "Query": 2,
    "SyntheticQuery": 2,
    "Atom": 3,
    "Claim": 3,
    "Entity": 4,
    "Community": 5,
}
_LONGEST = 2000


def document_picture(graph: Graph, document: str) -> Picture:
    """All that was made from a document, by its id.

    Raises:
        InputError: there is no such document.
    """
    rows = graph.rows("inspect/derivation", document=document)
    if not rows:
        raise InputError(
            f"The graph has no document {document!r}, or it has no chunks.", "Its id is what `load` was given."
        )
    return _picture(f"What was made from {document}", rows)


def community_picture(graph: Graph, community: str, entities: int = 30) -> Picture:
    """A community, by its id, with a limited number of its entities, their relations and chunks.

    Raises:
        InputError: there is no such community.
    """
    rows = graph.rows("show/community", community=community, entities=entities)
    if not rows:
        raise InputError(
            f"The graph has no community {community!r}, or it has no entities.",
            "`cypher/inspect/hierarchy` lists communities with their ids.",
        )
    return _picture(f"Community {community}", rows)


def sample_picture(graph: Graph, documents: int = 2, queries: int = 4) -> Picture:
    """The first documents with what was made from them.

    Raises:
        GraphError: the graph holds no documents.
    """
    rows = graph.rows("show/sample", documents=documents, queries=queries)
    if not rows:
        raise GraphError("The graph is empty.", "Load documents first: `qcg load FILE`.")
    return _picture(f"{documents} documents, and what was made from them", rows)


def _picture(title: str, rows: Any) -> Picture:
    found = list(_entities(plain(rows, _LONGEST)))
    # What has been deleted since it was found has neither labels nor an id.
    dots = [_dot(item) for item in found if set(item.get("labels", ())) & set(LOOKS) and item.get("id")]
    lines = [_line(item) for item in found if item.get("source") and item.get("target") and "labels" not in item]
    return Picture.of(title, dots, lines)


def _entities(value: Any) -> Iterator[Mapping[str, Any]]:
    """The nodes and relationships in plain values."""
    if isinstance(value, Mapping):
        if "labels" in value or {"type", "source", "target"} <= set(value):
            yield value
        else:
            for item in value.values():
                yield from _entities(item)
    elif isinstance(value, list):
        for item in value:
            yield from _entities(item)


def _dot(node: Mapping[str, Any]) -> Dot:
    label = next(label for label in node["labels"] if label in LOOKS)
    text = node.get(LOOKS[label].caption)
    shown = f"{label} {text}" if isinstance(text, int) else str(text or node["id"])
    return Dot(node["id"], label, shown, COLUMNS[label])


def _line(item: Mapping[str, Any]) -> Line:
    held = item["properties"]
    return Line(item["source"], item["target"], held.get("predicate") or item["type"], held.get("score"))
