"""A report as a value, and as the text that people and further prompts read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qcg_neo4j.indexing.report.window import Material, Record, RelationRecord, Window, checked

# What one reply may bring: ten times what the prompt asks for. The rest has no end.
MOST_FINDINGS = 100
_LONGEST = 20_000  # characters of a text


@dataclass(frozen=True)
class CommunityReport:
    """A report on a community; ``findings`` are pairs of summary and explanation, ``rating`` is 0 to 10.

    ``records`` are those that it cites, by their numbers in its text; ``cut`` are findings and ends of texts beyond
    what a report may hold.
    """

    title: str
    summary: str
    rating: float
    rating_explanation: str
    findings: tuple[tuple[str, str], ...]
    records: Mapping[str, Record]
    wrong_citations: int = 0
    cut: int = 0

    @property
    def text(self) -> str:
        """The whole report."""
        findings = [f"{summary}\n{explanation}".strip() for summary, explanation in self.findings]
        return "\n\n".join([self.title, self.summary, *findings]).strip()


def read_report(reply: Mapping[str, Any], window: Window) -> CommunityReport:
    """A model's reply as a report: citations of what the window does not hold are taken out and counted."""
    numbers: dict[str, None] = {}
    wrong, cut = 0, max(0, len(reply["findings"]) - MOST_FINDINGS)

    def clean(text: str) -> str:
        nonlocal wrong, cut
        cut += len(text) > _LONGEST
        cited = checked(" ".join(text[:_LONGEST].split()), window.records)
        numbers.update(dict.fromkeys(cited.numbers))
        wrong += cited.wrong
        return cited.text.strip()

    findings = tuple((clean(item["summary"]), clean(item["explanation"])) for item in reply["findings"][:MOST_FINDINGS])
    return CommunityReport(
        clean(reply["title"]),
        clean(reply["summary"]),
        float(reply["rating"]),
        clean(reply["rating_explanation"]),
        findings,
        {number: window.records[number] for number in numbers},
        wrong,
        cut,
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
