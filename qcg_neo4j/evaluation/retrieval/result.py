"""The figures of retrieval: measures of rankings of documents, means with intervals, differences to the baseline.

The measures are those of `ir_measures`, and recall as papers on graphs filter it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qcg_neo4j.evaluation.figures import Difference, Figure, Matrix, differences_of, figures_of
from qcg_neo4j.evaluation.lineup import Lineup, System
from qcg_neo4j.evaluation.page import Result, Row
from qcg_neo4j.evaluation.questions import Question
from qcg_neo4j.evaluation.retrieval.outcomes import Asked
from qcg_neo4j.evaluation.settings import EvaluateSettings

# Our name of a measure -> that of ir_measures.
OF_IR_MEASURES = {
    "recall@1": "R@1",
    "recall@2": "R@2",
    "recall@5": "R@5",
    "recall@10": "R@10",
    "recall@25": "R@25",
    "hit@1": "Success@1",
    "hit@5": "Success@5",
    "hit@10": "Success@10",
    "MRR": "RR",
    "mAP": "AP",
    "nDCG@10": "nDCG@10",
}
# Our name of a measure -> how many wrong documents above a right one are too many, right ones not counted.
FILTERED = {"filtered recall@2": 2, "filtered recall@5": 5}
MEASURES = (*OF_IR_MEASURES, *FILTERED)
DEEPEST_CUT = 25
TOKENS = "tokens"


@dataclass(frozen=True)
class Latency:
    """Seconds of a retrieval whose question is already embedded: median and 95th percentile."""

    median: float
    p95: float


@dataclass(frozen=True)
class RetrievalRow(Row):
    """A system's figures; ``figures`` by measure, and ``tokens``. ``differences`` is empty for the baseline.

    ``nothing_found`` counts questions without any passage; ``cut`` those whose ranking used up its depth before it
    had 25 documents; ``same`` is the share of questions for which the system as set gave what its deep ranking
    begins with. ``without_reply`` are the questions that take no part, because a reply of a language model is not
    there; ``first_gap`` says which.
    """

    name: str
    method: str
    settings: Mapping[str, Any]
    figures: Mapping[str, Figure]
    latency: Latency | None = None
    differences: Mapping[str, Difference] = field(default_factory=dict)
    nothing_found: int = 0
    cut: int = 0
    same: float | None = None
    without_reply: tuple[str, ...] = ()
    first_gap: str = ""


@dataclass(frozen=True)
class RetrievalResult(Result):
    """A table: its rows, what it was measured on, and how it is made again.

    ``graph`` is `GraphState.told`; ``missing`` are documents that the questions name and the graph does not hold;
    ``without_evidence`` counts questions that were left out for having none; ``left_out`` are systems, with the reason.
    ``ceilings`` are what recall can reach where questions have more right documents than are looked at.
    """

    rows: tuple[RetrievalRow, ...]
    baseline: str | None
    questions: int
    without_evidence: int
    settings: Mapping[str, Any]
    graph: Mapping[str, Any]
    command: str = ""
    note: str = ""
    missing: tuple[str, ...] = ()
    embedding_seconds: tuple[float, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    ceilings: Mapping[str, float] = field(default_factory=dict)


def values_of(asked: Asked, questions: Sequence[Question]) -> dict[str, dict[str, Matrix]]:
    """By system and measure, and for the tokens, a value for each question; NaN where the outcome is not known."""
    found = {}
    for name, outcomes in asked.outcomes.items():
        values = measure(questions, [outcome.documents if outcome else () for outcome in outcomes])
        values[TOKENS] = np.array([float(outcome.tokens) if outcome else 0.0 for outcome in outcomes])
        unknown = [outcome is None for outcome in outcomes]
        for column in values.values():
            column[unknown] = np.nan
        found[name] = values
    return found


def rows_of(
    lineup: Lineup, asked: Asked, values: Mapping[str, Mapping[str, Matrix]], settings: EvaluateSettings
) -> tuple[RetrievalRow, ...]:
    """The rows of the systems that were asked, in the line-up's order; ``values`` are `values_of`.

    The means are over the questions of which a system's outcome is known, the tests over those that the baseline has
    in common with it.
    """
    systems = [system for system in lineup.systems if system.name in asked.outcomes]
    names = [system.name for system in systems]
    matrices = {measure: np.stack([values[name][measure] for name in names]) for measure in (*MEASURES, TOKENS)}
    figures = {measure: figures_of(matrix, settings) for measure, matrix in matrices.items()}
    compared = {measure: matrices[measure] for measure in MEASURES}
    differences = differences_of(names, lineup.baseline, compared, settings)
    rows = []
    for place, system in enumerate(systems):
        own = {measure: figure for measure, column in figures.items() if (figure := column[place])}
        rows.append(_row(system, asked, own, differences.get(system.name, {}), settings.depth))
    return tuple(rows)


def _row(
    system: System,
    asked: Asked,
    figures: Mapping[str, Figure],
    differences: Mapping[str, Difference],
    depth: int,
) -> RetrievalRow:
    outcomes = [outcome for outcome in asked.outcomes[system.name] if outcome]
    gaps = asked.gaps.get(system.name, [])
    seconds = [outcome.seconds for outcome in outcomes if outcome.seconds is not None]
    same = [outcome.same for outcome in outcomes if outcome.same is not None]
    deepest = max(depth, system.retriever.settings.passages)
    return RetrievalRow(
        name=system.name,
        method=system.retriever.name,
        settings=system.retriever.settings.listed(),
        figures=figures,
        latency=Latency(float(np.median(seconds)), float(np.quantile(seconds, 0.95))) if seconds else None,
        differences=differences,
        nothing_found=sum(not outcome.documents for outcome in outcomes),
        cut=sum(outcome.passages == deepest and len(outcome.documents) < DEEPEST_CUT for outcome in outcomes),
        same=float(np.mean(same)) if same else None,
        without_reply=tuple(question for question, _ in gaps),
        first_gap=gaps[0][1] if gaps else "",
    )


def measure(questions: Sequence[Question], rankings: Sequence[Sequence[str]]) -> dict[str, Matrix]:
    """Per measure its value for each question, (questions,), each in [0, 1].

    ``rankings`` holds the ids of the documents found for each question, best first, without repetition. A question
    for which nothing was found counts as 0.
    """
    import ir_measures

    parsed = {ir_measures.parse_measure(name): ours for ours, name in OF_IR_MEASURES.items()}
    names = [str(position) for position in range(len(questions))]
    relevant = {name: dict.fromkeys(item.evidence, 1) for name, item in zip(names, questions, strict=True)}
    # Ties are broken by the id of a document there, so that the rank itself is the score.
    found = {
        name: {document: float(-rank) for rank, document in enumerate(ranking, start=1)}
        for name, ranking in zip(names, rankings, strict=True)
        if ranking
    }
    values = {ours: np.zeros(len(questions)) for ours in MEASURES}
    for result in ir_measures.evaluator(list(parsed), relevant).iter_calc(found):
        values[parsed[result.measure]][int(result.query_id)] = result.value
    for ours, most in FILTERED.items():
        values[ours] = np.array([_filtered(one, found, most) for one, found in zip(questions, rankings, strict=True)])
    return values


def _filtered(question: Question, ranking: Sequence[str], most: int) -> float:
    """The share of the right documents with fewer than ``most`` wrong ones above them."""
    right, wrong, found = set(question.evidence), 0, 0
    for document in ranking:
        if document in right:
            found += wrong < most
        else:
            wrong += 1
    return found / len(right)


def ceilings(questions: Sequence[Question]) -> dict[str, float]:
    """What recall at a depth can reach at most, where some questions have more right documents than that."""
    right = np.array([len(set(question.evidence)) for question in questions])
    reach = {name: int(name.partition("@")[2]) for name in OF_IR_MEASURES if name.startswith("recall@")}
    return {name: float(np.minimum(depth / right, 1).mean()) for name, depth in reach.items() if (right > depth).any()}
