"""A client that writes in a process of its own, to be killed: HOME STATE."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:1] = [str(Path(__file__).parents[1] / name) for name in ("", "materials", "twins")]
from qcg_neo4j.database.graph import Graph  # noqa: E402
from soak.corpus import write  # noqa: E402 - Python looks for it in the folder of this file otherwise

if __name__ == "__main__":
    with Graph.connect(home=Path(sys.argv[1])) as graph:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        write(graph, sys.argv[2])
