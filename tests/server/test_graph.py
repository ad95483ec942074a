"""The graph's door: addresses, errors, names, vectors, batches, revisions."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
import pytest
from conftest import TestServer, emptied
from graph_dump import query

from qcg_neo4j.cli import interruption_shown
from qcg_neo4j.core.errors import (
    AuthenticationError,
    GraphError,
    MissingPluginError,
    ModelMismatchError,
    QcgError,
    StatementError,
    UnreachableError,
)
from qcg_neo4j.core.settings import Settings
from qcg_neo4j.database import stages
from qcg_neo4j.database.address import find_address
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import camel, snake, to_cypher
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import check_model, use_model
from qcg_neo4j.database.schema import create_schema
from qcg_neo4j.database.statements import paths, statement
from qcg_neo4j.database.status import server_facts, status
from qcg_neo4j.database.translation import DOING


@pytest.fixture
def older(server_5_26: TestServer) -> Iterator[Graph]:
    with Graph.connect(server_5_26.uri, server_5_26.user, server_5_26.password) as connected:
        yield emptied(connected)


# Reading alone, and routing


def test_a_read_only_connection_writes_nothing(server: TestServer, graph: Graph, tmp_path: Path) -> None:
    use_model(graph, "synthetic", 4)
    before = graph.rows("schema/indexes")
    graph.run("schema/drop_index", name="qcg_entity_name")
    with Graph.connect(server.uri, server.user, server.password, read_only=True) as reader:
        assert reader.rows("schema/model")[0]["model"] == "synthetic"
        assert len(reader.rows("schema/indexes")) == len(before) - 1  # what is missing is not made
        write = Call("stage/touch", {"stages": ["load"]})
        for attempt in (
            lambda: reader.write(write),
            lambda: reader.write_batches("train/write_vectors", [{"id": "a", "vector": [1.0]}]),
            lambda: reader.run("schema/drop_index", name="qcg_chunk_words"),
            lambda: use_model(reader, "synthetic", 4),
            lambda: reader.beside("law").write(write),
            lambda: reader.writing("load").__enter__(),
            lambda: stages.begin(reader, "load", Settings(), {}),
        ):
            with pytest.raises(
                GraphError, match=r"writes, and this connection is read-only\.\nConnect without --read-only"
            ):
                attempt()
        refused = pytest.raises(GraphError, match="read access mode")
        with refused, reader._observed("own"), reader._session() as session:
            session.run("CREATE (:Own)").consume()  # the server does not let it, either
    own = tmp_path / "own.cypher"
    own.write_text("// A node that is made.\nCREATE (made:Own) RETURN made", encoding="utf-8")
    with pytest.raises(GraphError, match="read access mode"):
        graph.rows(str(own.with_suffix("")))
    assert graph.rows("schema/foreign") is not None
    assert query(graph, "MATCH (made:Own) RETURN made") == []


def test_a_read_only_connection_makes_no_corpus(server: TestServer, graph: Graph) -> None:
    with pytest.raises(GraphError, match="no corpus 'law'"):
        Graph.connect(server.uri, server.user, server.password, corpus="law", read_only=True, create=True)


def test_by_routing_what_was_written_is_read(
    server: TestServer, graph: Graph, caplog: pytest.LogCaptureFixture
) -> None:
    """The routing table of a single server names itself; what a cluster would be asked is seen in the driver's log."""
    routed = "neo4j" + server.uri[server.uri.index(":") :]
    with Graph.connect(routed, server.user, server.password) as connected:
        use_model(connected, "synthetic", 4)
        manager = connected.driver.execute_query_bookmark_manager
        assert manager is not None
        written = set(manager.get_bookmarks())
        with caplog.at_level("DEBUG", "neo4j.io"):
            assert connected.rows("schema/model")[0]["model"] == "synthetic"
            assert connected.rows("schema/indexes", 1)
            connected.write(Call("stage/touch", {"stages": ["load"]}))
    begun = [text for text in caplog.messages if "C: BEGIN" in text]
    assert ["'mode': 'r'" in text for text in begun] == [True, True, False]
    assert written
    assert all(bookmark in begun[0] for bookmark in written)
    assert all("'bookmarks'" in text for text in begun)


def test_ctrl_c_ends_a_statement_that_goes_on_for_minutes(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting, numbers = tmp_path / "counting.cypher", "UNWIND range(1, 1000000) AS"
    text = f"// A large number.\n{numbers} one {numbers} other RETURN count(*) AS number"
    counting.write_text(text, encoding="utf-8")
    monkeypatch.setattr(graph, "time_limit", 60.0)
    begun = time.monotonic()
    Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt), interruption_shown():
        graph.write(Call(str(counting.with_suffix("")), {}))
    assert time.monotonic() - begun < 30
    assert graph.rows("inspect/counts")


# Addresses


def test_an_address_is_taken_from_arguments_before_the_environment() -> None:
    environment = {"NEO4J_URI": "bolt://there:1", "NEO4J_USERNAME": "someone", "NEO4J_PASSWORD": "secret"}
    found = find_address(environment=environment)
    assert (found.uri, found.user, found.password, found.database) == ("bolt://there:1", "someone", "secret", None)
    found = find_address("bolt://here:2", database="corpus", environment=environment)
    assert (found.uri, found.user, found.password, found.database) == ("bolt://here:2", "someone", "secret", "corpus")
    assert "secret" not in repr(found)


def test_a_password_in_an_address_is_used_and_never_printed(server: TestServer) -> None:
    host = server.uri.partition("//")[2]
    with Graph.connect(f"bolt://{server.user}:{server.password}@{host}") as graph:
        assert status(graph).uri == graph.address.uri == server.uri
    for uri in (
        "bolt://ann:s3cret@127.0.0.1:1",
        "bolt://ann:s3cret@[::1",
        "http://ann:s3cret@there",
        "x://ann:s3cret@",
    ):
        with pytest.raises(QcgError) as told:
            Graph.connect(uri)
        assert "s3cret" not in str(told.value)


@pytest.mark.parametrize("uri", ["http://localhost:7474", "HTTPS://there"])
def test_an_address_of_browser_is_none(uri: str) -> None:
    with pytest.raises(UnreachableError, match=r"not of Bolt.\nAn address of a Neo4j server looks like bolt://"):
        find_address(uri, environment={})


def test_an_embedded_server_is_found_by_its_home(server: TestServer) -> None:
    assert find_address(environment={"QCG_HOME": str(server.home)}).uri == server.uri
    assert find_address(home=server.home, environment={"NEO4J_URI": "bolt://there:1"}).uri == server.uri
    with Graph.connect(home=server.home) as graph:
        assert server_facts(graph).version.startswith("2026.08")


def test_a_home_has_no_database_that_the_environment_names(server: TestServer) -> None:
    environment = {"NEO4J_URI": "bolt://there:1", "NEO4J_DATABASE": "theirs", "QCG_CORPUS": "law"}
    found = find_address(environment=environment)
    assert (found.database, found.corpus) == ("theirs", "law")
    assert find_address("bolt://here:2", environment=environment).database == "theirs"
    found = find_address(home=server.home, environment=environment)
    assert (found.database, found.corpus) == (None, "law")


def test_another_server_on_the_port_of_a_home_is_refused(server: TestServer, monkeypatch: pytest.MonkeyPatch) -> None:
    address = replace(find_address(home=server.home), data=server.home / "elsewhere" / "data")
    monkeypatch.setattr("qcg_neo4j.database.graph.find_address", lambda *_: address)
    with pytest.raises(UnreachableError, match=f"{server.uri} is not that of the home .*elsewhere"):
        Graph.connect()


def test_without_any_address_the_remedy_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="qcg server start"):
        find_address(environment={"QCG_HOME": str(tmp_path)})


def closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.mark.parametrize(
    ("uri", "password", "database", "kind", "problem"),
    [
        ("bolt://127.0.0.1:{closed}", None, None, UnreachableError, "No Neo4j server answers at bolt://127.0.0.1:"),
        ("ftp://127.0.0.1:1", None, None, UnreachableError, "ftp://127.0.0.1:1 is no address of Bolt"),
        ("there", None, None, UnreachableError, "there is no address of Bolt"),
        ("", "wrong password", None, AuthenticationError, "does not accept the user or the password"),
        ("", "", None, AuthenticationError, "does not accept the user neo4j without a password"),
        ("", None, "nowhere", GraphError, "nowhere"),
    ],
)
def test_a_failed_connection_is_explained(
    server: TestServer, uri: str, password: str | None, database: str | None, kind: type[QcgError], problem: str
) -> None:
    address = uri.format(closed=closed_port()) or server.uri
    with pytest.raises(kind, match=problem) as caught:
        Graph.connect(address, server.user, server.password if password is None else password, database)
    assert caught.value.remedy
    assert server.password not in str(caught.value)
    assert "wrong password" not in str(caught.value)


# Names and vectors


@pytest.mark.parametrize(("python", "cypher"), [("token_count", "tokenCount"), ("id", "id"), ("d2q_all", "d2qAll")])
def test_names_go_both_ways(python: str, cypher: str) -> None:
    assert camel(python) == cypher
    assert snake(cypher) == python


def test_metadata_keeps_its_own_names() -> None:
    rows = [{"token_count": 1, "metadata": {"some_key": "kept"}}]
    assert to_cypher({"all_rows": rows}, vectors=True) == {
        "allRows": [{"tokenCount": 1, "metadata": {"some_key": "kept"}}]
    }


def test_vectors_are_packed_only_where_the_server_takes_them(graph: Graph, older: Graph) -> None:
    vector = np.array([1, 0], np.float32)
    assert type(to_cypher({"v": vector}, vectors=True)["v"]).__name__ == "Vector"
    assert to_cypher({"v": vector}, vectors=False)["v"] == [1.0, 0.0]
    for connected in (graph, older):
        assert connected.rows("build/size") == [{"queries": 0, "without_embedding": 0}]


# Statements


def test_wrong_parameters_never_reach_the_server(graph: Graph) -> None:
    with pytest.raises(StatementError, match=r"has no parameter \$secnds"):
        graph.run("schema/await_indexes", names=[], secnds=1)


def test_what_the_server_refuses_is_explained(graph: Graph) -> None:
    with pytest.raises(GraphError, match=r"^While searching the graph: "):
        graph.rows("retrieve/near", vectors={"Query": np.ones(4)}, candidates=-1, wanted=1, permitted="no list")


def test_what_is_being_done_has_words_for_every_statement() -> None:
    assert {path.partition("/")[0] for path in paths()} <= set(DOING)


def test_a_missing_plugin_is_named(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    from qcg_neo4j.database import connection as module
    from qcg_neo4j.database.statements import Statement

    unknown = Statement("x/y", "A row.", (), "CALL no.such.procedure()")
    monkeypatch.setattr(module, "statement", lambda _: unknown)
    with pytest.raises(MissingPluginError, match=r"x/y: .*no\.such\.procedure"):
        graph.rows("x/y")


def test_an_index_that_the_graph_lacks_is_named(graph: Graph) -> None:
    graph.run("schema/drop_index", name="qcg_chunk_d2q_all")
    values = {"vectors": {"d2qAllEmbedding": [1.0, 0.0]}, "candidates": 1, "wanted": 1, "permitted": None}
    with pytest.raises(GraphError) as refused:
        graph.rows("retrieve/near", **values)
    assert refused.value.problem == "While searching the graph: the graph has no index qcg_chunk_d2q_all."
    assert "qcg generate --baselines" in str(refused.value.remedy)


def test_the_schema_is_created_once(graph: Graph) -> None:
    use_model(graph, "all-MiniLM-L6-v2", 384)
    names = {row["name"] for row in graph.rows("schema/indexes")}
    assert {
        "qcg_document_id",
        "qcg_chunk_id",
        "qcg_query_id",
        "qcg_chunk_words",
        "qcg_query_embedding",
        "qcg_window_embedding",
    } <= names
    create_schema(graph)
    use_model(graph, "all-MiniLM-L6-v2", 384)
    assert {row["name"] for row in graph.rows("schema/indexes")} == names


def test_the_model_is_kept(graph: Graph) -> None:
    use_model(graph, "one", 384)
    with pytest.raises(ModelMismatchError, match=r"'one' \(384 dimensions\), but 'two' \(384"):
        use_model(graph, "two", 384)
    with pytest.raises(ModelMismatchError, match=r"'one' \(384 dimensions\), but 'one' \(3 "):
        check_model(graph, "one", 3)
    check_model(graph, "one", 384)


# Batches and revisions


def chunks(number: int) -> list[dict[str, Any]]:
    return [{"name": f"stage {position}"} for position in range(number)]


def test_one_transaction_is_whole_or_nothing(graph: Graph) -> None:
    good = Call("stage/touch", {"stages": ["load"]})
    bad = Call("retrieve/words | retrieve/fulltext", {"texts": ["x"], "boost": 1.0, "passages": -1, "permitted": None})
    with pytest.raises(GraphError):
        graph.write(good, bad)
    assert stages.recorded(graph)["load"].revision == 0


def test_a_revision_rises_with_changes_only(graph: Graph) -> None:
    begin = Call("stage/begin", {"name": "build", "pending": "{}"})
    graph.write(begin, stages=("build",))
    first = stages.recorded(graph)["build"].revision
    graph.write(begin, stages=("build",))
    assert stages.recorded(graph)["build"].revision == first == 1


def test_a_stage_is_stale_when_what_it_was_made_from_changed(graph: Graph) -> None:
    assert stages.staleness(stages.recorded(graph), "build") == "has not run"
    graph.write(Call("stage/touch", {"stages": ["generate"]}))
    made_from = stages.basis(stages.recorded(graph), "build")
    assert stages.begin(graph, "build", Settings(), made_from) == ""
    stages.finish(graph, "build", Settings(), made_from, {"queries": 3})
    known = stages.recorded(graph)
    assert stages.staleness(known, "build") is None
    assert stages.is_current(known, "build", Settings())
    assert known["build"].figures == {"queries": 3}
    graph.write(Call("stage/touch", {"stages": ["generate"]}))
    assert stages.staleness(stages.recorded(graph), "build") == "stale: generate changed since"


@pytest.mark.parametrize("asking", ["rows", "run", "write"])
def test_statements_are_named_to_the_server(graph: Graph, monkeypatch: pytest.MonkeyPatch, asking: str) -> None:
    from qcg_neo4j.database import connection as module
    from qcg_neo4j.database.statements import Statement

    own = Statement(
        "stage/touch", "A row.", (), "SHOW TRANSACTIONS YIELD metaData RETURN metaData {.statement, .app, .type} AS own"
    )
    monkeypatch.setattr(module, "statement", lambda path: own if path == "retrieve/qcg" else statement(path))
    shown = graph.write(Call("retrieve/qcg")).rows[0] if asking == "write" else getattr(graph, asking)("retrieve/qcg")
    told = {"statement": "retrieve/qcg", "app": f"qcg-neo4j_v{version('qcg-neo4j')}", "type": "user-action"}
    assert {"own": told} in shown
