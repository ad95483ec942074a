"""Measures of a ranking of documents, computed by `ir_measures`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from qcg_neo4j.evaluate.questions import Question

# Our name of a measure -> that of ir_measures.
MEASURES = {
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
DEEPEST_CUT = 25

Values = NDArray[np.float64]


def measure(questions: Sequence[Question], rankings: Sequence[Sequence[str]]) -> dict[str, Values]:
    """Per measure its value for each question, (questions,), each in [0, 1].

    ``rankings`` holds the ids of the documents found for each question, best first, without repetition. A question
    for which nothing was found counts as 0.
    """
    import ir_measures

    parsed = {ir_measures.parse_measure(name): ours for ours, name in MEASURES.items()}
    names = [str(position) for position in range(len(questions))]
    relevant = {name: dict.fromkeys(item.evidence, 1) for name, item in zip(names, questions, strict=True)}
    # Ties are broken by the id of a document there, so that the rank itself is the score.
    found = {name: _scores(ranking) for name, ranking in zip(names, rankings, strict=True) if ranking}
    values = {ours: np.zeros(len(questions)) for ours in MEASURES}
    for result in ir_measures.evaluator(list(parsed), relevant).iter_calc(found):
        values[parsed[result.measure]][int(result.query_id)] = result.value
    return values


def _scores(ranking: Sequence[str]) -> Mapping[str, float]:
    return {document: float(-rank) for rank, document in enumerate(ranking, start=1)}
