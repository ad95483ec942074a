"""The sample as two corpora of one database: nothing of one is found, changed or counted in the other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import neo4j
import pytest
from conftest import SAMPLE, TestServer, with_sample
from graph_dump import dump, query
from small_embedder import SmallEmbedder
from test_corpora import SHOWN, connected
from test_procedures import QUESTIONS, RETRIEVE, TWINS
from test_statements import BY_TYPE

from qcg_neo4j.core.errors import GraphError, ModelMismatchError
from qcg_neo4j.database.corpora import translated
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.database.schema import corpora_of
from qcg_neo4j.database.statements import paths, statement
from qcg_neo4j.database.status import status
from qcg_neo4j.indexing.build import build_communities
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.load import delete_corpus, delete_documents, load_documents, read_documents
from qcg_neo4j.indexing.report import ReportSettings, write_reports
from qcg_neo4j.indexing.resolve import ResolveSettings, merge, propose
from qcg_neo4j.interfaces.mcp import McpSettings, Tools
from qcg_neo4j.interfaces.neo4j_graphrag import QcgRetriever
from qcg_neo4j.models.embedding.embedder import Embedder, Vectors
from qcg_neo4j.models.replies import Recording
from qcg_neo4j.retrieval import METHODS, filtered, method

EARLY = "MATCH (document:QcgDocument__law) WHERE document.id < '20260817' RETURN document.id AS id"


def evidence(graph: Graph) -> dict[tuple[str, str], Any]:
    """What every method finds for some questions, but for how long it took, and what answers are written from."""
    reports = [row["id"] for row in graph.rows("answer/reports", level=0)]
    found: dict[tuple[str, str], Any] = {
        ("answer", "reports"): reports,
        ("answer", "behind"): rounded(graph.rows("answer/behind", ids=reports, passages=100)),
        ("answer", "below"): rounded(graph.rows("answer/below", ids=reports)),
        ("answer", "chunks"): rounded(graph.rows("answer/chunks")),
        ("inspect", "contents"): [(row["kind"], row["number"]) for row in graph.rows("inspect/contents")],
    }
    for name in METHODS:
        for question in QUESTIONS[:2]:
            told = asdict(method(name).retrieve(graph, question, graph.embed_question(question)))
            found[name, question] = rounded({key: value for key, value in told.items() if key != "seconds"})
    return found


def rounded(value: Any) -> Any:
    """The value with numbers of five digits: sums over a graph are not made in the same order everywhere."""
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(item) for item in value]
    return round(value, 5) if isinstance(value, float) else value


class OtherEmbedder(SmallEmbedder):
    """Another model of another dimension."""

    name = "other"
    dimension = 96

    def embed(self, texts: Any) -> Vectors:
        return super().embed(texts)


@dataclass(frozen=True)
class Two:
    """The sample as the default corpus and again as the corpus `law`, and what was there before that came."""

    default: Graph
    law: Graph
    alone: dict[tuple[str, str], Any]
    dumped: list[str]


@pytest.fixture(scope="module")
def two(sample_reports: Graph, sample_server: TestServer, remembering: Embedder) -> Iterator[Two]:
    alone, dumped = evidence(sample_reports), dump(sample_reports)
    with connected(sample_server, "law", create=True) as law:
        with_sample(law, remembering)
        build_communities(law)
        write_reports(law, remembering, ReportSettings(source="extractive"))
        yield Two(sample_reports, law, alone, dumped)
        delete_corpus(law)
    assert query(sample_reports, SHOWN, ending="__law") == []
    assert dump(sample_reports) == dumped


def test_the_procedures_run_the_same_texts(two: Two) -> None:
    for path in (path for path in paths() if path.startswith("retrieve/")):
        for corpus in ("law", "default"):
            found = query(two.law, "RETURN qcg.statement($path, $corpus) AS text", path=path, corpus=corpus)
            assert found == [{"text": translated(statement(path).text, corpus)}]


def operators(plan: dict[str, Any]) -> Iterator[str]:
    """The operators of a plan, with what each does."""
    yield f"{plan['operatorType']} {plan.get('args', {}).get('Details', '')}"
    for child in plan.get("children", ()):
        yield from operators(child)


def test_no_search_goes_through_what_corpora_share(two: Two) -> None:
    """Else a question would take the longer, the more other corpora hold."""
    for path in (path for path in paths() if path.startswith(("retrieve/", "answer/"))):
        found = statement(path)
        values = {parameter.name: BY_TYPE[parameter.type] for parameter in found.parameters}
        with two.law.driver.session() as session:
            plan = session.run("EXPLAIN " + translated(found.text, "law"), values).consume().plan
        assert plan is not None
        shared = [
            one for one in operators(dict(plan)) if re.match(r"\w*(RelationshipTypeScan|AllNodes|AllRelation)", one)
        ]
        assert shared == [], path


def test_the_same_documents_make_the_same_graph_twice(two: Two) -> None:
    assert dump(two.law) == two.dumped
    assert dump(two.default) == two.dumped
    held = query(
        two.law,
        "MATCH (n) WITH [l IN labels(n) WHERE l STARTS WITH 'Qcg'] AS marks WHERE size(marks) <> 1 RETURN marks",
    )
    assert held == []


@pytest.mark.parametrize("corpus", ["default", "law"])
def test_every_method_finds_what_it_finds_alone(two: Two, corpus: str) -> None:
    found = evidence(getattr(two, corpus))
    for key, alone in two.alone.items():
        assert found[key] == alone, key


@pytest.mark.parametrize("name", TWINS)
def test_a_procedure_finds_what_the_package_finds(name: str, two: Two) -> None:
    question = QUESTIONS[0]
    vector = two.law.embed_question(question)
    expected = method(TWINS[name]).retrieve(two.law, question, vector)
    given = {"text": question, "vector": vector.astype(float).tolist()}
    rows = two.law.driver.execute_query(RETRIEVE.format(name=name), question=given, configuration={"corpus": "law"})
    assert [row["chunk"] for row in rows.records] == [item.id for item in expected.passages]
    assert [row["score"] for row in rows.records] == pytest.approx([item.score for item in expected.passages], abs=1e-6)
    for row in rows.records:
        nodes = [node for path in row["paths"] for node in path.nodes]
        assert all(any(label.endswith("__law") for label in node.labels) for node in nodes)


@pytest.mark.parametrize("name", sorted(set(METHODS) - {"graphrag-local", "graphrag-global"}))
def test_a_filter_permits_documents_of_its_corpus_alone(name: str, two: Two) -> None:
    """The other corpus has documents of the same ids."""
    question, where = QUESTIONS[0], {"id": {"$lt": "20260817"}}
    found, other = (filtered(method(name), where).retrieve(graph, question) for graph in (two.law, two.default))
    assert found.passages
    assert {one.document for one in found.passages} <= {row["id"] for row in query(two.law, EARLY)}
    assert [(one.id, one.document) for one in found.passages] == [(one.id, one.document) for one in other.passages]
    assert [one.score for one in found.passages] == pytest.approx([one.score for one in other.passages], abs=1e-5)
    if (procedure := METHODS[name].procedure) is None:
        return
    vector = two.law.embed_question(question)
    own = {"context": "none"} if name == "kg-cqr" else {}  # the server embeds by another model
    expected = filtered(method(name, own), where).retrieve(two.law, question, vector)
    given = {"text": question, "vector": vector.astype(float).tolist()}
    text, keys = RETRIEVE.format(name=procedure), {"corpus": "law", "where": where, **own}
    rows = two.law.driver.execute_query(text, question=given, configuration=keys).records
    assert [row["chunk"] for row in rows] == [one.id for one in expected.passages]
    nodes = [node for row in rows for path in row["paths"] for node in path.nodes]
    assert all(any(label.endswith("__law") for label in node.labels) for node in nodes)


def test_retrievers_of_frameworks_and_tools_of_agents_keep_to_their_corpus(two: Two) -> None:
    vector = two.law.embed_question(QUESTIONS[0]).astype(float).tolist()
    expected = [row["id"] for row in two.alone["qcg", QUESTIONS[0]]["passages"]]
    found = QcgRetriever(two.law.driver, corpus="law").search(query_vector=vector, top_k=len(expected))
    assert [(item.metadata or {})["id"] for item in found.items] == expected
    with pytest.raises(GraphError, match="no corpus 'lwa'"):
        QcgRetriever(two.law.driver, corpus="lwa")
    tools = Tools(two.law, McpSettings(), lambda: pytest.fail("nothing is loaded"))
    shown = tools.inspect("entity", {"name": "Li Hua"})["rows"]
    assert shown
    assert "__law" not in repr(shown)
    assert [row["id"] for row in tools.retrieve(QUESTIONS[0], "qcg")["passages"]] == expected


def test_a_statement_without_the_plugin_keeps_to_its_corpus(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    question = QUESTIONS[0]
    vector = two.law.embed_question(question)
    expected = method("layers").retrieve(two.law, question, vector)
    monkeypatch.setattr(two.law, "_procedures", False)
    found = method("layers").retrieve(two.law, question, vector)
    assert [item.id for item in found.passages] == [item.id for item in expected.passages]


def test_statuses_name_each_other(two: Two) -> None:
    ours, theirs = status(two.law), status(two.default)
    assert (ours.corpus, theirs.corpus) == ("law", "default")
    assert [one.name for one in ours.corpora] == ["default", "law"]
    assert ours.corpora == theirs.corpora
    assert (ours.counts, ours.missing, ours.foreign) == (theirs.counts, theirs.missing, theirs.foreign)
    assert ours.foreign == {}


def test_one_writes_while_the_other_is_written_to(two: Two) -> None:
    two.default.patience = 0
    with two.law.writing("test"), two.default.writing("test"):
        # Each said when it began, so these differ where a second ends between them.
        writers = {str(status(graph).writer).partition(", since ")[0] for graph in (two.law, two.default)}
        assert len(writers) == 1
        assert writers.pop().startswith("`test` of ")
    two.default.patience = 600


def test_a_projection_is_of_one_corpus(two: Two) -> None:
    asked = {"propagation": "gds"}
    for graph in (two.default, two.law, two.default):
        found = method("atomic", asked).retrieve(graph, QUESTIONS[0])
        assert [item.id for item in found.passages] == [
            row["id"] for row in two.alone["atomic", QUESTIONS[0]]["passages"]
        ]
    names = query(two.law, "CALL gds.graph.list() YIELD graphName RETURN graphName AS name ORDER BY name")
    assert {row["name"].partition(":")[0] for row in names} == {"qcg_atoms", "qcg_atoms__law"}


def test_what_changes_in_one_leaves_the_other_as_it_was(two: Two, remembering: Embedder) -> None:
    before = status(two.default)
    document = query(two.law, "MATCH (d:QcgDocument__law) RETURN min(d.id) AS id")[0]["id"]
    delete_documents(two.law, [document])
    merge(two.law, remembering, propose(two.law, ResolveSettings())[:3])
    build_communities(two.law)
    write_reports(two.law, remembering, ReportSettings(source="extractive"))
    assert dump(two.law) != two.dumped
    assert dump(two.default) == two.dumped
    after = status(two.default)
    assert (after.stages, after.counts) == (before.stages, before.counts)
    assert evidence(two.default) == two.alone


def test_a_corpus_has_a_model_of_its_own(two: Two, sample_server: TestServer) -> None:
    small, texts = OtherEmbedder(), [str(SAMPLE / "passages.jsonl")]
    with connected(sample_server, "other", create=True) as other:
        load_documents(other, small, islice(read_documents(texts), 3))
        extract_graph(other, small, ExtractSettings(source="replies"), Recording([SAMPLE / "graph.jsonl"]))
        other.embedder = small
        found = method("layers").retrieve(other, QUESTIONS[0])
        held = {row["id"] for row in query(other, "MATCH (d:QcgDocument__other) RETURN d.id AS id")}
        assert {item.document for item in found.passages} <= held
        assert len(held) == 3
        with pytest.raises(ModelMismatchError, match="another corpus"):
            use_model(two.law, small.name, small.dimension)
        assert evidence(two.default) == two.alone
        delete_corpus(other)
    assert corpora_of(two.default) == ["default", "law"]


def test_a_corpus_that_is_not_there_is_named_with_those_that_are(two: Two, sample_server: TestServer) -> None:
    with pytest.raises(GraphError, match=r"no corpus 'lwa'\.\nDid you mean 'law'\?"):
        connected(sample_server, "lwa")
    with pytest.raises(neo4j.exceptions.ClientError, match=r"no corpus 'lwa'\. Known are: default, law\."):
        two.law.driver.execute_query("CALL qcg.retrieve.fulltext('why', {corpus: 'lwa'})")
    with connected(sample_server, "new", create=True) as new:  # which makes nothing until it is written to
        assert corpora_of(new) == ["default", "law"]
