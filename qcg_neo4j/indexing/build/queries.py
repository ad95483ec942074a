"""Join each query with its nearest others (``SIMILAR_TO``), and check by exact search that they are the nearest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.settings import Settings, setting
from qcg_neo4j.database import stages
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.build.search import Kind, Search, brought_up_to_date

KIND = Kind(
    stage="build",
    nodes="queries",
    made_by="generate",
    size="build/size",
    before="build/before",
    slice="build/slice",
    vectors="build/vectors",
    by_index="build/nearest_by_index",
    join="build/join_nearest",
    projection="qcg_queries",
    project="build/project_queries",
    by_gds="build/nearest_by_gds",
    recall="build/recall",
)


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
        "exact (all compared), ivf (near lists, by faiss), index (the vector index) or gds (GDS kNN); auto: by size.",
        choices=("auto", "exact", "ivf", "index", "gds"),
    )
    gds_top_k: int = setting(
        20, "Neighbours that GDS kNN keeps while it searches; more find more of the true ones.", minimum=2, maximum=1000
    )
    candidates: int = setting(
        16, "Queries taken from the vector index per query, to be scored exactly.", minimum=2, maximum=1000
    )
    recall_floor: float = setting(
        0.99, "Least share of the true ones; below it the search is widened.", minimum=0.0, maximum=1.0
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


@stages.writes("build queries")
def build_queries(graph: Graph, settings: BuildSettings = BuildSettings(), progress: Progress = silent) -> BuildReport:
    """Bring ``SIMILAR_TO`` up to date; does nothing when queries and settings are those of the last build.

    Raises:
        GraphError: there are no queries yet, or the recall floor is not reached.
        MissingPluginError: the strategy is ``gds`` and the server has no Graph Data Science.
    """
    limits = {"neighbours": settings.neighbours}
    search = Search(graph, KIND, settings, limits, progress, least=settings.neighbours + 1)

    def made(size: Mapping[str, Any], cursor: str) -> dict[str, Any]:
        strategy, recall = search.run(size["queries"], cursor)
        return {
            "queries": size["queries"],
            "relationships": graph.rows("build/joined")[0]["relationships"],
            "strategy": strategy,
            "recall": recall["recall"],
            "sample": recall["sample"],
        }

    return BuildReport(**brought_up_to_date(search, made))
