"""Join each atom with those of its nearest others that find it just as near (``SIMILAR_TO``, LP-RAG's chunk graph).

Atoms first note their nearest others, which is checked by exact search; then those that noted each other are joined,
so that no half of a graph is ever seen.
"""

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

STAGE = "atoms"
PROJECTION = "qcg_atom_vectors"
NEAR = "NEAR"
SLICE = 250  # atoms per transaction of the index strategy: some seconds of work that an interruption may lose
JOINED_AT_ONCE = 2000
MOST_DOUBLINGS = 4


@dataclass(frozen=True)
class AtomSettings(Settings):
    """Which atoms are joined: those that are among each other's nearest, and if wanted those that share an entity."""

    neighbours: int = setting(
        5, "Nearest others of an atom that may be joined with it (k).", source="LP-RAG paper", minimum=1, maximum=100
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
        24, "Atoms taken from the vector index per atom, to be scored exactly.", minimum=2, maximum=1000
    )
    recall_floor: float = setting(
        0.99, "Least share of the true neighbours; below it the search is widened.", minimum=0.0, maximum=1.0
    )
    recall_sample: int = setting(100, "Atoms whose neighbours are checked by exact search.", minimum=1)
    sharing: int = setting(
        0,
        "Join an atom as well with so many of the nearest atoms of other chunks that name an entity with it.",
        maximum=100,
        minimum=0,
    )
    sharing_hub: int = setting(
        50, "An entity that more atoms name than this joins none of them.", minimum=1, maximum=100_000
    )
    random_seed: int = setting(42, "Seed of GDS kNN.", minimum=0)


@dataclass(frozen=True)
class AtomReport:
    """What was made; ``changed`` is false when the graph was already up to date.

    ``joined`` are the atoms that have a neighbour; ``recall`` is that of the nearest others, before they must agree.
    """

    changed: bool
    atoms: int
    joined: int
    relationships: int
    strategy: str
    recall: float
    sample: int
    seconds: float


def build_atoms(graph: Graph, settings: AtomSettings = AtomSettings(), progress: Progress = silent) -> AtomReport:
    """Bring ``SIMILAR_TO`` between atoms up to date; does nothing when atoms and settings are those of the last time.

    Raises:
        GraphError: there are no atoms yet, or the recall floor is not reached.
        MissingPluginError: the strategy is ``gds`` and the server has no Graph Data Science.
    """
    known = stages.recorded(graph)
    if stages.is_current(known, STAGE, settings):
        return AtomReport(False, **known[STAGE].figures)
    atoms = _atoms(graph)
    start = time.perf_counter()
    made_from = stages.basis(known, STAGE)
    strategies = possible_strategies(graph, settings.strategy, ("index", "gds"))
    cursor = stages.begin(graph, STAGE, settings, made_from)
    graph.await_indexes()
    strategy, recall = _find(graph, settings, strategies, atoms, cursor, progress)
    if settings.sharing:
        graph.run("build/atoms/sharing", sharing=settings.sharing, hub=settings.sharing_hub)
    _join(graph)
    figures = {
        "atoms": atoms,
        **graph.rows("build/atoms/joined")[0],
        "strategy": strategy,
        "recall": recall["recall"],
        "sample": recall["sample"],
        "seconds": round(time.perf_counter() - start, 1),
    }
    stages.finish(graph, STAGE, settings, made_from, figures)
    return AtomReport(True, **figures)


def _atoms(graph: Graph) -> int:
    size = graph.rows("build/atoms/size")[0]
    if not size["atoms"]:
        raise GraphError("The graph has no atoms to join.", "Make them first: `qcg extract`.")
    if size["without_embedding"]:
        raise GraphError(
            f"{size['without_embedding']:,} atoms have no embedding.", "Run `qcg extract` again; it was interrupted."
        )
    return int(size["atoms"])


def _find(
    graph: Graph, settings: AtomSettings, strategies: list[str], atoms: int, cursor: str, progress: Progress
) -> tuple[str, Mapping[str, Any]]:
    """Search with growing effort until the recall floor is reached: the strategy that did, and the recall."""
    best = 0.0
    for strategy in strategies:
        width = max(settings.gds_top_k if strategy == "gds" else settings.candidates, settings.neighbours + 1)
        for _ in range(MOST_DOUBLINGS):
            if strategy == "gds":
                _by_gds(graph, settings, width)
            else:
                _by_index(graph, settings, width, atoms, cursor, progress)
            recall = graph.rows("build/atoms/recall", sample=settings.recall_sample, neighbours=settings.neighbours)[0]
            if recall["recall"] >= settings.recall_floor:
                return strategy, recall
            best, width, cursor = max(best, recall["recall"]), 2 * width, ""
    raise GraphError(
        f"Only {best:.3f} of the true neighbours were found; the floor is {settings.recall_floor}.",
        "Use another strategy, more candidates or gds_top_k, or a lower recall_floor.",
    )


def _by_index(
    graph: Graph, settings: AtomSettings, candidates: int, atoms: int, cursor: str, progress: Progress
) -> None:
    done = graph.rows("build/atoms/before", cursor=cursor)[0]["atoms"]
    progress(done, atoms)
    while True:
        parameters = {
            "after": cursor,
            "slice": SLICE,
            "neighbours": settings.neighbours,
            "candidates": candidates,
        }
        row = graph.write(Call("build/atoms/nearest_by_index", parameters)).rows[0][0]
        if row["last"] is None:
            return
        cursor, done = row["last"], done + row["atoms"]
        progress(done, atoms)


def _by_gds(graph: Graph, settings: AtomSettings, top_k: int) -> None:
    with projected(graph, PROJECTION, "build/atoms/project") as (science, atoms):
        # One thread and a seed: two builds of the same graph give the same neighbours.
        science.knn.mutate(
            atoms, NEAR, "score", ["embedding"], top_k=top_k, concurrency=1, random_seed=settings.random_seed
        )
        chosen = {"relationship_type": NEAR, "neighbours": settings.neighbours}
        graph.run("build/atoms/nearest_by_gds", projection=PROJECTION, **chosen)


def _join(graph: Graph) -> None:
    last: str | None = ""
    while last is not None:
        call = Call("build/atoms/join", {"after": last, "slice": JOINED_AT_ONCE})
        last = graph.write(call, stages=(STAGE,)).rows[0][0]["last"]
    graph.run("build/atoms/forget_nearest")
