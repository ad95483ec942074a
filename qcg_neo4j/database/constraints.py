"""Constraints of other applications on labels that our nodes have as well: found before anything is paid for."""

from __future__ import annotations

from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.database.connection import Connection
from qcg_neo4j.database.corpora import KINDS, index
from qcg_neo4j.database.schema import corpora_of

# By kind, what its nodes have besides an id, and others may demand to be unique.
PROPERTIES = {
    "Document": {"title", "source"},
    "Chunk": {"text", "index", "position"},
    "Window": {"text"},
    "Query": {"text", "question", "answer"},
    "Entity": {"name", "type", "description"},
    "Alias": {"name"},
    "Atom": {"text"},
    "Claim": {"type", "description"},
    "Community": {"level", "title"},
    "Stage": {"name"},
    "SyntheticQuery": {"question"},
}
_UNIQUE = ("UNIQUENESS", "NODE_PROPERTY_UNIQUENESS")
_ID = {"id"}  # of texts, so that two corpora have the same


def check_constraints(graph: Connection) -> None:
    """Refuse to write nodes that a constraint of another application may not let in.

    Raises:
        GraphError: names the constraint and what to do.
    """
    if graph.address.own_labels:
        return
    for row in graph.rows("schema/constraints"):
        name, label, properties = row["name"], row["label"], set(row["properties"])
        if label not in KINDS or name.startswith(index("")):
            continue
        met = properties & PROPERTIES.get(label, set())
        same_ids = properties == _ID and _is_beside_others(graph)
        if row["type"] not in _UNIQUE or same_ids or (met and properties <= met | _ID):
            raise _in_the_way(name, label, row["type"], row["properties"])


def _is_beside_others(graph: Connection) -> bool:
    """Whether another corpus holds documents, which may be the same."""
    names = [name for name in corpora_of(graph) if name != graph.corpus]
    return any(graph.beside(name).rows("schema/size", permitted=None)[0]["documents"] for name in names)


def _in_the_way(name: str, label: str, kind: str, properties: list[str]) -> GraphError:
    demanded = f"{kind.lower().replace('_', ' ')} of {label}.{f', {label}.'.join(properties)}"
    return GraphError(
        f"The constraint {name} of another application ({demanded}) would hold for our nodes, which have the label "
        f"{label} as well.",
        "Make the corpus with labels of its own (`--own-labels`, for a new one), use another database (`--database`), "
        f"or drop that constraint if it is not needed (`DROP CONSTRAINT {name}`).",
    )
