"""`qcg.pageRank.push` against exact PageRank on random graphs, its edge cases and refusals, on both lines."""

from __future__ import annotations

from typing import Any

import neo4j
import numpy as np
import pytest
from reference_atomic import page_rank, read_aeg

from qcg_neo4j.database.graph import Graph

Pairs = list[tuple[str, str, float]]
WRITE = """
UNWIND $pairs AS pair
MERGE (one:QcgEntity {id: pair[0]}) MERGE (other:QcgEntity {id: pair[1]})
CREATE (one)-[:SYNONYM_OF {score: pair[2]}]->(other)
WITH count(*) AS all
MERGE (stage:QcgStage {name: 'synonyms'}) SET stage.revision = coalesce(stage.revision, 0) + 1
"""
PUSH = """
MATCH (node:QcgEntity) WHERE $seeds[node.id] IS NOT NULL
WITH collect([node, $seeds[node.id]]) AS seeds
CALL qcg.pageRank.push(seeds, $configuration) YIELD node, score
RETURN node.id AS id, score
"""


@pytest.fixture
def driver(each_graph: Graph) -> neo4j.Driver:
    return each_graph.driver


def write(driver: neo4j.Driver, pairs: Pairs) -> None:
    driver.execute_query(WRITE, pairs=[list(pair) for pair in pairs])


def ask(driver: neo4j.Driver, seeds: dict[str, float], **configuration: Any) -> dict[str, float]:
    values: dict[str, Any] = {"seeds": seeds, "configuration": configuration}
    return {row["id"]: row["score"] for row in driver.execute_query(PUSH, values).records}


def both_ways(pairs: Pairs) -> dict[str, dict[str, float]]:
    edges: dict[str, dict[str, float]] = {}
    for one, other, weight in pairs:
        for source, target in ((one, other), (other, one)):
            joined = edges.setdefault(source, {})
            joined[target] = joined.get(target, 0.0) + weight
    return edges


@pytest.mark.parametrize("damping", [0.1, 0.3, 0.85])
def test_the_error_is_within_tolerance_times_degree(driver: neo4j.Driver, damping: float) -> None:
    random = np.random.default_rng(3)
    ends = random.integers(80, size=(300, 2)).tolist()  # parallel relationships among them
    pairs = [(str(one), str(other), float(random.random())) for one, other in ends if one != other]
    write(driver, [*pairs, ("5", "5", 1.0)])  # what leads to where it comes from does not count
    edges, seeds = both_ways(pairs), {"1": 0.6, "2": 0.3, "3": 0.1}
    exact = page_rank(edges, seeds, damping)
    for tolerance in (1e-3, 1e-5):
        found = ask(driver, seeds, damping=damping, tolerance=tolerance)
        for name, value in exact.items():
            error = value - found.get(name, 0.0)
            assert -1e-12 <= error <= tolerance * sum(edges.get(name, {}).values()) + 1e-12
    found = ask(driver, seeds, damping=damping, tolerance=1e-13)
    assert found == pytest.approx({name: value for name, value in exact.items() if name in found}, abs=1e-9)


def test_a_larger_tolerance_touches_less(driver: neo4j.Driver) -> None:
    write(driver, [(str(number), str(number + 1), 1.0) for number in range(200)])
    assert len(ask(driver, {"0": 1.0}, tolerance=1e-2)) < len(ask(driver, {"0": 1.0}, tolerance=1e-8)) < 40


@pytest.mark.rest
def test_a_walk_ends_with_its_transaction(driver: neo4j.Driver) -> None:
    driver.execute_query("UNWIND range(0, 399) AS number CREATE (:QcgEntity {id: toString(number)})")
    driver.execute_query(
        "MATCH (one:QcgEntity), (other:QcgEntity) WHERE one.id < other.id "
        "CREATE (one)-[:SYNONYM_OF {score: 1.0}]->(other)"
    )
    ask(driver, {"0": 1.0}, tolerance=1.0)  # which makes the copy
    values: dict[str, Any] = {"damping": 0.99, "tolerance": 1e-15}
    with pytest.raises(neo4j.exceptions.Neo4jError, match="TimedOut"), driver.session() as session:
        session.run(neo4j.Query(PUSH, timeout=0.01), {"seeds": {"0": 1.0}, "configuration": values}).consume()


TINY = """
CREATE (a:QcgEntity {id: 'a'}), (b:QcgEntity {id: 'b'}), (c:QcgEntity {id: 'c'}), (:QcgEntity {id: 'alone'}),
  (atom:QcgAtom {id: 'atom'}), (a)-[:RELATED_TO]->(b), (b)-[:RELATED_TO]->(a), (b)-[:SYNONYM_OF {score: 1.0}]->(a),
  (a)-[:RELATED_TO]->(c), (a)-[:RELATED_TO]->(a), (atom)-[:MENTIONS]->(a), (atom)-[:MENTIONS]->(a),
  (a)-[:OTHER]->(:Node)
"""


def test_a_tiny_graph_by_hand(driver: neo4j.Driver) -> None:
    driver.execute_query(TINY)
    assert ask(driver, {"alone": 1.0}) == {"alone": 0.7}
    found = ask(driver, {"a": 1.0}, tolerance=1e-12)
    assert found.keys() == {"a", "b", "c", "atom"}
    # Triples in both directions and synonyms add up; a mention counts once.
    assert found["b"] == pytest.approx(3 * found["c"])
    assert found["atom"] == pytest.approx(found["c"])
    assert sum(found.values()) == pytest.approx(1.0)
    without = ask(driver, {"a": 1.0}, tolerance=1e-12, synonyms=False)
    assert without["b"] == pytest.approx(2 * without["c"])
    assert ask(driver, {"a": 1.0}, tolerance=1e-12, atomsAlone=True) == {"atom": found["atom"]}
    assert ask(driver, {"a": 0.0}) == ask(driver, {}) == {}


def test_the_best_come_with_what_ties_with_the_last(driver: neo4j.Driver) -> None:
    write(driver, [("a", "b", 2.0), ("a", "c", 1.0), ("a", "d", 1.0)])
    found = [ask(driver, {"a": 1.0}, tolerance=1e-12, best=best).keys() for best in (1, 2, 3, 9, 2**32, 0)]
    assert found == [{"a"}, {"a", "b"}, *[{"a", "b", "c", "d"}] * 4]


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ("null", "seeds is null, but must be a list of [node, weight], or of nodes."),
        ("[1]", "a seed is of the type Long, but must be [node, weight], or a node."),
        ("[[a]]", "a seed is of the type ArrayList, but must be [node, weight], or a node."),
        ("[[a, -1]]", "the weight of a seed is -1, but must be a number that is at least 0."),
        ("[[a, null]]", "the weight of a seed is null, but must be a number that is at least 0."),
        ("[a], {damping: 1}", "damping is 1, but must be a number, 0.0 to 0.99."),
        ("[a], {tolerance: 0}", "tolerance is 0, but must be a number, 1.0E-15 to 1.0."),
        ("[a], {synonyms: 'no'}", "synonyms is 'no', but must be true or false."),
        ("[a], {dampin: 0.5}", "there is no configuration key 'dampin'. Did you mean 'damping'?"),
    ],
)
def test_what_does_not_fit_is_refused(call: str, problem: str, driver: neo4j.Driver) -> None:
    write(driver, [("a", "b", 1.0)])
    with pytest.raises(neo4j.exceptions.Neo4jError) as refusal:
        driver.execute_query(
            f"MATCH (a:QcgEntity {{id: 'a'}}) CALL qcg.pageRank.push({call}) YIELD node RETURN count(node)"
        )
    assert f"qcg.pageRank.push: {problem}" in str(refusal.value)


AEG = "MATCH (e:Entity) WITH e ORDER BY e.id LIMIT 400 WITH e SKIP $skip LIMIT 5 WITH collect([e, 0.2]) AS seeds "
BY_PUSH = AEG + "CALL qcg.pageRank.push(seeds, {tolerance: 1e-12}) YIELD node, score RETURN node.id AS id, score"


def test_the_defaults_are_the_atom_entity_graph(sample: Graph) -> None:
    edges = read_aeg(sample).edges()
    ids = sorted(name for name in read_aeg(sample).entities)
    for skip in (0, 50, 100):
        found = {row["id"]: row["score"] for row in sample.driver.execute_query(BY_PUSH, skip=skip).records}
        exact = page_rank(edges, dict.fromkeys(ids[skip : skip + 5], 0.2), 0.3)
        assert found == pytest.approx({name: exact[name] for name in found}, abs=1e-9)
        assert len(found) > 100
