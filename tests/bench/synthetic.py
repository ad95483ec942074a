"""Data of any size that behave like real ones as far as speed goes: clustered vectors, texts of real words.

Everything comes in topics of `CHUNKS` chunks with `QUERIES` queries each. The vectors of a topic are clouds in a
space of few dimensions (embeddings of texts fill few of theirs): queries around their chunk, chunks around their
topic, so near to each other that the queries nearest to a question belong to several chunks. A topic depends on
the seed and its number alone, so that a larger graph begins with the smaller one.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.records import content_id
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph

MODEL = "synthetic"
TOPICS_AT_ONCE = 5  # a thousand queries
CHUNKS, QUERIES = 10, 20  # chunks per topic, queries per chunk
QUERIES_PER_TOPIC = CHUNKS * QUERIES
QUERY_WORDS, QUESTION_WORDS = 25, 10
LATENT_DIMENSION = 48  # at most so many directions in which vectors differ
# How far a member lies from its centre, in lengths of the centre.
CHUNK_SPREAD, QUERY_SPREAD, QUESTION_SPREAD = 0.3, 1.0, 0.8
_BASIS, _TOPIC, _QUESTION = range(3)  # streams of random numbers

Vectors = NDArray[np.float32]
Latent = NDArray[np.float64]
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Topic:
    """A document of ten chunks and the queries of each; vectors of unit length, ids as the product makes them."""

    id: str
    chunk_ids: tuple[str, ...]
    chunk_texts: tuple[str, ...]
    chunk_vectors: Vectors  # (CHUNKS, dimension)
    query_ids: tuple[str, ...]  # all of the first chunk, then all of the second …
    query_texts: tuple[str, ...]
    query_vectors: Vectors  # (QUERIES_PER_TOPIC, dimension)


@dataclass(frozen=True)
class Question:
    """A question beside one of the queries, as text and as a vector (dimension,) of unit length."""

    text: str
    vector: Vectors


class Synthetic:
    """All topics of one seed and dimension; ``chunk_words`` is the length of a chunk."""

    def __init__(self, seed: int, dimension: int, chunk_words: int) -> None:
        self._seed, self._chunk_words = seed, chunk_words
        self.dimension = dimension
        latent = min(LATENT_DIMENSION, dimension)
        random = np.random.default_rng([seed, _BASIS])
        self._basis = np.linalg.qr(random.normal(size=(dimension, latent)))[0].T  # (latent, dimension)
        self._words, self._shares = _vocabulary()

    def topic(self, number: int) -> Topic:
        """The topic of that number, from 0."""
        random = np.random.default_rng([self._seed, _TOPIC, number])
        chunks, queries = self._clouds(random)
        name = f"synthetic-{self._seed}-{number:06}"
        chunk_ids = tuple(content_id(name, str(place)) for place in range(CHUNKS))
        return Topic(
            name,
            chunk_ids,
            self._texts(random, CHUNKS, self._chunk_words),
            self._embedded(chunks),
            tuple(content_id(chunk, str(place)) for chunk in chunk_ids for place in range(QUERIES)),
            self._texts(random, QUERIES_PER_TOPIC, QUERY_WORDS),
            self._embedded(queries),
        )

    def questions(self, number: int, topics: int) -> list[Question]:
        """So many questions, each near to a query of one of the first ``topics`` topics."""
        random = np.random.default_rng([self._seed, _QUESTION, topics])
        texts = self._texts(random, number, QUESTION_WORDS)
        centres = [
            self._clouds(np.random.default_rng([self._seed, _TOPIC, int(topic)]))[1][random.integers(QUERIES_PER_TOPIC)]
            for topic in random.integers(topics, size=number)
        ]
        vectors = self._embedded(_around(np.array(centres), 1, QUESTION_SPREAD, random))
        return [Question(text, vector) for text, vector in zip(texts, vectors, strict=True)]

    def _clouds(self, random: np.random.Generator) -> tuple[Latent, Latent]:
        """Chunks and queries of a topic before they are embedded: (CHUNKS, latent), (QUERIES_PER_TOPIC, latent)."""
        centre = random.normal(size=(1, len(self._basis)))
        chunks = _around(centre, CHUNKS, CHUNK_SPREAD, random)
        return chunks, _around(chunks, QUERIES, QUERY_SPREAD, random)

    def _embedded(self, latent: Latent) -> Vectors:
        return unit(latent @ self._basis)

    def _texts(self, random: np.random.Generator, number: int, words: int) -> tuple[str, ...]:
        chosen = random.choice(self._words, size=(number, words), p=self._shares)
        return tuple(" ".join(row) for row in chosen)


def unit(rows: Latent | Vectors) -> Vectors:
    """The rows, of unit length each."""
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def _around(centres: Latent, number: int, spread: float, random: np.random.Generator) -> Latent:
    """So many members around each centre: (centres × number, latent)."""
    repeated = np.repeat(centres, number, axis=0)
    lengths = np.linalg.norm(repeated, axis=1, keepdims=True)
    noise = random.normal(size=repeated.shape) / np.sqrt(repeated.shape[1])
    return np.asarray(repeated + spread * lengths * noise)


def _vocabulary() -> tuple[Sequence[str], NDArray[np.float64]]:
    """The words of the package's sample and their shares, so that full-text search meets frequent and rare ones."""
    passages = files("qcg_neo4j").joinpath("samples/lihuaworld/passages.jsonl").read_text(encoding="utf-8")
    texts = (json.loads(line)["text"] for line in passages.splitlines())
    counted = Counter(word for text in texts for word in re.findall(r"[A-Za-z]+", text))
    counts = np.array(list(counted.values()), dtype=np.float64)
    return list(counted), counts / counts.sum()


# Into a database, by the product's own statements


def fill(graph: Graph, synthetic: Synthetic, numbers: range, progress: Progress) -> None:
    """Write the topics of these numbers: documents, chunks and queries with their vectors."""
    for done in range(numbers.start, numbers.stop, TOPICS_AT_ONCE):
        topics = [synthetic.topic(number) for number in range(done, min(done + TOPICS_AT_ONCE, numbers.stop))]
        chunks = _all(chunk_rows(topic) for topic in topics)
        calls = [
            Call("load/documents", {"rows": [document_row(topic) for topic in topics]}),
            Call("load/chunks", {"rows": chunks}),
            Call("load/places", {"rows": [{"id": row["id"], "index": row["index"]} for row in chunks]}),
            Call("generate/queries", {"rows": _all(query_rows(topic) for topic in topics)}),
            Call("load/words", {"chunk_ids": [row["id"] for row in chunks]}),
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


def query_rows(topic: Topic) -> Rows:
    """The rows of a topic's queries."""
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
