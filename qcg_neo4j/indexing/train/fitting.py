"""The way of learning: epoch by epoch, judged on validation questions, until nothing gets better."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Protocol

from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.indexing.train.network import Network
from qcg_neo4j.indexing.train.ranking import Judge, Ranking
from qcg_neo4j.indexing.train.settings import PAPER, TUNED, PredictorSettings
from qcg_neo4j.indexing.train.split import Split
from qcg_neo4j.indexing.train.weights import Weights


@dataclass(frozen=True)
class Pace:
    """How fast and how long a recipe learns; the small epochs of the strict form are not all judged."""

    learning_rate: float
    batch_size: int
    epochs: int
    patience: int
    judged_every: int = 1


RECIPES = {TUNED: Pace(5e-4, 256, 6, 2), PAPER: Pace(4.3e-3, 4096, 100, 10, 5)}


class Learner(Protocol):
    """Something that learns from all examples once per epoch."""

    def epoch(self) -> float:
        """Learn; the mean loss."""

    def weights(self) -> Weights:
        """What is known so far."""


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


def pace_of(settings: PredictorSettings) -> Pace:
    """The pace of the recipe, but for what the settings say."""
    names = ("learning_rate", "batch_size", "epochs", "patience")
    given = {name: value for name in names if (value := getattr(settings, name)) is not None}
    return replace(RECIPES[settings.recipe], **given)


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
