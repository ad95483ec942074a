"""Statements for people: each returns rows on the sample, and what it says is so."""

from __future__ import annotations

from typing import Any

import neo4j
import pytest

from qcg_neo4j.database.conversion import camel, snake
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.statements import statement
from qcg_neo4j.database.status import status
from qcg_neo4j.interfaces.browser import inspecting

QUESTION = "Which gym did Wolfgang recommend to Li Hua?"
# Some of every kind: a selection of all nodes would bring the whole graph, thousands of vectors and all.
MOST_JOINED = """UNWIND ['Document', 'Chunk', 'Query', 'Entity', 'Atom'] AS kind
CALL (kind) { MATCH (n:$(kind)) RETURN n ORDER BY COUNT { (n)--() } DESC, n.id LIMIT 10 }
RETURN collect(elementId(n))"""


def one(graph: Graph, text: str) -> Any:
    """The one value that a statement of this test returns."""
    return graph.driver.execute_query(text).records[0][0]


@pytest.fixture(scope="module")
def values(sample_reports: Graph) -> dict[str, Any]:
    """A value for every parameter that a statement of ``inspect/`` may have."""
    graph = sample_reports
    chunk = one(
        graph, "MATCH (c:Chunk)<-[:FROM_CHUNK]-(q:Query) WHERE (c)<-[:FROM_CHUNK]-(:Entity) RETURN c.id LIMIT 1"
    )
    return {
        "chunk": chunk,
        "document": one(graph, f"MATCH (:Chunk {{id: '{chunk}'}})-->(d:Document) RETURN d.id"),
        "chunk_ids": [chunk],
        "query_ids": [one(graph, f"MATCH (:Chunk {{id: '{chunk}'}})<--(q:Query) RETURN q.id LIMIT 1")],
        "query": one(graph, "MATCH (q:Query)-[:SIMILAR_TO]->() RETURN q.question LIMIT 1"),
        "triple_ids": [one(graph, "MATCH ()-[t:RELATED_TO]->() RETURN t.id LIMIT 1")],
        "name": one(
            graph, "MATCH (e:Entity)-[:RELATED_TO]-() WITH e, count(*) AS n RETURN e.name ORDER BY n DESC LIMIT 1"
        ),
        "id": one(graph, "MATCH (c:Community {level: 0}) RETURN c.id ORDER BY c.size DESC LIMIT 1"),
        "level": 0,
        "limit": 5,
        "others": 3,
        "title": one(graph, "MATCH (c:Community) RETURN c.title ORDER BY c.size DESC LIMIT 1"),
        "nodes": one(graph, MOST_JOINED),
        "similarity": 0.9,
        "question": QUESTION,
        "after": "",
        "permitted": None,
    }


@pytest.mark.rest
@pytest.mark.parametrize("path", inspecting())
def test_every_statement_returns_rows(sample_reports: Graph, values: dict[str, Any], path: str) -> None:
    names = [snake(parameter.name) for parameter in statement(path).parameters]
    rows = sample_reports.rows(path, **{name: values[name] for name in names})
    assert rows
    assert any(value is not None and value != [] for value in rows[0].values())


@pytest.mark.parametrize("path", [path for path in inspecting() if path.startswith("inspect/answer/")])
def test_an_answer_is_nodes_and_paths_to_its_chunks(sample_reports: Graph, path: str) -> None:
    rows = sample_reports.rows(path, question=QUESTION)
    assert rows[0]["paths"]
    for row in rows:
        assert "Document" in row["document"].labels
        for way in row["paths"]:
            assert isinstance(way, neo4j.graph.Path)
            assert row["chunk"] in way.nodes


def test_contents_agree_with_status_and_name_what_is_stale(sample_reports: Graph) -> None:
    graph = sample_reports
    found = status(graph)
    rows = {row["kind"]: row for row in graph.rows("inspect/contents")}
    for kind in ("Document", "Chunk", "Query", "Entity", "Atom", "Community"):
        assert rows[kind]["number"] == found.counts[kind]
    stages = {stage.name: stage.stale for stage in found.stages}
    assert {row["stage"]: row["state"] for row in rows.values()} == {
        name: stale or "up to date"
        for name, stale in stages.items()
        if name != "indexes"  # it makes nothing
    }


def test_a_changed_stage_makes_later_ones_stale(graph: Graph) -> None:
    graph.driver.execute_query(
        "UNWIND [['load', 12, null], ['generate', 1, '{\"load\": 1}'], ['extract', 3, '{\"load\": 12}']] AS row "
        "CREATE (:QcgStage:Stage {name: row[0], revision: row[1], basis: row[2], finishedAt: datetime()})"
    )
    states = {row["stage"]: row["state"] for row in graph.rows("inspect/contents")}
    assert states["generate"] == "stale: load changed since"
    assert states["extract"] == "up to date"
    assert states["report"] == "has not run"


def test_a_derivation_holds_all_that_came_from_the_document(sample_reports: Graph, values: dict[str, Any]) -> None:
    rows = sample_reports.rows("inspect/derivation", document=values["document"])
    held = {node.element_id for row in rows for path in row["derived"] for node in path.nodes}
    query = (
        "MATCH (:Document {id: $id})<-[:FROM_DOCUMENT]-()<-[:FROM_CHUNK]-(made) "
        "RETURN collect(DISTINCT elementId(made)) AS made"
    )
    made = sample_reports.driver.execute_query(query, id=values["document"]).records[0]["made"]
    assert made
    assert set(made) <= held


def test_what_is_twice_is_found(graph: Graph) -> None:
    graph.driver.execute_query("UNWIND ['a', 'b'] AS id CREATE (:QcgChunk:Chunk {id: id, text: 'the same'})")
    found = graph.rows("inspect/duplicates", similarity=0.9, limit=5)
    assert [(row["kind"], row["measure"], sorted(row["ids"])) for row in found] == [("equal chunks", 2, ["a", "b"])]


def test_orphans_are_named_with_what_they_lack(graph: Graph) -> None:
    graph.driver.execute_query(
        "CREATE (:QcgChunk:Chunk {id: 'c', text: 'alone'}), (:QcgAtom:Atom {id: 'a', text: 'lost'})"
    )
    found = {(row["id"], row["lacks"]) for row in graph.rows("inspect/orphans", limit=5)}
    assert found == {("c", "from no document"), ("a", "mentions no entity"), ("a", "from no chunk")}


def test_shares_count_what_has_and_what_could_have(sample_reports: Graph) -> None:
    rows = {row["what"]: row for row in sample_reports.rows("inspect/shares")}
    missing = sample_reports.rows("inspect/coverage")[0]
    queries = rows["chunks with queries"]
    assert queries["of"] - queries["have"] == missing["chunks_without_queries"]
    assert rows["entities in a community"]["of"] == status(sample_reports).counts["Entity"]
    assert all(0 <= row["percent"] <= 100 for row in rows.values())


def test_camel_and_snake_are_each_others_opposite() -> None:
    names = {parameter.name for path in inspecting() for parameter in statement(path).parameters}
    assert {camel(snake(name)) for name in names} == names
