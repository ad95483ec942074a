"""Latency of the retrieval methods, side by side with the bare vector index and with a client's many round trips."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from qcg_neo4j.bench.client import retrieve_by_client
from qcg_neo4j.bench.filling import MODEL, fill
from qcg_neo4j.bench.result import Measured, Result, ratio, spread
from qcg_neo4j.bench.settings import RetrieveBenchSettings
from qcg_neo4j.bench.synthetic import CHUNKS, QUERIES, QUERIES_PER_TOPIC, Question, Synthetic
from qcg_neo4j.build import BuildSettings, build_queries
from qcg_neo4j.errors import GraphError, InputError
from qcg_neo4j.graph import Graph
from qcg_neo4j.progress import Progress, silent
from qcg_neo4j.retrieve import Fulltext, Hybrid, Method, Qcg, QcgSettings, VectorBaseline

Phase = Callable[[str], AbstractContextManager[Progress]]  # what shows a part of the work and how far it is
CHUNK_WORDS = 250
BARE = "bare vector index"


@dataclass(frozen=True)
class Contestant:
    """One way of asking; ``ask`` gives how many rows or passages came back."""

    name: str
    ask: Callable[[Question], int]


def quiet(_: str) -> AbstractContextManager[Progress]:
    """A phase that nobody looks at."""
    return nullcontext(silent)


def bench_retrieve(
    graph: Graph, sizes: Sequence[int], settings: RetrieveBenchSettings, phase: Phase = quiet, command: str = ""
) -> Result:
    """Fill the empty database to each size in turn, and time every method there, warm, question by question.

    Args:
        graph: an empty database (`own_database`, `empty_database`).
        sizes: numbers of queries, rising; each is brought up to a multiple of 200.
        settings: how many questions, and the synthetic data.
        phase: shows progress.
        command: what the result shall name as its command.

    Raises:
        InputError: the sizes do not rise.
        GraphError: QCG does not find as many passages as it should: the data do not fit the measurement.
    """
    if not sizes or sorted(set(sizes)) != list(sizes) or sizes[0] < 1:
        raise InputError(f"The sizes {list(sizes)} do not rise.", "Give numbers of queries such as 10000,100000.")
    graph.use_model(MODEL, settings.dimension)
    synthetic = Synthetic(settings.seed, settings.dimension, CHUNK_WORDS)
    rows: list[Measured] = []
    builds: list[str] = []
    topics = 0
    for size in sizes:
        wanted = math.ceil(size / QUERIES_PER_TOPIC)
        with phase(f"Writing {size:,} queries") as progress:
            fill(graph, synthetic, range(topics, wanted), progress)
        with phase(f"Joining {size:,} queries") as progress:
            builds += _joined(graph, progress)
        topics = wanted
        questions = synthetic.questions(settings.questions + settings.warm_up, topics)
        with phase(f"Asking {size:,} queries") as progress:
            rows += _measured(contestants(graph), questions, settings.warm_up, topics * QUERIES_PER_TOPIC, progress)
    return Result(
        "Latency of retrieval",
        "ms",
        "queries",
        BARE,
        tuple(rows),
        facts(graph),
        tuple(_notes(settings, builds)),
        command,
    )


def _joined(graph: Graph, progress: Progress) -> Iterator[str]:
    """Join the queries in each of the ways that the server has, and say how long each took; the index comes last."""
    for strategy in ("gds", "index") if graph.facts().gds_version else ("index",):
        start = time.perf_counter()
        try:
            made = build_queries(graph, BuildSettings(strategy=strategy), progress)
            said = f"{made.relationships:,} in {made.seconds:,.0f} s, recall {made.recall:.3f}"
        except GraphError as error:
            if strategy == "index":
                raise
            said = f"given up after {time.perf_counter() - start:,.0f} s: {error.problem}"
        size = graph.rows("build/size")[0]["queries"]
        yield f"SIMILAR_TO at {size:,} queries by `qcg build --strategy {strategy}`: {said}."


def contestants(graph: Graph) -> list[Contestant]:
    """All that is compared; QCG's settings are the defaults but for the hops."""
    hops = {number: QcgSettings(hops=number) for number in (0, 1, 2)}

    def rows(path: str, **parameters: Any) -> Callable[[Question], int]:
        return lambda question: len(graph.rows(path, question_vector=question.vector, **parameters))

    def method(chosen: Method) -> Callable[[Question], int]:
        return lambda question: len(chosen.retrieve(graph, question.text, question.vector).passages)

    def client(chosen: QcgSettings) -> Callable[[Question], int]:
        return lambda question: len(retrieve_by_client(graph, chosen, question.vector))

    wanted, taken = hops[1].queries, hops[1].queries * hops[1].candidate_factor
    return [
        Contestant("empty round trip", rows("bench/round_trip")),
        Contestant(BARE, rows("bench/vector_index", candidates=wanted)),
        Contestant(f"{BARE}, {taken} candidates", rows("bench/vector_index", candidates=taken)),
        *(Contestant(f"qcg h = {number}", method(Qcg(chosen))) for number, chosen in hops.items()),
        *(Contestant(f"qcg h = {number} by a client", client(chosen)) for number, chosen in hops.items()),
        *(Contestant(chosen.name, method(chosen)) for chosen in (VectorBaseline(), Fulltext(), Hybrid())),
    ]


def _measured(
    compared: Sequence[Contestant], questions: Sequence[Question], warm_up: int, size: int, progress: Progress
) -> Iterator[Measured]:
    """In turns: for each question all methods, beginning with another one each time, so that drift hits all alike."""
    times: dict[str, list[float]] = {contestant.name: [] for contestant in compared}
    returned: dict[str, list[int]] = {contestant.name: [] for contestant in compared}
    for number, question in enumerate(questions):
        first = number % len(compared)
        for contestant in [*compared[first:], *compared[:first]]:
            start = time.perf_counter()
            found = contestant.ask(question)
            taken = time.perf_counter() - start
            if number >= warm_up:
                times[contestant.name].append(1000 * taken)
                returned[contestant.name].append(found)
        progress(number + 1, len(questions))
    _check(returned, size)
    for name, values in times.items():
        mean = sum(returned[name]) / len(returned[name])
        yield Measured(name, size, spread(values), ratio(values, times[BARE]), mean)


def _check(returned: dict[str, list[int]], size: int) -> None:
    """A method that finds next to nothing is fast, and measures nothing."""
    wanted = QcgSettings().passages
    for name, numbers in returned.items():
        enough = sum(number >= wanted for number in numbers) >= 0.9 * len(numbers)
        if name.startswith("qcg") and not enough:
            raise GraphError(
                f"{name} at {size:,} queries finds {wanted} passages for too few questions.",
                "The synthetic data are too sparse: use more queries, or another seed.",
            )


def facts(graph: Graph) -> dict[str, str]:
    """What the figures depend on beside the code."""
    server = graph.facts()
    gds = f", Graph Data Science {server.gds_version}" if server.gds_version else ""
    return {
        "Server": f"Neo4j {server.version} {server.edition}{gds}",
        "Processors": f"{os.cpu_count()}, shared by server and client",
    }


def _notes(settings: RetrieveBenchSettings, builds: Sequence[str]) -> Iterator[str]:
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
    yield from builds
