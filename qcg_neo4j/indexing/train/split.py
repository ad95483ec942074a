"""Which questions a predictor learns from, by which it is judged, and which are left out as too much alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.indexing.train.network import Flags, Floats, Network, Whole


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


def split(
    network: Network, share: float, paraphrase: float, seed: int, avoid: Floats | None = None, *, at_once: int = 1024
) -> Split:
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
    like_held = _resembling(network.questions, network.questions[held | validation], paraphrase, at_once) & training
    like_avoided = _resembling(network.questions, avoid, paraphrase, at_once) & training & ~like_held
    kept = training & ~like_held & ~like_avoided
    if not kept.any():
        raise InputError(
            f"No question to learn from is left: {like_held.sum():,} resemble held-out ones, "
            f"{like_avoided.sum():,} those to avoid (cosine of at least {paraphrase}).",
            "Raise paraphrase, or write more questions.",
        )
    learnt, judged, reported = (np.flatnonzero(part) for part in (kept, validation, held))
    return Split(learnt, judged, reported, int(like_held.sum()), int(like_avoided.sum()))


def _resembling(rows: Floats, others: Floats | None, cosine: float, at_once: int) -> Flags:
    found = np.zeros(len(rows), bool)
    if others is not None and len(others):
        for start in range(0, len(rows), at_once):
            found[start : start + at_once] = (rows[start : start + at_once] @ others.T).max(axis=1) >= cosine
    return found
