"""Settings of the vector index on vectors of real texts: recall against exact search, latency, time to build, disk."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from bench import own
from bench.figures import Result, TimedSettings, compared, in_turns, means
from bench.measurement import measurement
from bench.synthetic import Vectors
from qcg_neo4j.cli.command import option
from qcg_neo4j.cli.terminal import notices, progress_bar
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.embedder import open_embedder_of
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.models.embedding.embedder import Embedder, EmbeddingSettings

# Connections of a node (m), what is looked at while it is put in (ef_construction), and whether numbers are bytes.
CHOICES = ((16, 100, True), (32, 100, True), (16, 200, True), (32, 200, True), (16, 100, False), (32, 200, False))
INDEX, NEAREST, AT_ONCE = "bench_vectors", 10, 512


@dataclass(frozen=True)
class VectorIndexSettings(TimedSettings):
    """Settings of a vector index on vectors of texts."""

    questions: int = setting(200, "Questions that are timed.", minimum=1)
    candidates: int = setting(40, "Candidates that the index is asked for besides the ten wanted.", minimum=10)


@measurement(
    VectorIndexSettings,
    option("--texts", type=click.Path(path_type=Path), required=True, help="replies in JSON Lines: pairs or graphs"),
    option("--kind", type=click.Choice(("pairs", "atoms", "relations")), default="pairs", help="what of them"),
    option("--asked", type=click.Path(path_type=Path), required=True, help="questions in JSON Lines"),
)
def vectors(graph: Graph, texts: Path, kind: str, asked: Path, settings: VectorIndexSettings) -> Result:
    """Compare settings of the vector index on vectors of texts: recall of the ten nearest, latency, building, disk."""
    embedder = open_embedder_of(graph, EmbeddingSettings())
    held = _embedded(embedder, list(dict.fromkeys(_texts(texts, kind))))
    lines = asked.read_text(encoding="utf-8").splitlines()[: settings.warm_up + settings.questions]
    questions = _embedded(embedder, [json.loads(line)["question"] for line in lines])
    exact = [np.argsort(-(held @ one))[:NEAREST].tolist() for one in questions[settings.warm_up :]]
    rows = [{"id": str(place), "embedding": vector} for place, vector in enumerate(held)]
    graph.write_batches(own("vectors_write"), rows, batch_size=1000)
    times: dict[str, list[float]] = {}
    recalls: dict[str, list[float]] = {}
    notes = []
    for m, ef, quantized in CHOICES:
        before, start = _disk(graph), time.perf_counter()
        chosen = {"m": m, "ef": ef, "quantized": quantized, "dimension": held.shape[1]}
        graph.run(own("vectors_index"), **chosen)
        await_indexes(graph, 3600)
        name = f"m {m}, ef_construction {ef}, {'quantized' if quantized else 'not quantized'}"
        taken = time.perf_counter() - start
        notes.append(f"{name}: built in {taken:.1f} s, {(_disk(graph) - before) / 2**20:.0f} MiB on disk.")
        notices().print(notes[-1], markup=False)
        ways = {
            f"{name}, {most} candidates": lambda one, most=most: _asked(graph, one, most)
            for most in (NEAREST, settings.candidates)
        }
        with progress_bar(name) as progress:
            found = in_turns(ways, list(questions), settings.warm_up, progress)
        times |= found[0]
        recalls |= {way: _recalls(exact, ids) for way, ids in found[1].items()}
        graph.run(own("drop_index"), name=INDEX)
    first = next(iter(times))
    shown = compared(times, len(held), first, {way: 100 * share for way, share in means(recalls).items()})
    notes.append(f"returned: recall in percent of the {NEAREST} nearest, against exact search.")
    return Result(f"Vector indexes of {kind}", "ms", "vectors", first, tuple(shown), tuple(notes))


def _texts(file: Path, kind: str) -> Iterator[str]:
    for line in file.read_text(encoding="utf-8").splitlines():
        for item in json.loads(line)["reply"].get(kind, ()):
            yield f"{item['question']} {item['answer']}" if kind == "pairs" else item.get("text") or item["ttr"]


def _embedded(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    made = []
    with progress_bar(f"Embedding {len(texts):,} texts") as progress:
        for start in range(0, len(texts), AT_ONCE):
            made.append(np.asarray(embedder.embed(texts[start : start + AT_ONCE]), np.float32))
            progress(min(start + AT_ONCE, len(texts)), len(texts))
    return np.concatenate(made)


def _disk(graph: Graph) -> int:
    """The bytes of all vector indexes."""
    folder = Path(graph.rows("schema/data_folder")[0]["folder"])
    return sum(file.stat().st_size for file in folder.rglob("schema/index/vector-*/**/*") if file.is_file())


def _asked(graph: Graph, vector: Any, most: int) -> list[int]:
    given = {"question_vector": vector, "candidates": most, "wanted": NEAREST}
    return [int(row["id"]) for row in graph.rows(Call(own("nearest_nodes"), {"index": INDEX, **given}))]


def _recalls(exact: Sequence[Sequence[int]], found: Sequence[Sequence[int]]) -> list[float]:
    return [len({*nearest} & {*ids}) / len(nearest) for nearest, ids in zip(exact, found, strict=True)]
