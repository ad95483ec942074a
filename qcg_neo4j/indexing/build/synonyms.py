"""Join entities whose names say nearly the same (``SYNONYM_OF``), and check by exact search that none is missing."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.database import stages
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.build.search import Kind, Search, brought_up_to_date
from qcg_neo4j.indexing.build.settings import SynonymSettings

KIND = Kind(
    stage="synonyms",
    nodes="entities",
    made_by="extract",
    size="build/entities",
    before="build/entities_before",
    slice="build/entities_slice",
    vectors="build/entities_vectors",
    by_index="build/synonyms_by_index",
    join="build/join_synonyms",
    projected="entities",
    label="Named",
    by_gds="build/synonyms_by_gds",
    recall="build/synonym_recall",
    waiting="build/entities_waiting",
    figures=("recall", "sample", "wanted"),
    complete_with=(),
    wanted="synonyms",
    clear="build/clear_synonyms",  # or an entity would bring the most of each search
)


@dataclass(frozen=True)
class SynonymReport:
    """What was made; ``changed`` is false when the graph was already up to date.

    ``named`` are the entities that take part, ``wanted`` the true synonyms of the sample. ``added`` entities were
    searched for by the index after all were: the recall is of what was there before them.
    """

    changed: bool
    entities: int
    named: int
    relationships: int
    strategy: str
    recall: float
    sample: int
    wanted: int
    seconds: float
    added: int = 0


@stages.writes("build synonyms")
def build_synonyms(
    graph: Graph, settings: SynonymSettings = SynonymSettings(), progress: Progress = silent
) -> SynonymReport:
    """Bring ``SYNONYM_OF`` up to date; does nothing when entities and settings are those of the last time.

    Raises:
        GraphError: there are no entities yet, or the recall floor is not reached.
        MissingPluginError: the strategy is ``gds`` and the server has no Graph Data Science.
    """
    search = Search(
        graph,
        KIND,
        settings,
        {"similarity": settings.similarity, "neighbours": settings.most},
        progress,
        most_candidates=lambda candidates: {"most_candidates": max(4 * settings.most, candidates)},
        # GDS's own score lies above the cosine, so that the cut loses nothing; the statement scores exactly.
        cutoff=settings.similarity,
    )
    return SynonymReport(**brought_up_to_date(search, lambda: graph.rows("build/synonyms")[0]))
