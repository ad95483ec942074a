"""The baselines d2q and d2q--: a chunk's text with its generated queries appended, embedded."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from qcg_neo4j.embedding import Embedder, Vectors, mean_of_windows, windows
from qcg_neo4j.generate.requests import Chunk
from qcg_neo4j.graph import Graph

_TRUNCATE = "truncate"
_OVERLAP_TOKENS = 64


class Expansion:
    """Makes the two further vectors of a chunk, by the rule that its own vector was made by."""

    def __init__(self, embedder: Embedder, long_text: str) -> None:
        self._embedder = embedder
        self._long_text = long_text

    def row(
        self, chunk: Chunk, rows: Sequence[Mapping[str, Any]], kept: Sequence[Mapping[str, Any]], mark: str
    ) -> dict[str, Any]:
        """The vectors of the chunk's text with all and with the kept queries."""
        return {
            "chunk_id": chunk.id,
            "mark": mark,
            "all": self._embed(expanded(chunk.text, [row["question"] for row in rows])),
            "kept": self._embed(expanded(chunk.text, [row["question"] for row in kept])),
        }

    def _embed(self, text: str) -> Vectors:
        if self._long_text == _TRUNCATE:
            vector: Vectors = self._embedder.embed([text])[0]
            return vector
        overlap = min(_OVERLAP_TOKENS, self._embedder.window_tokens // 4)
        spans = windows(text, self._embedder, overlap)
        return mean_of_windows(self._embedder.embed([text[start:end] for start, end in spans]))


def expanded(text: str, questions: Sequence[str]) -> str:
    """The text with the questions behind it, a line each."""
    return "\n".join([text.rstrip(), *questions])


def prepare(graph: Graph, embedder: Embedder) -> Expansion:
    """Create the vector indexes of the baselines, and find out how the graph's chunks were embedded."""
    for path in ("generate/index_all", "generate/index_kept"):
        graph.run(path, dimension=embedder.dimension)
    loaded = [
        json.loads(row["settings"]) for row in graph.rows("stage/all") if row["name"] == "load" and row["settings"]
    ]
    return Expansion(embedder, loaded[0].get("long_text", "windows") if loaded else "windows")
