"""Adopted chunks and documents that are no more, and what was made from chunks that others have removed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.load import Chunk, LoadSettings
from qcg_neo4j.indexing.load.chunks import Place, embed_chunks
from qcg_neo4j.indexing.load.transactions import (
    LIGHT_ROWS,
    Doomed,
    completed,
    derived_again,
    doomed_chunk,
    pieces,
    removal,
    touched,
)
from qcg_neo4j.models.embedding.embedder import Embedder

CHUNKS_PER_TRANSACTION = 500


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
    for piece in pieces(gone, CHUNKS_PER_TRANSACTION):
        doomed = doomed_chunks(graph, piece)
        graph.write(*removal(doomed), *derived_again(doomed), stages=touched(doomed))
    counts["gone"] += len(gone)
    remove_orphans(graph)
    empty = [row["id"] for row in graph.rows("adopt/held_documents") if not row["chunks"] and row["label"] == label]
    for documents in pieces(empty, LIGHT_ROWS):
        paths = ("load/remove_documents", "adopt/release_documents")
        graph.write(*(Call(path, {"documents": list(documents)}) for path in paths), stages=("load",))


def mend_vectors(graph: Graph, embedder: Embedder, load: LoadSettings) -> None:
    """Embed chunks whose duplicate, changed or removed by its application, had the vector."""
    for page in graph.pages("adopt/without_vector", load.chunks_per_transaction):
        chunks = [_chunk(row) for row in page]
        embedded = embed_chunks(chunks, embedder, load)
        vectors = Call("adopt/vectors", {"rows": [{"id": one.chunk.id, "embedding": one.vector} for one in embedded]})
        graph.write(vectors, *completed(embedded, chunks), stages=("load",))


def _chunk(row: Mapping[str, Any]) -> Chunk:
    place = Place(tuple(row["headings"] or ()), row["page"], row["last_page"])
    return Chunk(row["id"], row["index"], row["text"], row["token_count"], place, row["published_at"])


def remove_orphans(graph: Graph) -> None:
    """Remove what was made from chunks that their application removed, and derive entities from the rest."""
    if not graph.write(Call("adopt/orphans"), stages=("load", "generate", "extract")).rows[0][0]["number"]:
        return
    for page in graph.pages("adopt/entities", LIGHT_ROWS):
        doomed = Doomed("", ("extract",), tuple(row["id"] for row in page))
        graph.write(*derived_again([doomed]), stages=("extract",))
