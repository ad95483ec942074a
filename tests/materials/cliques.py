"""Graphs of cliques, whose communities are known."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from qcg_neo4j.database.graph import Graph

MAKE = """
UNWIND $rows AS row
MERGE (source:QcgEntity:Entity {id: row[0]}) MERGE (target:QcgEntity:Entity {id: row[1]})
CREATE (source)-[:RELATED_TO {strength: row[2], id: row[0] + row[1] + toString(row[2])}]->(target)
"""
STATE = """
MATCH (entity:Entity)-[:IN_COMMUNITY]->(community:Community)
OPTIONAL MATCH (community)-[:PARENT]->(parent)
RETURN community.id AS id, community.level AS level, community.size AS size, community.leaf AS leaf,
       collect(DISTINCT parent.id) AS parents, count(entity) AS entities, min(entity.id) AS least ORDER BY id
"""
Rows = list[tuple[str, str, float]]


def clique(name: str, size: int, strength: float = 1.0) -> Rows:
    members = [f"{name}{place:02}" for place in range(size)]
    return [(one, other, strength) for one, other in combinations(members, 2)]


def ring(names: str, size: int, strength: float = 1.0) -> Rows:
    """Cliques in a ring, each joined to the next by one weak relation."""
    rows = [row for name in names for row in clique(name, size, strength)]
    return rows + [(f"{one}00", f"{other}01", 1.0) for one, other in zip(names, names[1:] + names[0], strict=True)]


def make(graph: Graph, rows: Rows, isolated: Iterable[str] = ()) -> None:
    graph.driver.execute_query(MAKE, rows=[list(row) for row in rows])
    graph.driver.execute_query("UNWIND $ids AS id CREATE (:QcgEntity:Entity {id: id})", ids=list(isolated))


def state(graph: Graph) -> list[list[object]]:
    return [list(row.values()) for row in graph.driver.execute_query(STATE).records]
