"""Whether the vectors of others are by the model that they are said to be by."""

from __future__ import annotations

import numpy as np

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.adopt.documents import first_elements
from qcg_neo4j.indexing.adopt.found import Found
from qcg_neo4j.indexing.adopt.settings import AdoptSettings
from qcg_neo4j.indexing.adopt.targets import read_adoptable
from qcg_neo4j.models.embedding.embedder import Embedder, Vectors

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
    cosines = _cosines(embedder, _sample(graph, embedder, found))
    if cosines and (likeness := float(np.median(cosines))) < LIKENESS:
        raise InputError(
            f"The vectors in {found.embedding!r} are not by {embedder.name!r}: made again, those of {len(cosines)} "
            f"chunks have a cosine of {likeness:.2f} with them. Nothing was changed.",
            REMEDY,
        )


def _cosines(embedder: Embedder, sample: list[tuple[str, Vectors]]) -> list[float]:
    if not sample:
        return []
    made = embedder.embed([text for text, _ in sample])
    return [float(held @ vector / np.linalg.norm(held)) for (_, held), vector in zip(sample, made, strict=True)]


def _sample(graph: Graph, embedder: Embedder, found: Found) -> list[tuple[str, Vectors]]:
    elements = first_elements(graph, found, COMPARED)
    rows = graph.rows("adopt/chunks_of_others", elements=elements, text=found.text, vector=found.embedding)
    read = [theirs for row in rows if (theirs := read_adoptable(row, embedder.dimension))]
    return [(theirs.text, theirs.vector) for theirs in read if theirs.vector is not None]
