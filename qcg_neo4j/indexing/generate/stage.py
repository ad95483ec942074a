"""The stage: replies in, kept queries written, chunk by chunk resumable."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.records import MissingReply, Usage
from qcg_neo4j.database import stages
from qcg_neo4j.database.changes import Changes
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.indexing.generate import baselines
from qcg_neo4j.indexing.generate.pairs import Cleaned, clean, number_kept
from qcg_neo4j.indexing.generate.requests import chunks, request
from qcg_neo4j.indexing.generate.sentences import sentences
from qcg_neo4j.indexing.generate.settings import SENTENCES, GenerateSettings
from qcg_neo4j.indexing.generate.writer import ChunkPairs, Writer
from qcg_neo4j.indexing.stage import WHOLE, Span, Stage, StoredChunk, Workers, spans
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.replies import ReplySource, Request

_PAIRS_AT_ONCE = 640  # pairs embedded and written in one transaction


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
        self.count_chunks("generate/count")
        self._with_baselines: bool = self.more["with_baselines"]
        expansion = baselines.prepare(self.graph, self.embedder) if self._with_baselines else None
        self._writer = Writer(self.graph, self.embedder, self.settings, expansion)

    def items(self, part: Span) -> Iterator[StoredChunk]:
        return chunks(self.graph, part)

    def request(self, item: StoredChunk) -> Request:
        return request(item, self.settings)

    def own(self, part: Span) -> Iterator[tuple[StoredChunk, Cleaned, str]]:
        for chunk in self.items(part):
            yield chunk, sentences(chunk.text, self.settings.language), SENTENCES

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
        done = item.marks["generated"] == mark and (not self._with_baselines or item.marks["expanded"] == mark)
        self.done.counts["unchanged" if done else "written"] += 1
        if not done:
            yield ChunkPairs(item, cleaned.pairs, writer, mark)

    def write(self, several: list[ChunkPairs]) -> None:
        self.done.changes += self._writer.write(several)

    def is_enough(self, several: Sequence[ChunkPairs]) -> bool:
        return sum(len(job.pairs) for job in several) >= _PAIRS_AT_ONCE

    def _mark(self, chunk: StoredChunk, cleaned: Cleaned, written_by: str) -> str:
        """Identifies everything that the queries of a chunk are made from."""
        pairs = [(pair.question, pair.answer) for pair in cleaned.pairs]
        vector = str(chunk.marks["vector_mark"])
        parts = [self.settings.kept_share, self.settings.node_text, written_by, vector, pairs]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
