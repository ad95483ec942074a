"""When two names are the same entity."""

from __future__ import annotations

import unicodedata

from qcg_neo4j.records import content_id


def normalized(name: str) -> str:
    """The name without what spellings differ in: case, forms of a letter, white space, punctuation at the ends.

    A name that is nothing but punctuation keeps it.
    """
    folded = " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).split())
    start, end = 0, len(folded)
    while start < end and _trimmed(folded[start]):
        start += 1
    while end > start and _trimmed(folded[end - 1]):
        end -= 1
    return folded[start:end] or folded


def entity_id(name: str) -> str:
    """The id of the entity of that name."""
    return content_id(normalized(name))


def _trimmed(letter: str) -> bool:
    return letter.isspace() or unicodedata.category(letter).startswith("P")
