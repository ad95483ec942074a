"""The graph of atoms on a real server: exactly the mutual nearest, once per pair, twice the same, stale and resumed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from graph_dump import query

from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.database import stages
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.indexing.build import AtomSettings, build_atoms, nearest, search

MAKE = """
UNWIND $rows AS row
CREATE (atom:QcgAtom:Atom {id: row.id, text: row.id})
WITH atom, row CALL db.create.setNodeVectorProperty(atom, 'embedding', row.vector)
"""
PAIRS = "MATCH (a:Atom)-[s:SIMILAR_TO]->(b:Atom) RETURN a.id AS a, b.id AS b, s.score AS score"
BY_INDEX = AtomSettings(strategy="index", recall_floor=1.0)
Vectors = np.ndarray[Any, np.dtype[np.float64]]


def with_atoms(graph: Graph, number: int) -> Vectors:
    """Atoms in clusters of ten, the vectors in the order of their ids."""
    random = np.random.default_rng(3)
    centres = np.repeat(random.normal(size=(number // 10 + 1, 16)), 10, axis=0)[:number]
    vectors = centres + 0.7 * random.normal(size=(number, 16))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    use_model(graph, "synthetic", 16)
    rows = [{"id": f"{place:05}", "vector": vector.tolist()} for place, vector in enumerate(vectors)]
    graph.driver.execute_query(MAKE, rows=rows)
    await_indexes(graph)
    return vectors


def pairs(graph: Graph) -> dict[tuple[str, str], float]:
    found = query(graph, PAIRS)
    assert len({frozenset((row["a"], row["b"])) for row in found}) == len(found)  # once per pair
    return {(row["a"], row["b"]): row["score"] for row in found}


def expected(vectors: Vectors, neighbours: int = 5, first: int = 0) -> dict[tuple[str, str], float]:
    """The pairs that are among the nearest of both sides, by comparing all with all."""
    scores = vectors[first:] @ vectors[first:].T
    np.fill_diagonal(scores, -2)
    ranks = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1)
    near = ranks < neighbours
    return {
        (f"{first + one:05}", f"{first + other:05}"): float(scores[one, other])
        for one, other in np.argwhere(np.triu(near & near.T, 1)).tolist()
    }


@pytest.mark.parametrize("strategy", ["exact", "ivf", "index", "gds"])
@pytest.mark.rest("ivf", "gds")
def test_mutual_neighbours_are_joined_once(strategy: str, each_graph: Graph) -> None:
    wanted = expected(with_atoms(each_graph, 300))
    settings = AtomSettings(strategy=strategy, recall_sample=300, recall_floor=1.0)
    report = build_atoms(each_graph, settings)
    assert 300 < len(wanted) < 1000
    assert pairs(each_graph) == pytest.approx(wanted, abs=1e-5)
    joined = len({end for pair in wanted for end in pair})
    assert (report.changed, report.recall, report.relationships, report.joined) == (True, 1.0, len(wanted), joined)
    assert build_atoms(each_graph, settings) == replace(report, changed=False)
    assert query(each_graph, "MATCH (a:Atom) WHERE a.nearest IS NOT NULL RETURN a") == []


def test_what_changed_is_joined_anew(graph: Graph) -> None:
    vectors = with_atoms(graph, 100)
    build_atoms(graph)
    before = stages.recorded(graph)["atoms"].revision
    query(graph, "MATCH (e:Atom) WHERE e.id < '00015' DETACH DELETE e")
    query(graph, "MERGE (s:QcgStage:Stage {name: 'extract'}) SET s.revision = 7")
    assert stages.staleness(stages.recorded(graph), "atoms") == "stale: extract changed since"
    query(graph, "MATCH (a:Atom {id: '00020'}), (b:Atom {id: '00099'}) CREATE (a)-[:SIMILAR_TO {score: 1.0}]->(b)")
    assert build_atoms(graph).changed
    assert pairs(graph) == pytest.approx(expected(vectors, first=15), abs=1e-5)
    assert stages.recorded(graph)["atoms"].revision > before


@pytest.mark.rest("index")
@pytest.mark.parametrize("strategy", ["ivf", "index"])
def test_an_interrupted_search_goes_on_and_changes_nothing_before_its_end(
    strategy: str, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors, settings = with_atoms(graph, 100), AtomSettings(strategy=strategy, recall_floor=1.0)
    monkeypatch.setattr(search, "SLICE", 30)
    monkeypatch.setattr(nearest, "JOINED", 30)

    def stop(done: int, _: int | None) -> None:
        if done == 60:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_atoms(graph, settings, stop)
    assert (stages.recorded(graph)["atoms"].finished_at, pairs(graph)) == (None, {})
    steps: list[int] = []
    build_atoms(graph, settings, lambda done, _: steps.append(done))
    assert steps[0] == 60
    assert pairs(graph) == pytest.approx(expected(vectors), abs=1e-5)


def grown(graph: Graph) -> Vectors:
    """A graph with 390 atoms that are joined, and ten that are new."""
    vectors = with_atoms(graph, 400)
    query(graph, "MATCH (a:Atom) WHERE toInteger(a.id) % 40 = 7 SET a:Later REMOVE a:QcgAtom")
    await_indexes(graph)
    assert build_atoms(graph, BY_INDEX).added == 0
    query(graph, "MATCH (a:Later) SET a:QcgAtom REMOVE a:Later")
    query(graph, "MERGE (s:QcgStage:Stage {name: 'extract'}) SET s.revision = 7")
    await_indexes(graph)
    assert pairs(graph) != pytest.approx(expected(vectors), abs=1e-5)
    return vectors


def stop_after_five(done: int, _: int | None) -> None:
    if done >= 5:
        raise KeyboardInterrupt


@pytest.mark.rest
@pytest.mark.parametrize("interrupted", [False, True])
def test_a_graph_that_grew_a_little_is_searched_for_what_is_new_alone(
    *, interrupted: bool, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pairs are those of a search for all, also where the last one that an atom noted is displaced."""
    vectors = grown(graph)
    monkeypatch.setattr(search, "SLICE", 5)
    if interrupted:
        with pytest.raises(KeyboardInterrupt):
            build_atoms(graph, BY_INDEX, stop_after_five)
    report = build_atoms(graph, BY_INDEX)
    assert pairs(graph) == pytest.approx(expected(vectors), abs=1e-5)
    assert (report.changed, report.recall, report.relationships) == (True, 1.0, len(expected(vectors)))
    assert report.added == 10
    assert query(graph, "MATCH (a:Atom) WHERE a.nearest IS NOT NULL RETURN a") == []  # who may not see it sees no id
    query(graph, "MATCH (a:Atom {id: '00399'}) DETACH DELETE a")
    query(graph, "MERGE (s:QcgStage:Stage {name: 'extract'}) SET s.revision = 8")
    assert build_atoms(graph, BY_INDEX).added == 0  # nothing tells whose neighbour it was
    assert pairs(graph) == pytest.approx(expected(vectors[:399]), abs=1e-5)


@pytest.mark.rest
def test_what_is_deleted_after_an_interruption_is_missed(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as were added before it, so that there are no fewer than the last whole run counted."""
    vectors = grown(graph)
    monkeypatch.setattr(search, "SLICE", 5)
    with pytest.raises(KeyboardInterrupt):
        build_atoms(graph, BY_INDEX, stop_after_five)
    query(graph, "MATCH (a:Atom) WHERE a.id < '00005' DETACH DELETE a")
    query(graph, "MERGE (s:QcgStage:Stage {name: 'extract'}) SET s.revision = 8")
    assert build_atoms(graph, BY_INDEX).added == 0
    assert pairs(graph) == pytest.approx(expected(vectors, first=5), abs=1e-5)


def test_the_measured_recall_is_the_real_one(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    with_atoms(graph, 100)
    run = Graph.run

    def keeping(self: Graph, path: str, **values: Any) -> Any:
        return None if path == "build/atoms/forget_nearest" else run(self, path, **values)

    with monkeypatch.context() as patched:
        patched.setattr(Graph, "run", keeping)
        build_atoms(graph)
    query(graph, "MATCH (a:Atom) WHERE toInteger(a.id) % 2 = 0 SET a.nearest = a.nearest[1..]")
    assert graph.rows("build/atoms/recall", sample=100, neighbours=5)[0]["recall"] == pytest.approx(0.9)
    query(graph, "MATCH (a:Atom {id: '00000'}) SET a.nearest = null")
    assert graph.rows("build/atoms/recall", sample=100, neighbours=5)[0]["found"] == 446


@pytest.mark.rest
def test_without_atoms_or_recall_the_remedy_is_named(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GraphError, match=r"no atoms to join\.\nMake them first: `qcg extract`"):
        build_atoms(graph)
    with_atoms(graph, 20)
    rows = Graph.rows

    def poor(self: Graph, path: str, **values: Any) -> Any:
        return [{"recall": 0.5, "sample": 20}] if path == "build/atoms/recall" else rows(self, path, **values)

    monkeypatch.setattr(Graph, "rows", poor)
    with pytest.raises(GraphError, match=r"Only 0\.500 of the true neighbours were found; the floor is 0\.99"):
        build_atoms(graph)
    assert stages.recorded(graph)["atoms"].finished_at is None


def test_atoms_that_name_a_rare_entity_are_joined_across_chunks(graph: Graph) -> None:
    vectors = with_atoms(graph, 60)
    query(
        graph,
        "UNWIND range(0, 19) AS n CREATE (:QcgChunk:Chunk {id: 'c' + n}) "
        "CREATE (:QcgEntity:Entity {id: 'e' + n, name: 'e' + n})",
    )
    # Atom n is from chunk n / 3 and names entity n % 20; all of them name entity 0, a hub.
    query(
        graph,
        "MATCH (a:Atom) WITH a, toInteger(a.id) AS n "
        "MATCH (c:Chunk {id: 'c' + n / 3}), (e:Entity) WHERE e.id IN ['e' + n % 20, 'e' + (n / 2) % 20, 'e0'] "
        "CREATE (a)-[:FROM_CHUNK]->(c), (a)-[:MENTIONS]->(e)",
    )
    settings = AtomSettings(neighbours=2, sharing=2, sharing_hub=10)
    build_atoms(graph, settings)
    wanted = {**expected(vectors, 2), **sharing(vectors, most=2)}
    assert len(wanted) > len(expected(vectors, 2)) + 20
    assert pairs(graph) == pytest.approx(wanted, abs=1e-5)
    assert query(graph, "MATCH (a:Atom) WHERE a.nearest IS NOT NULL OR a.sharing IS NOT NULL RETURN a") == []
    build_atoms(graph, AtomSettings(neighbours=2))
    assert pairs(graph) == pytest.approx(expected(vectors, 2), abs=1e-5)


def sharing(vectors: Vectors, most: int) -> dict[tuple[str, str], float]:
    """The pairs of different chunks that share an entity other than the hub, each atom's nearest."""
    named = [{n % 20, (n // 2) % 20} - {0} for n in range(len(vectors))]
    scores, found = vectors @ vectors.T, {}
    for one, own in enumerate(named):
        others = [n for n, theirs in enumerate(named) if own & theirs and n // 3 != one // 3]
        for other in sorted(others, key=lambda n: -scores[one, n])[:most]:
            found[f"{min(one, other):05}", f"{max(one, other):05}"] = float(scores[one, other])
    return found
