"""Days in documents and in questions: read in any form, kept in one, preferred where a question names one."""

from __future__ import annotations

import pytest
from small_embedder import SmallEmbedder

from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.load import LoadSettings, load_documents
from qcg_neo4j.indexing.load.dates import days_in
from qcg_neo4j.models.prompts import numbered
from qcg_neo4j.retrieval import Fulltext, Hybrid, Layers, LayersSettings
from qcg_neo4j.retrieval.around.answering import Answering

DOCUMENTS = (
    SourceDocument("a", "They met at the gym and spoke of the weather.", published_at="2026-04-10"),
    SourceDocument("b", "Time: 20260411_10:00\nThey met at the gym and spoke of the weather, too."),
    SourceDocument(
        "c", "Am 3. Mai 2026 they met at the gym and spoke of food and the weather.", published_at="2026-04-01"
    ),
    SourceDocument("d", "They met at the gym. They spoke of the weather. They met, and spoke of the gym."),
)


@pytest.fixture
def dated(graph: Graph) -> Graph:
    graph.embedder = embedder = SmallEmbedder()
    load_documents(graph, embedder, DOCUMENTS, LoadSettings())
    return graph


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("on 20260410 and 20260410_11:00", ["2026-04-10"]),
        ("2026-04-28 at 5 PM, 2026/04/29", ["2026-04-28", "2026-04-29"]),
        (
            "3.5.2026; 3. Mai 2026; 3 mai 2026; 3 de mayo de 2026; 3 мая 2026; May 3rd, 2026; 3rd of May 2026",
            ["2026-05-03"],
        ),
        ("2026年5月3日", ["2026-05-03"]),
        ("20261340, 01/02/2026, call 2026041055, 3 rooms 2026, tomorrow, in May", []),
    ],
)
def test_days_are_read_in_any_form(text: str, days: list[str]) -> None:
    assert list(days_in(text)) == days


def test_chunks_keep_their_days(dated: Graph) -> None:
    kept = {row["id"]: row["dates"] for row in rows(dated)}
    assert kept == {"a": ["2026-04-10"], "b": ["2026-04-11"], "c": ["2026-04-01", "2026-05-03"], "d": None}
    again = [SourceDocument("a", DOCUMENTS[0].text, published_at="2026-04-12"), *DOCUMENTS[1:]]
    load_documents(dated, SmallEmbedder(), again, LoadSettings())
    assert {row["id"]: row["dates"] for row in rows(dated)}["a"] == ["2026-04-12"]


@pytest.mark.parametrize(
    ("day", "document"), [("on April 10, 2026", "a"), ("am 11.4.2026", "b"), ("on 20260503", "c"), ("2026-04-01", "c")]
)
def test_a_question_with_a_day_prefers_its_chunks(dated: Graph, day: str, document: str) -> None:
    question = f"What did they speak of when they met at the gym {day}?"
    found = Layers().retrieve(dated, question).passages
    assert found[0].document == document
    assert "dates" in {path[-1].layer for path in found[0].paths}
    for other in (Layers(LayersSettings(date_weight=0)), Hybrid(), Fulltext()):
        found = other.retrieve(dated, question).passages
        assert "dates" not in {path[-1].layer for passage in found for path in passage.paths}
    plain = "What did they speak of?"
    assert (
        Layers().retrieve(dated, plain).passages
        == Layers(LayersSettings(date_weight=0)).retrieve(dated, plain).passages
    )


def test_a_filter_holds_for_days(dated: Graph) -> None:
    found = Layers(LayersSettings(where='id = "d"')).retrieve(dated, "Where did they meet on 20260410?")
    assert [passage.document for passage in found.passages] == ["d"]


def test_an_answer_reads_dates_and_in_order_of_time_where_that_is_asked(dated: Graph) -> None:
    found = Answering(Layers()).retrieve(dated, "Did they meet at the gym before they spoke of food?")
    assert [passage.document for passage in found.passages][:2] == ["c", "a"]
    assert "(a, 2026-04-10)" in numbered(found.passages)


def rows(graph: Graph) -> list[dict[str, object]]:
    text = "MATCH (chunk:QcgChunk)-[:FROM_DOCUMENT]->(document) RETURN document.id AS id, chunk.dates AS dates"
    return [row.data() for row in graph.driver.execute_query(text).records]
