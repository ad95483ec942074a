"""GraphRAG in plain Python, slow and simple: the definition of modularity, the window of a report, local and global."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.report.window import Material

Edges = Mapping[tuple[str, str], float]
Vector = NDArray[np.float64]


def edges(graph: Graph) -> dict[tuple[str, str], float]:
    """The weight of each pair of entities that are related, in either direction."""
    found: dict[tuple[str, str], float] = defaultdict(float)
    query = "MATCH (a:Entity)-[r:RELATED_TO]->(b:Entity) RETURN a.id AS a, b.id AS b, r.strength AS strength"
    for row in graph.driver.execute_query(query).records:
        if row["a"] != row["b"]:
            found[min(row["a"], row["b"]), max(row["a"], row["b"])] += row["strength"]
    return dict(found)


def communities(graph: Graph, level: int) -> dict[str, frozenset[str]]:
    """The entities of each community that covers a level."""
    query = (
        "MATCH (c:Community)<-[:IN_COMMUNITY]-(e:Entity) WHERE c.level = $level OR (c.leaf AND c.level < $level)"
        " RETURN c.id AS id, collect(e.id) AS members"
    )
    rows = graph.driver.execute_query(query, level=level).records
    return {row["id"]: frozenset(row["members"]) for row in rows}


def modularity(weights: Edges, parts: Iterable[Iterable[str]]) -> float:
    """Q = Σ over communities of (weight inside / weight of all − (degree / 2 · weight of all)²)."""
    whole = sum(weights.values())
    degree: dict[str, float] = defaultdict(float)
    for (one, other), weight in weights.items():
        degree[one] += weight
        degree[other] += weight
    result = 0.0
    for part in map(set, parts):
        inside = sum(weight for (one, other), weight in weights.items() if one in part and other in part)
        result += inside / whole - (sum(degree[entity] for entity in part) / (2 * whole)) ** 2
    return result


def window(  # noqa: C901
    material: Material, tokens: int, count: Callable[[str], int]
) -> tuple[list[tuple[str, str]], list[str]]:
    """Kinds and ids of the records that a report is written from, in order, and the communities that are replaced."""
    entities = {entity.id: entity for entity in material.entities}

    def home(names: Iterable[str]) -> str:
        homes = {entities[name].child for name in names}
        return (homes.pop() or "") if len(homes) == 1 else ""

    size: dict[tuple[str, str], int] = {}
    where: dict[tuple[str, str], str] = {}
    for entity in material.entities:
        kind = f" ({entity.type})" if entity.type else ""
        text = f"{entity.name}{kind}: {entity.description}" if entity.description else f"{entity.name}{kind}"
        size["E", entity.id], where["E", entity.id] = count(text) + 4, entity.child or ""
    for relation in material.relations:
        ends = f"{entities[relation.source].name} – {entities[relation.target].name}"
        size["R", relation.id] = count(f"{ends}: {relation.ttr} (strength {relation.strength:g})") + 4
        where["R", relation.id] = home([relation.source, relation.target])
    for child in material.children:
        size["S", child.id] = count(child.report or "") + 4
    reported = [child.id for child in material.children if child.report]
    elements = {name: sum(size[key] for key in where if where[key] == name) for name in reported}
    replaced: list[str] = []
    for largest in sorted(elements, key=lambda name: (-elements[name], name)):
        inside = sum(size[key] for key in where if where[key] not in replaced)
        if inside + sum(size["S", gone] for gone in replaced) <= tokens:
            break
        replaced.append(largest)
    order = [[("S", name)] for name in replaced]
    by_degree = sorted(
        material.relations,
        key=lambda r: (-(entities[r.source].degree + entities[r.target].degree), -r.strength, r.id),
    )
    for relation in by_degree:
        held = [end for end in (relation.source, relation.target) if entities[end].child not in replaced]
        if where["R", relation.id] not in replaced or not where["R", relation.id]:
            order.append([*(("E", end) for end in held), ("R", relation.id)])
    order += [[("E", entity.id)] for entity in material.entities if entity.child not in replaced]
    kept: list[tuple[str, str]] = []
    for group in order:
        new = [key for key in dict.fromkeys(group) if key not in kept]
        if sum(size[key] for key in [*kept, *new]) > tokens:
            break
        kept += new
    return kept, replaced


def cosine(one: Any, other: Any) -> float:
    """The cosine of two vectors."""
    first, second = np.asarray(one, np.float64), np.asarray(other, np.float64)
    return float(first @ second / (np.linalg.norm(first) * np.linalg.norm(second)))


def local(graph: Graph, vector: Any, *, entities: int, ranking: str, passages: int) -> list[tuple[str, float]]:
    """Chunks and scores of local search."""
    found = graph.driver.execute_query("MATCH (e:Entity) RETURN e.id AS id, e.embedding AS v").records
    near = sorted(((cosine(row["v"], vector), row["id"]) for row in found), key=lambda item: (-item[0], item[1]))
    hits = {name: score for score, name in near[:entities]}
    query = (
        "MATCH (a)-[r:RELATED_TO]->(b) WHERE a.id IN $ids OR b.id IN $ids RETURN r.chunkId AS chunk, r.embedding AS v"
    )
    stated: dict[str, list[float]] = defaultdict(list)
    for row in graph.driver.execute_query(query, ids=list(hits)).records:
        stated[row["chunk"]].append(cosine(row["v"], vector))
    query = "MATCH (e:Entity)-[:FROM_CHUNK]->(c:Chunk) WHERE e.id IN $ids RETURN e.id AS entity, c.id AS chunk"
    first: dict[str, float] = {}
    for row in graph.driver.execute_query(query, ids=list(hits)).records:
        first[row["chunk"]] = max(first.get(row["chunk"], -2.0), hits[row["entity"]])
    scores = {
        chunk: similarity if ranking == "entity" else max(stated.get(chunk, [-1.0]))
        for chunk, similarity in first.items()
    }
    ranked = sorted(scores, key=lambda chunk: (-scores[chunk], -len(stated.get(chunk, [])), chunk))
    return [(chunk, scores[chunk]) for chunk in ranked[:passages]]


def reports(graph: Graph, vector: Any, *, level: int, number: int) -> list[tuple[str, float]]:
    """The communities of a level whose reports are nearest, with their cosines."""
    query = (
        "MATCH (c:Community) WHERE (c.level = $level OR (c.leaf AND c.level < $level)) AND c.report IS NOT NULL"
        " RETURN c.id AS id, c.embedding AS v"
    )
    rows = graph.driver.execute_query(query, level=level).records
    near = sorted(((cosine(row["v"], vector), row["id"]) for row in rows), key=lambda item: (-item[0], item[1]))
    return [(name, score) for score, name in near[:number]]
