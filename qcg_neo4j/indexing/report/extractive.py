"""A report that nobody wrote: the most central entities and the strongest relations of a community, word by word."""

from __future__ import annotations

from qcg_neo4j.indexing.report.material import Material, RelationRecord
from qcg_neo4j.indexing.report.text import CommunityReport
from qcg_neo4j.indexing.report.window import Record, Window

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
