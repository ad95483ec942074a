"""Throughput of writing chunks with vectors: the stage `load` against the writer of `neo4j_graphrag`, in turns."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence

from qcg_neo4j.bench.database import clear
from qcg_neo4j.bench.result import Measured, Result, ratio, spread
from qcg_neo4j.bench.retrieve import Phase, facts, quiet
from qcg_neo4j.bench.settings import LoadBenchSettings
from qcg_neo4j.bench.synthetic import CHUNKS, Synthetic, Topic
from qcg_neo4j.bench.writers import (
    LIBRARY,
    PRODUCT,
    LibraryWithEmbedding,
    LibraryWriter,
    ProductStage,
    ProductWriter,
    Writer,
)
from qcg_neo4j.embedding import Embedder
from qcg_neo4j.errors import GraphError, InputError
from qcg_neo4j.graph import Graph
from qcg_neo4j.progress import Progress

CHUNK_WORDS = 100  # so few that a model that reads 256 tokens reads them whole


def bench_load(
    graph: Graph, embedder: Embedder, settings: LoadBenchSettings, phase: Phase = quiet, command: str = ""
) -> Result:
    """Write the same chunks with each writer in turn into the empty database, emptied again between.

    Args:
        graph: an empty database (`own_database`, `empty_database`).
        embedder: the model of the second measurement; with ``embedded_chunks`` 0 it is never loaded.
        settings: how much is written and how often.
        phase: shows progress.
        command: what the result shall name as its command.

    Raises:
        GraphError: a writer has failed, or has not written what it was given.
    """
    if settings.embedded_chunks and embedder.dimension != settings.dimension:
        raise InputError(
            f"The embedding model has {embedder.dimension} dimensions, the synthetic vectors {settings.dimension}.",
            f"Give --dimension {embedder.dimension}, or --embedded-chunks 0.",
        )
    graph.use_model(embedder.name if settings.embedded_chunks else "synthetic", settings.dimension)
    whole = bool(graph.rows("bench/apoc"))
    synthetic = Synthetic(settings.seed, settings.dimension, CHUNK_WORDS)
    rows: list[Measured] = []
    topics = _topics(synthetic, settings.chunks)
    writers: list[Writer] = [ProductWriter(graph, topics), LibraryWriter(graph, topics, relationships=whole)]
    with phase("Writing") as progress:
        rows += _measured(graph, writers, topics, settings.repetitions, progress, whole)
    if settings.embedded_chunks:
        topics = _topics(synthetic, settings.embedded_chunks)
        writers = [ProductStage(graph, embedder, topics), LibraryWithEmbedding(graph, embedder, topics, whole)]
        with phase("Embedding and writing") as progress:
            rows += _measured(graph, writers, topics, settings.repetitions, progress, whole)
    notes = tuple(_notes(settings, embedder, whole))
    return Result("Throughput of writing", "chunks/s", "chunks", LIBRARY, tuple(rows), facts(graph), notes, command)


def _topics(synthetic: Synthetic, chunks: int) -> list[Topic]:
    return [synthetic.topic(number) for number in range(math.ceil(chunks / CHUNKS))]


def _measured(
    graph: Graph, writers: Sequence[Writer], topics: Sequence[Topic], repetitions: int, progress: Progress, whole: bool
) -> Iterator[Measured]:
    size = len(topics) * CHUNKS
    speeds: dict[str, list[float]] = {writer.name: [] for writer in writers}
    for number in range(repetitions + 1):  # the first one warms up
        for writer in writers if number % 2 else writers[::-1]:
            clear(graph)
            start = time.perf_counter()
            writer.write()
            taken = time.perf_counter() - start
            _check(graph, writer, size, whole)
            if number:
                speeds[writer.name].append(size / taken)
        progress(number + 1, repetitions + 1)
    clear(graph)
    against = next(values for name, values in speeds.items() if name.startswith(LIBRARY))
    for name, values in speeds.items():
        yield Measured(name, size, spread(values), ratio(values, against))


def _check(graph: Graph, writer: Writer, chunks: int, whole: bool) -> None:
    found = graph.rows("bench/written")[0]
    documents = chunks // CHUNKS
    wanted = {"documents": documents, "chunks": chunks, "vectors": chunks}
    if whole or writer.name.startswith(PRODUCT):
        wanted |= {"from_document": chunks, "next_chunk": chunks - documents}
    if any(found[name] != number for name, number in wanted.items()):
        raise GraphError(f"{writer.name} has not written what it was given: {found}.")


def _notes(settings: LoadBenchSettings, embedder: Embedder, whole: bool) -> Iterator[str]:
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
            f"({embedder.name}) in one go and then the writer."
        )
    yield f"The ratio is the median, over the repetitions, of a writer's throughput by that of {LIBRARY}."
