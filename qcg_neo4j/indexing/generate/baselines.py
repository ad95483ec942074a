"""The baselines d2q and d2q--: a chunk's text with its generated queries appended, embedded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

from qcg_neo4j.database import stages
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.embedding.embedder import Embedder, Vectors
from qcg_neo4j.models.embedding.windows import mean_of_windows, windows

_OVERLAP = 64  # tokens


def expanded(text: str, questions: Sequence[str]) -> str:
    """The text with the questions behind it, a line each."""
    return "\n".join([text.rstrip(), *questions])


def prepare(graph: Graph, embedder: Embedder) -> Callable[[Sequence[str]], Iterable[Vectors]]:
    """Create the vector indexes of the baselines; what is returned embeds texts as the graph's chunks were embedded."""
    for path in ("generate/index_all", "generate/index_kept"):
        graph.run(path, dimension=embedder.dimension)
    loaded = stages.recorded(graph)["load"].settings or {}
    if loaded.get("long_text") == "truncate":
        return embedder.embed
    overlap = min(loaded.get("window_overlap_tokens", _OVERLAP), embedder.window_tokens - 1)
    return partial(_means_of_windows, embedder, overlap)


def _means_of_windows(embedder: Embedder, overlap: int, texts: Sequence[str]) -> list[Vectors]:
    """A vector per text; all windows of all texts are embedded together, which is several times faster."""
    pieces = [[text[start:end] for start, end in windows(text, embedder, overlap)] for text in texts]
    vectors = embedder.embed([piece for windows_of in pieces for piece in windows_of])
    ends = np.cumsum([len(windows_of) for windows_of in pieces])[:-1]
    return [mean_of_windows(of_text) for of_text in np.split(vectors, ends)]
