"""Merge entities so that it can be undone: every statement keeps the id of the name that it was made about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.settings import nearest
from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import Changes
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.indexing.extract.writer import about, derived, embed_names
from qcg_neo4j.indexing.resolve.proposals import Merge
from qcg_neo4j.indexing.stage import WHOLE
from qcg_neo4j.models.embedding.embedder import Embedder

_AT_ONCE = 200  # entities merged or parted in one transaction


@stages.writes("resolve")
def merge(graph: Graph, embedder: Embedder, merges: Sequence[Merge]) -> Changes:
    """Merge each alias into its entity; its name is kept, and later extractions use it."""
    changes = Changes()
    for start in range(0, len(merges), _AT_ONCE):
        piece = merges[start : start + _AT_ONCE]
        rows = [{"alias": item.alias, "entity": item.entity, "score": item.score} for item in piece]
        calls = [
            Call("resolve/merge", {"rows": rows}),
            # All of them: the going entity may have had aliases itself.
            Call("resolve/move_relations", {"rows": [{"entity": item.alias, "name": None} for item in piece]}),
            Call("resolve/forget", {"ids": [item.alias for item in piece]}),
            *derived([item.entity for item in piece]),
            about(entity_ids=[item.entity for item in piece]),
        ]
        changes += graph.write(*calls, stages=("extract",)).changes
    return changes + _embedded(graph, embedder)


def merged(graph: Graph) -> list[Merge]:
    """The merges that are in the graph."""
    return [
        Merge(row["id"], row["name"], row["entity"], row["entity_name"], row["score"])
        for row in graph.rows("resolve/aliases")
    ]


@stages.writes("resolve")
def part(graph: Graph, embedder: Embedder, merges: Sequence[Merge]) -> Changes:
    """Undo merges: each alias is an entity again, with all that was stated about its name."""
    changes = Changes()
    for start in range(0, len(merges), _AT_ONCE):
        piece = merges[start : start + _AT_ONCE]
        touched = sorted({name for item in piece for name in (item.alias, item.entity)})
        calls = [
            Call("resolve/part", {"ids": [item.alias for item in piece]}),
            Call("resolve/move_relations", {"rows": [{"entity": item.entity, "name": item.alias} for item in piece]}),
            Call("extract/orphans", {"ids": touched}),
            *derived(touched),
            about(entity_ids=touched),
        ]
        changes += graph.write(*calls, stages=("extract",)).changes
    return changes + _embedded(graph, embedder)


def named(merges: Iterable[Merge], names: Sequence[str]) -> list[Merge]:
    """Those merges whose alias or entity has one of the names; all without names.

    Raises:
        InputError: no merge has one of the names.
    """
    found = list(merges)
    known = {name for item in found for name in (item.alias_name, item.entity_name)}
    for name in names:
        if name not in known:
            raise InputError(f"No merge has the name {name!r}.", nearest(name, sorted(known)) if known else "")
    return [item for item in found if not names or {item.alias_name, item.entity_name} & set(names)]


def _embedded(graph: Graph, embedder: Embedder) -> Changes:
    changes = embed_names(graph, embedder, WHOLE)
    if changes.transactions:
        await_indexes(graph)
    return changes
