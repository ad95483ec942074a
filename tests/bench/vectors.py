"""Settings of the vector index, on vectors of texts or synthetic ones: recall, latency, time to build, disk."""

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
from bench.measurement import measurement, numbers
from bench.memory import processor_seconds
from bench.synthetic import QUERIES_PER_TOPIC, Synthetic, Vectors
from qcg_neo4j.cli.command import option
from qcg_neo4j.cli.terminal import notices, progress_bar
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.embedder import open_embedder_of
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.embedding.embedder import Embedder, EmbeddingSettings

# Connections of a node (m), what is looked at while it is put in (ef_construction), and whether numbers are bytes.
QUANTIZED = "quantized"
CHOICES = "16/100/quantized,32/100/quantized,16/200/quantized,32/200/quantized,16/100,32/200"
INDEX, NEAREST, AT_ONCE = "bench_vectors", 10, 512
WORDS = 2  # of synthetic texts, which play no part here


@dataclass(frozen=True)
class VectorIndexSettings(TimedSettings):
    """Settings of a vector index."""

    questions: int = setting(200, "Questions that are timed.", minimum=1)
    synthetic: int = setting(100_000, "Synthetic vectors, where no texts are given.", minimum=QUERIES_PER_TOPIC)
    dimension: int = setting(384, "Numbers per synthetic vector.", minimum=2, maximum=4096)


@measurement(
    VectorIndexSettings,
    option("--texts", type=click.Path(path_type=Path), help="replies in JSON Lines: pairs or graphs"),
    option("--kind", type=click.Choice(("pairs", "atoms", "relations")), default="pairs", help="what of them"),
    option("--asked", type=click.Path(path_type=Path), help="questions in JSON Lines"),
    option("--choices", default=CHOICES, help="m/ef_construction, and /quantized"),
    numbers("--candidates", "10,40", "Candidates that the index is asked for, of which the ten nearest are taken."),
)
def vectors(
    graph: Graph,
    texts: Path | None,
    kind: str,
    asked: Path | None,
    choices: str,
    candidates: Sequence[int],
    settings: VectorIndexSettings,
) -> Result:
    """Compare settings of the vector index: recall of the ten nearest, latency, building, disk."""
    if texts and asked:
        embedder = open_embedder_of(graph, EmbeddingSettings())
        held = _embedded(embedder, list(dict.fromkeys(_texts(texts, kind))))
        lines = asked.read_text(encoding="utf-8").splitlines()[: settings.warm_up + settings.questions]
        questions = _embedded(embedder, [json.loads(line)["question"] for line in lines])
    else:
        synthetic, topics = Synthetic(settings.seed, settings.dimension, WORDS), settings.synthetic // QUERIES_PER_TOPIC
        kind, held = "synthetic vectors", _synthetic(synthetic, topics)
        made = synthetic.questions(settings.warm_up + settings.questions, topics)
        questions = np.array([one.vector for one in made])
    exact = [np.argpartition(-(held @ one), NEAREST)[:NEAREST].tolist() for one in questions[settings.warm_up :]]
    rows = ({"id": str(place), "embedding": vector} for place, vector in enumerate(held))
    graph.write_batches(own("vectors_write"), rows, batch_size=1000)
    times: dict[str, list[float]] = {}
    recalls: dict[str, list[float]] = {}
    notes = []
    for name in choices.split(","):
        m, ef, *more = name.split("/")
        chosen = {"m": int(m), "ef": int(ef), "quantized": more == [QUANTIZED], "dimension": held.shape[1]}
        before, start, work = _disk(graph), time.perf_counter(), processor_seconds(graph)
        graph.run(own("vectors_index"), **chosen)
        graph.run("schema/await_indexes", names=["bench_vectors"], seconds=14_400)
        taken, worked = time.perf_counter() - start, processor_seconds(graph)
        used = "" if work is None or worked is None else f" ({worked - work:.1f} s of processors)"
        notes.append(f"{name}: built in {taken:.1f} s{used}, {(_disk(graph) - before) / 2**20:.0f} MiB on disk.")
        notices().print(notes[-1], markup=False)
        ways = {f"{name}, {most} candidates": lambda one, most=most: _asked(graph, one, most) for most in candidates}
        with progress_bar(name) as progress:
            found = in_turns(ways, list(questions), settings.warm_up, progress)
        times |= found[0]
        recalls |= {way: _recalls(exact, ids) for way, ids in found[1].items()}
        for way in ways:
            notices().print(f"{way}: {100 * np.mean(recalls[way]):.1f} %, {np.median(times[way]):.1f} ms", markup=False)
        graph.run(own("drop_index"), name=INDEX)
    first = next(iter(times))
    shown = compared(times, len(held), first, {way: 100 * share for way, share in means(recalls).items()})
    notes.append(f"returned: recall in percent of the {NEAREST} nearest, against exact search.")
    return Result(f"Vector indexes of {kind}", "ms", "vectors", first, tuple(shown), tuple(notes))


def _synthetic(synthetic: Synthetic, topics: int) -> Vectors:
    made = np.empty((topics * QUERIES_PER_TOPIC, synthetic.dimension), np.float32)
    with progress_bar(f"Making {len(made):,} vectors") as progress:
        for number in range(topics):
            place = number * QUERIES_PER_TOPIC
            made[place : place + QUERIES_PER_TOPIC] = synthetic.topic(number).query_vectors
            progress(number + 1, topics)
    return made


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
