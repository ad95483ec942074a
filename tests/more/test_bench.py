"""The measurements at tiny sizes: what is compared does the same work; how fast it is, no test says."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from bench import atom_graph, own
from bench.apoc import APOC
from bench.commands import NAME, bench
from bench.corpora import ALONE, BESIDE
from bench.databases import empty_database
from bench.embed import DATABASE, LOCAL
from bench.end_to_end import METHODS
from bench.figures import Measured, Result, as_markdown, ratio, spread
from bench.retrieve import retrieve_by_client
from bench.synthetic import CHUNKS, QUERIES, QUERIES_PER_TOPIC, Synthetic, fill
from bench.workers import served
from bench.writers import LibraryWriter, ProductWriter
from click.testing import CliRunner
from conftest import TestServer, emptied, without_vector_indexes

from qcg_neo4j.core.errors import GraphError, InputError
from qcg_neo4j.core.progress import silent
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.indexing.build import BuildSettings, build_queries
from qcg_neo4j.retrieval import Qcg, QcgSettings

DIMENSION = 32
SYNTHETIC = Synthetic(seed=1, dimension=DIMENSION, chunk_words=40)


@pytest.fixture
def nothing(server: TestServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a database without nodes and vector indexes, with its password in the environment."""
    with Graph.connect(server.uri, server.user, server.password) as graph:
        without_vector_indexes(graph)
    monkeypatch.setenv("NEO4J_PASSWORD", server.password)
    yield server.uri
    with Graph.connect(server.uri, server.user, server.password) as graph:
        assert graph.rows(own("nodes")) == [{"nodes": 0}]
        assert not {row["name"] for row in graph.rows("schema/indexes")} & {
            "qcg_query_embedding",
            "qcg_chunk_embedding",
        }


@pytest.mark.parametrize("aggregation", ["mean", "max", "sum"])
@pytest.mark.parametrize("hops", [0, 1, 2])
def test_the_client_finds_what_the_statement_finds(joined: Graph, hops: int, aggregation: str) -> None:
    settings = QcgSettings(hops=hops, aggregation=aggregation)
    for question in SYNTHETIC.questions(10, topics=2):
        by_statement = Qcg(settings).retrieve(joined, question.text, question.vector).passages
        by_client = retrieve_by_client(joined, settings, question.vector)
        assert [passage.id for passage in by_client] == [passage.id for passage in by_statement]
        for ours, theirs in zip(by_statement, by_client, strict=True):
            assert theirs.score == pytest.approx(ours.score, abs=1e-6)
            assert {path[-1].id for path in theirs.paths} == {path[-1].id for path in ours.paths}
            assert sorted(map(len, theirs.paths)) == sorted(map(len, ours.paths))


@pytest.fixture(scope="module")
def joined(server: TestServer) -> Iterator[Graph]:
    with Graph.connect(server.uri, server.user, server.password) as graph:
        use_model(emptied(graph), "synthetic", DIMENSION)
        fill(graph, SYNTHETIC, range(2), silent)
        build_queries(graph, BuildSettings())
        yield graph


def test_retrieve_prints_and_writes_a_table(nothing: str, tmp_path: Path) -> None:
    options = ["--questions", "4", "--warm-up", "1", "--dimension", str(DIMENSION), "--output", str(tmp_path)]
    called = ["retrieve", "--uri", nothing, "--sizes", "300,500", *options, "--json"]
    ran = CliRunner().invoke(bench, called, catch_exceptions=False)
    found = json.loads(ran.stdout)
    assert {row["size"] for row in found["rows"]} == {400, 600}
    assert {"empty round trip", "qcg h = 1", "qcg h = 1 by a client", "hybrid"} <= {
        row["name"] for row in found["rows"]
    }
    assert all(row["spread"]["minimum"] > 0 for row in found["rows"])
    assert {row["returned"] for row in found["rows"] if row["name"] in {"qcg h = 1", "vector", "hybrid"}} == {5}
    page = (tmp_path / "retrieve.md").read_text(encoding="utf-8")
    assert page.splitlines()[2] == f"    {NAME} {' '.join(called)}"
    assert "ynthetic data, seed 0" in page


def test_filters_find_what_an_exact_search_finds(nothing: str) -> None:
    options = ["--questions", "4", "--warm-up", "1", "--dimension", str(DIMENSION)]
    called = ["filters", "--uri", nothing, "--sizes", "1000", *options, "--json"]
    ran = CliRunner().invoke(bench, called, catch_exceptions=False)
    names = [row["name"] for row in json.loads(ran.stdout)["rows"]]
    assert len(names) == 2 * 5 + 2 * 4
    assert sum(name.endswith("recall 1.0000") for name in names) == 4 * 4


def test_paths_prints_and_writes_a_table(nothing: str, tmp_path: Path) -> None:
    options = ["--questions", "5", "--warm-up", "1", "--dimension", str(DIMENSION), "--output", str(tmp_path)]
    called = ["paths", "--uri", nothing, "--sizes", "300,1000", *options, "--json"]
    ran = CliRunner().invoke(bench, called, catch_exceptions=False)
    rows = {(row["size"], row["name"]): row["returned"] for row in json.loads(ran.stdout)["rows"]}
    assert len(rows) == 2 * 4
    assert all(paths > 0 for paths in rows.values())
    assert rows[1000, "every path (beamWidth 10,000)"] > rows[1000, "qcg.paths.beam"]
    assert (tmp_path / "paths.md").read_text(encoding="utf-8").splitlines()[2] == f"    {NAME} {' '.join(called)}"


def test_communities_prints_and_writes_a_table(nothing: str, tmp_path: Path) -> None:
    options = ["--questions", "4", "--warm-up", "1", "--dimension", str(DIMENSION), "--output", str(tmp_path)]
    called = ["communities", "--uri", nothing, "--sizes", "200,400", *options, "--json"]
    ran = CliRunner().invoke(bench, called, catch_exceptions=False)
    result = json.loads(ran.stdout)
    rows = {(row["size"], row["name"]): row["returned"] for row in result["rows"]}
    assert len(rows) == 2 * 8
    assert rows[400, "build"] > 10
    assert rows[400, "graphrag-local"] == rows[400, "graphrag-global C1"] == 5
    assert any("% of leidenalg's" in note for note in result["notes"])
    assert (tmp_path / "communities.md").read_text(encoding="utf-8").splitlines()[2] == f"    {NAME} {' '.join(called)}"


def test_page_rank_prints_and_writes_a_table(nothing: str, tmp_path: Path) -> None:
    options = ["--questions", "4", "--warm-up", "1", "--output", str(tmp_path)]
    called = ["page-rank", "--uri", nothing, "--sizes", "1000,3000", *options, "--json"]
    ran = CliRunner().invoke(bench, called, catch_exceptions=False)
    rows = {(row["size"], row["name"]): row["returned"] for row in json.loads(ran.stdout)["rows"]}
    assert len(rows) == 2 * 4
    assert rows[3000, "qcg.pageRank.push"] > rows[3000, "qcg.pageRank.push, tolerance 1e-05"] > 30
    assert (tmp_path / "page_rank.md").read_text(encoding="utf-8").splitlines()[2] == f"    {NAME} {' '.join(called)}"


def test_an_atom_graph_has_the_edges_that_it_says() -> None:
    synthetic = atom_graph.AtomGraph(1)
    triples, synonyms = synthetic.pairs(3)
    edges = [*synthetic.mentions(3), *triples, *synonyms]
    assert len(set(synthetic.mentions(3))) == atom_graph.MENTIONS
    assert {atom for atom, _, _ in synthetic.mentions(3)} == set(synthetic.atoms(3))
    assert len(edges) == atom_graph.EDGES
    assert all(one != other for one, other, _ in edges)
    assert {int(other[1:].partition("/")[0]) for _, other, _ in edges} == {0, 1, 2, 3}
    assert sum(synthetic.seeds(1, 4)[0].values()) == pytest.approx(1.0)


def test_load_prints_and_writes_a_table(nothing: str, tmp_path: Path) -> None:
    options = ["--chunks", "30", "--embedded-chunks", "10", "--repetitions", "1", "--output", str(tmp_path)]
    ran = CliRunner().invoke(bench, ["load", "--uri", nothing, *options], catch_exceptions=False)
    assert ran.exit_code == 0
    assert "Neo4jWriter" in ran.stdout
    page = (tmp_path / "load.md").read_text(encoding="utf-8")
    assert "| 30 | qcg load |" in page
    assert "| 10 | neo4j_graphrag Neo4jWriter, with embedding |" in page


def test_both_writers_write_the_same_chunks(graph: Graph) -> None:
    use_model(graph, "synthetic", DIMENSION)
    topics = [SYNTHETIC.topic(number) for number in range(3)]
    held = []
    for writer in (ProductWriter(graph, topics), LibraryWriter(graph, topics, relationships=False)):
        writer.write()
        found = graph.driver.execute_query(
            "MATCH (node:QcgDocument|QcgChunk) "
            "RETURN CASE WHEN node:QcgChunk THEN 'Chunk' ELSE 'Document' END AS label, "
            "properties(node) AS properties ORDER BY node.id"
        )
        # Words, and the name for people, are the product's alone; what begins with `__` is the library's.
        rows = [(row["label"], {**row["properties"], "words": None, "displayName": None}) for row in found.records]
        held.append([(label, {k: v for k, v in given.items() if not k.startswith("__")}) for label, given in rows])
        graph.run(own("clear"))
    assert len(held[0]) == 3 + 3 * CHUNKS
    assert held[0] == held[1]


def test_a_database_with_nodes_is_refused_and_left_alone(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", graph.address.password)
    graph.driver.execute_query("CREATE (:QcgDocument:Document {id: 'mine'})")
    with pytest.raises(GraphError, match="holds 1 nodes"), empty_database(graph.address.uri, None, None):
        pytest.fail("it was opened")
    assert graph.rows(own("nodes")) == [{"nodes": 1}]


@pytest.mark.parametrize("sizes", ["2000,1000", "0", "10,10"])
def test_sizes_must_rise(nothing: str, sizes: str) -> None:
    with pytest.raises(InputError, match="do not rise"):
        CliRunner().invoke(bench, ["retrieve", "--uri", nothing, "--sizes", sizes], catch_exceptions=False)


def test_sizes_must_be_numbers() -> None:
    ran = CliRunner().invoke(bench, ["retrieve", "--sizes", "many"])
    assert ran.exit_code == 2
    assert "10000,100000" in ran.stderr


def test_a_larger_graph_begins_with_the_smaller_one() -> None:
    again = Synthetic(seed=1, dimension=DIMENSION, chunk_words=40)
    again.topic(5)
    assert again.topic(1).query_ids == SYNTHETIC.topic(1).query_ids
    np.testing.assert_array_equal(again.topic(1).query_vectors, SYNTHETIC.topic(1).query_vectors)
    assert not np.array_equal(Synthetic(2, DIMENSION, 40).topic(1).query_vectors, again.topic(1).query_vectors)


def test_hits_scatter_over_chunks() -> None:
    vectors = np.concatenate([SYNTHETIC.topic(number).query_vectors for number in range(5)])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert len(vectors) == 5 * QUERIES_PER_TOPIC
    for question in SYNTHETIC.questions(50, topics=5):
        nearest = np.argsort(-(vectors @ question.vector))[:15]
        assert len(set(nearest // QUERIES)) >= 3


def test_figures() -> None:
    found = spread([4.0, 1.0, 2.0, 3.0, 5.0])
    assert (found.minimum, found.quarter, found.median, found.three_quarters, found.maximum) == (1, 2, 3, 4, 5)
    assert found.p95 == pytest.approx(4.8)
    assert ratio([2.0, 9.0, 8.0], [1.0, 3.0, 1.0]) == 3.0
    result = Result("Title", "ms", "queries", "bare", (Measured("bare", 1000, found, 1.0, 15.0),), ("A note.",))
    assert "| 1,000 | bare | 15.0 | 3.00 | 1.00 | 2.00 | 4.00 | 4.80 | 5.00 | 1.00 |" in as_markdown(result)


def test_apoc_is_locked() -> None:
    assert all(len(artefact.sha256) == 64 and artefact.size for artefact in APOC)


def test_links_prints_and_writes_a_table(nothing: str, tmp_path: Path) -> None:
    options = ["--atoms", "1000", "--dimension", "8", "--questions", "2", "--warm-up", "1", "--degrees", "3,10"]
    called = ["links", "--uri", nothing, "--candidates", "5,40", *options, "--output", str(tmp_path), "--json"]
    ran = CliRunner().invoke(bench, called, catch_exceptions=False)
    rows = {(row["size"], row["name"]) for row in json.loads(ran.stdout)["rows"]}
    assert len(rows) == 2 * (3 + 2)  # vectors are computed anew at the small degree alone
    assert (40, "PyTorch, neighbourhood fetched, degree 10") in rows
    assert (tmp_path / "links.md").exists()


def test_corpora_prints_and_writes_a_table(nothing: str, tmp_path: Path) -> None:
    options = ["--sizes", "100,500", "--dimension", "8", "--questions", "3", "--warm-up", "1", "--sets", "1"]
    called = ["corpora", "--uri", nothing, *options, "--output", str(tmp_path), "--json"]
    ran = CliRunner().invoke(bench, called, catch_exceptions=False)
    recall = {row["name"]: row["returned"] for row in json.loads(ran.stdout)["rows"]}
    assert recall[ALONE] == recall[BESIDE] == 100
    assert len(recall) == 5
    assert (tmp_path / "corpora.md").exists()


def test_a_corpus_is_written_built_and_asked_by_every_method(nothing: str, tmp_path: Path) -> None:
    options = [
        "--chunks",
        "100",
        "--questions",
        "2",
        "--warm-up",
        "1",
        "--askers",
        "1,2",
        "--exact",
        "2",
        "--output",
        str(tmp_path),
    ]
    ran = CliRunner().invoke(bench, ["end-to-end", "--uri", nothing, *options], catch_exceptions=False)
    assert ran.exit_code == 0
    page = (tmp_path / "end_to_end.md").read_text(encoding="utf-8")
    assert "| 1,000 | qcg build queries, s |" in page
    assert "| 400 | qcg build atoms, s |" in page
    assert all(f"{name}, ms, asked by 2" in page for name in METHODS)
    assert re.search(r"chunk 1\.000, query \d\.\d+, atom \d\.\d+, related_to \d\.\d+ of 40 candidates", page)
    assert "qcg: 100.0 % of the passages of exact search." in page


def test_settings_of_a_vector_index_are_compared(nothing: str, tmp_path: Path) -> None:
    options = ["--synthetic", "400", "--dimension", "16", "--questions", "2", "--warm-up", "1"]
    called = ["vectors", "--uri", nothing, "--choices", "16/100,16/100/quantized", *options, "--output", str(tmp_path)]
    ran = CliRunner().invoke(bench, called, catch_exceptions=False)
    assert ran.exit_code == 0
    page = (tmp_path / "vectors.md").read_text(encoding="utf-8")
    assert re.search(r"\| 400 \| 16/100, 40 candidates \| 100\.0 \|", page)
    assert re.search(r"16/100/quantized: built in \d+\.\d s", page)


def test_joining_finds_the_nearest_in_every_way(nothing: str, tmp_path: Path) -> None:
    options = ["--sizes", "200", "--dimension", "16", "--strategies", "exact,ivf,gds,index", "--output", str(tmp_path)]
    ran = CliRunner().invoke(bench, ["joining", "--uri", nothing, *options], catch_exceptions=False)
    assert ran.exit_code == 0
    page = (tmp_path / "joining.md").read_text(encoding="utf-8")
    assert re.search(
        r"by the vector index, recall (1\.0|0\.9[5-9])", page
    )  # approximate: one of its neighbours may miss
    for way in (
        "by GDS kNN, recall 1.000",
        "qcg build queries, exact, recall 1.000",
        "by lists (IVF), recall ",  # above the floor, or it would have failed
    ):
        assert way in page


def test_embed_compares_both_models(nothing: str, tmp_path: Path) -> None:
    options = ["--sizes", "5,40", "--texts", "3", "--repetitions", "2", "--output", str(tmp_path), "--json"]
    ran = CliRunner().invoke(bench, ["embed", "--uri", nothing, *options], catch_exceptions=False)
    result = json.loads(ran.stdout)
    assert {(row["size"], row["name"]) for row in result["rows"]} == {
        (size, name) for size in (5, 40) for name in (DATABASE, LOCAL)
    }
    assert sum("The first text of a process" in note for note in result["notes"]) == 2
    assert (tmp_path / "embed.md").exists()


@pytest.mark.slow
def test_training_needs_no_database() -> None:
    options = ["--dimension", "8", "--steps", "1", "--repetitions", "1", "--degree", "3", "--sizes", "1000", "--json"]
    ran = CliRunner().invoke(bench, ["training", *options], catch_exceptions=False)
    row = json.loads(ran.stdout)["rows"][0]
    assert (row["size"], row["spread"]["median"] > 0) == (1000, True)


def test_the_endpoint_of_workers_is_a_process_that_answers() -> None:
    with served(0.0) as url:
        assert url.endswith("/v1")
        address = urlsplit(url)
        socket.create_connection((address.hostname or "", address.port or 0), timeout=10).close()
