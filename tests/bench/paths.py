"""Path completion: beam search in the database, in plain Cypher, by a client; and every path (BFS), by graph size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bench import own
from bench.figures import Measured, Result, TimedSettings, compared, growing, in_turns, means
from bench.measurement import measurement, numbers
from bench.triple_graph import HITS, TRIPLES, Search, TripleGraph, described
from qcg_neo4j.cli.terminal import progress_bar
from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.graph import Graph

BEAM_WIDTH, LENGTH = 3, 3
AT_ONCE = 2_000
MOST_FOR_EVERY = 100_000  # relationships; in larger graphs a search for every path takes minutes

CYPHER, PROCEDURE = "beam in plain Cypher (kg-cqr)", "qcg.paths.beam"
CLIENT, EVERY = "beam by a client", "every path (beamWidth 10,000)"
Found = list[tuple[tuple[str, ...], float]]


@dataclass(frozen=True)
class PathsSettings(TimedSettings):
    """Latency of path completion on synthetic triples."""

    dimension: int = setting(64, "Numbers per vector.", minimum=2, maximum=4096)


@measurement(
    PathsSettings, numbers("--sizes", "1000,10000,100000,1000000", "Numbers of relationships in the graph, rising.")
)
def paths(graph: Graph, sizes: Sequence[int], settings: PathsSettings) -> Result:
    """Time path completion: beam search in the database, in plain Cypher and by a client, and every path.

    Raises:
        InputError: the sizes do not rise.
        GraphError: two ways that should find the same paths do not.
    """
    synthetic = TripleGraph(settings.seed, settings.dimension)
    rows: list[Measured] = []
    for size, topics in growing(sizes, TRIPLES):
        with progress_bar(f"Writing {size:,} relationships") as progress:
            _fill(graph, synthetic, topics, progress)
        searches = synthetic.searches(settings.questions + settings.warm_up, topics.stop)
        with progress_bar(f"Searching {size:,} relationships") as progress:
            rows += _measured(graph, searches, settings.warm_up, topics.stop * TRIPLES, progress)
    title = "Paths between the entities of a question"
    return Result(title, "ms", "relationships", CYPHER, tuple(rows), tuple(_notes(settings)))


def _fill(graph: Graph, synthetic: TripleGraph, topics: range, progress: Progress) -> None:
    waiting: list[dict[str, object]] = []
    for topic in topics:
        waiting += synthetic.triples(topic)
        if len(waiting) >= AT_ONCE or topic == topics[-1]:
            graph.write_batches(own("triples"), waiting, batch_size=AT_ONCE)
            waiting = []
            progress(topic + 1 - topics.start, len(topics))


def contestants(graph: Graph) -> dict[str, Callable[[Search], Found]]:
    """All that is compared: the same search three ways, and the search for every path."""
    chosen = {"beam_width": BEAM_WIDTH, "path_length": LENGTH, "direction": "outgoing", "permitted": None}

    def plain(search: Search) -> Found:
        hits = list(search.hits)
        found = graph.rows(
            "retrieve/kg_cqr/paths", hits=hits, question_vector=search.vector, completion="beam", **chosen
        )
        return [(tuple(row["triples"]), row["score"]) for row in found]

    return {
        CYPHER: plain,
        PROCEDURE: lambda search: of_procedure(graph, own("beam_by_procedure"), search, beam_width=BEAM_WIDTH),
        CLIENT: lambda search: beam_by_client(graph, search),
        EVERY: lambda search: of_procedure(graph, own("every_path"), search),
    }


def of_procedure(graph: Graph, path: str, search: Search, **parameters: object) -> Found:
    """The rows of a statement of this bench that calls a procedure."""
    entities = list(search.entities)
    found = graph.rows(path, entities=entities, question_vector=search.vector, **parameters)
    return [(tuple(row["triples"]), row["score"]) for row in found]


def beam_by_client(graph: Graph, search: Search) -> Found:
    """Beam search over the driver: one round trip a step for all sources together, everything else in Python."""
    inside = set(search.entities)
    ways: list[tuple[list[str], list[str], float]] = [([entity], [], 0.0) for entity in search.entities]
    found: Found = []
    for _ in range(LENGTH):
        leaving: dict[str, list[tuple[str, str, float]]] = {}
        ends = sorted({route[-1] for route, _, _ in ways})
        for row in graph.rows(own("client_triples"), entities=ends, question_vector=search.vector):
            leaving.setdefault(row["source"], []).append((row["id"], row["target"], row["similarity"]))
        ways = [
            ([*route, target], [*steps, name], total + similarity)
            for route, steps, total in ways
            for name, target, similarity in _best(leaving.get(route[-1], ()), route)
            if target in inside
        ]
        found += [(tuple(steps), total / len(steps)) for _, steps, total in ways]
    return sorted(found, key=lambda way: (-way[1], way[0]))


def _best(leaving: Sequence[tuple[str, str, float]], route: Sequence[str]) -> list[tuple[str, str, float]]:
    """The best triples that lead to an entity that is not on the route."""
    fresh = [step for step in leaving if step[1] not in route]
    return sorted(fresh, key=lambda step: (-step[2], step[0]))[:BEAM_WIDTH]


def _measured(graph: Graph, searches: Sequence[Search], warm_up: int, size: int, progress: Progress) -> list[Measured]:
    ways = contestants(graph)
    if size > MOST_FOR_EVERY:
        del ways[EVERY]
    times, found = in_turns(ways, searches, warm_up, progress)
    _check(found, size)
    return compared(times, size, CYPHER, means({name: [len(paths) for paths in each] for name, each in found.items()}))


def _check(found: dict[str, list[Found]], size: int) -> None:
    """All ways of the beam search must have found the same."""
    expected = found[CYPHER]
    if not any(expected):
        raise GraphError(f"{CYPHER} found no path at {size:,} relationships: the data measure nothing.")
    for name in (PROCEDURE, CLIENT):
        for ours, theirs in zip(expected, found[name], strict=True):
            if [path for path, _ in ours] != [path for path, _ in theirs]:
                raise GraphError(f"{name} at {size:,} relationships found other paths than {CYPHER}.")


def _notes(settings: PathsSettings) -> Iterator[str]:
    yield f"{described(settings.dimension, settings.seed, 'triples')}."
    yield (
        f"{settings.questions} searches after {settings.warm_up} untimed ones, each done every way, between the "
        f"ends of {HITS} triples; beam width {BEAM_WIDTH}, length {LENGTH} at most."
    )
    yield f"{EVERY} is searched for in graphs of at most {MOST_FOR_EVERY:,} relationships."
    yield '"returned" is how many paths a search finds (mean). All ways of the beam search found the same.'
