"""Where systems fail: recall@5 and MRR by the type of a question and by how many documents answer it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from qcg_neo4j.evaluation.questions import Question
from qcg_neo4j.evaluation.retrieval.measures import Values
from qcg_neo4j.evaluation.table import NONE, Table

SHOWN = ("recall@5", "MRR")
MANY = 4  # evidence documents; questions with more are counted with these

Groups = Mapping[str, Sequence[int]]  # the places of the questions that have something in common, by what that is


def by_type(questions: Sequence[Question]) -> Groups:
    """The questions by their type, in the order of the names; those without one are called so."""
    return _grouped([question.type or "without a type" for question in questions])


def by_evidence(questions: Sequence[Question]) -> Groups:
    """The questions by how many documents answer them, from `MANY` on together."""
    return _grouped([_number(len(question.evidence)) for question in questions])


def breakdown(questions: Sequence[Question], values: Mapping[str, Mapping[str, Values]], command: str = "") -> str:
    """A page of Markdown with a table per way of grouping.

    ``values`` has by system and measure a value for each question, NaN where it is not known. ``command`` is what the
    page names as its source.
    """
    parts = ["# Retrieval by groups of questions", f"    {command}" if command else ""]
    for title, groups in (
        ("By type", by_type(questions)),
        ("By number of evidence documents", by_evidence(questions)),
    ):
        columns = ["system", *(f"{name}, {group} ({len(groups[group]):,})" for group in groups for name in SHOWN)]
        rows = [[system, *_cells(found, groups)] for system, found in values.items()]
        parts.append(Table(columns, rows, title).markdown())
    parts.append("Means in percent; in parentheses, how many questions the group has.")
    return "\n\n".join(part for part in parts if part) + "\n"


def _grouped(names: Sequence[str]) -> Groups:
    return {name: [place for place, own in enumerate(names) if own == name] for name in sorted(set(names))}


def _number(documents: int) -> str:
    return f"{MANY} or more documents" if documents >= MANY else f"{documents} document{'s' if documents > 1 else ''}"


def _cells(values: Mapping[str, Values], groups: Groups) -> Iterator[str]:
    for places in groups.values():
        for name in SHOWN:
            known = values[name][list(places)]
            known = known[np.isfinite(known)]
            yield f"{100 * known.mean():.1f}" if len(known) else NONE
