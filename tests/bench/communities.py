"""Communities: building them anew and after a change, beside leidenalg in Python; and searching from them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import igraph
import leidenalg
import numpy as np

from bench import own
from bench.figures import Measured, Result, Spread, TimedSettings, compared, growing, in_turns, means, spread
from bench.measurement import measurement, numbers
from bench.synthetic import MODEL, Vectors, unit
from bench.triple_graph import TOPIC, TripleGraph, described
from qcg_neo4j.cli.terminal import progress_bar
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.indexing.build import build_communities
from qcg_neo4j.retrieval import GraphragGlobal, GraphragGlobalSettings, GraphragLocal, Method

BARE = "bare vector index, 10 entities"
BUILD, CHANGE, CLIENT = "build", "build after a change of 1 topic", "leidenalg in Python, root level alone"
TRIPLES_PER_CHUNK = 10
AT_ONCE = 1_000
T = TypeVar("T")


@dataclass(frozen=True)
class CommunitiesSettings(TimedSettings):
    """Building communities on synthetic relations, and searching from them."""

    questions: int = setting(100, "Questions that are timed.", minimum=1)
    dimension: int = setting(64, "Numbers per vector.", minimum=2, maximum=4096)


@measurement(CommunitiesSettings, numbers("--sizes", "1000,10000,100000", "Numbers of entities in the graph, rising."))
def communities(graph: Graph, sizes: Sequence[int], settings: CommunitiesSettings) -> Result:
    """Time the building of communities, anew and after a change, beside leidenalg; and searching from them.

    Raises:
        InputError: the sizes do not rise.
    """
    steps = growing(sizes, TOPIC, least=TOPIC)
    use_model(graph, MODEL, settings.dimension)
    synthetic = TripleGraph(settings.seed, settings.dimension)
    rows: list[Measured] = []
    notes = list(_notes(settings))
    for size, topics in steps:
        with progress_bar(f"Writing {size:,} entities") as progress:
            for done, topic in enumerate(topics, start=1):
                _write(graph, _relations(synthetic, topic))
                progress(done, len(topics))
        with progress_bar(f"Building at {size:,} entities") as progress:
            rows += _built(graph, synthetic, size, topics[-1], notes, progress)
        with progress_bar(f"Searching {size:,} entities") as progress:
            rows += _searched(graph, settings, size, progress)
    return Result("Communities of entities", "ms", "entities", BARE, tuple(rows), tuple(notes))


def _write(graph: Graph, relations: Iterable[Mapping[str, Any]]) -> None:
    graph.write_batches(own("entity_graph"), relations, batch_size=AT_ONCE, stages=("extract",))


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
    graph: Graph, synthetic: TripleGraph, size: int, last_topic: int, notes: list[str], progress: Progress
) -> Iterator[Measured]:
    graph.run("build/communities/forget")
    graph.run(own("forget_stage"), name="communities")
    first, taken = _timed(lambda: build_communities(graph, progress=progress))
    yield Measured(BUILD, size, taken, returned=first.communities)
    changed = list(_relations(synthetic, last_topic, "again"))
    _write(graph, changed)
    ids = sorted({str(row[end]) for row in changed for end in ("source", "target")})
    graph.write(Call("extract/derive", {"ids": ids}))
    second, taken = _timed(lambda: build_communities(graph, progress=progress))
    yield Measured(CHANGE, size, taken, returned=second.communities)
    quality, taken = _timed(lambda: _by_leidenalg(graph))
    yield Measured(CLIENT, size, taken)
    share = second.modularity / quality
    notes.append(
        f"{size:,} entities: {first.levels} levels, Leiden on {first.partitioned:,} parts, after the change on "
        f"{second.partitioned:,}{' (all anew)' if second.anew else ''}; modularity {second.modularity:.4f}, "
        f"{share:.2%} of leidenalg's."
    )


def _timed(work: Callable[[], T]) -> tuple[T, Spread]:
    start = time.perf_counter()
    made = work()
    return made, spread([1000 * (time.perf_counter() - start)])


def _by_leidenalg(graph: Graph) -> float:
    """What a client would do: read the edges, partition them in Python; the modularity."""
    rows = graph.rows(own("edges"))
    names = sorted({row[end] for row in rows for end in ("source", "target")})
    place = {name: number for number, name in enumerate(names)}
    network = igraph.Graph(len(names), [(place[row["source"]], place[row["target"]]) for row in rows])
    weights = [row["weight"] for row in rows]
    found = leidenalg.find_partition(network, leidenalg.ModularityVertexPartition, weights=weights, seed=1)
    return float(found.quality())


def _searched(graph: Graph, settings: CommunitiesSettings, size: int, progress: Progress) -> list[Measured]:
    graph.run(own("community_vectors"))
    await_indexes(graph)

    def bare(vector: Vectors) -> int:
        return len(graph.rows(own("nearest_entities"), number=10, question_vector=vector))

    def method(chosen: Method) -> Callable[[Vectors], int]:
        return lambda vector: len(chosen.retrieve(graph, "synthetic", vector).passages)

    ways = {
        BARE: bare,
        "graphrag-local": method(GraphragLocal()),
        "graphrag-global C0": method(GraphragGlobal(GraphragGlobalSettings(level=0))),
        "graphrag-global C1": method(GraphragGlobal(GraphragGlobalSettings(level=1))),
        "graphrag-global, lowest level": method(GraphragGlobal(GraphragGlobalSettings(level=20))),
    }
    random = np.random.default_rng([settings.seed, 2])
    vectors = unit(random.normal(size=(settings.questions + settings.warm_up, settings.dimension)))
    times, found = in_turns(ways, list(vectors), settings.warm_up, progress)
    return compared(times, size, BARE, means(found))


def _notes(settings: CommunitiesSettings) -> Iterator[str]:
    yield f"{described(settings.dimension, settings.seed, 'relations')}; a chunk states {TRIPLES_PER_CHUNK}."
    yield (
        f"Building is timed once at each size; {settings.questions} questions after {settings.warm_up} untimed ones. "
        '"returned" is the number of communities or of passages.'
    )
    yield "leidenalg: reading the edges over the driver, and its own optimum of the root level, without any below."
