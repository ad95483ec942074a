"""The rows and the transactions by which documents and their chunks enter the graph, several of them at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, TypeVar

from qcg_neo4j.core.records import SourceDocument, content_id
from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.load.chunks import Chunk, EmbeddedChunk
from qcg_neo4j.indexing.load.dates import days_of

Rows = list[dict[str, Any]]
DOOMED_AT_ONCE = 500  # chunks that one transaction removes
# Statements that carry neither texts nor vectors take more rows in a transaction.
LIGHT_ROWS = 5000
AT_ONCE = 3  # more wait for each other: every transaction raises the stage's revision before its commit
T = TypeVar("T")


@dataclass(frozen=True)
class Doomed:
    """A chunk that goes, the later stages that have made something of it, its entities' ids, and its copies'."""

    id: str
    stages: tuple[str, ...]
    entities: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """What one transaction writes; the rows of each statement, empty where it has nothing to do.

    ``changes`` says that what was there is another now: the title of a document, or the vector of a chunk.
    """

    documents: Rows = field(default_factory=list)
    doomed: Sequence[Doomed] = ()
    chunks: Sequence[tuple[str, str, EmbeddedChunk]] = ()  # document, how it was embedded, the chunk
    kept: Sequence[Chunk] = ()
    successors: Rows = field(default_factory=list)
    changes: bool = False

    @property
    def only_adds(self) -> bool:
        """Whether it writes chunks, and neither removes nor moves any."""
        return bool(self.chunks) and not self.doomed and not self.kept

    def touched(self) -> frozenset[str]:
        """The ids of its documents, and hashes of the texts of its chunks."""
        documents = {row["id"] for row in self.documents} | {document for document, _, _ in self.chunks}
        return frozenset(documents | {content_id(embedded.chunk.text) for _, _, embedded in self.chunks})

    def calls(self) -> list[Call]:
        """The statements in the order in which they must run."""
        written = [chunk for _, _, chunk in self.chunks]
        return [
            *_calls(("load/documents", self.documents)),
            *removal(self.doomed),
            *_calls(
                ("load/chunks", [_chunk_row(*chunk) for chunk in self.chunks]),
                (
                    "load/remove_windows",
                    [{"chunk": one.chunk.id, "windows": [row["id"] for row in one.windows]} for one in written],
                ),
                ("load/next_chunks", self.successors),
            ),
            *completed(written, [*(embedded.chunk for embedded in written), *self.kept]),
            *derived_again(self.doomed),
        ]

    def write(self, graph: Graph) -> None:
        """Run all in one transaction; the stages whose work goes with a chunk learn of it in the same one."""
        if calls := self.calls():
            # The same text is looked for in all that others have committed.
            graph.write(*stages.one_at_a_time(graph, "load"), *calls, stages=touched(self.doomed), always=self.changes)


class SideBySide:
    """Writes parts at the same time, as the server makes the next transaction while it commits one.

    Who leaves the block finds all written that was begun. Two that have a document or a text in common are written one
    after the other, in the order in which they came: of chunks with the same text the later has to find the earlier.
    So is all that removes or moves chunks.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._pool = ThreadPoolExecutor(AT_ONCE, "qcg load")
        self._under_way: dict[Future[None], frozenset[str]] = {}

    def __enter__(self) -> SideBySide:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self.settle()
        finally:
            self._pool.shutdown(cancel_futures=True)

    def write(self, part: Part) -> None:
        """Begin to write a part; raises the error of one before it that could not be written."""
        if not part.only_adds:
            self.settle()
            part.write(self._graph)
            return
        ids = part.touched()
        self.settle(ids)
        while len(self._under_way) >= AT_ONCE:
            self._end(next(iter(wait(self._under_way, return_when=FIRST_COMPLETED).done)))
        self._under_way[self._pool.submit(copy_context().run, part.write, self._graph)] = ids

    def settle(self, ids: frozenset[str] | None = None) -> None:
        """Wait for the writes that touch one of these documents or texts, or for all."""
        for future, others in list(self._under_way.items()):
            if ids is None or ids & others:
                self._end(future)

    def _end(self, future: Future[None]) -> None:
        del self._under_way[future]
        future.result()


def _calls(*steps: tuple[str, Rows]) -> list[Call]:
    return [Call(path, {"rows": rows}) for path, rows in steps if rows]


def removal(doomed: Sequence[Doomed]) -> list[Call]:
    """Removes chunks, with what was made from them alone; entities are for `derived_again`.

    Chunks of others stay, without what is ours. The statements must run in this order.
    """
    rows = [{"id": chunk.id} for chunk in doomed]
    paths = ("load/promote", "load/remove_relations", "load/remove_chunks", "adopt/release_chunks")
    return _calls(*((path, rows) for path in paths))


def document_removal(documents: Sequence[str]) -> list[Call]:
    """Removes documents whose chunks are gone; those of others stay, without what is ours."""
    paths = ("load/remove_documents", "adopt/release_documents")
    return [Call(path, {"documents": list(documents)}) for path in paths]


def completed(embedded: Iterable[EmbeddedChunk], chunks: Sequence[Chunk]) -> list[Call]:
    """Gives chunks whose nodes are there what they have besides: windows, places, and the words to find them by."""
    if not chunks:
        return []
    calls = _calls(
        ("load/windows", [row for one in embedded for row in one.windows]),
        ("load/places", [_place_row(chunk) for chunk in chunks]),
        ("load/twins", [{"id": chunk.id} for chunk in chunks]),
    )
    return [*calls, Call("load/words", {"chunk_ids": [chunk.id for chunk in chunks]})]


def doomed_chunk(row: Mapping[str, Any]) -> Doomed:
    """A row of ``load/chunks_of`` as a chunk that goes."""
    return Doomed(row["id"], tuple(row["stages"]), tuple(row["entities"]), tuple(row["copies"]))


def touched(doomed: Iterable[Doomed]) -> tuple[str, ...]:
    """This stage, and the stages that derived something from the chunks."""
    return ("load", *sorted({stage for chunk in doomed for stage in chunk.stages}))


def pieces(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """The items in batches."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def derived_again(doomed: Sequence[Doomed]) -> list[Call]:
    """Derives what removed chunks leave behind from what still states it.

    Entities that no chunk states go as well. A copy that takes a chunk's place is found by its own headings.
    """
    ids = sorted({name for chunk in doomed for name in chunk.entities})
    copies = sorted({name for chunk in doomed for name in chunk.copies})
    paths = ("extract/orphans", "extract/derive", "extract/spellings")
    words = [Call("load/words", {"chunk_ids": copies})] if copies else []
    return [*(Call(path, {"ids": ids}) for path in paths if ids), *words]


def document_row(document: SourceDocument, content_hash: str | None) -> dict[str, Any]:
    """The row of a document; without a hash it counts as unfinished."""
    return {
        "id": document.id,
        "properties": dict(document.metadata),
        "title": document.title,
        "source": document.source,
        "published_at": document.published_at,
        "listed_in": document.listed_in,
        "content_hash": content_hash,
    }


def successor_rows(ids: Sequence[str]) -> Rows:
    """Each chunk of a document with the one that follows, None behind the last."""
    return [{"id": name, "next": after} for name, after in zip(ids, [*ids[1:], None], strict=True)]


def _chunk_row(document: str, embedded_as: str, embedded: EmbeddedChunk) -> dict[str, Any]:
    chunk = embedded.chunk
    return {
        "id": chunk.id,
        "document": document,
        "text": chunk.text,
        "text_hash": content_id(chunk.text),
        "token_count": chunk.token_count,
        "embedding": embedded.vector,
        "embedded_as": embedded_as,
    }


def _place_row(chunk: Chunk) -> dict[str, Any]:
    """The row of ``load/places``: the position of a chunk in its document, and the days that its text names."""
    return {
        "id": chunk.id,
        "index": chunk.index,
        "headings": list(chunk.headings) or None,
        "page": chunk.page,
        "last_page": chunk.last_page,
        "dates": days_of(chunk.text, chunk.written),
    }
