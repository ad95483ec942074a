"""A whole corpus of any size, written by the product's own statements: what load, generate and extract leave behind.

Of each document of ten chunks, in the proportions of the benchmarks: ten queries, four atoms, three triples and two
entities per chunk. A tenth of the triples leads to another document, a twentieth to entities that all know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.synthetic import CHUNKS, QUERIES, Synthetic, Topic, Vectors, query_rows
from bench.writers import part_of
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.records import content_id
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.load.transactions import SideBySide

QUERIES_OF_CHUNK, ATOMS, TRIPLES, ENTITIES = 10, 4, 3, 2  # per chunk
LEAVING, KNOWN, HUBS = 0.1, 0.05, 20
SOURCE = "synthetic"
_SYLLABLES = [first + second for first in "bdfgklmnprst" for second in "aeiou"]

Rows = list[dict[str, Any]]
Batches = Sequence[Sequence[int]]  # numbers of topics, transaction by transaction


@dataclass(frozen=True)
class Extracted:
    """What a document's extraction comes to: rows of the statements of `cypher/extract`."""

    entities: Rows
    vectors: Rows
    atoms: Rows
    mentions: Rows
    relations: Rows


def name_of(topic: int, place: int) -> str:
    """The name of an entity: two words that no other has."""
    number, words = topic * CHUNKS * ENTITIES + place, []
    for length in (2, 4):
        letters = ""
        for _ in range(length):
            number, syllable = divmod(number, len(_SYLLABLES))
            letters += _SYLLABLES[syllable]
        words.append(letters.capitalize())
    return " ".join(words)


class Corpus:
    """All documents of one seed."""

    def __init__(self, seed: int, dimension: int, chunk_words: int) -> None:
        self.synthetic = Synthetic(seed, dimension, chunk_words)
        self._seed = seed

    def queries(self, topic: Topic) -> Rows:
        """What `qcg generate` writes of it."""
        return [row for place, row in enumerate(query_rows(topic)) if place % QUERIES < QUERIES_OF_CHUNK]

    def extracted(self, number: int, topic: Topic) -> Extracted:
        """What `qcg extract` writes of it; vectors are those that the queries have left over."""
        random = np.random.default_rng([self._seed, number, 7])
        left = topic.query_vectors.reshape(CHUNKS, QUERIES, -1)[:, QUERIES_OF_CHUNK:]
        names = [name_of(number, place) for place in range(CHUNKS * ENTITIES)]
        ids = [content_id(name.casefold()) for name in names]
        entities, atoms, mentions, relations = [], [], [], []
        for chunk, chunk_id in enumerate(topic.chunk_ids):
            stated = {chunk * ENTITIES, chunk * ENTITIES + 1}
            for place in range(ATOMS):
                named = random.choice(len(ids), size=2, replace=False).tolist()
                stated.update(named)
                atom = content_id(chunk_id, "atom", str(place))
                text = f"{names[named[0]]} {topic.query_texts[chunk * QUERIES + place]} {names[named[1]]}"
                atoms.append(_row(atom, chunk_id, text=text, source=SOURCE, embedding=left[chunk, place]))
                mentions.append(_row(atom, chunk_id, entities=[[ids[one], ids[one]] for one in named]))
            for place in range(TRIPLES):
                one, other = random.choice(len(ids), size=2, replace=False).tolist()
                stated.add(one)
                ends = [ids[one], self._other(number, ids[other], random)]
                ttr = topic.query_texts[chunk * QUERIES + ATOMS + place]
                relations.append(
                    _row(content_id(chunk_id, "triple", str(place)), chunk_id, predicate="is with", strength=None)
                    | {"source": ends[0], "target": ends[1], "source_id": ends[0], "target_id": ends[1]}
                    | {"ttr": ttr, "embedding": left[chunk, ATOMS + place]}
                )
            said = {"type": "person", "description": ""}
            entities += [
                _row(ids[one], chunk_id, entity_id=ids[one], name=names[one], **said) for one in sorted(stated)
            ]
        places = [divmod(place, ENTITIES) for place in range(len(ids))]
        vectors = [
            {"id": ids[place], "name": names[place], "embedding": left[chunk, ATOMS + TRIPLES + kind]}
            for place, (chunk, kind) in enumerate(places)
        ]
        return Extracted(entities, vectors, atoms, mentions, relations)

    def _other(self, number: int, own: str, random: np.random.Generator) -> str:
        """The end of a triple: of the same document, of an earlier one, or one that all know."""
        lot, place = random.random(), int(random.integers(HUBS))
        if number == 0 or lot >= LEAVING + KNOWN:
            return own
        return content_id(name_of(0 if lot < KNOWN else int(random.integers(number)), place).casefold())


def _row(row_id: str, chunk: str, **more: Any) -> dict[str, Any]:
    return {"id": row_id, "chunk_id": chunk, **more}


# The steps, each of which writes all documents


def write_chunks(graph: Graph, corpus: Corpus, batches: Batches, progress: Progress) -> int:
    """Documents and chunks; how many of these."""
    with SideBySide(graph) as writing:
        for topics in _topics(corpus, batches, progress):
            writing.write(part_of([topic for _, topic in topics]))
    return sum(map(len, batches)) * CHUNKS


def write_queries(graph: Graph, corpus: Corpus, batches: Batches, progress: Progress) -> int:
    """Queries; how many."""
    return _written(
        graph,
        corpus,
        batches,
        progress,
        lambda topics: [
            Call("generate/queries", {"rows": [row for _, topic in topics for row in corpus.queries(topic)]})
        ],
        "generate",
    )


def write_extracted(graph: Graph, corpus: Corpus, batches: Batches, progress: Progress) -> int:
    """Entities, atoms and triples; how many of these together."""

    def calls(topics: Sequence[tuple[int, Topic]]) -> list[Call]:
        found = [corpus.extracted(number, topic) for number, topic in topics]
        ids = [row["id"] for one in found for row in one.vectors]
        chunk_ids = [name for _, topic in topics for name in topic.chunk_ids]
        return [
            Call("extract/entities", {"rows": [row for one in found for row in one.entities]}),
            Call("extract/derive", {"ids": ids}),
            Call("extract/name_vectors", {"rows": [row for one in found for row in one.vectors]}),
            Call("extract/spellings", {"ids": ids}),
            Call("extract/atoms", {"rows": [row for one in found for row in one.atoms]}),
            Call("extract/mentions", {"rows": [row for one in found for row in one.mentions]}),
            Call("extract/relations", {"rows": [row for one in found for row in one.relations]}),
            Call("extract/about", {"chunk_ids": chunk_ids, "entity_ids": []}),
            Call("load/words", {"chunk_ids": chunk_ids}),
        ]

    chunks = sum(map(len, batches)) * CHUNKS
    _written(graph, corpus, batches, progress, calls, "extract")
    return chunks * (ENTITIES + ATOMS + TRIPLES)


def _written(
    graph: Graph,
    corpus: Corpus,
    batches: Batches,
    progress: Progress,
    calls: Callable[[Sequence[tuple[int, Topic]]], list[Call]],
    stage: str,
) -> int:
    for topics in _topics(corpus, batches, progress):
        graph.write(*calls(topics), stages=(stage,))
    return sum(map(len, batches)) * CHUNKS * QUERIES_OF_CHUNK


def _topics(corpus: Corpus, batches: Batches, progress: Progress) -> Iterator[list[tuple[int, Topic]]]:
    for done, numbers in enumerate(batches, 1):
        yield [(number, corpus.synthetic.topic(number)) for number in numbers]
        progress(done, len(batches))


def vectors_of(corpus: Corpus, batches: Batches) -> Iterator[tuple[str, list[str], Vectors]]:
    """Ids and vectors (number, dimension) of each kind, block by block, as exact search needs them."""
    for numbers in batches:
        topics = [(number, corpus.synthetic.topic(number)) for number in numbers]
        extracted = [corpus.extracted(number, topic) for number, topic in topics]
        rows = {
            "query": [row for _, topic in topics for row in corpus.queries(topic)],
            "atom": [row for one in extracted for row in one.atoms],
            "related_to": [row for one in extracted for row in one.relations],
        }
        chunks = [topic for _, topic in topics]
        yield (
            "chunk",
            [name for one in chunks for name in one.chunk_ids],
            np.concatenate([one.chunk_vectors for one in chunks]),
        )
        for kind, those in rows.items():
            yield kind, [row["id"] for row in those], np.array([row["embedding"] for row in those])
