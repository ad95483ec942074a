"""How well questions find the atoms that answer them, by weights that have not seen them, as retrieval uses these."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcg_neo4j.indexing.train.network import Floats, Network, Whole, nearest
from qcg_neo4j.indexing.train.weights import Weights, common_neighbours, encode, encode_questions, score

HITS = (1, 5, 10)


@dataclass(frozen=True)
class Ranking:
    """Mean reciprocal rank of the first right atom, and the share of questions with one among the first k."""

    mrr: float
    hits: dict[str, float]


def ranking(network: Network, questions: Whole, candidates: Whole, scores: Floats) -> Ranking:
    """Judge the scores of each question's candidates; a right atom that is no candidate has no rank."""
    order = np.argsort(-scores, axis=1, kind="stable")
    ranked = np.take_along_axis(candidates, order, axis=1)
    ranks = [_first(row, network.right(int(question))) for question, row in zip(questions, ranked, strict=True)]
    hits = {str(depth): sum(0 < rank <= depth for rank in ranks) / len(ranks) for depth in HITS}
    return Ranking(sum(1 / rank for rank in ranks if rank) / len(ranks), hits)


def _first(row: Whole, right: Whole) -> int:
    """The rank of the first right atom from 1; 0 where there is none."""
    found = np.flatnonzero(np.isin(row, right))
    return int(found[0]) + 1 if len(found) else 0


class Judge:
    """Questions with their nearest atoms, which weights rerank."""

    def __init__(self, network: Network, questions: Whole, candidates: int) -> None:
        self._network, self._questions = network, questions
        self._rows = network.questions[questions]
        self._edges = network.directed
        self._candidates, self._cosines = nearest(self._rows, network.vectors, candidates)

    def by_cosine(self) -> Ranking:
        """What the candidates are worth in their first order."""
        return ranking(self._network, self._questions, self._candidates, self._cosines)

    def by(self, weights: Weights) -> Ranking:
        """What they are worth in the order of the weights."""
        return ranking(self._network, self._questions, self._candidates, self.scores(weights))

    def threshold(self, weights: Weights) -> float:
        """The least score to accept, where precision and recall over all candidates balance best (F1)."""
        scores = self.scores(weights).ravel()
        rows = zip(self._questions.tolist(), self._candidates, strict=True)
        right = np.concatenate([np.isin(places, self._network.right(question)) for question, places in rows])
        order = np.argsort(-scores, kind="stable")
        found = np.cumsum(right[order])
        quality = 2 * found / (np.arange(1, len(found) + 1) + max(1, right.sum()))
        return float(scores[order[int(np.argmax(quality))]])

    def scores(self, weights: Weights) -> Floats:
        """Scores of the candidates, (questions, candidates)."""
        edges, scores = self._edges
        atoms = encode(weights, self._network.vectors, edges, scores)
        common = common_neighbours(weights, atoms.vectors, edges)
        asked = encode_questions(weights, atoms.question_biases, self._rows)
        return np.stack(
            [
                score(weights, question, atoms.vectors[places], None if common is None else common[places], cosines)
                for question, places, cosines in zip(asked, self._candidates, self._cosines, strict=True)
            ]
        )
