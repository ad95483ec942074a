"""How documents are read and cut into chunks, sized in tokens of the embedding model, and the vectors of these.

A chunk has one vector, and one for each window where it is longer than the model reads.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from semantic_text_splitter import MarkdownSplitter, TextSplitter

from qcg_neo4j.core.errors import EmbeddingError, SettingsError
from qcg_neo4j.core.records import SourceDocument, content_id
from qcg_neo4j.core.settings import Settings, setting
from qcg_neo4j.indexing.load.markdown import sections
from qcg_neo4j.models.embedding.embedder import Embedder, UnembeddableError, Vectors
from qcg_neo4j.models.embedding.windows import UNKNOWN, mean_of_windows, token_counts, windows

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Splitter = TextSplitter | MarkdownSplitter
Place = tuple[tuple[str, ...], int | None, int | None]  # headings, first and last page
NOWHERE: Place = ((), None, None)
Kind = type[TextSplitter] | type[MarkdownSplitter]
_AT_ONCE = 100_000  # characters that are tokenized together
WHOLE = "whole"


@dataclass(frozen=True)
class LoadSettings(Settings):
    """How documents are read, cut into chunks and written."""

    chunk_tokens: int = setting(
        1200,
        "Maximum chunk size in tokens of the embedding model; the paper also uses 512.",
        source="QCG-RAG paper, §4.1",
        minimum=16,
        maximum=100_000,
    )
    overlap_tokens: int = setting(
        100,
        "Maximum overlap of neighbouring chunks in tokens; the paper also uses 64.",
        source="QCG-RAG paper, §4.1",
        minimum=0,
    )
    section_tokens: int = setting(
        256,
        "Text is split at headings; sections below the same heading stay together up to this many tokens.",
        source="what the default embedding model reads at once",
        minimum=0,
        maximum=100_000,
    )
    long_text: str = setting(
        "windows",
        "Chunks longer than the model's limit: 'windows' gives each window a vector, 'mean' keeps "
        "their mean, 'truncate' ignores the rest.",
        source="truncate: QCG-RAG; windows: measured on LiHua-World",
        choices=("windows", "mean", "truncate"),
    )
    window_overlap_tokens: int = setting(
        # Recall@5 (MRR) of the best window on LiHua-World: 0 tokens 75.3 (64.3), 32 tokens 75.8 (65.0), 48 tokens
        # 75.5 (64.4), 64 tokens 75.5 (64.3), 96 tokens 75.1 (63.8). Mean of windows 71.7 (60.7), truncated 67.3 (57.7).
        32,
        "Overlap of neighbouring windows of a long chunk in tokens.",
        source="measured on LiHua-World",
        minimum=0,
    )
    chunks_per_transaction: int = setting(200, "Number of chunks per transaction.", minimum=1, maximum=10_000)
    largest_document: int = setting(
        64 * 1024 * 1024,
        "Maximum size of a file, or of a line of JSON Lines, in bytes. An archive (.docx, .xlsx "
        "…) may unpack to four times this size.",
        minimum=1024,
    )
    id_prefix: str | None = setting(
        None,
        "Prefix of ids, such as 'handbook/'; a file's id is the prefix and its path inside the "
        "given folder. Default: its absolute path.",
    )
    language: str | None = setting(
        None,
        "Language of the documents (ISO 639-1, such as de) for full-text search. Default: the "
        "corpus's, then that of most documents.",
    )
    follow_links: bool = setting(False, "Follow links that lead out of the given folder.")
    replace: bool = setting(
        False, "Replace documents that have the same id but another source; otherwise the new ones are skipped."
    )
    strict: bool = setting(False, "Stop at the first unusable input; otherwise it is skipped.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.language is not None and not re.fullmatch("[a-z]{2}", self.language):
            raise SettingsError(f"LoadSettings.language is {self.language!r}, not a code of ISO 639-1.")
        if self.overlap_tokens >= self.chunk_tokens:
            raise SettingsError(
                f"LoadSettings.overlap_tokens is {self.overlap_tokens}, but must be smaller than "
                f"chunk_tokens ({self.chunk_tokens})."
            )


@dataclass(frozen=True)
class Chunk:
    """A piece of a document: an exact slice of its text, or one of its passages as given.

    ``written`` is the date of its document, ``page`` to ``last_page`` are its pages if that has any.
    """

    id: str
    index: int
    text: str
    token_count: int
    written: str | None = None
    headings: tuple[str, ...] = ()
    page: int | None = None
    last_page: int | None = None


class Chunker:
    """Cuts documents at natural borders: headings and paragraphs before sentences before words.

    No chunk is longer than ``chunk_tokens``; neighbours share at most ``overlap_tokens``, in whole units of text.
    Markdown is cut at each heading, but neighbouring sections of fewer than ``section_tokens`` together stay one chunk.
    """

    def __init__(self, tokenizer: Tokenizer, chunk_tokens: int, overlap_tokens: int, section_tokens: int = 0) -> None:
        self._tokenizer = tokenizer
        self._section_tokens = section_tokens
        self._size = (chunk_tokens, overlap_tokens)
        self._fast: dict[Kind, Splitter] = {}  # each takes a copy of the tokenizer, and passages need none

    def _splitter(self, text: str, kind: Kind) -> Splitter:
        """The one that counts fast, unless the tokenizer does not know words of the text."""
        if not self._is_known(text):
            return kind.from_callback(lambda part: self._sizes([part])[0], *self._size)
        if kind not in self._fast:
            self._fast[kind] = kind.from_huggingface_tokenizer(self._tokenizer, *self._size)
        return self._fast[kind]

    def _is_known(self, text: str) -> bool:
        pieces = [text[start : start + _AT_ONCE] for start in range(0, len(text), _AT_ONCE)]
        encodings = (self._tokenizer.encode(piece, add_special_tokens=False) for piece in pieces)
        return not any(UNKNOWN.intersection(encoding.tokens) for encoding in encodings)

    def chunks(self, document: SourceDocument) -> list[Chunk]:
        """The chunks of a document in order; passages that are already cut stay exactly as they are."""
        pieces = [(text, NOWHERE) for text in document.passages] or list(self._cut(document))
        texts = [text for text, _ in pieces]
        counted = zip(_ids(document.id, texts), pieces, self._sizes(texts), strict=True)
        return [
            Chunk(name, index, text, size, document.published_at, *place)
            for index, (name, (text, place), size) in enumerate(counted)
        ]

    def _cut(self, document: SourceDocument) -> Iterator[tuple[str, Place]]:
        if not document.markdown:
            for start, text in self._splitter(document.text, TextSplitter).chunk_indices(document.text):
                yield text, ((), *_pages(document.pages, start, start + len(text)))
            return
        for section in sections(document.text, self._sizes, self._section_tokens):
            part = document.text[section.start : section.end]
            for begins, text in self._splitter(part, MarkdownSplitter).chunk_indices(part):
                start = section.start + begins
                yield text, (section.headings, *_pages(document.pages, start, start + len(text)))

    def _sizes(self, texts: Sequence[str]) -> list[int]:
        return token_counts(texts, self._tokenizer)


def _pages(ends: Sequence[int], start: int, end: int) -> tuple[int | None, int | None]:
    """The first and the last page of characters ``start`` to ``end``; none behind the last page."""
    if not ends or start >= ends[-1]:
        return None, None
    return bisect_right(ends, start) + 1, min(bisect_right(ends, end - 1) + 1, len(ends))


def _ids(document: str, texts: list[str]) -> list[str]:
    """Hashes of document and text; a text that occurs again in the document gets a running number."""
    seen: Counter[str] = Counter()
    identities = []
    for text in texts:
        seen[text] += 1
        number = () if seen[text] == 1 else (str(seen[text]),)
        identities.append(content_id(document, text, *number))
    return identities


@dataclass(frozen=True)
class EmbeddedChunk:
    """A chunk with its vector (dimension,).

    ``windows`` are rows of ``load/windows`` where they are kept: parts that the model reads at once, each with its
    vector.
    """

    chunk: Chunk
    vector: Vectors
    windows: tuple[dict[str, Any], ...] = ()


def embedded_as(chunk: Chunk, embedder: Embedder, settings: LoadSettings) -> str:
    """How the chunk's vectors are made; equal words mean equal vectors, so that nothing is computed twice."""
    if chunk.token_count <= embedder.window_tokens:
        return WHOLE
    if settings.long_text == "truncate":
        return f"truncate {embedder.window_tokens}"
    return f"{settings.long_text} {embedder.window_tokens}/{settings.window_overlap_tokens}"


def embed_chunks(chunks: Sequence[Chunk], embedder: Embedder, settings: LoadSettings) -> list[EmbeddedChunk]:
    """The chunks with their vectors, in order; all texts go through the model together.

    Raises:
        EmbeddingError: the model gave no usable vectors, or none for one of the chunks.
    """
    embedded, refused = embed_or_leave_out(chunks, embedder, settings)
    if refused:
        name, reason = next(iter(refused.items()))
        raise EmbeddingError(f"The chunk {name} cannot be embedded: {reason}")
    return embedded


def embed_or_leave_out(
    chunks: Sequence[Chunk], embedder: Embedder, settings: LoadSettings
) -> tuple[list[EmbeddedChunk], dict[str, str]]:
    """The same, without the chunks that the model cannot embed; and why not, by their ids.

    Raises:
        EmbeddingError: the model gave no usable vectors.
    """
    spans = [_spans(chunk, embedder, settings) for chunk in chunks]
    places = [place for place, parts in enumerate(spans) for _ in parts]
    texts = [chunk.text[start:end] for chunk, parts in zip(chunks, spans, strict=True) for start, end in parts]
    refused: dict[str, str] = {}
    try:
        rows = iter(embedder.embed(texts))
    except UnembeddableError as error:
        rows = iter(error.vectors)
        refused = {chunks[places[place]].id: reason for place, reason in error.reasons.items()}
    embedded = [
        _embedded(chunk, parts, [next(rows) for _ in parts], keep=settings.long_text == "windows")
        for chunk, parts in zip(chunks, spans, strict=True)
    ]
    return [one for one in embedded if one.chunk.id not in refused], refused


def _spans(chunk: Chunk, embedder: Embedder, settings: LoadSettings) -> list[tuple[int, int]]:
    if chunk.token_count <= embedder.window_tokens or settings.long_text == "truncate":
        return [(0, len(chunk.text))]  # the embedder ignores what the model does not read
    return windows(chunk.text, embedder, settings.window_overlap_tokens)


def _embedded(chunk: Chunk, spans: list[tuple[int, int]], vectors: list[Vectors], *, keep: bool) -> EmbeddedChunk:
    if len(spans) == 1:
        return EmbeddedChunk(chunk, vectors[0])
    places = zip(spans, vectors, strict=True) if keep else ()
    rows = [
        {
            "id": content_id(chunk.id, str(start), str(end)),
            "chunk": chunk.id,
            "index": index,
            "start": start,
            "end": end,
            "embedding": vector,
        }
        for index, ((start, end), vector) in enumerate(places)
    ]
    return EmbeddedChunk(chunk, mean_of_windows(vectors), tuple(rows))
