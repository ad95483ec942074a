"""The graph of others as it was: what is ours goes, and where nothing of ours is left, all traces."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.adopt.removal import remove_orphans
from qcg_neo4j.indexing.load import delete_corpus, delete_documents


@dataclass(frozen=True)
class UndoReport:
    """How many documents and chunks were let go, and whether nothing of ours is left in the database."""

    documents: int
    chunks: int
    is_empty: bool


@stages.writes("adopt --undo")
def undo_adoption(graph: Graph, progress: Progress = silent) -> UndoReport:
    """Take from the graph all that was adopted, and what was made from it; what was loaded stays.

    Where nothing was, constraints, indexes and everything else of ours go as well: the database is as it was before.
    """
    remove_orphans(graph)
    adopted = [row["id"] for row in graph.rows("adopt/held_documents")]
    report = delete_documents(graph, adopted, progress=progress)
    remains = {row["kind"]: row["number"] for row in graph.rows("inspect/counts")}["Document"]
    graph.write(Call("adopt/forget_run"))
    if not remains:
        delete_corpus(graph)
    return UndoReport(report.documents, report.chunks, not remains)
