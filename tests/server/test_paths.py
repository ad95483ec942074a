"""The searches for paths on running servers of both lines, against plain Python."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import neo4j
import numpy as np
import pytest
from bench import own
from conftest import TestServer, emptied
from neo4j.vector import Vector
from reference_paths import Multigraph, Relationship

from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.database.graph import Graph

WRITE = """
UNWIND $rows AS row
MERGE (source:Node {name: row.source})
MERGE (target:Node {name: row.target})
CREATE (source)-[step:RELATED_TO {id: row.id}]->(target)
WITH step, row WHERE row.vector IS NOT NULL
CALL db.create.setRelationshipVectorProperty(step, 'embedding', row.vector)
"""
ENDS = """
UNWIND $sources AS name MATCH (source:Node {name: name}) WITH collect(source) AS sources
UNWIND $targets AS name MATCH (target:Node {name: name}) WITH sources, collect(target) AS targets
"""
FOUND = """
RETURN [step IN relationships(path) | step.id] AS ids, score, [node IN nodes(path) | node.name] AS names,
       length(path) AS length, path
"""
BEAM = f"{ENDS} CALL qcg.paths.beam(sources, targets, $vector, $configuration) YIELD path, score {FOUND}"
NAMES = "abcdefgh"
WIDEST = 10_000  # which no node exceeds, so that every path is found
DIRECTIONS = ("outgoing", "incoming", "undirected")


@pytest.fixture
def driver(each_graph: Graph) -> neo4j.Driver:
    return each_graph.driver


def write(driver: neo4j.Driver, relationships: list[Relationship]) -> None:
    rows = [vars(item) | {"vector": item.vector and list(item.vector)} for item in relationships]
    driver.execute_query(WRITE, rows=rows)


def ask(driver: neo4j.Driver, statement: str, twin: Multigraph, names: list[str], **configuration: Any) -> list[Any]:
    configuration["direction"] = twin.direction
    records = driver.execute_query(
        statement, sources=names, targets=names, vector=list(twin.question), configuration=configuration
    ).records
    return [record.data() | {"path": record.get("path")} for record in records]


def rows(found: list[Any]) -> list[tuple[tuple[str, ...], float]]:
    return [(tuple(row["ids"]), row["score"]) for row in found]


def multigraph(seed: int) -> Multigraph:
    """Few nodes, many parallel relationships, few different vectors: so there are ties; some have no vector."""
    chance = random.Random(seed)  # noqa: S311 - so that a seed is a graph
    vectors = [tuple(float(chance.randint(-2, 2)) for _ in range(3)) for _ in range(4)]
    relationships = [
        Relationship(f"{number:03}", chance.choice(NAMES), chance.choice(NAMES), chance.choice([*vectors, None]))
        for number in chance.sample(range(1000), 40)
    ]
    return Multigraph(relationships, (1.0, 2.0, -0.5), DIRECTIONS[seed % 3])


@pytest.mark.parametrize("seed", range(6))
def test_paths_are_those_that_plain_python_finds(seed: int, driver: neo4j.Driver) -> None:
    twin = multigraph(seed)
    write(driver, list(twin.relationships))
    names, width = ["e", "a", "c", "a"], 1 + seed
    beam, every = twin.beam(names, names, width), twin.all(names, names, 4)
    assert any(len(path) > 1 for path, _ in beam)
    assert len({score for _, score in every}) < len(every)  # ties there are
    assert rows(ask(driver, BEAM, twin, names, beamWidth=width)) == beam
    assert rows(ask(driver, BEAM, twin, names, beamWidth=WIDEST, maxLength=4)) == every


SMALL = [
    Relationship("near", "a", "b", (1.0, 0.0)),
    Relationship("far", "a", "b", (0.0, 2.0)),
    Relationship("bare", "a", "b", None),
    Relationship("out", "a", "c", (3.0, 4.0)),
    Relationship("back", "c", "b", (3.0, 4.0)),
    Relationship("loop", "a", "a", (1.0, 0.0)),
]


def test_paths_are_those_of_the_graph(driver: neo4j.Driver) -> None:
    write(driver, SMALL)
    found = ask(driver, BEAM, Multigraph(SMALL, (1.0, 0.0)), ["a", "b"])
    assert rows(found) == [(("near",), 1.0), (("out", "back"), pytest.approx(0.6)), (("far",), 0.0)]
    assert [(row["names"], row["length"]) for row in found] == [(["a", "b"], 1), (["a", "c", "b"], 2), (["a", "b"], 1)]
    path = found[1]["path"]
    assert [step["id"] for step in path.relationships] == ["out", "back"]
    assert [step.start_node["name"] for step in path.relationships] == ["a", "c"]
    backwards = ask(driver, BEAM, Multigraph(SMALL, (1.0, 0.0), "incoming"), ["a", "b"])
    assert backwards[1]["names"] == ["b", "c", "a"]


def test_vectors_may_come_packed(server_2026: TestServer) -> None:
    with Graph.connect(server_2026.uri, server_2026.user, server_2026.password) as graph:
        driver = emptied(graph).driver
        write(driver, SMALL)
        twin = Multigraph(SMALL, (1.0, 0.0))
        packed = Vector.from_numpy(np.array(twin.question, dtype=np.float32))
        values: dict[str, Any] = {"sources": ["a"], "targets": ["b"], "configuration": {}}
        found = driver.execute_query(BEAM, vector=packed, **values).records
        assert [record["score"] for record in found] == [row["score"] for row in ask(driver, BEAM, twin, ["a", "b"])]


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ("beam(null, [a], [1.0, 0.0])", "qcg.paths.beam: sources is null, but must be a list of nodes."),
        ("beam([a], [a, null], [1.0, 0.0])", "qcg.paths.beam: targets holds null, but must be a list of nodes."),
        ("beam([a], [a], [1.0, 0.0], {beamWith: 2})", "no configuration key 'beamWith'. Did you mean 'beamWidth'?"),
        ("beam([a], [a], [1.0, 0.0], {damping: 2})", "there is no configuration key 'damping'"),
        ("beam([a], [a], [1.0, 0.0], {beamWidth: -1})", "beamWidth is -1, but must be a whole number, 1 to 10000."),
        ("beam([a], [a], [1.0, 0.0], {beamWidth: '3'})", "beamWidth is '3', but must be a whole number, 1 to 10000."),
        ("beam([a], [a], [1.0, 0.0], {maxLength: null})", "maxLength is null, but must be a whole number, 1 to 10."),
        ("beam([a], [a], [1.0, 0.0], {direction: 'up'})", "must be one of outgoing, incoming, undirected."),
        ("beam([a], [a], [1.0, 0.0], {relationshipTypes: []})", "relationshipTypes is [], but must be a list"),
        ("beam([a], [a], [1.0, 0.0], null)", "the configuration is null, but must be a map such as {}."),
        ("beam([a], [a], 'near')", "vector is of the type String, but must be a list of numbers or a VECTOR."),
        ("beam([a], [a], null)", "vector is null, but must be a list of numbers or a VECTOR."),
        ("beam([a], [a], [0.0, 0])", "qcg.paths.beam: the question's vector has no direction"),
        ("beam([a], [b], [1.0, 0.0, 0.0])", "vector has 3 dimensions, but embedding of the relationship"),
        ("beam([a], [b], [1.0, 0.0], {vectorProperty: 'id'})", "the property id of the relationship"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(call: str, problem: str, driver: neo4j.Driver) -> None:
    write(driver, SMALL)
    statement = f"MATCH (a:Node {{name: 'a'}}), (b:Node {{name: 'b'}}) CALL qcg.paths.{call} YIELD path RETURN path"
    with pytest.raises(neo4j.exceptions.Neo4jError) as refusal:
        driver.execute_query(statement)
    assert problem in str(refusal.value)


def test_the_package_says_it_without_the_servers_words(graph: Graph) -> None:
    write(graph.driver, SMALL)
    graph.driver.execute_query("MATCH (node:Node) SET node:Entity, node.id = node.name")
    given = {"entities": ["a", "b"], "question_vector": [1.0], "beam_width": 0}
    with pytest.raises(GraphError) as refusal:
        graph.rows(own("beam_by_procedure"), **given)
    assert str(refusal.value) == "qcg.paths.beam: beamWidth is 0, but must be a whole number, 1 to 10000."


def dense(nodes: int) -> list[Relationship]:
    """Every node joined to every one."""
    pairs = product(range(nodes), repeat=2)
    return [Relationship(f"{one}-{two}", str(one), str(two), (1.0, float(one - two))) for one, two in pairs]


ENDLESS = """
MATCH (one:Node) WITH collect(one) AS all
CALL qcg.paths.beam(all, {targets}, [1.0, 0.0], {{maxLength: 10, beamWidth: 10000}}) YIELD path RETURN count(path)
"""


def test_a_search_ends_with_its_transaction(driver: neo4j.Driver) -> None:
    write(driver, dense(30))
    query = neo4j.Query(ENDLESS.format(targets="[]"), timeout=0.3)
    with pytest.raises(neo4j.exceptions.Neo4jError, match=r"TimedOut"), driver.session() as session:
        session.run(query).consume()


@pytest.mark.rest
def test_memory_of_a_search_counts_for_its_transaction(driver: neo4j.Driver) -> None:
    write(driver, dense(30))
    with pytest.raises(neo4j.exceptions.TransientError, match="MemoryPoolOutOfMemory"), driver.session() as session:
        session.run(ENDLESS.format(targets="all")).consume()


def test_ids_that_are_missing_are_replaced(driver: neo4j.Driver) -> None:
    write(driver, SMALL)
    driver.execute_query("MATCH ()-[step:RELATED_TO]->() REMOVE step.id")
    found = ask(driver, BEAM, Multigraph(SMALL, (1.0, 0.0)), ["a", "b"])
    assert [row["names"] for row in found] == [["a", "b"], ["a", "c", "b"], ["a", "b"]]
