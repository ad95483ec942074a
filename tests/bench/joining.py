"""Seconds that joining the queries with their nearest others takes, by each strategy."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.figures import Measured, Result, compared, growing
from bench.measurement import measurement, numbers
from bench.synthetic import MODEL, QUERIES_PER_TOPIC, Synthetic, fill
from qcg_neo4j.cli.terminal import progress_bar
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.settings import Settings, setting
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.indexing.build import BuildSettings, build_queries
from qcg_neo4j.indexing.build.joins import QUERIES
from qcg_neo4j.indexing.build.nearest import read_vectors

CHUNK_WORDS = 20  # what a chunk says takes no part
WAYS = {
    "gds": "qcg build queries, by GDS kNN",
    "exact": "qcg build queries, exact",
    "ivf": "qcg build queries, by lists (IVF)",
    "index": "qcg build queries, by the vector index",
}


@dataclass(frozen=True)
class JoiningSettings(Settings):
    """The joining of synthetic queries."""

    strategies: str = setting("exact,ivf,index", "Which of exact, ivf, index and gds are timed, with commas between.")
    dimension: int = setting(384, "Numbers per vector.", minimum=2, maximum=4096)
    seed: int = setting(0, "Seed of the synthetic data.", minimum=0)


@measurement(JoiningSettings, numbers("--sizes", "10000,100000", "Numbers of queries in the graph, rising."))
def joining(graph: Graph, sizes: Sequence[int], settings: JoiningSettings) -> Result:
    """Time the joining of queries by each strategy.

    Each way runs once at each size, as nobody joins twice.

    Raises:
        GraphError: the recall floor is not reached.
        SettingsError: there is no such strategy.
    """
    steps = growing(sizes, QUERIES_PER_TOPIC)
    use_model(graph, MODEL, settings.dimension)
    synthetic = Synthetic(settings.seed, settings.dimension, CHUNK_WORDS)
    rows: list[Measured] = []
    for _, topics in steps:
        with progress_bar(f"Writing {topics.stop * QUERIES_PER_TOPIC:,} queries") as progress:
            fill(graph, synthetic, topics, progress)
        size = topics.stop * QUERIES_PER_TOPIC
        with progress_bar(f"Joining {size:,} queries") as progress:
            taken = dict(_taken(graph, settings, progress))
        rows += compared({name: [seconds] for name, seconds in taken.items()}, size, [*taken][-1])
    notes = (
        f"Synthetic queries of {settings.dimension} dimensions, seed {settings.seed}; three neighbours. Each way ran "
        "once; the strategies include the check of the recall by exact search for 100 queries.",
    )
    return Result("Joining queries", "s", "queries", "the last strategy", tuple(rows), notes)


def _taken(graph: Graph, settings: JoiningSettings, progress: Progress) -> Iterator[tuple[str, float]]:
    start = time.perf_counter()
    read_vectors(graph, QUERIES.vectors, QUERIES.label)
    yield "reading the vectors, of exact and ivf", time.perf_counter() - start
    for strategy in settings.strategies.split(","):
        made = build_queries(graph, BuildSettings(strategy=strategy), progress)
        yield f"{WAYS[strategy]}, recall {made.recall:.3f}", made.seconds
