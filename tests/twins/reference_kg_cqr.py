"""KG-CQR's subgraph, context and ranking in slow, plain Python over the whole graph: the twin of its statements."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from reference import cosine

from qcg_neo4j.database.graph import Graph
from qcg_neo4j.retrieval import KgCqrSettings

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Relation:
    """A triple in memory; source and target are ids of entities."""

    id: str
    source: str
    target: str
    chunk: str
    ttr: str
    vector: Vector


@dataclass
class Triples:
    """All triples of a graph, and those that leave each entity."""

    relations: dict[str, Relation] = field(default_factory=dict)
    leaving: dict[str, list[Relation]] = field(default_factory=lambda: defaultdict(list))


@dataclass(frozen=True)
class Way:
    """A path: entities, triples, and the mean cosine of its triples."""

    entities: tuple[str, ...]
    triples: tuple[str, ...]
    score: float


def read_triples(graph: Graph) -> Triples:
    """Every triple, fetched plainly."""
    found = Triples()
    text = (
        "MATCH (u:Entity)-[r:RELATED_TO]->(v:Entity) "
        "RETURN r.id AS id, u.id AS source, v.id AS target, r.chunkId AS chunk, r.ttr AS ttr, r.embedding AS vector"
    )
    for row in graph.driver.execute_query(text).records:
        relation = Relation(**{**dict(row), "vector": np.array(row["vector"])})
        found.relations[relation.id] = relation
        found.leaving[relation.source].append(relation)
    return found


def beam(
    triples: Triples, similar: Mapping[str, float], entities: Sequence[str], width: int, longest: int
) -> list[Way]:
    """Algorithm 1, line 5: the paths of every ordered pair of entities, each pair searched by itself."""
    pairs = [(source, target) for source in entities for target in entities if source != target]
    done = [way for source, target in pairs for way in bfs_beam(triples, similar, source, target, width, longest)]
    return sorted(done, key=lambda way: (-way.score, way.triples))


def bfs_beam(
    triples: Triples, similar: Mapping[str, float], source: str, target: str, width: int, longest: int
) -> list[Way]:
    """Algorithm 2: a queue of partial paths; each goes on with the best triples that leave its end."""
    queue, found = deque([Way((source,), (), 0.0)]), []
    while queue:
        partial = queue.popleft()
        if len(partial.triples) > longest:
            continue
        if partial.entities[-1] == target:
            found.append(partial)
            continue
        ranked = sorted(extensions(triples, similar, partial), key=lambda way: (-way.score, way.triples))
        queue.extend(ranked[:width])
    return found


def every(triples: Triples, similar: Mapping[str, float], entities: Sequence[str], longest: int) -> list[Way]:
    """All paths between the entities, also through others and through each other."""
    targets, done = set(entities), []
    for source in entities:
        alive = [Way((source,), (), 0.0)]
        for _ in range(longest):
            alive = [way for partial in alive for way in extensions(triples, similar, partial)]
            done += [way for way in alive if way.entities[-1] in targets]
    return sorted(done, key=lambda way: (-way.score, way.triples))


def extensions(triples: Triples, similar: Mapping[str, float], partial: Way) -> list[Way]:
    """The path with each triple that leads from its end to an entity that is not on it."""
    return [
        Way(
            (*partial.entities, relation.target),
            (*partial.triples, relation.id),
            float(np.mean([similar[name] for name in (*partial.triples, relation.id)])),
        )
        for relation in triples.leaving[partial.entities[-1]]
        if relation.target not in partial.entities
    ]


def subgraph(triples: Triples, question: Vector, chosen: KgCqrSettings) -> tuple[list[str], set[str]]:
    """The ids of the triples in the order of the context, and which of them a path added."""
    similar = {name: cosine(relation.vector, question) for name, relation in triples.relations.items()}
    hits = sorted(similar, key=lambda name: (-similar[name], name))[: chosen.triples]
    ends = [end for name in hits for end in (triples.relations[name].source, triples.relations[name].target)]
    entities = list(dict.fromkeys(ends))
    ways: list[Way] = []
    if chosen.completion == "beam":
        ways = beam(triples, similar, entities, chosen.beam_width, chosen.path_length)
    if chosen.completion == "all":
        ways = every(triples, similar, entities, chosen.path_length)
    inside = [way for way in ways if set(way.entities) <= set(entities)]
    along = list(dict.fromkeys(name for way in inside for name in way.triples))
    added = [name for name in along if name not in hits][: chosen.added_triples]
    ordered = [name for name in along if name in hits or name in added]
    return ordered + [name for name in hits if name not in ordered], set(added)


def fused(question: Vector, context: Vector, alpha: float) -> Vector:
    """The question's vector drawn towards the context's."""
    mixed = [alpha * one + (1 - alpha) * other for one, other in zip(question.tolist(), context.tolist(), strict=True)]
    length = sum(value * value for value in mixed) ** 0.5
    return np.array([value / length for value in mixed])


def best_triples(triples: Triples, question: Vector) -> dict[str, float]:
    """Every chunk that states a triple, by the cosine of its best one."""
    scores: dict[str, float] = {}
    for relation in triples.relations.values():
        scores[relation.chunk] = max(scores.get(relation.chunk, -2.0), cosine(relation.vector, question))
    return scores
