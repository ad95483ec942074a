"""Throughput of writing chunks with vectors: the stage `load` against the writer of `neo4j_graphrag`, in turns."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench import own
from bench.databases import clear
from bench.figures import Measured, Result, Times, compared, turned
from bench.measurement import measurement
from bench.synthetic import CHUNKS, MODEL, Synthetic, Topic
from bench.writers import (
    LIBRARY,
    PRODUCT,
    LibraryWithEmbedding,
    LibraryWriter,
    ProductStage,
    ProductWriter,
    Writer,
)
from qcg_neo4j.cli.models import embedder_of, embedding_option
from qcg_neo4j.cli.terminal import progress_bar
from qcg_neo4j.core.errors import GraphError, InputError
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.settings import Settings, setting
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings

CHUNK_WORDS = 100  # so few that a model that reads 256 tokens reads them whole


@dataclass(frozen=True)
class LoadSettings(Settings):
    """Throughput of writing synthetic chunks."""

    chunks: int = setting(2000, "Chunks that are written with vectors at hand.", minimum=1)
    embedded_chunks: int = setting(
        200, "Chunks that are embedded and written; 0 leaves this measurement out.", minimum=0
    )
    repetitions: int = setting(5, "How often each writer writes, in turns, after one untimed time.", minimum=1)
    dimension: int = setting(384, "Numbers per vector that is at hand.", minimum=2, maximum=4096)
    seed: int = setting(0, "Seed of the synthetic data.", minimum=0)


@measurement(LoadSettings, embedding_option, with_apoc=True)
def load(graph: Graph, settings: LoadSettings, embedding: EmbeddingSettings) -> Result:
    """Compare the writing of chunks and vectors with the writer of neo4j-graphrag.

    The database is emptied between the writers, and at the end.

    Raises:
        GraphError: a writer has failed, or has not written what it was given.
    """
    embedder = embedder_of(graph, embedding)
    if settings.embedded_chunks and embedder.dimension != settings.dimension:
        raise InputError(
            f"The embedding model has {embedder.dimension} dimensions, the synthetic vectors {settings.dimension}.",
            f"Give --dimension {embedder.dimension}, or --embedded-chunks 0.",
        )
    use_model(graph, embedder.name if settings.embedded_chunks else MODEL, settings.dimension)
    whole = bool(graph.rows(own("apoc")))
    synthetic = Synthetic(settings.seed, settings.dimension, CHUNK_WORDS)
    topics = _topics(synthetic, settings.chunks)
    writers: list[Writer] = [ProductWriter(graph, topics), LibraryWriter(graph, topics, relationships=whole)]
    with progress_bar("Writing") as progress:
        rows = _measured(graph, writers, topics, settings.repetitions, progress, whole)
    if settings.embedded_chunks:
        topics = _topics(synthetic, settings.embedded_chunks)
        writers = [ProductStage(graph, embedder, topics), LibraryWithEmbedding(graph, embedder, topics, whole)]
        with progress_bar("Embedding and writing") as progress:
            rows += _measured(graph, writers, topics, settings.repetitions, progress, whole)
    notes = tuple(_notes(settings, embedder.name, whole))
    return Result("Throughput of writing", "chunks/s", "chunks", LIBRARY, tuple(rows), notes)


def _topics(synthetic: Synthetic, chunks: int) -> list[Topic]:
    return [synthetic.topic(number) for number in range(math.ceil(chunks / CHUNKS))]


def _measured(
    graph: Graph, writers: Sequence[Writer], topics: Sequence[Topic], repetitions: int, progress: Progress, whole: bool
) -> list[Measured]:
    size = len(topics) * CHUNKS
    speeds: Times = {writer.name: [] for writer in writers}
    for number in range(repetitions + 1):  # the first one warms up
        for writer in turned(writers, number):
            clear(graph)
            start = time.perf_counter()
            writer.write()
            taken = time.perf_counter() - start
            _check(graph, writer, size, whole)
            if number:
                speeds[writer.name].append(size / taken)
        progress(number + 1, repetitions + 1)
    clear(graph)
    return compared(speeds, size, next(name for name in speeds if name.startswith(LIBRARY)))


def _check(graph: Graph, writer: Writer, chunks: int, whole: bool) -> None:
    found = graph.rows(own("written"))[0]
    documents = chunks // CHUNKS
    wanted = {"documents": documents, "chunks": chunks, "vectors": chunks}
    if whole or writer.name.startswith(PRODUCT):
        wanted |= {"from_document": chunks, "next_chunk": chunks - documents}
    if any(found[name] != number for name, number in wanted.items()):
        raise GraphError(f"{writer.name} has not written what it was given: {found}.")


def _notes(settings: LoadSettings, model: str, whole: bool) -> Iterator[str]:
    yield (
        f"Synthetic chunks, seed {settings.seed}: {CHUNK_WORDS} words and a vector of {settings.dimension} dimensions "
        f"each, {CHUNKS} per document; {settings.repetitions} repetitions in turns after an untimed one, into an "
        "emptied database with the product's constraints and indexes."
    )
    yield (
        f"Both write the same documents, chunks, vectors and relationships; {LIBRARY} needs APOC Core for the last."
        if whole
        else f"{LIBRARY} writes relationships by APOC, which this server does not have: it is given the nodes and "
        "vectors alone, while the product writes the relationships as well."
    )
    if settings.embedded_chunks:
        yield (
            f"With embedding: the product's whole stage from texts on, against the same texts through the same model "
            f"({model}) in one go and then the writer."
        )
    yield f"The ratio is the median, over the repetitions, of a writer's throughput by that of {LIBRARY}."
