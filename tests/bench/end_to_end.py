"""A corpus from empty to answers: what each step takes, and every method for one, four and sixteen who ask at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench import own
from bench.corpus_data import Batches, Corpus, name_of, vectors_of, write_chunks, write_extracted, write_queries
from bench.figures import Measured, Result, Spread, TimedSettings, spread
from bench.measurement import measurement, numbers
from bench.synthetic import CHUNKS, Question
from qcg_neo4j.cli.terminal import notices, progress_bar
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.indexing.build import build_atoms, build_communities, build_queries, build_synonyms
from qcg_neo4j.indexing.load.transactions import pieces
from qcg_neo4j.indexing.train import import_predictor
from qcg_neo4j.models.embedding.known_models import DEFAULT_MODEL
from qcg_neo4j.retrieval import method
from qcg_neo4j.server import status

METHODS = ("vector", "fulltext", "hybrid", "qcg", "layers", "kg-cqr", "atomic", "lp", "graphrag-local")
PREDICTOR = Path(__file__).parents[2] / "qcg_neo4j/samples/lihuaworld/predictor.npz"
CHUNK_WORDS = 100
DOCUMENTS_AT_ONCE = 50  # per transaction: 500 chunks, or 5,000 queries
PATIENCE = 7200  # seconds until indexes are there
NEAREST = 10

Step = Callable[[Progress], int]


@dataclass(frozen=True)
class EndToEndSettings(TimedSettings):
    """A whole corpus of synthetic data."""

    chunks: int = setting(10_000, "Chunks; ten queries, four atoms, three triples, two entities each.", minimum=100)
    dimension: int = setting(384, "Numbers per vector.", minimum=2, maximum=4096)


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
    asked = _questions(corpus, documents, settings)
    for name in METHODS:
        for number in askers:
            rows.append(
                Measured(
                    f"{name}, ms, asked by {number}", settings.chunks, _latency(graph, name, asked, number, settings)
                )
            )
            notices().print(f"{rows[-1].name}: {rows[-1].spread.median:,.1f}", markup=False)
    notes.append(f"After the questions: {_taken(graph)}.")
    return Result("From empty to answers", "s or ms", "rows", "", tuple(rows), tuple(notes))


def _steps(graph: Graph, corpus: Corpus, batches: Batches) -> dict[str, Step]:
    def indexed(_: Progress) -> int:
        await_indexes(graph, PATIENCE)
        return 0

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
    """Of what each index finds by its usual candidates, against exact search."""
    questions = corpus.synthetic.questions(settings.questions, documents)
    found = []
    for kind, (ids, vectors) in vectors_of(corpus, documents).items():
        exact = [np.argpartition(-(vectors @ one.vector), NEAREST)[:NEAREST] for one in questions]
        shares = [
            len({ids[place] for place in best} & {row["id"] for row in _nearest(graph, kind, one)}) / NEAREST
            for best, one in zip(exact, questions, strict=True)
        ]
        found.append(f"{kind} {np.mean(shares):.3f}")
    return ", ".join(found)


def _nearest(graph: Graph, kind: str, question: Question) -> Sequence[Mapping[str, object]]:
    given = {"question_vector": question.vector, "candidates": 4 * NEAREST, "wanted": NEAREST}
    path = own("nearest_relationships") if kind == "related_to" else own("nearest_nodes")
    return graph.rows(path, index=graph.own(f"qcg_{kind}_embedding"), **given)


def _questions(corpus: Corpus, documents: int, settings: EndToEndSettings) -> list[Question]:
    """Each has the name of an entity in it."""
    random = np.random.default_rng([settings.seed, documents])
    asked = corpus.synthetic.questions(settings.questions + settings.warm_up, documents)
    return [Question(f"{one.text} {name_of(int(random.integers(documents)), 0)}?", one.vector) for one in asked]


def _latency(graph: Graph, name: str, asked: Sequence[Question], askers: int, settings: EndToEndSettings) -> Spread:
    """Milliseconds per question."""
    asks = method(name)

    def ask(question: Question) -> float:
        start = time.perf_counter()
        asks.retrieve(graph, question.text, question.vector)
        return 1000 * (time.perf_counter() - start)

    with ThreadPoolExecutor(askers) as pool:
        list(pool.map(ask, asked[: settings.warm_up]))
        return spread(list(pool.map(ask, asked[settings.warm_up :])))
