"""The schema: the form of a graph is checked, and an index of others is named where ours would have to be."""

from __future__ import annotations

import secrets

import pytest
from click.testing import CliRunner
from conftest import TestServer
from graph_dump import query
from neo4j.exceptions import Neo4jError
from small_embedder import SmallEmbedder

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.database.schema import FORM, await_indexes, create_vector_indexes
from qcg_neo4j.indexing.load import delete_corpus, load_documents


@pytest.mark.rest
@pytest.mark.rest("99", "NULL")
@pytest.mark.parametrize("form", ["99", "1", "NULL"])
def test_a_graph_of_another_version_is_refused_and_can_be_made_again(
    graph: Graph, server: TestServer, form: str
) -> None:
    load_documents(graph, SmallEmbedder(), [SourceDocument("d", "Rye keeps.")])
    assert graph.rows("schema/model")[0]["form"] == FORM
    query(graph, f"MATCH (corpus:QcgCorpus) SET corpus.form = {form}")
    graph.run("schema/drop_index", name="qcg_entity_name")
    for read_only in (False, True):
        with pytest.raises(GraphError, match=r"made by another version .*\nIndex again: `qcg delete --all`"):
            Graph.connect(server.uri, server.user, server.password, read_only=read_only)
    assert "qcg_entity_name" not in {row["name"] for row in graph.rows("schema/indexes")}
    done = CliRunner().invoke(qcg, ["delete", "--all", "--yes", "--home", str(server.home)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    with Graph.connect(server.uri, server.user, server.password) as again:
        load_documents(again, SmallEmbedder(), [SourceDocument("d", "Rye keeps.")])
        assert again.rows("schema/size", permitted=None) == [{"documents": 1, "chunks": 1}]


def test_an_index_of_others_in_the_place_of_ours_is_named(graph: Graph) -> None:
    query(graph, "DROP INDEX qcg_related_to_embedding IF EXISTS")
    query(graph, "CREATE VECTOR INDEX theirs FOR ()-[r:RELATED_TO]-() ON (r.embedding) OPTIONS "
                 "{indexConfig: {`vector.dimensions`: 8, `vector.similarity_function`: 'cosine'}}")  # fmt: skip
    try:
        with pytest.raises(GraphError, match=r"qcg_related_to_embedding cannot be made: .*\(theirs\)"):
            use_model(graph, "small", 384)
    finally:
        query(graph, "DROP INDEX theirs")
    use_model(graph, "small", 384)


def test_vector_indexes_hold_whole_vectors_of_the_dimension_in_use(graph: Graph) -> None:
    """Also those of the baselines, which a delete that was cut off may have left with another dimension."""
    create_vector_indexes(graph, 8, "baseline_index")
    use_model(graph, "small", 384)
    create_vector_indexes(graph, 384, "baseline_index")
    shown = query(graph, "SHOW VECTOR INDEXES YIELD name, options RETURN name, options.indexConfig AS config")
    assert {"qcg_chunk_d2q_all", "qcg_chunk_d2q_kept", "qcg_window_embedding"} <= {row["name"] for row in shown}
    for row in shown:
        assert (row["config"]["vector.dimensions"], row["config"]["vector.quantization.type"]) == (384, "NONE"), row


def test_an_index_of_others_that_has_failed_is_not_waited_for(graph: Graph) -> None:
    use_model(graph, "small", 384)
    query(graph, "CREATE (:Other {text: $long})", long=secrets.token_hex(20_000))  # more than a key may have
    query(graph, "CREATE INDEX other FOR (n:Other) ON (n.text)")
    try:
        with pytest.raises(Neo4jError, match="other"):
            query(graph, "CALL db.awaitIndex('other', 60)")
        assert query(graph, "SHOW INDEXES YIELD name, state WHERE name = 'other' RETURN state") == [{"state": "FAILED"}]
        await_indexes(graph)
    finally:
        query(graph, "DROP INDEX other")


CONSTRAINTS = {
    "of_langchain": "CREATE CONSTRAINT of_langchain FOR (n:Chunk) REQUIRE n.id IS UNIQUE",
    "of_others": "CREATE CONSTRAINT of_others FOR (n:Entity) REQUIRE n.name IS UNIQUE",
    "of_files": "CREATE CONSTRAINT of_files FOR (n:Document) REQUIRE n.fileName IS UNIQUE",
}


@pytest.mark.rest
@pytest.mark.parametrize(("name", "beside", "is_refused"), [
    *(("of_langchain", True, True), ("of_langchain", False, False)),
    *(("of_others", False, True), ("of_files", True, False)),
])  # fmt: skip
def test_a_constraint_of_others_is_met_before_anything_is_written(
    graph: Graph, server: TestServer, name: str, beside: bool, is_refused: bool
) -> None:
    rye = SourceDocument("d", "Rye keeps.")
    if beside:
        load_documents(graph, SmallEmbedder(), [rye])
    query(graph, CONSTRAINTS[name])
    address = (server.uri, server.user, server.password)
    try:
        with Graph.connect(*address, corpus="second", create=True) as second:
            if is_refused:
                with pytest.raises(GraphError, match=rf"constraint {name} of another application .*\n.*--own-labels"):
                    load_documents(second, SmallEmbedder(), [rye])
                assert second.rows("schema/size", permitted=None) == [{"documents": 0, "chunks": 0}]
            else:
                assert load_documents(second, SmallEmbedder(), [rye]).added == 1
        with Graph.connect(*address, corpus="third", create=True, own_labels=True) as third:
            assert load_documents(third, SmallEmbedder(), [rye]).added == 1
        with Graph.connect(*address, corpus="third") as again:  # the choice is the corpus's
            assert load_documents(again, SmallEmbedder(), [SourceDocument("e", "Spelt keeps.")]).added == 1
        found = query(graph, "MATCH (n:QcgChunk__third|QcgDocument__third) RETURN DISTINCT labels(n) AS labels")
        assert sorted(row["labels"] for row in found) == [["QcgChunk__third"], ["QcgDocument__third"]]
    finally:
        query(graph, f"DROP CONSTRAINT {name}")
        for corpus in ("second", "third"):
            with Graph.connect(*address, corpus=corpus, create=True) as made:
                delete_corpus(made)
