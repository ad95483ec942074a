"""How long texts are, in tokens of the embedding model."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from qcg_neo4j.embedding.embedder import Embedder

TokenCounter = Callable[[str], int]
_REMEMBERED = 100_000  # texts: those of a report come again on every level


def token_counter(embedder: Embedder) -> TokenCounter:
    """Counts the tokens of a text as the embedding model cuts it, without those that it adds at the ends."""

    @lru_cache(maxsize=_REMEMBERED)
    def count(text: str) -> int:
        return len(embedder.tokenizer.encode(text, add_special_tokens=False).ids)

    return count
