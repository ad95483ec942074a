"""Mean numbers of claims and clusters per system, and the differences between the systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from qcg_neo4j.core.records import Usage
from qcg_neo4j.evaluation.claims.lists import THRESHOLDS, Claims
from qcg_neo4j.evaluation.figures import Figure, Matrix, figures_of, holm, signed_rank
from qcg_neo4j.evaluation.given_answers import Answers
from qcg_neo4j.evaluation.judge import Replies
from qcg_neo4j.evaluation.page import Result
from qcg_neo4j.evaluation.settings import ClaimsSettings

CLAIMS = "claims"
MEASURES = (CLAIMS, *(f"clusters at {threshold}" for threshold in THRESHOLDS))


@dataclass(frozen=True)
class ClaimsRow:
    """A system's means by measure, over the questions for which every system's claims are known.

    ``duplicates`` are claims that were joined with an equal one of the same answer; ``empty`` counts answers without
    any claim; ``failed`` and ``unparsable`` count the answers whose claims are not known.
    """

    system: str
    figures: Mapping[str, Figure]
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
    difference: Figure
    effect: float
    p: float
    p_holm: float


@dataclass(frozen=True)
class ClaimsResult(Result):
    """The figures, what they were made of, and how they are made again.

    ``questions`` counts those that were measured; ``unknown`` are left out because the claims of one of the answers
    are not known, ``left_out`` because not every system has answered them.
    """

    rows: tuple[ClaimsRow, ...]
    contrasts: tuple[Contrast, ...]
    questions: int
    unknown: tuple[str, ...]
    left_out: tuple[str, ...]
    models: tuple[str, ...]
    settings: Mapping[str, Any]
    command: str = ""
    usage: Usage = field(default_factory=Usage)


def result_of(
    answers: Answers, claims: Sequence[Claims], asked: Replies, settings: ClaimsSettings, command: str = ""
) -> ClaimsResult:
    """The figures of all claims, which were read from the replies ``asked``.

    At least one question must have the claims of every system.
    """
    unknown = unknown_questions(claims)
    of_systems = [[item for item in claims if item.system == system] for system in answers.systems]
    known = [[item for item in items if item.question not in set(unknown)] for items in of_systems]
    # Per measure the values of the questions: (systems, questions).
    values = {CLAIMS: np.array([[float(len(item.claims)) for item in items] for items in known])}
    for position, name in enumerate(MEASURES[1:]):
        values[name] = np.array([[float(item.clusters[position]) for item in items] for items in known])
    figures = {name: _means(matrix, settings) for name, matrix in values.items()}
    return ClaimsResult(
        tuple(
            _row(system, items, {name: means[place] for name, means in figures.items()})
            for place, (system, items) in enumerate(zip(answers.systems, of_systems, strict=True))
        ),
        tuple(
            found for name, matrix in values.items() for found in _contrasts(name, answers.systems, matrix, settings)
        ),
        len(answers.questions) - len(unknown),
        tuple(unknown),
        answers.left_out,
        asked.models,
        asdict(settings),
        command,
        asked.usage,
    )


def unknown_questions(claims: Iterable[Claims]) -> list[str]:
    """The questions for which the claims of an answer are not known, each once."""
    return list(dict.fromkeys(item.question for item in claims if item.failed))


def _row(system: str, items: Sequence[Claims], figures: Mapping[str, Figure]) -> ClaimsRow:
    return ClaimsRow(
        system,
        figures,
        duplicates=sum(item.given - len(item.claims) for item in items),
        empty=sum(not item.claims and not item.failed for item in items),
        failed=sum(bool(item.failed) and not item.unparsable for item in items),
        unparsable=sum(item.unparsable for item in items),
    )


def _means(values: Matrix, settings: ClaimsSettings) -> list[Figure]:
    return [figure for figure in figures_of(values, settings) if figure]  # every value is known


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
