"""The stage: replies in, kept queries written, chunk by chunk resumable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.records import MissingReply, Usage, content_id
from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import Changes
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.schema import await_indexes, create_vector_indexes, language_of
from qcg_neo4j.indexing.generate.pairs import (
    SENTENCES,
    Cleaned,
    GenerateSettings,
    Pair,
    clean,
    most_similar,
    number_kept,
    request,
    sentences,
)
from qcg_neo4j.indexing.stage import WHOLE, Span, Stage, StoredChunk, Workers, spans, stored_chunks
from qcg_neo4j.models.embedding.embedder import Embedder, Vectors
from qcg_neo4j.models.embedding.windows import mean_of_windows, windows
from qcg_neo4j.models.replies import ReplySource, Request

Row = dict[str, Any]
_PAIRS_AT_ONCE = 640  # pairs embedded and written in one transaction
_OVERLAP = 64  # tokens, of the windows of a baseline whose chunks have none


@dataclass(frozen=True)
class ChunkPairs:
    """A chunk whose queries are to be written; ``mark`` identifies what they are made from."""

    chunk: StoredChunk
    pairs: tuple[Pair, ...]
    written_by: str
    mark: str


@dataclass(frozen=True)
class GenerateReport:
    """What the stage did: chunks by what became of them, pairs by what became of them, and what it cost."""

    chunks: int = 0
    written: int = 0
    unchanged: int = 0
    missing: tuple[MissingReply, ...] = ()
    kept: int = 0
    filtered_out: int = 0
    empty: int = 0
    duplicates: int = 0
    left_out: int = 0
    usage: Usage = field(default_factory=Usage)
    changes: Changes = field(default_factory=Changes)


@stages.writes("generate")
def generate_queries(
    graph: Graph,
    embedder: Embedder,
    settings: GenerateSettings,
    source: ReplySource | None = None,
    *,
    with_baselines: bool = False,
    workers: Workers | None = None,
    progress: Progress = silent,
) -> GenerateReport:
    """Write the kept queries of every chunk; ``source`` replies unless the setting ``source`` is "sentences".

    A chunk whose queries are made from the same settings and reply is left alone: nothing is embedded or written. With
    ``workers`` they share the chunks among them.

    Raises:
        GraphError: the graph holds no chunks, or is made with another embedding model.
        LanguageModelError: the endpoint failed for good; what came before is written.
    """
    if settings.source == SENTENCES and with_baselines:
        raise InputError("The baselines d2q and d2q-- are made of generated queries; source=sentences has none.")
    stage = _Queries(graph, embedder, settings.as_used(), source, progress, with_baselines=with_baselines)
    stage.begin()
    stage.share(WHOLE, spans, workers)
    done = stage.done
    if done.changes.transactions:
        await_indexes(graph)
    return stage.finish(
        GenerateReport(stage.total, missing=stage.missing, usage=done.usage, changes=done.changes, **done.counts)
    )


class _Queries(Stage[Span, StoredChunk, ChunkPairs]):
    """Chunks, the pairs of each, and the queries that are kept of them."""

    name = "generate"
    without_model = SENTENCES

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.count_chunks()
        self._embed_expanded = _prepared(self.graph, self.embedder) if self.more["with_baselines"] else None

    def items(self, part: Span) -> Iterator[StoredChunk]:
        return stored_chunks(self.graph, "generate/chunks", part)

    def request(self, item: StoredChunk) -> Request:
        return request(item, self.settings)

    def own(self, part: Span) -> Iterator[tuple[StoredChunk, Cleaned, str]]:
        language = language_of(self.graph) or "en"
        for chunk in self.items(part):
            yield chunk, sentences(chunk.text, language), SENTENCES

    def make(self, item: StoredChunk, value: Any, writer: str) -> Iterator[ChunkPairs]:
        cleaned = clean(value, self.settings.node_text) if self.asks else value
        kept = number_kept(len(cleaned.pairs), self.settings.kept_share)
        self.done.counts.update(
            kept=kept,
            filtered_out=len(cleaned.pairs) - kept,
            empty=cleaned.empty,
            duplicates=cleaned.duplicates,
            left_out=cleaned.left_out,
        )
        mark = self._mark(item, cleaned, writer)
        done = item.marks["generated"] == mark and (self._embed_expanded is None or item.marks["expanded"] == mark)
        self.done.counts["unchanged" if done else "written"] += 1
        if not done:
            yield ChunkPairs(item, cleaned.pairs, writer, mark)

    def write(self, several: list[ChunkPairs]) -> None:
        """Embed what is not embedded yet; the queries of a chunk are then exactly the kept ones."""
        vectors, of_chunk = self._vectors(several)
        queries: list[Row] = []
        written: list[Row] = []
        texts: list[str] = []
        for job in several:
            rows = self._rows(job, vectors, of_chunk[job.chunk.id])
            kept = [row for row in rows if row.pop("kept")]
            queries += kept
            written.append({"chunk_id": job.chunk.id, "keep": [row["id"] for row in kept], "mark": job.mark})
            # The text with all questions behind it, and with the kept ones, a line each.
            texts += ["\n".join([job.chunk.text.rstrip(), *(row["question"] for row in some)]) for some in (rows, kept)]
        calls = [Call("generate/remove", {"rows": written}), Call("generate/queries", {"rows": queries})]
        if self._embed_expanded:
            made = iter(self._embed_expanded(texts))
            rows = [
                {"chunk_id": job.chunk.id, "mark": job.mark, "all": next(made), "kept": next(made)} for job in several
            ]
            calls.append(Call("generate/expand", {"rows": rows}))
        calls.append(Call("load/words", {"chunk_ids": [job.chunk.id for job in several]}))
        self.done.changes += self.graph.write(*calls, stages=("generate",)).changes

    def is_enough(self, several: Sequence[ChunkPairs]) -> bool:
        return sum(len(job.pairs) for job in several) >= _PAIRS_AT_ONCE

    def _mark(self, chunk: StoredChunk, cleaned: Cleaned, written_by: str) -> str:
        """Identifies everything that the queries of a chunk are made from."""
        pairs = [(pair.question, pair.answer) for pair in cleaned.pairs]
        vector = str(chunk.marks["vector_mark"])
        return stages.mark_of(self.settings.kept_share, self.settings.node_text, written_by, vector, pairs)

    def _vectors(self, jobs: Sequence[ChunkPairs]) -> tuple[dict[str, Vectors], dict[str, Vectors]]:
        """Vectors by text, and those of the chunks by id; texts that the graph holds are not embedded again."""
        found = self.graph.rows("generate/vectors", chunk_ids=[job.chunk.id for job in jobs])
        of_chunk = {row["chunk_id"]: np.asarray(row["embedding"], np.float32) for row in found}
        known = {
            text: np.asarray(vector, np.float32)
            for row in found
            for text, vector in zip(row["texts"], row["vectors"], strict=True)
        }
        kind = self.settings.node_text
        wanted = {text for job in jobs for pair in job.pairs for text in (pair.text, pair.node_text(kind))}
        new = sorted(wanted - known.keys())
        known.update(zip(new, self.embedder.embed(new), strict=True))
        return known, of_chunk

    def _rows(self, job: ChunkPairs, vectors: dict[str, Vectors], of_chunk: Vectors) -> list[Row]:
        if not job.pairs:
            return []
        similarities = np.stack([vectors[pair.text] for pair in job.pairs]) @ of_chunk
        kept = set(most_similar(similarities, self.settings.kept_share))
        rows = []
        for position, pair in enumerate(job.pairs):
            text = pair.node_text(self.settings.node_text)
            rows.append(
                {
                    "id": content_id(job.chunk.id, pair.question, pair.answer, text),
                    "chunk_id": job.chunk.id,
                    "question": pair.question,
                    "answer": pair.answer,
                    "text": text,
                    "similarity": max(-1.0, min(1.0, float(similarities[position]))),
                    "source": job.written_by,
                    "embedding": vectors[text],
                    "kept": position in kept,
                }
            )
        return rows


def _prepared(graph: Graph, embedder: Embedder) -> Callable[[Sequence[str]], Iterable[Vectors]]:
    """Create the vector indexes of the baselines; what is returned embeds texts as the graph's chunks were embedded."""
    create_vector_indexes(graph, embedder.dimension, "baseline_index")
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
