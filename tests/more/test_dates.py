"""Days that documents and questions name: kept on chunks, preferred where a question names one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from graph_dump import query
from small_embedder import SmallEmbedder

from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.load import LoadSettings, load_documents
from qcg_neo4j.models.prompts import numbered
from qcg_neo4j.retrieval import Fulltext, Hybrid, Layers, LayersSettings
from qcg_neo4j.retrieval.around.wrapper import Answering
from qcg_neo4j.retrieval.reasons import reasons

SAME = "They met at the gym. They spoke of the weather. They met, and spoke of the gym."
DOCUMENTS = (
    SourceDocument("a", "They met at the gym and spoke of the weather.", published_at="2026-04-10T09:00"),
    SourceDocument("b", "Time: 20260411_10:00\nThey met at the gym and spoke of the weather, too."),
    SourceDocument(
        "c", "Am 3. Mai 2026 they met at the gym and spoke of food and the weather.", published_at="2026-04-01"
    ),
    SourceDocument("d", SAME),
    SourceDocument("e", SAME, published_at="2026-04-12"),
)
TOLD = (
    SourceDocument("told", "They met at the gym yesterday and spoke of the weather.", published_at="2026-04-10T09:00"),
    SourceDocument("later", "They met at the gym and will speak of the weather on 3 May.", published_at="2026-04-11"),
    SourceDocument("bare", "They met at the gym yesterday and spoke of the weather on 3 May."),
)
PROCEDURE = """
CALL qcg.retrieve.layers($question, {passages: 20}) YIELD chunk, score
RETURN chunk.id AS id, score
"""
KEPT = "MATCH (chunk:QcgChunk)-[:FROM_DOCUMENT]->(document) RETURN document.id AS id, chunk.dates AS dates"


@pytest.fixture
def dated(graph: Graph) -> Graph:
    graph.embedder = embedder = SmallEmbedder()
    load_documents(graph, embedder, DOCUMENTS, LoadSettings())
    return graph


def test_chunks_keep_their_days(dated: Graph) -> None:
    both = ["2026-05-03", "2026-04-01"]
    expected = {"a": ["2026-04-10"], "b": ["2026-04-11"], "c": both, "d": None, "e": ["2026-04-12"]}
    assert {row["id"]: row["dates"] for row in query(dated, KEPT)} == expected
    again = [SourceDocument("a", DOCUMENTS[0].text, published_at="2026-04-13"), *DOCUMENTS[1:]]
    load_documents(dated, SmallEmbedder(), again, LoadSettings())
    assert {row["id"]: row["dates"] for row in query(dated, KEPT)} == {**expected, "a": ["2026-04-13"]}


@pytest.mark.parametrize(
    ("day", "document"),
    [
        ("on April 10, 2026", "a"),
        ("am 11.4.2026", "b"),
        ("on 20260503", "c"),
        ("2026-04-01", "c"),
        ("le 12 avril 2026", "e"),
    ],
)
def test_a_question_with_a_day_prefers_its_chunks(dated: Graph, day: str, document: str) -> None:
    question = f"What did they speak of when they met at the gym {day}?"
    found = Layers().retrieve(dated, question).passages
    assert document in {one.id for one in found[0].documents}
    assert "date" in {reason.kind for reason in reasons(found[0])}
    for other in (Layers(LayersSettings(date_weight=0)), Hybrid(), Fulltext()):
        assert "dates" not in layers_of(other.retrieve(dated, question).passages)
    rows = query(dated, PROCEDURE, question={"text": question, "vector": vector_of(question)})
    assert [(row["id"], row["score"]) for row in rows] == [
        (one.id, pytest.approx(one.score, abs=1e-6)) for one in found
    ]


def test_days_that_a_document_tells_by_its_own_are_found(graph: Graph) -> None:
    graph.embedder = embedder = SmallEmbedder()
    load_documents(graph, embedder, TOLD, LoadSettings())
    kept = {row["id"]: row["dates"] for row in query(graph, KEPT)}
    assert kept == {"told": ["2026-04-09", "2026-04-10"], "later": ["2026-05-03", "2026-04-11"], "bare": None}
    for day, document in (("20260409", "told"), ("May 3, 2026", "later")):
        found = Layers().retrieve(graph, f"What did they speak of when they met at the gym on {day}?").passages
        assert (found[0].document, [one.document for one in found if "dates" in layers_of([one])]) == (
            document,
            [document],
        )
    # A question has no day of its own: what it tells by another day is none of it.
    without = Layers(LayersSettings(date_weight=0))
    for question in ("Where did they meet yesterday?", "Where will they meet on 3 May?"):
        assert Layers().retrieve(graph, question).passages == without.retrieve(graph, question).passages
    load_documents(graph, embedder, [replace(TOLD[0], published_at="2026-04-20"), *TOLD[1:]], LoadSettings())
    assert {row["id"]: row["dates"] for row in query(graph, KEPT)} == {**kept, "told": ["2026-04-19", "2026-04-20"]}


def test_a_question_without_a_day_finds_what_it_found(dated: Graph) -> None:
    question = "What did they speak of?"
    without = Layers(LayersSettings(date_weight=0)).retrieve(dated, question).passages
    assert Layers().retrieve(dated, question).passages == without


def test_a_filter_holds_for_days(dated: Graph) -> None:
    found = Layers(LayersSettings(where='id = "d"')).retrieve(dated, "Where did they meet on 20260412?").passages
    assert [one.document for one in found] == ["d"]
    assert "dates" not in layers_of(found)  # it is the date of another document with the same text
    found = Layers(LayersSettings(where='id = "e"')).retrieve(dated, "Where did they meet on 20260412?").passages
    assert "dates" in layers_of(found)


def test_an_answer_is_told_dates_and_in_order_of_time_where_that_is_asked(dated: Graph) -> None:
    found = Answering(Layers()).retrieve(dated, "Did they meet at the gym before they spoke of food?").passages
    assert [one.document for one in found][:2] == ["c", "a"]
    assert "(a, 2026-04-10T09:00)" in numbered(found)


def layers_of(passages: Any) -> set[str]:
    return {path[-1].layer for one in passages for path in one.paths}


def vector_of(question: str) -> list[float]:
    return [float(value) for value in SmallEmbedder().embed_questions([question])[0]]
