"""What a predictor learns from, as arrays: atoms with their neighbours, questions with the atoms that answer them.

A split says which questions it learns from, by which it is judged, and which are left out as too much alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.database.graph import Graph

Floats = NDArray[np.float32]
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]
_PAGE = 1000  # atoms or questions read at once
_NEAREST_AT_ONCE = 512  # rows that are compared with all others at once


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


def read_network(graph: Graph) -> Network:
    """Atoms, their pairs and the synthetic questions of a graph, as arrays."""
    names: dict[str, int] = {}
    vectors: list[Floats] = []
    questions: list[Floats] = []
    pairs, answers, batches = [], [], []
    for row in chain.from_iterable(graph.pages("train/embeddings", _PAGE)):
        names[row["id"]] = len(names)
        vectors.append(np.asarray(row["embedding"], np.float32))
        pairs += [(row["id"], other, score) for other, score in row["pairs"]]
    numbers: dict[str, int] = {}
    for row in chain.from_iterable(graph.pages("train/examples", _PAGE)):
        answers += [(len(questions), names[atom]) for atom in row["atoms"] if atom in names]
        questions.append(np.asarray(row["embedding"], np.float32))
        batches.append(numbers.setdefault(row["batch"], len(numbers)))
    dimension = len(vectors[0]) if vectors else 0
    return Network(
        tuple(names),
        np.array(vectors, np.float32).reshape(-1, dimension),
        np.array([(names[one], names[other]) for one, other, _ in pairs], np.int64).reshape(-1, 2),
        np.array([score for _, _, score in pairs], np.float32),
        np.array(questions, np.float32).reshape(-1, dimension),
        np.array(batches, np.int64),
        np.array(answers, np.int64).reshape(-1, 2),
    )


def nearest(rows: Floats, others: Floats, number: int) -> tuple[Whole, Floats]:
    """The places and cosines of the nearest of the others for each row, best first; vectors have unit length."""
    number = min(number, len(others))
    places = np.empty((len(rows), number), np.int64)
    cosines = np.empty((len(rows), number), np.float32)
    for start in range(0, len(rows), _NEAREST_AT_ONCE):
        block = slice(start, start + _NEAREST_AT_ONCE)
        scores = rows[block] @ others.T
        best = np.argpartition(-scores, number - 1, axis=1)[:, :number]
        found = np.take_along_axis(scores, best, axis=1)
        order = np.lexsort((best, -found), axis=1)
        places[block] = np.take_along_axis(best, order, axis=1)
        cosines[block] = np.take_along_axis(found, order, axis=1)
    return places, cosines


@dataclass(frozen=True)
class Split:
    """Places of questions by their part.

    ``paraphrases`` were left out of training because they resemble held-out questions, ``avoided`` because they
    resemble questions that a person means to evaluate with.
    """

    training: Whole
    validation: Whole
    held_out: Whole
    paraphrases: int
    avoided: int


def split(network: Network, share: float, paraphrase: float, seed: int, avoid: Floats | None = None) -> Split:
    """Part the questions by batch, since those of a batch share their atoms.

    Raises:
        InputError: there are too few batches to hold some out.
    """
    names = np.unique(network.batches)
    number = round(share * len(names))
    if number < 1 or len(names) - 2 * number < 1:
        raise InputError(
            f"There are questions on {len(names):,} batches of atoms, too few to hold {share:.0%} out twice.",
            "Write more of them with `qcg train questions`, or hold out a larger share.",
        )
    order = np.random.default_rng(seed).permutation(names)
    held, validation = (np.isin(network.batches, part) for part in (order[:number], order[number : 2 * number]))
    training = ~(held | validation)
    like_held = _resembling(network.questions, network.questions[held | validation], paraphrase) & training
    like_avoided = _resembling(network.questions, avoid, paraphrase) & training & ~like_held
    kept = training & ~like_held & ~like_avoided
    if not kept.any():
        raise InputError(
            f"No question to learn from is left: {like_held.sum():,} resemble held-out ones, "
            f"{like_avoided.sum():,} those to avoid (cosine of at least {paraphrase}).",
            "Raise paraphrase, or write more questions.",
        )
    learnt, judged, reported = (np.flatnonzero(part) for part in (kept, validation, held))
    return Split(learnt, judged, reported, int(like_held.sum()), int(like_avoided.sum()))


def _resembling(rows: Floats, others: Floats | None, cosine: float) -> Flags:
    if others is None or not len(others):
        return np.zeros(len(rows), bool)
    return np.asarray(nearest(rows, others, 1)[1][:, 0] >= cosine)
