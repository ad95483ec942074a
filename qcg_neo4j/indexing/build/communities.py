"""Hierarchical communities of the entities by Leiden (GraphRAG): every level covers all entities.

A community's id is its level and its least entity's id, so what has not changed keeps its id; one that is not split
further (``leaf``) stands for itself at all levels below.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.build.leiden import AUTO, GDS, Leiden, leiden
from qcg_neo4j.indexing.build.settings import CommunitySettings

STAGE = "communities"
_KEEPING, _ANEW = "keeping", "anew"


@dataclass(frozen=True)
class HierarchyReport:
    """What a build made; ``changed`` is false when the hierarchy was already up to date.

    ``partitioned`` is how many communities (or the whole graph) Leiden was run on; ``anew`` says that nothing was
    kept of an earlier build; ``sizes`` has a row per level; ``leiden`` is who partitioned.
    """

    changed: bool
    communities: int
    levels: int
    modularity: float
    partitioned: int
    anew: bool
    sizes: list[dict[str, Any]]
    seconds: float
    leiden: str = GDS


@stages.writes("build communities")
def build_communities(
    graph: Graph,
    settings: CommunitySettings = CommunitySettings(),
    progress: Progress = silent,
    *,
    by: str = AUTO,
) -> HierarchyReport:
    """Bring the hierarchy up to date: only what the graph's changes have touched is partitioned again.

    ``by`` is who partitions: ``gds`` in the database, ``leidenalg`` on this side, ``session`` one of Aura Graph
    Analytics (of the environment), ``auto`` the first of these that is there without a session.

    Raises:
        GraphError: there are no entities yet, or Aura opens no session.
        SettingsError: there is no such choice, or what a session needs is not given.
        MissingPackageError: a package that is needed on this side is not installed.
        MissingPluginError: ``gds`` is chosen, and the server has no Graph Data Science.
    """
    known = stages.recorded(graph)
    if stages.is_current(known, STAGE, settings):
        return HierarchyReport(False, **known[STAGE].figures)
    counts = {row["kind"]: row["number"] for row in graph.rows("inspect/counts")}
    if not counts["Entity"]:
        raise GraphError("The graph has no entities to put into communities.", "Extract them first: `qcg extract`.")
    start = time.perf_counter()
    made_from = stages.basis(known, STAGE)
    kept = stages.was_made_with(known, STAGE, settings)
    with leiden(graph, settings, by) as chosen:  # refused before the stage begins
        # What changes after an interruption is known to be stale, so that the rest is kept then, too.
        cursor = stages.begin(graph, STAGE, settings, {}) or (_KEEPING if kept else "")
        figures = {**_build(graph, settings, chosen, cursor, progress), "leiden": chosen.name}
    figures["seconds"] = round(time.perf_counter() - start, 1)
    stages.finish(graph, STAGE, settings, made_from, figures)
    return HierarchyReport(True, **figures)


def _build(
    graph: Graph, settings: CommunitySettings, chosen: Leiden, cursor: str, progress: Progress
) -> dict[str, Any]:
    anew = cursor != _KEEPING
    if not cursor:
        graph.run("build/communities/forget")
    graph.write(Call("stage/note", {"name": STAGE, "cursor": _ANEW if anew else _KEEPING}))
    partitioned = _partition(graph, settings, chosen, progress)
    modularity = _modularity(graph, settings)
    if not anew and modularity < settings.modularity_floor * chosen.best_modularity():
        graph.run("build/communities/forget")
        anew, partitioned = True, _partition(graph, settings, chosen, progress)
        modularity = _modularity(graph, settings)
    rows = graph.rows("build/communities/sizes")
    sizes = {"communities": int(rows[0]["all"]) if rows else 0, "levels": len(rows), "sizes": rows}
    return {**sizes, "modularity": modularity, "partitioned": partitioned, "anew": anew}


def _partition(graph: Graph, settings: CommunitySettings, chosen: Leiden, progress: Progress) -> int:
    """Level by level from the root, until nothing splits; of how many communities Leiden was run."""
    level, partitioned, communities, entities = 0, 0, 1, 0
    while communities:
        graph.run("build/communities/let_go", level=level, maximum_size=settings.maximum_size)
        parents = _parents(graph, settings, level)
        open_ones = sum(parent["size"] for parent in parents)
        entities = max(entities, open_ones)
        progress(entities - open_ones, entities)
        if parents:
            graph.write(chosen.partition(level, parents), stages=(STAGE,))
        partitioned += len(parents)
        weigh = Call("build/communities/weigh", {"level": level, **_splitting(settings)})
        communities = graph.write(weigh, stages=(STAGE,)).rows[0][0]["communities"]
        level += 1
    progress(entities, entities)
    graph.run("build/communities/sweep")
    return partitioned


def _parents(graph: Graph, settings: CommunitySettings, level: int) -> list[dict[str, Any]]:
    """What is to be split into the communities of a level."""
    if level:
        return graph.rows("build/communities/undecided", level=level - 1, **_splitting(settings))
    taking_part = {"isolated": settings.isolated_entities, "edge_weight": settings.edge_weight}
    rest = graph.rows("build/communities/unassigned", **taking_part)[0]
    return [{"id": "", **rest}] if rest["size"] else []


def _splitting(settings: CommunitySettings) -> dict[str, Any]:
    return {"maximum_size": settings.maximum_size, "edge_weight": settings.edge_weight}


def _modularity(graph: Graph, settings: CommunitySettings) -> float:
    given = {"gamma": float(settings.resolution), "edge_weight": settings.edge_weight}
    found = graph.rows("build/communities/modularity", **given)
    return round(float(found[0]["modularity"]), 6)
