"""A trained predictor as plain arrays, which the database scores with and a file carries; and how well it ranks.

The arithmetic here is the reference for the procedure ``qcg.links.score``; it needs no PyTorch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qcg_neo4j.indexing.train.network import Floats, Network, Whole, nearest

MEAN, SUM, NONE = "mean", "sum", "none"
EDGES_AT_ONCE = 65_536  # whose vectors are copied together
HITS = (1, 5, 10)


@dataclass(frozen=True)
class Layer:
    """Message passing: ``own @ x + neighbours @ (mean of the neighbours, weighted by score) + bias``.

    Between layers (not after the last) negative numbers become 0.
    """

    own: Floats  # (out, in)
    neighbours: Floats  # (out, in)
    bias: Floats


@dataclass(frozen=True)
class Scorer:
    """``second · max(0, first @ (h_q ⊙ h_c ⊕ common) + bias) + last``."""

    first: Floats  # (width, hidden or 2 · hidden)
    bias: Floats
    second: Floats
    last: float


@dataclass(frozen=True)
class Weights:
    """A predictor: layers, how common neighbours count, and the scorer (None: the product of both vectors).

    ``common`` is ``mean`` (of h_q ⊙ h_w), ``sum`` (of h_w, the strict form) or ``none``; ``temperature`` times the
    cosine plus ``offset`` is added to every score.
    """

    layers: tuple[Layer, ...]
    common: str
    scorer: Scorer | None
    temperature: float = 0.0
    offset: float = 0.0

    @property
    def dimension(self) -> int:
        """Numbers of an embedding."""
        return int(self.layers[0].own.shape[1])

    @property
    def hidden(self) -> int:
        """Dimension of an atom's vector in the predictor."""
        return len(self.layers[-1].bias)

    def arrays(self) -> list[Floats]:
        """Everything that was learned, in the order in which it is stored."""
        found = [array for layer in self.layers for array in (layer.own, layer.neighbours, layer.bias)]
        if self.scorer:
            found += [self.scorer.first, self.scorer.bias, self.scorer.second, np.array([self.scorer.last])]
        return [
            np.ascontiguousarray(array, np.float32) for array in (*found, np.array([self.temperature, self.offset]))
        ]


@dataclass(frozen=True)
class Encoded:
    """Atoms in the predictor, and the layers with the mean of all atoms folded in, as a question needs them."""

    vectors: Floats
    question_biases: tuple[Floats, ...]


def encode(weights: Weights, vectors: Floats, edges: Whole, scores: Floats) -> Encoded:
    """The atoms' vectors in the predictor; a question is linked to all of them and sends nothing back."""
    shares = shares_of(len(vectors), edges, scores)
    found, biases = np.asarray(vectors, np.float32), []
    for number, layer in enumerate(weights.layers):
        biases.append(layer.bias + layer.neighbours @ found.mean(axis=0))
        found = found @ layer.own.T + gathered(found, edges, shares) @ layer.neighbours.T + layer.bias
        if number + 1 < len(weights.layers):
            found = np.maximum(found, 0)
    return Encoded(np.asarray(found, np.float32), tuple(np.asarray(bias, np.float32) for bias in biases))


def encode_questions(weights: Weights, biases: Sequence[Floats], questions: Floats) -> Floats:
    """Questions in the predictor."""
    found = questions
    for number, (layer, bias) in enumerate(zip(weights.layers, biases, strict=True)):
        found = found @ layer.own.T + bias
        if number + 1 < len(weights.layers):
            found = np.maximum(found, 0)
    return np.asarray(found, np.float32)


def shares_of(atoms: int, edges: Whole, scores: Floats | None) -> Floats:
    """What each edge counts in the mean of its target's neighbours; without scores all count the same."""
    values = np.ones(edges.shape[1], np.float32) if scores is None else scores
    totals = np.bincount(edges[1], values, atoms)[edges[1]]
    return np.asarray(np.divide(values, totals, out=np.zeros(len(values)), where=totals > 0), np.float32)


def gathered(vectors: Floats, edges: Whole, shares: Floats) -> Floats:
    """For each atom the sum of its neighbours' vectors, each times the share of its edge, (atoms, numbers)."""
    found = np.zeros_like(vectors, np.float32)
    order = np.argsort(edges[1], kind="stable")
    for start in range(0, len(order), EDGES_AT_ONCE):
        part = order[start : start + EDGES_AT_ONCE]
        targets, first = np.unique(edges[1][part], return_index=True)
        found[targets] += np.add.reduceat(vectors[edges[0][part]] * shares[part, None], first, axis=0)
    return found


def common_neighbours(weights: Weights, vectors: Floats, edges: Whole) -> Floats | None:
    """What the common neighbours of each atom and a question (which is linked to all) are to the scorer."""
    if weights.common == NONE:
        return None
    shares = shares_of(len(vectors), edges, None) if weights.common == MEAN else np.ones(edges.shape[1], np.float32)
    return gathered(vectors, edges, shares)


def score(weights: Weights, question: Floats, vectors: Floats, common: Floats | None, cosines: Floats) -> Floats:
    """The scores of candidates for a question; all but the cosines are vectors of the predictor."""
    linear = weights.temperature * cosines + weights.offset
    if weights.scorer is None:
        return np.asarray(linear + vectors @ question, np.float32)
    parts = [vectors * question]
    if common is not None:
        parts.append(common * question if weights.common == MEAN else common)
    hidden = np.maximum(np.concatenate(parts, axis=1) @ weights.scorer.first.T + weights.scorer.bias, 0)
    return np.asarray(linear + hidden @ weights.scorer.second + weights.scorer.last, np.float32)


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
