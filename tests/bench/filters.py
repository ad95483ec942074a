"""Filtered retrieval: recall against an exact search over what is permitted, and latency, by how much is permitted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench import own
from bench.figures import Measured, Result, TimedSettings, compared, growing, in_turns
from bench.measurement import measurement, numbers
from bench.synthetic import CHUNKS, MODEL, QUERIES, QUERIES_PER_TOPIC, Question, Synthetic, Topic, Vectors, fill
from qcg_neo4j.cli.terminal import progress_bar
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.database.permission import permission
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.database.status import server_facts
from qcg_neo4j.retrieval import Method, Qcg, QcgSettings, VectorBaseline, filtered

CHUNK_WORDS = 40
SHARES = (100.0, 50.0, 5.0, 0.5)  # percent of the documents that are permitted
FREE = "no filter"
WITHIN, FILTERED = "SEARCH … WHERE", "our filter"
Ranked = list[str]


@dataclass(frozen=True)
class FilterSettings(TimedSettings):
    """Recall and latency of retrieval with filters on synthetic data."""

    questions: int = setting(100, "Questions that every method answers while it is timed.", minimum=1)
    dimension: int = setting(384, "Numbers per vector.", minimum=2, maximum=4096)


@dataclass(frozen=True)
class Permitted:
    """What a filter leaves: the vectors of the queries and chunks of the permitted documents, with their chunks."""

    chunks: tuple[str, ...]
    chunk_vectors: Vectors
    query_chunks: tuple[str, ...]
    query_vectors: Vectors

    def by_queries(self, question: Vectors, settings: QcgSettings) -> Ranked:
        """The chunks by the mean of the best queries, compared with all of them."""
        scores = self.query_vectors @ question
        best = np.argsort(-scores, kind="stable")[: settings.queries]
        best = best[scores[best] + 1 >= settings.minimum_score]
        held: dict[str, list[float]] = defaultdict(list)
        for place in best:
            held[self.query_chunks[place]].append(float(scores[place]))
        ranked = sorted(held, key=lambda chunk: (-np.mean(held[chunk]), -len(held[chunk]), chunk))
        return ranked[: settings.passages]

    def by_chunks(self, question: Vectors, most: int) -> Ranked:
        """The chunks nearest to the question, compared with all of them."""
        scores = self.chunk_vectors @ question
        return [self.chunks[place] for place in np.argsort(-scores, kind="stable")[:most]]


@measurement(FilterSettings, numbers("--sizes", "10000,100000", "Numbers of queries in the graph, rising."))
def filters(graph: Graph, sizes: Sequence[int], settings: FilterSettings) -> Result:
    """Recall and latency with filters, against an exact search over the permitted documents.

    Documents are permitted at random, so that most of them are far from the question.

    Raises:
        InputError: the sizes do not rise.
    """
    use_model(graph, MODEL, settings.dimension)
    synthetic = Synthetic(settings.seed, settings.dimension, CHUNK_WORDS)
    measured: list[Measured] = []
    for size, topics in growing(sizes, QUERIES_PER_TOPIC):
        with progress_bar(f"Writing {size:,} queries") as progress:
            fill(graph, synthetic, topics, progress)
        order = np.random.default_rng(settings.seed).permutation(topics.stop)
        graph.run(own("rank_documents"), ids=[synthetic.topic(int(number)).id for number in order])
        await_indexes(graph)
        questions = synthetic.questions(settings.questions + settings.warm_up, topics.stop)
        measured += _measured(graph, synthetic, order.tolist(), questions, settings)
        if "5.26" not in server_facts(graph).version:
            measured += _searched(graph, synthetic, order.tolist(), questions, settings)
    return Result("Filters", "ms", "queries", FREE, tuple(measured), tuple(_notes(settings)))


def _measured(
    graph: Graph, synthetic: Synthetic, order: list[int], questions: Sequence[Question], settings: FilterSettings
) -> Iterator[Measured]:
    topics = [synthetic.topic(number) for number in order]
    for method in (Qcg(QcgSettings(hops=0)), VectorBaseline()):
        ways = {f"{method.name}, {FREE}": _way(graph, method)}
        exact: dict[str, Permitted] = {}
        for share in SHARES:
            most = max(1, round(len(topics) * share / 100))
            name = f"{method.name}, {share:g} %: {most:,} documents"
            ways[name] = _way(graph, filtered(method, f"rank < {most}"))
            exact[name] = _permitted(topics[:most])
        with progress_bar(f"Asking {len(topics) * QUERIES_PER_TOPIC:,} queries by {method.name}") as progress:
            times, found = in_turns(ways, questions, settings.warm_up, progress)
        asked = questions[settings.warm_up :]
        recalls = {name: recall(found[name], [_expected(one, method, q) for q in asked]) for name, one in exact.items()}
        named = {f"{name}, recall {recalls[name]:.4f}" if name in recalls else name: own for name, own in times.items()}
        yield from compared(named, len(topics) * QUERIES_PER_TOPIC, f"{method.name}, {FREE}")


def _searched(
    graph: Graph, synthetic: Synthetic, order: list[int], questions: Sequence[Question], settings: FilterSettings
) -> Iterator[Measured]:
    """The nearest queries of what is permitted: by what methods do, and by an index that holds what is filtered by."""
    graph.run(own("filters_mark"))
    graph.run(own("filters_index"), dimension=settings.dimension)
    graph.run("schema/await_indexes", names=["bench_filtered"], seconds=3600)
    topics = [synthetic.topic(number) for number in order]
    chosen = QcgSettings()
    best = own("filters_best")
    few = {"candidates": chosen.candidate_factor * chosen.queries, "wanted": chosen.queries}
    ways: dict[str, Callable[[Question], Ranked]] = {}
    exact: dict[str, tuple[Ranked, Vectors]] = {}

    def filtering(most: int) -> Callable[[Question], Ranked]:
        def ask(one: Question) -> Ranked:
            permitted = permission(graph, f"rank < {most}")
            call = Call(f"retrieve/near | {best}", {"vectors": {"Query": one.vector}, "permitted": None, **few})
            return [row["id"] for row in graph.rows(permitted.applied(call))]

        return ask

    def within(most: int) -> Callable[[Question], Ranked]:
        return lambda one: [
            row["id"] for row in graph.rows(own("filters_within"), question_vector=one.vector, most=most, **few)
        ]

    for share in SHARES:
        most = max(1, round(len(topics) * share / 100))
        ids = [name for topic in topics[:most] for name in topic.query_ids]
        held = ids, np.concatenate([topic.query_vectors for topic in topics[:most]])
        for name, way in ((f"{WITHIN}, {share:g} %", within(most)), (f"{FILTERED}, {share:g} %", filtering(most))):
            ways[name], exact[name] = way, held
    with progress_bar(f"Asking {len(topics) * QUERIES_PER_TOPIC:,} queries in both ways") as progress:
        times, found = in_turns(ways, questions, settings.warm_up, progress)
    graph.run(own("drop_index"), name="bench_filtered")
    asked = questions[settings.warm_up :]
    recalls = {
        name: recall(found[name], [_nearest(ids, vectors, one, chosen.queries) for one in asked])
        for name, (ids, vectors) in exact.items()
    }
    named = {f"{name}, recall {recalls[name]:.4f}": taken for name, taken in times.items()}
    yield from compared(named, len(topics) * QUERIES_PER_TOPIC, next(iter(named)))


def _nearest(ids: Ranked, vectors: Vectors, question: Question, wanted: int) -> Ranked:
    return [ids[place] for place in np.argsort(-(vectors @ question.vector), kind="stable")[:wanted]]


def _way(graph: Graph, method: Method) -> Callable[[Question], Ranked]:
    return lambda question: [one.id for one in method.retrieve(graph, question.text, question.vector).passages]


def _expected(permitted: Permitted, method: Method, question: Question) -> Ranked:
    settings: Any = method.settings
    if isinstance(method, Qcg):
        return permitted.by_queries(question.vector, settings)
    return permitted.by_chunks(question.vector, settings.passages)


def _permitted(topics: Sequence[Topic]) -> Permitted:
    chunks = tuple(name for topic in topics for name in topic.chunk_ids)
    return Permitted(
        chunks,
        np.concatenate([topic.chunk_vectors for topic in topics]),
        tuple(name for name in chunks for _ in range(QUERIES)),
        np.concatenate([topic.query_vectors for topic in topics]),
    )


def recall(found: Sequence[Ranked], expected: Sequence[Ranked]) -> float:
    """The mean share of the expected that was found, over the questions for which there is any."""
    pairs = zip(found, expected, strict=True)
    return float(np.mean([len({*one} & {*other}) / len(other) for one, other in pairs if other]))


def _notes(settings: FilterSettings) -> Iterator[str]:
    yield (
        f"Synthetic data, seed {settings.seed}: clustered vectors of {settings.dimension} dimensions, {QUERIES} "
        f"queries per chunk, {CHUNKS} chunks per document. Permitted documents are drawn at random."
    )
    yield "Recall: of the passages that an exact search over the permitted finds, the share that is among those found."
    yield (
        f"{settings.questions} questions, after {settings.warm_up} untimed ones, each asked of every filter in turn; "
        "with a filter there are two round trips."
    )
