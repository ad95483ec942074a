"""Where Leiden partitions: in the database by Graph Data Science, or without it on this side by leidenalg."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol

from qcg_neo4j.build.search import projection
from qcg_neo4j.errors import needs
from qcg_neo4j.graph import Call, Graph

if TYPE_CHECKING:
    import igraph

    from qcg_neo4j.build.communities import CommunitySettings

GDS, HERE = "gds", "leidenalg"
PARTS, WHOLE = "qcg_parts", "qcg_entities"  # kinds of projected graphs
_BEYOND_ALL_NODES = 1_000_000_000_000
_WHOLE_GRAPH, _EVERYWHERE = "", -1
Rows = Sequence[Mapping[str, Any]]


class Leiden(Protocol):
    """Partitions communities into those of the level below, and writes these."""

    name: str

    def partition(self, level: int, parents: Rows) -> Call:
        """The call that writes the communities of a level: those of the parents (id, share of their weight)."""

    def best_modularity(self) -> float:
        """What Leiden reaches on the whole graph when it is not bound to what there was."""


@contextmanager
def leiden(graph: Graph, settings: CommunitySettings) -> Iterator[Leiden]:
    """Leiden of Graph Data Science, where the server has it.

    Raises:
        MissingPackageError: the server has none, and igraph or leidenalg is not installed here.
    """
    if graph.rows("schema/gds"):
        with projection(graph, PARTS) as name:
            yield _InDatabase(graph, settings, name)
    else:
        yield _Here(graph, settings)


def missing_for_leiden(graph: Graph) -> str:
    """Why there is no Leiden; '' where there is one."""
    if graph.rows("schema/gds"):
        return ""
    try:
        import igraph  # noqa: F401
        import leidenalg  # noqa: F401
    except ImportError:
        return "the server has no Graph Data Science, and igraph and leidenalg are not installed"
    return ""


class _InDatabase:
    name = GDS

    def __init__(self, graph: Graph, settings: CommunitySettings, projected: str) -> None:
        self._graph, self._settings, self._projected = graph, settings, projected

    def partition(self, level: int, parents: Rows) -> Call:
        given = {"projection": self._projected, "level": level, "parents": list(parents)}
        return Call("build/communities/partition", {**given, **self._chosen(), **self._taking_part()})

    def best_modularity(self) -> float:
        with projection(self._graph, WHOLE) as name:
            self._graph.run("build/communities/project", projection=name, **self._taking_part())
            found = self._graph.run("build/communities/best_modularity", projection=name, **self._chosen())
        return float(found[0]["modularity"])

    def _chosen(self) -> dict[str, Any]:
        return {"gamma": float(self._settings.resolution), "seed": self._settings.random_seed}

    def _taking_part(self) -> dict[str, Any]:
        return {"isolated": self._settings.isolated_entities, "first_id": _BEYOND_ALL_NODES}


class _Here:
    name = HERE

    def __init__(self, graph: Graph, settings: CommunitySettings) -> None:
        with needs("Finding communities without Graph Data Science", "leidenalg", "communities"):
            import igraph
            import leidenalg
        self._graph, self._settings = graph, settings
        self._igraph, self._leidenalg = igraph, leidenalg

    def partition(self, level: int, parents: Rows) -> Call:
        shares = {parent["id"]: parent["share"] for parent in parents}
        given = []
        for parent, network in self._networks(level, list(shares)):
            membership = self._membership(network, shares[parent])
            parts: dict[int, list[str]] = {}
            for name, part in zip(network.vs["name"], membership, strict=True):
                parts.setdefault(part, []).append(name)
            given.append({"id": parent, "parts": list(parts.values())})
        return Call("build/communities/keep", {"level": level, "parents": given})

    def best_modularity(self) -> float:
        resolution = float(self._settings.resolution)
        for _, network in self._networks(_EVERYWHERE, [_WHOLE_GRAPH]):
            weights = network.es["weight"]
            if sum(weights) > 0:
                found = network.modularity(self._membership(network, 1.0), weights=weights, resolution=resolution)
                return float(found)
        return 0.0

    def _networks(self, level: int, parents: list[str]) -> Iterator[tuple[str, igraph.Graph]]:
        isolated = self._settings.isolated_entities
        rows = self._graph.rows("build/communities/part", level=level, parents=parents, isolated=isolated)
        for parent, part in groupby(rows, lambda row: str(row["parent"])):
            yield parent, self._network(list(part))

    def _network(self, rows: Rows) -> igraph.Graph:
        place = {row["entity"]: number for number, row in enumerate(rows)}
        edges = [(place[row["entity"]], place[other], weight) for row in rows for other, weight in row["others"]]
        network = self._igraph.Graph(len(rows), [edge[:2] for edge in edges])
        network.vs["name"], network.es["weight"] = list(place), [edge[2] for edge in edges]
        return network

    def _membership(self, network: igraph.Graph, share: float) -> list[int]:
        """The part of each entity. Of a rest, the share of its own weight keeps the resolution that the whole has."""
        if sum(network.es["weight"]) <= 0:
            return list(range(network.vcount()))
        found = self._leidenalg.find_partition(
            network,
            self._leidenalg.RBConfigurationVertexPartition,
            weights="weight",
            resolution_parameter=self._settings.resolution * share,
            n_iterations=-1,
            seed=self._settings.random_seed,
        )
        return list(found.membership)
