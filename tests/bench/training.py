"""How long an epoch of training takes, by the number of atoms."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.figures import Measured, Result, spread
from bench.measurement import measurement, numbers
from bench.synthetic import unit
from qcg_neo4j.cli.terminal import progress_bar
from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.settings import Settings, setting
from qcg_neo4j.indexing.train.network import Floats, Network, Whole
from qcg_neo4j.indexing.train.settings import RECIPES, PredictorSettings

PER_ATOM = 2  # questions


@dataclass(frozen=True)
class TrainingSettings(Settings):
    """Duration of training on synthetic atoms."""

    steps: int = setting(10, "Steps that are timed together.", minimum=1)
    repetitions: int = setting(3, "How often they are, after one untimed time.", minimum=1)
    degree: int = setting(5, "Neighbours of an atom.", minimum=1, maximum=100)
    dimension: int = setting(384, "Numbers per vector.", minimum=2, maximum=4096)
    seed: int = setting(0, "Seed of the synthetic data.", minimum=0)


@measurement(TrainingSettings, numbers("--sizes", "4000,40000,400000", "Numbers of atoms."), database=False)
def training(sizes: Sequence[int], settings: TrainingSettings) -> Result:
    """Time an epoch of training a link predictor; needs no database.

    Raises:
        InputError: a size is too small.
    """
    if not sizes or min(sizes) < 1000:
        raise InputError(f"The sizes {list(sizes)} are too small.", "Give numbers of atoms from 1000.")
    rows = []
    for size in sizes:
        with progress_bar(f"Training on {size:,} atoms") as progress:
            rows.append(Measured("NCN, tuned", size, spread(_epochs(size, settings))))
            progress(1, 1)
    notes = (
        f"Synthetic atoms of {settings.dimension} numbers with {settings.degree} neighbours each and {PER_ATOM} "
        f"questions, seed {settings.seed}; default settings of the predictor.",
        f"{settings.steps} steps of {RECIPES['tuned'].batch_size} questions are timed {settings.repetitions} times; an "
        "epoch is as many steps as all questions need. The search for near wrong atoms beforehand is not in it.",
    )
    return Result("Training", "s per epoch", "atoms", "", tuple(rows), notes)


def _epochs(size: int, settings: TrainingSettings) -> list[float]:
    from qcg_neo4j.indexing.train.learners import TunedLearner

    pace = RECIPES["tuned"]
    asking = min(settings.steps * pace.batch_size, PER_ATOM * size)
    network = synthetic(size, asking, settings)
    learner = TunedLearner(network, np.arange(asking), PredictorSettings(), pace)
    seconds = []
    for _ in range(1 + settings.repetitions):
        start = time.perf_counter()
        learner.epoch()
        seconds.append((time.perf_counter() - start) * PER_ATOM * size / asking)
    return seconds[1:]


def synthetic(size: int, asking: int, settings: TrainingSettings) -> Network:
    """Atoms in clusters as large as their number of neighbours, each of which is joined within."""
    random = np.random.default_rng(settings.seed)
    cluster = settings.degree + 1
    centres = np.repeat(_some(random, size // cluster + 1, settings.dimension), cluster, axis=0)[:size]
    vectors = unit(centres + 0.7 * _some(random, size, settings.dimension))
    asked = unit(vectors[np.arange(asking) // PER_ATOM] + 0.7 * _some(random, asking, settings.dimension))
    pairs = _within(size, cluster)
    answers = np.stack([np.arange(asking), np.arange(asking) // PER_ATOM], axis=1)
    scores = np.full(len(pairs), 0.7, np.float32)
    names = tuple(map(str, range(size)))
    return Network(names, vectors, pairs, scores, asked, answers[:, 1].copy(), answers)


def _within(size: int, cluster: int) -> Whole:
    inner = np.array([(one, other) for one in range(cluster) for other in range(one + 1, cluster)], np.int64)
    pairs = (np.arange(0, size, cluster)[:, None, None] + inner[None]).reshape(-1, 2)
    kept: Whole = pairs[pairs.max(axis=1) < size]
    return kept


def _some(random: np.random.Generator, number: int, dimension: int) -> Floats:
    return unit(random.standard_normal((number, dimension), np.float32))
