"""Latency of the retrieval methods, side by side with the bare vector index and with a client's many round trips."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bench import own
from bench.figures import Measured, Result, TimedSettings, compared, growing, in_turns, means
from bench.measurement import measurement, numbers
from bench.synthetic import CHUNKS, MODEL, QUERIES, QUERIES_PER_TOPIC, Question, Synthetic, Vectors, fill
from qcg_neo4j.cli.terminal import progress_bar
from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.records import Passage, Step
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.indexing.build import build_queries
from qcg_neo4j.retrieval import Fulltext, Hybrid, Method, Qcg, QcgSettings, VectorBaseline

CHUNK_WORDS = 250
BARE = "bare vector index"


@dataclass(frozen=True)
class RetrieveSettings(TimedSettings):
    """Latency of retrieval on synthetic data."""

    questions: int = setting(200, "Questions that every method answers while it is timed.", minimum=1)
    warm_up: int = setting(100, "Questions that every method answers beforehand, untimed.", minimum=1)
    dimension: int = setting(384, "Numbers per vector.", minimum=2, maximum=4096)


@measurement(RetrieveSettings, numbers("--sizes", "10000,100000", "Numbers of queries in the graph, rising."))
def retrieve(graph: Graph, sizes: Sequence[int], settings: RetrieveSettings) -> Result:
    """Time every retrieval method against the bare vector index and a client with one round trip per step.

    The database is filled to each size in turn, brought up to a multiple of 200; the methods are warm.

    Raises:
        InputError: the sizes do not rise.
        GraphError: QCG does not find as many passages as it should: the data do not fit the measurement.
    """
    steps = growing(sizes, QUERIES_PER_TOPIC)
    use_model(graph, MODEL, settings.dimension)
    synthetic = Synthetic(settings.seed, settings.dimension, CHUNK_WORDS)
    rows: list[Measured] = []
    builds: list[str] = []
    for size, topics in steps:
        with progress_bar(f"Writing {size:,} queries") as progress:
            fill(graph, synthetic, topics, progress)
        with progress_bar(f"Joining {size:,} queries") as progress:
            builds.append(_joined(graph, progress))
        questions = synthetic.questions(settings.questions + settings.warm_up, topics.stop)
        with progress_bar(f"Asking {size:,} queries") as progress:
            times, returned = in_turns(contestants(graph), questions, settings.warm_up, progress)
        written = topics.stop * QUERIES_PER_TOPIC
        _check(returned, written)
        rows += compared(times, written, BARE, means(returned))
    return Result("Latency of retrieval", "ms", "queries", BARE, tuple(rows), (*_notes(settings), *builds))


def _joined(graph: Graph, progress: Progress) -> str:
    made = build_queries(graph, progress=progress)
    return (
        f"SIMILAR_TO at {made.queries:,} queries: {made.relationships:,} in {made.seconds:,.0f} s, "
        f"recall {made.recall:.3f}."
    )


def contestants(graph: Graph) -> dict[str, Callable[[Question], int]]:
    """All that is compared, which give how much they found; QCG's settings are the defaults but for the hops."""
    hops = {number: QcgSettings(hops=number) for number in (0, 1, 2)}

    def rows(path: str, **parameters: Any) -> Callable[[Question], int]:
        return lambda question: len(graph.rows(path, question_vector=question.vector, **parameters))

    def method(chosen: Method) -> Callable[[Question], int]:
        return lambda question: len(chosen.retrieve(graph, question.text, question.vector).passages)

    def client(chosen: QcgSettings) -> Callable[[Question], int]:
        return lambda question: len(retrieve_by_client(graph, chosen, question.vector))

    wanted, taken = hops[1].queries, hops[1].queries * hops[1].candidate_factor
    return {
        "empty round trip": rows(own("round_trip")),
        BARE: rows(own("vector_index"), candidates=wanted),
        f"{BARE}, {taken} candidates": rows(own("vector_index"), candidates=taken),
        **{f"qcg h = {number}": method(Qcg(chosen)) for number, chosen in hops.items()},
        **{f"qcg h = {number} by a client": client(chosen) for number, chosen in hops.items()},
        **{chosen.name: method(chosen) for chosen in (VectorBaseline(), Fulltext(), Hybrid())},
    }


def _check(returned: dict[str, list[int]], size: int) -> None:
    """A method that finds next to nothing is fast, and measures nothing."""
    wanted = QcgSettings().passages
    for name, found in returned.items():
        enough = sum(number >= wanted for number in found) >= 0.9 * len(found)
        if name.startswith("qcg") and not enough:
            raise GraphError(
                f"{name} at {size:,} queries finds {wanted} passages for too few questions.",
                "The synthetic data are too sparse: use more queries, or another seed.",
            )


def _notes(settings: RetrieveSettings) -> Iterator[str]:
    yield (
        f"Synthetic data, seed {settings.seed}: clustered vectors of {settings.dimension} dimensions, {QUERIES} "
        f"queries per chunk, {CHUNKS} chunks per document, {CHUNK_WORDS} words per chunk, no windows."
    )
    yield (
        f"{settings.questions} questions, after {settings.warm_up} untimed ones, each asked of every method in turn; "
        "the time is the whole call in Python with the question's vector given, until the passages are there."
    )
    yield f"The ratio is the median, over the questions, of a method's time by that of the {BARE} for 15 queries."
    yield "By a client: the same method with the same result, one round trip per step, the method itself in Python."


# The same QCG as `retrieve/qcg`, done by a client


@dataclass(frozen=True)
class Reached:
    """A query on the way: its text, the query that it was reached from (None for a hit), the relationship's score."""

    id: str
    text: str
    source: str | None = None
    weight: float | None = None


def retrieve_by_client(graph: Graph, settings: QcgSettings, vector: Vectors) -> list[Passage]:
    """The passages of ``Qcg(settings)`` for the question's embedding (dimension,), with the same paths."""
    reached = _hits(graph, settings, vector)
    frontier = list(reached)
    for _ in range(settings.hops):
        frontier = _expand(graph, settings, reached, frontier)
    found = graph.rows(own("client_chunks"), ids=list(reached), question_vector=vector)
    similarity = {row["id"]: row["similarity"] for row in found}
    by_chunk: dict[str, list[str]] = defaultdict(list)
    for row in found:
        by_chunk[row["chunk"]].append(row["id"])
    scores = {
        chunk: _aggregate([similarity[query] for query in queries], settings.aggregation)
        for chunk, queries in by_chunk.items()
    }
    best = sorted(scores, key=lambda chunk: (-scores[chunk], -len(by_chunk[chunk]), chunk))[: settings.passages]
    rows = {row["id"]: row for row in graph.rows(own("client_passages"), ids=best)}
    return [
        Passage(**rows[chunk], score=scores[chunk], paths=_paths(by_chunk[chunk], reached, similarity))
        for chunk in best
    ]


def _aggregate(similarities: list[float], how: str) -> float:
    """A chunk's score from its queries' cosines: their mean, the greatest, or their sum."""
    if how == "max":
        return max(similarities)
    return sum(similarities) / (len(similarities) if how == "mean" else 1)


def _hits(graph: Graph, settings: QcgSettings, vector: Vectors) -> dict[str, Reached]:
    candidates = settings.candidate_factor * settings.queries
    rows = graph.rows(own("client_hits"), question_vector=vector, candidates=candidates)
    near = [row for row in rows if row["similarity"] + 1 >= settings.minimum_score]
    near.sort(key=lambda row: (-row["similarity"], row["id"]))
    return {row["id"]: Reached(row["id"], row["text"]) for row in near[: settings.queries]}


def _expand(graph: Graph, settings: QcgSettings, reached: dict[str, Reached], frontier: list[str]) -> list[str]:
    """One hop: the queries that were not reached before, those from the nearest hit first."""
    neighbours = defaultdict(list)
    for row in graph.rows(own("client_neighbours"), ids=frontier, neighbours=settings.neighbours):
        neighbours[row["source"]].append(row)
    new = []
    for source in frontier:
        for row in neighbours[source]:
            if row["id"] not in reached:
                reached[row["id"]] = Reached(row["id"], row["text"], source, row["weight"])
                new.append(row["id"])
    return new


def _paths(
    queries: list[str], reached: dict[str, Reached], similarity: dict[str, float]
) -> tuple[tuple[Step, ...], ...]:
    ordered = sorted(queries, key=lambda query: -similarity[query])
    return tuple(tuple(_steps(query, reached, similarity)) for query in ordered)


def _steps(query: str, reached: dict[str, Reached], similarity: dict[str, float]) -> list[Step]:
    found = reached[query]
    before = _steps(found.source, reached, similarity) if found.source else []
    relationship = "SIMILAR_TO" if found.source else "HIT"
    return [*before, Step("Query", query, found.text, relationship, similarity[query], found.weight)]
