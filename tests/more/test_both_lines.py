"""The whole way of the data on both lines, beside what others keep there: the same graph, and the same evidence.

The newer one takes statements for Cypher 25, the default language of new databases in Docker, Aura and Desktop.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import others
import pytest
import reference
from conftest import SAMPLE, TestServer, emptied
from graph_dump import query
from small_embedder import SmallEmbedder

from qcg_neo4j.database.conversion import plain, snake
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.schema import await_indexes, nodes_of_others
from qcg_neo4j.database.statements import paths, statement
from qcg_neo4j.indexing.build import BuildSettings, build_atoms, build_communities, build_queries
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.generate import GenerateSettings, generate_queries
from qcg_neo4j.indexing.load import LoadSettings, delete_documents, load_documents, read_documents
from qcg_neo4j.indexing.report import ReportSettings, write_reports
from qcg_neo4j.indexing.resolve import ResolveSettings, merge, merged, part, propose
from qcg_neo4j.indexing.train import (
    PredictorSettings,
    QuestionSettings,
    export_predictor,
    import_predictor,
    train_predictor,
    write_questions,
)
from qcg_neo4j.interfaces.show import hierarchy, sample_picture
from qcg_neo4j.models.replies import Recording
from qcg_neo4j.retrieval import METHODS, Qcg, QcgSettings, VectorBaseline, method
from qcg_neo4j.retrieval.around.reordered import Diverse

QUESTIONS = [
    json.loads(line)["question"] for line in (SAMPLE / "questions.jsonl").read_text("utf-8").splitlines()[::20]
]


OTHERS: dict[str, list[str]] = {}  # what others had before anything of ours was there


def made(server: TestServer) -> Graph:
    """The sample without its first document, by the small embedder, in a database that others use as well."""
    graph, embedder = emptied(Graph.connect(server.uri, server.user, server.password)), SmallEmbedder()
    others.settle(graph, embedder.embed(QUESTIONS)[0].tolist())
    OTHERS[server.uri] = others.held(graph)
    load_documents(graph, embedder, read_documents((str(SAMPLE / "passages.jsonl"),)), LoadSettings())
    recording = Recording([SAMPLE / "pairs.jsonl"], "generate/pairs")
    generate_queries(graph, embedder, GenerateSettings(source="replies"), recording, with_baselines=True)
    extract_graph(graph, embedder, ExtractSettings(source="replies"), Recording([SAMPLE / "graph.jsonl"]))
    first = json.loads((SAMPLE / "passages.jsonl").read_text("utf-8").splitlines()[0])["document"]
    delete_documents(graph, [first])
    build_queries(graph, BuildSettings())
    build_atoms(graph)
    build_communities(graph)
    write_reports(graph, embedder, ReportSettings(source="extractive"))
    graph.embedder = embedder
    return graph


@pytest.fixture(scope="module")
def lines(
    server_2026: TestServer, server_5_26: TestServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Graph]]:
    graphs = [made(server_2026), made(server_5_26)]
    for graph in graphs:
        write_questions(graph, SmallEmbedder(), QuestionSettings(source="queries"))
    train_predictor(graphs[0], PredictorSettings(hidden=8, scorer_hidden=4, epochs=1))
    file = tmp_path_factory.mktemp("predictor") / "small.npz"
    export_predictor(graphs[0], file)
    import_predictor(graphs[1], file)
    yield graphs
    for graph in graphs:
        others.evict(graph)
        graph.close()


def test_the_newer_line_takes_statements_for_cypher_25(lines: list[Graph]) -> None:
    shown = query(lines[0], "SHOW HOME DATABASE YIELD defaultLanguage")
    assert shown == [{"defaultLanguage": "CYPHER 25"}]


def test_the_graph_is_the_same(lines: list[Graph]) -> None:
    newer, older = (graph.rows("inspect/counts") for graph in lines)
    assert newer == older
    counts = {row["kind"]: row["number"] for row in older}
    assert counts["Document"] == 59
    assert min(counts[kind] for kind in ("Entity", "RELATED_TO", "Atom")) > 100


def test_relations_are_found_by_their_texts(lines: list[Graph]) -> None:
    statement = """
    MATCH ()-[relation:RELATED_TO]->() WITH relation ORDER BY relation.id LIMIT 20
    CALL db.index.vector.queryRelationships('qcg_related_to_embedding', 5, relation.embedding) YIELD relationship
    WITH relation, collect(relationship.id) AS near
    RETURN relation.id IN near AS found
    """
    for graph in lines:
        await_indexes(graph)
        assert all(row["found"] for row in query(graph, statement))


def test_the_older_line_gives_what_plain_python_gives(lines: list[Graph]) -> None:
    older, settings = lines[1], QcgSettings(context_tokens=1_000_000)
    whole = reference.read_whole(older)
    for question in QUESTIONS:
        vector = older.embed_question(question)
        expected = reference.qcg(whole, vector.astype(np.float64), settings)
        found = Qcg(settings).retrieve(older, question, vector).passages
        assert [item.score for item in found] == pytest.approx([score for _, score in expected], abs=1e-4)


def test_entities_are_merged_and_parted(lines: list[Graph]) -> None:
    told = []
    for graph in lines:
        before = graph.rows("inspect/counts")
        found = propose(graph, ResolveSettings(similarity=0.5))
        merge(graph, SmallEmbedder(), found)
        merged_counts = graph.rows("inspect/counts")
        part(graph, SmallEmbedder(), merged(graph))
        assert graph.rows("inspect/counts") == before
        told.append(({(item.alias, item.entity) for item in found}, merged_counts))
    assert told[0] == told[1]
    assert told[0][0]


@pytest.mark.parametrize("name", METHODS)
def test_every_method_finds_the_same(name: str, lines: list[Graph]) -> None:
    same = []
    for question in QUESTIONS:
        # As many candidates as there are chunks: the small embedder's vectors of long texts are hard to tell apart.
        found = [method(name, {"candidate_factor": 15}).retrieve(graph, question) for graph in lines]
        assert others.WORD not in repr(found).lower()
        newer, older = (evidence.passages for evidence in found)
        assert newer
        same.append(len({item.id for item in newer} & {item.id for item in older}) / len(newer))
    # Both vector indexes are approximate, each in its own way.
    assert np.mean(same) >= 0.95


GONE = """
MATCH (atom:QcgAtom)-[:MENTIONS]->(entity:QcgEntity) WITH [atom, entity] AS nodes ORDER BY atom.id LIMIT 1
CALL (nodes) {{
  UNWIND nodes AS node DETACH DELETE node
}} IN TRANSACTIONS
{}
"""
HOLLOW = """
CALL (*) {
  MATCH (node) WHERE node.id IN $ids RETURN node AS entry
  UNION MATCH ()-[triple:RELATED_TO]->() WHERE triple.id IN $ids RETURN triple AS entry
}
WITH entry, entry {.embedding, .words, .expandedWords, .chunkId} AS searched
SET entry = searched
"""


@pytest.mark.parametrize(
    "call",
    [
        "UNWIND nodes AS seed CALL qcg.pageRank.push([seed]) YIELD node RETURN node.id AS id",
        "CALL qcg.paths.beam(nodes, nodes, $vector) YIELD path RETURN path",
        "CALL qcg.links.score($vector, nodes) YIELD atom RETURN atom.id AS id",
    ],
)
def test_procedures_pass_over_what_was_just_deleted(call: str, lines: list[Graph]) -> None:
    for graph in lines:
        vector = [1.0] + [0.0] * 383
        with graph.driver.session() as session:  # the deletion is committed while the call goes on
            assert session.run(GONE.format(call), vector=vector).data() == []


def test_methods_pass_over_what_was_just_deleted(lines: list[Graph]) -> None:
    """What is deleted after an index has named it has no properties, and no more than these tell it from the rest."""
    question, graph = QUESTIONS[0], lines[0]
    before = {name: method(name).retrieve(graph, question) for name in METHODS}
    gone = {
        step.id for found in before.values() for item in found.passages[:1] for path in item.paths[:1] for step in path
    }
    gone |= {before[name].passages[1].id for name in METHODS} | {before["qcg"].passages[0].document}
    query(graph, HOLLOW, ids=sorted(gone))
    for name in METHODS:
        found = method(name).retrieve(graph, question)
        steps = [step for item in found.passages for path in item.paths for step in path]
        assert found.passages, name
        assert not gone & {item.id for item in found.passages}, name
        assert not gone & {step.id for step in steps}, name
        assert None not in [step.text for step in steps], name
    for name, kind in METHODS.items():
        if kind.procedure:
            given = {"text": question, "vector": graph.embed_question(question).tolist()}
            keys = {"context": "none"} if name == "kg-cqr" else {}  # the server embeds by another model
            call = f"CALL {kind.procedure}($given, $keys) YIELD chunk RETURN chunk.id AS id"
            assert query(graph, call, given=given, keys=keys), name
    left = Diverse(VectorBaseline()).ordered(graph, question, before["vector"].passages)
    assert {item.id for item in left} == {item.id for item in before["vector"].passages} - gone
    assert not gone & {place.id for place in hierarchy(graph)}
    assert not gone & {dot.id for dot in sample_picture(graph, documents=60).dots}


def test_statements_for_people_show_nothing_of_others(lines: list[Graph]) -> None:
    names = {"document": "d", "chunk": "f0", "name": "Outlandish Wolfgang 0", "title": "outlandish", "id": "0-1"}
    names |= {"query": "outlandish?", "question": "x", "community": "0-1"}
    numbers = {"limit": 1000, "others": 3, "level": 0, "entities": 1000, "documents": 1000, "queries": 1000}
    lists = {"query_ids": ["q0"], "chunk_ids": ["f0"], "triple_ids": ["r"], "permitted": None}
    values = names | numbers | lists | {"similarity": 0.0, "after": ""}
    for graph in lines:
        nodes = [row["id"] for row in query(graph, "MATCH (n:ForOthers) RETURN elementId(n) AS id")]
        for path in [path for path in paths() if path.startswith(("inspect/", "show/"))]:
            if path.startswith("inspect/answer/"):
                continue
            given = values | {"nodes": nodes}
            wanted = [snake(parameter.name) for parameter in statement(path).parameters]
            rows = graph.rows(path, **{name: given[name] for name in wanted})
            assert others.WORD not in repr(plain(rows, 10_000)).lower(), path


def test_others_have_what_they_had(lines: list[Graph]) -> None:
    for graph in lines:
        assert nodes_of_others(graph) == {
            "Document": 2,
            "Chunk": 10,
            "Query": 10,
            "Entity": 20,
            "Atom": 10,
            "Community": 1,
        }
        assert others.held(graph) == OTHERS[graph.address.uri]
    whole = lines[1]  # the other one was made hollow above
    delete_documents(whole, [row["id"] for row in query(whole, "MATCH (d:QcgDocument) RETURN d.id AS id")])
    counts = {row["kind"]: row["number"] for row in whole.rows("inspect/counts")}
    assert {kind for kind, number in counts.items() if number} <= {"Community", "LinkPredictor"}
    assert others.held(whole) == OTHERS[whole.address.uri]
