"""What a server is, and what it has."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.database.connection import Connection
from qcg_neo4j.database.database_embedder import find_database_embedder
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings


@dataclass(frozen=True)
class ServerFacts:
    """What the server is: its version and edition, the versions of GDS and of our plug-in (None without them).

    ``embedding_model`` is the one that runs in the database.
    """

    version: str
    edition: str
    gds_version: str | None
    plugin_version: str | None
    embedding_model: str | None = None


def server_facts(graph: Connection) -> ServerFacts:
    """The facts of the server of a graph."""
    kernel = graph.rows("schema/server")[0]
    gds_version = str(graph.rows("schema/gds_version")[0]["version"]) if graph.rows("schema/gds") else None
    embedder = find_database_embedder(graph, EmbeddingSettings())
    model = embedder.name if embedder else None
    return ServerFacts(kernel["version"], kernel["edition"], gds_version, graph.plugin_version(), model)
