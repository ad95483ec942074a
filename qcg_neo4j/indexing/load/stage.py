"""The stage: documents are compared with the graph, and what is new or changed is cut, embedded and written."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from qcg_neo4j.core.errors import InputError, SettingsError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.records import Rejected, SourceDocument
from qcg_neo4j.database import stages
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import remember_endpoint, use_model
from qcg_neo4j.indexing.load.chunks import LoadSettings
from qcg_neo4j.indexing.load.dates import dated
from qcg_neo4j.indexing.load.documents import DocumentWriter, content_hash
from qcg_neo4j.indexing.load.languages import Languages
from qcg_neo4j.indexing.load.transactions import SideBySide
from qcg_neo4j.indexing.stage import Stage, Tally, Workers, shard
from qcg_neo4j.models.embedding.embedder import Embedder

# Documents are looked up in groups of at most this many and about this many characters, which bounds the memory.
DOCUMENTS_AT_ONCE = 500
CHARACTERS_AT_ONCE = 4_000_000
REJECTIONS_KEPT = NOTES_KEPT = 1000


@dataclass(frozen=True)
class LoadReport:
    """What became of the input: numbers of documents, of chunks and windows written, and of chunks removed.

    ``rejections`` holds the first thousand pieces of input that were left out; ``rejected`` counts all. ``notes`` are
    what a person should know of how the others were read, at most a thousand.
    """

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    rejected: int = 0
    chunks: int = 0
    windows: int = 0
    removed_chunks: int = 0
    seconds: float = 0.0
    rejections: tuple[Rejected, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_all_left_out(self) -> bool:
        """Whether there was input, and none of it could be read."""
        return bool(self.rejected) and not self.added + self.changed + self.unchanged


@stages.writes("load")
def load_documents(
    graph: Graph,
    embedder: Embedder,
    documents: Iterable[SourceDocument | Rejected],
    settings: LoadSettings | None = None,
    progress: Progress = silent,
    within: Progress = silent,
    *,
    workers: Workers | None = None,
) -> LoadReport:
    """Load documents into the graph; unchanged ones are skipped.

    A document enters whole or, when it has more than ``chunks_per_transaction`` chunks, in several transactions of
    which the last marks it as complete, so that after an interruption the same call completes it and embeds nothing
    twice. ``progress`` is called with the number of documents and pieces of input that are done, ``within`` with the
    number of chunks of such a long document. With ``workers`` they share the documents among them, by their ids; of
    several documents with the same text another one may then stand for all.

    Raises:
        InputError: something was rejected and ``strict`` is set.
        SettingsError: the windows' overlap is not smaller than what the model reads.
        ModelMismatchError: the graph was made with another embedding model.
        EmbeddingError: the model gave no usable vectors.
    """
    settings = settings or LoadSettings()
    if settings.window_overlap_tokens >= embedder.window_tokens:
        raise SettingsError(
            f"LoadSettings.window_overlap_tokens is {settings.window_overlap_tokens}, but the embedding model "
            f"{embedder.name!r} reads only {embedder.window_tokens} tokens."
        )
    use_model(graph, embedder.name, embedder.dimension, embedder.prefixes)
    remember_endpoint(graph, embedder)
    stage = _Loading(graph, embedder, settings, None, progress)
    stage.begin()
    report = stage.run(documents, workers, within)
    figures = {name: value for name, value in asdict(report).items() if name not in {"rejections", "notes"}}
    return stage.finish(report, figures)


@dataclass
class _Loaded(Tally):
    """What a run, or a part of one, has done; ``samples`` are beginnings of documents, which show their language."""

    rejections: list[Rejected] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    samples: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Add what another part has done."""
        super().add(other)
        assert isinstance(other, _Loaded)  # noqa: S101 - parts of this stage
        self.rejections += other.rejections
        self.notes += other.notes
        self.samples += other.samples


Documents = list[SourceDocument]


class _Loading(Stage[Iterable[Documents], Documents, None]):
    """Groups of documents; each is written as it is compared, several transactions at a time."""

    name = "load"

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.done: _Loaded = _Loaded()
        self._counts = self.done.counts
        self._languages = Languages(self.embedder)
        self._within: Progress = silent

    @property
    def asks(self) -> bool:
        return False

    def run(
        self, documents: Iterable[SourceDocument | Rejected], workers: Workers | None, within: Progress
    ) -> LoadReport:
        """Load all documents; ``within`` is called with the number of chunks of a long one."""
        started, self._within = time.monotonic(), within
        groups = self._groups(documents, workers.count, 10) if workers else self._groups(documents)
        self.share(groups, lambda _: ([group] for group in groups), workers)
        if workers:
            self._languages.add(self.done.samples)
        self._languages.settle(self.graph, self.settings.language)
        self._tell()
        notes = (*self._languages.warnings(), *self.done.notes[:NOTES_KEPT])
        rejections = tuple(self.done.rejections[:REJECTIONS_KEPT])
        seconds = time.monotonic() - started
        return LoadReport(**self._counts, seconds=seconds, rejections=rejections, notes=notes)

    def part(self, part: Iterable[Documents]) -> Tally:
        with SideBySide(self.graph) as writing:
            shared = (self.embedder, self.settings, self._counts, self._within, self._reject)
            writer = DocumentWriter(self.graph, writing, *shared)
            for group in part:
                writing.settle(frozenset(document.id for document in group))  # what is asked below has to be there
                self._group(group, writer)
                self._tell()
        self.done.samples = self._languages.samples
        return self.done

    def _groups(
        self, documents: Iterable[SourceDocument | Rejected], shards: int = 1, share: int = 1
    ) -> Iterator[list[SourceDocument]]:
        """Documents that belong to the same of so many shards, a ``share`` of as many as go at once."""
        groups: list[list[SourceDocument]] = [[] for _ in range(shards)]
        characters = [0] * shards
        for document in documents:
            if isinstance(document, Rejected):
                self._reject(document)
                continue
            own = shard(document.id, shards)
            groups[own].append(dated(document))
            characters[own] += len(document.text) + sum(map(len, document.passages))
            if len(groups[own]) * share >= DOCUMENTS_AT_ONCE or characters[own] * share >= CHARACTERS_AT_ONCE:
                yield groups[own]
                groups[own], characters[own] = [], 0
        yield from filter(None, groups)

    def _reject(self, rejected: Rejected) -> None:
        if self.settings.strict:
            raise InputError(str(rejected), "Correct it, or load without --strict to skip it.")
        self._counts["rejected"] += 1
        if len(self.done.rejections) < REJECTIONS_KEPT:
            self.done.rejections.append(rejected)

    def _group(self, documents: list[SourceDocument], writer: DocumentWriter) -> None:
        hashes = {document.id: content_hash(document, self.embedder, self.settings) for document in documents}
        rows = {row["id"]: row for row in self.graph.rows("load/hashes", documents=list(hashes))}
        moved = []
        for document in documents:
            held = rows.get(document.id)
            if held and held["content_hash"] == hashes[document.id]:
                self._counts["unchanged"] += 1
                if document.listed_in != held["listed_in"]:
                    moved.append({"id": document.id, "listed_in": document.listed_in})
                continue
            if held and (reason := self._why_kept(held, document)):
                self._reject(Rejected(document.source or document.listed_in or document.id, None, reason))
                continue
            self.done.notes += [f"{document.source or document.id}: {note}" for note in document.notes]
            self._languages.see(document.text or document.passages[0])
            writer.add(document, hashes[document.id], held)
            self._tell()
        writer.flush()
        self.graph.write_batches("load/listed", moved)

    def _why_kept(self, held: Mapping[str, Any], document: SourceDocument) -> str | None:
        """Why the document that the graph holds stays as it is, although one with the same id is given."""
        if held["adopted_from"] is not None:
            return f"its id {document.id!r} is that of an adopted document, which others keep; `--id-prefix` keeps both"
        own, other = document.source, held["source"]
        if own is None or other is None:  # JSON Lines may say none: then the files count that list them
            own, other = document.listed_in, held["listed_in"]
        if self.settings.replace or own is None or other in (own, None):
            return None
        return (
            f"its id {document.id!r} is that of a document from {other}; `--replace` puts this one in its place, "
            "`--id-prefix` keeps both"
        )

    def _tell(self) -> None:
        self.progress(sum(self._counts[name] for name in ("added", "changed", "unchanged", "rejected")), None)
