"""The stage: replies in, entities, relations, atoms and claims written, chunk by chunk resumable."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.records import MissingReply, Usage
from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import Changes
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.database.schema import await_indexes, language_of
from qcg_neo4j.indexing.extract.conversation import Conversation, chunks, converse
from qcg_neo4j.indexing.extract.findings import Findings, in_parts, with_days
from qcg_neo4j.indexing.extract.readers import reader, reading_note
from qcg_neo4j.indexing.extract.settings import MODEL, PARTS, SPACY, ExtractSettings, read_domain
from qcg_neo4j.indexing.extract.writer import ChunkFindings, Writer, embed_names
from qcg_neo4j.indexing.stage import (
    WHOLE,
    Span,
    Stage,
    StoredChunk,
    Tally,
    Work,
    Workers,
    called,
    spans,
    write_as_they_come,
)
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import Failure, ReplySource, Request, replies_about

DESCRIBE = "extract/describe"
_WORDS = 120  # about as much as an embedding model reads
_LONGEST = 24_000  # characters of descriptions that are shown; the most frequent come first
_PAGE = 200  # entities read and written at once
_TEXTS_AT_ONCE = 640  # entities, relations, atoms and claims embedded and written in one transaction
_CHUNKS_AT_ONCE = 500
_FORM = 2  # how it is written: 1 had an atom per chunk where now one belongs to all that state it


def _described(
    graph: Graph, _: Embedder, source: ReplySource | None, span: Span, _progress: Progress, *, long: str, summaries: str
) -> Tally:
    """Have what is too long together summarized, where it has changed since the last time; once all chunks are done.

    ``long`` is the statement of it, ``summaries`` the one that writes; of the entities of a span; what is ``missing``
    is named by the entity.
    """
    assert source is not None  # noqa: S101 - else there is nothing to do
    done = Tally()

    def write(rows: list[dict[str, Any]]) -> None:
        if rows:
            done.changes += graph.write(Call(summaries, {"rows": rows}), stages=("extract",)).changes
            done.counts["described"] += len(rows)

    write_as_they_come(_summaries(graph, source, span, long, done), write, lambda rows: len(rows) >= _PAGE)
    return done


DESCRIPTIONS = partial(_described, long="extract/undescribed", summaries="extract/summaries")
CLAIMS = partial(_described, long="extract/unsummarized_claims", summaries="extract/claim_summaries")


def _summaries(graph: Graph, source: ReplySource, span: Span, long: str, done: Tally) -> Iterator[dict[str, Any]]:
    every = chain.from_iterable(graph.pages(long, _PAGE, span.after, until=span.until))
    for row, result in replies_about(source, every, _request):
        done.usage += result.usage
        if isinstance(result, Failure):
            done.missing.append(MissingReply(row["name"], result.reason))
        elif summary := " ".join(result.value["description"].split()):
            yield {"id": row["id"], "summary": summary, "of": row["made_of"]}


def _request(row: dict[str, Any]) -> Request:
    shown = "\n".join(_shown(row["descriptions"]))
    variables = {"name": row["name"], "descriptions": shown, "words": str(_WORDS)}
    return Request(task(DESCRIBE), f"{row['name']}\n{shown}", variables)


def _shown(descriptions: Sequence[str]) -> Iterator[str]:
    left = _LONGEST
    for description in descriptions:
        left -= len(description) + 1
        if left < 0:
            return
        yield description


@dataclass(frozen=True)
class ExtractReport:
    """What the stage did: chunks by outcome, what they state, repairs, and cost.

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
    notes: tuple[str, ...] = ()


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

    A chunk whose replies are the same is left alone: nothing is embedded or written. With ``workers`` they share the
    chunks among them, and then the entities.

    Raises:
        MissingPackageError: spaCy or its model is not installed.
        GraphError: the graph holds no chunks, or is made with another embedding model.
        LanguageModelError: the endpoint failed for good; what came before is written.
        SettingsError: the domain file cannot be used.
    """
    stage = _Extraction(graph, embedder, settings, source, progress)
    notes: tuple[str, ...] = ()
    if settings.source == SPACY:
        language = language_of(graph)
        reader(settings, language)  # or end here
        notes = (note,) if (note := reading_note(settings, language)) else ()
    use_model(graph, embedder.name, embedder.dimension, embedder.prefixes)
    stage.begin()
    stage.share(WHOLE, spans, workers)
    done = stage.done
    done.add(stage.afterwards(_names, workers))
    described = stage.afterwards(DESCRIPTIONS, workers) if source is not None and settings.describe else Tally()
    if source is not None and settings.summarize_claims:
        described.add(stage.afterwards(CLAIMS, workers))
    # A recording need not hold summaries: the descriptions are then kept side by side.
    undescribed = called(graph, described.missing) if settings.source == MODEL else ()
    done.add(replace(described, missing=[]))
    if done.changes.transactions:
        await_indexes(graph)
    report = ExtractReport(
        stage.total,
        missing=stage.missing,
        undescribed=undescribed,
        entities=len(done.entities),
        usage=done.usage,
        changes=done.changes,
        notes=notes,
        **done.counts,
    )
    return stage.finish(report)


def _names(graph: Graph, embedder: Embedder, _: ReplySource | None, span: Span, _progress: Progress) -> Tally:
    """The names of the entities of a span, once all chunks are done."""
    return Tally(changes=embed_names(graph, embedder, span))


class _Extraction(Stage[Span, StoredChunk, ChunkFindings]):
    """Chunks, the conversation about each, and what its findings become."""

    name = "extract"
    without_model = SPACY

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._domain = read_domain(self.settings.domain)
        self.count_chunks("extract/count")
        self._writer = Writer(self.graph, self.embedder)

    def afterwards(self, work: Work[Span, Tally], workers: Workers | None) -> Tally:
        """Work on the entities, which all the chunks have to precede."""
        who = (self.graph, self.embedder, self.source)
        whole = Tally()
        for done in workers.run(*who, work, spans(workers), silent) if workers else [work(*who, WHOLE, silent)]:
            whole.add(done)
        return whole

    def items(self, part: Span) -> Iterator[StoredChunk]:
        return chunks(self.graph, part)

    def own(self, part: Span) -> Iterator[tuple[StoredChunk, Findings, str]]:
        return reader(self.settings, language_of(self.graph)).found(self.items(part))

    def replied(self, part: Span) -> Iterator[tuple[StoredChunk, Findings, str]]:
        """Each chunk that has findings; a chunk is asked about several times, and a later failure keeps the rest."""
        assert self.source is not None  # noqa: S101 - checked at the beginning
        started = (Conversation(chunk, self.settings, self._domain) for chunk in self.items(part))
        for conversation in converse(self.source, started):
            self.done.usage += conversation.usage
            if conversation.failure:
                self.done.missing.append(MissingReply(conversation.chunk.id, conversation.failure))
            findings = conversation.findings()
            if findings:
                yield conversation.chunk, findings, conversation.written_by
            else:
                self.tick()

    def make(self, item: StoredChunk, value: Findings, writer: str) -> Iterator[ChunkFindings]:
        findings = in_parts(value) if self.settings.triple_text == PARTS else value
        findings = with_days(findings) if self.settings.dates else findings
        self.done.entities.update(entity.id for entity in findings.entities)
        counts = self.done.counts
        counts.update(relations=len(findings.relations), atoms=len(findings.atoms), claims=len(findings.claims))
        counts.update(findings.counts)
        mark = _mark(findings, writer)
        done = item.marks["extracted"] == mark
        counts["unchanged" if done else "written"] += 1
        if not done:
            yield ChunkFindings(item, findings, writer, mark, names_only=not self.asks)

    def write(self, several: list[ChunkFindings]) -> None:
        self.done.changes += self._writer.write(several)

    def is_enough(self, several: Sequence[ChunkFindings]) -> bool:
        return sum(job.size for job in several) >= _TEXTS_AT_ONCE or len(several) == _CHUNKS_AT_ONCE


def _mark(findings: Findings, written_by: str) -> str:
    """Identifies everything that is written for a chunk."""
    parts = [_FORM, written_by, asdict(replace(findings, counts={}))]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
