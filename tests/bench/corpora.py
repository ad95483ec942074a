"""A vector search in a small corpus beside a large one: by an index of its own, and by one index that both share."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bench import own
from bench.figures import Result, TimedSettings, Times, compared, in_turns, means
from bench.measurement import measurement, numbers
from bench.synthetic import MODEL, QUERIES_PER_TOPIC, Question, Synthetic, Vectors
from qcg_neo4j.cli.terminal import progress_bar
from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.indexing.load import delete_corpus

ALONE, BESIDE = "own index, alone in the database", "own index, beside the large corpus"
SMALL, LARGE, SHARED = "small", "large", "bench_shared"
WORDS = 2  # of a chunk; texts play no part here
Ids = list[int]
Way = Callable[[Question], Ids]


@dataclass(frozen=True)
class CorporaSettings(TimedSettings):
    """Recall and latency of a vector search in one of two corpora."""

    dimension: int = setting(384, "Numbers per vector.", minimum=2, maximum=4096)
    wanted: int = setting(15, "Queries that are wanted of the small corpus.", minimum=1, maximum=1000)
    factor: int = setting(4, "Candidates per wanted one, which are then scored exactly.", minimum=1)
    sets: int = setting(10, "Empty corpora that are made, to see what the indexes of one take.", minimum=1)


@measurement(CorporaSettings, numbers("--sizes", "5000,50000", "Queries of the small corpus, and of the large one."))
def corpora(graph: Graph, sizes: Sequence[int], settings: CorporaSettings) -> Result:
    """Time a vector search in a small corpus beside a large one, by an index of its own and by a shared one.

    Both are of the same topics: which queries belong to the small one is drawn by lot.

    Raises:
        InputError: there are not two sizes.
    """
    if len(sizes) != 2:
        raise InputError("There are two sizes: of the small corpus, and of the large one.")
    synthetic, topics = Synthetic(settings.seed, settings.dimension, WORDS), -(-sum(sizes) // QUERIES_PER_TOPIC)
    vectors = np.concatenate([synthetic.topic(number).query_vectors for number in range(topics)])
    lots = np.random.default_rng(settings.seed).permutation(len(vectors))
    questions = synthetic.questions(settings.questions + settings.warm_up, topics)
    small, large = (_corpus(graph, name, settings) for name in (SMALL, LARGE))
    _write(small, vectors, lots[: sizes[0]])
    times, found = _asked({ALONE: _own_index(small, settings)}, questions, settings)
    _write(large, vectors, lots[sizes[0] :])
    graph.run(own("corpora_shared"), dimension=settings.dimension)
    graph.run("schema/await_indexes", names=["bench_shared"], seconds=3600)
    more = _asked(_ways(small, len(vectors), settings), questions, settings)
    exact = _exact(vectors, lots[: sizes[0]], questions[settings.warm_up :], settings.wanted)
    recall = means({name: _recalls(exact, ids) for name, ids in {**found, **more[1]}.items()})
    for corpus in (small, large):
        delete_corpus(corpus)
    graph.run(own("drop_index"), name=SHARED)
    rows = compared({**times, **more[0]}, sizes[0], ALONE, {name: 100 * share for name, share in recall.items()})
    notes = (*_notes(sizes, settings), _sets(graph, settings))
    return Result("A small corpus beside a large one", "ms", "queries", ALONE, tuple(rows), notes)


def _corpus(graph: Graph, name: str, settings: CorporaSettings) -> Graph:
    made = Graph(graph.driver, replace(graph.address, corpus=name))
    use_model(made, MODEL, settings.dimension)
    return made


def _write(graph: Graph, vectors: Vectors, chosen: NDArray[np.int64]) -> None:
    rows = [{"id": str(place), "embedding": vectors[place]} for place in chosen]
    graph.write_batches(own("corpora_write"), rows, batch_size=1000, corpus=graph.corpus)
    await_indexes(graph, 3600)


def _asked(
    ways: dict[str, Way], questions: Sequence[Question], settings: CorporaSettings
) -> tuple[Times, dict[str, list[Ids]]]:
    with progress_bar("Asking") as progress:
        return in_turns(ways, questions, settings.warm_up, progress)


def _own_index(graph: Graph, settings: CorporaSettings) -> Way:
    few = {"candidates": settings.factor * settings.wanted, "wanted": settings.wanted}
    return lambda one: _ids(graph.rows(own("corpora_own"), question_vector=one.vector, **few))


def _ways(graph: Graph, size: int, settings: CorporaSettings) -> dict[str, Way]:
    """What is compared once both corpora are there."""
    wanted = {"wanted": settings.wanted, "corpus": graph.corpus}

    def shared(one: Question, factor: int) -> Ids:
        few = {"candidates": min(size, factor * settings.wanted), **wanted}
        return _ids(graph.rows(own("corpora_after"), question_vector=one.vector, **few))

    def widened(one: Question) -> Ids:
        factor = settings.factor
        while len(found := shared(one, factor)) < settings.wanted and factor * settings.wanted < size:
            factor *= 4
        return found

    def within(one: Question) -> Ids:
        few = {"candidates": settings.factor * settings.wanted, **wanted}
        return _ids(graph.rows(own("corpora_within"), question_vector=one.vector, **few))

    return {
        BESIDE: _own_index(graph, settings),
        "shared index, filtered afterwards": lambda one: shared(one, settings.factor),
        "shared index, filtered afterwards, widened until enough": widened,
        "shared index with the corpus in it (SEARCH … WHERE)": within,
    }


def _ids(rows: Sequence[dict[str, str]]) -> Ids:
    return [int(row["id"]) for row in rows]


def _exact(
    vectors: Vectors, chosen: NDArray[np.int64], questions: Sequence[Question], wanted: int
) -> list[NDArray[np.int64]]:
    """The nearest of those that belong to the small corpus, by comparing with all of them."""
    return [chosen[np.argsort(-(vectors[chosen] @ one.vector))[:wanted]] for one in questions]


def _recalls(exact: Sequence[NDArray[np.int64]], found: Sequence[Ids]) -> list[float]:
    return [len({*nearest.tolist()} & {*ids}) / len(nearest) for nearest, ids in zip(exact, found, strict=True)]


def _sets(graph: Graph, settings: CorporaSettings) -> str:
    """What empty corpora take, one after the other."""
    start = time.perf_counter()
    made = [_corpus(graph, f"empty_{number}", settings) for number in range(settings.sets)]
    for corpus in made:
        await_indexes(corpus, 3600)
    taken = (time.perf_counter() - start) / len(made)
    indexes = sum(row["name"].endswith("__empty_0") for row in graph.rows("schema/indexes"))
    start = time.perf_counter()
    for corpus in made:
        delete_corpus(corpus)
    gone = (time.perf_counter() - start) / len(made)
    return f"An empty corpus: {indexes} indexes, made in {taken:.1f} s and deleted in {gone:.1f} s (of {len(made)})."


def _notes(sizes: Sequence[int], settings: CorporaSettings) -> Iterator[str]:
    yield (
        f"Synthetic data, seed {settings.seed}: clustered vectors of {settings.dimension} dimensions; {sizes[0]:,} "
        f"queries drawn by lot from {sum(sizes):,} are the small corpus, the others the large one."
    )
    yield (
        f"returned: recall in percent of the {settings.wanted} nearest queries of the small corpus, against comparing "
        f"with all of them; {settings.factor * settings.wanted} candidates are scored exactly."
    )
    yield f"{settings.questions} questions, after {settings.warm_up} untimed ones."
