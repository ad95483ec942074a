"""What a predictor learns from, as arrays: atoms with their neighbours, questions with the atoms that answer them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Network:
    """Atoms and questions by their places.

    ``pairs`` are joined atoms, each pair once, (pairs, 2), with their ``scores``; ``answers`` are pairs of a question
    and an atom, by question; ``batches`` has the number of each question's batch.
    """

    atoms: tuple[str, ...]
    vectors: Floats
    pairs: Whole
    scores: Floats
    questions: Floats
    batches: Whole
    answers: Whole

    @property
    def directed(self) -> tuple[Whole, Floats]:
        """Every pair in both directions, (2, edges), with its score."""
        both = np.concatenate([self.pairs, self.pairs[:, ::-1]]).T
        return np.ascontiguousarray(both), np.concatenate([self.scores, self.scores])

    @property
    def degrees(self) -> Whole:
        """How many neighbours each atom has."""
        return np.bincount(self.pairs.ravel(), minlength=len(self.atoms)).astype(np.int64)

    def right(self, question: int) -> Whole:
        """The atoms that answer a question."""
        first, last = np.searchsorted(self.answers[:, 0], [question, question + 1])
        return self.answers[first:last, 1]


def nearest(rows: Floats, others: Floats, number: int, *, at_once: int = 512) -> tuple[Whole, Floats]:
    """The places and cosines of the nearest of the others for each row, best first; vectors have unit length."""
    number = min(number, len(others))
    places = np.empty((len(rows), number), np.int64)
    cosines = np.empty((len(rows), number), np.float32)
    for start in range(0, len(rows), at_once):
        scores = rows[start : start + at_once] @ others.T
        best = np.argpartition(-scores, number - 1, axis=1)[:, :number]
        found = np.take_along_axis(scores, best, axis=1)
        order = np.lexsort((best, -found), axis=1)
        places[start : start + at_once] = np.take_along_axis(best, order, axis=1)
        cosines[start : start + at_once] = np.take_along_axis(found, order, axis=1)
    return places, cosines
