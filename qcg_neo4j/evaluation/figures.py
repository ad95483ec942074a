"""Means over questions with their intervals, and paired differences to a baseline with their tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from qcg_neo4j.evaluation.settings import ClaimsSettings, EvaluateSettings
from qcg_neo4j.evaluation.statistics import Matrix, bootstrap_intervals, holm, sign_flip_p

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
