"""A question's subgraph as values: from the row of its statement, to the context, to the paths of the passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from qcg_neo4j.core.records import Passage, Step, Subgraph, Triple, TriplePath
from qcg_neo4j.retrieval.present import OF_TRIPLE, present


def subgraph(row: Mapping[str, Any]) -> Subgraph:
    """The subgraph of a row of ``retrieve/kg_cqr/subgraph``, without a context."""
    triples = tuple(Triple(**triple) for triple in present(row["triples"], *OF_TRIPLE))
    ids = {triple.id for triple in triples}
    paths = [
        TriplePath(path["score"], tuple(path["triples"])) for path in row["paths"] if ids.issuperset(path["triples"])
    ]
    return Subgraph(triples, tuple(paths))


def joined(triples: Sequence[Triple]) -> str:
    """The context that needs no language model: the triples' texts in order, a line each."""
    return "\n".join(triple.ttr for triple in triples)


def with_triples(passages: Sequence[Passage], found: Subgraph) -> tuple[Passage, ...]:
    """The passages with a path for each triple of theirs, how the question led to it, before the paths they have."""
    return tuple(replace(passage, paths=(*_paths_to(passage, found), *passage.paths)) for passage in passages)


def _paths_to(passage: Passage, found: Subgraph) -> list[tuple[Step, ...]]:
    by_id = {triple.id: triple for triple in found.triples}
    shown = {path[-1].id for path in passage.paths}
    reached = [triple for triple in found.triples if triple.chunk == passage.id and triple.id not in shown]
    return [tuple(_step(by_id[name]) for name in _way(triple, found)) for triple in reached]


def _way(triple: Triple, found: Subgraph) -> tuple[str, ...]:
    """The ids of the triples on the best path up to an added one; a triple that the question hit is reached at once."""
    if triple.added:
        for path in found.paths:
            if triple.id in path.triples:
                return path.triples[: path.triples.index(triple.id) + 1]
    return (triple.id,)


def _step(triple: Triple) -> Step:
    how = "ADDED" if triple.added else "HIT"
    return Step("RELATED_TO", triple.id, triple.ttr, how, triple.similarity)
