"""What a report is written from, as the graph has it: entities, relations, claims, and the communities below."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class EntityRecord:
    """An entity of a community; ``child`` is the community below that it is in, ``degree`` its number of relations."""

    id: str
    name: str
    type: str
    description: str
    degree: int
    child: str | None = None


@dataclass(frozen=True)
class RelationRecord:
    """A relation between two entities of a community (their ids), as one chunk states it."""

    id: str
    source: str
    target: str
    ttr: str
    strength: float


@dataclass(frozen=True)
class ClaimRecord:
    """A claim about entities of a community (their ids); or the summary of all about one, with the entity's own id."""

    id: str
    type: str
    status: str
    description: str
    entities: tuple[str, ...]


@dataclass(frozen=True)
class Child:
    """A community below with its report; ``report`` is None as long as it has none."""

    id: str
    title: str | None
    report: str | None
    mark: str | None = None


@dataclass(frozen=True)
class Material:
    """A community with all that a report on it may use; ``mark`` identifies what its present report is made from."""

    id: str
    level: int
    entities: tuple[EntityRecord, ...]
    relations: tuple[RelationRecord, ...]
    claims: tuple[ClaimRecord, ...] = ()
    children: tuple[Child, ...] = ()
    mark: str | None = None


def material(row: Mapping[str, Any]) -> Material:
    """A row of ``report/material``."""
    claims = (ClaimRecord(**{**claim, "entities": tuple(claim["entities"])}) for claim in row["claims"])
    return Material(
        row["id"],
        row["level"],
        tuple(EntityRecord(**entity) for entity in row["entities"]),
        tuple(RelationRecord(**relation) for relation in row["relations"]),
        tuple(claims),
        tuple(Child(**child) for child in row["children"]),
        row["mark"],
    )
