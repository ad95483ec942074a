"""What is joined with the nearest others of its kind; exact search checks that these are the nearest.

A query is joined with its nearest others (``SIMILAR_TO``), an entity with those whose names say nearly the same
(``SYNONYM_OF``), an atom with those of its nearest others that find it just as near (``SIMILAR_TO``, LP-RAG's chunk
graph). Atoms first note their nearest others; then those that noted each other are joined, so that no half of a graph
is ever seen.
"""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.build.search import Kind, Search, brought_up_to_date
from qcg_neo4j.indexing.build.settings import AtomSettings, BuildSettings, SynonymSettings

QUERIES = Kind(
    stage="build",
    nodes="queries",
    size="build/size",
    before="build/before",
    slice="build/slice",
    vectors="build/vectors",
    by_index="build/nearest_by_index",
    join="build/join_nearest",
    label="Query",
    by_gds="build/nearest_by_gds",
    recall="build/recall",
    waiting="build/waiting",
    displaced="build/displaced",
)
SYNONYMS = Kind(
    stage="synonyms",
    nodes="entities",
    size="build/entities",
    before="build/entities_before",
    slice="build/entities_slice",
    vectors="build/entities_vectors",
    by_index="build/synonyms_by_index",
    join="build/join_synonyms",
    label="Named",
    by_gds="build/synonyms_by_gds",
    recall="build/synonym_recall",
    waiting="build/entities_waiting",
    figures=("recall", "sample", "wanted"),
    complete_with=(),
    wanted="synonyms",
    clear="build/clear_synonyms",  # or an entity would bring the most of each search
)
ATOMS = Kind(
    stage="atoms",
    nodes="atoms",
    size="build/atoms/size",
    before="build/atoms/before",
    slice="build/atoms/slice",
    vectors="build/atoms/vectors",
    by_index="build/atoms/nearest_by_index",
    join="build/atoms/note_nearest",
    label="Atom",
    by_gds="build/atoms/nearest_by_gds",
    recall="build/atoms/recall",
    waiting="build/atoms/waiting",
    displaced="build/atoms/displaced",
    join_added="build/atoms/join_added",
    complete_with=(),
)
ATOMS_AT_ONCE = 2000  # joined in one transaction


@dataclass(frozen=True, kw_only=True)
class JoinReport:
    """What was made; ``changed`` is false when the graph was already up to date.

    ``added`` nodes were searched for by the index after all were: the recall is of what was there before them.
    """

    changed: bool
    relationships: int
    strategy: str
    recall: float
    sample: int
    seconds: float
    added: int = 0


@dataclass(frozen=True, kw_only=True)
class BuildReport(JoinReport):
    """What was made of queries."""

    queries: int


@stages.writes("build queries")
def build_queries(graph: Graph, settings: BuildSettings = BuildSettings(), progress: Progress = silent) -> BuildReport:
    """Bring ``SIMILAR_TO`` up to date; does nothing when queries and settings are those of the last build.

    Raises:
        GraphError: there are no queries yet, or the recall floor is not reached.
        MissingPluginError: the strategy is ``gds`` and the server has no Graph Data Science.
    """
    wanted = settings.neighbours
    search = Search(graph, QUERIES, settings, {"neighbours": wanted}, progress, least=wanted + 1)
    return BuildReport(**brought_up_to_date(search, lambda: graph.rows("build/joined")[0]))


@dataclass(frozen=True, kw_only=True)
class SynonymReport(JoinReport):
    """What was made of entities: ``named`` have names long enough, ``wanted`` are the true synonyms of the sample."""

    entities: int
    named: int
    wanted: int


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
        SYNONYMS,
        settings,
        {"similarity": settings.similarity, "neighbours": settings.most},
        progress,
        most_candidates=lambda candidates: {"most_candidates": max(4 * settings.most, candidates)},
        # GDS's own score lies above the cosine, so that the cut loses nothing; the statement scores exactly.
        cutoff=settings.similarity,
    )
    return SynonymReport(**brought_up_to_date(search, lambda: graph.rows("build/synonyms")[0]))


@dataclass(frozen=True, kw_only=True)
class AtomReport(JoinReport):
    """What was made of atoms: ``joined`` ones have a neighbour; the recall is from before neighbours must agree."""

    atoms: int
    joined: int


@stages.writes("build atoms")
def build_atoms(graph: Graph, settings: AtomSettings = AtomSettings(), progress: Progress = silent) -> AtomReport:
    """Bring ``SIMILAR_TO`` between atoms up to date; does nothing when atoms and settings are those of the last time.

    Raises:
        GraphError: there are no atoms yet, or the recall floor is not reached.
        MissingPluginError: the strategy is ``gds`` and the server has no Graph Data Science.
    """
    wanted, alone = settings.neighbours, not settings.sharing
    search = Search(graph, ATOMS, settings, {"neighbours": wanted}, progress, least=wanted + 1, grows=alone)

    def join_all() -> None:
        if settings.sharing:
            graph.run("build/atoms/sharing", sharing=settings.sharing, hub=settings.sharing_hub)
        last: str | None = ""
        while last is not None:
            call = Call("build/atoms/join", {"after": last, "slice": ATOMS_AT_ONCE})
            last = graph.write(call, stages=(ATOMS.stage,)).rows[0][0]["last"]
        graph.run("build/atoms/forget_nearest")

    return AtomReport(**brought_up_to_date(search, lambda: graph.rows("build/atoms/joined")[0], join_all))
