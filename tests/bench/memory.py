"""What the plug-in holds of a graph in memory, for measurements that shall find it there."""

from __future__ import annotations

import time
from collections.abc import Callable

from bench import own
from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.database.graph import Graph

SECONDS_TO_MAKE = 300


def into_memory(graph: Graph, part: str, ask: Callable[[], object]) -> None:
    """Ask until the present state of a part of the graph is in memory.

    Raises:
        GraphError: it does not come there.
    """
    until = time.monotonic() + SECONDS_TO_MAKE
    while True:
        ask()
        held = graph.rows(own("snapshot"), part=part)[0]
        if held["current"] and held["condition"] == "ready":
            return
        if time.monotonic() > until or held["condition"] not in ("none", "being made", "ready"):
            raise GraphError(f"The plug-in holds no {part} in memory: {held['condition']}.")
        time.sleep(0.1)
