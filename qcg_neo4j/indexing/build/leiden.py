"""Where Leiden partitions: in the database by Graph Data Science, on this side by leidenalg, or in a rented session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from qcg_neo4j.core.errors import MissingPluginError, SettingsError, needs
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.projection import projection
from qcg_neo4j.indexing.aura import WEIGHT, Size, open_session, send, translated

if TYPE_CHECKING:
    import igraph
    from graphdatascience import Graph as Projected

    from qcg_neo4j.indexing.aura import Client
    from qcg_neo4j.indexing.build.settings import CommunitySettings

AUTO, GDS, HERE, SESSION = "auto", "gds", "leidenalg", "session"
BY = (AUTO, GDS, HERE, SESSION)  # who may be chosen; AUTO is GDS where the server has it, else leidenalg
PARTS, WHOLE = "qcg_parts", "qcg_entities"  # kinds of projected graphs
_BEYOND_ALL_NODES = 1_000_000_000_000
_WHOLE_GRAPH, _EVERYWHERE = "", -1
_TOLERANCE = 1e-4  # by what modularity has to rise for another round: the default of Graph Data Science
Rows = Sequence[Mapping[str, Any]]


class Leiden:
    """Partitions communities into those of the level below, and writes these."""

    name: ClassVar[str]

    def __init__(self, graph: Graph, settings: CommunitySettings) -> None:
        self._graph, self._settings = graph, settings
        self._taking_part = {"isolated": settings.isolated_entities, "edge_weight": settings.edge_weight}

    def partition(self, level: int, parents: Rows) -> Call:
        """The call that writes the communities of a level: those of the parents (id, weight, share that counts)."""
        raise NotImplementedError

    def best_modularity(self) -> float:
        """What Leiden reaches on the whole graph when it is not bound to what there was."""
        raise NotImplementedError


@contextmanager
def leiden(graph: Graph, settings: CommunitySettings, by: str = AUTO) -> Iterator[Leiden]:
    """Leiden as chosen.

    Raises:
        SettingsError: ``by`` is none of `BY`, or what a session needs is not given.
        MissingPluginError: the server has no Graph Data Science.
        MissingPackageError: a package that is needed on this side is not installed.
        GraphError: Aura opens no session; its kinds say why.
    """
    if by not in BY:
        raise SettingsError(f"by is {by!r}, but must be one of {', '.join(BY)}.")
    if by == SESSION:
        there = graph.rows("retrieve/atomic/state")[0]
        size = Size(there["entities"], 2 * there["triples"])
        with open_session(size, "community-detection", tell=graph.tell) as client:
            yield ByClient(graph, settings, client)
        return
    has_gds = bool(graph.rows("schema/gds"))
    if by == GDS and not has_gds:
        raise MissingPluginError(
            "The server has no Graph Data Science.",
            "Install it, or find communities by leidenalg, which needs no plug-in.",
        )
    if by == HERE or not has_gds:
        yield _Here(graph, settings)
        return
    with projection(graph, PARTS) as name:
        yield _InDatabase(graph, settings, name)


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


@dataclass(frozen=True)
class _Together:
    """Communities that Leiden partitions as one graph, without relations between them, each as it would be alone.

    Alone, the parts of a community of weight w have the modularity sum(inside / w - gamma * (degrees / 2w)^2). The
    graph of all has one weight for all of them, so relations get the factor that gives each community the same
    weight, and gamma is times as high as there are communities. Where some of a community's entities stay in parts
    that they have, the share of its weight that is between the others counts, which keeps the resolution.
    """

    parents: list[dict[str, Any]]  # id, factor
    times: float
    tolerance: float

    @classmethod
    def of(cls, parents: Rows) -> _Together:
        weighted = [parent for parent in parents if parent["weight"] > 0]
        times = sum(parent["share"] for parent in weighted)
        usual = sum(parent["share"] * parent["weight"] for parent in weighted) / times if times else 1.0
        given = [
            {"id": parent["id"], "factor": usual / parent["weight"] if parent["weight"] > 0 else 1.0}
            for parent in parents
        ]
        return cls(given, times, _TOLERANCE / max(len(given), 1))


class _InDatabase(Leiden):
    name = GDS

    def __init__(self, graph: Graph, settings: CommunitySettings, projected: str) -> None:
        super().__init__(graph, settings)
        self._projected = projected
        self._taking_part |= {"first_id": _BEYOND_ALL_NODES}

    def partition(self, level: int, parents: Rows) -> Call:
        together = _Together.of(parents)
        given = {"projection": self._projected, "level": level, "parents": together.parents}
        chosen = {**self._chosen(together.times), "tolerance": together.tolerance}
        return Call("build/communities/partition", {**given, **chosen, **self._taking_part})

    def best_modularity(self) -> float:
        with projection(self._graph, WHOLE) as name:
            self._graph.run("build/communities/project", projection=name, **self._taking_part)
            found = self._graph.run("build/communities/best_modularity", projection=name, **self._chosen(1.0))
        return float(found[0]["modularity"])

    def _chosen(self, times: float) -> dict[str, Any]:
        return {"gamma": float(self._settings.resolution) * times, "seed": self._settings.random_seed}


@dataclass(frozen=True)
class _Network:
    """What is to be partitioned: entities with the communities that they are in, relations by the places of these."""

    entities: list[str]
    parents: list[str]
    relations: list[tuple[int, int, float]]


class _Elsewhere(Leiden):
    """What the two have in common that partition outside of the database: how it is read, and what is written."""

    def partition(self, level: int, parents: Rows) -> Call:
        together = _Together.of(parents)
        network = self._read(level, together.parents)
        found: dict[str, dict[int, list[str]]] = {}
        memberships = self._memberships(network, together)
        for entity, parent, community in zip(network.entities, network.parents, memberships, strict=True):
            found.setdefault(parent, {}).setdefault(community, []).append(entity)
        given = [{"id": parent, "parts": list(parts.values())} for parent, parts in found.items()]
        return Call("build/communities/keep", {"level": level, "parents": given})

    def _memberships(self, network: _Network, together: _Together) -> Sequence[int]:
        """The community of each entity."""
        raise NotImplementedError

    def _read(self, level: int, parents: Rows) -> _Network:
        factors = {parent["id"]: parent["factor"] for parent in parents}
        rows = self._graph.rows("build/communities/part", level=level, parents=list(factors), **self._taking_part)
        place = {entity: number for number, entity in enumerate(self._ordered(rows))}
        owners = {row["entity"]: row["parent"] for row in rows}
        relations = [
            (place[row["entity"]], place[other], weight * factors[row["parent"]])
            for row in rows
            for other, weight in row["others"]
        ]
        return _Network(list(place), [owners[entity] for entity in place], relations)

    def _all(self) -> _Network:
        return self._read(_EVERYWHERE, [{"id": _WHOLE_GRAPH, "factor": 1.0}])

    def _ordered(self, rows: Rows) -> Iterable[str]:
        return (row["entity"] for row in rows)


class _Here(_Elsewhere):
    name = HERE

    def __init__(self, graph: Graph, settings: CommunitySettings) -> None:
        with needs("Finding communities without Graph Data Science", "leidenalg", "communities"):
            import igraph
            import leidenalg
        super().__init__(graph, settings)
        self._igraph, self._leidenalg = igraph, leidenalg

    def best_modularity(self) -> float:
        network = self._made(self._all())
        weights = network.es["weight"]
        if sum(weights) <= 0:
            return 0.0
        resolution = float(self._settings.resolution)
        return float(network.modularity(self._found(network, resolution), weights=weights, resolution=resolution))

    def _memberships(self, network: _Network, together: _Together) -> Sequence[int]:
        return self._found(self._made(network), self._settings.resolution * together.times)

    def _made(self, network: _Network) -> igraph.Graph:
        made = self._igraph.Graph(len(network.entities), [relation[:2] for relation in network.relations])
        made.es["weight"] = [relation[2] for relation in network.relations]
        return made

    def _found(self, network: igraph.Graph, resolution: float) -> list[int]:
        if sum(network.es["weight"]) <= 0:
            return list(range(network.vcount()))
        found = self._leidenalg.find_partition(
            network,
            self._leidenalg.RBConfigurationVertexPartition,
            weights="weight",
            resolution_parameter=resolution,
            n_iterations=-1,
            seed=self._settings.random_seed,
        )
        return list(found.membership)


class ByClient(_Elsewhere):
    """By a client of Graph Data Science, which need not be that of the database: what is to be partitioned is sent."""

    name = SESSION

    def __init__(self, graph: Graph, settings: CommunitySettings, client: Client) -> None:
        super().__init__(graph, settings)
        self._client = client

    def best_modularity(self) -> float:
        """What Leiden reaches on the whole graph."""
        with self._projected(self._all()) as projected, translated():
            return float(self._client.leiden.stats(projected, **self._chosen(1.0)).modularity)

    def _ordered(self, rows: Rows) -> Iterable[str]:
        # As a projection of these rows in the database meets them, for Leiden depends on that.
        return dict.fromkeys(one for row in rows for one in (row["entity"], *(other for other, _ in row["others"])))

    def _memberships(self, network: _Network, together: _Together) -> Sequence[int]:
        chosen = {**self._chosen(together.times), "tolerance": together.tolerance}
        with self._projected(network) as projected, translated():
            rows = self._client.leiden.stream(projected, **chosen)
        found = dict(zip(rows["nodeId"].tolist(), rows["communityId"].tolist(), strict=True))
        return [found[number] for number in range(len(network.entities))]

    @contextmanager
    def _projected(self, network: _Network) -> Iterator[Projected]:
        nodes = len(network.entities)
        # Behind them are two joined nodes: Leiden of GDS 2.26 breaks where no node moves at all, and a graph without
        # relationships would have no weight.
        sources, targets, weights = zip(*network.relations, (nodes, nodes + 1, 1e-6), strict=True)
        relationships = {"sourceNodeId": sources, "targetNodeId": targets, WEIGHT: weights}
        projected = send(self._client, {"nodeId": range(nodes + 2)}, relationships)
        try:
            yield projected
        finally:
            with translated():
                self._client.graph.drop(projected, fail_if_missing=False)

    def _chosen(self, times: float) -> dict[str, Any]:
        gamma = float(self._settings.resolution) * times
        return {
            "gamma": gamma,
            "random_seed": self._settings.random_seed,
            "concurrency": 1,
            "relationship_weight_property": WEIGHT,
        }
