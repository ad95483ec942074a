"""AtomicRAG's walk in a session of Aura Graph Analytics: opened and sent the graph once, for many questions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.database.changes import Rows
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.aura import WEIGHT, AuraSettings, Size, drop, open_session, project, translated

if TYPE_CHECKING:
    from graphdatascience import Graph as Projected

    from qcg_neo4j.indexing.aura import Client
    from qcg_neo4j.retrieval.method import Method

SESSION = "session"  # the propagation
ATOM, ENTITY = "Atom", "Entity"
_NEGLIGIBLE = 1e-8  # what the last round may still move, of all
_FEWEST_ROUNDS = 20  # the default of GDS
Node = tuple[str, str]  # ATOM or ENTITY, and the id


@contextmanager
def session_walk(graph: Graph, settings: AuraSettings | None = None) -> Iterator[None]:
    """While the block lasts, ``propagation = "session"`` walks in a session, which is deleted at its end.

    ``settings`` are those of the environment unless given.

    Raises:
        MissingPackageError: the package graphdatascience is not installed.
        SettingsError: there are no credentials, or it is not said where the session is to be.
        GraphError: Aura opens no session; its kinds say why.
    """
    there = graph.rows("retrieve/parts/atomic_state")[0]
    joined = there["mentions"] + there["triples"] + there["synonyms"]
    size = Size(there["atoms"] + there["entities"], 2 * joined)
    with open_session(size, "centrality", settings, graph.tell) as client, walking(graph, client):
        yield


@contextmanager
def walk_for(graph: Graph, methods: Iterable[Method]) -> Iterator[None]:
    """`session_walk` where the settings of one of the methods ask for it, else nothing."""
    asked = any(getattr(method.settings, "propagation", None) == SESSION for method in methods)
    with session_walk(graph) if asked else nullcontext():
        yield


@contextmanager
def walking(graph: Graph, client: Client) -> Iterator[None]:
    """While the block lasts, ``propagation = "session"`` walks where this client computes."""
    walk = SessionWalk(client)
    graph.session_walk = walk
    try:
        yield
    finally:
        graph.session_walk = None
        walk.forget()


@dataclass(frozen=True)
class _Sent:
    """The graph as it was sent: in which state, its nodes in their places, and what it has become there."""

    state: str
    nodes: Sequence[Node]
    projected: Projected


class SessionWalk:
    """PageRank by a client of Graph Data Science; a graph that has changed is sent anew."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._sent: dict[bool, _Sent] = {}  # with synonyms, and without
        self._one_at_a_time = Lock()  # sub-questions that are asked side by side would each send it

    def found(self, graph: Graph, seeds: Mapping[Node, float], damping: float, synonyms: bool, atoms: int) -> Rows:
        """The best atoms, as ``retrieve/parts/atomic_push`` gives them: id, score, weight as a seed."""
        total = sum(seeds.values())
        if not total:
            return []  # GDS would take that for all nodes
        shares = {node: weight / total for node, weight in seeds.items()}
        with self._one_at_a_time:
            sent = self._present(graph, synonyms)
            scores = self._scores(sent, shares, damping)
        best = sorted((-score, *node[::-1]) for node, score in scores if node[0] == ATOM)[:atoms]
        return [{"id": id_, "score": -minus, "weight": shares.get((kind, id_), 0.0)} for minus, id_, kind in best]

    def forget(self) -> None:
        """Drop what was sent."""
        while self._sent:
            drop(self._client, self._sent.popitem()[1].projected)

    def _scores(self, sent: _Sent, shares: Mapping[Node, float], damping: float) -> list[tuple[Node, float]]:
        sources = [(place, shares[node]) for place, node in enumerate(sent.nodes) if node in shares]
        with translated():
            found = self._client.page_rank.stream(
                sent.projected,
                damping_factor=damping,
                max_iterations=rounds(damping),
                tolerance=1e-10,
                relationship_weight_property=WEIGHT,
                source_nodes=sources,
            )
        scores = zip(found["nodeId"].tolist(), found["score"].tolist(), strict=True)
        return [(sent.nodes[place], score) for place, score in scores if score > 0 and place < len(sent.nodes)]

    def _present(self, graph: Graph, synonyms: bool) -> _Sent:
        """The graph in its present state, sent unless it has been."""
        state = graph.rows("retrieve/parts/atomic_state")[0]["state"]
        sent = self._sent.get(synonyms)
        if sent is not None and sent.state != state:
            drop(self._client, self._sent.pop(synonyms).projected)
            sent = None
        if sent is None:
            sent = self._sent[synonyms] = self._send(graph, state, synonyms)
        return sent

    def _send(self, graph: Graph, state: str, synonyms: bool) -> _Sent:
        rows = graph.rows("retrieve/parts/atomic_graph", synonyms=synonyms)
        nodes = [(row["kind"], row["id"]) for row in rows]
        places = {node: place for place, node in enumerate(nodes)}
        edges = [
            (place, places[ENTITY, other], weight)
            for place, row in enumerate(rows)
            for other, weight in row["entities"]
        ]
        return _Sent(state, nodes, project(self._client, len(nodes), edges))


def needed_walk(graph: Graph) -> SessionWalk:
    """The walk of the graph.

    Raises:
        SettingsError: there is none.
    """
    walk = graph.session_walk
    if not isinstance(walk, SessionWalk):
        raise SettingsError(
            "The propagation 'session' walks in a session of Aura Graph Analytics, and none is open.",
            "`qcg retrieve` and `qcg evaluate retrieval` open one; in Python: `with session_walk(graph): …`.",
        )
    return walk


def rounds(damping: float) -> int:
    """So many rounds that what is left of the walk after them is negligible, as in the plug-in."""
    needed, left = 0, 1.0
    while left > _NEGLIGIBLE and damping > 0:
        needed, left = needed + 1, left * damping
    return max(_FEWEST_ROUNDS, needed)
