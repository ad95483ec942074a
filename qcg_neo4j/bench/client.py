"""The same QCG as ``retrieve/qcg``, done by a client: one round trip per step, the method itself in Python."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from qcg_neo4j.graph import Graph
from qcg_neo4j.records import Passage, Step
from qcg_neo4j.retrieve import QcgSettings

if TYPE_CHECKING:
    from qcg_neo4j.bench.synthetic import Vectors


@dataclass(frozen=True)
class Reached:
    """A query on the way: its text, the query that it was reached from (None for a hit), the relationship's score."""

    id: str
    text: str
    source: str | None = None
    weight: float | None = None


def retrieve_by_client(graph: Graph, settings: QcgSettings, vector: Vectors) -> list[Passage]:
    """The passages of ``Qcg(settings)`` for the question's embedding (dimension,), with the same paths."""
    reached = _hits(graph, settings, vector)
    frontier = list(reached)
    for _ in range(settings.hops):
        frontier = _expand(graph, settings, reached, frontier)
    found = graph.rows("bench/client_chunks", ids=list(reached), question_vector=vector)
    similarity = {row["id"]: row["similarity"] for row in found}
    by_chunk: dict[str, list[str]] = defaultdict(list)
    for row in found:
        by_chunk[row["chunk"]].append(row["id"])
    scores = {
        chunk: aggregate([similarity[query] for query in queries], settings.aggregation)
        for chunk, queries in by_chunk.items()
    }
    best = sorted(scores, key=lambda chunk: (-scores[chunk], -len(by_chunk[chunk]), chunk))[: settings.passages]
    rows = {row["id"]: row for row in graph.rows("bench/client_passages", ids=best)}
    return [
        Passage(**rows[chunk], score=scores[chunk], paths=_paths(by_chunk[chunk], reached, similarity))
        for chunk in best
    ]


def aggregate(similarities: list[float], how: str) -> float:
    """A chunk's score from its queries' cosines: their mean, the greatest, or their sum."""
    if how == "max":
        return max(similarities)
    return sum(similarities) / (len(similarities) if how == "mean" else 1)


def _hits(graph: Graph, settings: QcgSettings, vector: Vectors) -> dict[str, Reached]:
    candidates = settings.candidate_factor * settings.queries
    rows = graph.rows("bench/client_hits", question_vector=vector, candidates=candidates)
    near = [row for row in rows if row["similarity"] + 1 >= settings.minimum_score]
    near.sort(key=lambda row: (-row["similarity"], row["id"]))
    return {row["id"]: Reached(row["id"], row["text"]) for row in near[: settings.queries]}


def _expand(graph: Graph, settings: QcgSettings, reached: dict[str, Reached], frontier: list[str]) -> list[str]:
    """One hop: the queries that were not reached before, those from the nearest hit first."""
    neighbours = defaultdict(list)
    for row in graph.rows("bench/client_neighbours", ids=frontier, neighbours=settings.neighbours):
        neighbours[row["source"]].append(row)
    new = []
    for source in frontier:
        for row in neighbours[source]:
            if row["id"] not in reached:
                reached[row["id"]] = Reached(row["id"], row["text"], source, row["weight"])
                new.append(row["id"])
    return new


def _paths(
    queries: list[str], reached: dict[str, Reached], similarity: dict[str, float]
) -> tuple[tuple[Step, ...], ...]:
    ordered = sorted(queries, key=lambda query: -similarity[query])
    return tuple(tuple(_steps(query, reached, similarity)) for query in ordered)


def _steps(query: str, reached: dict[str, Reached], similarity: dict[str, float]) -> list[Step]:
    found = reached[query]
    before = _steps(found.source, reached, similarity) if found.source else []
    relationship = "SIMILAR_TO" if found.source else "HIT"
    return [*before, Step("Query", query, found.text, relationship, similarity[query], found.weight)]
