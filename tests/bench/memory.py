"""What a server takes of processors."""

from __future__ import annotations

import os
from pathlib import Path

from qcg_neo4j.database.graph import Graph
from qcg_neo4j.server import status


def processor_seconds(graph: Graph) -> float | None:
    """What the server's process has used of all processors, which others' work does not lengthen; None if unseen."""
    pid = status(Path(graph.rows("schema/data_folder")[0]["folder"]).parent).pid
    if pid is None or not (seen := Path(f"/proc/{pid}/stat")).exists():
        return None
    user, system = seen.read_text(encoding="utf-8").rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
