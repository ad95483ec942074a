"""The build on a real server: true neighbours, twice the same, resumed after a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from conftest import TestServer
from graph_dump import query

from qcg_neo4j.core.errors import GraphError, MissingPackageError
from qcg_neo4j.database import stages
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.indexing.build import BuildSettings, build_queries, search
from qcg_neo4j.indexing.build import nearest as search_here
from qcg_neo4j.indexing.build.search import MOST_DOUBLINGS

EDGES = """
MATCH (q:Query)-[s:SIMILAR_TO]->(o:Query)
RETURN q.id AS q, s.rank AS rank, o.id AS o, round(s.score, 4) AS score ORDER BY q, rank
"""
MAKE = """
UNWIND $rows AS row
CREATE (query:QcgQuery:Query {id: row.id, text: row.id})
WITH query, row CALL db.create.setNodeVectorProperty(query, 'embedding', row.vector)
"""


def with_queries(graph: Graph, number: int, seed: int = 0) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Queries in clusters of twenty, as generated ones are; their vectors in the order of their ids."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(number // 20 + 1, 16))
    vectors = np.repeat(centres, 20, axis=0)[:number] + random.normal(size=(number, 16))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    use_model(graph, "synthetic", 16)
    rows = [{"id": f"{place:06}", "vector": vector.tolist()} for place, vector in enumerate(vectors)]
    graph.driver.execute_query(MAKE, rows=rows)
    await_indexes(graph)
    return vectors.astype(np.float32)


def edges(graph: Graph) -> list[Any]:
    return [record.values() for record in graph.driver.execute_query(EDGES).records]


def share_of_true(graph: Graph, vectors: np.ndarray[Any, np.dtype[np.float32]], neighbours: int) -> float:
    """How many of the stored neighbours are among the nearest, by comparing all with all; their scores are checked."""
    scores = vectors.astype(np.float64) @ vectors.T.astype(np.float64)
    np.fill_diagonal(scores, -2)
    least = -np.sort(-scores, axis=1)[:, neighbours - 1]
    true = []
    for one, _, other, score in edges(graph):
        exact = scores[int(one), int(other)]
        assert score == pytest.approx(exact, abs=2e-4)
        true.append(exact >= least[int(one)] - 1e-6)
    return float(np.sum(true)) / (neighbours * len(vectors))


@pytest.mark.parametrize("strategy", ["exact", "ivf", "index", "gds"])
@pytest.mark.rest("ivf", "gds")
def test_neighbours_are_the_true_ones(strategy: str, each_graph: Graph) -> None:
    vectors = with_queries(each_graph, 400)
    settings = BuildSettings(neighbours=4, strategy=strategy, recall_sample=400)
    report = build_queries(each_graph, settings)
    assert (report.changed, report.relationships) == (True, 1600)
    assert report.recall == pytest.approx(share_of_true(each_graph, vectors, 4), abs=1e-9)
    assert report.recall >= settings.recall_floor
    assert build_queries(each_graph, settings) == replace(report, changed=False)


def test_the_measured_recall_is_the_real_one(graph: Graph) -> None:
    vectors = with_queries(graph, 300)
    build_queries(graph, BuildSettings(neighbours=3))
    graph.driver.execute_query("MATCH (q:Query)-[s:SIMILAR_TO {rank: 1}]->() WHERE toInteger(q.id) % 3 = 0 DELETE s")
    wrong = "MATCH (q:Query {id: '000001'})-[s:SIMILAR_TO {rank: 2}]->() SET s.score = -0.5"
    graph.driver.execute_query(wrong)
    expected = (3 * len(vectors) - 100 - 1) / (3 * len(vectors))
    found = graph.rows("build/recall", sample=300, neighbours=3)[0]
    assert found["recall"] == pytest.approx(expected)


@pytest.mark.rest
def test_too_low_recall_is_an_error_and_says_what_to_do(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    with_queries(graph, 60)
    rows = Graph.rows

    def poor(self: Graph, path: str, **values: Any) -> Any:
        return [{"recall": 0.5, "sample": 60}] if path == "build/recall" else rows(self, path, **values)

    monkeypatch.setattr(Graph, "rows", poor)
    with pytest.raises(GraphError, match=r"Only 0\.500 .* the floor is 0\.99.*\n.*more candidates"):
        build_queries(graph, BuildSettings())
    monkeypatch.undo()
    assert stages.recorded(graph)["build"].finished_at is None


def test_when_the_index_finds_too_few_gds_is_asked(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    with_queries(graph, 60)
    rows = Graph.rows
    asked: list[str] = []

    def poor_at_first(self: Graph, path: str, **values: Any) -> Any:
        if path == "build/recall" and len(asked) < MOST_DOUBLINGS:
            asked.append(path)
            return [{"recall": 0.5, "sample": 60}]
        return rows(self, path, **values)

    monkeypatch.setattr(search, "all_are_compared", lambda *_: False)
    monkeypatch.setattr(search, "has_room", lambda *_: False)
    monkeypatch.setattr(Graph, "rows", poor_at_first)
    assert build_queries(graph, BuildSettings()).strategy == "gds"


def test_more_lists_are_looked_into_where_too_little_was_found(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    with_queries(graph, 60)
    rows, shares = Graph.rows, []

    def noting(neighbours: int, above: float, share: float) -> search_here.Wanted:
        shares.append(share)
        return search_here.Wanted(neighbours, above, share)

    def poor_at_first(self: Graph, path: str, **values: Any) -> Any:
        found = rows(self, path, **values)
        return [{**found[0], "recall": 0.5}] if path == "build/recall" and len(shares) < 3 else found

    monkeypatch.setattr(search, "Wanted", noting)
    monkeypatch.setattr(Graph, "rows", poor_at_first)
    report = build_queries(graph, BuildSettings(strategy="ivf", recall_floor=0.9))
    assert (report.strategy, report.relationships) == ("ivf", 180)
    assert shares == pytest.approx([0.95, 0.975, 0.9875])


def test_few_are_compared_with_all_and_an_interruption_loses_no_block(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_queries(graph, 60)
    monkeypatch.setattr(search_here, "JOINED", 8)
    steps: list[int] = []

    def stop(done: int, _: int | None) -> None:
        steps.append(done)
        if done > 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_queries(graph, BuildSettings(), stop)
    report = build_queries(graph, BuildSettings(), lambda done, _: steps.append(done))
    assert (report.strategy, report.recall, report.relationships) == ("exact", 1.0, 180)
    assert steps == [0, 8, 16, 24, 24, 32, 40, 48, 56, 60]


def test_what_is_nearest_by_hand() -> None:
    """Equal ones by their ids, none with itself, and none below the bound; a vector of nothing is near to nothing."""
    vectors = np.array([[1, 0], [0, 1], [0.6, 0.8], [0.6, 0.8], [0, 0]], np.float32)

    def found(after: str, above: float) -> dict[str, list[tuple[str, float]]]:
        wanted, ids = search_here.Wanted(2, above), list("abcde")
        blocks = search_here.nearest(ids, vectors, wanted, search_here.among_all(vectors, wanted), after)
        return {name: near for ids, block in blocks for name, near in zip(ids, block, strict=True)}

    all_near = found("", -np.inf)
    assert [name for name, _ in all_near["b"]] == ["c", "d"]
    assert [name for name, _ in all_near["a"]] == ["c", "d"]
    assert dict(all_near["c"]) == pytest.approx({"d": 1.0, "b": 0.8})
    above = {name: [other for other, _ in near] for name, near in found("b", 0.7).items()}
    assert above == {"c": ["d", "b"], "d": ["c", "b"], "e": []}
    nothing, wanted = np.zeros((0, 1), np.float32), search_here.Wanted(2)
    assert list(search_here.nearest([], nothing, wanted, search_here.among_all(nothing, wanted))) == []


@pytest.mark.parametrize("neighbours", [1, 7])
@pytest.mark.parametrize("above", [-np.inf, 0.8])
@pytest.mark.rest
def test_lists_have_the_wanted_share_of_the_nearest(
    neighbours: int, above: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_here, "BLOCK", 700)
    monkeypatch.setattr(search_here, "TILE", 600)
    random = np.random.default_rng(3)
    vectors = (random.normal(size=(100, 1, 12)) + 0.5 * random.normal(size=(100, 20, 12))).reshape(2000, 12)
    vectors = np.hstack([vectors, 0.1 * random.normal(size=(2000, 20))])  # little more in other directions
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    scores = vectors @ vectors.T
    np.fill_diagonal(scores, -np.inf)
    least = np.maximum(-np.sort(-scores, axis=1)[:, neighbours - 1], above)
    true = {(row, other) for row, other in np.argwhere(scores >= least[:, None] - 1e-6).tolist()}

    def share(wanted: search_here.Wanted, candidates: search_here.Candidates) -> float:
        ids = [f"{place:04}" for place in range(2000)]
        blocks = search_here.nearest(ids, vectors, wanted, candidates)
        found = dict(pair for block in blocks for pair in zip(*block, strict=True))
        assert all(
            score == pytest.approx(scores[int(one), int(other)], abs=1e-5) for one in ids for other, score in found[one]
        )
        return sum((int(one), int(other)) in true for one in ids for other, _ in found[one]) / len(true)

    everything = search_here.Wanted(neighbours, above)
    assert share(everything, search_here.among_all(vectors, everything)) == pytest.approx(1.0, abs=1e-3)
    for least, greatest in ((0.9, 0.9999), (0.99, 1.0)):  # of a sample that is not the whole
        most = search_here.Wanted(neighbours, above, least)
        assert least - 0.05 < share(most, search_here.among_near_lists(vectors, most, 0)) <= greatest


def test_without_faiss_the_index_takes_its_place_and_that_is_said(
    graph: Graph, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with_queries(graph, 60)
    monkeypatch.setattr(search, "all_are_compared", lambda *_: False)
    monkeypatch.setattr(search, "has_lists", lambda: False)
    assert build_queries(graph, BuildSettings()).strategy == "index"
    assert "pip install 'qcg-neo4j[faiss]'" in caplog.text
    with pytest.raises(MissingPackageError, match="needs faiss"):
        build_queries(graph, BuildSettings(strategy="ivf"))


def test_how_many_are_compared_with_all() -> None:
    assert search_here.all_are_compared(200_000, 384)
    assert not search_here.all_are_compared(1_000_000, 384)
    assert search_here.has_room(1_000_000, 384)
    assert not search_here.has_room(10_000_000, 384)


def test_new_queries_make_the_build_stale_and_building_again_mends_it(graph: Graph) -> None:
    with_queries(graph, 100)
    build_queries(graph, BuildSettings())
    graph.driver.execute_query("MATCH (q:Query) WHERE q.id < '000020' DETACH DELETE q")
    graph.driver.execute_query("MERGE (s:QcgStage:Stage {name: 'generate'}) SET s.revision = 7")
    assert stages.staleness(stages.recorded(graph), "build") == "stale: generate changed since"
    report = build_queries(graph, BuildSettings())
    assert (report.changed, report.queries, report.relationships) == (True, 80, 240)


@pytest.mark.rest
@pytest.mark.parametrize("interrupted", [False, True])
def test_a_graph_that_grew_a_little_is_searched_for_what_is_new_alone(
    *, interrupted: bool, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The neighbours are those of all: of the new ones, of those they came near to, of those that lost one."""
    settings, rows = BuildSettings(strategy="index", recall_floor=1.0), Graph.rows
    asked: list[str] = []

    def noting(self: Graph, path: Any, *most: Any, **values: Any) -> Any:
        asked.extend(values["ids"] if path == "build/nearest_by_index" else ())
        return rows(self, path, *most, **values)

    def stop(done: int, _: int | None) -> None:
        if interrupted and done >= 10:
            raise KeyboardInterrupt

    vectors = with_queries(graph, 400)
    query(graph, "MATCH (q:Query) WHERE toInteger(q.id) % 20 = 7 SET q:Later REMOVE q:QcgQuery")
    query(graph, "CREATE (q:QcgQuery:Query {id: '000400', embedding: $vector})", vector=(-vectors[0]).tolist())
    whole = build_queries(graph, settings)
    assert (whole.queries, whole.added, len(edges(graph))) == (381, 0, 3 * 381)
    query(graph, "MATCH (q:Query {id: '000400'}) DETACH DELETE q")
    query(graph, "MATCH (q:Later) SET q:QcgQuery REMOVE q:Later")
    query(graph, "MERGE (s:QcgStage:Stage {name: 'generate'}) SET s.revision = 7")
    await_indexes(graph)
    monkeypatch.setattr(search, "SLICE", 5)
    monkeypatch.setattr(Graph, "rows", noting)
    with pytest.raises(KeyboardInterrupt) if interrupted else nullcontext():
        build_queries(graph, settings, stop)
    report = build_queries(graph, settings)
    assert report.changed == interrupted
    assert (report.queries, report.relationships, report.recall) == (400, 1200, 1.0)
    assert 20 <= report.added < 40
    assert 20 < len(set(asked)) < 200
    assert len(asked) < 200
    assert share_of_true(graph, vectors, 3) == 1.0
    assert {row["n"] for row in query(graph, "MATCH (q:Query)-[s:SIMILAR_TO]->() RETURN q, sum(s.rank) AS n")} == {6}


def test_a_graph_that_grew_much_is_searched_anew(graph: Graph) -> None:
    with_queries(graph, 70)
    query(graph, "MATCH (q:Query) WHERE q.id >= '000060' SET q:Later REMOVE q:QcgQuery")
    for number, added in ((60, 0), (65, 5), (70, 0)):  # ten since all were searched for would be more than a tenth
        query(graph, "MATCH (q:Later) WHERE toInteger(q.id) < $number SET q:QcgQuery REMOVE q:Later", number=number)
        query(graph, "MERGE (s:QcgStage:Stage {name: 'generate'}) SET s.revision = $number", number=number)
        await_indexes(graph)
        found = build_queries(graph, BuildSettings(strategy="index"))
        assert (found.queries, found.relationships, found.added) == (number, 3 * number, added)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_fewer_queries_than_neighbours(graph: Graph, number: int) -> None:
    with_queries(graph, number)
    assert build_queries(graph, BuildSettings(neighbours=5)).relationships == number * (number - 1)


def test_equal_texts_are_neighbours_but_not_their_own(graph: Graph) -> None:
    use_model(graph, "synthetic", 16)
    rows = [{"id": name, "vector": [1.0] + [0.0] * 15} for name in "abcd"]
    graph.driver.execute_query(MAKE, rows=rows)
    build_queries(graph, BuildSettings(neighbours=2))
    assert [(query, other) for query, _, other, _ in edges(graph)] == [
        ("a", "b"), ("a", "c"), ("b", "a"), ("b", "c"), ("c", "a"), ("c", "b"), ("d", "a"), ("d", "b"),
    ]  # fmt: skip


def test_without_queries_the_remedy_is_named(graph: Graph) -> None:
    with pytest.raises(GraphError, match="no queries to join"):
        build_queries(graph)


def test_an_interrupted_generate_is_noticed(graph: Graph) -> None:
    with_queries(graph, 20)
    graph.driver.execute_query("CREATE (:QcgQuery:Query {id: 'x'})")
    with pytest.raises(GraphError, match="1 queries have no embedding"):
        build_queries(graph)


@pytest.mark.rest
def test_a_killed_build_goes_on_where_it_was(graph: Graph, server: TestServer) -> None:
    vectors = with_queries(graph, 3000)
    command = [sys.executable, "-m", "qcg_neo4j", "build", "--uri", server.uri, "--strategy", "index"]
    environment = {**os.environ, "NEO4J_USERNAME": server.user, "NEO4J_PASSWORD": server.password}
    for _ in range(2):
        before = len(edges(graph))
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            while process.poll() is None and len(edges(graph)) <= before:
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
    assert 0 < len(edges(graph)) < 9000
    assert stages.staleness(stages.recorded(graph), "build") == "interrupted"
    steps: list[int] = []
    report = build_queries(graph, BuildSettings(strategy="index"), lambda done, _: steps.append(done))
    assert steps[0] > 0
    assert report.recall >= 0.99
    assert len(edges(graph)) == 9000
    assert share_of_true(graph, vectors, 3) >= 0.98  # the floor of 0.99 is held on a sample
