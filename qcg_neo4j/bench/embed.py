"""Texts that are embedded a second: the model inside the database against sentence-transformers, in turns."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from qcg_neo4j.bench.result import Measured, Result, ratio, spread
from qcg_neo4j.bench.retrieve import Phase, facts, quiet
from qcg_neo4j.bench.settings import EmbedBenchSettings
from qcg_neo4j.bench.synthetic import Synthetic
from qcg_neo4j.embedding import Embedder, EmbeddingSettings
from qcg_neo4j.graph import Graph, open_embedder_of
from qcg_neo4j.progress import Progress

DATABASE, LOCAL = "in the database (qcg-embedding)", "sentence-transformers in this process"


def bench_embed(
    graph: Graph, sizes: Sequence[int], settings: EmbedBenchSettings, phase: Phase = quiet, command: str = ""
) -> Result:
    """Embed the same synthetic texts by both, in turns; the first time of each, with which it loads its model, apart.

    Args:
        graph: any database whose server has the plug-in qcg-embedding; nothing is written.
        sizes: tokens per text, each at least 1; what the model does not read is cut off.
        settings: how many texts and how often.
        phase: shows progress.
        command: what the result shall name as its command.

    Raises:
        MissingPluginError: the server cannot embed.
        MissingPackageError: sentence-transformers is not installed.
    """
    embedders = {
        DATABASE: open_embedder_of(graph, EmbeddingSettings(embedder="database")),
        LOCAL: open_embedder_of(graph, EmbeddingSettings(embedder="local")),
    }
    first = {name: _seconds(embedder, ["The first text."]) for name, embedder in embedders.items()}
    rows: list[Measured] = []
    with phase("Embedding") as progress:
        for place, size in enumerate(sizes):
            texts = _texts(embedders[DATABASE], size, settings)
            rows += _measured(embedders, size, texts, settings.repetitions, progress, (place, len(sizes)))
    notes = (
        f"{settings.texts} synthetic texts, seed {settings.seed}, cut to so many tokens; {settings.repetitions} "
        "repetitions in turns after an untimed one. The ratio is the median, over the repetitions, of the throughput "
        "by that of sentence-transformers.",
        *(f"The first text of a process, {name}: {seconds:.1f} s." for name, seconds in first.items()),
    )
    return Result("Texts embedded", "texts/s", "tokens", LOCAL, tuple(rows), facts(graph), notes, command)


def _texts(embedder: Embedder, tokens: int, settings: EmbedBenchSettings) -> list[str]:
    """Texts of exactly so many tokens, without the two that the model puts around them."""
    synthetic = Synthetic(settings.seed, embedder.dimension, 2 * tokens + 1)
    words = (text for number in range(settings.texts) for text in synthetic.topic(number).chunk_texts)
    encoded = [embedder.tokenizer.encode(next(words), add_special_tokens=False) for _ in range(settings.texts)]
    return [embedder.tokenizer.decode(one.ids[:tokens]) for one in encoded]


def _measured(
    embedders: dict[str, Embedder],
    size: int,
    texts: Sequence[str],
    repetitions: int,
    progress: Progress,
    done: tuple[int, int],
) -> Iterator[Measured]:
    speeds: dict[str, list[float]] = {name: [] for name in embedders}
    for number in range(repetitions + 1):  # the first one warms up
        for name in embedders if number % 2 else reversed(embedders):
            seconds = _seconds(embedders[name], texts)
            if number:
                speeds[name].append(len(texts) / seconds)
        progress(done[0] * (repetitions + 1) + number + 1, done[1] * (repetitions + 1))
    for name, values in speeds.items():
        yield Measured(name, size, spread(values), ratio(values, speeds[LOCAL]))


def _seconds(embedder: Embedder, texts: Sequence[str]) -> float:
    start = time.perf_counter()
    embedder.embed(texts)
    return time.perf_counter() - start
