"""One writer at a time: two at once end in the graph of one, and nobody waits for a writer that has gone."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import TestServer, emptied
from graph_dump import dump, query
from small_embedder import SmallEmbedder
from test_build import edges, with_queries

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.database import stages, writer
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.status import status
from qcg_neo4j.indexing.adopt import Found, adopt_chunks, undo_adoption
from qcg_neo4j.indexing.build import (
    BuildSettings,
    build_atoms,
    build_communities,
    build_queries,
    build_synonyms,
    measure_indexes,
)
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.generate import GenerateSettings, generate_queries
from qcg_neo4j.indexing.load import delete_corpus, delete_documents, load_documents
from qcg_neo4j.indexing.report import ReportSettings, write_reports
from qcg_neo4j.indexing.resolve import merge, part
from qcg_neo4j.indexing.train import QuestionSettings, import_predictor, train_predictor, write_questions

LOCK = "MATCH (lock:QcgLock) RETURN lock.beats AS beats, lock.token AS token, lock.work AS work"


@pytest.fixture
def second(graph: Graph, server: TestServer) -> Iterator[Graph]:
    """A second client of the same graph."""
    with Graph.connect(server.uri, server.user, server.password) as connected:
        yield connected


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heartbeats of a tenth of a second."""
    monkeypatch.setattr(writer, "BEAT_SECONDS", 0.1)
    monkeypatch.setattr(writer, "STALE_SECONDS", 1.0)
    monkeypatch.setattr(writer, "LOOK_SECONDS", 0.05)


def both(work: Callable[[Graph], Any], *graphs: Graph) -> list[Any]:
    """Do the same with several clients at the same moment."""
    start = Barrier(len(graphs))

    def one(graph: Graph) -> Any:
        start.wait()
        return work(graph)

    with ThreadPoolExecutor(len(graphs)) as pool:
        return list(pool.map(one, graphs))


@pytest.mark.rest("exact", "gds")
@pytest.mark.parametrize("strategy", ["exact", "index", "gds"])
def test_two_builds_at_once_make_the_graph_of_one(graph: Graph, second: Graph, strategy: str) -> None:
    with_queries(graph, 600)
    reports = both(lambda each: build_queries(each, BuildSettings(strategy=strategy)), graph, second)
    assert sorted(report.changed for report in reports) == [False, True]
    assert [report.relationships for report in reports] == [1800, 1800]
    found = [(one, other) for one, _, other, _ in edges(graph)]
    assert len(found) == len(set(found)) == 1800
    assert query(graph, LOCK) == []


@pytest.mark.rest
def test_communities_built_twice_at_once_are_those_of_one(graph: Graph, second: Graph) -> None:
    query(
        graph,
        "UNWIND range(0, 59) AS n CREATE (:Entity:QcgEntity {id: 'e' + right('0' + n, 2), name: 'e' + n}) "
        "WITH count(*) AS all MATCH (a:Entity), (b:Entity) WHERE a.id < b.id AND left(a.id, 2) = left(b.id, 2) "
        "CREATE (a)-[:RELATED_TO {id: a.id + b.id, strength: 1.0}]->(b)",
    )
    reports = both(build_communities, graph, second)
    assert sorted(report.changed for report in reports) == [False, True]
    assert reports[0].communities == reports[1].communities == 6
    left = "CALL gds.graph.list() YIELD graphName WHERE NOT graphName STARTS WITH 'qcg_atoms' RETURN graphName"
    assert query(graph, left) == []  # but for what questions of other tests have kept


def test_who_waits_says_for_whom_and_gives_up_in_time(graph: Graph, second: Graph) -> None:
    said: list[str] = []
    second.tell, second.patience = said.append, 0.0
    with graph.writing("load"), pytest.raises(GraphError, match="writes to the graph") as caught:
        build_queries(second)
    whom = rf"`load` of \S+ on {re.escape(os.uname().nodename)} \(process {os.getpid()}, since 20\d\d-\S+ \S+ UTC\)"
    assert re.match(whom, caught.value.problem)
    second.patience = 60
    with ThreadPoolExecutor(1) as pool:
        with graph.writing("load"):
            waiting = pool.submit(lambda: _turn(second))
            while not said:
                time.sleep(0.01)
        waiting.result(10)
    assert len(said) == 1
    assert re.match(whom, said[0])


EMBEDDER = SmallEmbedder()
WRITING: dict[str, Callable[[Graph], Any]] = {
    "load": lambda graph: load_documents(graph, EMBEDDER, []),
    "adopt": lambda graph: adopt_chunks(graph, EMBEDDER, Found("Text", 1, 1, "text")),
    "adopt --undo": undo_adoption,
    "delete": lambda graph: delete_documents(graph, ["d"]),
    "delete a corpus": delete_corpus,
    "generate": lambda graph: generate_queries(graph, EMBEDDER, GenerateSettings(source="sentences")),
    "extract": lambda graph: extract_graph(graph, EMBEDDER, ExtractSettings(source="spacy")),
    "build queries": build_queries,
    "build synonyms": build_synonyms,
    "build atoms": build_atoms,
    "build communities": build_communities,
    "build indexes": measure_indexes,
    "report": lambda graph: write_reports(graph, EMBEDDER, ReportSettings(source="extractive")),
    "resolve merge": lambda graph: merge(graph, EMBEDDER, []),
    "resolve part": lambda graph: part(graph, EMBEDDER, []),
    "train questions": lambda graph: write_questions(graph, EMBEDDER, QuestionSettings(source="queries")),
    "train link-predictor": train_predictor,
    "train import": lambda graph: import_predictor(graph, Path("none.npz")),
}


def test_all_that_writes_takes_turns(graph: Graph, second: Graph) -> None:
    package = Path(stages.__file__).parents[1]
    assert len(WRITING) == sum(file.read_text("utf-8").count("\n@stages.writes(") for file in package.rglob("*.py"))
    second.patience = 0.0
    with graph.writing("other"):
        for name, write in WRITING.items():
            with pytest.raises(GraphError, match=r"`other` of .* writes to the graph"):
                write(second)
            assert query(graph, LOCK)[0]["work"] == "other", name


@pytest.mark.rest
def test_a_document_deleted_while_others_build_is_gone_and_nothing_else(graph: Graph, second: Graph) -> None:
    """Whoever comes second waits; the next build makes what an undisturbed one makes."""
    documents = [SourceDocument(f"d{number}", f"Bread {number} is baked. Rye {number} keeps.") for number in range(30)]
    sentences = GenerateSettings(source="sentences")
    load_documents(graph, EMBEDDER, documents)
    generate_queries(graph, EMBEDDER, sentences)
    work: dict[Graph, Callable[[Graph], Any]] = {
        graph: build_queries,
        second: lambda client: delete_documents(client, ["d3", "d4"]),
    }
    both(lambda client: work[client](client), graph, second)
    build_queries(graph)
    disturbed = dump(graph)
    emptied(graph)
    load_documents(graph, EMBEDDER, [each for each in documents if each.id not in ("d3", "d4")])
    generate_queries(graph, EMBEDDER, sentences)
    build_queries(graph)
    assert disturbed == dump(graph)


def _turn(graph: Graph) -> None:
    with graph.writing("wait"):
        pass


def test_many_writers_take_turns(graph: Graph, server: TestServer, hasty: None) -> None:
    inside: list[int] = []
    most: list[int] = []

    def turns(client: Graph) -> None:
        for _ in range(8):
            with client.writing("turn"):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    clients = [Graph.connect(server.uri, server.user, server.password) for _ in range(3)]
    both(turns, graph, graph, *clients)  # two threads may share a client
    for client in clients:
        client.close()
    assert max(most) == 1
    assert len(most) == 40


def test_a_turn_within_a_turn_is_the_same_and_ends_with_it(graph: Graph, second: Graph) -> None:
    with graph.writing("whole"):
        with graph.writing("part"):
            assert [row["work"] for row in query(second, LOCK)] == ["whole"]
        assert query(second, LOCK)
    assert query(second, LOCK) == []


@pytest.mark.parametrize("kind", [KeyboardInterrupt, ValueError])
def test_a_failure_releases(graph: Graph, kind: type[BaseException]) -> None:
    with pytest.raises(kind), graph.writing("load"):
        raise kind
    assert query(graph, LOCK) == []


def test_the_heart_beats_beside_a_long_statement(graph: Graph, second: Graph, hasty: None) -> None:
    with graph.writing("load"):
        query(graph, "UNWIND range(1, 3000) AS a UNWIND range(1, 3000) AS b WITH a, b WHERE a * b = 7 RETURN a")
        assert query(second, LOCK)[0]["beats"] > 2


def test_the_heart_stands_still_after_the_turn(graph: Graph, hasty: None, monkeypatch: pytest.MonkeyPatch) -> None:
    beats: list[float] = []

    def slow(*_: Any) -> None:
        beats.append(time.monotonic())
        time.sleep(0.3)

    monkeypatch.setattr(writer, "_confirm", slow)
    with graph.writing("load"):
        while not beats:
            time.sleep(0.01)
    assert not [thread for thread in threading.enumerate() if thread.name == "qcg heartbeat"]


@pytest.mark.parametrize("days", [-1, 0, 1])
def test_a_writer_on_another_machine_is_taken_for_gone_when_its_heart_stands_still(
    graph: Graph, hasty: None, days: int
) -> None:
    """Whatever the clocks of its machine and of the server say."""
    query(
        graph,
        "CREATE (:QcgLock:Lock {id: 'writer', token: 'other', machine: 'elsewhere', process: '1:1', beats: 5, "
        "since: datetime() + duration({days: $days}), work: 'load', user: 'x', host: 'x'})",
        days=days,
    )
    begun = time.monotonic()
    _turn(graph)
    assert time.monotonic() - begun > 1.0


def test_who_has_been_taken_for_gone_writes_no_more(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "STALE_SECONDS", 0.0)  # so that it asks before each write
    with graph.writing("load"):
        query(graph, "MATCH (lock:QcgLock) SET lock.token = 'other'")
        with pytest.raises(GraphError, match="taken over"):
            graph.write(Call("stage/touch", {"stages": ["load"]}))
    assert query(graph, "MATCH (stage:Stage) RETURN stage") == []
    assert query(graph, LOCK)[0]["token"] == "other"


HOLDER = (
    "import sys, time; from qcg_neo4j import Graph\n"
    "with Graph.connect() as graph, graph.writing('load'): print('here', flush=True); time.sleep(60)"
)


def test_after_a_kill_the_next_writes_at_once(graph: Graph, server: TestServer) -> None:
    environment = {**os.environ, "NEO4J_URI": server.uri, "NEO4J_USERNAME": server.user}
    environment["NEO4J_PASSWORD"] = server.password
    command = [sys.executable, "-c", HOLDER]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        process.send_signal(signal.SIGKILL)
    begun = time.monotonic()
    assert query(graph, LOCK)
    _turn(graph)
    assert time.monotonic() - begun < writer.STALE_SECONDS / 3


def test_status_names_the_writer(graph: Graph, server: TestServer) -> None:
    with graph.writing("load"):
        shown = CliRunner().invoke(qcg, ["status", "--home", str(server.home)])
    assert shown.exit_code == 0
    assert "`load` of " in shown.output


def test_status_names_no_writer_that_was_killed(graph: Graph) -> None:
    with graph.writing("load"):
        assert status(graph).writer is not None
        query(graph, "MATCH (lock:QcgLock) SET lock.process = '4194303:1'")  # a number that no process has
        assert status(graph).writer is None
