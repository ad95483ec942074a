"""Mean numbers of claims and clusters per system, and the differences between the systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qcg_neo4j.evaluate.answers import Answers
from qcg_neo4j.evaluate.claims.clusters import THRESHOLDS
from qcg_neo4j.evaluate.claims.extracting import Claims, Extracted
from qcg_neo4j.evaluate.settings import ClaimsSettings
from qcg_neo4j.evaluate.statistics import bootstrap_intervals, holm, signed_rank
from qcg_neo4j.records import Usage

CLAIMS = "claims"
MEASURES = (CLAIMS, *(f"clusters at {threshold}" for threshold in THRESHOLDS))

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Mean:
    """A mean over questions with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class SystemRow:
    """A system's means by measure, over the questions for which every system's claims are known.

    ``duplicates`` are claims that were joined with an equal one of the same answer; ``empty`` counts answers without
    any claim; ``failed`` and ``unparsable`` count the answers whose claims are not known.
    """

    system: str
    figures: Mapping[str, Mean]
    duplicates: int
    empty: int
    failed: int
    unparsable: int


@dataclass(frozen=True)
class Contrast:
    """The difference of two systems by one measure: first less second, with interval, effect and tests."""

    measure: str
    first: str
    second: str
    difference: Mean
    effect: float
    p: float
    p_holm: float


@dataclass(frozen=True)
class ClaimsResult:
    """The figures, what they were made of, and how they are made again.

    ``questions`` counts those that were measured; ``unknown`` are left out because the claims of one of the answers
    are not known, ``left_out`` because not every system has answered them.
    """

    rows: tuple[SystemRow, ...]
    contrasts: tuple[Contrast, ...]
    questions: int
    unknown: tuple[str, ...]
    left_out: tuple[str, ...]
    models: tuple[str, ...]
    settings: Mapping[str, Any]
    command: str = ""
    usage: Usage = field(default_factory=Usage)

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return asdict(self)


def result_of(answers: Answers, found: Extracted, settings: ClaimsSettings, command: str = "") -> ClaimsResult:
    """The figures of all claims; at least one question must have the claims of every system."""
    unknown = unknown_questions(found.claims)
    known = [item for item in found.claims if item.question not in set(unknown)]
    by_system = [[item for item in known if item.system == system] for system in answers.systems]
    # Per measure the values of the questions: (systems, questions).
    values = {CLAIMS: np.array([[float(len(item.claims)) for item in items] for items in by_system])}
    for position, name in enumerate(MEASURES[1:]):
        values[name] = np.array([[float(item.clusters[position]) for item in items] for items in by_system])
    figures = {name: _means(matrix, settings) for name, matrix in values.items()}
    rows = [
        _row(system, [item for item in found.claims if item.system == system], figures, place)
        for place, system in enumerate(answers.systems)
    ]
    contrasts = [
        contrast for name, matrix in values.items() for contrast in _contrasts(name, answers.systems, matrix, settings)
    ]
    return ClaimsResult(
        tuple(rows),
        tuple(contrasts),
        len(answers.questions) - len(unknown),
        tuple(unknown),
        answers.left_out,
        found.models,
        asdict(settings),
        command,
        found.usage,
    )


def unknown_questions(claims: Iterable[Claims]) -> list[str]:
    """The questions for which the claims of an answer are not known, each once."""
    return list(dict.fromkeys(item.question for item in claims if item.failed))


def _row(system: str, items: Sequence[Claims], figures: Mapping[str, Sequence[Mean]], place: int) -> SystemRow:
    return SystemRow(
        system,
        {name: means[place] for name, means in figures.items()},
        duplicates=sum(item.given - len(item.claims) for item in items),
        empty=sum(not item.claims and not item.failed for item in items),
        failed=sum(bool(item.failed) and not item.unparsable for item in items),
        unparsable=sum(item.unparsable for item in items),
    )


def _means(values: Matrix, settings: ClaimsSettings) -> list[Mean]:
    low, high = bootstrap_intervals(values, settings.resamples, settings.seed)
    return [Mean(*map(float, triple)) for triple in zip(values.mean(axis=1), low, high, strict=True)]


def _contrasts(name: str, systems: Sequence[str], values: Matrix, settings: ClaimsSettings) -> list[Contrast]:
    """All pairs of systems by one measure; the correction is over these."""
    places = list(combinations(range(len(systems)), 2))
    if not places:
        return []
    differences = np.stack([values[first] - values[second] for first, second in places])
    tests = [signed_rank(row) for row in differences]
    means, corrected = _means(differences, settings), holm([test.p for test in tests])
    return [
        Contrast(name, systems[first], systems[second], mean, test.effect, test.p, p_holm)
        for (first, second), mean, test, p_holm in zip(places, means, tests, corrected, strict=True)
    ]
