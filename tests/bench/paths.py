"""Path completion: beam search in the database, in plain Cypher, by a client; and every path (BFS), by graph size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bench import own
from bench.figures import Measured, Result, TimedSettings, compared, growing, in_turns, means
from bench.measurement import measurement, numbers
from bench.memory import into_memory
from bench.triple_graph import HITS, TRIPLES, Search, TripleGraph, described
from qcg_neo4j.cli.terminal import progress_bar
from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.graph import Graph

BEAM_WIDTH, LENGTH = 3, 3
AT_ONCE = 2_000

PROCEDURE, STORE, EVERY = "qcg.paths.beam", "qcg.paths.beam, snapshot = false", "every path (qcg.paths.all)"
CYPHER, CLIENT = "beam in plain Cypher", "beam by a client"
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
    given_up: list[str] = []
    for size, topics in growing(sizes, TRIPLES):
        with progress_bar(f"Writing {size:,} relationships") as progress:
            _fill(graph, synthetic, topics, progress)
        searches = synthetic.searches(settings.questions + settings.warm_up, topics.stop)
        with progress_bar(f"Searching {size:,} relationships") as progress:
            rows += _measured(graph, searches, settings.warm_up, topics.stop * TRIPLES, given_up, progress)
    title, notes = "Paths between the entities of a question", (*_notes(settings), *given_up)
    return Result(title, "ms", "relationships", PROCEDURE, tuple(rows), notes)


def _fill(graph: Graph, synthetic: TripleGraph, topics: range, progress: Progress) -> None:
    waiting: list[dict[str, object]] = []
    for topic in topics:
        waiting += synthetic.triples(topic)
        if len(waiting) >= AT_ONCE or topic == topics[-1]:
            graph.write_batches(own("triples"), waiting, batch_size=AT_ONCE)
            waiting = []
            progress(topic + 1 - topics.start, len(topics))


def contestants(graph: Graph) -> dict[str, Callable[[Search], Found]]:
    """All that is compared: the same search five ways, but for the last, which takes every path."""

    def statement(path: str, **parameters: bool) -> Callable[[Search], Found]:
        def ask(search: Search) -> Found:
            asked = {"entities": list(search.entities), "question_vector": search.vector, "beam_width": BEAM_WIDTH}
            found = graph.rows(path, **asked, **parameters)
            return [(tuple(row["triples"]), row["score"]) for row in found]

        return ask

    def every(search: Search) -> Found:
        _effort(graph, search, "all")
        return []

    return {
        PROCEDURE: statement(own("beam_by_procedure"), snapshot=True),
        STORE: statement(own("beam_by_procedure"), snapshot=False),
        CYPHER: statement(own("beam_by_cypher")),
        CLIENT: lambda search: beam_by_client(graph, search),
        EVERY: every,
    }


def beam_by_client(graph: Graph, search: Search) -> Found:
    """Beam search over the driver: one round trip a step for all sources together, everything else in Python."""
    targets = set(search.entities)
    beams: dict[str, list[tuple[list[str], list[str], float]]] = {
        entity: [([entity], [], 0.0)] for entity in search.entities
    }
    complete: Found = []
    for _ in range(LENGTH):
        ends = sorted({way[0][-1] for beam in beams.values() for way in beam})
        by_source: dict[str, list[tuple[str, str, float]]] = {}
        for row in graph.rows(own("client_triples"), entities=ends, question_vector=search.vector):
            by_source.setdefault(row["source"], []).append((row["id"], row["target"], row["similarity"]))
        for source, beam in beams.items():
            extended = [
                ([*route, target], [*steps, name], total + similarity)
                for route, steps, total in beam
                for name, target, similarity in by_source.get(route[-1], ())
                if target not in route
            ]
            best = sorted(extended, key=lambda way: (-way[2], way[1]))[:BEAM_WIDTH]
            complete += [(tuple(steps), total / len(steps)) for route, steps, total in best if route[-1] in targets]
            beams[source] = [way for way in best if way[0][-1] not in targets]
    return sorted(complete, key=lambda way: (-way[1], way[0]))


def _effort(graph: Graph, search: Search, algorithm: str) -> int:
    """How many path extensions the search looks at."""
    row = graph.rows(
        own("paths_effort"), entities=list(search.entities), question_vector=search.vector, algorithm=algorithm
    )[0]
    return int(row["expansions"])


def _measured(
    graph: Graph, searches: Sequence[Search], warm_up: int, size: int, given_up: list[str], progress: Progress
) -> list[Measured]:
    ways = contestants(graph)
    looked_at: dict[str, list[int]] = {}
    into_memory(graph, "triples", lambda: ways[PROCEDURE](searches[0]))
    try:
        looked_at[EVERY] = [_effort(graph, search, "all") for search in searches][warm_up:]
    except GraphError as error:
        del ways[EVERY]
        given_up.append(f"{EVERY} at {size:,} relationships: {error.problem}")
    times, found = in_turns(ways, searches, warm_up, progress)
    _check(found, size)
    beam = [_effort(graph, search, "beam") for search in searches[warm_up:]]
    return compared(
        times, size, PROCEDURE, means({PROCEDURE: beam, STORE: beam, CYPHER: beam, CLIENT: beam, **looked_at})
    )


def _check(found: dict[str, list[Found]], size: int) -> None:
    """All ways of the beam search must have found the same."""
    expected = found[PROCEDURE]
    if not any(expected):
        raise GraphError(f"{PROCEDURE} found no path at {size:,} relationships: the data measure nothing.")
    for name in (STORE, CYPHER, CLIENT):
        for ours, theirs in zip(expected, found[name], strict=True):
            if [path for path, _ in ours] != [path for path, _ in theirs]:
                raise GraphError(f"{name} at {size:,} relationships found other paths than {PROCEDURE}.")


def _notes(settings: PathsSettings) -> Iterator[str]:
    yield f"{described(settings.dimension, settings.seed, 'triples')}."
    yield (
        f"{settings.questions} searches after {settings.warm_up} untimed ones, each done every way, between the "
        f"ends of {HITS} triples; beam width {BEAM_WIDTH}, length {LENGTH} at most."
    )
    yield '"returned" is how many path extensions a search looks at (mean). All ways of the beam search found the same.'
