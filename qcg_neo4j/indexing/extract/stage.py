"""The stage: replies in, entities, relations, atoms and claims written, chunk by chunk resumable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
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
from qcg_neo4j.indexing.extract.conversation import Conversation, converse
from qcg_neo4j.indexing.extract.findings import Findings, in_parts, with_days
from qcg_neo4j.indexing.extract.readers import reader, reading_note
from qcg_neo4j.indexing.extract.settings import MODEL, PARTS, SPACY, ExtractSettings, read_domain
from qcg_neo4j.indexing.extract.writer import ChunkFindings, Row, Writer, embed_names
from qcg_neo4j.indexing.stage import WHOLE, Span, Stage, StoredChunk, Tally, Workers, called, spans, stored_chunks
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import ReplySource, Request

DESCRIBE = "extract/describe"
_WORDS = 120  # about as much as an embedding model reads
_LONGEST = 24_000  # characters of descriptions that are shown; the most frequent come first
_PAGE = 200  # entities read and written at once
_TEXTS_AT_ONCE = 640  # entities, relations, atoms and claims embedded and written in one transaction
_CHUNKS_AT_ONCE = 500
_FORM = 2  # how it is written: 1 had an atom per chunk where now one belongs to all that state it


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
    if not done.missing:  # a chunk without a reply may still use them
        graph.write(Call("extract/unused_aliases"), stages=("extract",))
    who = (graph, embedder, source)
    for named in workers.run(*who, _names, spans(workers), silent) if workers else [_names(*who, WHOLE, silent)]:
        done.add(named)
    described = Tally()
    for long, summaries in _long_ones(settings) if source is not None else ():
        summarizing = _Summaries(graph, embedder, settings, source, long=long, summaries=summaries)
        summarizing.share(WHOLE, spans, workers)
        described.add(summarizing.done)
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


def _long_ones(settings: ExtractSettings) -> Iterator[tuple[str, str]]:
    """What is summarized where it is long: the statement that reads it, and the one that writes the summaries."""
    if settings.describe:
        yield "extract/undescribed", "extract/summaries"
    if settings.summarize_claims:
        yield "extract/unsummarized_claims", "extract/claim_summaries"


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
        self.count_chunks()
        self._writer = Writer(self.graph, self.embedder)

    def items(self, part: Span) -> Iterator[StoredChunk]:
        return stored_chunks(self.graph, "extract/chunks", part)

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
        mark = stages.mark_of(_FORM, writer, asdict(replace(findings, counts={})))
        done = item.marks["extracted"] == mark
        counts["unchanged" if done else "written"] += 1
        if not done:
            yield ChunkFindings(item, findings, writer, mark, names_only=not self.asks)

    def write(self, several: list[ChunkFindings]) -> None:
        self.done.changes += self._writer.write(several)

    def is_enough(self, several: Sequence[ChunkFindings]) -> bool:
        return sum(job.size for job in several) >= _TEXTS_AT_ONCE or len(several) == _CHUNKS_AT_ONCE


class _Summaries(Stage[Span, Row, Row]):
    """Entities of which too much is said, where that has changed since the last time; once all chunks are done."""

    name = "extract"
    at_once = _PAGE

    def items(self, part: Span) -> Iterator[Row]:
        return chain.from_iterable(self.graph.pages(self.more["long"], _PAGE, part.after, until=part.until))

    def request(self, item: Row) -> Request:
        shown = "\n".join(_shown(item["descriptions"]))
        variables = {"name": item["name"], "descriptions": shown, "words": str(_WORDS)}
        return Request(task(DESCRIBE), f"{item['name']}\n{shown}", variables)

    def item_id(self, item: Row) -> str:
        return str(item["name"])

    def make(self, item: Row, value: Any, writer: str) -> Iterator[Row]:
        if summary := " ".join(value["description"].split()):
            yield {"id": item["id"], "summary": summary, "of": item["made_of"]}

    def write(self, several: list[Row]) -> None:
        call = Call(self.more["summaries"], {"rows": several})
        self.done.changes += self.graph.write(call, stages=("extract",)).changes
        self.done.counts["described"] += len(several)


def _shown(descriptions: Sequence[str]) -> Iterator[str]:
    left = _LONGEST
    for description in descriptions:
        left -= len(description) + 1
        if left < 0:
            return
        yield description
