"""The stage: replies in, kept queries written, chunk by chunk resumable."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from qcg_neo4j.core.errors import GraphError, InputError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.records import MissingReply, Usage
from qcg_neo4j.database import stages
from qcg_neo4j.database.changes import Changes
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.stages import StoredChunk
from qcg_neo4j.indexing.generate import baselines
from qcg_neo4j.indexing.generate.pairs import Cleaned, clean, number_kept
from qcg_neo4j.indexing.generate.requests import chunks, request
from qcg_neo4j.indexing.generate.sentences import sentences
from qcg_neo4j.indexing.generate.settings import SENTENCES, GenerateSettings
from qcg_neo4j.indexing.generate.writer import Job, Writer
from qcg_neo4j.indexing.parts import WHOLE, Span, Tally, Workers, spans, total
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.replies import Failure, ReplySource, replies_about

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


Found = tuple[StoredChunk, Cleaned, str]


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

    What is done with the same settings and replies is left alone: nothing is embedded and nothing written. With
    ``workers`` they share the chunks among them.

    Raises:
        GraphError: the graph holds no chunks, or is made with another embedding model.
        LanguageModelError: the endpoint failed for good; what came before is written.
    """
    if settings.source == SENTENCES:
        if with_baselines:
            raise InputError("The baselines d2q and d2q-- are made of generated queries, and sentences are none.")
    elif source is None:
        raise InputError(f"The source {settings.source!r} needs something that replies.")
    return _Run(graph, embedder, settings.as_used(), source, with_baselines, progress).run(workers)


def _part(
    settings: GenerateSettings,
    with_baselines: bool,
    graph: Graph,
    embedder: Embedder,
    source: ReplySource | None,
    span: Span,
    progress: Progress,
) -> Tally:
    """What a worker does: the chunks of a span."""
    return _Run(graph, embedder, settings, source, with_baselines, progress).part(span)


class _Run:
    """One run of the stage, or of a part of it."""

    def __init__(
        self,
        graph: Graph,
        embedder: Embedder,
        settings: GenerateSettings,
        source: ReplySource | None,
        with_baselines: bool,
        progress: Progress,
    ) -> None:
        self._graph, self._embedder, self._settings, self._source = graph, embedder, settings, source
        self._with_baselines, self._progress = with_baselines, progress
        graph.check_model(embedder.name, embedder.dimension, embedder.prefixes)
        self._total = int(graph.rows("generate/count")[0]["chunks"])
        if not self._total:
            raise GraphError("The graph holds no chunks.", "Load documents first: `qcg load FILE`.")
        expansion = baselines.prepare(graph, embedder) if with_baselines else None
        self._writer = Writer(graph, embedder, settings, expansion)
        self._done = Tally()

    def run(self, workers: Workers | None) -> GenerateReport:
        """Go through all chunks."""
        made_from = stages.basis(stages.recorded(self._graph), "generate")
        stages.begin(self._graph, "generate", self._settings, made_from)
        done = self._parts(workers) if workers else self.part(WHOLE)
        if done.changes.transactions:
            self._graph.await_indexes()
        missing = tuple(sorted(done.missing, key=lambda item: item.id))
        report = GenerateReport(self._total, missing=missing, usage=done.usage, changes=done.changes, **done.counts)
        stages.finish(self._graph, "generate", self._settings, made_from, stages.counts(report))
        return report

    def part(self, span: Span) -> Tally:
        """Go through the chunks of a span."""
        found = self._sentences(span) if self._settings.source == SENTENCES else self._replies(span)
        jobs = (job for each in found if (job := self._job(*each)))
        stages.write_as_they_come(jobs, self._writer.write, _is_enough)
        self._done.changes = self._writer.changes
        return self._done

    def _parts(self, workers: Workers) -> Tally:
        work = partial(_part, self._settings, self._with_baselines)
        who = (self._graph, self._embedder, self._source)
        return total(workers.run(*who, work, spans(workers), lambda done, _: self._progress(done, self._total)))

    def _sentences(self, span: Span) -> Iterator[Found]:
        for chunk in chunks(self._graph, span):
            yield chunk, sentences(chunk.text, self._settings.language), SENTENCES

    def _replies(self, span: Span) -> Iterator[Found]:
        assert self._source is not None  # noqa: S101 - `generate` has checked it
        every = chunks(self._graph, span)
        for chunk, result in replies_about(self._source, every, lambda chunk: request(chunk, self._settings)):
            self._done.usage += result.usage
            if isinstance(result, Failure):
                self._done.missing.append(MissingReply(chunk.id, result.reason))
                self._tick()
            else:
                yield chunk, clean(result.value, self._settings.node_text), result.model

    def _job(self, chunk: StoredChunk, cleaned: Cleaned, written_by: str) -> Job | None:
        """What is to write for a chunk; None when it is there already."""
        kept = number_kept(len(cleaned.pairs), self._settings.kept_share)
        self._done.counts.update(
            kept=kept,
            filtered_out=len(cleaned.pairs) - kept,
            empty=cleaned.empty,
            duplicates=cleaned.duplicates,
            left_out=cleaned.left_out,
        )
        mark = self._mark(chunk, cleaned, written_by)
        done = chunk.marks["generated"] == mark and (not self._with_baselines or chunk.marks["expanded"] == mark)
        self._done.counts["unchanged" if done else "written"] += 1
        self._tick()
        return None if done else Job(chunk, cleaned.pairs, written_by, mark)

    def _mark(self, chunk: StoredChunk, cleaned: Cleaned, written_by: str) -> str:
        """Identifies everything that the queries of a chunk are made from."""
        pairs = [(pair.question, pair.answer) for pair in cleaned.pairs]
        vector = str(chunk.marks["vector_mark"])
        parts = [self._settings.kept_share, self._settings.node_text, written_by, vector, pairs]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]

    def _tick(self) -> None:
        done = self._done.counts["unchanged"] + self._done.counts["written"] + len(self._done.missing)
        self._progress(done, self._total)


def _is_enough(jobs: list[Job]) -> bool:
    return sum(len(job.pairs) for job in jobs) >= _PAIRS_AT_ONCE
