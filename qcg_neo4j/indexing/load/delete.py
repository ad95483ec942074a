"""Remove documents, and all that was derived from them alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.projection import forget_projections
from qcg_neo4j.database.schema import drop_schema
from qcg_neo4j.indexing.load.transactions import (
    DOOMED_AT_ONCE,
    derived_again,
    document_removal,
    doomed_chunk,
    pieces,
    removal,
    touched,
)


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
    graph.write(Call("schema/forget"))
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
