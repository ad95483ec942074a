"""Our graphs as graphs of the client of Graph Data Science, for notebooks: on the graph's server, and in sessions.

Both have the same nodes, labels, relationships and weights. On the graph's own server the database projects them, as
for `qcg build`; into a session they are sent, as for `qcg build communities --by session`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from qcg_neo4j.core.errors import SettingsError, needs
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.projection import ATOMS, ENTITIES, GRAPHS, QUERIES, project_as
from qcg_neo4j.indexing.aura import WEIGHT, send

if TYPE_CHECKING:
    from graphdatascience import Graph as Projected
    from graphdatascience import GraphDataScience

    from qcg_neo4j.indexing.aura import Client

    Ids = Callable[[Iterable[int]], list[str]]

__all__ = ["GRAPHS", "client_of", "project"]
PAGE = 2000
_NODES = {
    QUERIES: ("build/vectors",),
    ENTITIES: ("build/entities_vectors",),
    ATOMS: ("build/entities_vectors", "build/atoms/vectors"),
}


def client_of(graph: Graph) -> GraphDataScience:
    """A client of the graph's own server.

    Raises:
        MissingPackageError: the package graphdatascience is not installed.
    """
    with needs("A client of Graph Data Science", "graphdatascience", "aura"):
        from graphdatascience import GraphDataScience
    database = graph.address.database
    return GraphDataScience(graph.driver, database=database, show_progress=False)


def project(
    graph: Graph,
    what: str,
    client: Client,
    *,
    edge_weight: str = "strength",
    synonyms: bool = True,
    sent: bool | None = None,
) -> tuple[Projected, Ids]:
    """A graph of the client, and a function from numbers of its nodes to our ids; it is yours to drop.

    ``what``: ``queries`` with ``SIMILAR_TO``, directed; ``entities`` with ``RELATED_TO``, a triple counting its
    strength or, by ``edge_weight="duplicates"``, 1; ``atoms`` with the entities that they mention, as `atomic` walks
    on it. Relationships have a ``weight``, nodes their ``embedding``. ``sent``: the graph goes from here to the
    client, which is the default for a session; else the client's server is the graph's, which projects it. Entities
    whose names are long enough for synonyms are also ``Named``.

    Raises:
        SettingsError: ``what`` is none of `GRAPHS`.
        MissingPluginError: the server has no Graph Data Science.
        GraphError: the session refuses.
    """
    if what not in GRAPHS:
        raise SettingsError(f"There is no graph {what!r}.", f"Choose one of {', '.join(GRAPHS)}.")
    chosen: dict[str, Any] = {"edge_weight": edge_weight, "synonyms": synonyms}
    if sent if sent is not None else _is_session(client):
        return _sent(graph, what, client, chosen)
    name = f"{graph.own(f'qcg_client_{what}')}:{secrets.token_hex(4)}"
    project_as(graph, name, what, **chosen)
    return client.graph.get(name), lambda numbers: graph.rows("build/graph_ids", numbers=list(numbers))[0]["ids"]


def _is_session(client: Client) -> bool:
    from graphdatascience.session import AuraGraphDataScience

    return isinstance(client, AuraGraphDataScience)


def _sent(graph: Graph, what: str, client: Client, chosen: dict[str, Any]) -> tuple[Projected, Ids]:
    rows = [row for path in _NODES[what] for page in graph.pages(path, PAGE) for row in page]
    place = {row["element"]: number for number, row in enumerate(rows)}
    relationships = graph.rows("build/graph_relationships | build/graph_ends", graph=what, **chosen)
    nodes = {
        "nodeId": range(len(rows)),
        "labels": [row["labels"] for row in rows],
        "embedding": [list(row["embedding"]) for row in rows],
    }
    edges = {
        "sourceNodeId": [place[row["source"]] for row in relationships],
        "targetNodeId": [place[row["target"]] for row in relationships],
        "relationshipType": [row["type"] for row in relationships],
        WEIGHT: [row["weight"] for row in relationships],
    }
    projected = send(client, nodes, edges, undirected=what != QUERIES)
    return projected, lambda numbers: [rows[number]["id"] for number in numbers]
