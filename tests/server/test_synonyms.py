"""Synonyms on a real server: exactly the pairs that are near enough, twice the same, stale and resumed as told."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from graph_dump import query

from qcg_neo4j.core.errors import GraphError, MissingPluginError
from qcg_neo4j.database import stages
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.indexing.build import SynonymSettings, build_synonyms, search

MAKE = """
UNWIND $rows AS row
CREATE (entity:QcgEntity:Entity {id: row.id, name: row.name})
WITH entity, row CALL db.create.setNodeVectorProperty(entity, 'embedding', row.vector)
"""
PAIRS = "MATCH (a)-[s:SYNONYM_OF]->(b) RETURN a.id AS a, b.id AS b, s.score AS score"
Vectors = np.ndarray[Any, np.dtype[np.float64]]


def with_entities(graph: Graph, number: int) -> Vectors:
    """Entities in clusters of ten, the vectors in the order of their ids."""
    random = np.random.default_rng(1)
    centres = np.repeat(random.normal(size=(number // 10 + 1, 16)), 10, axis=0)[:number]
    vectors = centres + 0.45 * random.normal(size=(number, 16))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    use_model(graph, "synthetic", 16)
    rows = [
        {"id": f"{place:05}", "name": f"Name {place}", "vector": vector.tolist()}
        for place, vector in enumerate(vectors)
    ]
    graph.driver.execute_query(MAKE, rows=rows)
    await_indexes(graph)
    return vectors


def pairs(graph: Graph) -> dict[tuple[str, str], float]:
    return {(row["a"], row["b"]): row["score"] for row in query(graph, PAIRS)}


def expected(vectors: Vectors, most: int = 100) -> dict[tuple[str, str], float]:
    """The pairs above the threshold that are among the nearest of either side."""
    scores = vectors @ vectors.T
    np.fill_diagonal(scores, -2)
    ranks = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1)
    return {
        (f"{one:05}", f"{other:05}"): float(scores[one, other])
        for one, other in combinations(range(len(vectors)), 2)
        if scores[one, other] > 0.8 and min(ranks[one, other], ranks[other, one]) < most
    }


@pytest.mark.parametrize("strategy", ["exact", "index", "gds"])
@pytest.mark.rest("gds")
def test_all_near_pairs_are_joined_once(strategy: str, each_graph: Graph) -> None:
    vectors = with_entities(each_graph, 300)
    settings = SynonymSettings(strategy=strategy, recall_sample=300)
    report = build_synonyms(each_graph, settings)
    found, wanted = pairs(each_graph), expected(vectors)
    assert len(wanted) > 300
    assert report.recall == pytest.approx(len(found) / len(wanted))
    assert report.recall >= 0.99
    assert found == pytest.approx({pair: wanted[pair] for pair in found}, abs=1e-5)
    assert (report.changed, report.relationships, report.wanted) == (True, len(found), 2 * len(wanted))
    assert build_synonyms(each_graph, settings) == replace(report, changed=False)


@pytest.mark.rest
def test_more_near_ones_than_candidates_are_all_found(graph: Graph) -> None:
    use_model(graph, "synthetic", 16)
    rows = [{"id": f"{place:05}", "name": f"Name {place}", "vector": [1.0] + [0.0] * 15} for place in range(120)]
    graph.driver.execute_query(MAKE, rows=rows)
    await_indexes(graph)
    build_synonyms(graph, SynonymSettings(strategy="index", most=200))
    assert len(pairs(graph)) == 120 * 119 / 2
    report = build_synonyms(graph, SynonymSettings(strategy="index", most=10))
    assert 10 * 120 / 2 <= report.relationships <= 10 * 120


@pytest.mark.parametrize("strategy", ["exact", "index", "gds"])
@pytest.mark.rest("gds")
def test_short_names_take_no_part(graph: Graph, strategy: str) -> None:
    names = {0: "Amy", 1: "A. B. C.!", 2: "李华王", 3: "李华王明", 4: "a-1 b2", 5: "N.A.S.A.", 6: "é\u0301té"}
    use_model(graph, "synthetic", 16)
    vector = [1.0] + [0.0] * 15
    rows = [{"id": str(place), "name": name, "vector": vector} for place, name in names.items()]
    graph.driver.execute_query(MAKE, rows=rows)
    await_indexes(graph)
    report = build_synonyms(graph, SynonymSettings(strategy=strategy))
    assert set(pairs(graph)) == {("3", "4"), ("3", "5"), ("4", "5")}
    assert (report.entities, report.named) == (7, 3)


def test_what_changed_is_joined_anew(graph: Graph) -> None:
    vectors = with_entities(graph, 100)
    build_synonyms(graph)
    query(graph, "MATCH (e:Entity) WHERE e.id < '00020' DETACH DELETE e")
    query(graph, "MERGE (s:QcgStage:Stage {name: 'extract'}) SET s.revision = 7")
    assert stages.staleness(stages.recorded(graph), "synonyms") == "stale: extract changed since"
    query(graph, "MATCH (a:Entity {id: '00020'}), (b:Entity {id: '00099'}) CREATE (a)-[:SYNONYM_OF {score: 1.0}]->(b)")
    assert build_synonyms(graph).changed
    assert set(pairs(graph)) == {pair for pair in expected(vectors) if min(pair) >= "00020"}


def test_an_interrupted_search_goes_on(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = with_entities(graph, 100)
    monkeypatch.setattr(search, "SLICE", 30)

    def stop(done: int, _: int | None) -> None:
        if done == 60:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_synonyms(graph, SynonymSettings(strategy="index"), stop)
    assert stages.staleness(stages.recorded(graph), "synonyms") == "interrupted"
    steps: list[int] = []
    build_synonyms(graph, SynonymSettings(strategy="index"), lambda done, _: steps.append(done))
    assert steps[0] == 60
    assert set(pairs(graph)) == set(expected(vectors))


def test_a_graph_that_grew_a_little_is_searched_for_what_is_new_alone(graph: Graph) -> None:
    """The pairs are those of a search for all, also where an entity has another name now."""
    vectors, settings = with_entities(graph, 300), SynonymSettings(strategy="index", recall_floor=1.0)
    query(graph, "MATCH (e:Entity) WHERE toInteger(e.id) % 30 = 7 SET e:Later REMOVE e:QcgEntity")
    old = "MATCH (e:Entity {id: '00001'}) SET e.name = $name, e.embedding = $vector"
    query(graph, old, vector=vectors[50].tolist(), name="Former")
    await_indexes(graph)
    assert build_synonyms(graph, settings).added == 0
    assert ("00001", "00050") in pairs(graph)
    query(graph, "MATCH (e:Later) SET e:QcgEntity REMOVE e:Later")
    query(graph, old, vector=vectors[1].tolist(), name="Name 1")
    query(graph, "MERGE (s:QcgStage:Stage {name: 'extract'}) SET s.revision = 7")
    await_indexes(graph)
    report = build_synonyms(graph, settings)
    assert (report.added, report.entities) == (11, 300)
    assert pairs(graph) == pytest.approx(expected(vectors), abs=1e-5)
    assert not build_synonyms(graph, settings).changed


def test_the_measured_recall_is_the_real_one(graph: Graph) -> None:
    with_entities(graph, 100)
    build_synonyms(graph)
    query(graph, "MATCH ()-[s:SYNONYM_OF]->() WITH s LIMIT 30 DELETE s")
    held = graph.rows("build/synonym_recall", sample=100, similarity=0.8, neighbours=100)[0]
    assert held["wanted"] - held["found"] == 60
    assert held["recall"] == pytest.approx(held["found"] / held["wanted"])


def test_new_short_names_do_not_wait_but_other_names_do(graph: Graph) -> None:
    names = {"0": "Amy", "1": "Anna", "2": "A. B. C.!", "3": "N.A.S.A.", "4": "Bob", "5": "Carla"}
    query(graph, "UNWIND keys($names) AS id CREATE (:QcgEntity:Entity {id: id, name: $names[id]})", names=names)
    query(graph, "MATCH (e:Entity {id: '4'}) SET e.joinedAs = 'Robert'")
    query(graph, "MATCH (e:Entity {id: '5'}) SET e.joinedAs = e.name")
    assert {row["id"] for row in graph.rows("build/entities_waiting")} == {"1", "3", "4"}


@pytest.mark.rest
def test_too_low_recall_is_an_error_and_says_what_to_do(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    with_entities(graph, 30)
    rows = Graph.rows

    def poor(self: Graph, path: str, **values: Any) -> Any:
        return [{"recall": 0.5, "sample": 30}] if path == "build/synonym_recall" else rows(self, path, **values)

    monkeypatch.setattr(Graph, "rows", poor)
    with pytest.raises(GraphError, match=r"Only 0\.500 of the true synonyms were found; the floor is 0\.99"):
        build_synonyms(graph)
    monkeypatch.undo()
    assert stages.recorded(graph)["synonyms"].finished_at is None


def test_without_entities_the_remedy_is_named(graph: Graph) -> None:
    with pytest.raises(GraphError, match=r"no entities to join\.\nMake them first: `qcg extract`"):
        build_synonyms(graph)
    query(graph, "CREATE (:QcgEntity:Entity {id: 'x', name: 'nameless'})")
    with pytest.raises(GraphError, match="1 entities have no embedding"):
        build_synonyms(graph)


def test_without_gds_the_strategy_is_refused(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    with_entities(graph, 20)
    rows = Graph.rows
    monkeypatch.setattr(Graph, "rows", lambda self, path, **v: [] if path == "schema/gds" else rows(self, path, **v))
    with pytest.raises(MissingPluginError, match="no Graph Data Science"):
        build_synonyms(graph, SynonymSettings(strategy="gds"))
    assert build_synonyms(graph).strategy == "exact"
