"""Seconds that joining the queries with their nearest others takes: each strategy, and exact search by numpy."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bench import own
from bench.figures import Measured, Result, compared, growing
from bench.measurement import measurement, numbers
from bench.synthetic import MODEL, QUERIES_PER_TOPIC, Synthetic, Vectors, fill
from qcg_neo4j.build import BuildSettings, build_queries
from qcg_neo4j.cli.terminal import progress_bar
from qcg_neo4j.graph import Graph
from qcg_neo4j.progress import Progress
from qcg_neo4j.settings import Settings, setting

CHUNK_WORDS = 20  # what a chunk says takes no part
PULLED = 2000  # vectors that are read at once
BLOCK = 500  # queries that are compared at once
INDEX, EXACT = "qcg build queries, by the vector index", "exact by numpy in this process, nothing written"


@dataclass(frozen=True)
class JoiningSettings(Settings):
    """The joining of synthetic queries."""

    gds: bool = setting(False, "Join by GDS kNN as well, which takes longer.")
    dimension: int = setting(384, "Numbers per vector.", minimum=2, maximum=4096)
    seed: int = setting(0, "Seed of the synthetic data.", minimum=0)


@measurement(JoiningSettings, numbers("--sizes", "10000,100000", "Numbers of queries in the graph, rising."))
def joining(graph: Graph, sizes: Sequence[int], settings: JoiningSettings) -> Result:
    """Time the joining of queries by each strategy, beside exact search with all vectors in the asking process.

    Each way runs once at each size, as nobody joins twice.

    Raises:
        GraphError: the recall floor is not reached.
    """
    steps = growing(sizes, QUERIES_PER_TOPIC)
    graph.use_model(MODEL, settings.dimension)
    synthetic = Synthetic(settings.seed, settings.dimension, CHUNK_WORDS)
    rows: list[Measured] = []
    for _, topics in steps:
        with progress_bar(f"Writing {topics.stop * QUERIES_PER_TOPIC:,} queries") as progress:
            fill(graph, synthetic, topics, progress)
        size = topics.stop * QUERIES_PER_TOPIC
        with progress_bar(f"Joining {size:,} queries") as progress:
            taken = dict(_taken(graph, settings, progress))
        reference = next(name for name in taken if name.startswith(INDEX))
        rows += compared({name: [seconds] for name, seconds in taken.items()}, size, reference)
    notes = (
        f"Synthetic queries of {settings.dimension} dimensions, seed {settings.seed}; three neighbours. Each way ran "
        "once; the strategies include the check of the recall by exact search for 100 queries.",
    )
    return Result("Joining queries", "s", "queries", INDEX, tuple(rows), notes)


def _taken(graph: Graph, settings: JoiningSettings, progress: Progress) -> Iterator[tuple[str, float]]:
    neighbours = BuildSettings().neighbours
    start = time.perf_counter()
    vectors = _pulled(graph, settings.dimension)
    pulled = time.perf_counter() - start
    _nearest(vectors, neighbours)
    yield EXACT, time.perf_counter() - start
    yield "of that, reading the vectors", pulled
    for strategy, name in (("gds", "qcg build queries, by GDS kNN"), ("index", INDEX)):
        if strategy == "index" or settings.gds:
            made = build_queries(graph, BuildSettings(strategy=strategy), progress)
            yield f"{name}, recall {made.recall:.3f}", made.seconds


def _pulled(graph: Graph, dimension: int) -> Vectors:
    """All vectors by id (queries, dimension), page by page."""
    pages = graph.pages(own("vectors"), PULLED)
    blocks = [np.asarray([row["embedding"] for row in page], dtype=np.float32) for page in pages]
    return np.concatenate(blocks).reshape(-1, dimension)


def _nearest(vectors: Vectors, neighbours: int) -> Vectors:
    """The places of the nearest others of each (queries, neighbours), in no order."""
    found = []
    for start in range(0, len(vectors), BLOCK):
        scores = vectors[start : start + BLOCK] @ vectors.T
        scores[np.arange(len(scores)), start + np.arange(len(scores))] = -2
        found.append(np.argpartition(scores, -neighbours, axis=1)[:, -neighbours:].copy())  # not the whole row
    return np.concatenate(found)
