"""What a filter permits: no method, tool or error answers from another document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

import neo4j
import numpy as np
import pytest
import reference
from any_filter import DATES, DICTIONARIES, seldom
from conftest import SAMPLE, Hasty, TestServer, remembered, without_vector_indexes
from graph_dump import query
from hypothesis import given, settings
from small_embedder import SmallEmbedder

from qcg_neo4j.core.errors import GraphError, InputError, SettingsError
from qcg_neo4j.core.records import Evidence, SourceDocument
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import Rows
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.permission import permission
from qcg_neo4j.database.statements import statement
from qcg_neo4j.database.status import status
from qcg_neo4j.indexing.build import BuildSettings, build_atoms, build_communities, build_queries, build_synonyms
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.generate import GenerateSettings, generate_queries
from qcg_neo4j.indexing.load import LoadSettings, load_documents, read_documents
from qcg_neo4j.indexing.report import ReportSettings, write_reports
from qcg_neo4j.indexing.train import import_predictor
from qcg_neo4j.interfaces.mcp import McpSettings, Tools
from qcg_neo4j.interfaces.mcp.tools import statements
from qcg_neo4j.models.replies import Recording
from qcg_neo4j.retrieval import (
    METHODS,
    Auto,
    Diverse,
    Expanded,
    Fused,
    Method,
    Qcg,
    QcgSettings,
    Relevant,
    filtered,
    method,
)
from qcg_neo4j.retrieval.answer.conversation import Turn, standalone
from qcg_neo4j.retrieval.around.wrapper import relevance

READ = [one for one in islice(read_documents((str(SAMPLE / "passages.jsonl"),)), 16) if isinstance(one, SourceDocument)]
KINDS: list[dict[str, Any]] = [
    {"author": "Wu", "year": 2025, "tags": ["law", "tax"]},
    {"author": "Wu Li", "year": 1.5, "tags": ["Wu"]},
    {"year": 2, "tags": ["law"]},
]
OPEN = [
    replace(one, metadata={**KINDS[place % 3], "wing": "open", "number": place}) for place, one in enumerate(READ[::2])
]
SECRET = [
    replace(one, published_at=DATES[place % 7], metadata={"wing": "secret", "number": place})
    for place, one in enumerate(READ[1::2])
]
# A text that is first known of a secret document, and that an open one holds as well.
COPY = replace(SECRET[0], id="copy", title="The open copy", metadata={"wing": "open", "number": 99})
QUESTIONS = [passage.splitlines()[-1] for one in READ[:8] for passage in one.passages[:1]]
RECORDED = [json.loads(line)["question"] for line in (SAMPLE / "questions.jsonl").read_text("utf-8").splitlines()[::60]]
DEEP: dict[str, Any] = {"passages": 1000, "context_tokens": 10**6}
OPENED = 'wing = "open"'
FILTERED = [name for name in METHODS if not name.startswith("graphrag-")]


@pytest.fixture(scope="module")
def divided(server_2026: TestServer, pytestconfig: pytest.Config) -> Iterator[Graph]:
    """Half of the documents are secret; entities, atoms, synonyms, communities and a text are shared by both halves."""
    with Graph.connect(server_2026.uri, server_2026.user, server_2026.password) as graph:
        remembering = remembered(graph, pytestconfig)
        load_documents(without_vector_indexes(graph), remembering, SECRET, LoadSettings())
        load_documents(graph, remembering, [*OPEN, COPY], LoadSettings())
        settings, pairs = GenerateSettings(source="replies"), Recording([SAMPLE / "pairs.jsonl"], "generate/pairs")
        generate_queries(graph, remembering, settings, pairs)
        generate_queries(graph, Hasty(), settings, pairs, with_baselines=True)
        extract_graph(graph, remembering, ExtractSettings(source="replies"), Recording([SAMPLE / "graph.jsonl"]))
        build_queries(graph, BuildSettings())
        build_synonyms(graph)
        build_atoms(graph)
        build_communities(graph)
        write_reports(graph, remembering, ReportSettings(source="extractive"))
        import_predictor(graph, SAMPLE / "predictor.npz")
        graph.embedder = remembering
        yield graph


HELD_BY = """
MATCH (chunk:QcgChunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(document) WHERE document.id IN $ids
RETURN collect(DISTINCT chunk.id) AS chunks
"""
SECRETS = """
MATCH (chunk:QcgChunk)
WHERE NOT EXISTS { (chunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(:QcgDocument {wing: 'open'}) }
CALL (chunk) {
  RETURN chunk.id AS word UNION RETURN chunk.text AS word
  UNION MATCH (chunk)-[:FROM_DOCUMENT]->(document) RETURN document.id AS word
  UNION MATCH ()-[triple:RELATED_TO {chunkId: chunk.id}]->() RETURN triple.id AS word
  UNION MATCH (chunk)<-[:FROM_CHUNK]-(made)
  WHERE NOT EXISTS { (made)-[:FROM_CHUNK]->()<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->({wing: 'open'}) }
  RETURN made.id AS word
}
WITH collect(DISTINCT word) AS words
RETURN words + COLLECT { MATCH (e:QcgEntity) WHERE size(e.description) > 20 RETURN e.description } AS words
"""
# What a description happens to say in the same words.
PERMITTED = """
MATCH (chunk:QcgChunk)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->(:QcgDocument {wing: 'open'})
OPTIONAL MATCH (chunk)<-[:FROM_CHUNK]-(query:QcgQuery)
UNWIND [chunk.text, query.text] AS text
WITH text WHERE text IS NOT NULL
RETURN text
"""


@pytest.fixture(scope="module")
def secrets(divided: Graph) -> list[str]:
    """What nobody may learn who may read the open documents alone."""
    permitted = "\n".join(row["text"] for row in query(divided, PERMITTED))
    found = [word for word in query(divided, SECRETS)[0]["words"] if word not in permitted]
    assert len(found) > 100
    return found


def leaked(evidence: Evidence, secrets: list[str]) -> list[str]:
    told = repr(evidence.as_dict())
    return [word for word in secrets if word in told or repr(word)[1:-1] in told]


@pytest.mark.parametrize("name", FILTERED)
def test_nothing_leaks(name: str, divided: Graph, secrets: list[str]) -> None:
    for question in QUESTIONS:
        everything = method(name, DEEP).retrieve(divided, question)
        found = filtered(method(name, DEEP), {"wing": "open"}).retrieve(divided, question)
        assert found.passages
        assert leaked(everything, secrets)  # or this test could not fail
        assert leaked(found, secrets) == [], name
        assert {one.metadata["wing"] for one in found.passages} == {"open"}
        assert all(
            document.id in {one.id for one in [*OPEN, COPY]} for one in found.passages for document in one.documents
        )
        assert found.settings["where"] == 'wing = "open"'


@pytest.mark.parametrize("around", ["fused", "diverse", "expanded", "auto"])
def test_nothing_leaks_from_what_is_around_a_method(around: str, divided: Graph, secrets: list[str]) -> None:
    analyses = Recording([SAMPLE / "analyses.jsonl"])
    methods: dict[str, Method] = {
        "fused": Fused(method("layers", DEEP), (method("atomic"), method("lp")), "scores"),
        "diverse": Diverse(Fused(method("qcg", DEEP), (method("kg-cqr"),))),
        "expanded": Expanded(method("layers", DEEP), analyses, "terms"),
        "auto": method("auto", {"analysis": "model", "complexity": 0.0, **DEEP}).with_source(analyses),
    }
    for question in RECORDED:
        found = filtered(methods[around], 'wing = "open"').retrieve(divided, question)
        assert found.passages
        assert leaked(found, secrets) == []


# A filter that the application fixes


@pytest.fixture
def fenced(divided: Graph, server_2026: TestServer) -> Iterator[Graph]:
    """A connection that sees the open documents alone; the secret ones have a property that no open one has."""
    query(divided, "MATCH (d:QcgDocument {wing: 'secret'}) SET d.classified = true")
    address = (server_2026.uri, server_2026.user, server_2026.password)
    with Graph.connect(*address, where='wing = "open"') as graph:
        graph.embedder = divided.embedder
        yield graph
    query(divided, "MATCH (d:QcgDocument) REMOVE d.classified")


@pytest.mark.parametrize("name", FILTERED)
def test_what_a_connection_sees_is_what_its_filter_permits(name: str, divided: Graph, fenced: Graph) -> None:
    for question in QUESTIONS[:4]:
        whole = filtered(method(name, DEEP), 'wing = "open"').retrieve(divided, question)
        found = method(name, DEEP).retrieve(fenced, question)
        assert [one.id for one in found.passages] == [one.id for one in whole.passages]
        narrowed = filtered(method(name, DEEP), 'wing = "secret" or number = 2').retrieve(fenced, question)
        assert {(one.metadata["wing"], one.metadata["number"]) for one in narrowed.passages} <= {("open", 2)}


def test_the_filter_of_a_connection_is_evaluated_once_for_a_question(
    fenced: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, read = [], Graph.read

    def noting(graph: Graph, call: Call, most: int | None = None) -> Rows:
        asked.append(call.path)
        return read(graph, call, most)

    monkeypatch.setattr(Graph, "read", noting)
    for name in ("vector", "layers"):
        asked.clear()
        assert method(name).retrieve(fenced, QUESTIONS[0]).passages
        assert asked.count("retrieve/permitted") == 1, name


def test_a_floor_and_diversity_keep_to_what_is_permitted(divided: Graph, fenced: Graph) -> None:
    diverse = Diverse(method("layers", DEEP))
    whole = filtered(diverse, 'wing = "open"').retrieve(divided, QUESTIONS[0])
    assert diverse.retrieve(fenced, QUESTIONS[0]).passages == whole.passages
    assert whole.passages
    secret, everything = SECRET[1].passages[0], divided.embed_passage(SECRET[1].passages[0])
    known = [relevance(*asked) for asked in ((fenced, everything), (divided, everything, QcgSettings(where=OPENED)))]
    assert known[0] == known[1] != relevance(divided, everything)
    floor = Relevant(method("fulltext", {"where": OPENED}), 0.9999)
    assert "nothing in the graph is relevant" in floor.retrieve(divided, secret, everything).notes[0]


@pytest.mark.parametrize("name", ["atomic", "lp"])
def test_rounds_of_cypher_see_what_the_filter_permits(
    name: str, divided: Graph, fenced: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    for graph in (divided, fenced):
        monkeypatch.setattr(graph, "_procedures", False)  # as without the plug-in
    whole = filtered(method(name, DEEP), 'wing = "open"').retrieve(divided, QUESTIONS[0])
    found = method(name, DEEP).retrieve(fenced, QUESTIONS[0])
    assert [one.id for one in found.passages] == [one.id for one in whole.passages]


def test_questions_about_all_and_follow_ups_keep_to_what_is_permitted(divided: Graph, fenced: Graph) -> None:
    found = Auto().retrieve(fenced, "What are the main topics of all documents?")
    assert "a filter is given" in found.notes[0]
    names = """
    MATCH (e:QcgEntity)-[:FROM_CHUNK]->(c) WITH e.name AS name, collect(c) AS chunks
    WHERE name =~ '[A-Z][a-z]+ [A-Z][a-z]+'
    RETURN name, any(c IN chunks WHERE EXISTS {
      (c)<-[:SAME_TEXT_AS*0..1]-()-[:FROM_DOCUMENT]->({wing: 'open'}) }) AS isOpen ORDER BY name
    """
    rows = query(divided, names)
    assert {row["isOpen"] for row in rows} == {True, False}
    for row in rows:
        said = [Turn(f"Who or what is {row['name']}?")]
        assert standalone(divided, "And since when?", said) == f"And since when? ({row['name']})"
        assert (row["name"] in standalone(fenced, "And since when?", said)) == row["isOpen"]


def inspected(tools: Tools, name: str, values: Mapping[str, Any]) -> str:
    """All that an agent is told by a statement, whatever it asks with."""
    declared = [item.name for item in statement(f"inspect/{name}").parameters]
    given = {item: values[item] for item in declared if item in values}
    return repr(tools.inspect(name, given))


def test_no_tool_tells_of_a_document_outside(divided: Graph, fenced: Graph, secrets: list[str]) -> None:
    hidden = query(
        divided, "MATCH (c:QcgChunk)-[:FROM_DOCUMENT]->(d:QcgDocument {wing: 'secret'}) RETURN c.id AS id, d.id AS d"
    )
    entity = query(
        divided, "MATCH (e:QcgEntity)-[:FROM_CHUNK]->(:QcgChunk {id: $id}) RETURN e.name AS n", id=hidden[0]["id"]
    )
    values = {
        "chunk": hidden[0]["id"],
        "document": hidden[0]["d"],
        "name": entity[0]["n"],
        "limit": 1000,
        "others": 100,
        "query": hidden[0]["id"],
        "queryIds": [],
        "chunkIds": [hidden[0]["id"]],
        "tripleIds": [],
        "after": "",
    }
    own = query(
        divided,
        "MATCH (e:QcgEntity) WHERE NOT EXISTS { (e)-[:FROM_CHUNK]->()-[:FROM_DOCUMENT]->({wing: 'secret'}) } "
        "RETURN e.description AS text",
    )
    words = set(secrets) - {row["text"] for row in own}  # what only open documents say of an entity is none
    limits = McpSettings(rows=10_000, characters=100_000, passages=1000)
    agents, everybody = (Tools(graph, limits, SmallEmbedder) for graph in (fenced, divided))
    told = [inspected(agents, name, values) for name in statements(restricted=True)]
    told += [repr(agents.status()), repr(agents.retrieve(QUESTIONS[0], passages=1000))]
    assert [word for word in [*words, "classified", "'secret'"] if any(word in text for text in told)] == []
    whole = [inspected(everybody, name, values) for name in ("chunk", "document", "metadata")]
    assert all(hidden[0]["d"] in text or "classified" in text for text in whole)  # or this test could not fail
    seen = repr(agents.inspect("document", {"document": OPEN[0].id}))
    assert OPEN[0].id in seen


def test_an_error_knows_no_name_of_a_document_outside(divided: Graph, fenced: Graph) -> None:
    def error(name: str) -> str:
        with pytest.raises(InputError) as told:
            filtered(method("hybrid"), f"{name} = true").retrieve(fenced, QUESTIONS[0])
        return str(told.value).replace(name, "NAME")

    assert error("classified") == error("whatever")
    assert "classified" not in error("classifie")
    assert filtered(method("hybrid"), "classified = true").retrieve(divided, QUESTIONS[0]).passages


def test_what_cannot_be_restricted_is_refused(fenced: Graph) -> None:
    for path in ("inspect/counts", "inspect/hierarchy", "stage/all", "load/hashes", "lock/holder"):
        with pytest.raises(GraphError, match="reads all documents, but this connection sees only some"):
            fenced.rows(path)
    for attempt in (
        lambda: load_documents(fenced, SmallEmbedder(), [SECRET[0]]),
        lambda: fenced.write(Call("stage/touch", {"stages": ["load"]})),
        lambda: fenced.run("build/forget_projections", prefix=""),
    ):
        with pytest.raises(GraphError, match="this connection is read-only"):
            attempt()
    with pytest.raises(GraphError, match="of its own corpus"):
        fenced.beside("law")
    known = status(fenced)
    assert known.counts["Document"] == len(OPEN) + 1
    assert (known.corpora, known.stages, known.missing) == ((), (), {})
    with pytest.raises(SettingsError, match="cannot load"):
        McpSettings(where='wing = "open"', allow_write=True)


# Around procedures


GRAPHS = """
CALL {}($question, $keys) YIELD chunk, document, paths
RETURN chunk.id AS id, document.id AS document, COLLECT {{
  UNWIND paths AS path
  UNWIND nodes(path) AS node
  RETURN DISTINCT [key IN keys(node) WHERE NOT node[key] IS :: LIST<FLOAT NOT NULL> | node[key]] }} AS told
"""


@pytest.mark.parametrize("name", [name for name in FILTERED if METHODS[name].procedure])
def test_a_procedure_finds_what_the_method_finds(name: str, divided: Graph, secrets: list[str]) -> None:
    own = {"context": "none"} if name == "kg-cqr" else {}  # the server embeds by another model
    for question in QUESTIONS[:3]:
        vector = divided.embed_question(question)
        found = filtered(method(name, own), {"wing": "open", "number": {"$gte": 2}}).retrieve(divided, question, vector)
        keys = {"where": {"wing": "open", "number": {"$gte": 2}}, **own}
        given = {"text": question, "vector": vector.tolist()}
        rows = query(divided, GRAPHS.format(METHODS[name].procedure), question=given, keys=keys)
        assert [(row["id"], row["document"]) for row in rows] == [(one.id, one.document) for one in found.passages]
        told = repr([row["told"] for row in rows])
        assert [word for word in secrets if word in told] == []


@settings(seldom, max_examples=25)
@given(dictionary=DICTIONARIES)
def test_the_map_of_a_procedure_says_what_the_dictionary_says(divided: Graph, dictionary: dict[str, Any]) -> None:
    """Over documents that have what the filters ask for."""
    call = "CALL qcg.retrieve.vector($vector, $keys) YIELD document RETURN collect(DISTINCT document.id) AS ids"
    keys = {"where": dictionary, "passages": 1000, "contextTokens": 10**6}
    found = query(divided, call, vector=[1.0] + [0.0] * 383, keys=keys)[0]["ids"]
    permitted = set(permission(divided, dictionary).documents or ())
    if SECRET[0].id in permitted:
        permitted.discard(COPY.id)  # whose text is the other's passage, then
    assert set(found) == permitted


@pytest.mark.parametrize(
    ("where", "problem"),
    [
        ({"wingg": 1}, "no document has 'wingg', which the filter names. Did you mean 'wing'"),
        ({"wing": {"$gta": 1}}, "where has no operator '$gta'. Did you mean '$gt'"),
        ({}, "where is {}, but must be a map such as"),
        ({"wing": {}}, "'wing' of where has no operator"),
        ({"$nor": []}, "where a property is expected"),
        ({"$or": []}, "$or of where is"),
        ({"wing": {"$in": 1}}, "must be a list"),
        ({"wing": {"$between": [1]}}, "must be a list of 2 values"),
        ({"wing": {"$prefix": 1}}, "which is no text"),
        ({"wing": None}, "compares 'wing' with null"),
        ("wing", "where is 'wing', but must be a map"),
    ],
)
def test_a_procedure_refuses_a_wrong_filter(where: Any, problem: str, divided: Graph) -> None:
    with pytest.raises(neo4j.exceptions.Neo4jError, match=f"qcg.retrieve.vector: .*{re.escape(problem)}"):
        query(divided, "CALL qcg.retrieve.vector($v, {where: $where})", v=[1.0] * 384, where=where)


def whole_of(graph: Graph, chunks: set[str]) -> reference.Whole:
    """The graph as far as these chunks go."""
    whole = reference.read_whole(graph)
    queries = {name: vector for name, vector in whole.queries.items() if whole.chunk_of[name] in chunks}
    return replace(
        whole,
        queries=queries,
        chunks={name: vector for name, vector in whole.chunks.items() if name in chunks},
        neighbours={name: [other for other in whole.neighbours[name][:3] if other in queries] for name in queries},
    )


@pytest.mark.parametrize("hops", [0, 1, 2])
@pytest.mark.parametrize("where", ['wing = "open"', "number = 7", "number = 99"])
def test_qcg_finds_what_plain_python_finds_among_the_permitted(divided: Graph, where: str, hops: int) -> None:
    chosen = QcgSettings(where=where, hops=hops, context_tokens=10**6)
    chunks = set(query(divided, HELD_BY, ids=list(permission(divided, where).documents or ()))[0]["chunks"])
    whole = whole_of(divided, chunks)
    for question in QUESTIONS:
        vector = divided.embed_question(question)
        expected = reference.qcg(whole, vector.astype(np.float64), chosen)
        found = Qcg(chosen).retrieve(divided, question, vector).passages
        assert [item.score for item in found] == pytest.approx([score for _, score in expected], abs=1e-4)


@pytest.mark.parametrize("name", FILTERED)
def test_a_few_documents_far_from_the_question_are_found(name: str, divided: Graph) -> None:
    """The index brings none of them among its first; the wanted number comes back all the same."""
    for question in QUESTIONS[:4]:
        found = filtered(method(name), "number = 7").retrieve(divided, question).passages
        assert {one.metadata["number"] for one in found} == {7}
        texts = {passage for one in [*OPEN, *SECRET] if one.metadata["number"] == 7 for passage in one.passages}
        if name in ("vector", "d2q", "d2q--"):  # all queries that qcg hits may belong to one of them
            assert len(found) == min(5, len(texts))


@pytest.mark.parametrize("name", FILTERED)
def test_a_copy_is_named_by_the_permitted_document(name: str, divided: Graph) -> None:
    question = COPY.passages[0].splitlines()[-1]
    for where, named in (
        ('wing = "open"', {"copy"}),
        ('wing = "secret"', {SECRET[0].id}),
        ("number is not null", {"copy", SECRET[0].id}),
    ):
        found = filtered(method(name, DEEP), where).retrieve(divided, question).passages
        (item,) = [one for one in found if one.text == COPY.passages[0]]
        assert {document.id for document in item.documents} == named


def test_a_filter_that_permits_nothing_says_so(divided: Graph) -> None:
    for name in FILTERED:
        found = filtered(method(name), 'wing = "east"').retrieve(divided, QUESTIONS[0])
        assert found.passages == ()
        assert found.notes[-1] == 'no document is permitted by: wing = "east"'
