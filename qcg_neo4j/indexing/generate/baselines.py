"""The baselines d2q and d2q--: a chunk's text with its generated queries appended, embedded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qcg_neo4j.database import stages
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.embedding.embedder import Embedder, Vectors
from qcg_neo4j.models.embedding.windows import mean_of_windows, windows

_TRUNCATE = "truncate"
_OVERLAP = 64  # tokens


@dataclass(frozen=True)
class ExpandedChunk:
    """The two texts of a chunk to embed; ``mark`` identifies what they are made from."""

    chunk_id: str
    with_all: str
    with_kept: str
    mark: str


class Expansion:
    """Makes the two further vectors of a chunk, by the rule that its own vector was made by."""

    def __init__(self, embedder: Embedder, long_text: str, overlap: int) -> None:
        self._embedder = embedder
        self._long_text = long_text
        self._overlap = min(overlap, embedder.window_tokens - 1)

    def rows(self, expansions: Sequence[ExpandedChunk]) -> list[dict[str, Any]]:
        """Per chunk the vectors of its text with all and with the kept queries."""
        texts = [text for item in expansions for text in (item.with_all, item.with_kept)]
        vectors = self._embed(texts)
        return [
            {"chunk_id": item.chunk_id, "mark": item.mark, "all": vectors[2 * number], "kept": vectors[2 * number + 1]}
            for number, item in enumerate(expansions)
        ]

    def _embed(self, texts: Sequence[str]) -> Sequence[Vectors]:
        """A vector per text; all windows of all texts are embedded together, which is several times faster."""
        if self._long_text == _TRUNCATE:
            return list(self._embedder.embed(texts))
        pieces = [[text[start:end] for start, end in windows(text, self._embedder, self._overlap)] for text in texts]
        vectors = self._embedder.embed([piece for windows_of in pieces for piece in windows_of])
        ends = np.cumsum([len(windows_of) for windows_of in pieces])[:-1]
        return [mean_of_windows(of_text) for of_text in np.split(vectors, ends)]


def expanded(text: str, questions: Sequence[str]) -> str:
    """The text with the questions behind it, a line each."""
    return "\n".join([text.rstrip(), *questions])


def prepare(graph: Graph, embedder: Embedder) -> Expansion:
    """Create the vector indexes of the baselines, and find out how the graph's chunks were embedded."""
    for path in ("generate/index_all", "generate/index_kept"):
        graph.run(path, dimension=embedder.dimension)
    loaded = stages.recorded(graph)["load"].settings or {}
    return Expansion(embedder, loaded.get("long_text", "windows"), loaded.get("window_overlap_tokens", _OVERLAP))
