"""What a report is written from: entities, relations, claims, communities below; and one written without a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qcg_neo4j.indexing.report.text import CommunityReport
from qcg_neo4j.indexing.report.window import Record, Window


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
    """A claim about entities of a community (their ids)."""

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


_NAMES = 4  # entities in the title
_SUMMARY = 3  # relations in the summary
_FINDINGS = 10


def extract_report(material: Material, window: Window, whole_weight: float) -> CommunityReport:
    """The report of a community without a language model; its rating is its share of all relations' strength."""
    central = material.entities[:_NAMES]  # by degree
    numbers = {(record.kind, record.id): number for number, record in window.records.items()}
    relations = [item for item in _strongest(material) if ("R", item.id) in numbers]
    weight = sum(relation.strength for relation in material.relations)
    share = weight / whole_weight if whole_weight else 0.0
    cited: dict[str, Record] = {}

    def quoted(relation: RelationRecord) -> str:
        number = numbers["R", relation.id]
        cited[number] = window.records[number]
        return f"{relation.ttr} [{number}]"

    title = ", ".join(entity.name for entity in central)
    more = len(material.entities) - len(central)
    return CommunityReport(
        f"{title} and {more:,} more" if more > 0 else title,
        " ".join(quoted(relation) for relation in relations[:_SUMMARY])
        or " ".join(entity.description for entity in central if entity.description),
        round(10 * share, 2),
        f"{100 * share:.1f} % of the strength of all relations; no judgement of a language model",
        tuple((quoted(relation), "") for relation in relations[_SUMMARY:_FINDINGS]),
        cited,
    )


def _strongest(material: Material) -> list[RelationRecord]:
    """The relations by strength, then by the degree of their ends; of the same text only one."""
    degree = {entity.id: entity.degree for entity in material.entities}
    ordered = sorted(
        material.relations,
        key=lambda item: (-item.strength, -(degree[item.source] + degree[item.target]), item.id),
    )
    return list({relation.ttr: relation for relation in reversed(ordered)}.values())[::-1]
