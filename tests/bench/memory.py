"""What a server takes of processors, and what its plug-in holds of a graph in memory."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from bench import own
from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.server import status

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


def processor_seconds(graph: Graph) -> float | None:
    """What the server's process has used of all processors, which others' work does not lengthen; None if unseen."""
    pid = status(Path(graph.rows("schema/data_folder")[0]["folder"]).parent).pid
    if pid is None or not (seen := Path(f"/proc/{pid}/stat")).exists():
        return None
    user, system = seen.read_text(encoding="utf-8").rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
