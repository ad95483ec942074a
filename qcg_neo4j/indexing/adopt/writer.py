"""Chunks of others in batches: compared with ours, embedded where their vectors cannot be used, written; removed."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np

from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.adopt.found import Found
from qcg_neo4j.indexing.adopt.targets import Adoptable, Listed, read_adoptable, targets
from qcg_neo4j.indexing.load import Chunk, LoadSettings
from qcg_neo4j.indexing.load.chunks import EmbeddedChunk, embed_chunks, embedded_as
from qcg_neo4j.indexing.load.languages import Languages
from qcg_neo4j.indexing.load.transactions import (
    DOOMED_AT_ONCE,
    LIGHT_ROWS,
    Doomed,
    Part,
    completed,
    derived_again,
    document_removal,
    doomed_chunk,
    pieces,
    removal,
    successor_rows,
    touched,
)
from qcg_neo4j.models.embedding.embedder import Embedder, Vectors
from qcg_neo4j.models.embedding.windows import token_counts


@dataclass(frozen=True)
class Fresh:
    """A chunk of ours to be written: whose it is, its document, and whether it goes onto theirs itself."""

    theirs: Adoptable
    chunk: Chunk
    document: str
    in_place: bool


@dataclass
class AdoptedChunks:
    """Writes chunks of others as ours; ``present`` are the ids of all that were looked at, by chunk of theirs.

    Their vectors are used where ``found`` says where they are.
    """

    graph: Graph
    embedder: Embedder
    found: Found
    load: LoadSettings
    counts: Counter[str]
    beside: bool
    present: dict[tuple[str, str], str] = field(default_factory=dict, init=False)
    languages: Languages = field(init=False)

    def __post_init__(self) -> None:
        self.languages = Languages(self.embedder)

    def write(self, listed: Sequence[Listed]) -> None:
        """Synchronize our nodes with a batch of theirs, in one transaction."""
        changed: list[tuple[Adoptable, Listed]] = []
        for theirs, chunk in self._read(listed):
            if self._is_current(theirs, chunk):
                self.counts["unchanged"] += len(theirs.held)
                self.present |= {(theirs.element, held["document"]): held["id"] for held in theirs.held}
            else:
                changed.append((theirs, chunk))
                self.languages.see(theirs.text)
        if not changed:
            return
        doomed = doomed_chunks(self.graph, [held for theirs, _ in changed for held in theirs.held])
        going = {chunk.id for chunk in doomed}
        fresh = self._fresh(changed, going)
        written = self._embedded(fresh)
        calls = [*removal(doomed), *_distrust(changed), *self._calls(fresh, written), *derived_again(doomed)]
        self.graph.write(*calls, stages=touched(doomed))
        self.present |= {(one.theirs.element, one.document): one.chunk.id for one in fresh}
        self._count(fresh, written, changed=len(going))

    def join(self, listed: Sequence[Listed]) -> None:
        """Join each chunk to the next of its document."""
        following: defaultdict[str, list[str]] = defaultdict(list)
        for chunk in listed:
            for document in chunk.documents:
                if name := self.present.get((chunk.element, document)):
                    following[document].append(name)
        rows = [row for names in following.values() for row in successor_rows(names)]
        self.graph.write_batches("adopt/next_chunks", rows, batch_size=LIGHT_ROWS)

    def _read(self, listed: Sequence[Listed]) -> list[tuple[Adoptable, Listed]]:
        rows = self.graph.rows(
            "adopt/chunks_of_others",
            elements=[chunk.element for chunk in listed],
            text=self.found.text,
            vector=self.found.embedding,
        )
        read = [theirs for row in rows if (theirs := read_adoptable(row, self.embedder.dimension))]
        self.counts["without_text"] += len(listed) - len(read)
        sizes = token_counts([theirs.text for theirs in read], self.embedder.tokenizer)
        places = {chunk.element: chunk for chunk in listed}
        return [
            (replace(theirs, token_count=size), places[theirs.element])
            for theirs, size in zip(read, sizes, strict=True)
        ]

    def _is_current(self, theirs: Adoptable, listed: Listed) -> bool:
        """Whether ours are of this text and of these documents, and the vector on theirs still is one of the model."""
        wanted = embedded_as(theirs.as_chunk(""), self.embedder, self.load)
        return {held["document"] for held in theirs.held} == set(listed.documents) and all(
            (held["text_hash"], held["embedded_as"]) == (theirs.hash, wanted)
            and (held["added"] is None or "embedding" in held["added"] or theirs.vector is not None)
            for held in theirs.held
        )

    def _fresh(self, changed: list[tuple[Adoptable, Listed]], going: set[str]) -> list[Fresh]:
        """Where each goes: a text that another chunk has already goes beside, so that theirs keeps its vector."""
        hashes = [theirs.hash for theirs, _ in changed]
        ids = [theirs.id for theirs, _ in changed if theirs.id]
        rivals = [row for row in self.graph.rows("adopt/rivals", hashes=hashes, ids=ids) if row["id"] not in going]
        texts = {row["value"] for row in rivals if row["kind"] == "text"}
        taken = {row["value"] for row in rivals if row["kind"] == "id"}
        documents = list(dict.fromkeys(document for _, listed in changed for document in listed.documents))
        rows = self.graph.rows("load/hashes", documents=documents)
        written = {row["id"]: row["published_at"] for row in rows}
        fresh = []
        for theirs, listed in changed:
            beside = self.beside or theirs.hash in texts
            for name, document, in_place in targets(theirs, listed, self.found, taken, beside=beside):
                chunk = theirs.as_chunk(name, listed.index, written.get(document))
                fresh.append(Fresh(theirs, chunk, document, in_place))
                taken.add(name)
            texts.add(theirs.hash)
        return fresh

    def _embedded(self, fresh: Sequence[Fresh]) -> list[EmbeddedChunk]:
        """Each with its vector: theirs where that can be used, and only the windows of what is longer are made."""
        longest = self.embedder.window_tokens if self.load.long_text == "windows" else math.inf
        new = [one.chunk for one in fresh if one.theirs.vector is None or one.chunk.token_count > longest]
        made = {chunk.id: one for chunk, one in zip(new, embed_chunks(new, self.embedder, self.load), strict=True)}
        return [
            replace(made.get(one.chunk.id, EmbeddedChunk(one.chunk, vector)), vector=vector)
            if (vector := one.theirs.vector) is not None
            else made[one.chunk.id]
            for one in fresh
        ]

    def _calls(self, fresh: Sequence[Fresh], written: Sequence[EmbeddedChunk]) -> list[Call]:
        rows = [self._row(one, embedded.vector) for one, embedded in zip(fresh, written, strict=True)]
        return [Call("adopt/chunks", {"rows": rows}), *completed(written, [one.chunk for one in fresh])]

    def _row(self, one: Fresh, vector: Vectors) -> dict[str, object]:
        stays = one.in_place and "embedding" in one.theirs.names
        return {
            "id": one.chunk.id,
            "element": one.theirs.element,
            "in_place": one.in_place,
            "document": one.document,
            "text": one.theirs.text,
            "text_hash": one.theirs.hash,
            "token_count": one.chunk.token_count,
            "embedded_as": embedded_as(one.chunk, self.embedder, self.load),
            "embedding": None if stays else vector / np.linalg.norm(vector),
        }

    def _count(self, fresh: Sequence[Fresh], written: Sequence[EmbeddedChunk], changed: int) -> None:
        self.counts["chunks"] += len(fresh)
        self.counts["in_place"] += sum(one.in_place for one in fresh)
        self.counts["beside"] += sum(not one.in_place for one in fresh)
        self.counts["embedded"] += sum(one.theirs.vector is None for one in fresh)
        self.counts["windows"] += sum(len(embedded.windows) for embedded in written)
        self.counts["changed"] += changed


def _distrust(changed: Sequence[tuple[Adoptable, Listed]]) -> list[Call]:
    """Whoever takes over a text from a chunk on theirs has got its vector, which may be of the new text already."""
    held = [one for theirs, _ in changed for one in theirs.held]
    hashes = [one["text_hash"] for one in held if one["added"] is not None and "embedding" not in one["added"]]
    return [Call("adopt/forget_vectors", {"hashes": hashes})] if hashes else []


def doomed_chunks(graph: Graph, held: Iterable[Mapping[str, Any]]) -> list[Doomed]:
    """Chunks of ours, given by id and document, as chunks that go."""
    wanted = {row["id"]: row["document"] for row in held}
    documents = list(dict.fromkeys(wanted.values()))
    rows = graph.rows("load/chunks_of", documents=documents) if documents else []
    return [doomed_chunk(row) for row in rows if row["id"] in wanted]


def remove_gone(graph: Graph, label: str, present: Mapping[Any, str], counts: Counter[str]) -> None:
    """Release adopted chunks that are gone, then documents without chunks."""
    stay = set(present.values())
    held = chain.from_iterable(graph.pages("adopt/held_chunks", LIGHT_ROWS, label=label))
    gone = [row for row in held if row["id"] not in stay]
    for piece in pieces(gone, DOOMED_AT_ONCE):
        Part(doomed=doomed_chunks(graph, piece)).write(graph)
    counts["gone"] += len(gone)
    remove_orphans(graph)
    empty = [row["id"] for row in graph.rows("adopt/held_documents") if not row["chunks"] and row["label"] == label]
    for documents in pieces(empty, LIGHT_ROWS):
        graph.write(*document_removal(documents), stages=("load",))


def mend_vectors(graph: Graph, embedder: Embedder, load: LoadSettings) -> None:
    """Embed chunks whose duplicate, changed or removed by its application, had the vector."""
    for page in graph.pages("adopt/without_vector", load.chunks_per_transaction):
        chunks = [_chunk(row) for row in page]
        embedded = embed_chunks(chunks, embedder, load)
        vectors = Call("adopt/vectors", {"rows": [{"id": one.chunk.id, "embedding": one.vector} for one in embedded]})
        graph.write(vectors, *completed(embedded, chunks), stages=("load",))


def _chunk(row: Mapping[str, Any]) -> Chunk:
    place = (tuple(row["headings"] or ()), row["page"], row["last_page"])
    return Chunk(row["id"], row["index"], row["text"], row["token_count"], row["published_at"], *place)


def remove_orphans(graph: Graph) -> None:
    """Remove what was made from chunks that their application removed, and derive entities from the rest."""
    if not graph.write(Call("adopt/orphans"), stages=("load", "generate", "extract")).rows[0][0]["number"]:
        return
    for page in graph.pages("adopt/entities", LIGHT_ROWS):
        doomed = Doomed("", ("extract",), tuple(row["id"] for row in page))
        graph.write(*derived_again([doomed]), stages=("extract",))
