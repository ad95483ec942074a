"""Join each query with its nearest others (``SIMILAR_TO``), and check by exact search that they are the nearest."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qcg_neo4j import stages
from qcg_neo4j.build.projection import possible_strategies, projected
from qcg_neo4j.errors import GraphError
from qcg_neo4j.graph import Call, Graph
from qcg_neo4j.progress import Progress, silent
from qcg_neo4j.settings import Settings, setting

PROJECTION = "qcg_queries"
NEAR = "NEAR"
SLICE = 250  # queries per transaction of the index strategy: some seconds of work that an interruption may lose
MOST_DOUBLINGS = 4


@dataclass(frozen=True)
class BuildSettings(Settings):
    """How queries are joined with their nearest others."""

    neighbours: int = setting(
        3,
        "Nearest neighbours that each query is joined with (k).",
        source="QCG-RAG paper, MultiHop-RAG",
        minimum=1,
        maximum=100,
    )
    strategy: str = setting(
        "auto",
        "Find neighbours by asking the vector index, with GDS kNN, or with whichever reaches the recall floor first.",
        choices=("auto", "gds", "index"),
    )
    gds_top_k: int = setting(
        20, "Neighbours that GDS kNN keeps while it searches; more find more of the true ones.", minimum=2, maximum=1000
    )
    candidates: int = setting(
        16, "Queries taken from the vector index per query, to be scored exactly.", minimum=2, maximum=1000
    )
    recall_floor: float = setting(
        0.99, "Least share of the true neighbours; below it the search is widened.", minimum=0.0, maximum=1.0
    )
    recall_sample: int = setting(100, "Queries whose neighbours are checked by exact search.", minimum=1)
    random_seed: int = setting(42, "Seed of GDS kNN.", minimum=0)


@dataclass(frozen=True)
class BuildReport:
    """What a build made; ``changed`` is false when the graph was already up to date."""

    changed: bool
    queries: int
    relationships: int
    strategy: str
    recall: float
    sample: int
    seconds: float


def build_queries(graph: Graph, settings: BuildSettings = BuildSettings(), progress: Progress = silent) -> BuildReport:
    """Bring ``SIMILAR_TO`` up to date; does nothing when queries and settings are those of the last build.

    Raises:
        GraphError: there are no queries yet, or the recall floor is not reached.
        MissingPluginError: the strategy is ``gds`` and the server has no Graph Data Science.
    """
    known = stages.recorded(graph)
    if stages.is_current(known, "build", settings):
        return BuildReport(False, **known["build"].figures)
    queries = _queries(graph)
    start = time.perf_counter()
    made_from = stages.basis(known, "build")
    # Asking the vector index goes on after an interruption and shows how far it is; both took the same time for 10,000
    # queries, and with more of them kNN by descent finds fewer of the true neighbours. So it comes second.
    strategies = possible_strategies(graph, settings.strategy, ("index", "gds"))
    cursor = stages.begin(graph, "build", settings, made_from)
    graph.await_indexes()
    strategy, recall = _join(graph, settings, strategies, queries, cursor, progress)
    figures = {
        "queries": queries,
        "relationships": graph.rows("build/joined")[0]["relationships"],
        "strategy": strategy,
        "recall": recall["recall"],
        "sample": recall["sample"],
        "seconds": round(time.perf_counter() - start, 1),
    }
    stages.finish(graph, "build", settings, made_from, figures)
    return BuildReport(True, **figures)


def _queries(graph: Graph) -> int:
    size = graph.rows("build/size")[0]
    if not size["queries"]:
        raise GraphError("The graph has no queries to join.", "Make them first: `qcg generate`.")
    if size["without_embedding"]:
        raise GraphError(
            f"{size['without_embedding']:,} queries have no embedding.", "Run `qcg generate` again; it was interrupted."
        )
    return int(size["queries"])


def _join(
    graph: Graph, settings: BuildSettings, strategies: list[str], queries: int, cursor: str, progress: Progress
) -> tuple[str, Mapping[str, Any]]:
    """Join with growing effort until the recall floor is reached: the strategy that did, and the recall."""
    best = 0.0
    for strategy in strategies:
        width = max(settings.gds_top_k if strategy == "gds" else settings.candidates, settings.neighbours + 1)
        for _ in range(MOST_DOUBLINGS):
            if strategy == "gds":
                _by_gds(graph, settings, width)
            else:
                _by_index(graph, settings, width, queries, cursor, progress)
            recall = graph.rows("build/recall", sample=settings.recall_sample, neighbours=settings.neighbours)[0]
            if recall["recall"] >= settings.recall_floor:
                return strategy, recall
            best, width, cursor = max(best, recall["recall"]), 2 * width, ""
    raise GraphError(
        f"Only {best:.3f} of the true neighbours were found; the floor is {settings.recall_floor}.",
        "Use another `--strategy`, more `--candidates` or `--gds-top-k`, or a lower `--recall-floor`.",
    )


def _by_index(
    graph: Graph, settings: BuildSettings, candidates: int, queries: int, cursor: str, progress: Progress
) -> None:
    done = graph.rows("build/before", cursor=cursor)[0]["queries"]
    progress(done, queries)
    while True:
        parameters = {
            "after": cursor,
            "slice": SLICE,
            "neighbours": settings.neighbours,
            "candidates": candidates,
        }
        row = graph.write(Call("build/nearest_by_index", parameters), stages=("build",)).rows[0][0]
        if row["last"] is None:
            return
        cursor, done = row["last"], done + row["queries"]
        progress(done, queries)


def _by_gds(graph: Graph, settings: BuildSettings, top_k: int) -> None:
    with projected(graph, PROJECTION, "build/project_queries") as (science, queries):
        # One thread and a seed: two builds of the same graph give the same neighbours.
        science.knn.mutate(
            queries, NEAR, "score", ["embedding"], top_k=top_k, concurrency=1, random_seed=settings.random_seed
        )
        graph.run("build/nearest_by_gds", projection=PROJECTION, relationship_type=NEAR, neighbours=settings.neighbours)
