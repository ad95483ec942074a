"""The stage: chunks of others are compared with ours; what is new, changed or gone is written; and the way back."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import asdict, dataclass, replace

import numpy as np

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.settings import from_mapping
from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import remember_endpoint, use_model
from qcg_neo4j.indexing.adopt.found import AdoptSettings, Found
from qcg_neo4j.indexing.adopt.targets import first_elements, list_chunks, read_adoptable
from qcg_neo4j.indexing.adopt.writer import AdoptedChunks, mend_vectors, remove_gone, remove_orphans
from qcg_neo4j.indexing.load import LoadSettings, delete_corpus, delete_documents
from qcg_neo4j.indexing.load.transactions import pieces
from qcg_neo4j.models.embedding.embedder import Embedder

COMPARED = 8  # chunks whose vectors are made again
LIKENESS = 0.95  # the least median of their cosines; models on other machines differ by much less

REMEDY = "Name the model that made them, or none, so that new ones are made."


def check_vectors(graph: Graph, embedder: Embedder, found: Found, settings: AdoptSettings) -> None:
    """Refuse vectors that the model would not have made.

    Raises:
        InputError: they are of another dimension, or some of them, made again, are others.
    """
    if not settings.their_vectors:
        return
    if found.dimension != embedder.dimension:
        has = f"have {found.dimension} dimensions" if found.embedding else "are none"
        raise InputError(
            f"The vectors of {found.label} {has}, but those of {embedder.name!r} have {embedder.dimension}. "
            "Nothing was changed.",
            REMEDY,
        )
    elements = first_elements(graph, found, COMPARED)
    rows = graph.rows("adopt/chunks_of_others", elements=elements, text=found.text, vector=found.embedding)
    read = [theirs for row in rows if (theirs := read_adoptable(row, embedder.dimension))]
    sample = [(theirs.text, theirs.vector) for theirs in read if theirs.vector is not None]
    made = embedder.embed([text for text, _ in sample])
    cosines = [float(held @ vector / np.linalg.norm(held)) for (_, held), vector in zip(sample, made, strict=True)]
    if cosines and (likeness := float(np.median(cosines))) < LIKENESS:
        raise InputError(
            f"The vectors in {found.embedding!r} are not by {embedder.name!r}: made again, those of {len(cosines)} "
            f"chunks have a cosine of {likeness:.2f} with them. Nothing was changed.",
            REMEDY,
        )


@dataclass(frozen=True)
class AdoptReport:
    """What became of the chunks of others, and how many of ours went.

    ``in_place`` are those on theirs, ``beside`` those with a node of their own, among what was written; ``embedded``
    those whose vectors were made anew. ``without_text`` were left out.
    """

    documents: int = 0
    chunks: int = 0
    in_place: int = 0
    beside: int = 0
    embedded: int = 0
    windows: int = 0
    unchanged: int = 0
    changed: int = 0
    gone: int = 0
    without_text: int = 0
    seconds: float = 0.0


def remembered(graph: Graph, settings: AdoptSettings) -> AdoptSettings:
    """The settings or, where nothing was said, those of the last run on this graph."""
    last = stages.last_run(graph, stages.ADOPT)
    if last is None or not last.settings or settings != AdoptSettings():
        return settings
    return from_mapping(AdoptSettings, last.settings, "adopt")


@stages.writes("adopt")
def adopt_chunks(
    graph: Graph,
    embedder: Embedder,
    found: Found,
    settings: AdoptSettings | None = None,
    load: LoadSettings | None = None,
    progress: Progress = silent,
) -> AdoptReport:
    """Make chunks of ours of what others keep in the database; theirs is neither changed nor removed.

    Their vectors are used where ``their_vectors`` is set: they must be by the embedder's model. Again, it adopts
    what is new, makes anew what was made from a text that is another now, and lets go of what is no more. Each
    transaction is whole, so that an interrupted run goes on where it was.

    Raises:
        InputError: their vectors are of another dimension, or by another model.
        ModelMismatchError: the graph was made with another embedding model.
        EmbeddingError: the model gave no usable vectors.
    """
    settings, load = settings or AdoptSettings(), load or LoadSettings()
    begun = time.monotonic()
    check_vectors(graph, embedder, found, settings)
    use_model(graph, embedder.name, embedder.dimension, embedder.prefixes)
    remember_endpoint(graph, embedder)
    stages.finish(graph, stages.ADOPT, settings, {}, {"label": found.label})
    stages.begin(graph, "load", load, {})
    listed = list_chunks(graph, found, beside=settings.beside)
    counts: Counter[str] = Counter(documents=len({name for chunk in listed for name in chunk.documents}))
    used = found if settings.their_vectors else replace(found, embedding=None)
    writer = AdoptedChunks(graph, embedder, used, load, counts, settings.beside)
    for number, piece in enumerate(pieces(listed, load.chunks_per_transaction)):
        progress(number * load.chunks_per_transaction, len(listed))
        writer.write(piece)
    writer.join(listed)
    remove_gone(graph, found.label, writer.present, counts)
    mend_vectors(graph, embedder, load)
    writer.languages.settle(graph, load.language)
    progress(len(listed), len(listed))
    report = AdoptReport(**counts, seconds=time.monotonic() - begun)
    stages.finish(graph, "load", load, {}, asdict(report))
    return report


@dataclass(frozen=True)
class UndoReport:
    """How many documents and chunks were released, and whether the database holds anything else of ours."""

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
