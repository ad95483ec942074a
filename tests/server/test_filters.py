"""Filters on metadata: how they are read, which documents they permit, and that no method answers from another."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime
from itertools import islice
from typing import Any

import neo4j
import numpy as np
import pytest
import reference
from conftest import SAMPLE, Hasty, TestServer, emptied, remembered, without_vector_indexes
from graph_dump import query
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from reference_filters import says
from small_embedder import SmallEmbedder

from qcg_neo4j.cli.evidence import browser_script
from qcg_neo4j.core.errors import GraphError, InputError, SettingsError
from qcg_neo4j.core.filters import Part, from_dictionary, parse, read, steps
from qcg_neo4j.core.records import Evidence, SourceDocument
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.statements import statement
from qcg_neo4j.database.status import status
from qcg_neo4j.indexing.build import BuildSettings, build_atoms, build_communities, build_queries, build_synonyms
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.generate import GenerateSettings, generate_queries
from qcg_neo4j.indexing.load import LoadSettings, load_documents, read_documents
from qcg_neo4j.indexing.report import ReportSettings, write_reports
from qcg_neo4j.indexing.train import import_predictor
from qcg_neo4j.interfaces.mcp import McpSettings, Tools
from qcg_neo4j.interfaces.mcp.tools import statement_names
from qcg_neo4j.models.replies import Recording
from qcg_neo4j.retrieval import METHODS, Diverse, Expanded, Fused, Method, Qcg, QcgSettings, filtered, method
from qcg_neo4j.retrieval.permission import permission

# Reading


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("author = 'Wu'", 'author = "Wu"'),
        ('author="Wu" and published>=2025-01-01', 'author = "Wu" and publishedAt >= 2025-01-01'),
        ("a = 1 or b = 2 and not c = 3", "a = 1 or (b = 2 and not c = 3)"),
        ("(a = 1 OR b = 2) AND c = 3", "(a = 1 or b = 2) and c = 3"),
        ("a <> 1 and b ≠ 2 and c ≤ 3 and d ≥ 4 and e == 5", "a != 1 and b != 2 and c <= 3 and d >= 4 and e = 5"),
        ("year in [2024, 2025.5] or year not in []", "year in [2024, 2025.5] or year not in []"),
        ("published in [2024-05, 2025]", "publishedAt = 2024-05 or publishedAt = 2025"),
        ("author is null and title is not null and not tags has 1", None),
        ('`strange name` prefix "a" and author.name contains "b" and title icontains "c"', None),
        ("draft = true and final != false", None),
        ('day >= "2025-01-01 10:00"', "day >= 2025-01-01T10:00"),
        (r'title = "a \"quoted\" \\ é \u00e9"', 'title = "a \\"quoted\\" \\\\ é é"'),
        ("größe = -1.5e3", "größe = -1500.0"),
    ],
)
def test_a_text_is_read_as_it_is_meant(text: str, meant: str | None) -> None:
    assert str(parse(text)) == (text if meant is None else meant)
    assert parse(str(parse(text))) == parse(text)


@pytest.mark.parametrize(
    ("text", "problem", "column"),
    [
        ("", "the name of a property is expected", 0),
        ("author", "after 'author' an operator is expected", 6),
        ("author = Wu", 'put text in quotation marks: "Wu"', 9),
        ("author = ", "a value is expected", 9),
        ('author = "Wu', "a quotation is not closed", 9),
        ("a = 1 b = 2", "'and' or 'or' is expected", 6),
        ("(a = 1", "a bracket is not closed", 6),
        ("a in 1", "a list such as", 5),
        ("a in [1, 2", "the list is not closed", 10),
        ("a = null", "write 'is null'", 4),
        ("a = 2025-1-1", "neither a number nor a date", 4),
        ("a prefix 1", "'prefix' takes a text", 9),
        ("a = 1; b = 2", "';' means nothing", 5),
        ("not " * 200 + "a = 1", "nested", None),
    ],
)
def test_what_cannot_be_read_is_shown_with_its_place(text: str, problem: str, column: int | None) -> None:
    with pytest.raises(InputError, match=f"The filter cannot be read: .*{re.escape(problem)}") as raised:
        parse(text)
    mark = raised.value.problem.splitlines()[-1]
    assert column is None or mark.index("^") == column + 2


@pytest.mark.parametrize(
    ("dictionary", "text"),
    [
        ({"author": "Wu"}, 'author = "Wu"'),
        ({"author": "Wu", "year": {"$gte": 2025}}, 'author = "Wu" and year >= 2025'),
        ({"year": {"$gt": 2020, "$lt": 2025}}, "year > 2020 and year < 2025"),
        (
            {"$or": [{"a": 1}, {"$and": [{"b": {"$ne": 2}}, {"c": {"$in": [1, 2]}}]}]},
            "a = 1 or (b != 2 and c in [1, 2])",
        ),
        ({"a": {"$nin": ["x"]}, "b": {"$between": [1, 2]}}, 'not a in ["x"] and (b >= 1 and b <= 2)'),
        ({"t": {"$like": "x%"}, "u": {"$ilike": "Y"}}, 't contains "x" and u icontains "Y"'),
        ({"tags": {"$has": "law"}, "a": {"$null": False}}, 'tags has "law" and a is not null'),
        ({"published": {"$gte": date(2025, 1, 31)}}, "published >= 2025-01-31"),
        ({"$not": {"day": datetime(2025, 1, 31, 10, 30)}}, "not day = 2025-01-31T10:30:00"),
    ],
)
def test_a_dictionary_says_the_same_as_a_text(dictionary: dict[str, Any], text: str) -> None:
    assert from_dictionary(dictionary) == parse(text)
    assert QcgSettings(where=dictionary) == QcgSettings(where=str(parse(text)))


@pytest.mark.parametrize(
    ("dictionary", "problem"),
    [
        ({}, "A filter as a dictionary is"),
        ({"a": {"$gta": 1}}, r"no operator '\$gta'.\nDid you mean '\$gt"),
        ({"a": {}}, "has no operator"),
        ({"a": None}, "compares 'a' with None"),
        ({"a": {"$in": 1}}, r"\$in of a filter is 1, but must be a list"),
        ({"a": {"$between": [1]}}, "a list of 2 values"),
        ({"$or": []}, r"\$or of a filter is \[\]"),
        ({"$nor": [{"a": 1}]}, "is given instead of a property"),
        ({"a": float("nan")}, "which is out of range"),
        ({"a": {"$prefix": 1}}, "must be text"),
    ],
)
def test_a_wrong_dictionary_is_refused(dictionary: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        from_dictionary(dictionary)


def test_the_operators_of_neo4j_graphrag_are_known() -> None:
    theirs = pytest.importorskip("neo4j_graphrag.filters").SUPPORTED_OPERATORS
    value = {"$in": [1], "$nin": [1], "$between": [1, 2], "$like": "a", "$ilike": "a"}
    for name in theirs - {"$and", "$or"}:
        assert from_dictionary({"a": {name: value.get(name, 1)}})
    for name in ("$and", "$or"):
        assert from_dictionary({name: [{"a": 1}, {"b": 2}]})


# What the database says

DATES = ["2024-12-31", "2025-01-01", "2025-01-01T10:00:00", "2025", "2025-01", "spring 2025", "2025-01-01 09:00"]
VALUES = some.one_of(
    some.sampled_from([1, 2, 2025, 1.5, True, False, "", "Wu", "wu", "Wu Li", "law"]), some.sampled_from(DATES)
)
HELD = some.one_of(VALUES, some.lists(some.sampled_from(["law", "tax", "Wu"]), min_size=1, max_size=3))
NAMES = ("author", "year", "publishedAt", "tags")
COMPARED = some.tuples(
    some.sampled_from(NAMES), some.sampled_from(["$eq", "$ne", "$lt", "$lte", "$gt", "$gte", "$has"]), VALUES
)
SIMPLE = some.one_of(
    COMPARED,
    some.tuples(
        some.sampled_from(NAMES),
        some.sampled_from(["$prefix", "$contains", "$ilike"]),
        some.sampled_from(["Wu", "w", "20"]),
    ),
    some.tuples(some.sampled_from(NAMES), some.sampled_from(["$in", "$nin"]), some.lists(VALUES, max_size=3)),
    some.tuples(some.sampled_from(NAMES), some.just("$null"), some.booleans()),
    some.tuples(some.sampled_from(NAMES), some.sampled_from(["$gte", "$lt", "$eq"]), some.just(date(2025, 1, 1))),
).map(lambda test: {test[0]: {test[1]: test[2]}})
DICTIONARIES = some.recursive(
    SIMPLE,
    lambda inner: some.one_of(
        some.tuples(some.sampled_from(["$and", "$or"]), some.lists(inner, min_size=1, max_size=3)).map(
            lambda one: dict([one])
        ),
        inner.map(lambda one: {"$not": one}),
    ),
    max_leaves=6,
)
FILTERS = DICTIONARIES.map(from_dictionary)
seldom = settings(
    max_examples=60, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


@seldom
@given(part=FILTERS)
def test_a_filter_is_read_as_it_is_written(part: Part) -> None:
    again = parse(str(part))
    assert str(again) == str(part)
    for document in ({}, {"author": "Wu", "year": 2025, "publishedAt": "2025-01-01T10:00:00", "tags": ["law"]}):
        assert says(again, document) is says(part, document)


def documents(values: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"id": f"d{place}", "title": "t", **held} for place, held in enumerate(values)]


@pytest.fixture(scope="module")
def library(server_2026: TestServer) -> Iterator[tuple[Graph, list[dict[str, Any]]]]:
    """Documents without a text, of every kind of metadata."""
    random = np.random.default_rng(3)
    kinds: dict[str, list[Any]] = {
        "author": ["Wu", "wu", "Wu Li", "", 1, True, None],
        "year": [2024, 2025, 2025.5, "2025", None],
        "publishedAt": [*DATES, None],
        "tags": [["law", "tax"], ["Wu"], "law", [1, 2], None],
    }
    held = [{name: choices[random.integers(len(choices))] for name, choices in kinds.items()} for _ in range(150)]
    made = documents([{name: value for name, value in one.items() if value is not None} for one in held])
    with Graph.connect(server_2026.uri, server_2026.user, server_2026.password) as graph:
        query(emptied(graph), "UNWIND $rows AS row CREATE (d:QcgDocument:Document) SET d = row", rows=made)
        yield graph, made


@seldom
@given(part=FILTERS)
def test_the_database_permits_what_plain_python_permits(
    library: tuple[Graph, list[dict[str, Any]]], part: Part
) -> None:
    graph, made = library
    found = graph.rows("retrieve/permitted", where=steps(part), permitted=None)[0]
    assert set(found["permitted"]) == {one["id"] for one in made if says(part, one)}
    assert (found["documents"], found["unknown"]) == (len(made), [])


def test_stored_dates_are_compared_as_dates(library: tuple[Graph, list[dict[str, Any]]]) -> None:
    graph, _ = library
    stored = (
        "CREATE (d:QcgDocument:Document {id: 'typed', day: date('2025-03-01'), at: datetime('2025-03-01T10:00:00Z')})"
    )
    query(graph, stored)
    for where, is_permitted in {
        "day >= 2025-02-28 and day < 2025-03-02": True,
        "day = 2025-03": True,
        "at >= 2025-03-01T09:30 and at <= 2025-03-01": True,
        "at > 2025-03-01": False,
        'day > "2025-03-01"': False,
    }.items():
        assert (permission(graph, where).documents == ("typed",)) is is_permitted, where
    query(graph, "MATCH (d:QcgDocument {id: 'typed'}) DELETE d")


def test_a_name_that_no_document_has_is_refused_with_a_hint(library: tuple[Graph, list[dict[str, Any]]]) -> None:
    with pytest.raises(InputError, match=r"No document has 'autor', which the filter names.\nDid you mean 'author'\?"):
        permission(library[0], 'year = 2025 or not autor = "Wu"')


# What the methods find

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
    told = [inspected(agents, name, values) for name in statement_names(restricted=True)]
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


def test_a_script_for_browser_holds_the_filter(library: tuple[Graph, list[dict[str, Any]]]) -> None:
    permitted = permission(library[0], "year = 2024")
    for name in ("vector", "lp"):
        call = permitted.applied(filtered(method(name), "year = 2024").call("Who?", np.ones(2, np.float32)))
        parameters, _ = browser_script(call)
        held = '`operator`: "=", `name`: "year", `value`: 2024' if name == "lp" else json.dumps(permitted.documents)
        assert held in parameters
    assert "`candidates`: 200" in parameters


@pytest.mark.parametrize("name", ["graphrag-local", "graphrag-global"])
def test_what_is_made_of_all_documents_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match="descriptions and reports are made of all documents"):
        method(name, {"where": "year = 2025"})
    with pytest.raises(SettingsError, match="GraphRAG takes no filter"):
        filtered(method(name), {"year": 2025})


def test_a_filter_is_a_setting_of_every_other_method() -> None:
    made: Method = filtered(method("qcg"), {"year": {"$gte": 2025}})
    assert made.settings.where == "year >= 2025"
    assert read("year >= 2025") == read({"year": {"$gte": 2025}})
    with pytest.raises(InputError, match="cannot be read"):
        QcgSettings(where="year >=")
