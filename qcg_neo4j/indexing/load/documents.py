"""Documents into the graph: cut, compared chunk by chunk, embedded, written; and out of it, with all made of them."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.records import Rejected, SourceDocument, content_id
from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.projection import forget_projections
from qcg_neo4j.database.schema import drop_schema
from qcg_neo4j.indexing.load.chunks import Chunk, Chunker, EmbeddedChunk, LoadSettings, embed_or_leave_out, embedded_as
from qcg_neo4j.indexing.load.transactions import (
    DOOMED_AT_ONCE,
    LIGHT_ROWS,
    Doomed,
    Part,
    Rows,
    SideBySide,
    derived_again,
    document_removal,
    document_row,
    doomed_chunk,
    pieces,
    removal,
    successor_rows,
    touched,
)
from qcg_neo4j.models.embedding.embedder import Embedder


@dataclass
class Cut:
    """A document with its chunks, the hash to record, and whether the graph knows it, and by another title.

    Of its chunks in the graph ``doomed`` go and ``kept`` stay; ``fresh`` are to be written with new vectors.
    """

    document: SourceDocument
    hash: str
    chunks: list[Chunk]
    known: bool
    retitled: bool
    doomed: list[Doomed] = field(default_factory=list)
    fresh: list[Chunk] = field(default_factory=list)
    kept: list[Chunk] = field(default_factory=list)

    @property
    def successors(self) -> Rows:
        """Its chunks, each with the next."""
        return successor_rows([chunk.id for chunk in self.chunks])


@dataclass
class DocumentWriter:
    """Collects documents until a transaction is full; each is written whole or, if too long, piece by piece.

    ``within`` is told how many chunks of such a long document are there, and of how many.
    """

    graph: Graph
    writing: SideBySide
    embedder: Embedder
    settings: LoadSettings
    counts: Counter[str]
    within: Progress
    reject: Callable[[Rejected], None]
    _waiting: list[Cut] = field(default_factory=list, init=False)

    @cached_property
    def _chunker(self) -> Chunker:
        given = self.settings
        return Chunker(self.embedder.tokenizer, given.chunk_tokens, given.overlap_tokens, given.section_tokens)

    def add(self, document: SourceDocument, content_hash: str, held: Mapping[str, Any] | None) -> None:
        """Take a document that is not in the graph, or not as it is now (then it is ``held``)."""
        retitled = held is not None and held["title"] != document.title
        cut = Cut(document, content_hash, self._chunker.chunks(document), held is not None, retitled)
        if sum(len(waiting.chunks) for waiting in [*self._waiting, cut]) > self.settings.chunks_per_transaction:
            self.flush()
        self._waiting.append(cut)

    def flush(self) -> None:
        """Write what is waiting."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        self._compare(waiting)
        if sum(len(cut.chunks) for cut in waiting) <= self.settings.chunks_per_transaction:
            waiting = self._write_together(waiting)
        elif not self._write_piecewise(waiting[0]):
            waiting = []
        for cut in waiting:
            self.counts["changed" if cut.known else "added"] += 1

    def _compare(self, cuts: list[Cut]) -> None:
        held: defaultdict[str, dict[str, tuple[str | None, Doomed]]] = defaultdict(dict)
        for row in self.graph.rows("load/chunks_of", documents=[cut.document.id for cut in cuts if cut.known]):
            held[row["document"]][row["id"]] = (row["embedded_as"], doomed_chunk(row))
        for cut in cuts:
            there, wanted = held[cut.document.id], {chunk.id for chunk in cut.chunks}
            cut.doomed = [going for name, (_, going) in there.items() if name not in wanted]
            for chunk in cut.chunks:
                is_kept = there.get(chunk.id, ("",))[0] == embedded_as(chunk, self.embedder, self.settings)
                (cut.kept if is_kept else cut.fresh).append(chunk)

    def _write_together(self, cuts: list[Cut]) -> list[Cut]:
        """Write all documents but those with a chunk that cannot be embedded; returns which."""
        embedded, refused = self._embedded([(cut.document.id, chunk) for cut in cuts for chunk in cut.fresh])
        written = [cut for cut in cuts if cut.document.id not in refused]
        for cut in cuts:
            if cut.document.id in refused:
                self._leave_out(cut.document, refused[cut.document.id])
        self._write(
            Part(
                documents=[document_row(cut.document, cut.hash) for cut in written],
                doomed=[chunk for cut in written for chunk in cut.doomed],
                chunks=[row for row in embedded if row[0] not in refused],
                kept=[chunk for cut in written for chunk in cut.kept],
                successors=[row for cut in written for row in cut.successors],
                changes=any(cut.retitled or (cut.known and cut.fresh) for cut in written),
            )
        )
        return written

    def _leave_out(self, document: SourceDocument, reason: str) -> None:
        self.reject(Rejected(document.source or document.id, None, f"it cannot be embedded: {reason}"))

    def _write_piecewise(self, cut: Cut) -> bool:
        """Without its hash first and with it last: what is interrupted between is known to be unfinished.

        So is a document with a chunk that cannot be embedded, whose rest is written; whether it is whole.
        """
        is_whole = True
        size, done = self.settings.chunks_per_transaction, len(cut.kept)
        self._write(Part(documents=[document_row(cut.document, None)], changes=cut.retitled))
        for doomed in pieces(cut.doomed, size):
            self._write(Part(doomed=doomed))
        for chunks in pieces(cut.fresh, size):
            self.within(done, len(cut.chunks))
            embedded, refused = self._embedded([(cut.document.id, chunk) for chunk in chunks])
            if refused and is_whole:
                self._leave_out(cut.document, refused[cut.document.id])
                is_whole = False
            self._write(Part(chunks=embedded, changes=cut.known))
            done += len(chunks)
        for kept in pieces(cut.kept, LIGHT_ROWS):
            self._write(Part(kept=kept))
        for successors in pieces(cut.successors, LIGHT_ROWS):
            self._write(Part(successors=list(successors)))
        if is_whole:
            self._write(Part(documents=[document_row(cut.document, cut.hash)]))
        self.within(done, done)
        return is_whole

    def _embedded(self, chunks: list[tuple[str, Chunk]]) -> tuple[list[tuple[str, str, EmbeddedChunk]], dict[str, str]]:
        """The chunks that can be embedded with their documents, and why one cannot, by its document."""
        embedded, refused = embed_or_leave_out([chunk for _, chunk in chunks], self.embedder, self.settings)
        documents = [document for document, chunk in chunks if chunk.id not in refused]
        rows = [
            (document, embedded_as(one.chunk, self.embedder, self.settings), one)
            for document, one in zip(documents, embedded, strict=True)
        ]
        return rows, {document: refused[chunk.id] for document, chunk in chunks if chunk.id in refused}

    def _write(self, part: Part) -> None:
        self.writing.write(part)
        self.counts["chunks"] += len(part.chunks)
        self.counts["windows"] += sum(len(embedded.windows) for _, _, embedded in part.chunks)
        self.counts["removed_chunks"] += len(part.doomed)


def content_hash(document: SourceDocument, embedder: Embedder, settings: LoadSettings) -> str:
    """A hash of all that a document's nodes are made from, the settings that shape them included."""
    size = [] if document.passages else [settings.chunk_tokens, settings.overlap_tokens, document.markdown]
    if document.markdown:
        size.append(settings.section_tokens)
    if document.pages:
        size += document.pages
    vectors = [settings.long_text, embedder.window_tokens]
    if settings.long_text != "truncate":
        vectors.append(settings.window_overlap_tokens)
    about = [document.title, document.source, document.published_at, dict(document.metadata)]
    facts = json.dumps([document.id, size, vectors, about], sort_keys=True)
    return content_id(facts, document.text, *document.passages)


@dataclass(frozen=True)
class DeleteReport:
    """How many documents and chunks went; the ids that the graph did not hold."""

    documents: int
    chunks: int
    missing: tuple[str, ...] = ()


@stages.writes("delete")
def delete_documents(
    graph: Graph, document_ids: Sequence[str], *, ignore_missing: bool = False, progress: Progress = silent
) -> DeleteReport:
    """Remove documents with their chunks and everything that no other document supports.

    Raises:
        InputError: the graph does not hold one of the ids and ``ignore_missing`` is not set; nothing is removed.
    """
    wanted = list(dict.fromkeys(document_ids))
    present = {row["id"] for row in graph.rows("load/hashes", documents=wanted)}
    missing = [name for name in wanted if name not in present]
    if missing and not ignore_missing:
        raise _unknown(graph, missing)
    doomed = [name for name in wanted if name in present]
    chunks = 0
    for done, name in enumerate(doomed, start=1):
        chunks += _delete_one(graph, name)
        progress(done, len(doomed))
    return DeleteReport(len(doomed), chunks, tuple(missing))


@stages.writes("delete")
def delete_corpus(graph: Graph) -> DeleteReport:
    """Remove all of the graph's corpus, with its indexes; interrupted, the same again removes the rest."""
    size = graph.rows("schema/size", permitted=None)[0]
    graph.write(Call("stage/forget"))  # first, so that nothing half there counts as up to date
    for row in graph.rows("adopt/held_documents"):  # which others keep
        _delete_one(graph, row["id"])
    graph.run("load/remove_all")
    graph.write(Call("stage/forget"), Call("schema/forget"))  # what others keep has noted that something went
    drop_schema(graph)
    forget_projections(graph)
    return DeleteReport(size["documents"], size["chunks"])


def _unknown(graph: Graph, missing: list[str]) -> InputError:
    close = [repr(row["id"]) for row in graph.rows("load/nearest", id=missing[0])]
    others = f" ({len(missing)} of the ids are not there)" if len(missing) > 1 else ""
    return InputError(
        f"The graph holds no document {missing[0]!r}{others}; nothing was deleted.",
        f"Did you mean {' or '.join(close)}?" if close else "`qcg status` says what the graph holds.",
    )


def _delete_one(graph: Graph, name: str) -> int:
    """One transaction, or several for a long document, of which the first marks it as unfinished."""
    chunks = [doomed_chunk(row) for row in graph.rows("load/chunks_of", documents=[name])]
    parts = list(pieces(chunks, DOOMED_AT_ONCE)) or [[]]
    for number, piece in enumerate(parts, start=1):
        calls = [Call("load/unfinish", {"documents": [name]}), *removal(piece), *derived_again(piece)]
        if number == len(parts):
            calls += document_removal([name])
        graph.write(*calls, stages=touched(piece))
    return len(chunks)
