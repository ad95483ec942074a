"""Measures of a ranking of documents: those of `ir_measures`, and recall as papers on graphs filter it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from qcg_neo4j.evaluation.questions import Question

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

Values = NDArray[np.float64]


def measure(questions: Sequence[Question], rankings: Sequence[Sequence[str]]) -> dict[str, Values]:
    """Per measure its value for each question, (questions,), each in [0, 1].

    ``rankings`` holds the ids of the documents found for each question, best first, without repetition. A question
    for which nothing was found counts as 0.
    """
    import ir_measures

    parsed = {ir_measures.parse_measure(name): ours for ours, name in OF_IR_MEASURES.items()}
    names = [str(position) for position in range(len(questions))]
    relevant = {name: dict.fromkeys(item.evidence, 1) for name, item in zip(names, questions, strict=True)}
    # Ties are broken by the id of a document there, so that the rank itself is the score.
    found = {name: _scores(ranking) for name, ranking in zip(names, rankings, strict=True) if ranking}
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


def _scores(ranking: Sequence[str]) -> Mapping[str, float]:
    return {document: float(-rank) for rank, document in enumerate(ranking, start=1)}
