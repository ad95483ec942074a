"""Synthetic topics into a database, by the product's own statements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from qcg_neo4j.bench.synthetic import QUERIES, Synthetic, Topic
from qcg_neo4j.graph import Call, Graph
from qcg_neo4j.progress import Progress

MODEL = "synthetic"
TOPICS_AT_ONCE = 5  # a thousand queries

Rows = list[dict[str, Any]]


def fill(graph: Graph, synthetic: Synthetic, numbers: range, progress: Progress) -> None:
    """Write the topics of these numbers: documents, chunks and queries with their vectors."""
    for done in range(numbers.start, numbers.stop, TOPICS_AT_ONCE):
        topics = [synthetic.topic(number) for number in range(done, min(done + TOPICS_AT_ONCE, numbers.stop))]
        chunks = _all(chunk_rows(topic) for topic in topics)
        calls = [
            Call("load/documents", {"rows": [document_row(topic) for topic in topics]}),
            Call("load/chunks", {"rows": chunks}),
            Call("generate/queries", {"rows": _all(_query_rows(topic) for topic in topics)}),
            Call("schema/expanded_words", {"chunk_ids": [row["id"] for row in chunks]}),
        ]
        graph.write(*calls, stages=("load", "generate"))
        progress(done + len(topics) - numbers.start, len(numbers))


def _all(lists: Iterable[Rows]) -> Rows:
    return [row for rows in lists for row in rows]


def document_row(topic: Topic) -> dict[str, Any]:
    """The row of a topic's document."""
    return {
        "id": topic.id,
        "properties": {},
        "title": f"Synthetic document {topic.id}",
        "source": None,
        "published_at": None,
        "content_hash": topic.id,
    }


def chunk_rows(topic: Topic) -> Rows:
    """The rows of a topic's chunks."""
    return [
        {
            "id": name,
            "document": topic.id,
            "index": index,
            "text": text,
            "token_count": len(text.split()),
            "embedding": vector,
            "embedded_as": MODEL,
        }
        for index, (name, text, vector) in enumerate(
            zip(topic.chunk_ids, topic.chunk_texts, topic.chunk_vectors, strict=True)
        )
    ]


def _query_rows(topic: Topic) -> Rows:
    similarities = (topic.query_vectors * topic.chunk_vectors.repeat(QUERIES, axis=0)).sum(axis=1).tolist()
    return [
        {
            "id": name,
            "chunk_id": topic.chunk_ids[place // QUERIES],
            "question": text,
            "answer": "",
            "text": text,
            "similarity": similarities[place],
            "source": MODEL,
            "embedding": vector,
        }
        for place, (name, text, vector) in enumerate(
            zip(topic.query_ids, topic.query_texts, topic.query_vectors, strict=True)
        )
    ]
