"""Personalized PageRank: forward push and GDS in the database, and igraph in a Python process, by graph size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bench import atom_graph, own
from bench.atom_graph import AtomGraph, Seeds
from bench.figures import Measured, Result, TimedSettings, compared, growing, in_turns
from bench.measurement import measurement, numbers
from qcg_neo4j.cli.terminal import progress_bar
from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.projection import ATOMS, project_as

if TYPE_CHECKING:
    import igraph

PUSH = "qcg.pageRank.push"
GDS, IGRAPH = "gds.pageRank.stream", "python-igraph in this process"
PROJECTION = "qcg_bench_atoms"
BEST = 25
GDS_ROUNDS = 200  # until less than 1e-8 of the walk is left, at dampings up to 0.9
NEAR = 1e-5  # how far scores may be apart that should be the same: GDS counts in rounds, push within its tolerance
TOPICS_AT_ONCE = 5

Found = list[tuple[str, float]]


@dataclass(frozen=True)
class PageRankSettings(TimedSettings):
    """Latency of personalized PageRank on synthetic atom-entity graphs."""

    damping: float = setting(0.3, "Probability that a walk follows an edge.", minimum=0.0, maximum=0.99)
    tolerance: float = setting(
        1e-8, "By how much push may fall short, per unit of weighted degree.", minimum=1e-15, maximum=1.0
    )
    coarse_tolerance: float = setting(1e-5, "The same for push once more.", minimum=1e-15, maximum=1.0)


@measurement(PageRankSettings, numbers("--sizes", "10000,100000,1000000", "Numbers of edges in the graph, rising."))
def page_rank(graph: Graph, sizes: Sequence[int], settings: PageRankSettings) -> Result:
    """Time personalized PageRank: forward push and GDS in the database, and igraph in this process.

    Raises:
        InputError: the sizes do not rise.
        GraphError: two ways do not find the same.
    """
    synthetic, client = AtomGraph(settings.seed), InProcess()
    rows: list[Measured] = []
    for size, topics in growing(sizes, atom_graph.EDGES):
        with progress_bar(f"Writing {size:,} edges") as progress:
            _fill(graph, client, synthetic, topics, progress)
        walks = synthetic.seeds(settings.questions + settings.warm_up, topics.stop)
        graph.run("build/drop_projection", projection=PROJECTION)
        project_as(graph, PROJECTION, ATOMS, vectors=False)
        try:
            with progress_bar(f"Walking over {size:,} edges") as progress:
                rows += _measured(graph, client, walks, settings, topics.stop * atom_graph.EDGES, progress)
        finally:
            graph.run("build/drop_projection", projection=PROJECTION)
    return Result("Personalized PageRank", "ms", "edges", PUSH, tuple(rows), tuple(_notes(settings)))


class InProcess:
    """The same graph in this process, as AtomicRAG's own code holds it."""

    def __init__(self) -> None:
        import igraph

        self._graph: igraph.Graph = igraph.Graph()
        self._places: dict[str, int] = {}
        self._atoms: list[int] = []

    def add(self, names: Sequence[str], edges: Sequence[atom_graph.Edge]) -> None:
        """Add nodes, and edges between nodes that are there."""
        for name in names:
            self._places[name] = len(self._places)
            if name.startswith("a"):
                self._atoms.append(self._places[name])
        self._graph.add_vertices(len(names), {"name": list(names)})
        pairs = [(self._places[one], self._places[other]) for one, other, _ in edges]
        self._graph.add_edges(pairs, {"weight": [weight for _, _, weight in edges]})

    def walk(self, seeds: Seeds, damping: float) -> Found:
        """The best atoms by igraph's PageRank."""
        reset = np.zeros(len(self._places))
        for name, weight in seeds.items():
            reset[self._places[name]] = weight
        ranks = np.array(
            self._graph.personalized_pagerank(
                directed=False, damping=damping, reset=reset.tolist(), weights="weight", implementation="prpack"
            )
        )
        scores = ranks[self._atoms]
        best = np.argsort(-scores, kind="stable")[:BEST]
        return [(str(self._graph.vs[self._atoms[place]]["name"]), float(scores[place])) for place in best]


def _fill(graph: Graph, client: InProcess, synthetic: AtomGraph, numbers: range, progress: Progress) -> None:
    for start in range(numbers.start, numbers.stop, TOPICS_AT_ONCE):
        topics = range(start, min(start + TOPICS_AT_ONCE, numbers.stop))
        atoms = [name for topic in topics for name in synthetic.atoms(topic)]
        entities = [name for topic in topics for name in synthetic.entities(topic)]
        mentions = [edge for topic in topics for edge in synthetic.mentions(topic)]
        pairs = [synthetic.pairs(topic) for topic in topics]
        triples = [edge for found, _ in pairs for edge in found]
        synonyms = [edge for _, found in pairs for edge in found]
        graph.write(
            Call(own("aeg_nodes"), {"atoms": atoms, "entities": entities}),
            Call(own("aeg_mentions"), {"rows": [{"source": one, "target": other} for one, other, _ in mentions]}),
            Call(own("aeg_pairs"), {"rows": atom_graph.rows(triples, scored=False)}),
            Call(own("aeg_pairs"), {"rows": atom_graph.rows(synonyms, scored=True)}),
        )
        client.add([*atoms, *entities], [*mentions, *triples, *synonyms])
        progress(topics.stop - numbers.start, len(numbers))


def contestants(graph: Graph, client: InProcess, settings: PageRankSettings) -> dict[str, Callable[[Seeds], Found]]:
    """All that is compared: the same walk three ways, and push once more that stops earlier."""

    def asked(path: str, **parameters: Any) -> Callable[[Seeds], Found]:
        def ask(seeds: Seeds) -> Found:
            rows = graph.rows(path, seeds=_rows(seeds), damping=settings.damping, **parameters)
            return [(row["id"], row["score"]) for row in rows]

        return ask

    return {
        PUSH: asked(own("page_rank_by_push"), tolerance=settings.tolerance),
        _coarse(settings): asked(own("page_rank_by_push"), tolerance=settings.coarse_tolerance),
        GDS: asked(own("page_rank_by_gds"), projection=PROJECTION, iterations=GDS_ROUNDS),
        IGRAPH: lambda seeds: client.walk(seeds, settings.damping),
    }


def _rows(seeds: Seeds) -> list[dict[str, object]]:
    return [{"id": name, "weight": weight} for name, weight in seeds.items()]


def _coarse(settings: PageRankSettings) -> str:
    return f"{PUSH}, tolerance {settings.coarse_tolerance:g}"


def _measured(
    graph: Graph, client: InProcess, walks: Sequence[Seeds], settings: PageRankSettings, size: int, progress: Progress
) -> list[Measured]:
    ways = contestants(graph, client, settings)
    times, found = in_turns(ways, walks, settings.warm_up, progress)
    _check(found, size)
    timed = walks[settings.warm_up :]
    reach = {
        PUSH: _reach(graph, timed, settings.damping, settings.tolerance),
        _coarse(settings): _reach(graph, timed, settings.damping, settings.coarse_tolerance),
    }
    return compared(times, size, PUSH, reach)


def _reach(graph: Graph, walks: Sequence[Seeds], damping: float, tolerance: float) -> float:
    found = [
        graph.rows(own("page_rank_reach"), seeds=_rows(seeds), damping=damping, tolerance=tolerance)[0]
        for seeds in walks[:10]
    ]
    return float(np.mean([row["nodes"] for row in found]))


def _check(found: dict[str, list[Found]], size: int) -> None:
    """Push, GDS and igraph must have found atoms of the same scores."""
    for name in (GDS, IGRAPH):
        for ours, theirs in zip(found[PUSH], found[name], strict=True):
            far = [abs(mine - other) > NEAR for (_, mine), (_, other) in zip(ours, theirs, strict=True)]
            if not ours or any(far):
                raise GraphError(f"{name} at {size:,} edges found other atoms than {PUSH}.")


def _notes(settings: PageRankSettings) -> Iterator[str]:
    yield (
        f"Synthetic atom-entity graphs, seed {settings.seed}: {atom_graph.ATOMS} atoms and {atom_graph.ENTITIES} "
        f"entities to {atom_graph.MENTIONS} mentions, {atom_graph.TRIPLES} triples and {atom_graph.SYNONYMS} "
        "synonyms, as of a medical textbook."
    )
    yield (
        f"{settings.questions} walks after {settings.warm_up} untimed ones, each done every way, from "
        f"{atom_graph.ENTITY_SEEDS} entities and {atom_graph.ATOM_SEEDS} atoms with weights; damping "
        f"{settings.damping}; the {BEST} best atoms are returned. Times include the round trip; igraph has none, and "
        "holds the graph in this process."
    )
    yield (
        f'"returned" is how many nodes push gives a score (mean); its tolerance is {settings.tolerance:g} unless said. '
        "All found atoms of the same scores. What push has in memory is made beforehand, untimed, as is what GDS has."
    )
