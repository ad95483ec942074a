"""A corpus from empty to answers: what each step takes, every method for one, four and sixteen askers, and recall."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench import own
from bench.corpus_data import Batches, Corpus, name_of, vectors_of, write_chunks, write_extracted, write_queries
from bench.figures import Measured, Result, Spread, TimedSettings, spread
from bench.measurement import measurement, numbers
from bench.memory import processor_seconds
from bench.synthetic import CHUNKS, Question
from qcg_neo4j.cli.terminal import notices, progress_bar
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import recorded_model, use_model
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.indexing.build import build_atoms, build_communities, build_queries, build_synonyms, measure_indexes
from qcg_neo4j.indexing.load.transactions import pieces
from qcg_neo4j.indexing.train import import_predictor
from qcg_neo4j.models.embedding.known_models import DEFAULT_MODEL
from qcg_neo4j.retrieval import Method, filtered, method
from qcg_neo4j.server import status

NAMES = ("vector", "fulltext", "hybrid", "qcg", "layers", "kg-cqr", "atomic", "lp", "graphrag-local")
METHODS: Mapping[str, Method] = {name: method(name) for name in NAMES}
COMPARED = ("qcg", "layers", "kg-cqr", "atomic")
ALL_DOCUMENTS = "title is not null"
EXACT = 1e9  # times as wide as usual: then all that a filter permits is compared
PREDICTOR = Path(__file__).parents[2] / "qcg_neo4j/samples/lihuaworld/predictor.npz"
CHUNK_WORDS = 100
DOCUMENTS_AT_ONCE = 50  # per transaction: 500 chunks, or 5,000 queries
PATIENCE = 7200  # seconds until indexes are there
NEAREST = 10
WIDTHS = (1.0, 2.5, 5.0, 10.0, 20.0)  # times as many candidates as methods take, four for each that is wanted

Step = Callable[[Progress], int]


@dataclass(frozen=True)
class EndToEndSettings(TimedSettings):
    """A whole corpus of synthetic data."""

    chunks: int = setting(10_000, "Chunks; ten queries, four atoms, three triples, two entities each.", minimum=100)
    dimension: int = setting(384, "Numbers per vector.", minimum=2, maximum=4096)
    exact: int = setting(10, "Questions whose passages are compared with those of exact search.", minimum=1)


@measurement(EndToEndSettings, numbers("--askers", "1,4,16", "Numbers of those who ask at the same time."))
def end_to_end(graph: Graph, askers: Sequence[int], settings: EndToEndSettings) -> Result:
    """Write a corpus with given vectors, build all, and ask by every method; time, memory, disk and recall."""
    use_model(graph, DEFAULT_MODEL, settings.dimension)
    corpus, documents = Corpus(settings.seed, settings.dimension, CHUNK_WORDS), settings.chunks // CHUNKS
    batches = list(pieces(range(documents), DOCUMENTS_AT_ONCE))
    rows, notes = [], []
    for name, step in _steps(graph, corpus, batches).items():
        start = time.perf_counter()
        with progress_bar(name[:1].upper() + name[1:]) as progress:
            size = step(progress)
        rows.append(_once(name, size, time.perf_counter() - start))
        notes.append(f"After {name} ({rows[-1].spread.median:,.0f} s): {_taken(graph)}.")
        notices().print(notes[-1], markup=False)
    start = time.perf_counter()
    with progress_bar("One more document") as progress:
        for step in _steps(graph, corpus, list(pieces(range(documents, documents + 1), 1))).values():
            step(progress)
    rows.append(_once("one more document, and all stages again", CHUNKS, time.perf_counter() - start))
    documents += 1
    notes.append(f"Recall of the {NEAREST} nearest: {_recalls(graph, corpus, documents, settings)}.")
    notices().print(notes[-1], markup=False)
    asked = _questions(corpus, documents, settings)
    for name, asks in METHODS.items():
        for number in askers:
            times, work = _latency(graph, asks, asked, number, settings)
            rows.append(Measured(f"{name}, ms, asked by {number}", settings.chunks, times))
            if work is not None:
                rows.append(
                    Measured(f"{name}, ms of processor in the server, asked by {number}", settings.chunks, work)
                )
            notices().print(*(f"{row.name}: {row.spread.median:,.1f}" for row in rows[-2:]), markup=False)
    notes.append(f"After the questions: {_taken(graph)}.")
    for name in COMPARED:
        share = _kept(graph, METHODS[name], asked[: settings.exact])
        notes.append(f"{name}: {100 * share:.1f} % of the passages of exact search.")
        notices().print(notes[-1], markup=False)
    return Result("From empty to answers", "s or ms", "rows", "", tuple(rows), tuple(notes))


def _steps(graph: Graph, corpus: Corpus, batches: Batches) -> dict[str, Step]:
    def indexed(_: Progress) -> int:
        await_indexes(graph, PATIENCE)
        return 0

    def measured(progress: Progress) -> int:
        report = measure_indexes(graph, progress=progress)
        found = (f"{kind} {wanted:,} ({report.recall[kind]:.3f})" for kind, wanted in report.candidates.items())
        notices().print(f"Candidates for ten wanted, and recall: {', '.join(found)}.", markup=False)
        return sum(report.candidates.values())

    def stage(build: Callable[..., object], kind: str) -> Step:
        def run(progress: Progress) -> int:
            build(graph, progress=progress)
            return int(graph.rows(own("kind_count"), kind=kind)[0]["number"])

        return run

    return {
        "writing documents and chunks": lambda progress: write_chunks(graph, corpus, batches, progress),
        "writing queries": lambda progress: write_queries(graph, corpus, batches, progress),
        "writing entities, atoms and triples": lambda progress: write_extracted(graph, corpus, batches, progress),
        "waiting for the indexes": indexed,
        "qcg build queries": stage(build_queries, "Query"),
        "qcg build synonyms": stage(build_synonyms, "Entity"),
        "qcg build atoms": stage(build_atoms, "Atom"),
        "qcg build communities": stage(build_communities, "Entity"),
        "qcg build indexes": measured,
        "qcg train import": lambda _: int(bool(import_predictor(graph, PREDICTOR))),
    }


def _once(name: str, size: int, seconds: float) -> Measured:
    return Measured(f"{name}, s", size, Spread(*[seconds] * 6))


def _taken(graph: Graph) -> str:
    """What the server takes of memory and disk."""
    data = Path(graph.rows("schema/data_folder")[0]["folder"])
    server, heap, gib = status(data.parent), graph.rows(own("heap"))[0], 2**30
    return (
        f"{(server.memory or 0) / gib:.1f} GiB resident, heap {heap['used'] / gib:.1f} of {heap['most'] / gib:.1f} "
        f"GiB, {server.data / gib:.1f} GiB on disk"
    )


def _recalls(graph: Graph, corpus: Corpus, documents: int, settings: EndToEndSettings) -> str:
    """Of what each index finds by as many candidates as methods take, against exact search."""
    questions = corpus.synthetic.questions(settings.questions, documents)
    asked = np.array([one.vector for one in questions])
    best: dict[str, tuple[NDArray[np.str_], NDArray[np.float32]]] = {}
    for kind, ids, vectors in vectors_of(corpus, list(pieces(range(documents), DOCUMENTS_AT_ONCE))):
        names, scores = np.tile(ids, (len(asked), 1)), asked @ vectors.T
        if kind in best:
            names, scores = np.hstack((best[kind][0], names)), np.hstack((best[kind][1], scores))
        near = np.argsort(-scores)[:, :NEAREST]
        best[kind] = np.take_along_axis(names, near, 1), np.take_along_axis(scores, near, 1)
    widening = (recorded_model(graph) or {"widening": 1.0})["widening"]
    found = []
    for factor in sorted({*WIDTHS, widening}):
        shares = {
            kind: np.mean(
                [
                    len(
                        {*names.tolist()} & {row["id"] for row in _nearest(graph, kind, one, int(factor * 4 * NEAREST))}
                    )
                    for names, one in zip(exact, questions, strict=True)
                ]
            )
            / NEAREST
            for kind, (exact, _) in best.items()
        }
        told = ", ".join(f"{kind} {share:.3f}" for kind, share in shares.items())
        found.append(f"{told} of {factor * 4 * NEAREST:,.0f} candidates")
    return "; ".join(found)


def _nearest(graph: Graph, kind: str, question: Question, candidates: int) -> Sequence[Mapping[str, object]]:
    given = {"question_vector": question.vector, "candidates": candidates, "wanted": NEAREST}
    path = own("nearest_relationships") if kind == "related_to" else own("nearest_nodes")
    return graph.rows(path, index=graph.own(f"qcg_{kind}_embedding"), **given)


def _questions(corpus: Corpus, documents: int, settings: EndToEndSettings) -> list[Question]:
    """Each has the name of an entity in it."""
    random = np.random.default_rng([settings.seed, documents])
    asked = corpus.synthetic.questions(settings.questions + settings.warm_up, documents)
    return [Question(f"{one.text} {name_of(int(random.integers(documents)), 0)}?", one.vector) for one in asked]


def _latency(
    graph: Graph, asks: Method, asked: Sequence[Question], askers: int, settings: EndToEndSettings
) -> tuple[Spread, Spread | None]:
    """Milliseconds per question, and those of processors in the server: their mean."""

    def ask(question: Question) -> float:
        start = time.perf_counter()
        asks.retrieve(graph, question.text, question.vector)
        return 1000 * (time.perf_counter() - start)

    with ThreadPoolExecutor(askers) as pool:
        list(pool.map(ask, asked[: settings.warm_up]))
        before = processor_seconds(graph)
        times = list(pool.map(ask, asked[settings.warm_up :]))
    after = processor_seconds(graph)
    if before is None or after is None:
        return spread(times), None
    return spread(times), Spread(*[1000 * (after - before) / len(times)] * 6)


def _kept(graph: Graph, asks: Method, asked: Sequence[Question]) -> float:
    """The share of the passages that exact search finds among those of the method as it is."""
    found = [_passages(graph, asks, one) for one in asked]
    usual = (recorded_model(graph) or {"widening": 1.0})["widening"]
    _widen(graph, EXACT)
    exact = [_passages(graph, filtered(asks, ALL_DOCUMENTS), one) for one in asked]
    _widen(graph, usual)
    return float(np.mean([len(one & other) / len(other) for one, other in zip(found, exact, strict=True)]))


def _passages(graph: Graph, asks: Method, question: Question) -> set[str]:
    return {one.id for one in asks.retrieve(graph, question.text, question.vector).passages}


def _widen(graph: Graph, widening: float) -> None:
    graph.write(Call("build/widen", {"widening": widening}))
    graph.recorded = None
