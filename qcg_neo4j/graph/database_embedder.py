"""The model inside the database, by the plug-in qcg-embedding: no torch, nothing to load on this side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from qcg_neo4j.embedding import EmbeddingSettings, Vectors
from qcg_neo4j.embedding.unit import unit_rows
from qcg_neo4j.embedding.windows import beginnings, embed_whole
from qcg_neo4j.errors import MissingPluginError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from qcg_neo4j.graph.graph import Graph

# One call is one transaction: as much as the model does in about half a minute, and no huge message.
TEXTS_AT_ONCE = 256
CHARACTERS_AT_ONCE = 1_000_000


class DatabaseEmbedder:
    """The database's own model, known by `find_database_embedder`."""

    place = "in the database"

    def __init__(self, graph: Graph, name: str, dimension: int, reads: int, window_tokens: int) -> None:
        self._graph = graph
        self._reads = reads
        self.name = name
        self.dimension = dimension
        self.window_tokens = window_tokens

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer, which the database hands out, without truncation and padding."""
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_str(self._graph.rows("embed/tokenizer")[0]["tokenizer"])
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of the texts, (len(texts), dimension), in the given order, rows of unit length."""
        batches = [self._embed_batch(batch) for batch in _batches(texts)]
        return np.concatenate(batches) if batches else np.empty((0, self.dimension), np.float32)

    def embed_question(self, question: str) -> Vectors:
        """The vector of one text, (dimension,); of a longer one than the model reads, the mean of its windows."""
        if self.window_tokens < self._reads:
            return embed_whole(question, self)
        found = self._graph.rows("embed/question", question=question)
        return np.asarray(unit_rows([found[0]["embedding"]], 1, self.name, self.dimension)[0])

    def _embed_batch(self, texts: list[str]) -> Vectors:
        if self.window_tokens < self._reads:
            texts = beginnings(texts, lambda: self.tokenizer, self.window_tokens)
        rows: list[Any] = [None] * len(texts)
        for row in self._graph.rows("embed/texts", texts=texts):
            rows[row["index"]] = row["embedding"]
        return unit_rows(rows, len(texts), self.name, self.dimension)


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    characters = 0
    for text in texts:
        if batch and (len(batch) == TEXTS_AT_ONCE or characters + len(text) > CHARACTERS_AT_ONCE):
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text)
    if batch:
        yield batch


def find_database_embedder(graph: Graph, settings: EmbeddingSettings) -> DatabaseEmbedder | None:
    """The database's own model, whichever it is; None where the server lacks the plug-in."""
    try:
        found = graph.rows("embed/model")[0]
    except MissingPluginError:
        return None
    reads = found["window_tokens"]
    window_tokens = min(reads, settings.window_tokens or reads)
    return DatabaseEmbedder(graph, found["name"], found["dimension"], reads, window_tokens)
