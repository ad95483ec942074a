"""The vectors of chunks: one each, and one per window of chunks that are longer than the model reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qcg_neo4j.core.errors import EmbeddingError
from qcg_neo4j.core.records import content_id
from qcg_neo4j.indexing.load.chunks import Chunk
from qcg_neo4j.indexing.load.settings import LoadSettings
from qcg_neo4j.models.embedding.embedder import Embedder, UnembeddableError, Vectors
from qcg_neo4j.models.embedding.windows import mean_of_windows, windows

WHOLE = "whole"


@dataclass(frozen=True)
class Window:
    """A part of a chunk that the model reads at once: characters ``start`` to ``end``, and its vector."""

    id: str
    index: int
    start: int
    end: int
    vector: Vectors


@dataclass(frozen=True)
class EmbeddedChunk:
    """A chunk with its vector (dimension,); its windows where they are kept."""

    chunk: Chunk
    vector: Vectors
    windows: tuple[Window, ...] = ()


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
    kept = tuple(_windows(chunk, spans, vectors)) if keep else ()
    return EmbeddedChunk(chunk, mean_of_windows(vectors), kept)


def _windows(chunk: Chunk, spans: list[tuple[int, int]], vectors: list[Vectors]) -> Iterator[Window]:
    for index, ((start, end), vector) in enumerate(zip(spans, vectors, strict=True)):
        yield Window(content_id(chunk.id, str(start), str(end)), index, start, end, vector)
