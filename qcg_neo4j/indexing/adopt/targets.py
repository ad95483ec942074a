"""A chunk of others as it is in the database, and where ours goes: onto it, or beside it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from qcg_neo4j.core.records import content_id
from qcg_neo4j.database.conversion import snake
from qcg_neo4j.indexing.adopt.found import HELD, Found
from qcg_neo4j.indexing.load import Chunk
from qcg_neo4j.models.embedding.embedder import Vectors

UNIT = 1e-3  # how far from one the length of a vector may be that is used as it is


@dataclass(frozen=True)
class Listed:
    """A chunk of others in the order of its documents: these by our ids, and its place there."""

    element: str
    documents: tuple[str, ...]
    index: int


@dataclass(frozen=True)
class Adoptable:
    """What is on a chunk of others: its text, its vector where that can be used, and the names that are taken."""

    element: str
    text: str
    vector: Vectors | None
    names: frozenset[str]
    id: str | None
    index: Any
    held: tuple[Mapping[str, Any], ...]
    token_count: int = 0

    @property
    def hash(self) -> str:
        """The hash of the text, as ours record it."""
        return content_id(self.text)

    def as_chunk(self, name: str, index: int = 0, written: str | None = None) -> Chunk:
        """The chunk of ours that it becomes."""
        return Chunk(name, index, self.text, self.token_count, written=written)


@dataclass(frozen=True)
class Target:
    """Where a chunk of ours goes: its id, its document, and whether it is theirs itself."""

    id: str
    document: str
    in_place: bool


def read_adoptable(row: Mapping[str, Any], dimension: int) -> Adoptable | None:
    """A row of ``adopt/chunks_of_others``; None where it holds no text."""
    text = row["text"]
    if not isinstance(text, str) or not text.strip():
        return None
    name = row["id"] if "id" in row["names"] and isinstance(row["id"], str) and row["id"] else None
    return Adoptable(
        row["element"],
        text,
        usable(row["vector"], dimension),
        taken(row),
        name,
        row["index"],
        tuple({snake(name): value for name, value in held.items()} for held in row["held"]),
    )


def taken(row: Mapping[str, Any]) -> frozenset[str]:
    """The names of another application's node, from a row with its properties and our mark."""
    return frozenset(row["names"]) - (set(HELD) if row["is_adopted"] else set())


def usable(value: Any, dimension: int) -> Vectors | None:
    """A property as a vector of the dimension; None where it is none, or has no direction."""
    if not isinstance(value, list) or len(value) != dimension:
        return None
    vector = np.asarray(value, dtype=np.float32)
    return vector if np.isfinite(vector).all() and np.linalg.norm(vector) > 0 else None


def is_unit(vector: Vectors) -> bool:
    """Whether a vector has unit length, within a tolerance."""
    return abs(float(np.linalg.norm(vector)) - 1) < UNIT


def fits(theirs: Adoptable, found: Found, wanted: str, index: int) -> bool:
    """Whether the names that ours need are free on theirs, or mean the same there."""
    names = theirs.names
    return not (
        names & set(HELD)
        or ("text" in names and found.text != "text")
        or ("id" in names and theirs.id != wanted)
        or ("index" in names and theirs.index != index)
        or (
            "embedding" in names
            and (found.embedding != "embedding" or theirs.vector is None or not is_unit(theirs.vector))
        )
    )


def targets(
    theirs: Adoptable, listed: Listed, found: Found, taken_ids: Collection[str], *, beside: bool
) -> list[Target]:
    """Where its chunks go, one per document; the first one onto theirs where nothing speaks against it."""
    own = content_id("adopted", theirs.element)
    wanted = theirs.id if theirs.id is not None and theirs.id not in taken_ids else own
    in_place = not beside and fits(theirs, found, wanted, listed.index)
    first, *others = listed.documents
    return [
        Target(wanted, first, in_place),
        *(Target(content_id("adopted", theirs.element, document), document, False) for document in others),
    ]
