"""The way of learning: epoch by epoch, judged on validation questions, until nothing gets better."""

from __future__ import annotations

import time
from dataclasses import dataclass

from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.indexing.train.network import Network
from qcg_neo4j.indexing.train.ranking import Judge, Ranking
from qcg_neo4j.indexing.train.settings import PredictorSettings, pace_of
from qcg_neo4j.indexing.train.split import Split
from qcg_neo4j.indexing.train.weights import Weights


@dataclass(frozen=True)
class Epoch:
    """What an epoch brought: its mean loss, the ranking of validation questions after it, and how long it took."""

    number: int
    loss: float
    validation: Ranking
    seconds: float


@dataclass(frozen=True)
class Fitted:
    """The weights of the epoch that ranks validation questions best, and all epochs that were judged."""

    weights: Weights
    best: int
    epochs: tuple[Epoch, ...]


def fit(network: Network, split: Split, settings: PredictorSettings, progress: Progress = silent) -> Fitted:
    """Train a predictor; stops early when `patience` epochs in a row brought no better validation MRR."""
    from qcg_neo4j.indexing.train.learners import learner_of

    pace = pace_of(settings)
    learner = learner_of(network, split, settings, pace)
    judge = Judge(network, split.validation, settings.candidates)
    best, weights, epochs = 0, learner.weights(), []
    for number in range(1, pace.epochs + 1):
        start = time.perf_counter()
        loss = learner.epoch()
        seconds = time.perf_counter() - start
        progress(number, pace.epochs)
        if number % pace.judged_every and number < pace.epochs:
            continue
        known = learner.weights()
        epochs.append(Epoch(number, loss, judge.by(known), seconds))
        if not best or epochs[-1].validation.mrr > _of(epochs, best).validation.mrr:
            best, weights = number, known
        elif number - best >= pace.patience:
            break
    return Fitted(weights, best, tuple(epochs))


def _of(epochs: list[Epoch], number: int) -> Epoch:
    return next(epoch for epoch in epochs if epoch.number == number)
