"""How far the vector indexes of a graph must be searched: measured against exact search, and noted for all methods.

The larger a graph, the more of the nearest an approximate index misses among as many candidates.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.permission import USUAL
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.indexing.build.search import LITTLE
from qcg_neo4j.indexing.build.settings import IndexesSettings

STAGE = "indexes"
KINDS = ("Query", "Chunk", "Window", "Atom", "Entity", "RELATED_TO")  # that have a vector index each
CANDIDATES = tuple(USUAL * 2**step for step in range(7))


@dataclass(frozen=True)
class IndexesReport:
    """What was measured; ``changed`` is false when the graph was already measured, with about as many ``entries``.

    ``candidates`` is for each kind how many entries its index must be asked for, so that it finds ``recall`` of the ten
    nearest; ``widening`` by how much more than usual all indexes are searched from now on.
    """

    changed: bool
    candidates: Mapping[str, int]
    recall: Mapping[str, float]
    widening: float
    seconds: float
    entries: int = 0


@stages.writes("build indexes")
def measure_indexes(
    graph: Graph, settings: IndexesSettings = IndexesSettings(), progress: Progress = silent
) -> IndexesReport:
    """Measure each vector index; note by how much more than usual all are searched.

    A graph that has grown or shrunk by less than a tenth since is not measured again.
    """
    known = stages.recorded(graph)
    figures = known[STAGE].figures
    if stages.is_current(known, STAGE, settings):
        return IndexesReport(False, **figures)
    start = time.perf_counter()
    made_from = stages.basis(known, STAGE)
    entries = sum(row["number"] for row in graph.rows("inspect/counts") if row["kind"] in KINDS)
    if stages.was_made_with(known, STAGE, settings):
        before = figures.get("entries", 0)
        if LITTLE * abs(entries - before) <= before:
            stages.finish(graph, STAGE, settings, made_from, figures)
            return IndexesReport(False, **figures)
    stages.begin(graph, STAGE, settings, made_from)
    await_indexes(graph)
    found: dict[str, Mapping[str, Any]] = {}
    asked: dict[str, Any] = {"kinds": KINDS, "tenths": ()}
    for step, candidates in enumerate(CANDIDATES, 1):
        rows = graph.rows("build/index_recall", sample=settings.sample, candidates=candidates, **asked)
        found |= {row["kind"]: {**row, "candidates": candidates} for row in rows}
        progress(step, len(CANDIDATES))
        again = [row for row in rows if row["recall"] - row["error"] < settings.recall_floor]  # not surely enough
        asked = {"kinds": [row["kind"] for row in again], "tenths": [one for row in again for one in row["tenths"]]}
        if not again:
            progress(len(CANDIDATES), len(CANDIDATES))
            break
    widening = max((row["candidates"] for row in found.values()), default=USUAL) / USUAL
    graph.write(Call("build/widen", {"widening": widening}))
    graph.recorded = None
    figures = {
        "candidates": {kind: row["candidates"] for kind, row in found.items()},
        "recall": {kind: round(row["recall"], 4) for kind, row in found.items()},
        "widening": widening,
        "seconds": round(time.perf_counter() - start, 1),
        "entries": entries,
    }
    stages.finish(graph, STAGE, settings, made_from, figures)
    return IndexesReport(True, **figures)
