"""Embed, filter and write: what becomes of the pairs of some chunks in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from qcg_neo4j.core.records import content_id
from qcg_neo4j.database.changes import Changes
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.generate.baselines import ExpandedChunk, Expansion, expanded
from qcg_neo4j.indexing.generate.pairs import Pair, most_similar
from qcg_neo4j.indexing.generate.settings import GenerateSettings
from qcg_neo4j.indexing.stage import StoredChunk
from qcg_neo4j.models.embedding.embedder import Embedder, Vectors

Row = dict[str, Any]


@dataclass(frozen=True)
class ChunkPairs:
    """A chunk whose queries are to be written; ``mark`` identifies what they are made from."""

    chunk: StoredChunk
    pairs: tuple[Pair, ...]
    written_by: str
    mark: str


class Writer:
    """Writes chunk after chunk; the queries of a chunk are then exactly the kept ones."""

    def __init__(
        self, graph: Graph, embedder: Embedder, settings: GenerateSettings, expansion: Expansion | None
    ) -> None:
        self._graph, self._embedder, self._settings = graph, embedder, settings
        self._expansion = expansion

    def write(self, jobs: Sequence[ChunkPairs]) -> Changes:
        """Embed what is not embedded yet, and write all these chunks in one transaction."""
        if not jobs:
            return Changes()
        vectors, of_chunk = self._vectors(jobs)
        queries: list[Row] = []
        chunks: list[Row] = []
        expansions: list[ExpandedChunk] = []
        for job in jobs:
            rows = self._rows(job, vectors, of_chunk[job.chunk.id])
            kept = [row for row in rows if row.pop("kept")]
            queries += kept
            chunks.append({"chunk_id": job.chunk.id, "keep": [row["id"] for row in kept], "mark": job.mark})
            with_all, with_kept = (expanded(job.chunk.text, [row["question"] for row in some]) for some in (rows, kept))
            expansions.append(ExpandedChunk(job.chunk.id, with_all, with_kept, job.mark))
        calls = [Call("generate/remove", {"rows": chunks}), Call("generate/queries", {"rows": queries})]
        if self._expansion:
            calls.append(Call("generate/expand", {"rows": self._expansion.rows(expansions)}))
        calls.append(Call("load/words", {"chunk_ids": [job.chunk.id for job in jobs]}))
        return self._graph.write(*calls, stages=("generate",)).changes

    def _vectors(self, jobs: Sequence[ChunkPairs]) -> tuple[dict[str, Vectors], dict[str, Vectors]]:
        """Vectors by text, and those of the chunks by id; texts that the graph holds are not embedded again."""
        found = self._graph.rows("generate/vectors", chunk_ids=[job.chunk.id for job in jobs])
        of_chunk = {row["chunk_id"]: np.asarray(row["embedding"], np.float32) for row in found}
        known = {
            text: np.asarray(vector, np.float32)
            for row in found
            for text, vector in zip(row["texts"], row["vectors"], strict=True)
        }
        kind = self._settings.node_text
        wanted = {text for job in jobs for pair in job.pairs for text in (pair.text, pair.node_text(kind))}
        new = sorted(wanted - known.keys())
        known.update(zip(new, self._embedder.embed(new), strict=True))
        return known, of_chunk

    def _rows(self, job: ChunkPairs, vectors: dict[str, Vectors], of_chunk: Vectors) -> list[Row]:
        if not job.pairs:
            return []
        similarities = np.stack([vectors[pair.text] for pair in job.pairs]) @ of_chunk
        kept = set(most_similar(similarities, self._settings.kept_share))
        return [
            self._row(job, pair, vectors, float(similarities[position])) | {"kept": position in kept}
            for position, pair in enumerate(job.pairs)
        ]

    def _row(self, job: ChunkPairs, pair: Pair, vectors: dict[str, Vectors], similarity: float) -> Row:
        text = pair.node_text(self._settings.node_text)
        return {
            "id": content_id(job.chunk.id, pair.question, pair.answer, text),
            "chunk_id": job.chunk.id,
            "question": pair.question,
            "answer": pair.answer,
            "text": text,
            "similarity": max(-1.0, min(1.0, similarity)),
            "source": job.written_by,
            "embedding": vectors[text],
        }
