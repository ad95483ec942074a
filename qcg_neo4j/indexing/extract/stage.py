"""The stage: replies in, entities, relations, atoms and claims written, chunk by chunk resumable."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import partial

from qcg_neo4j.core.errors import GraphError, InputError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.records import MissingReply, Usage
from qcg_neo4j.database import stages
from qcg_neo4j.database.changes import Changes
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.stages import StoredChunk
from qcg_neo4j.indexing.extract.conversation import Conversation, chunks, converse, plan
from qcg_neo4j.indexing.extract.descriptions import describe
from qcg_neo4j.indexing.extract.domain import read_domain
from qcg_neo4j.indexing.extract.findings import Findings, in_parts
from qcg_neo4j.indexing.extract.settings import MODEL, PARTS, SPACY, ExtractSettings
from qcg_neo4j.indexing.extract.spacy_source import SpacySource, load_spacy
from qcg_neo4j.indexing.extract.writer import Job, Writer, embed_names
from qcg_neo4j.indexing.parts import WHOLE, Span, Tally, Work, Workers, spans, total
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.replies import ReplySource

_TEXTS_AT_ONCE = 640  # entities, relations, atoms and claims embedded and written in one transaction
_CHUNKS_AT_ONCE = 500
_FORM = 2  # how it is written: 1 had an atom per chunk where now one belongs to all that state it


@dataclass(frozen=True)
class ExtractReport:
    """What the stage did: chunks by what became of them, what they state, what was mended, and what it cost.

    The names of what was mended are those of `Findings`.
    """

    chunks: int = 0
    written: int = 0
    unchanged: int = 0
    missing: tuple[MissingReply, ...] = ()
    undescribed: tuple[MissingReply, ...] = ()
    entities: int = 0
    relations: int = 0
    atoms: int = 0
    claims: int = 0
    repaired: int = 0
    duplicates: int = 0
    dropped: int = 0
    self_loops: int = 0
    without_ttr: int = 0
    clamped: int = 0
    left_out: int = 0
    described: int = 0
    usage: Usage = field(default_factory=Usage)
    changes: Changes = field(default_factory=Changes)


Found = tuple[StoredChunk, Findings, str]


@stages.writes("extract")
def extract_graph(
    graph: Graph,
    embedder: Embedder,
    settings: ExtractSettings,
    source: ReplySource | None = None,
    *,
    workers: Workers | None = None,
    progress: Progress = silent,
) -> ExtractReport:
    """Write what every chunk states; ``source`` replies unless the setting ``source`` is "spacy".

    What is done with the same replies is left alone: nothing is embedded and nothing written. With ``workers`` they
    share the chunks among them, and after these the entities.

    Raises:
        MissingPackageError: spaCy or its model is not installed.
        GraphError: the graph holds no chunks, or is made with another embedding model.
        LanguageModelError: the endpoint failed for good; what came before is written.
        SettingsError: the domain file cannot be used.
    """
    if settings.source != SPACY and source is None:
        raise InputError(f"The source {settings.source!r} needs something that replies.")
    return _Run(graph, embedder, settings, source, progress).run(workers)


def _part(
    settings: ExtractSettings,
    graph: Graph,
    embedder: Embedder,
    source: ReplySource | None,
    span: Span,
    progress: Progress,
) -> Tally:
    """What a worker does first: the chunks of a span."""
    return _Run(graph, embedder, settings, source, progress).part(span)


def _names(graph: Graph, embedder: Embedder, _: ReplySource | None, span: Span, _progress: Progress) -> Tally:
    """What a worker does when all chunks are done: the names of the entities of a span."""
    return Tally(changes=embed_names(graph, embedder, span))


def _descriptions(graph: Graph, _: Embedder, source: ReplySource | None, span: Span, _progress: Progress) -> Tally:
    """What a worker does last: the descriptions of the entities of a span."""
    assert source is not None  # noqa: S101 - else there is nothing to do
    return describe(graph, source, span)


class _Run:
    """One run of the stage, or of a part of it."""

    def __init__(
        self,
        graph: Graph,
        embedder: Embedder,
        settings: ExtractSettings,
        source: ReplySource | None,
        progress: Progress,
    ) -> None:
        self._graph, self._embedder, self._settings = graph, embedder, settings
        self._source, self._progress = source, progress
        self._plan = plan(settings, read_domain(settings.domain))
        graph.check_model(embedder.name, embedder.dimension, embedder.prefixes)
        self._total = int(graph.rows("extract/count")[0]["chunks"])
        if not self._total:
            raise GraphError("The graph holds no chunks.", "Load documents first: `qcg load FILE`.")
        self._writer = Writer(graph, embedder)
        self._done = Tally()
        self._ticks = 0

    def run(self, workers: Workers | None) -> ExtractReport:
        """Go through all chunks, then through their entities."""
        embedder = self._embedder
        self._graph.use_model(embedder.name, embedder.dimension, embedder.prefixes)
        if self._settings.source == SPACY:
            load_spacy(self._settings.spacy_model)  # or end here
        made_from = stages.basis(stages.recorded(self._graph), "extract")
        stages.begin(self._graph, "extract", self._settings, made_from)
        done = self._in_parts(workers, partial(_part, self._settings)) if workers else self.part(WHOLE)
        done.add(self._in_parts(workers, _names))
        described = (
            self._in_parts(workers, _descriptions) if self._source is not None and self._settings.describe else Tally()
        )
        # A recording need not hold summaries: the descriptions stand side by side.
        undescribed = described.missing if self._settings.source == MODEL else []
        done.add(replace(described, missing=[]))
        if done.changes.transactions:
            self._graph.await_indexes()
        return self._finish(made_from, done, undescribed)

    def part(self, span: Span) -> Tally:
        """Go through the chunks of a span."""
        jobs = (job for found in self._found(span) if (job := self._job(*found)))
        stages.write_as_they_come(jobs, self._writer.write, _is_enough)
        self._done.changes = self._writer.changes
        return self._done

    def _in_parts(self, workers: Workers | None, work: Work[Span, Tally]) -> Tally:
        who = (self._graph, self._embedder, self._source)
        if workers is None:
            return work(*who, WHOLE, silent)
        tell = silent if work in (_names, _descriptions) else self._progress
        return total(workers.run(*who, work, spans(workers), lambda done, _: tell(done, self._total)))

    def _found(self, span: Span) -> Iterator[Found]:
        if self._settings.source == SPACY:
            return SpacySource(self._settings.spacy_model).found(chunks(self._graph, span))
        return self._replies(span)

    def _replies(self, span: Span) -> Iterator[Found]:
        assert self._source is not None  # noqa: S101 - `extract` has checked it
        started = (Conversation(chunk, self._plan) for chunk in chunks(self._graph, span))
        for conversation in converse(self._source, started):
            self._done.usage += conversation.usage
            if conversation.failure:
                self._done.missing.append(MissingReply(conversation.chunk.id, conversation.failure))
            findings = conversation.findings()
            if findings:
                yield conversation.chunk, findings, conversation.written_by
            else:
                self._tick()

    def _job(self, chunk: StoredChunk, findings: Findings, written_by: str) -> Job | None:
        """What is to write for a chunk; None when it is there already."""
        if self._settings.triple_text == PARTS:
            findings = in_parts(findings)
        self._done.entities.update(entity.id for entity in findings.entities)
        counts = self._done.counts
        counts.update(relations=len(findings.relations), atoms=len(findings.atoms), claims=len(findings.claims))
        counts.update(findings.counts)
        mark = _mark(findings, written_by)
        done = chunk.marks["extracted"] == mark
        counts["unchanged" if done else "written"] += 1
        self._tick()
        return None if done else Job(chunk, findings, written_by, mark)

    def _tick(self) -> None:
        self._ticks += 1
        self._progress(self._ticks, self._total)

    def _finish(self, made_from: dict[str, int], done: Tally, undescribed: list[MissingReply]) -> ExtractReport:
        report = ExtractReport(
            self._total,
            missing=tuple(sorted(done.missing, key=lambda item: item.id)),
            undescribed=tuple(undescribed),
            entities=len(done.entities),
            usage=done.usage,
            changes=done.changes,
            **done.counts,
        )
        stages.finish(self._graph, "extract", self._settings, made_from, stages.counts(report))
        return report


def _is_enough(jobs: list[Job]) -> bool:
    written = sum(job.size for job in jobs)
    return written >= _TEXTS_AT_ONCE or len(jobs) == _CHUNKS_AT_ONCE


def _mark(findings: Findings, written_by: str) -> str:
    """Identifies everything that is written for a chunk."""
    parts = [_FORM, written_by, asdict(replace(findings, counts={}))]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
