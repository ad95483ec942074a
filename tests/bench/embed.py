"""Texts that are embedded a second: the model inside the database against sentence-transformers, in turns."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from bench.figures import Measured, Result, compared, in_turns
from bench.measurement import measurement, numbers
from bench.synthetic import Synthetic
from qcg_neo4j.cli.terminal import progress_bar
from qcg_neo4j.core.settings import Settings, setting
from qcg_neo4j.database.embedder import open_embedder_of
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.embedding.embedder import Embedder, EmbeddingSettings

DATABASE, LOCAL = "in the database (qcg-embedding)", "sentence-transformers in this process"


@dataclass(frozen=True)
class EmbedSettings(Settings):
    """Throughput of embedding synthetic texts."""

    texts: int = setting(100, "Texts that are embedded at once.", minimum=1, maximum=10_000)
    repetitions: int = setting(5, "How often each embeds them, in turns, after one untimed time.", minimum=1)
    seed: int = setting(0, "Seed of the synthetic texts.", minimum=0)


@measurement(
    EmbedSettings, numbers("--sizes", "13,100,254", "Tokens per text: a question's, a sentence's or two, a window's.")
)
def embed(graph: Graph, sizes: Sequence[int], settings: EmbedSettings) -> Result:
    """Compare the model inside the database with sentence-transformers: texts a second, and the first text.

    Nothing is written. What the model does not read of a text is cut off.

    Raises:
        MissingPluginError: the server cannot embed.
    """
    embedders = {
        DATABASE: open_embedder_of(graph, EmbeddingSettings(embedder="database")),
        LOCAL: open_embedder_of(graph, EmbeddingSettings(embedder="local")),
    }
    first = {name: _seconds(embedder) for name, embedder in embedders.items()}
    ways = {name: embedder.embed for name, embedder in embedders.items()}
    rows: list[Measured] = []
    for size in sizes:
        texts = _texts(embedders[DATABASE], size, settings)
        with progress_bar(f"Embedding texts of {size:,} tokens") as progress:
            times, _ = in_turns(ways, [texts] * (1 + settings.repetitions), 1, progress)
        speeds = {name: [1000 * len(texts) / one for one in taken] for name, taken in times.items()}
        rows += compared(speeds, size, LOCAL)
    notes = (
        f"{settings.texts} synthetic texts, seed {settings.seed}, cut to so many tokens; {settings.repetitions} "
        "repetitions in turns after an untimed one. The ratio is the median, over the repetitions, of the throughput "
        "by that of sentence-transformers.",
        *(f"The first text of a process, {name}: {seconds:.1f} s." for name, seconds in first.items()),
    )
    return Result("Texts embedded", "texts/s", "tokens", LOCAL, tuple(rows), notes)


def _seconds(embedder: Embedder) -> float:
    """How long the first text takes, with which the model is loaded."""
    start = time.perf_counter()
    embedder.embed(["The first text."])
    return time.perf_counter() - start


def _texts(embedder: Embedder, tokens: int, settings: EmbedSettings) -> list[str]:
    """Texts of exactly so many tokens, without the two that the model puts around them."""
    synthetic = Synthetic(settings.seed, embedder.dimension, 2 * tokens + 1)
    words = (text for number in range(settings.texts) for text in synthetic.topic(number).chunk_texts)
    encoded = [embedder.tokenizer.encode(next(words), add_special_tokens=False) for _ in range(settings.texts)]
    return [embedder.tokenizer.decode(one.ids[:tokens]) for one in encoded]
