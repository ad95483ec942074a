"""The stage: chunks of others are compared with ours, and what is new, changed or gone is written."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import asdict, dataclass

from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.settings import from_mapping
from qcg_neo4j.database import stages
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import remember_endpoint, use_model
from qcg_neo4j.indexing.adopt.documents import list_chunks
from qcg_neo4j.indexing.adopt.found import Found
from qcg_neo4j.indexing.adopt.removal import mend_vectors, remove_gone
from qcg_neo4j.indexing.adopt.settings import AdoptSettings
from qcg_neo4j.indexing.adopt.vectors import check_vectors
from qcg_neo4j.indexing.adopt.writer import AdoptedChunks
from qcg_neo4j.indexing.load import LoadSettings
from qcg_neo4j.indexing.load.transactions import pieces
from qcg_neo4j.models.embedding.embedder import Embedder


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
    writer = AdoptedChunks(graph, embedder, found, settings, load, counts)
    for number, piece in enumerate(pieces(listed, load.chunks_per_transaction)):
        progress(number * load.chunks_per_transaction, len(listed))
        writer.write(piece)
    writer.join(listed)
    remove_gone(graph, found.label, writer.present, counts)
    mend_vectors(graph, embedder, load)
    progress(len(listed), len(listed))
    report = AdoptReport(**counts, seconds=time.monotonic() - begun)
    stages.finish(graph, "load", load, {}, asdict(report))
    return report
