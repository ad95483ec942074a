"""Find what an older version left wrong in a graph, and mend it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qcg_neo4j import stages
from qcg_neo4j.graph import Call, Graph


@dataclass(frozen=True)
class Flaw:
    """Something of which there is too much: what, of which stage, how many."""

    kind: str
    stage: str
    number: int


def check(graph: Graph) -> tuple[Flaw, ...]:
    """What is there several times where one is meant, as after two builds at once; changes nothing."""
    return _flaws(graph, stages.recorded(graph))


@stages.writes("mend")
def mend(graph: Graph) -> tuple[Flaw, ...]:
    """Remove what is too much, and return what that was; the stages concerned count as interrupted.

    So their next run looks at all of it, and measures again.
    """
    known = stages.recorded(graph)
    found = _flaws(graph, known)
    if found:
        graph.run("check/mend_queries", neighbours=_neighbours(known))
        graph.run("check/mend_pairs")
        graph.write(Call("check/reopen", {"stages": sorted({flaw.stage for flaw in found})}))
    return found


def _flaws(graph: Graph, known: Mapping[str, stages.Stage]) -> tuple[Flaw, ...]:
    rows: list[dict[str, Any]] = graph.rows("check/doubled")
    # Beyond the doubled ones, those of a second build that found others.
    rows += graph.rows("check/too_many", neighbours=_neighbours(known))
    return tuple(Flaw(**row) for row in rows)


def _neighbours(known: Mapping[str, stages.Stage]) -> int:
    return int((known["build"].settings or {}).get("neighbours", 0))
