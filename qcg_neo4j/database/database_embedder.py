"""The model inside the database, by the plug-in qcg-embedding: no torch, nothing to load on this side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from qcg_neo4j.core.errors import MissingPluginError
from qcg_neo4j.database.connection import Connection
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings, Prefixing, Vectors, chosen_prefixes, unit_rows
from qcg_neo4j.models.embedding.known_models import Prefixes, prefixes_by_name
from qcg_neo4j.models.embedding.windows import beginnings, embed_whole

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# One call is one transaction: as much as the model does in about half a minute, and no huge message.
TEXTS_AT_ONCE = 256
CHARACTERS_AT_ONCE = 1_000_000


class DatabaseEmbedder(Prefixing):
    """The database's own model, known by `find_database_embedder`; ``window`` is how much it reads by default."""

    place = "in the database"

    def __init__(
        self, graph: Connection, model: Mapping[str, Any], prefixes: Prefixes, window: int | None = None
    ) -> None:
        self._graph, self._model, self._window = graph, model, window
        self.name: str = model["name"]
        self.dimension: int = model["dimension"]
        self.prefixes = prefixes
        self.reads = min(model["window_tokens"], window or model["window_tokens"])
        self._reads_less = self.reads < model["window_tokens"]

    def with_prefixes(self, prefixes: Prefixes) -> DatabaseEmbedder:
        """The same model with these prefixes."""
        return DatabaseEmbedder(self._graph, self._model, prefixes, self._window)

    def of(self, graph: Connection) -> DatabaseEmbedder:
        """The same model by another connection."""
        return DatabaseEmbedder(graph, self._model, self.prefixes, self._window)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (None, self._model, self.prefixes, self._window)  # another process connects itself: `of`

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The model's tokenizer, which the database hands out, without truncation and padding."""
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_str(self._graph.rows("embed/tokenizer")[0]["tokenizer"])
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def _vectors(self, texts: Sequence[str], prefix: str) -> Vectors:
        batches = [self._embed_batch(batch, prefix) for batch in _batches(texts)]
        return np.concatenate(batches) if batches else np.empty((0, self.dimension), np.float32)

    def embed_whole(self, text: str, *, as_passage: bool = False) -> Vectors:
        """The vector of a question (or passage), (dimension,); of a longer one than it reads, that of its parts."""
        if self._reads_less:
            return embed_whole(text, self, as_passage=as_passage)
        prefix = self.prefixes.passage if as_passage else self.prefixes.question
        found = self._graph.rows("embed/text", text=text, prefix=prefix)
        return np.asarray(unit_rows([found[0]["embedding"]], 1, self.name, self.dimension)[0])

    def _embed_batch(self, texts: list[str], prefix: str) -> Vectors:
        if self._reads_less:
            texts = beginnings(texts, lambda: self.tokenizer, self._room(prefix))
        texts = [prefix + text for text in texts]
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


def find_database_embedder(graph: Connection, settings: EmbeddingSettings) -> DatabaseEmbedder | None:
    """The database's own model, whichever it is; None where the server lacks the plug-in."""
    try:
        found = graph.rows("embed/model")[0]
    except MissingPluginError:
        return None
    prefixes = chosen_prefixes(settings, prefixes_by_name(found["name"]))
    return DatabaseEmbedder(graph, found, prefixes, settings.window_tokens)
