"""Personalized PageRank: forward push and GDS in the database, and igraph in a Python process, by graph size."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from qcg_neo4j.bench import aeg
from qcg_neo4j.bench.aeg import AtomGraph, Seeds
from qcg_neo4j.bench.result import Measured, Result, ratio, spread
from qcg_neo4j.bench.retrieve import Phase, facts, quiet
from qcg_neo4j.bench.settings import PageRankBenchSettings
from qcg_neo4j.errors import GraphError, InputError, MissingPackageError
from qcg_neo4j.graph import Call, Graph
from qcg_neo4j.progress import Progress

if TYPE_CHECKING:
    import igraph

PUSH, GDS, IGRAPH = "qcg.pageRank.push", "gds.pageRank.stream", "python-igraph in this process"
PROJECTION = "qcg_bench_atoms"
BEST = 25
NEGLIGIBLE = 1e-8  # what the last round of GDS may still move, of all
NEAR = 1e-5  # how far scores may be apart that should be the same: GDS counts in rounds, push within its tolerance
TOPICS_AT_ONCE = 5

Found = list[tuple[str, float]]


def bench_page_rank(
    graph: Graph, sizes: Sequence[int], settings: PageRankBenchSettings, phase: Phase = quiet, command: str = ""
) -> Result:
    """Fill the empty database to each number of edges in turn, and time every walk there each way, warm.

    Raises:
        InputError: the sizes do not rise.
        MissingPackageError: igraph is not installed.
        GraphError: two ways do not find the same.
    """
    if not sizes or sorted(set(sizes)) != list(sizes) or sizes[0] < 1:
        raise InputError(f"The sizes {list(sizes)} do not rise.", "Give numbers of edges such as 10000,100000.")
    synthetic, client = AtomGraph(settings.seed), InProcess()
    measured: list[Measured] = []
    topics = 0
    for size in sizes:
        wanted = max(1, -(-size // aeg.EDGES))
        with phase(f"Writing {size:,} edges") as progress:
            _fill(graph, client, synthetic, range(topics, wanted), progress)
        topics = wanted
        walks = synthetic.seeds(settings.questions + settings.warm_up, topics)
        graph.run("build/drop_projection", projection=PROJECTION)
        graph.run("build/project_atoms", projection=PROJECTION, synonyms=True)
        try:
            with phase(f"Walking over {size:,} edges") as progress:
                measured += _measured(graph, client, walks, settings, topics * aeg.EDGES, progress)
        finally:
            graph.run("build/drop_projection", projection=PROJECTION)
    notes = tuple(_notes(settings))
    return Result("Personalized PageRank", "ms", "edges", PUSH, tuple(measured), facts(graph), notes, command)


class InProcess:
    """The same graph in this process, as AtomicRAG's own code holds it."""

    def __init__(self) -> None:
        try:
            import igraph
        except ImportError:
            raise MissingPackageError(
                "The comparison needs the package igraph.", "pip install 'qcg-neo4j[bench]'"
            ) from None
        self._graph: igraph.Graph = igraph.Graph()
        self._places: dict[str, int] = {}
        self._atoms: list[int] = []

    def add(self, names: Sequence[str], edges: Sequence[aeg.Edge]) -> None:
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
        for name, weight in seeds.weights.items():
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
            Call("bench/aeg_nodes", {"atoms": atoms, "entities": entities}),
            Call("bench/aeg_mentions", {"rows": [{"source": one, "target": other} for one, other, _ in mentions]}),
            Call("bench/aeg_pairs", {"rows": aeg.rows(triples, scored=False)}),
            Call("bench/aeg_pairs", {"rows": aeg.rows(synonyms, scored=True)}),
        )
        client.add([*atoms, *entities], [*mentions, *triples, *synonyms])
        progress(topics.stop - numbers.start, len(numbers))


def contestants(
    graph: Graph, client: InProcess, settings: PageRankBenchSettings
) -> dict[str, Callable[[Seeds], Found]]:
    """All that is compared: the same walk three ways, and push once more that stops earlier."""

    def asked(path: str, **parameters: Any) -> Callable[[Seeds], Found]:
        def ask(seeds: Seeds) -> Found:
            rows = graph.rows(path, seeds=_rows(seeds), damping=settings.damping, **parameters)
            return [(row["id"], row["score"]) for row in rows]

        return ask

    return {
        PUSH: asked("bench/page_rank_by_push", tolerance=settings.tolerance),
        _coarse(settings): asked("bench/page_rank_by_push", tolerance=settings.coarse_tolerance),
        GDS: asked("bench/page_rank_by_gds", projection=PROJECTION, iterations=rounds(settings.damping)),
        IGRAPH: lambda seeds: client.walk(seeds, settings.damping),
    }


def rounds(damping: float) -> int:
    """So many rounds of GDS that what is left of the walk after them is negligible; 20 at least, its default."""
    needed, left = 0, 1.0
    while left > NEGLIGIBLE and damping > 0:
        needed, left = needed + 1, left * damping
    return max(20, needed)


def _rows(seeds: Seeds) -> list[dict[str, object]]:
    return [{"id": name, "weight": weight} for name, weight in seeds.weights.items()]


def _coarse(settings: PageRankBenchSettings) -> str:
    return f"{PUSH}, tolerance {settings.coarse_tolerance:g}"


def _measured(
    graph: Graph,
    client: InProcess,
    walks: Sequence[Seeds],
    settings: PageRankBenchSettings,
    size: int,
    progress: Progress,
) -> Iterator[Measured]:
    compared = contestants(graph, client, settings)
    times: dict[str, list[float]] = {name: [] for name in compared}
    found: dict[str, list[Found]] = {name: [] for name in compared}
    names = list(compared)
    for number, seeds in enumerate(walks):
        for name in [*names[number % len(names) :], *names[: number % len(names)]]:
            start = time.perf_counter()
            best = compared[name](seeds)
            if number >= settings.warm_up:
                times[name].append(1000 * (time.perf_counter() - start))
                found[name].append(best)
        progress(number + 1, len(walks))
    _check(found, size)
    reach = {
        PUSH: _reach(graph, walks[settings.warm_up :], settings, settings.tolerance),
        _coarse(settings): _reach(graph, walks[settings.warm_up :], settings, settings.coarse_tolerance),
    }
    for name, values in times.items():
        yield Measured(name, size, spread(values), ratio(values, times[PUSH]), reach.get(name))


def _reach(graph: Graph, walks: Sequence[Seeds], settings: PageRankBenchSettings, tolerance: float) -> float:
    found = [
        graph.rows("bench/page_rank_reach", seeds=_rows(seeds), damping=settings.damping, tolerance=tolerance)[0]
        for seeds in walks[:10]
    ]
    return float(np.mean([row["nodes"] for row in found]))


def _check(found: dict[str, list[Found]], size: int) -> None:
    """Push, GDS and igraph must have found atoms of the same scores."""
    for name in (GDS, IGRAPH):
        for own, other in zip(found[PUSH], found[name], strict=True):
            far = [abs(mine - theirs) > NEAR for (_, mine), (_, theirs) in zip(own, other, strict=True)]
            if not own or any(far):
                raise GraphError(f"{name} at {size:,} edges found other atoms than {PUSH}.")


def _notes(settings: PageRankBenchSettings) -> Iterator[str]:
    yield (
        f"Synthetic atom-entity graphs, seed {settings.seed}: {aeg.ATOMS} atoms and {aeg.ENTITIES} entities to "
        f"{aeg.MENTIONS} mentions, {aeg.TRIPLES} triples and {aeg.SYNONYMS} synonyms, as of a medical textbook."
    )
    yield (
        f"{settings.questions} walks after {settings.warm_up} untimed ones, each done every way, from "
        f"{aeg.ENTITY_SEEDS} entities and {aeg.ATOM_SEEDS} atoms with weights; damping {settings.damping}; the {BEST} "
        "best atoms are returned. Times include the round trip; igraph has none, and holds the graph in this process."
    )
    yield (
        f'"returned" is how many nodes push gives a score (mean); its tolerance is {settings.tolerance:g} unless said. '
        "Push, GDS and igraph found atoms of the same scores. The projection of GDS is made beforehand, untimed."
    )
