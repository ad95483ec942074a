"""The schema: an older graph, whose nodes have no mark, is brought up to date beside what others keep there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import others
import pytest
from conftest import SAMPLE, TestServer, emptied
from graph_dump import dump, query
from small_embedder import SmallEmbedder

from qcg_neo4j.build import BuildSettings, build_queries
from qcg_neo4j.errors import GraphError
from qcg_neo4j.extract import ExtractSettings, extract_graph
from qcg_neo4j.generate import GenerateSettings, generate_queries
from qcg_neo4j.graph import Graph
from qcg_neo4j.load import LoadSettings, load_documents, read_documents
from qcg_neo4j.marks import KINDS, mark
from qcg_neo4j.replies import Recording
from qcg_neo4j.retrieve import method
from qcg_neo4j.statements import paths, statement

QUESTION = "Which gym did Wolfgang recommend to Li Hua?"
INDEXES = "SHOW INDEXES YIELD name, labelsOrTypes, properties, type, state RETURN * ORDER BY name"
MADE = [
    re.sub(r"\bqcg_|\bQcg", "", statement(path).text)
    for path in paths()
    if path.startswith(("schema/index/", "schema/vector_index/", "generate/index_"))
]
NAMES = {re.findall(r"(?:INDEX|CONSTRAINT) (\w+) IF", text)[0] for text in MADE}


def connected(server: TestServer) -> Graph:
    return Graph.connect(server.uri, server.user, server.password)


def made_older(graph: Graph) -> None:
    """Take from a graph what older ones lack, and give it the constraints and indexes that they had."""
    for row in query(graph, "SHOW CONSTRAINTS YIELD name WHERE name STARTS WITH 'qcg_' RETURN name"):
        query(graph, f"DROP CONSTRAINT {row['name']}")
    for row in query(graph, "SHOW INDEXES YIELD name WHERE name STARTS WITH 'qcg_' RETURN name"):
        query(graph, f"DROP INDEX {row['name']}")
    for kind in KINDS:
        query(graph, f"MATCH (node:{mark(kind)}) REMOVE node:{mark(kind)}")
    for text in MADE:
        query(graph, text, dimension=384)
    query(graph, "MATCH (chunk:Chunk) REMOVE chunk.textHash")


@pytest.fixture
def older(each_server: TestServer) -> Iterator[tuple[Graph, list[str], list[str]]]:
    """A graph as it was made before nodes had marks, its dump, and what others have beside it."""
    embedder = SmallEmbedder()
    with connected(each_server) as graph:
        documents = islice(read_documents((str(SAMPLE / "passages.jsonl"),)), 3)
        load_documents(emptied(graph), embedder, documents, LoadSettings())
        recording = Recording([SAMPLE / "pairs.jsonl"], "generate/pairs")
        generate_queries(graph, embedder, GenerateSettings(source="replies"), recording, with_baselines=True)
        extract_graph(graph, embedder, ExtractSettings(source="replies"), Recording([SAMPLE / "graph.jsonl"]))
        build_queries(graph, BuildSettings())
        graph.embedder = embedder
        before = dump(graph)
        made_older(graph)
        others.settle(graph, embedder.embed([QUESTION])[0].tolist())
        yield graph, before, others.held(graph)
        others.evict(graph)


def test_an_older_graph_is_brought_up_to_date_once(
    older: tuple[Graph, list[str], list[str]], each_server: TestServer
) -> None:
    _, before, of_others = older
    with connected(each_server) as graph:
        graph.embedder = SmallEmbedder()
        assert others.held(graph) == of_others
        made = query(graph, INDEXES)
        covered = {name for row in made if row["name"].startswith("qcg_") for name in row["labelsOrTypes"]}
        assert covered == {mark(kind) for kind in KINDS} | {"RELATED_TO"}
        assert not {row["name"] for row in made} & NAMES
        assert all(row["state"] == "ONLINE" for row in made)
        assert {"qcg_chunk_d2q_all", "qcg_chunk_d2q_kept"} <= {row["name"] for row in made}
        for name in ("qcg", "layers", "kg-cqr"):
            found = method(name).retrieve(graph, QUESTION)
            assert found.passages
            assert others.WORD not in repr(found).lower()
    with connected(each_server) as graph:
        assert query(graph, INDEXES) == made
        others.evict(graph)
        assert dump(graph) == before


def test_bringing_up_to_date_goes_on_where_it_was_interrupted(
    older: tuple[Graph, list[str], list[str]], each_server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, before, of_others = older
    run = Graph.run
    for place in ("schema/older/others", "schema/index/query_id", "generate/index_kept", "schema/drop_index"):

        def interrupted(self: Graph, path: str, place: str = place, **parameters: object) -> object:
            if path == place:
                raise KeyboardInterrupt
            return run(self, path, **parameters)

        monkeypatch.setattr(Graph, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            connected(each_server)
        monkeypatch.undo()
    # Also one who connects for another corpus brings it up to date first: its constraints would hold for all.
    Graph.connect(each_server.uri, each_server.user, each_server.password, corpus="law", create=True).close()
    with connected(each_server) as graph:
        assert graph.corpora() == ["default"]
        assert others.held(graph) == of_others
        others.evict(graph)
        assert dump(graph) == before
        assert not {row["name"] for row in query(graph, INDEXES)} & NAMES


def test_an_index_of_others_in_the_place_of_ours_is_named(graph: Graph) -> None:
    query(graph, "DROP INDEX qcg_related_to_embedding IF EXISTS")
    query(graph, "CREATE VECTOR INDEX theirs FOR ()-[r:RELATED_TO]-() ON (r.embedding) OPTIONS "
                 "{indexConfig: {`vector.dimensions`: 8, `vector.similarity_function`: 'cosine'}}")  # fmt: skip
    try:
        with pytest.raises(GraphError, match=r"qcg_related_to_embedding cannot be made: .*\(theirs\)"):
            graph.use_model("small", 384)
    finally:
        query(graph, "DROP INDEX theirs")
    graph.use_model("small", 384)
