"""Join each atom with those of its nearest others that find it just as near (``SIMILAR_TO``, LP-RAG's chunk graph).

Atoms first note their nearest others, which is checked by exact search; then those that noted each other are joined,
so that no half of a graph is ever seen.
"""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.build.search import Kind, Search, brought_up_to_date
from qcg_neo4j.indexing.build.settings import AtomSettings

JOINED_AT_ONCE = 2000
KIND = Kind(
    stage="atoms",
    nodes="atoms",
    made_by="extract",
    size="build/atoms/size",
    before="build/atoms/before",
    slice="build/atoms/slice",
    vectors="build/atoms/vectors",
    by_index="build/atoms/nearest_by_index",
    join="build/atoms/note_nearest",
    projected="atoms",
    label="Atom",
    by_gds="build/atoms/nearest_by_gds",
    recall="build/atoms/recall",
    waiting="build/atoms/waiting",
    displaced="build/atoms/displaced",
    join_added="build/atoms/join_added",
    complete_with=(),
    notices_loss=False,
    joins=False,
)


@dataclass(frozen=True)
class AtomReport:
    """What was made; ``changed`` is false when the graph was already up to date.

    ``joined`` are the atoms that have a neighbour; ``recall`` is that of the nearest others, before they must agree.
    ``added`` atoms were searched for by the index after all were: the recall is of what was there before them.
    """

    changed: bool
    atoms: int
    joined: int
    relationships: int
    strategy: str
    recall: float
    sample: int
    seconds: float
    added: int = 0


@stages.writes("build atoms")
def build_atoms(graph: Graph, settings: AtomSettings = AtomSettings(), progress: Progress = silent) -> AtomReport:
    """Bring ``SIMILAR_TO`` between atoms up to date; does nothing when atoms and settings are those of the last time.

    Raises:
        GraphError: there are no atoms yet, or the recall floor is not reached.
        MissingPluginError: the strategy is ``gds`` and the server has no Graph Data Science.
    """
    limits = {"neighbours": settings.neighbours}
    search = Search(graph, KIND, settings, limits, progress, least=settings.neighbours + 1, grows=not settings.sharing)

    def join_all() -> None:
        if settings.sharing:
            graph.run("build/atoms/sharing", sharing=settings.sharing, hub=settings.sharing_hub)
        _join(graph)

    return AtomReport(**brought_up_to_date(search, lambda: graph.rows("build/atoms/joined")[0], join_all))


def _join(graph: Graph) -> None:
    last: str | None = ""
    while last is not None:
        call = Call("build/atoms/join", {"after": last, "slice": JOINED_AT_ONCE})
        last = graph.write(call, stages=(KIND.stage,)).rows[0][0]["last"]
    graph.run("build/atoms/forget_nearest")
