"""How well questions find the atoms that answer them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qcg_neo4j.train.network import Floats, Network, Whole

HITS = (1, 5, 10)


@dataclass(frozen=True)
class Ranking:
    """Mean reciprocal rank of the first right atom, and the share of questions with one among the first k."""

    mrr: float
    hits: dict[str, float]
    questions: int


def ranking(network: Network, questions: Whole, candidates: Whole, scores: Floats) -> Ranking:
    """Judge the scores of each question's candidates; a right atom that is no candidate has no rank."""
    order = np.argsort(-scores, axis=1, kind="stable")
    ranked = np.take_along_axis(candidates, order, axis=1)
    ranks = [_first(row, network.right(int(question))) for question, row in zip(questions, ranked, strict=True)]
    return _of_ranks(ranks)


def _first(row: Whole, right: Whole) -> int:
    """The rank of the first right atom from 1; 0 where there is none."""
    found = np.flatnonzero(np.isin(row, right))
    return int(found[0]) + 1 if len(found) else 0


def _of_ranks(ranks: Sequence[int]) -> Ranking:
    mrr = sum(1 / rank for rank in ranks if rank) / len(ranks)
    hits = {str(depth): sum(0 < rank <= depth for rank in ranks) / len(ranks) for depth in HITS}
    return Ranking(mrr, hits, len(ranks))
