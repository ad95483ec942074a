"""Where Leiden partitions: in the database by Graph Data Science, on this side by leidenalg, or in a rented session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol

from qcg_neo4j.aura import WEIGHT, AuraSettings, Size, drop, open_session, project, translated
from qcg_neo4j.build.search import projection
from qcg_neo4j.errors import MissingPluginError, SettingsError, needs
from qcg_neo4j.graph import Call, Graph

if TYPE_CHECKING:
    import igraph
    from graphdatascience import Graph as Projected

    from qcg_neo4j.aura import Client
    from qcg_neo4j.build.communities import CommunitySettings

AUTO, GDS, HERE, SESSION = "auto", "gds", "leidenalg", "session"
BY = (AUTO, GDS, HERE, SESSION)  # who may be chosen; AUTO is GDS where the server has it, else leidenalg
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


def leiden(
    graph: Graph, settings: CommunitySettings, by: str = AUTO, aura: AuraSettings | None = None
) -> AbstractContextManager[Leiden]:
    """Leiden as chosen; ``aura`` is whose session it is, those of the environment unless given.

    Raises:
        SettingsError: ``by`` is none of `BY`, or what a session needs is not given.
        MissingPluginError: the server has no Graph Data Science.
        MissingPackageError: a package that is needed on this side is not installed.
        GraphError: Aura opens no session; its kinds say why.
    """
    if by not in BY:
        raise SettingsError(f"by is {by!r}, but must be one of {', '.join(BY)}.")
    if by == SESSION:
        return _session(graph, settings, aura)
    has_gds = bool(graph.rows("schema/gds"))
    if by == GDS and not has_gds:
        raise MissingPluginError(
            "The server has no Graph Data Science.",
            "Install it, or find communities by leidenalg, which needs no plug-in.",
        )
    return _in_database(graph, settings) if has_gds and by != HERE else _here(graph, settings)


@contextmanager
def _in_database(graph: Graph, settings: CommunitySettings) -> Iterator[Leiden]:
    with projection(graph, PARTS) as name:
        yield _InDatabase(graph, settings, name)


@contextmanager
def _here(graph: Graph, settings: CommunitySettings) -> Iterator[Leiden]:
    yield _Here(graph, settings)


@contextmanager
def _session(graph: Graph, settings: CommunitySettings, aura: AuraSettings | None) -> Iterator[Leiden]:
    there = graph.rows("retrieve/parts/atomic_state")[0]
    size = Size(there["entities"], 2 * there["triples"])
    with open_session(size, "community-detection", aura, graph.tell) as client:
        yield ByClient(graph, settings, client)


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


@dataclass(frozen=True)
class _Part:
    """What is to be partitioned: a community, its entities, and their relations by their places."""

    parent: str
    entities: list[str]
    relations: list[tuple[int, int, float]]


class _Elsewhere:
    """What the two have in common that partition outside of the database: how parts are read, and what is written."""

    def __init__(self, graph: Graph, settings: CommunitySettings) -> None:
        self._graph, self._settings = graph, settings

    def partition(self, level: int, parents: Rows) -> Call:
        shares = {parent["id"]: parent["share"] for parent in parents}
        given = []
        read = list(self._parts(level, list(shares)))
        for part, membership in zip(read, self._memberships(read, shares), strict=True):
            found: dict[int, list[str]] = {}
            for entity, community in zip(part.entities, membership, strict=True):
                found.setdefault(community, []).append(entity)
            given.append({"id": part.parent, "parts": list(found.values())})
        return Call("build/communities/keep", {"level": level, "parents": given})

    def _memberships(self, parts: Sequence[_Part], shares: Mapping[str, float]) -> Iterator[Sequence[int]]:
        """The community of each entity, part by part.

        Of a rest, the share of its own weight keeps the resolution that the whole has.
        """
        raise NotImplementedError

    def _parts(self, level: int, parents: list[str]) -> Iterator[_Part]:
        isolated = self._settings.isolated_entities
        rows = self._graph.rows("build/communities/part", level=level, parents=parents, isolated=isolated)
        for parent, found in groupby(rows, lambda row: str(row["parent"])):
            part = list(found)
            place = {entity: number for number, entity in enumerate(self._ordered(part))}
            relations = [
                (place[row["entity"]], place[other], weight) for row in part for other, weight in row["others"]
            ]
            yield _Part(parent, list(place), relations)

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
        resolution = float(self._settings.resolution)
        for part in self._parts(_EVERYWHERE, [_WHOLE_GRAPH]):
            network = self._network(part)
            weights = network.es["weight"]
            if sum(weights) > 0:
                return float(network.modularity(self._membership(network, 1.0), weights=weights, resolution=resolution))
        return 0.0

    def _memberships(self, parts: Sequence[_Part], shares: Mapping[str, float]) -> Iterator[Sequence[int]]:
        for part in parts:
            yield self._membership(self._network(part), shares[part.parent])

    def _network(self, part: _Part) -> igraph.Graph:
        network = self._igraph.Graph(len(part.entities), [relation[:2] for relation in part.relations])
        network.es["weight"] = [relation[2] for relation in part.relations]
        return network

    def _membership(self, network: igraph.Graph, share: float) -> list[int]:
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


class ByClient(_Elsewhere):
    """By a client of Graph Data Science, which need not be that of the database: what is to be partitioned is sent."""

    name = SESSION

    def __init__(self, graph: Graph, settings: CommunitySettings, client: Client) -> None:
        super().__init__(graph, settings)
        self._client = client

    def best_modularity(self) -> float:
        """What Leiden reaches on the whole graph."""
        gamma = float(self._settings.resolution)
        with self._projected(list(self._parts(_EVERYWHERE, [_WHOLE_GRAPH]))) as projected, translated():
            return float(self._client.leiden.stats(projected, gamma=gamma, **self._chosen()).modularity)

    def _ordered(self, rows: Rows) -> Iterable[str]:
        # As a projection of these rows in the database meets them, for Leiden depends on that.
        return dict.fromkeys(one for row in rows for one in (row["entity"], *(other for other, _ in row["others"])))

    def _memberships(self, parts: Sequence[_Part], shares: Mapping[str, float]) -> Iterator[Sequence[int]]:
        before = 0
        with self._projected(parts) as projected:
            for place, part in enumerate(parts):
                gamma = self._settings.resolution * shares[part.parent]
                chosen = {"node_labels": [f"P{place}"], "gamma": gamma, **self._chosen()}
                with translated():
                    rows = self._client.leiden.stream(projected, **chosen)
                found = dict(zip(rows["nodeId"].tolist(), rows["communityId"].tolist(), strict=True))
                yield [found[before + number] for number in range(len(part.entities))]
                before += len(part.entities)

    @contextmanager
    def _projected(self, parts: Sequence[_Part]) -> Iterator[Projected]:
        """All of them in one graph, each under a label of its own: sending takes longer than Leiden does."""
        labels: list[str] = []
        relations: list[tuple[int, int, float]] = []
        for place, part in enumerate(parts):
            before = len(labels)
            relations += [(before + source, before + target, weight) for source, target, weight in part.relations]
            labels += [f"P{place}"] * len(part.entities)
        projected = project(self._client, labels, relations)
        try:
            yield projected
        finally:
            drop(self._client, projected)

    def _chosen(self) -> dict[str, Any]:
        return {"random_seed": self._settings.random_seed, "concurrency": 1, "relationship_weight_property": WEIGHT}
