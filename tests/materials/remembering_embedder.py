"""The real model with a memory on disk: to embed the sample takes longer than any test that reads it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from qcg_neo4j.models.embedding.embedder import Embedder, Vectors
from qcg_neo4j.models.embedding.known_models import IN_DATABASE, Prefixes


class RememberingEmbedder(Embedder):
    """Asks the model once per text; kept vectors count as long as the model and what runs it stay the same."""

    prefixes = Prefixes()

    def __init__(self, model: Embedder, folder: Path) -> None:
        self._model = model
        self.name, self.dimension, self.reads = model.name, model.dimension, model.window_tokens
        made_by = [known.artefact for known in IN_DATABASE.values()]
        self._file = folder / f"{sha256(repr((model.name, model.window_tokens, made_by)).encode()).hexdigest()}.sqlite"
        with closing(self._open()) as store, store:
            store.execute("CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    @property
    def tokenizer(self) -> Tokenizer:
        return self._model.tokenizer

    def _vectors(self, texts: Sequence[str], prefix: str) -> Vectors:
        keys = {text: sha256(text.encode()).digest() for text in texts}
        with closing(self._open()) as store:
            kept = {text: vector for text, key in keys.items() if (vector := _read(store, key)) is not None}
            missing = [text for text in keys if text not in kept]
            if missing:
                made = [vector.tobytes() for vector in self._model.embed(missing)]
                kept |= dict(zip(missing, made, strict=True))
                with store:
                    rows = [(keys[text], kept[text]) for text in missing]
                    store.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
        rows_of_all = [np.frombuffer(kept[text], np.float32) for text in texts]
        return np.array(rows_of_all, np.float32).reshape(len(texts), self.dimension)

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=60)


def _read(store: sqlite3.Connection, key: bytes) -> bytes | None:
    row = store.execute("SELECT vector FROM vectors WHERE text = ?", (key,)).fetchone()
    return None if row is None else bytes(row[0])
