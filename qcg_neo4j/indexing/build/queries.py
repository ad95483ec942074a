"""Join each query with its nearest others (``SIMILAR_TO``), and check by exact search that they are the nearest."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.database import stages
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.build.search import Kind, Search, brought_up_to_date
from qcg_neo4j.indexing.build.settings import BuildSettings

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
    projected="queries",
    label="Query",
    by_gds="build/nearest_by_gds",
    recall="build/recall",
    waiting="build/waiting",
    displaced="build/displaced",
)


@dataclass(frozen=True)
class BuildReport:
    """What a build made; ``changed`` is false when the graph was already up to date.

    ``added`` queries were searched for by the index after all were: the recall is of what was there before them.
    """

    changed: bool
    queries: int
    relationships: int
    strategy: str
    recall: float
    sample: int
    seconds: float
    added: int = 0


@stages.writes("build queries")
def build_queries(graph: Graph, settings: BuildSettings = BuildSettings(), progress: Progress = silent) -> BuildReport:
    """Bring ``SIMILAR_TO`` up to date; does nothing when queries and settings are those of the last build.

    Raises:
        GraphError: there are no queries yet, or the recall floor is not reached.
        MissingPluginError: the strategy is ``gds`` and the server has no Graph Data Science.
    """
    limits = {"neighbours": settings.neighbours}
    search = Search(graph, KIND, settings, limits, progress, least=settings.neighbours + 1)

    return BuildReport(**brought_up_to_date(search, lambda: graph.rows("build/joined")[0]))
