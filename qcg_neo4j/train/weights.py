"""A trained predictor as plain arrays: what the database scores with, and what a file carries.

The arithmetic here is the reference for the procedure ``qcg.links.score``; it needs no PyTorch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from qcg_neo4j.train.network import Floats, Whole

MEAN, SUM, NONE = "mean", "sum", "none"


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
        """Numbers of an atom's vector in the predictor."""
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
    mean = mean_matrix(len(vectors), edges, scores)
    found, biases = np.asarray(vectors, np.float32), []
    for number, layer in enumerate(weights.layers):
        biases.append(layer.bias + layer.neighbours @ found.mean(axis=0))
        found = found @ layer.own.T + (mean @ found) @ layer.neighbours.T + layer.bias
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


def mean_matrix(atoms: int, edges: Whole, scores: Floats | None) -> csr_array:
    """Takes the mean of each atom's neighbours, weighted by score; without scores all weigh the same."""
    values = np.ones(edges.shape[1], np.float32) if scores is None else scores
    totals = np.bincount(edges[1], values, atoms)[edges[1]]
    shares = np.divide(values, totals, out=np.zeros_like(values), where=totals > 0, casting="unsafe")
    return csr_array((shares, (edges[1], edges[0])), shape=(atoms, atoms))


def common_neighbours(weights: Weights, vectors: Floats, edges: Whole) -> Floats | None:
    """What the common neighbours of each atom and a question (which is linked to all) are to the scorer."""
    if weights.common == NONE:
        return None
    if weights.common == MEAN:
        return np.asarray(mean_matrix(len(vectors), edges, None) @ vectors, np.float32)
    ones = np.ones(edges.shape[1], np.float32)
    return np.asarray(csr_array((ones, (edges[1], edges[0])), shape=(len(vectors),) * 2) @ vectors, np.float32)


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
