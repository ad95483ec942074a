"""The names of properties that ours have, and that must be free on a node of others that gets our mark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# What adopting and the stages write to a chunk: on theirs these names must be free.
OWN = (
    *("textHash", "tokenCount", "embeddedAs", "words", "expandedWords", "generated", "expanded", "extracted"),
    *("extractedBy", "namesOnly", "d2qAllEmbedding", "d2qKeptEmbedding", "headings", "page", "lastPage", "dates"),
)
HELD = (*OWN, "qcgAdded", "adoptedFrom", "contentHash")


def taken(row: Mapping[str, Any]) -> frozenset[str]:
    """The names of another application's node, from a row with its properties and our mark."""
    return frozenset(row["names"]) - (set(HELD) if row["is_adopted"] else set())
