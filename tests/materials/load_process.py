"""Loads a file in a process of its own, for tests that kill it; says on standard output how far it is."""

from __future__ import annotations

import sys
from pathlib import Path

from small_embedder import SmallEmbedder

from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.load import LoadSettings, load_documents, read_documents

SETTINGS = LoadSettings(chunk_tokens=60, overlap_tokens=5, chunks_per_transaction=4, window_overlap_tokens=3)


def say(what: str) -> None:
    sys.stdout.write(what + "\n")
    sys.stdout.flush()


def told(done: int, total: int | None) -> None:
    """How far a long document is."""
    say(f"{done} of {total}")


def main() -> None:
    home, file = map(Path, sys.argv[1:])
    with Graph.connect(home=home) as graph:
        say("ready")
        load_documents(graph, SmallEmbedder(20), read_documents([file]), SETTINGS, lambda done, _: say(str(done)), told)


if __name__ == "__main__":
    main()
