"""Stop every server below a folder once standard input ends: run by the tests, outlives them, however they end."""

from __future__ import annotations

import sys
from pathlib import Path

from qcg_neo4j import server

if __name__ == "__main__":
    sys.stdin.read()
    for launch in Path(sys.argv[1]).rglob("run/launch.json"):
        server.stop(launch.parent.parent)
