"""Where systems fail: recall@5 and MRR by the type of a question and by how many documents answer it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from qcg_neo4j.evaluate.metrics import Values, measure
from qcg_neo4j.evaluate.questions import Question
from qcg_neo4j.evaluate.table import markdown_table

SHOWN = ("recall@5", "MRR")
MANY = 4  # evidence documents; questions with more are counted with these


@dataclass(frozen=True)
class Group:
    """Questions that have something in common; ``places`` are theirs among all that were measured."""

    name: str
    places: tuple[int, ...]


def by_type(questions: Sequence[Question]) -> list[Group]:
    """The questions by their type, in the order of the names; those without one are called so."""
    return _grouped([question.type or "without a type" for question in questions])


def by_evidence(questions: Sequence[Question]) -> list[Group]:
    """The questions by how many documents answer them, from `MANY` on together."""
    return _grouped([_number(len(question.evidence)) for question in questions])


def breakdown(questions: Sequence[Question], rankings: Mapping[str, Sequence[Sequence[str]]], command: str = "") -> str:
    """A page of Markdown with a table per way of grouping.

    ``rankings`` has by system, for each question, the ids of the documents found, best first. ``command`` is what the
    page names as its source.
    """
    values = {system: measure(questions, found) for system, found in rankings.items()}
    parts = ["# Retrieval by groups of questions", f"    {command}" if command else ""]
    for title, groups in (
        ("By type", by_type(questions)),
        ("By number of evidence documents", by_evidence(questions)),
    ):
        columns = ["system", *(f"{name}, {group.name} ({len(group.places):,})" for group in groups for name in SHOWN)]
        rows = [[system, *_cells(found, groups)] for system, found in values.items()]
        parts.append(f"## {title}\n\n{markdown_table(columns, rows)}")
    parts.append("Means in percent; in parentheses, how many questions the group has.")
    return "\n\n".join(part for part in parts if part) + "\n"


def _grouped(names: Sequence[str]) -> list[Group]:
    return [Group(name, tuple(place for place, own in enumerate(names) if own == name)) for name in sorted(set(names))]


def _number(documents: int) -> str:
    return f"{MANY} or more documents" if documents >= MANY else f"{documents} document{'s' if documents > 1 else ''}"


def _cells(values: Mapping[str, Values], groups: Sequence[Group]) -> Iterator[str]:
    for group in groups:
        for name in SHOWN:
            yield f"{100 * values[name][list(group.places)].mean():.1f}"
