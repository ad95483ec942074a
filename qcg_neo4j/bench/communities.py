"""Communities: building them anew and after a change, beside leidenalg in Python; and searching from them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from qcg_neo4j.bench.paths import HUBS, KNOWN, LEAVING, TOPIC, TRIPLES_PER_ENTITY, TripleGraph
from qcg_neo4j.bench.result import Measured, Result, ratio, spread
from qcg_neo4j.bench.retrieve import Phase, facts, quiet
from qcg_neo4j.bench.settings import CommunitiesBenchSettings
from qcg_neo4j.build import HierarchyReport, build_communities
from qcg_neo4j.errors import InputError
from qcg_neo4j.graph import Call, Graph
from qcg_neo4j.progress import Progress
from qcg_neo4j.retrieve import GraphragGlobal, GraphragGlobalSettings, GraphragLocal, Method

BARE = "bare vector index, 10 entities"
BUILD, CHANGE, CLIENT = "build", "build after a change of 1 topic", "leidenalg in Python, root level alone"
TRIPLES_PER_CHUNK = 10
AT_ONCE = 1_000


def bench_communities(
    graph: Graph, sizes: Sequence[int], settings: CommunitiesBenchSettings, phase: Phase = quiet, command: str = ""
) -> Result:
    """Fill the empty database to each number of entities in turn; build, change, build again, and search.

    Raises:
        InputError: the sizes do not rise.
    """
    if not sizes or sorted(set(sizes)) != list(sizes) or sizes[0] < TOPIC:
        raise InputError(f"The sizes {list(sizes)} do not rise from {TOPIC}.", "Give numbers such as 1000,10000.")
    graph.use_model("synthetic", settings.dimension)
    synthetic = TripleGraph(settings.seed, settings.dimension)
    rows: list[Measured] = []
    notes: list[str] = []
    topics = 0
    for size in sizes:
        wanted = -(-size // TOPIC)
        with phase(f"Writing {size:,} entities") as progress:
            _fill(graph, synthetic, range(topics, wanted), progress)
        topics = wanted
        with phase(f"Building at {size:,} entities") as progress:
            rows += _built(graph, synthetic, size, topics, notes, progress)
        with phase(f"Searching {size:,} entities") as progress:
            rows += _searched(graph, settings, size, progress)
    what = "Communities of entities"
    return Result(what, "ms", "entities", BARE, tuple(rows), facts(graph), (*_notes(settings), *notes), command)


def _fill(graph: Graph, synthetic: TripleGraph, topics: range, progress: Progress) -> None:
    for done, topic in enumerate(topics, start=1):
        graph.write_batches("bench/entity_graph", _relations(synthetic, topic), batch_size=AT_ONCE, stages=("extract",))
        progress(done, len(topics))


def _relations(synthetic: TripleGraph, topic: int, name: str = "") -> Iterator[dict[str, Any]]:
    random = np.random.default_rng(topic)
    for place, triple in enumerate(synthetic.triples(topic)):
        yield {
            **triple,
            "id": f"{triple['id']}{name}",
            "chunk": f"{topic}/{place // TRIPLES_PER_CHUNK}{name}",
            "document": str(topic),
            "strength": int(random.integers(1, 10)),
            "ttr": f"{triple['source']} has to do with {triple['target']}",
        }


def _built(
    graph: Graph, synthetic: TripleGraph, size: int, topics: int, notes: list[str], progress: Progress
) -> Iterator[Measured]:
    graph.run("build/communities/forget")
    graph.run("bench/forget_stage", name="communities")
    first, seconds = _timed(graph, progress)
    yield Measured(BUILD, size, spread([1000 * seconds]), returned=first.communities)
    changed = list(_relations(synthetic, topics - 1, "again"))
    graph.write_batches("bench/entity_graph", changed, batch_size=AT_ONCE, stages=("extract",))
    ids = sorted({str(row[end]) for row in changed for end in ("source", "target")})
    graph.write(Call("extract/derive", {"ids": ids}))
    second, seconds = _timed(graph, progress)
    yield Measured(CHANGE, size, spread([1000 * seconds]), returned=second.communities)
    start = time.perf_counter()
    quality = _by_leidenalg(graph)
    yield Measured(CLIENT, size, spread([1000 * (time.perf_counter() - start)]))
    share = second.modularity / quality
    notes.append(
        f"{size:,} entities: {first.levels} levels, Leiden on {first.partitioned:,} parts, after the change on "
        f"{second.partitioned:,}{' (all anew)' if second.anew else ''}; modularity {second.modularity:.4f}, "
        f"{share:.2%} of leidenalg's."
    )


def _timed(graph: Graph, progress: Progress) -> tuple[HierarchyReport, float]:
    start = time.perf_counter()
    report = build_communities(graph, progress=progress)
    return report, time.perf_counter() - start


def _by_leidenalg(graph: Graph) -> float:
    """What a client would do: read the edges, partition them in Python; the modularity."""
    import igraph
    import leidenalg

    rows = graph.rows("bench/edges")
    names = sorted({row[end] for row in rows for end in ("source", "target")})
    place = {name: number for number, name in enumerate(names)}
    network = igraph.Graph(len(names), [(place[row["source"]], place[row["target"]]) for row in rows])
    weights = [row["weight"] for row in rows]
    found = leidenalg.find_partition(network, leidenalg.ModularityVertexPartition, weights=weights, seed=1)
    return float(found.quality())


def _searched(graph: Graph, settings: CommunitiesBenchSettings, size: int, progress: Progress) -> Iterator[Measured]:
    graph.run("bench/community_vectors")
    graph.await_indexes()
    vectors = _questions(settings)

    def bare(vector: Any) -> int:
        return len(graph.rows("bench/nearest_entities", number=10, question_vector=vector))

    def method(chosen: Method) -> Callable[[Any], int]:
        return lambda vector: len(chosen.retrieve(graph, "synthetic", vector).passages)

    compared = {
        BARE: bare,
        "graphrag-local": method(GraphragLocal()),
        "graphrag-global C0": method(GraphragGlobal(GraphragGlobalSettings(level=0))),
        "graphrag-global C1": method(GraphragGlobal(GraphragGlobalSettings(level=1))),
        "graphrag-global, lowest level": method(GraphragGlobal(GraphragGlobalSettings(level=20))),
    }
    times: dict[str, list[float]] = {name: [] for name in compared}
    found: dict[str, list[int]] = {name: [] for name in compared}
    for number, vector in enumerate(vectors):
        for name, ask in compared.items():
            start = time.perf_counter()
            returned = ask(vector)
            if number >= settings.warm_up:
                times[name].append(1000 * (time.perf_counter() - start))
                found[name].append(returned)
        progress(number + 1, len(vectors))
    for name, values in times.items():
        yield Measured(name, size, spread(values), ratio(values, times[BARE]), float(np.mean(found[name])))


def _questions(settings: CommunitiesBenchSettings) -> list[Any]:
    random = np.random.default_rng([settings.seed, 2])
    rows = random.normal(size=(settings.questions + settings.warm_up, settings.dimension))
    return list(np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32))


def _notes(settings: CommunitiesBenchSettings) -> Iterator[str]:
    yield (
        f"Synthetic relations, seed {settings.seed}: topics of {TOPIC} entities, {TRIPLES_PER_ENTITY} relations an "
        f"entity, {LEAVING:.0%} of them to another topic, {KNOWN:.0%} to or from {HUBS} that all know; vectors "
        f"of {settings.dimension} dimensions; a chunk states {TRIPLES_PER_CHUNK}."
    )
    yield (
        f"Building is timed once at each size; {settings.questions} questions after {settings.warm_up} untimed ones. "
        '"returned" is the number of communities or of passages.'
    )
    yield "leidenalg: reading the edges over the driver, and its own optimum of the root level, without any below."
