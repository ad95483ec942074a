"""How far vector indexes must be searched: measured like by exact search in numpy, noted, and taken by methods."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from graph_dump import query
from numpy.typing import NDArray

from qcg_neo4j.database import stages
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import recorded_model, use_model
from qcg_neo4j.database.permission import permission
from qcg_neo4j.database.schema import await_indexes, create_vector_indexes
from qcg_neo4j.indexing.build import IndexesSettings, measure_indexes
from qcg_neo4j.indexing.build.indexes import CANDIDATES
from qcg_neo4j.retrieval import LpSettings, Qcg, QcgSettings
from qcg_neo4j.retrieval.lp import lp_call

PAGE = Path(__file__).parents[1] / "bench/README.md"
SIZE, DIMENSION, SAMPLE = 4000, 384, 5
FOUND = "CALL db.index.vector.queryNodes('qcg_query_embedding', $most, $vector) YIELD node RETURN node.id AS id"


@pytest.fixture
def vectors(graph: Graph) -> NDArray[np.float64]:
    """Queries of random directions, in the order of their ids; an approximate index finds these worst."""
    made = np.random.default_rng(3).standard_normal((SIZE, DIMENSION))
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    use_model(graph, "synthetic", DIMENSION)
    rows = [{"id": f"{place:05}", "vector": row.tolist()} for place, row in enumerate(made)]
    query(graph, "UNWIND $rows AS row CREATE (:QcgQuery:Query {id: row.id, embedding: row.vector})", rows=rows)
    await_indexes(graph)
    return made


def share(graph: Graph, vectors: NDArray[np.float64], most: int) -> float:
    """The share of the ten nearest, by exact search, that are among as many candidates, half-way between two."""
    found = 0
    for place in range(SAMPLE):
        asked = vectors[place] + vectors[(place + 1) % SAMPLE]
        near = np.argsort(-(vectors @ asked))[:10]
        rows = query(graph, FOUND, most=most, vector=asked.tolist())
        found += len({f"{one:05}" for one in near} & {row["id"] for row in rows})
    return found / (10 * SAMPLE)


@pytest.mark.rest
def test_an_index_is_measured_as_by_exact_search(graph: Graph, vectors: NDArray[np.float64]) -> None:
    tenths: list[dict[str, float]] = []
    found: list[float] = []
    for candidates in (20, 40, 320):
        (row,) = graph.rows("build/index_recall", sample=SAMPLE, candidates=candidates, kinds=["Query"], tenths=tenths)
        assert row["recall"] == pytest.approx(share(graph, vectors, candidates), abs=0.03)
        assert [one["first"] for one in row["tenths"]] == list(range(SAMPLE))
        tenths = row["tenths"]
        found.append(row["recall"])
    assert found[0] < found[2] <= 1


@pytest.mark.rest
def test_indexes_are_searched_as_wide_as_it_takes(graph: Graph, vectors: NDArray[np.float64]) -> None:
    assert permission(graph, None).candidates(80) == 80
    report = measure_indexes(graph, IndexesSettings(recall_floor=1.0, sample=SAMPLE))
    assert report.changed
    assert report.widening == report.candidates["Query"] / CANDIDATES[0] > 1
    assert share(graph, vectors, report.candidates["Query"]) >= min(report.recall["Query"] - 0.03, 0.97)
    for gone, measured in ((0, False), (SIZE // 10, False), (1, True)):  # in all more than a tenth of what was measured
        query(graph, "MATCH (q:QcgQuery) WITH q ORDER BY q.id DESC LIMIT $gone DELETE q", gone=gone)
        query(graph, "MERGE (s:QcgStage:Stage {name: 'generate'}) SET s.revision = coalesce(s.revision, 0) + 1")
        again = measure_indexes(graph, IndexesSettings(recall_floor=1.0, sample=SAMPLE))
        assert (again.changed, again.entries) == (measured, SIZE - SIZE // 10 - 1 if measured else SIZE)
        assert stages.staleness(stages.recorded(graph), "indexes") is None
    recorded = recorded_model(graph)
    assert recorded is not None
    assert recorded["widening"] == again.widening
    asked = permission(graph, None).applied(Qcg().call("", vectors[0].astype(np.float32)))
    plain = Qcg().call("", vectors[0].astype(np.float32))
    assert asked.parameters["candidates"] == plain.parameters["candidates"] * again.widening


@pytest.mark.rest
def test_a_small_graph_is_searched_as_usual(graph: Graph, vectors: NDArray[np.float64]) -> None:
    report = measure_indexes(graph, IndexesSettings(recall_floor=0.5, sample=SAMPLE))
    assert (report.widening, set(report.candidates)) == (1.0, {"Query"})


@pytest.mark.rest
def test_an_index_made_as_the_page_says_stays_and_finds_more(graph: Graph, vectors: NDArray[np.float64]) -> None:
    before = share(graph, vectors, 10)
    (block,) = re.findall(r"```cypher\n(DROP INDEX .*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    for text in block.split(";")[:-1]:
        query(graph, text)
    create_vector_indexes(graph, DIMENSION)  # as each stage does
    await_indexes(graph)
    shown = "SHOW VECTOR INDEXES YIELD name, options WHERE name = 'qcg_query_embedding' RETURN options"
    assert query(graph, shown)[0]["options"]["indexConfig"]["vector.hnsw.m"] == 32
    assert share(graph, vectors, 10) > before


@pytest.mark.rest
def test_a_procedure_searches_as_wide_as_the_method(graph: Graph) -> None:
    use_model(graph, "synthetic", 2)
    query(
        graph,
        "UNWIND range(1, 40) AS n WITH n, n / 50.0 AS angle "
        "CREATE (:QcgQuery:Query {id: 'q' + n, text: 'q', embedding: [cos(angle), sin(angle)]})"
        "-[:FROM_CHUNK]->(c:QcgChunk:Chunk {id: 'c' + n, text: 'c', index: n, tokenCount: 1})"
        "-[:FROM_DOCUMENT]->(:QcgDocument:Document {id: 'd' + n})",
    )
    await_indexes(graph)
    vector = np.array([1.0, 0.0], np.float32)
    call = "CALL qcg.retrieve.qcg($vector, {passages: 20, hops: 0}) YIELD chunk RETURN chunk.id AS id"
    for widening, passages in ((1.0, 15), (0.03, 2)):
        query(graph, "MATCH (c:QcgCorpus) SET c.widening = $widening", widening=widening)
        graph.recorded = None
        found = [item.id for item in Qcg(QcgSettings(passages=20, hops=0)).retrieve(graph, "x", vector).passages]
        assert len(found) == passages
        assert [row["id"] for row in query(graph, call, vector=vector.tolist())] == found


def test_what_is_asked_of_the_index_is_widened_and_what_is_ranked_is_not(graph: Graph) -> None:
    use_model(graph, "synthetic", 2)
    query(
        graph,
        "UNWIND range(1, 40) AS n WITH n, n / 50.0 AS angle "
        "CREATE (:QcgAtom:Atom {id: 'a' + right('0' + n, 2), text: 'a', embedding: [cos(angle), sin(angle)]})",
    )
    query(graph, "MATCH (c:QcgCorpus) SET c.widening = 3")
    graph.recorded = None
    await_indexes(graph)
    path, vector = "retrieve/lp/ranked | retrieve/lp/neighbourhood", np.array([1.0, 0.0], np.float32)
    call = lp_call(path, LpSettings(candidates=10, atoms=5), vector)
    asked = permission(graph, None).applied(call)
    assert (asked.parameters["candidates"], asked.parameters["ranked"]) == (30, 10)
    ranked = [row["id"] for row in graph.rows(asked) if row["is_ranked"]]
    assert sorted(ranked) == [f"a{place:02}" for place in range(1, 11)]


def test_a_filter_and_the_size_of_the_graph_widen_the_search_once(graph: Graph) -> None:
    use_model(graph, "synthetic", 2)
    query(graph, "UNWIND range(1, 4) AS n CREATE (:QcgDocument:Document {id: 'd' + n, half: n % 2})")
    query(graph, "UNWIND range(1, 1000) AS n CREATE (:QcgChunk:Chunk {id: 'c' + n})")
    for widening, wide in ((1, 24), (3, 24), (30, 60)):  # at least twelve, by the share of what is permitted
        query(graph, "MATCH (c:QcgCorpus) SET c.widening = $widening", widening=widening)
        graph.recorded = None
        assert permission(graph, None).candidates(10) == 10 * widening
        assert permission(graph, "half = 1").candidates(10) == 10 * wide
        # From here on as many are looked at as are permitted, 250 at the usual width.
        soon = round(250 * 24 / wide)
        assert [permission(graph, "half = 1").candidates(wanted) == 1 for wanted in (soon - 1, soon)] == [False, True]
