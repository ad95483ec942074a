"""Path completion: beam search in the database, in plain Cypher, by a client; and every path (BFS), by graph size."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from qcg_neo4j.bench.result import Measured, Result, ratio, spread
from qcg_neo4j.bench.retrieve import Phase, facts, quiet
from qcg_neo4j.bench.settings import PathsBenchSettings
from qcg_neo4j.errors import GraphError, InputError
from qcg_neo4j.graph import Graph
from qcg_neo4j.progress import Progress
from qcg_neo4j.records import content_id

TOPIC = 50  # entities that mostly lead to each other
TRIPLES_PER_ENTITY = 2  # as in LiHua-World's extracted graph, about
LEAVING = 0.1  # share of triples that lead to another topic
KNOWN = 0.2  # share of triples at one end of which is an entity that all know, as a chat's owner or a country is
HUBS = 20  # so many of these
HITS = 20  # triples whose ends are the sources and targets of a search (KG-CQR, k)
BEAM_WIDTH, LENGTH = 3, 3
AT_ONCE = 2_000

PROCEDURE, EVERY = "qcg.paths.beam", "every path (qcg.paths.all)"
Found = list[tuple[tuple[str, ...], float]]
Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Search:
    """The entities of a question's subgraph and the question's vector, as the paths between them are searched for."""

    entities: tuple[str, ...]
    vector: Vectors


class TripleGraph:
    """Random triples of one seed: topics of entities, some triples that leave them, few entities that all know."""

    def __init__(self, seed: int, dimension: int) -> None:
        self._seed, self._dimension = seed, dimension

    def triples(self, topic: int) -> list[dict[str, object]]:
        """The triples of a topic, with vectors of unit length."""
        random = np.random.default_rng([self._seed, topic])
        number = TOPIC * TRIPLES_PER_ENTITY
        ends = random.integers(TOPIC, size=(number, 2))
        kinds = random.random(number)
        centre = random.normal(size=self._dimension)
        vectors = _unit(centre + 1.5 * random.normal(size=(number, self._dimension)))
        rows = []
        for place, (source, target) in enumerate(ends.tolist()):
            first, last = self._ends(topic, source, target, float(kinds[place]), random)
            name = content_id(str(self._seed), str(topic), str(place))
            rows.append({"id": name, "source": first, "target": last, "embedding": vectors[place]})
        return rows

    def _ends(self, topic: int, source: int, target: int, kind: float, random: np.random.Generator) -> tuple[str, str]:
        inside, hub = f"{topic}/{source}", f"0/{random.integers(HUBS)}"
        if kind < KNOWN:
            return (hub, inside) if kind < KNOWN / 2 else (inside, hub)
        return inside, f"{random.integers(topic + 1) if kind < KNOWN + LEAVING else topic}/{target}"

    def searches(self, number: int, topics: int) -> list[Search]:
        """So many searches, each between the ends of 20 triples of one topic."""
        random = np.random.default_rng([self._seed, topics, 1])
        return [self._search(int(topic), random) for topic in random.integers(topics, size=number)]

    def _search(self, topic: int, random: np.random.Generator) -> Search:
        triples = self.triples(topic)
        chosen = random.choice(len(triples), size=HITS, replace=False)
        ends = {str(triples[place][end]) for place in chosen for end in ("source", "target")}
        near = np.asarray(triples[int(chosen[0])]["embedding"], dtype=np.float64)
        vector = _unit(near + 0.5 * random.normal(size=(1, self._dimension)) / np.sqrt(self._dimension))[0]
        return Search(tuple(sorted(ends)), vector)


def _unit(rows: NDArray[np.float64]) -> Vectors:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def bench_paths(
    graph: Graph, sizes: Sequence[int], settings: PathsBenchSettings, phase: Phase = quiet, command: str = ""
) -> Result:
    """Fill the empty database to each number of relationships in turn, and time every search there, warm.

    Raises:
        InputError: the sizes do not rise.
        GraphError: two ways that should find the same paths do not.
    """
    if not sizes or sorted(set(sizes)) != list(sizes) or sizes[0] < 1:
        raise InputError(f"The sizes {list(sizes)} do not rise.", "Give numbers of relationships such as 1000,10000.")
    synthetic = TripleGraph(settings.seed, settings.dimension)
    rows: list[Measured] = []
    given_up: list[str] = []
    topics = 0
    for size in sizes:
        wanted = max(1, -(-size // (TOPIC * TRIPLES_PER_ENTITY)))
        with phase(f"Writing {size:,} relationships") as progress:
            _fill(graph, synthetic, range(topics, wanted), progress)
        topics = wanted
        searches = synthetic.searches(settings.questions + settings.warm_up, topics)
        with phase(f"Searching {size:,} relationships") as progress:
            rows += _measured(graph, searches, settings, topics * TOPIC * TRIPLES_PER_ENTITY, given_up, progress)
    return Result(
        "Paths between the entities of a question",
        "ms",
        "relationships",
        PROCEDURE,
        tuple(rows),
        facts(graph),
        (*_notes(settings), *given_up),
        command,
    )


def _fill(graph: Graph, synthetic: TripleGraph, numbers: range, progress: Progress) -> None:
    waiting: list[dict[str, object]] = []
    for number in numbers:
        waiting += synthetic.triples(number)
        if len(waiting) >= AT_ONCE or number == numbers[-1]:
            graph.write_batches("bench/triples", waiting, batch_size=AT_ONCE)
            waiting = []
            progress(number + 1 - numbers.start, len(numbers))


def contestants(graph: Graph) -> dict[str, Callable[[Search], Found]]:
    """All that is compared: the same search four ways, but for the last, which takes every path."""

    def statement(path: str) -> Callable[[Search], Found]:
        def ask(search: Search) -> Found:
            found = graph.rows(
                path, entities=list(search.entities), question_vector=search.vector, beam_width=BEAM_WIDTH
            )
            return [(tuple(row["triples"]), row["score"]) for row in found]

        return ask

    def every(search: Search) -> Found:
        _effort(graph, search, "all")
        return []

    return {
        PROCEDURE: statement("bench/beam_by_procedure"),
        "beam in plain Cypher": statement("bench/beam_by_cypher"),
        "beam by a client": lambda search: beam_by_client(graph, search),
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
        for row in graph.rows("bench/client_triples", entities=ends, question_vector=search.vector):
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
    row = graph.rows(
        "bench/paths_effort", entities=list(search.entities), question_vector=search.vector, algorithm=algorithm
    )[0]
    return int(row["expansions"])


def _measured(
    graph: Graph,
    searches: Sequence[Search],
    settings: PathsBenchSettings,
    size: int,
    given_up: list[str],
    progress: Progress,
) -> Iterator[Measured]:
    compared = contestants(graph)
    every: list[int] = []
    try:
        every = [_effort(graph, search, "all") for search in searches]
    except GraphError as error:
        del compared[EVERY]
        given_up.append(f"{EVERY} at {size:,} relationships: {error.problem}")
    times: dict[str, list[float]] = {name: [] for name in compared}
    found: dict[str, list[Found]] = {name: [] for name in compared}
    names = list(compared)
    for number, search in enumerate(searches):
        for name in [*names[number % len(names) :], *names[: number % len(names)]]:
            start = time.perf_counter()
            paths = compared[name](search)
            if number >= settings.warm_up:
                times[name].append(1000 * (time.perf_counter() - start))
                found[name].append(paths)
        progress(number + 1, len(searches))
    _check(found, size)
    measured = searches[settings.warm_up :]
    beam = fmean(_effort(graph, search, "beam") for search in measured)
    for name, values in times.items():
        looked_at = fmean(every[settings.warm_up :]) if name == EVERY else beam
        yield Measured(name, size, spread(values), ratio(values, times[PROCEDURE]), looked_at)


def _check(found: dict[str, list[Found]], size: int) -> None:
    """All ways of the beam search must have found the same."""
    expected = found[PROCEDURE]
    if not any(expected):
        raise GraphError(f"{PROCEDURE} found no path at {size:,} relationships: the data measure nothing.")
    for name in ("beam in plain Cypher", "beam by a client"):
        for own, other in zip(expected, found[name], strict=True):
            if [path for path, _ in own] != [path for path, _ in other]:
                raise GraphError(f"{name} at {size:,} relationships found other paths than {PROCEDURE}.")


def _notes(settings: PathsBenchSettings) -> Iterator[str]:
    yield (
        f"Synthetic triples, seed {settings.seed}: topics of {TOPIC} entities, {TRIPLES_PER_ENTITY} triples an entity, "
        f"{LEAVING:.0%} of them to another topic, {KNOWN:.0%} to or from {HUBS} entities that all know; vectors of "
        f"{settings.dimension} dimensions."
    )
    yield (
        f"{settings.questions} searches after {settings.warm_up} untimed ones, each done every way, between the "
        f"ends of {HITS} triples; beam width {BEAM_WIDTH}, length {LENGTH} at most."
    )
    yield '"returned" is how many path extensions a search looks at (mean). All ways of the beam search found the same.'
