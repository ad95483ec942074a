"""Means over questions with their intervals, and tests of differences over the same questions.

Bootstrap percentiles, sign flips, signed ranks, and Holm's correction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qcg_neo4j.evaluation.settings import ClaimsSettings, EvaluateSettings

CONFIDENCE = 0.95
_NUMBERS_AT_ONCE = 4_000_000  # random numbers held in memory together
_NO_DIFFERENCE = 1e-9

Matrix = NDArray[np.float64]
Resampling = EvaluateSettings | ClaimsSettings  # how intervals and tests are computed


@dataclass(frozen=True)
class Figure:
    """A mean over questions with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Difference(Figure):
    """A system's mean less the baseline's, with its interval, and the paired test's p, plain and after Holm."""

    p: float
    p_holm: float


def figures_of(values: Matrix, settings: Resampling) -> list[Figure | None]:
    """The figure of each row of ``values`` (rows, questions), over the questions whose value is known (not NaN)."""
    found: list[Figure | None] = [None] * len(values)
    for places, known in _alike(values):
        low, high = bootstrap_intervals(known, settings.resamples, settings.seed)
        for place, *triple in zip(places, known.mean(axis=1), low, high, strict=True):
            found[place] = Figure(*map(float, triple))
    return found


def differences_of(
    names: Sequence[str], baseline: str | None, values: Mapping[str, Matrix], settings: Resampling
) -> dict[str, dict[str, Difference]]:
    """By system and measure its difference to the baseline, over the questions whose value both have.

    ``values`` has by measure a matrix (systems, questions). The correction is over the systems that are compared.
    """
    others = [place for place, name in enumerate(names) if name != baseline]
    found: dict[str, dict[str, Difference]] = {}
    if baseline not in names or not others:
        return found
    for measure, matrix in values.items():
        differences = _tested(matrix[others] - matrix[names.index(baseline)], settings)
        for place, difference in zip(others, differences, strict=True):
            if difference:
                found.setdefault(names[place], {})[measure] = difference
    return found


def _tested(differences: Matrix, settings: Resampling) -> list[Difference | None]:
    p = np.full(len(differences), np.nan)
    for places, known in _alike(differences):
        p[places] = sign_flip_p(known, settings.resamples, settings.seed)
    tested = [float(value) for value in p if np.isfinite(value)]
    tests = iter(zip(tested, holm(tested), strict=True))
    figures = figures_of(differences, settings)
    return [Difference(one.mean, one.low, one.high, *next(tests)) if one else None for one in figures]


def _alike(values: Matrix) -> Iterator[tuple[list[int], Matrix]]:
    """The rows in groups that know the same questions, each with its values there; rows without any are left out."""
    known = np.isfinite(values)
    groups: dict[bytes, list[int]] = {}
    for place, row in enumerate(known):
        if row.any():
            groups.setdefault(row.tobytes(), []).append(place)
    for places in groups.values():
        yield places, values[places][:, known[places[0]]]


def bootstrap_intervals(values: Matrix, resamples: int, seed: int) -> tuple[Matrix, Matrix]:
    """The percentile interval (95 %) of the mean of each row of ``values`` (rows, questions): lower, upper (rows,).

    All rows share the resamples of the questions, so that the interval of a difference is that of a paired bootstrap.
    """
    generator = np.random.default_rng(seed)
    questions = values.shape[1]
    means = np.concatenate(
        [_counts(generator, size, questions) @ values.T / questions for size in _portions(resamples, questions)]
    )
    low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    return low, high


def sign_flip_p(differences: Matrix, flips: int, seed: int) -> Matrix:
    """Two-sided p of each row of paired differences (rows, questions) under random signs: (rows,), in (0, 1].

    The observed signs count as one of the flips (Phipson and Smyth, 2010), so that p is never 0.
    """
    generator = np.random.default_rng(seed)
    observed = np.abs(differences.sum(axis=1))
    extreme = np.zeros(len(differences))
    for size in _portions(flips, differences.shape[1]):
        signs = generator.integers(0, 2, (size, differences.shape[1]), dtype=np.int8) * 2.0 - 1.0
        # The tolerance keeps sums that are equal but for the order of addition from counting as different.
        extreme += (np.abs(signs @ differences.T) >= observed - 1e-9).sum(axis=0)
    return np.asarray((1 + extreme) / (1 + flips))


class SignedRank(NamedTuple):
    """Wilcoxon's test of paired differences: two-sided p, and the rank-biserial correlation in [-1, 1] as effect.

    The effect is the share of the ranks that stands for a positive difference less that for a negative one.
    """

    p: float
    effect: float


def signed_rank(differences: Matrix) -> SignedRank:
    """Wilcoxon's signed-rank test of paired differences (questions,); pairs without a difference are left out.

    p is exact for up to 13 differences, for up to 50 if no two are equally large, else by the normal approximation.
    """
    from scipy import stats

    found = differences[np.abs(differences) > _NO_DIFFERENCE]
    if not len(found):
        return SignedRank(1.0, 0.0)
    # What is equal but for rounding shares its rank.
    found = np.round(found, 9)
    ranks = stats.rankdata(np.abs(found))
    effect = float(ranks @ np.sign(found) / ranks.sum())
    return SignedRank(float(stats.wilcoxon(found, method="auto").pvalue), effect)


def normality(differences: Matrix) -> float | None:
    """p of Shapiro and Wilk's test that differences (questions,) are normal; None for fewer than three, or equal."""
    from scipy import stats

    if len(differences) < 3 or np.ptp(differences) <= _NO_DIFFERENCE:
        return None
    return float(stats.shapiro(differences).pvalue)


def holm(p: Sequence[float]) -> list[float]:
    """The p values corrected for being several (Holm, 1979), in the given order."""
    order = sorted(range(len(p)), key=lambda position: p[position])
    corrected, largest = [0.0] * len(p), 0.0
    for rank, position in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - rank) * p[position]))
        corrected[position] = largest
    return corrected


def _counts(generator: np.random.Generator, resamples: int, questions: int) -> Matrix:
    """How often each question is drawn: (resamples, questions)."""
    drawn = generator.integers(0, questions, (resamples, questions))
    drawn += np.arange(resamples)[:, None] * questions
    counts = np.bincount(drawn.ravel(), minlength=resamples * questions)
    return counts.reshape(resamples, questions).astype(np.float64)


def _portions(total: int, width: int) -> Iterator[int]:
    """Portions of ``total`` rows, each of at most `_NUMBERS_AT_ONCE` numbers."""
    most = max(1, _NUMBERS_AT_ONCE // width)
    for start in range(0, total, most):
        yield min(most, total - start)
