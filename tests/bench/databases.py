"""A database for a measurement alone: synthetic nodes never come into a person's graph."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import own
from bench.apoc import add_apoc
from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.status import server_facts
from qcg_neo4j.server import ServerSettings, start, stop

VECTOR_INDEXES = ("qcg_chunk_embedding", "qcg_query_embedding", "qcg_window_embedding")
COMMUNITY_DATABASE = "neo4j"  # what Neo4j Community calls its one database


@contextmanager
def own_database(settings: ServerSettings, progress: Progress, *, with_apoc: bool = False) -> Iterator[Graph]:
    """An embedded server in a temporary home; both are gone when the block ends.

    Raises:
        ServerError: the server does not come up.
    """
    with TemporaryDirectory(prefix="qcg-bench-") as folder:
        home = Path(folder) / "home"
        if with_apoc:
            add_apoc(home, settings, progress)
        address = start(home, settings, progress)
        try:
            with Graph.connect(address.uri, address.user, address.password, COMMUNITY_DATABASE) as graph:
                yield graph
        finally:
            stop(home, settings.patience)


@contextmanager
def empty_database(uri: str, user: str | None, database: str | None) -> Iterator[Graph]:
    """A database that a person gives for this; it is empty again when the block ends.

    Raises:
        GraphError: it holds nodes or vector indexes.
    """
    with Graph.connect(uri, user, None, database) as graph:
        _refuse_contents(graph)
        try:
            yield graph
        finally:
            clear(graph)
            for name in VECTOR_INDEXES:
                graph.run(own("drop_index"), name=name)


def clear(graph: Graph) -> None:
    """Remove all nodes."""
    graph.run(own("clear"))


def facts(graph: Graph) -> dict[str, str]:
    """What the figures depend on beside the code."""
    server = server_facts(graph)
    gds = f", Graph Data Science {server.gds_version}" if server.gds_version else ""
    return {
        "Server": f"Neo4j {server.version} {server.edition}{gds}",
        "Processors": f"{os.cpu_count()}, shared by server and client",
    }


def _refuse_contents(graph: Graph) -> None:
    nodes = graph.rows(own("nodes"))[0]["nodes"]
    indexes = {row["name"] for row in graph.rows("schema/indexes")} & set(VECTOR_INDEXES)
    if nodes or indexes:
        found = f"{nodes:,} nodes" if nodes else f"the vector index {min(indexes)}"
        raise GraphError(
            f"The database at {graph.address.uri} is not empty: it holds {found}.",
            "Give an empty database, or leave --uri out: then a server of its own is started for the measurement.",
        )
